//! Which category a memory belongs to: by its tags, then by its prefix, then by the words of its
//! first lines.

use std::sync::LazyLock;

use helix_memory::{Memory, Tags, WordSet};
use rustc_hash::FxHashMap;

use super::category::Category;

/// Lines of a text that are scanned for words of a category.
const SCANNED_LINES: usize = 3;

/// Bytes of one of these lines that are scanned: a note without line ends would be read whole
/// otherwise.
const SCANNED_LINE_MAX_BYTES: usize = 240;

/// Marks of emphasis.
const EMPHASIS: &[char] = &['*', '_'];

/// Longest prefix before a colon or dash, with it, in bytes.
const PREFIX_MAX_BYTES: usize = 24;

/// Categories of kinds, for memories whose tags say nothing.
const KINDS: &[(&str, Category)] = &[
    ("architecture", Category::Architecture),
    ("code_description", Category::Architecture),
    ("convention", Category::Invariants),
    ("gotcha", Category::Gotchas),
    ("bug_fix", Category::Gotchas),
    ("decision", Category::Decisions),
    ("procedure", Category::HowTo),
    ("snippet", Category::HowTo),
];

/// Words that suggest a category, sorted. Only words that say little else: a wrong category is
/// worse than none.
const KEYWORDS: &[(&str, Category)] = &[
    ("always", Category::Invariants),
    ("architecture", Category::Architecture),
    ("benchmark", Category::Performance),
    ("benchmarks", Category::Performance),
    ("beware", Category::Gotchas),
    ("bottleneck", Category::Performance),
    ("bug", Category::Gotchas),
    ("chose", Category::Decisions),
    ("chosen", Category::Decisions),
    ("component", Category::Architecture),
    ("components", Category::Architecture),
    ("crash", Category::Gotchas),
    ("crashes", Category::Gotchas),
    ("dataflow", Category::DataFlow),
    ("decided", Category::Decisions),
    ("decision", Category::Decisions),
    ("deprecated", Category::Decisions),
    ("faster", Category::Performance),
    ("gotcha", Category::Gotchas),
    ("howto", Category::HowTo),
    ("invariant", Category::Invariants),
    ("invariants", Category::Invariants),
    ("latency", Category::Performance),
    ("layer", Category::Architecture),
    ("layers", Category::Architecture),
    ("lifecycle", Category::DataFlow),
    ("migrated", Category::Decisions),
    ("module", Category::Architecture),
    ("modules", Category::Architecture),
    ("must", Category::Invariants),
    ("never", Category::Invariants),
    ("p50", Category::Performance),
    ("p99", Category::Performance),
    ("pipeline", Category::DataFlow),
    ("pitfall", Category::Gotchas),
    ("protocol", Category::DataFlow),
    ("silently", Category::Gotchas),
    ("slower", Category::Performance),
    ("throughput", Category::Performance),
    ("todo", Category::Gaps),
    ("trap", Category::Gotchas),
    ("undocumented", Category::Gaps),
    ("unfinished", Category::Gaps),
];

/// The same for two words that stand together.
const KEYWORD_PAIRS: &[(&str, &str, Category)] = &[
    ("are", "missing", Category::Gaps),
    ("data", "flow", Category::DataFlow),
    ("depends", "on", Category::Architecture),
    ("flows", "to", Category::DataFlow),
    ("how", "to", Category::HowTo),
    ("instead", "of", Category::Decisions),
    ("no", "test", Category::Gaps),
    ("not", "yet", Category::Gaps),
    ("still", "missing", Category::Gaps),
    ("to", "run", Category::HowTo),
    ("watch", "out", Category::Gotchas),
    ("went", "with", Category::Decisions),
];

/// The signal of a word: by itself, and behind each of some words.
#[derive(Default)]
struct Signal {
    alone: Option<Category>,
    behind: Vec<(&'static str, Category)>,
}

/// Both lists, by a keyword or the second one of a pair. One look instead of several, since most
/// words are none of these.
static SIGNALS: LazyLock<FxHashMap<&str, Signal>> = LazyLock::new(|| {
    let mut signals: FxHashMap<&str, Signal> = FxHashMap::default();
    for &(keyword, category) in KEYWORDS {
        signals.entry(keyword).or_default().alone = Some(category);
    }
    for &(first, second, category) in KEYWORD_PAIRS {
        signals
            .entry(second)
            .or_default()
            .behind
            .push((first, category));
    }
    signals
});

/// Finds a memory's category.
#[must_use]
pub fn category_of(memory: &Memory) -> Category {
    by_tags(memory)
        .or_else(|| by_kind(memory))
        .or_else(|| by_prefix(&memory.text))
        .or_else(|| by_keywords(&memory.text))
        .unwrap_or(Category::Untagged)
}

/// The verdict of tags and kind on whether a memory is in one of some categories, without its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// It is.
    In,
    /// One of its tags says so; the text chooses among several.
    Perhaps,
    /// Nothing: the text decides alone.
    Open,
    /// It is not.
    Out,
}

