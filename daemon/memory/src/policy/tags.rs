//! Tags: normalising them, finding them in a text's prefix, and the kind they suggest.

mod singular;

use singular::singular;

use crate::model::{Kind, Kinds};

/// The rules by which tags are spelled, and what they say of a memory.
#[derive(Clone, Copy, Debug)]
pub struct Tags;

/// Longest tag, in bytes.
pub const TAG_MAX_BYTES: usize = 64;

/// Most tags of one memory.
pub const TAGS_MAX: usize = 32;

/// Longest prefix that may name a kind, in bytes.
const KIND_PREFIX_MAX_BYTES: usize = 40;

/// Beginning of a line in which a prefix ends, in bytes: as long as one, with its emphasis.
const PREFIX_MAX_BYTES: usize = 64;

/// Ends of a prefix.
const PREFIX_MARKS: [&str; 4] = [":", "：", " - ", " — "];

/// Beginnings of an item of a list, or of a quotation.
const ITEM_MARKS: [&str; 4] = ["- ", "* ", "+ ", "> "];

/// Marks emphasis.
const EMPHASIS: char = '*';

impl Kind {
    /// The kind of what says nothing of its kind.
    pub const DEFAULT: &str = "fact";

    /// The kind that the text's own prefix names, or that tags suggest; else [`Kind::DEFAULT`].
    ///
    /// # Errors
    /// `crate::model::UnknownKind` when the registry lacks [`Kind::DEFAULT`].
    pub fn suggest(
        tags: &[String],
        text: &str,
        kinds: &Kinds,
    ) -> Result<Kind, crate::model::UnknownKind> {
        if let Some(kind) = prefix_kind(text, kinds) {
            return Ok(kind);
        }
        let of_tag = KIND_OF_TAG
            .iter()
            .find(|(tag, _)| tags.iter().any(|t| t == tag))
            .map(|(_, kind)| *kind);
        kinds.resolve(of_tag.unwrap_or(Kind::DEFAULT))
    }
}

/// A kind that no prefix gives: it expires, and nothing that is stored may vanish because of its
/// first word.
const UNPREFIXED: &str = "scratch";

/// Kinds that a tag suggests, first match wins.
const KIND_OF_TAG: &[(&str, &str)] = &[
    ("gotcha", "gotcha"),
    ("decision", "decision"),
    ("fix", "bug_fix"),
    ("bug", "bug_fix"),
    ("pattern", "pattern"),
    ("architecture", "architecture"),
    ("module-map", "architecture"),
    ("how-to", "procedure"),
    ("convention", "convention"),
    ("preference", "preference"),
    ("bug-fix", "bug_fix"),
    ("procedure", "procedure"),
];

/// Other spellings of tags, as people write them.
const OTHERWISE: &[(&str, &str)] = &[("howto", "how-to"), ("bugfix", "bug-fix")];

impl Tags {
    /// Most tags of one memory.
    pub const MAX: usize = TAGS_MAX;

    /// Prefixes that name a kind without being a tag; as words of a text they say nothing else.
    pub const KIND_PREFIXES: [&str; 5] =
        ["convention", "preference", "procedure", "snippet", "bugfix"];

    /// Prefixes that tag a text, as in `gotcha: …`.
    pub const AUTO: [&str; 35] = [
        "gotcha",
        "invariant",
        "perf",
        "architecture",
        "data-flow",
        "decision",
        "how-to",
        "gap",
        "friction",
        "todo",
        "bug",
        "fix",
        "pattern",
        "coupling",
        "module-map",
        "interface",
        "boundary",
        "lifecycle",
        "error-handling",
        "concurrency",
        "migration",
        "deprecation",
        "dependency",
        "test",
        "benchmark",
        "config",
        "deploy",
        "security",
        "api",
        "protocol",
        "schema",
        "format",
        "encoding",
        "observation",
        "hypothesis",
    ];

    /// Normalises tags: lowercase, dashes, singular, sorted, unique; the text's own prefix is added.
    #[must_use]
    pub fn normalise(tags: &[String], text: &str) -> Vec<String> {
        let mut normal: Vec<String> = tags
            .iter()
            .flat_map(|tag| tag.split(','))
            .filter_map(Tags::normalise_one)
            .collect();
        normal.extend(prefix_tag(text).map(str::to_owned));
        normal.sort_unstable();
        normal.dedup();
        normal
    }

