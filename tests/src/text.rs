//! Makes output the same on every day and machine, for snapshots.

/// Characters of a day: `2026-11-21`.
const DAY_CHARS: usize = 10;

/// Replaces days by `[day]`.
#[must_use]
pub fn without_days(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        if chars.get(at..at + DAY_CHARS).is_some_and(is_day) {
            out.push_str("[day]");
            at += DAY_CHARS;
        } else {
            out.push(c);
            at += 1;
        }
    }
    out
}

fn is_day(chars: &[char]) -> bool {
    chars.iter().enumerate().all(|(at, c)| if at == 4 || at == 7 { *c == '-' } else { c.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_replaced() {
        assert_eq!(without_days("é 2026-11-21, 12026-11-2x"), "é [day], 12026-11-2x");
    }
}
