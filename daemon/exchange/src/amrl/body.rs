//! The metadata lines in a body: taken out when read, put before the text when written.

use helix_memory::{Memory, Scope, SourceRef};

use crate::Portable;

/// The lines around a text that would be misread without them.
const FENCE: (&str, &str) = ("[helix: text]\n", "\n[helix: end of text]");

/// How a line names the scope of what is everybody's.
const GLOBAL: &str = "global";

/// A body taken apart.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Body<'a> {
    pub(super) text: &'a str,
    pub(super) tags: Option<Vec<&'a str>>,
    pub(super) source: Option<&'a str>,
    pub(super) confidence: Option<f32>,
    pub(super) links: Option<Vec<&'a str>>,
    pub(super) modified: Option<&'a str>,
    pub(super) global: Option<()>,
}

/// One metadata line's content.
pub(super) enum Line<'a> {
    Tags(Vec<&'a str>),
    Source(&'a str),
    Confidence(f32),
    Links(Vec<&'a str>),
    Modified(&'a str),
    /// Everybody's: any other memory is of the project that it comes into.
    Global,
}

impl<'a> Body<'a> {
    /// Takes a body apart: metadata lines at its head, then those at its tail unless a fence stands
    /// there; the rest is text, to the byte.
    pub(crate) fn parse(body: &'a str) -> Self {
        let mut parsed = Self {
            text: body,
            ..Self::default()
        };
        while !parsed.text.is_empty() {
            if let Some(text) = fenced(parsed.text) {
                parsed.text = text;
                return parsed;
            }
            let (line, rest) = first_line(parsed.text);
            if !parsed.take(parse_line(line)) {
                break;
            }
            parsed.text = rest;
        }
        parsed.take_tail(parse_line);
        parsed
    }

    /// Takes the metadata lines off the tail that `read` knows.
    pub(super) fn take_tail(&mut self, read: impl Fn(&'a str) -> Option<Line<'a>>) {
        // A tool that ends each line ends the last one too.
        while let Some((text, line)) = self.text.trim_end().rsplit_once('\n') {
            if !self.take(read(line)) {
                break;
            }
            self.text = text;
        }
    }

    /// Hands the parts over to a memory, where they go before what it has already.
    pub(crate) fn apply(self, memory: &mut Portable) {
        self.text.clone_into(&mut memory.text);
        memory
            .tags
            .extend(self.tags.iter().flatten().map(|tag| (*tag).to_owned()));
        memory
            .links
            .extend(self.links.iter().flatten().map(|link| (*link).to_owned()));
        memory.source = self
            .source
            .map(SourceRef::parse)
            .or_else(|| memory.source.take());
        memory.confidence = self.confidence.or(memory.confidence);
        if let Some(date) = self.modified {
            memory
                .attributes
                .insert(Memory::ATTRIBUTE_MODIFIED.to_owned(), date.to_owned());
        }
        if self.global.is_some() {
            memory.scope = Some(Scope::Global);
        }
    }

    /// Takes a metadata line; `false` for any other, and for one that there has been.
    pub(super) fn take(&mut self, line: Option<Line<'a>>) -> bool {
        match line {
            Some(Line::Tags(tags)) => put(&mut self.tags, tags),
            Some(Line::Source(source)) => put(&mut self.source, source),
            Some(Line::Confidence(confidence)) => put(&mut self.confidence, confidence),
            Some(Line::Links(links)) => put(&mut self.links, links),
            Some(Line::Modified(date)) => put(&mut self.modified, date),
            Some(Line::Global) => put(&mut self.global, ()),
            None => false,
        }
    }
}

impl Line<'_> {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Tags(_) => "tags",
            Self::Source(_) => "source",
            Self::Confidence(_) => "confidence",
            Self::Links(_) => "links",
            Self::Modified(_) => "modified",
            Self::Global => "scope",
        }
    }

    /// Returns whether it reads like nothing but metadata, so that a remark in brackets stays one.
    pub(super) fn is_certain(&self) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '#');
        match self {
            Self::Tags(tags) => tags.iter().all(|tag| tag.chars().all(is_word)),
            Self::Source(source) => {
                let parsed = SourceRef::parse(source);
                let has_blank = parsed.path.contains(char::is_whitespace);
                if has_blank {
                    parsed.line.is_some() || is_file_name(&parsed.path)
                } else {
                    source.contains(['.', '/'])
                }
            }
            Self::Confidence(_) => true,
            Self::Links(links) => links.iter().all(|link| link.contains([':', '/'])),
            // What only Helix writes.
            Self::Modified(_) | Self::Global => false,
        }
    }
}