    /// Normalises one tag; `None` when nothing is left.
    #[must_use]
    pub fn normalise_one(tag: &str) -> Option<String> {
        let marked = MARKED.iter().find(|(name, _)| {
            tag.trim()
                .trim_start_matches('#')
                .eq_ignore_ascii_case(name)
        });
        if let Some((_, plain)) = marked {
            return Some((*plain).to_owned());
        }
        let mut plain = String::with_capacity(tag.len());
        for c in tag
            .trim()
            .trim_start_matches('#')
            .chars()
            .flat_map(char::to_lowercase)
        {
            if c.is_alphanumeric() {
                plain.push(c);
            } else if !plain.is_empty() && !plain.ends_with('-') {
                plain.push('-');
            }
        }
        let plain = singular(plain.trim_end_matches('-'));
        let usual = OTHERWISE
            .iter()
            .find(|(other, _)| *other == plain)
            .map(|(_, usual)| (*usual).to_owned());
        (!plain.is_empty()).then(|| usual.unwrap_or(plain))
    }
}

/// Languages that without their marks would be another one.
const MARKED: [(&str, &str); 3] = [("c++", "cpp"), ("c#", "csharp"), ("f#", "fsharp")];

/// Finds the tag that a text's prefix names: `gotcha: …`, `[gotchas] …` or `Decision - …`.
#[must_use]
pub fn prefix_tag(text: &str) -> Option<&'static str> {
    let prefix = prefix(text)?;
    Tags::AUTO.into_iter().find(|tag| *tag == prefix)
}

/// The label that a text begins with, spelled as a tag.
fn prefix(text: &str) -> Option<String> {
    let line = first_line(text)?;
    let bracketed = line
        .strip_prefix('[')
        .and_then(|line| line.split_once(']'))
        .filter(|(_, rest)| ends_label(rest));
    let label = if let Some((label, _)) = bracketed {
        label
    } else {
        let start = line.get(..line.floor_char_boundary(PREFIX_MAX_BYTES))?;
        let mark = PREFIX_MARKS
            .iter()
            .filter_map(|mark| start.find(mark))
            .min();
        let whole = is_headed(text).then_some(line.len());
        line.get(..mark.or(whole)?)?
    };
    let label = label.trim_end_matches(EMPHASIS);
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let is_label = label.len() <= KIND_PREFIX_MAX_BYTES
        && label.starts_with(char::is_alphanumeric)
        && label.chars().all(is_plain);
    let label = is_label.then(|| Tags::normalise_one(label)).flatten()?;
    let english = LABELS.iter().find(|(other, _)| *other == label);
    Some(english.map_or(label, |(_, english)| (*english).to_owned()))
}

/// Labels in other languages than English, and the tags that they stand for.
const LABELS: &[(&str, &str)] = &[
    ("entscheidung", "decision"),
    ("beschluss", "decision"),
    ("konvention", "convention"),
    ("regel", "convention"),
    ("stolperfalle", "gotcha"),
    ("achtung", "gotcha"),
    ("anleitung", "how-to"),
    ("prozedur", "procedure"),
    ("architektur", "architecture"),
    ("muster", "pattern"),
    ("vorliebe", "preference"),
    ("präferenz", "preference"),
    ("behebung", "fix"),
    ("beobachtung", "observation"),
    ("决定", "decision"),
    ("约定", "convention"),
    ("注意", "gotcha"),
    ("步骤", "procedure"),
    ("偏好", "preference"),
];

/// Returns whether a text's first line is a heading, an emphasised word or one in capitals above
/// the rest.
fn is_headed(text: &str) -> bool {
    let mut lines = text.trim().lines();
    let first = lines.next().unwrap_or_default().trim_end();
    let is_emphasised = first.starts_with(EMPHASIS) && first.ends_with(EMPHASIS);
    let is_shouted = first.contains(char::is_uppercase) && !first.contains(char::is_lowercase);
    (first.starts_with('#') || is_emphasised || is_shouted) && lines.next().is_some()
}

/// Returns whether what stands behind a bracketed word makes it a label, and not a link or an
/// index.
fn ends_label(rest: &str) -> bool {
    let rest = rest.trim_start_matches(EMPHASIS);
    rest.is_empty() || rest.starts_with([' ', ':'])
}

