//! Metadata lines that an author wrote into a text: taken for what they say where they can be
//! nothing else, told of where they set nothing.

use super::body::{Body, first_line, parse_line};

/// Fields that lines set, with their other spellings, their values, and a right line.
const FIELDS: [Field; 4] = [
    Field {
        name: "tags",
        others: &["tag"],
        value: "tags are words with commas between them",
        example: "[tags: gotcha, build]",
    },
    Field {
        name: "source",
        others: &["sources"],
        value: "a source is the path of a file, and a line",
        example: "[source: src/main.rs:42]",
    },
    Field {
        name: "confidence",
        others: &[],
        value: "a confidence is a number from 0 to 1",
        example: "[confidence: 0.8]",
    },
    Field {
        name: "links",
        others: &["link"],
        value: "links are handles or places with spaces between them",
        example: "[links: build:3 build/use-arm64]",
    },
];

/// Fields that lines do not set, though other tools write them so, with their names here.
const NOT_FIELDS: [(&str, &str); 6] = [
    ("kind", "kind"),
    ("scope", "scope"),
    ("tier", "scope"),
    ("importance", "importance"),
    ("priority", "importance"),
    ("pinned", "pinned"),
];

/// A field that a line can set.
struct Field {
    name: &'static str,
    others: &'static [&'static str],
    value: &'static str,
    example: &'static str,
}

/// Metadata lines that an author wrote into a text.
#[derive(Debug, Default, PartialEq)]
pub struct OwnLines<'a> {
    /// The rest of the text.
    pub text: &'a str,
    /// `[tags: …]`
    pub tags: Vec<&'a str>,
    /// `[source: …]`
    pub source: Option<&'a str>,
    /// `[confidence: …]`
    pub confidence: Option<f32>,
    /// `[links: …]`
    pub links: Vec<&'a str>,
}

impl<'a> OwnLines<'a> {
    /// Takes the lines off a text's head and tail that can be nothing but metadata; of the fields
    /// in `given`, which have been said otherwise, none. `None` when there is no such line, or
    /// nothing else.
    #[must_use]
    pub fn of(text: &'a str, given: &[&str]) -> Option<Self> {
        let read = |line| {
            parse_line(line).filter(|line| line.is_certain() && !given.contains(&line.name()))
        };
        let mut parsed = Body {
            text: text.trim_start_matches(['\n', '\r']),
            ..Body::default()
        };
        loop {
            let (line, rest) = first_line(parsed.text);
            if !parsed.take(read(line)) {
                break;
            }
            parsed.text = rest;
        }
        parsed.take_tail(read);
        let Body {
            text,
            tags,
            source,
            confidence,
            links,
            ..
        } = parsed;
        let has_any = tags.is_some() || source.is_some() || confidence.is_some() || links.is_some();
        let (tags, links) = (tags.unwrap_or_default(), links.unwrap_or_default());
        (has_any && !text.trim().is_empty()).then_some(Self {
            text,
            tags,
            source,
            confidence,
            links,
        })
    }

    /// The names of the fields that lines within a text seem to set. They stay text, as they do
    /// where a text is about such lines; what stands in a block of code is not meant.
    #[must_use]
    pub fn inside(text: &str) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        let mut is_code = false;
        for line in text.lines() {
            is_code ^= line.trim_start().starts_with("```");
            let name = parse_line(line)
                .filter(|line| !is_code && line.is_certain())
                .map(|line| line.name());
            names.extend(name.filter(|name| !names.contains(name)));
        }
        names
    }

    /// Explains lines at a text's head and tail that seem to set a field and do not, each thing
    /// once.
    #[must_use]
    pub fn slips(text: &str) -> Vec<String> {
        let is_meant = |line: &&str| is_certain(line) || slip(line).is_some();
        let lines = || text.lines().filter(|line| !line.trim().is_empty());
        let mut slips: Vec<String> = Vec::new();
        for line in lines()
            .take_while(is_meant)
            .chain(lines().rev().take_while(is_meant))
        {
            slips.extend(slip(line).filter(|said| !slips.contains(said)));
        }
        slips
    }

    /// The names of the fields that were taken.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let fields = [
            ("tags", !self.tags.is_empty()),
            ("source", self.source.is_some()),
            ("confidence", self.confidence.is_some()),
            ("links", !self.links.is_empty()),
        ];
        fields
            .into_iter()
            .filter(|(_, is_there)| *is_there)
            .map(|(name, _)| name)
            .collect()
    }
}

fn is_certain(line: &str) -> bool {
    parse_line(line).is_some_and(|line| line.is_certain())
}

