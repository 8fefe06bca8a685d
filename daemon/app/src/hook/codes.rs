//! Codes of errors in a text: `E0432`, `PH-4012`. A code means one thing only, so that a memory
//! that has it is about that very thing.

/// Digits of the shortest code.
const DIGITS_MIN: usize = 3;

/// The codes of a text, each once.
pub(super) fn codes_in(text: &str) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    if helix_ablation::is_off("layer/codes") {
        return codes;
    }
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    for word in words.filter(|word| is_code(word)) {
        if !codes.iter().any(|known| known == word) {
            codes.push(word.to_owned());
        }
    }
    codes
}

/// Returns whether a word is of capital letters and digits behind them, with a dash between at
/// most.
fn is_code(word: &str) -> bool {
    let number = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let digits = number.strip_prefix('-').unwrap_or(number);
    number.len() < word.len()
        && digits.len() >= DIGITS_MIN
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_capitals_and_digits() {
        assert_eq!(
            codes_in("error[E0432]: PH-4012 and PH-4012, TS2307:"),
            ["E0432", "PH-4012", "TS2307"]
        );
    }

    #[test]
    fn words_and_numbers_are_no_codes() {
        assert!(
            codes_in("python3 utf8 x86_64 V8 404 0x1234 A-B-1234 pcl_01HZ 2026-11-24").is_empty()
        );
    }
}