/// Returns whether a path with blanks ends in the name of a file and not of anything else: `docs/My
/// Notes.md`.
fn is_file_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_extension =
        |end: &str| !end.is_empty() && end.len() <= 8 && end.chars().all(char::is_alphanumeric);
    name.rsplit_once('.')
        .is_some_and(|(stem, end)| !stem.trim().is_empty() && is_extension(end))
}

pub(super) fn first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

fn put<T>(place: &mut Option<T>, value: T) -> bool {
    let free = place.is_none();
    if free {
        *place = Some(value);
    }
    free
}

pub(super) fn parse_line(line: &str) -> Option<Line<'_>> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let (key, value) = line
        .strip_prefix('[')?
        .strip_suffix(']')?
        .split_once(": ")?;
    let value = value.trim();
    if value.is_empty() {
        return None;
    }
    let words = |separator: fn(char) -> bool| {
        let words: Vec<&str> = value
            .split(separator)
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .collect();
        (!words.is_empty()).then_some(words)
    };
    match key {
        "tags" => words(|c| c == ',').map(Line::Tags),
        "source" => Some(Line::Source(value)),
        "confidence" => value
            .parse()
            .ok()
            .filter(|value| (0.0..=1.0).contains(value))
            .map(Line::Confidence),
        "links" => words(|c| c == ',' || c.is_whitespace()).map(Line::Links),
        "modified" => Some(Line::Modified(value)),
        "scope" => (value == GLOBAL).then_some(Line::Global),
        _ => None,
    }
}

/// Returns the body of a memory: its metadata lines, then its text. What no line can hold, such as
/// a tag with a comma, is left out.
pub(super) fn write(memory: &Portable) -> String {
    let mut body = String::with_capacity(memory.text.len() + 128);
    let tags: Vec<&str> = memory
        .tags
        .iter()
        .map(String::as_str)
        .filter(|tag| is_word(tag, |c| c == ','))
        .collect();
    line(&mut body, "tags", &tags.join(", "));
    if let Some(source) = memory
        .source
        .as_ref()
        .filter(|source| is_word(&source.path, |_| false))
    {
        let value = source.line.map_or_else(
            || source.path.clone(),
            |line| format!("{}:{line}", source.path),
        );
        line(&mut body, "source", &value);
    }
    if let Some(confidence) = memory
        .confidence
        .filter(|confidence| (0.0..1.0).contains(confidence))
    {
        line(&mut body, "confidence", &confidence.to_string());
    }
    let parts_links = |c: char| c == ',' || c.is_whitespace();
    let links: Vec<&str> = memory
        .links
        .iter()
        .map(String::as_str)
        .filter(|link| is_word(link, parts_links))
        .collect();
    line(&mut body, "links", &links.join(" "));
    if let Some((_, date)) =
        Memory::modified(&memory.attributes).filter(|(_, date)| is_word(date, |_| false))
    {
        line(&mut body, "modified", date);
    }
    if memory.scope == Some(Scope::Global) {
        line(&mut body, "scope", GLOBAL);
    }
    let metadata_bytes = body.len();
    body.push_str(&memory.text);
    if Body::parse(&body).text != memory.text {
        // Some line of the text would be taken out of it.
        body.insert_str(metadata_bytes, FENCE.0);
        body.push_str(FENCE.1);
    }
    body
}

/// The text between the two lines of a fence that ends the body; white space that a tool added
/// behind it is ignored.
fn fenced(text: &str) -> Option<&str> {
    text.strip_prefix(FENCE.0)?.trim_end().strip_suffix(FENCE.1)
}

fn line(body: &mut String, key: &str, value: &str) {
    if !value.is_empty() {
        body.extend(["[", key, ": ", value, "]\n"]);
    }
}