/// Asks tags and kind whether a memory is in one of some categories.
pub fn stated_in<'t>(
    focus: &[Category],
    tags: impl IntoIterator<Item = &'t str>,
    kind: &str,
) -> Stated {
    let one = |category: Category| {
        if focus.contains(&category) {
            Stated::In
        } else {
            Stated::Out
        }
    };
    let tagged = tags.into_iter().filter_map(Category::of_tag).map(one);
    let by_tags = tagged.reduce(|one, other| if one == other { one } else { Stated::Perhaps });
    by_tags
        .or_else(|| of_kind(kind).map(one))
        .unwrap_or(Stated::Open)
}

/// Returns whether tags or kind say what a memory is, and not its text alone.
pub(super) fn is_stated(memory: &Memory) -> bool {
    by_tags(memory).or_else(|| by_kind(memory)).is_some()
}

/// Returns whether a memory says that something is missing or hurts, whatever else it is about.
pub(super) fn names_gap(memory: &Memory, category: Category) -> bool {
    category == Category::Gaps
        || memory
            .tags
            .iter()
            .any(|tag| Category::of_tag(tag) == Some(Category::Gaps))
}

/// Of several categories, the one that the text's own prefix names; else the first in a brief's
/// order.
fn by_tags(memory: &Memory) -> Option<Category> {
    let mut tagged: Vec<Category> = memory
        .tags
        .iter()
        .filter_map(|tag| Category::of_tag(tag))
        .collect();
    tagged.sort_unstable();
    let own = (tagged.len() > 1)
        .then(|| by_prefix(&memory.text))
        .flatten()
        .filter(|own| tagged.contains(own));
    own.or_else(|| tagged.first().copied())
}

fn by_kind(memory: &Memory) -> Option<Category> {
    of_kind(memory.kind.as_str())
}

fn of_kind(kind: &str) -> Option<Category> {
    KINDS
        .iter()
        .find(|(known, _)| *known == kind)
        .map(|(_, category)| *category)
}

/// `gotcha: …`, `How to - …`, `## Decisions: …`.
fn by_prefix(text: &str) -> Option<Category> {
    let text = text.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '#' | '*' | '-' | '>' | '[')
    });
    let line = beginning(text.lines().next()?, PREFIX_MAX_BYTES);
    let end = [":", " - ", " — "]
        .into_iter()
        .filter_map(|mark| line.find(mark))
        .min()?;
    Category::of_tag(&Tags::normalise_one(line.get(..end)?)?)
}

/// A text as it stands under its category's heading: a prefix that only repeats the heading goes,
/// with its emphasis.
pub(super) fn without_prefix(text: &str, category: Category) -> &str {
    let Some((prefix, rest)) = text.split_once(':') else {
        return text;
    };
    let repeats =
        || Tags::normalise_one(prefix).and_then(|tag| Category::of_tag(&tag)) == Some(category);
    let bare = prefix.trim_start_matches(EMPHASIS);
    let opening = prefix.strip_suffix(bare).unwrap_or_default();
    // `**Gotcha**: text` ends its emphasis before the colon, `**Gotcha:** text` behind it.
    let rest = if opening.is_empty() || prefix.ends_with(EMPHASIS) {
        Some(rest)
    } else {
        rest.strip_prefix(opening)
    };
    match rest {
        Some(rest) if prefix.len() <= PREFIX_MAX_BYTES && !rest.trim().is_empty() && repeats() => {
            rest.trim_start()
        }
        _ => text,
    }
}

/// The category with most words in the first lines; of equals, the one that is named first.
fn by_keywords(text: &str) -> Option<Category> {
    let mut votes: Vec<(Category, usize)> = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(SCANNED_LINES)
    {
        let (mut previous, mut lowercase) = (String::new(), String::new());
        for word in WordSet::words(beginning(line, SCANNED_LINE_MAX_BYTES)) {
            std::mem::swap(&mut previous, &mut lowercase);
            // The keywords are ASCII, so no other letters need folding.
            lowercase.clear();
            lowercase.push_str(word);
            lowercase.make_ascii_lowercase();
            let Some(signal) = SIGNALS.get(lowercase.as_str()) else {
                continue;
            };
            let pair = signal
                .behind
                .iter()
                .find(|(first, _)| *first == previous)
                .map(|(_, category)| *category);
            for category in [signal.alone, pair].into_iter().flatten() {
                match votes.iter_mut().find(|(voted, _)| *voted == category) {
                    Some((_, count)) => *count += 1,
                    None => votes.push((category, 1)),
                }
            }
        }
    }
    let most = votes.iter().map(|(_, count)| *count).max()?;
    votes
        .iter()
        .find(|(_, count)| *count == most)
        .map(|(category, _)| *category)
}