/// Explains a line that seems to set a field; `None` when it does, or is a remark.
fn slip(line: &str) -> Option<String> {
    let (key, value) = line.trim().strip_prefix('[')?.split_once(':')?;
    let (value, is_closed) = value
        .strip_suffix(']')
        .map_or((value, false), |value| (value, true));
    let key = key.trim().to_lowercase();
    if is_certain(line) || value.contains([']', '[']) {
        return None;
    }
    let stayed = format!("[{key}: …] set nothing and stayed in the text");
    if let Some(field) = FIELDS
        .iter()
        .find(|field| field.name == key || field.others.contains(&key.as_str()))
    {
        let Field {
            name,
            value: is,
            example,
            ..
        } = field;
        let is_right = is_certain(&format!("[{name}: {}]", value.trim()));
        return Some(match (is_right, is_closed) {
            (true, true) => format!("{stayed}: write it so: {example}"),
            (true, false) => format!("{stayed}: it ends without a bracket; write it so: {example}"),
            (false, _) => format!("{stayed}: {is}, as in {example}"),
        });
    }
    let (_, field) = NOT_FIELDS.iter().find(|(name, _)| *name == key)?;
    let is_value = !value.trim().is_empty() && !value.trim().contains(char::is_whitespace);
    is_value.then(|| {
        format!("{stayed}: lines set tags, source, confidence and links; give `{field}` as a field")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authors_own_lines_are_taken() {
        let text = "[tags: gotcha, perf]\nUse arm64.\n\nAlways.\n[source: src/kernels.rs:42]\n[links: build:3 a/b]\n";
        let own = OwnLines::of(text, &[]).unwrap_or_default();
        assert_eq!(
            (own.text, own.source),
            ("Use arm64.\n\nAlways.", Some("src/kernels.rs:42"))
        );
        assert_eq!(
            (own.tags.as_slice(), own.links.as_slice()),
            (&["gotcha", "perf"][..], &["build:3", "a/b"][..])
        );
        assert_eq!(own.names(), ["tags", "source", "links"]);
        let blank =
            OwnLines::of("Use arm64.\n[source: docs/My Notes.md:3]", &[]).unwrap_or_default();
        assert_eq!(
            (blank.text, blank.source),
            ("Use arm64.", Some("docs/My Notes.md:3"))
        );
        let given = OwnLines::of(
            "Use arm64.\n[source: a.rs:1]\n[confidence: 0.5]",
            &["source"],
        )
        .unwrap_or_default();
        assert_eq!(
            (given.text, given.source, given.confidence),
            ("Use arm64.\n[source: a.rs:1]", None, Some(0.5))
        );
    }

    #[test]
    fn lines_inside_of_a_text_are_known() {
        let text =
            "So:\n[tags: a]\n[note: x]\n```\n[source: a.rs:1]\n```\n[links: a:1]\n[tags: b]\nEnd.";
        assert_eq!(OwnLines::inside(text), ["tags", "links"]);
        assert!(OwnLines::inside("Use arm64. [tags: a]\n[links: broken everywhere]").is_empty());
    }

    #[test]
    fn what_an_author_put_into_brackets_stays() {
        for text in [
            "Use arm64.",
            "[WIP] Use arm64.",
            "[note: x]\nUse arm64.",
            "Use arm64.\n[source: see the wiki]",
            "Use arm64.\n[tags: these are what the linker reads, mostly]",
            "Use arm64.\n[links: broken everywhere]",
            "Use arm64.\n[modified: 2026-02-15]",
            "Use arm64. [tags: a]",
            "Tags are written so:\n[tags: a]\nas the manual says.",
            "[tags: only]",
            "[helix: text]\nUse arm64.\n[helix: end of text]",
        ] {
            assert_eq!(OwnLines::of(text, &[]), None, "{text}");
        }
    }

    #[test]
    fn lines_that_set_nothing_are_told_of() {
        for (text, said) in [
            (
                "Use arm64.\n[confidence: high]\n",
                "[confidence: …] set nothing and stayed in the text: a confidence is a number",
            ),
            (
                "[confidence: 7]\nUse arm64.",
                "a confidence is a number from 0 to 1, as in [confidence: 0.8]",
            ),
            (
                "Use arm64.\n[source: see the wiki]",
                "a source is the path of a file, and a line",
            ),
            (
                "Use arm64.\n[links: broken everywhere]",
                "links are handles or places",
            ),
            ("Use arm64.\n[tags: ]", "tags are words with commas"),
            (
                "Use arm64.\n [Tags:a, b]",
                "write it so: [tags: gotcha, build]",
            ),
            ("Use arm64.\n[tag: a]", "write it so: [tags: gotcha, build]"),
            ("Use arm64.\n[source: a.rs:3", "it ends without a bracket"),
            ("Use arm64.\n[tier: project]", "give `scope` as a field"),
            ("[confidence: low]", "a confidence is a number"),
        ] {
            let slips = OwnLines::slips(text);
            assert!(
                slips.len() == 1 && slips.iter().all(|slip| slip.contains(said)),
                "{text}: {slips:?}"
            );
        }
        let several = "[confidence: low]\n[tags: a]\nUse arm64.\n[source: b c]\n[confidence: high]";
        assert_eq!(OwnLines::slips(several).len(), 2);
        for text in [
            "Use arm64.\n[tags: a]",
            "[WIP] Use arm64.",
            "[note: x]\nUse arm64.",
            "Use arm64.\n[scope: everything below src]",
            "So:\n[confidence: high]\nas the manual says.",
            "Use arm64.\n```\n[confidence: high]\n```",
            "[source: a b] says so.",
            "Use arm64.\n[links: here](https://example.org)",
        ] {
            assert_eq!(OwnLines::slips(text), [""; 0], "{text}");
        }
    }
}