/// Returns whether a value comes back as it is from between the brackets of one line, beside others
/// like it.
fn is_word(value: &str, parts: fn(char) -> bool) -> bool {
    !value.is_empty()
        && value.trim() == value
        && !value.contains(|c: char| c.is_control() || parts(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_everybodys_stays_so() {
        let global = Portable {
            text: "a".to_owned(),
            scope: Some(Scope::Global),
            ..Portable::default()
        };
        assert_eq!(write(&global), "[scope: global]\na");
        assert_eq!(read(&write(&global)).scope, Some(Scope::Global));
        let of_project = Portable {
            scope: Some(Scope::Project("p".into())),
            ..global
        };
        assert_eq!(read(&write(&of_project)).scope, None);
        assert_eq!(
            read("[scope: everything below src]\na").text,
            "[scope: everything below src]\na"
        );
    }

    fn read(body: &str) -> Portable {
        let mut memory = Portable::default();
        Body::parse(body).apply(&mut memory);
        memory
    }

    #[test]
    fn lines_at_head_and_tail_are_metadata() {
        let memory = read(
            "[tags: gotcha, performance]\r\n[source: src/kernels.rs:42]\nUse arm64.\n\n[links: build:3 other:12]\n\
             [confidence: 0.85]\n[modified: 2026-02-15 10:30]\n",
        );
        assert_eq!(memory.tags, ["gotcha", "performance"]);
        assert_eq!(
            memory.source.as_ref().and_then(|source| source.line),
            Some(42)
        );
        assert_eq!(memory.links, ["build:3", "other:12"]);
        assert_eq!(memory.confidence, Some(0.85));
        assert_eq!(
            memory
                .attributes
                .get(Memory::ATTRIBUTE_MODIFIED)
                .map(String::as_str),
            Some("2026-02-15 10:30")
        );
        assert_eq!(memory.text, "Use arm64.\n");
    }

    #[test]
    fn everything_else_stays_text() {
        for body in [
            "",
            "\n",
            "[note: x]\ntext",
            "text\n```\n[tags: a]\n```\n",
            "a\n[tags: b]\nc",
            "[tags: ]\nx",
            "[tags: , ]\nx",
            "[confidence: high]\nx",
            "[confidence: 7]\nx",
            "[confidence: NaN]\nx",
            " [tags: a]\nx",
            "[tags:a]\nx",
            "text \n\n",
        ] {
            assert_eq!(
                read(body),
                Portable {
                    text: body.to_owned(),
                    ..Portable::default()
                },
                "{body:?}"
            );
        }
        let repeated = read("[tags: a]\n[tags: b]\ntext\n[tags: c]");
        assert_eq!(
            (repeated.tags.as_slice(), repeated.text.as_str()),
            (&["a".to_owned()][..], "[tags: b]\ntext\n[tags: c]")
        );
    }

    #[test]
    fn the_canonical_body_is_written_back_to_the_byte() {
        for body in [
            "[tags: a, b]\n[source: a b.rs:1]\n[confidence: 0.85]\n[links: t:3 o:12]\n[modified: 2026-02-15]\ntext\n",
            "[source: dir/x]\n\n[tags: in the text, after a blank line]\ntext",
            "text",
            "[links: build/arch-arm64]\n",
        ] {
            assert_eq!(write(&read(body)), body);
        }
    }

    #[test]
    fn a_text_that_looks_like_metadata_is_fenced() {
        for text in [
            "[tags: x]\nabout tags",
            "about tags\n[tags: x]",
            "about tags\n[tags: x]\n\n",
            "[source: a.rs:3]",
            "[helix: text]\nnot a fence yet\n[helix: end of text]",
            "[helix: text]\n[tags: x]\n[helix: end of text]\n",
            "[links: a:1]\r\n",
        ] {
            let memory = Portable {
                text: text.to_owned(),
                ..Portable::default()
            };
            let body = write(&memory);
            assert_eq!(body, format!("[helix: text]\n{text}\n[helix: end of text]"));
            assert_eq!(read(&body), memory);
            assert_eq!(read(&(body + "\r\n")), memory);
            let tagged = Portable {
                tags: vec!["own".to_owned()],
                confidence: Some(0.5),
                ..memory
            };
            assert_eq!(read(&write(&tagged)), tagged);
        }
        // Nothing is taken from these, so they stay as the layout has them.
        for text in [
            "[helix: text]",
            "[helix: text]\nunfinished",
            "a\n[helix: end of text]",
            "a\n[tags: b]\nc",
            "",
        ] {
            let memory = Portable {
                text: text.to_owned(),
                ..Portable::default()
            };
            assert_eq!(write(&memory), text);
            assert_eq!(read(text), memory);
        }
        let second = Portable {
            tags: vec!["own".to_owned()],
            text: "[tags: x]\ny".to_owned(),
            ..Portable::default()
        };
        assert_eq!(write(&second), "[tags: own]\n[tags: x]\ny");
    }

    #[test]
    fn what_no_line_can_hold_is_left_out() {
        let memory = Portable {
            text: "x".to_owned(),
            tags: vec!["a,b".to_owned(), "ok".to_owned(), "c\nd".to_owned()],
            links: vec!["two words".to_owned()],
            confidence: Some(1.0),
            source: Some(SourceRef {
                path: "a\nb".to_owned(),
                ..SourceRef::default()
            }),
            ..Portable::default()
        };
        assert_eq!(write(&memory), "[tags: ok]\nx");
    }
}
