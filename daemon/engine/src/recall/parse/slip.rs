//! Words that look like an inline filter and are none: they are searched for, which whoever wrote
//! them should know.

use super::KEYS;

/// Words of one query that are told of; one that has more is no attempt to filter.
const TOLD_MAX: usize = 3;

/// Other names that people write for a key, besides slips of the pen.
const OTHER_NAMES: [(&str, &str); 10] = [
    ("tags", "tag"),
    ("topics", "topic"),
    ("sources", "source"),
    ("src", "source"),
    ("kinds", "kind"),
    ("type", "kind"),
    ("scopes", "scope"),
    ("since", "after"),
    ("until", "before"),
    ("day", "days"),
];

/// A word that looks like an inline filter and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slip<'q> {
    /// The word.
    pub word: &'q str,
    /// The text behind its colon.
    pub value: &'q str,
    /// The key that its own looks like.
    pub meant: Option<&'static str>,
}

impl Slip<'_> {
    /// Finds them among the words of a query that was taken apart.
    #[must_use]
    pub fn all_in(words: &str) -> Vec<Slip<'_>> {
        words
            .split_whitespace()
            .filter_map(slip)
            .take(TOLD_MAX)
            .collect()
    }
}

fn slip(word: &str) -> Option<Slip<'_>> {
    let (name, value) = word.split_once(':')?;
    let is_name = name.len() > 1
        && name
            .chars()
            .all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '-'));
    // `std::fmt`, `https://x`, `key:value:more` and a colon at a word's end are no filters.
    let is_value =
        value.starts_with(|c: char| c.is_alphanumeric() || c == '"') && !value.contains(':');
    let name = name.to_ascii_lowercase();
    if !is_name || !is_value || KEYS.contains(&name.as_str()) {
        return None;
    }
    Some(Slip {
        word,
        value,
        meant: meant(&name),
    })
}

/// The key that a name looks like.
fn meant(name: &str) -> Option<&'static str> {
    let other = OTHER_NAMES
        .into_iter()
        .find(|(other, _)| *other == name)
        .map(|(_, key)| key);
    other.or_else(|| {
        KEYS.into_iter()
            .find(|key| key.len() > 3 && is_slip(name, key))
    })
}

/// Returns whether one of two names is the other with two neighbours exchanged, or one letter
/// missing, added or another.
fn is_slip(name: &str, key: &str) -> bool {
    let (name, key) = (name.as_bytes(), key.as_bytes());
    let same_head = name.iter().zip(key).take_while(|(a, b)| a == b).count();
    let (name, key) = (
        name.get(same_head..).unwrap_or_default(),
        key.get(same_head..).unwrap_or_default(),
    );
    match (name, key) {
        ([_, name @ ..], key) if name == key => true,
        (name, [_, key @ ..]) if name == key => true,
        ([a, b, name @ ..], [c, d, key @ ..]) if (a, b, name) == (d, c, key) => true,
        ([_, name @ ..], [_, key @ ..]) => name == key,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_were_meant_are_known() {
        let known = [
            ("tags", "tag"),
            ("topics", "topic"),
            ("src", "source"),
            ("since", "after"),
            ("topc", "topic"),
            ("suorce", "source"),
            ("scoope", "scope"),
            ("befire", "before"),
            ("kinds", "kind"),
        ];
        for (name, key) in known {
            assert_eq!(meant(name), Some(key), "{name}");
        }
        for name in [
            "nope",
            "error",
            "std",
            "bag",
            "kin-d-s",
            "order",
            "port",
            "localhost",
        ] {
            assert_eq!(meant(name), None, "{name}");
        }
    }

    #[test]
    fn only_what_looks_like_a_filter_is_one_gone_wrong() {
        let found = Slip::all_in(
            "Tags:gotcha nope:1 std::fmt https://a.b:1 a:b note: x tag:y 10:30 error:E0432:1",
        );
        let words: Vec<_> = found
            .iter()
            .map(|slip| (slip.word, slip.value, slip.meant))
            .collect();
        assert_eq!(
            words,
            [
                ("Tags:gotcha", "gotcha", Some("tag")),
                ("nope:1", "1", None)
            ]
        );
        assert_eq!(Slip::all_in("aa:1 bb:1 cc:1 dd:1").len(), TOLD_MAX);
    }
}
