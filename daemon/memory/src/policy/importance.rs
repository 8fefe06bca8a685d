//! Importance of a memory whose author states none: what its kind starts from, and what its text,
//! pin and source add. The numbers are in `importance.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use crate::model::Kind;

/// Starting importance of a kind that is not listed: the middle.
pub const IMPORTANCE_DEFAULT: f32 = 0.5;

/// The most that is rated: what is more important, somebody says.
const RATED_MAX: f32 = 0.95;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kinds: BTreeMap<String, f32>,
    cue: Vec<Cue>,
    adds: Adds,
}

/// Words of which one is enough.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cue {
    adds: f32,
    words: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Adds {
    pinned: f32,
    source: f32,
}

/// The table, whose form a test checks.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("importance.toml")).unwrap_or_default());

/// The words of all cues, each with the place of its row.
static CUES: LazyLock<FxHashMap<&str, usize>> = LazyLock::new(|| {
    let rows = TABLE.cue.iter().enumerate();
    rows.flat_map(|(row, cue)| cue.words.iter().map(move |word| (word.as_str(), row)))
        .collect()
});

/// A rated item.
#[derive(Clone, Copy, Debug)]
pub struct Rated<'a> {
    /// Its kind.
    pub kind: &'a Kind,
    /// Its text.
    pub text: &'a str,
    /// True if it never fades.
    pub pinned: bool,
    /// True if it is about a file.
    pub has_source: bool,
}

/// Rates how much a memory matters, 0 to 1.
#[must_use]
pub fn rate(rated: Rated<'_>) -> f32 {
    let base = TABLE.kinds.get(rated.kind.as_str());
    let mut importance = base.copied().unwrap_or(IMPORTANCE_DEFAULT);
    for (cue, is_met) in TABLE.cue.iter().zip(cues_met(rated.text)) {
        if is_met {
            importance += cue.adds;
        }
    }
    if rated.pinned {
        importance += TABLE.adds.pinned;
    }
    if rated.has_source {
        importance += TABLE.adds.source;
    }
    // Two decimals: sums of decimals are not exact, and people read the number.
    (importance.min(RATED_MAX) * 100.0).round() / 100.0
}

/// Which rows of cues have a word of a text, whatever its case.
fn cues_met(text: &str) -> Vec<bool> {
    let mut met = vec![false; TABLE.cue.len()];
    for word in text.split(|one: char| !one.is_alphanumeric()) {
        let row = CUES.get(word.to_ascii_lowercase().as_str());
        if let Some(is_met) = row.and_then(|row| met.get_mut(*row)) {
            *is_met = true;
        }
    }
    met
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::Kinds;

    fn rated(kind: &str, text: &str) -> f32 {
        let kind = Kind::from_stored(kind);
        rate(Rated {
            kind: &kind,
            text,
            pinned: false,
            has_source: false,
        })
    }

    #[test]
    fn the_table_is_read_and_names_known_kinds() {
        let table: Table = toml::from_str(include_str!("importance.toml")).unwrap();
        assert!(!table.cue.is_empty());
        let mut words: Vec<&String> = table.cue.iter().flat_map(|cue| &cue.words).collect();
        assert!(words.iter().all(|word| **word == word.to_ascii_lowercase()));
        words.sort_unstable();
        assert!(words.is_sorted_by(|one, next| one < next), "{words:?}");
        let kinds = Kinds::default();
        for (kind, base) in &table.kinds {
            assert!(kinds.resolve(kind).is_ok(), "{kind}");
            assert!((0.0..=1.0).contains(base), "{kind}: {base}");
        }
    }

    #[test]
    fn a_decision_matters_more_than_a_small_fact() {
        let decision = rated("decision", "Billing runs on Postgres.");
        let fact = rated("fact", "The logo is blue.");
        let progress = rated("progress", "Half of the tests pass.");
        assert!(decision > fact, "{decision} {fact}");
        assert!(fact > progress, "{fact} {progress}");
        assert!((fact - IMPORTANCE_DEFAULT).abs() < f32::EPSILON);
    }

    #[test]
    fn cues_pins_and_sources_add_and_never_too_much() {
        let plain = rated("gotcha", "Push to main.");
        let never = rated("gotcha", "Never push to main.");
        let worse = rated("gotcha", "NEVER push to main: it breaks the release.");
        assert!(plain < never, "{plain} {never}");
        assert!(never < worse, "{never} {worse}");
        let kind = Kind::from_stored("decision");
        let all = rate(Rated {
            kind: &kind,
            text: "Always rotate secrets; a leak is a security outage.",
            pinned: true,
            has_source: true,
        });
        assert!((all - RATED_MAX).abs() < f32::EPSILON, "{all}");
        assert_eq!(rated("fact", "nevertheless"), IMPORTANCE_DEFAULT);
    }
}