/// The text's beginning, at most `max_bytes`, cut between characters.
pub(super) fn beginning(text: &str, max_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(max_bytes))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::super::samples::memory;
    use super::*;

    fn tagged(text: &str, tags: &[&str]) -> Memory {
        let mut memory = memory("build", text);
        memory.tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        memory
    }

    #[test]
    fn tags_and_kind_tell_before_the_text_is_read() {
        let focus = [Category::Gotchas, Category::HowTo];
        let of = |tags: &[&'static str], kind: &str| stated_in(&focus, tags.iter().copied(), kind);
        assert_eq!(of(&["gotcha"], "fact"), Stated::In);
        assert_eq!(of(&["gotcha", "how-to"], "fact"), Stated::In);
        assert_eq!(of(&["gotcha", "perf"], "gotcha"), Stated::Perhaps);
        assert_eq!(of(&["decision", "perf"], "gotcha"), Stated::Out);
        assert_eq!(
            (of(&["arm64"], "gotcha"), of(&["arm64"], "fact")),
            (Stated::In, Stated::Open)
        );
    }

    #[test]
    fn tags_come_first() {
        assert_eq!(
            category_of(&tagged("decision: x", &["gotcha"])),
            Category::Gotchas
        );
        assert_eq!(
            category_of(&tagged("we must never do it", &["optimization"])),
            Category::Performance
        );
        // Of several the text's own prefix decides, else the order of a brief.
        assert_eq!(
            category_of(&tagged("gotcha: x", &["concurrency", "gotcha"])),
            Category::Gotchas
        );
        assert_eq!(
            category_of(&tagged("x", &["gotcha", "invariant"])),
            Category::Invariants
        );
    }

    #[test]
    fn kinds_speak_where_tags_are_silent() {
        let mut decision = tagged("how to run it", &["storage"]);
        decision.kind = helix_memory::Kind::from_stored("decision");
        assert_eq!(category_of(&decision), Category::Decisions);
    }

    #[test]
    fn prefixes_come_second() {
        for (text, category) in [
            ("gotcha: never mind", Category::Gotchas),
            ("Architecture: it never sleeps", Category::Architecture),
            ("## Invariants: one", Category::Invariants),
            ("How to - restart it, never twice", Category::HowTo),
            ("missing: a test that must run", Category::Gaps),
            ("Data flow: in, out", Category::DataFlow),
        ] {
            assert_eq!(category_of(&tagged(text, &[])), category, "{text}");
        }
    }

    #[test]
    fn words_of_the_first_three_lines_come_last() {
        assert_eq!(
            category_of(&tagged("one\n\ntwo\nthe latency is low", &[])),
            Category::Performance
        );
        assert_eq!(
            category_of(&tagged("one\ntwo\nthree\nthe latency is low", &[])),
            Category::Untagged
        );
        assert_eq!(
            category_of(&tagged("never, never, and latency", &[])),
            Category::Invariants
        );
        assert_eq!(
            category_of(&tagged("retries are not yet bounded", &[])),
            Category::Gaps
        );
        assert_eq!(
            category_of(&tagged("the sky is blue", &[])),
            Category::Untagged
        );
    }

    #[test]
    fn gaps_are_noticed_under_any_category() {
        let both = tagged("perf: scan is slow", &["gap", "perf"]);
        assert_eq!(category_of(&both), Category::Performance);
        assert!(names_gap(&both, Category::Performance));
    }

    #[test]
    fn a_prefix_that_repeats_the_heading_is_dropped() {
        assert_eq!(
            without_prefix("gotcha: use arm64", Category::Gotchas),
            "use arm64"
        );
        assert_eq!(
            without_prefix("gotcha: use arm64", Category::Decisions),
            "gotcha: use arm64"
        );
        assert_eq!(without_prefix("gotcha:", Category::Gotchas), "gotcha:");
        for text in [
            "**Gotcha:** bold form",
            "**Gotcha**: bold form",
            "__gotcha:__ bold form",
        ] {
            assert_eq!(without_prefix(text, Category::Gotchas), "bold form");
        }
        assert_eq!(
            without_prefix("**Gotcha: all bold**", Category::Gotchas),
            "**Gotcha: all bold**"
        );
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
