//! Splitting a file into sections, each of which becomes a memory.

use std::collections::HashMap;

use helix_exchange::markdown::{self, Reader};
use helix_memory::{Draft, LineHash, Scope, SourceRef};
use helix_redact::{Public, redacted};

use super::files::File;

/// Sections of one file at most.
pub(super) const SECTIONS_MAX: usize = 300;

/// A section of a file.
pub(super) struct Section {
    /// Its heading, and a number where the file has another one of the same.
    pub(super) key: String,
    /// What it says, and where.
    pub(super) draft: Draft,
    /// The line that it begins with.
    pub(super) line: Option<LineHash>,
    /// Clients that show it by themselves.
    pub(super) shown_by: String,
}

/// Splits a file. `source` is its path as memories name it.
pub(super) fn split(file: &File, source: &str, scope: &Scope) -> Vec<Section> {
    let stem = file.path.file_stem().unwrap_or_default().to_string_lossy();
    let topic = file.place.topic.as_deref().unwrap_or(&stem);
    // A private part may begin in one section and end in another.
    let Ok(reader) = Reader::new(Public::new(file.bytes.as_slice()), topic) else {
        return Vec::new();
    };
    let mut seen: HashMap<String, usize> = HashMap::new();
    let read = reader.map_while(Result::ok);
    let whole = read.filter(|section| says_something(&section.memory.text));
    whole
        .take(SECTIONS_MAX)
        .map(|section| {
            let heading = heading(&section.memory.text);
            let count = seen.entry(heading.clone()).or_default();
            *count += 1;
            let key = match *count {
                1 => heading,
                count => format!("{heading} ({count})"),
            };
            of(file, section, key, source, scope)
        })
        .collect()
}

fn of(
    file: &File,
    section: markdown::Section,
    key: String,
    source: &str,
    scope: &Scope,
) -> Section {
    let mut memory = section.memory;
    let first = memory.text.lines().next().unwrap_or_default();
    let line = LineHash::of(first.as_bytes());
    let was = u32::try_from(section.line).unwrap_or(u32::MAX);
    // Private parts that were taken out do not count as lines.
    let number = line.and_then(|line| LineHash::nearest(&file.bytes, line, was));
    let is_shown = file
        .place
        .shown_lines
        .is_none_or(|most| section.line <= most);
    let shown_by = if is_shown {
        file.place.shown_by.join(" ")
    } else {
        String::new()
    };
    let kind = file.place.kind.clone();
    let draft = Draft {
        scope: Some(scope.clone()),
        source: Some(SourceRef {
            path: source.to_owned(),
            line: number,
            content_hash: Some(*blake3::hash(&file.bytes).as_bytes()),
            git_blob: None,
        }),
        links: Vec::new(),
        pinned: false,
        ..memory.take_draft()
    };
    Section {
        key,
        draft: Draft {
            kind: draft.kind.clone().or(kind),
            ..draft
        },
        line: line.filter(|_| number.is_some()),
        shown_by,
    }
}

/// The heading of a section, without its marks; empty where it has none.
fn heading(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with('#') {
        redacted(first.trim_start_matches('#').trim()).into_owned()
    } else {
        String::new()
    }
}

/// Returns whether a section has more than headings.
fn says_something(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    lines.any(|line| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use helix_capture::memories::{Whose, find};
    use helix_capture::read::places::{Entry, Home, Tree};

    use super::*;

    /// A disk with one file.
    struct One;

    impl Tree for One {
        fn list(&self, folder: &std::path::Path) -> Vec<Entry> {
            let name = match folder.to_str() {
                Some("/p") => "CLAUDE.md",
                Some("/h/.claude/projects/-p") => "memory",
                Some("/h/.claude/projects/-p/memory") => "MEMORY.md",
                _ => return Vec::new(),
            };
            vec![Entry {
                name: name.to_owned(),
                is_directory: name == "memory",
                bytes: 0,
                modified: None,
            }]
        }

        fn read(&self, _: &std::path::Path, _: usize) -> Option<Vec<u8>> {
            None
        }
    }

    fn file(nth: usize, text: &str) -> Option<File> {
        let home = Home {
            directory: PathBuf::from("/h"),
            ..Home::default()
        };
        let whose = Whose::Project {
            root: PathBuf::from("/p"),
            main: None,
        };
        let found = find(&whose, &home, &One).into_iter().nth(nth)?;
        Some(File {
            path: found.file,
            place: found.place,
            is_import: false,
            bytes: text.as_bytes().to_vec(),
        })
    }

    fn sections(nth: usize, text: &str) -> Vec<Section> {
        let scope = Scope::Project("p".to_owned());
        let file = file(nth, text);
        file.map_or_else(Vec::new, |file| split(&file, "CLAUDE.md", &scope))
    }

    #[test]
    fn a_section_is_a_heading_and_what_stands_below() {
        let text = "# Iris\n\nA ledger.\n\n## Build\n\nRun make.\n\n## Empty\n\n## Build\n\n### Fast\n\nmake -j";
        let sections = sections(0, text);
        let keys: Vec<&str> = sections
            .iter()
            .map(|section| section.key.as_str())
            .collect();
        assert_eq!(keys, ["Iris", "Build", "Build (2)"]);
        let lines = sections
            .iter()
            .map(|section| section.draft.source.as_ref()?.line);
        assert_eq!(lines.collect::<Vec<_>>(), [Some(1), Some(5), Some(11)]);
        let second = sections.get(1).map(|section| &section.draft);
        assert_eq!(
            second.map(|draft| draft.text.as_str()),
            Some("## Build\n\nRun make.")
        );
        assert_eq!(second.map(|draft| draft.topic.as_str()), Some("claude-md"));
        assert!(
            sections
                .iter()
                .all(|section| section.shown_by == "claude-code")
        );
    }

    #[test]
    fn a_private_part_over_several_sections_is_in_none() {
        let text = "## One\n\na\n<private>\n## Two\n\nsecret\n</private>\n\n## Three\n\nc\n";
        let sections = sections(0, text);
        assert!(
            !sections
                .iter()
                .any(|section| section.draft.text.contains("secret"))
        );
        let last = sections
            .last()
            .and_then(|section| section.draft.source.as_ref());
        assert_eq!(last.and_then(|source| source.line), Some(10));
    }

    #[test]
    fn only_the_first_lines_of_an_index_are_shown_by_its_client() {
        let text = format!("## One\n\na\n{}## Two\n\nb\n", "\n".repeat(200));
        let sections = sections(1, &text);
        let shown: Vec<&str> = sections
            .iter()
            .map(|section| section.shown_by.as_str())
            .collect();
        assert_eq!(shown, ["claude-code", ""]);
    }
}
