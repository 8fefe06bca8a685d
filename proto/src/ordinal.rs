//! Places in words.

/// Writes a place as people say it: `1st`, `22nd`, `113th`.
#[must_use]
pub fn ordinal(place: u64) -> String {
    let ending = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}

#[cfg(test)]
mod tests {
    use super::ordinal;

    #[test]
    fn ordinals() {
        let numbers = [1, 2, 3, 4, 11, 12, 13, 21, 112, 103];
        let expected = [
            "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th", "103rd",
        ];
        assert_eq!(numbers.map(ordinal), expected);
    }
}
