//! Inputs of commands, from arguments and stdin: texts, and numbers from 0 to 1.

use std::io::{self, Read};

use helix_proto::limits::MEMORY_TEXT_MAX_BYTES;

use crate::failure::Failure;

/// The argument that stands for stdin, or for stdout where something is written.
pub(crate) const STREAM: &str = "-";

/// Takes a text as it is, or from stdin.
pub(crate) fn text(argument: String) -> Result<String, Failure> {
    if argument == STREAM {
        from_reader(io::stdin().lock())
    } else {
        Ok(argument)
    }
}

/// Reads a text whole, without its last line end.
fn from_reader(stdin: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MEMORY_TEXT_MAX_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(2);
    stdin
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(Failure::io("reading stdin"))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::Usage("stdin is not UTF-8; convert it first".to_owned()))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.len() > MEMORY_TEXT_MAX_BYTES {
        return Err(Failure::Usage(format!(
            "stdin holds more than {MEMORY_TEXT_MAX_BYTES} bytes; store it in parts"
        )));
    }
    Ok(text.to_owned())
}

/// Reads a number from 0 to 1.
pub(crate) fn fraction(text: &str) -> Result<f32, String> {
    let number = text
        .parse::<f32>()
        .ok()
        .filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "not a number from 0 to 1".to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_proto::exit;

    use super::*;

    #[test]
    fn stdin_is_taken_whole_but_for_the_last_line_end() {
        assert_eq!(from_reader(&b"a\n\nb\r\n"[..]).unwrap(), "a\n\nb");
        let longest = "x".repeat(MEMORY_TEXT_MAX_BYTES) + "\n";
        assert_eq!(
            from_reader(longest.as_bytes()).unwrap().len(),
            MEMORY_TEXT_MAX_BYTES
        );
    }

    #[test]
    fn stdin_that_cannot_be_stored_is_refused() {
        let too_long = "é".repeat(MEMORY_TEXT_MAX_BYTES);
        for wrong in [
            &b"\xff"[..],
            "x".repeat(MEMORY_TEXT_MAX_BYTES + 1).as_bytes(),
            too_long.as_bytes(),
        ] {
            assert_eq!(from_reader(wrong).unwrap_err().exit_code(), exit::USAGE);
        }
    }

    #[test]
    fn fractions_are_from_0_to_1() {
        assert!(
            ["0", "1", "0.5"]
                .into_iter()
                .all(|text| fraction(text).is_ok())
        );
        assert!(
            ["-0.1", "1.01", "NaN", "inf", "half"]
                .into_iter()
                .all(|text| fraction(text).is_err())
        );
    }
}
