//! Hashes as hexadecimal text.

use std::fmt::Write as _;

/// Returns bytes as lowercase hexadecimal digits.
pub(super) fn encode(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            // A string takes everything.
            write!(text, "{byte:02x}").unwrap_or_default();
            text
        })
}

/// Reads exactly `N` bytes; `None` for anything else.
pub(super) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != N * 2 {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

fn digit(character: u8) -> Option<u8> {
    char::from(character)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_round_trip() {
        assert_eq!(encode(&[0, 0x1f, 0xff]), "001fff");
        assert_eq!(decode::<3>("001FfF"), Some([0, 0x1f, 0xff]));
        assert_eq!(
            (decode::<3>("001ff"), decode::<1>("g0"), decode::<1>("+1")),
            (None, None, None)
        );
    }
}