/// A text's first line without what makes it a heading, an item of a list or emphasised: `##
/// Gotcha: …`, `- **Gotcha:** …`.
fn first_line(text: &str) -> Option<&str> {
    let mut line = text.trim_start().lines().next()?;
    loop {
        let bare = line.trim_start_matches('#');
        let heading = (bare.len() < line.len())
            .then_some(bare)
            .and_then(|bare| bare.strip_prefix(' '));
        // Without the blank, `--fix: …` is an option and `#fix` a name.
        let item = ITEM_MARKS.iter().find_map(|mark| line.strip_prefix(mark));
        match heading.or(item) {
            Some(rest) => line = rest.trim_start(),
            None => return Some(line.trim_start_matches(EMPHASIS)),
        }
    }
}

/// Returns the label in a text's prefix: one of the auto tags, or a kind.
#[must_use]
pub fn label(text: &str, kinds: &Kinds) -> Option<String> {
    let kind = || prefix_kind(text, kinds).map(|kind| kind.as_str().to_owned());
    prefix_tag(text).map(str::to_owned).or_else(kind)
}

/// The kind that a text's prefix names: by its name, or by the tag that stands for it.
fn prefix_kind(text: &str, kinds: &Kinds) -> Option<Kind> {
    let prefix = prefix(text)?;
    let stands_for = KIND_OF_TAG.iter().find(|(name, _)| *name == prefix);
    let name = stands_for.map_or(prefix.as_str(), |(_, kind)| kind);
    kinds
        .resolve(name)
        .ok()
        .filter(|kind| kind.as_str() != UNPREFIXED)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::{KindSpec, Shape};

    #[test]
    fn tags_become_singular_sorted_unique() {
        let tags = [
            "Gotchas, entries".to_owned(),
            "perf".to_owned(),
            "#perf".to_owned(),
            "class".to_owned(),
        ];
        assert_eq!(
            Tags::normalise(&tags, "plain"),
            ["class", "entry", "gotcha", "perf"]
        );
        for (plural, one) in [
            ("boxes", "box"),
            ("patches", "patch"),
            ("classes", "class"),
            ("macos", "macos"),
        ] {
            assert_eq!(Tags::normalise_one(plural).unwrap(), one);
        }
        assert_eq!(
            Tags::normalise(&["C++, #C#".to_owned(), "c".to_owned()], "plain"),
            ["c", "cpp", "csharp"]
        );
    }

    #[test]
    fn prefixes_tag_a_text() {
        assert_eq!(
            prefix_tag("GOTCHA\nThe first request fails"),
            Some("gotcha")
        );
        assert_eq!(prefix_tag("Entscheidung: Bazel bleibt"), Some("decision"));
        assert_eq!(prefix_tag("决定：使用 redb"), Some("decision"));
        assert_eq!(prefix_tag("The gotcha\nis old"), None);
        assert_eq!(prefix_tag("Gotcha: use arm64"), Some("gotcha"));
        assert_eq!(prefix_tag("How to: run"), Some("how-to"));
        assert_eq!(prefix_tag("fixture: x"), None);
        assert_eq!(prefix_tag("fix - the flake"), Some("fix"));
        assert_eq!(prefix_tag("ünïcode"), None);
        for text in [
            "**Gotcha:** use arm64",
            "**Gotcha**: use arm64",
            "*Gotcha* - use arm64",
            "- gotcha: use arm64",
            "* gotcha: use arm64",
            "# Gotcha: use arm64",
            "\n### **gotcha:** use arm64",
            "> - gotcha: use arm64",
        ] {
            assert_eq!(prefix_tag(text), Some("gotcha"), "{text}");
        }
        for text in [
            "gotchas: use arm64",
            "[gotcha] use arm64",
            "[Gotcha]: use arm64",
            "- [gotcha] use arm64",
        ] {
            assert_eq!(prefix_tag(text), Some("gotcha"), "{text}");
        }
        for text in [
            "## Gotcha\nuse arm64",
            "# Gotchas\n\nuse arm64",
            "**Gotcha**\nuse arm64",
        ] {
            assert_eq!(prefix_tag(text), Some("gotcha"), "{text}");
        }
        for text in ["## Gotcha", "gotcha\nuse arm64", "- gotcha\nuse arm64"] {
            assert_eq!(prefix_tag(text), None, "{text}");
        }
        assert_eq!(prefix_tag("howto: run"), Some("how-to"));
        for tag in Tags::AUTO {
            assert_eq!(prefix_tag(&format!("{tag}: so it is")), Some(tag));
        }
        for text in [
            "[gotcha](notes.md) says so",
            "[fix][3] is used",
            "arr[fix] - 1",
            "--fix: does it",
            "-fix: x",
            "#fix: x",
            "#",
            "**",
            "- ",
            "gotcha**",
            "*args: gotcha: x",
        ] {
            assert_eq!(prefix_tag(text), None, "{text}");
        }
    }

    #[test]
    fn a_text_is_labelled_by_a_tag_or_by_a_kind() {
        let of = |text: &str| label(text, &Kinds::default());
        for (text, expected) in [
            ("How to: run", "how-to"),
            ("perf - 3 ms", "perf"),
            ("Bugfix: rows are cloned", "bug_fix"),
            ("convention: tabs", "convention"),
            ("code description: it sorts", "code_description"),
        ] {
            assert_eq!(of(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(
            (of("scratch: try this"), of("the context: billing"), of("")),
            (None, None, None)
        );
    }

    #[test]
    fn tags_suggest_a_kind() {
        let kinds = Kinds::default();
        assert_eq!(
            Kind::suggest(&["bug".into(), "gotcha".into()], "use arm64", &kinds)
                .unwrap()
                .as_str(),
            "gotcha"
        );
        for (tag, kind) in [
            ("howto", "procedure"),
            ("bug_fix", "bug_fix"),
            ("Bugfixes", "bug_fix"),
            ("procedures", "procedure"),
        ] {
            let tags = Tags::normalise(&[tag.to_owned()], "plain");
            assert_eq!(
                Kind::suggest(&tags, "plain", &kinds).unwrap().as_str(),
                kind,
                "{tag}"
            );
        }
        assert_eq!(
            Kind::suggest(&[], "conventional: x", &kinds)
                .unwrap()
                .as_str(),
            "fact"
        );
        assert_eq!(Kind::suggest(&[], "", &kinds).unwrap().as_str(), "fact");
    }

    #[test]
    fn prefixes_name_a_kind() {
        let recipe = KindSpec {
            name: "recipe".into(),
            shape: Shape::Procedural,
            half_life_days: None,
            surface_lines: 1,
            about_user: false,
        };
        let kinds = Kinds::default().with([recipe]);
        for (text, kind) in [
            ("bug fix: rows are cloned", "bug_fix"),
            ("**Bug fix:** rows are cloned", "bug_fix"),
            ("- **Convention**: tabs", "convention"),
            ("## Procedure: tag, then push", "procedure"),
            ("Bugfix: rows are cloned", "bug_fix"),
            ("fix - rows are cloned", "bug_fix"),
            ("procedure: tag, then push", "procedure"),
            ("How to: tag, then push", "procedure"),
            ("how-to: tag, then push", "procedure"),
            ("HOWTO: tag, then push", "procedure"),
            ("context: billing is frozen", "context"),
            ("PROGRESS: two of five", "progress"),
            ("snippet: x = 1", "snippet"),
            ("convention: tabs", "convention"),
            ("Preference — plain words", "preference"),
            ("architecture: two processes", "architecture"),
            ("module map: a, b", "architecture"),
            ("pattern: newtype", "pattern"),
            ("decision: Postgres", "decision"),
            ("code description: it sorts", "code_description"),
            ("recipe: boil", "recipe"),
            ("scratch: try this", "fact"),
            ("perf: 3 ms", "fact"),
            ("the context: billing", "fact"),
        ] {
            assert_eq!(
                Kind::suggest(&Tags::normalise(&[], text), text, &kinds)
                    .unwrap()
                    .as_str(),
                kind,
                "{text}"
            );
        }
        let tags = Tags::normalise(&["gotcha".into()], "decision: Postgres");
        assert_eq!(
            Kind::suggest(&tags, "decision: Postgres", &kinds)
                .unwrap()
                .as_str(),
            "decision",
            "its own word"
        );
    }
}
