//! Named parts of what hooks decide: layers, groups of data and factors of a sum. A benchmark
//! switches off one at a time and measures what that loses; nothing else ever does.
//!
//! A part is named `area/name`. Each crate lists its own, so that an unknown name is an error.
//!
//! # Example
//!
//! Code asks for a part by its name, and has it unless a benchmark switched it off:
//!
//! ```
//! assert!(helix_ablation::PARTS.contains(&"factor/words"));
//! assert!(!helix_ablation::is_off("factor/words"));
//! ```

use std::sync::OnceLock;

/// The parts that are code. Groups of data are named by the crates that hold them.
pub const PARTS: &[&str] = &[
    "command/concerns",
    "command/environment",
    "command/extent",
    "command/filters",
    "command/menders",
    "command/named-place",
    "command/of-tool",
    "command/options",
    "command/script-files",
    "command/verdict",
    "command/workplace",
    "factor/agreement",
    "factor/beginning",
    "factor/cosine",
    "factor/coverage",
    "factor/general",
    "factor/identifier",
    "factor/orders",
    "factor/ours",
    "factor/procedure",
    "factor/project-name",
    "factor/rarity",
    "factor/request",
    "factor/request-code",
    "factor/tokens",
    "factor/word-score",
    "factor/words",
    "failure/another-module",
    "failure/another-test",
    "failure/another-thing",
    "failure/code-family",
    "failure/command",
    "failure/commonplaces",
    "failure/having",
    "failure/marks",
    "failure/quoted",
    "failure/tested",
    "fault/above",
    "fault/asserted",
    "fault/below",
    "fault/boxes",
    "fault/detail",
    "fault/flag",
    "fault/frames",
    "fault/heading",
    "fault/java-symbol",
    "fault/label",
    "fault/named-codes",
    "fault/next-line",
    "fault/of-a-test",
    "fault/quoted-symbol",
    "fault/speakers",
    "fault/titles",
    "layer/added-names",
    "layer/attached",
    "layer/codes",
    "layer/coupling",
    "layer/directory",
    "layer/directory-name",
    "layer/everyday",
    "layer/file-name",
    "layer/meaning",
    "layer/named-source",
    "layer/near",
    "layer/prompt-files",
    "layer/removed-symbols",
    "layer/source",
    "layer/source-directories",
    "layer/stem",
    "layer/symbols",
    "layer/topic",
    "remedy/prose",
    "remedy/untried",
    "sighting/asides",
    "sighting/closing",
    "sighting/judged",
    "sighting/names",
    "sighting/placed",
    "sighting/rules",
    "sighting/whole",
    "words/common",
    "words/usual-stems",
];

/// The parts of a search. Instead of the weights of both lists a fixed share of words can be given:
/// `search/weights=0.5`.
pub const SEARCH_PARTS: &[&str] = &[
    "search/apartness",
    "search/crowding",
    "search/diversity",
    "search/exact",
    "search/expansion",
    "search/factors",
    "search/tokens",
    "search/trust",
    "search/turns",
    "search/weights",
];

static OFF: OnceLock<Vec<String>> = OnceLock::new();

/// Switches parts off for the life of this process. Only the first call counts, and it must come
/// before anything is decided: tables are read once.
pub fn switch_off(parts: Vec<String>) {
    // A second call changes nothing.
    OFF.set(parts).ok();
}

/// Returns whether a part was switched off.
#[must_use]
pub fn is_off(part: &str) -> bool {
    OFF.get()
        .is_some_and(|off| off.iter().any(|name| name == part))
}

/// The number that takes the place of a part, where one was given: `name=0.5`.
#[must_use]
pub fn instead_of(part: &str) -> Option<f32> {
    let is_named = |name: &String| {
        let (named, number) = name.split_once('=')?;
        (named == part).then(|| number.parse().ok())?
    };
    OFF.get()?.iter().find_map(is_named)
}

/// Returns whether a part counts, as it does unless it was switched off.
#[must_use]
pub fn is_on(part: &str) -> bool {
    !is_off(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_until_they_are_switched_off() {
        assert!(is_on("layer/stem"));
        assert_eq!(instead_of("search/weights"), None);
        let off = ["layer/stem", "search/weights=0.5"];
        switch_off(off.map(str::to_owned).to_vec());
        switch_off(vec!["layer/source".to_owned()]);
        assert!(is_off("layer/stem"));
        assert!(is_on("layer/source"));
        assert_eq!(instead_of("search/weights"), Some(0.5));
        assert_eq!(instead_of("layer/stem"), None);
    }
}
