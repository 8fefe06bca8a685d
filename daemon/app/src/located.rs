//! Where a memory's source is found, and what is recorded of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use helix_memory::{LineHash, Scope, SourceRef};
use helix_neutral::quoted;

use crate::project::plain;
use crate::sources::{self, FILES_PATIENCE};
use crate::{App, Asker};

/// A source as it is recorded.
pub struct Located {
    /// With the hashes of today.
    pub source: SourceRef,
    /// Goes into the attribute `LINE_ATTRIBUTE`.
    pub line: Option<LineHash>,
    /// Goes into the attribute `SOURCE_PROJECT_ATTRIBUTE` of a global memory: whose root the
    /// path is relative to.
    pub project: Option<Scope>,
    is_there: bool,
    /// The line that was named, when the file ends before it.
    line_behind_end: Option<u32>,
}

impl Located {
    /// Explains that nothing could be recorded of a source.
    #[must_use]
    pub fn unseen(&self) -> Option<String> {
        let path = quoted(&self.source.path);
        if let Some(line) = self.line_behind_end {
            return Some(format!(
                "source {path} ends before line {line}; it is kept as given, and only the file is watched"
            ));
        }
        let why = match (self.source.content_hash, self.is_there) {
            (Some(_), _) => return None,
            (None, false) if self.source.path.ends_with(":0") => {
                "names no file here: lines are counted from 1"
            }
            (None, false) => "names no file here",
            (None, true) => "cannot be read, or is too large to follow",
        };
        Some(format!(
            "source {path} {why}; it is kept as given, but nobody will notice when it changes"
        ))
    }
}

/// Sources that are located with one question: so many are read in a small part of its patience.
const ASKED_TOGETHER_MAX: usize = 64;

/// Locates a source where somebody answers there in time; else it is kept as given.
pub fn located(app: &App, source: &SourceRef, asker: &Asker) -> Located {
    let (place, absolute) = asked_at(source, asker);
    let located = ask(
        app,
        &place,
        vec![absolute.clone()],
        vec![source.clone()],
        asker,
    );
    let located = located.and_then(|mut located| located.pop());
    located.unwrap_or_else(|| as_given(source, &absolute, asker))
}

/// The same of several, in order: those of one place are asked for together.
pub(crate) fn located_all(
    app: &App,
    sources: &[Option<SourceRef>],
    asker: &Asker,
) -> Vec<Option<Located>> {
    let mut by_place: BTreeMap<PathBuf, Vec<(usize, PathBuf, &SourceRef)>> = BTreeMap::new();
    for (at, source) in sources.iter().enumerate() {
        if let Some(source) = source {
            let (place, absolute) = asked_at(source, asker);
            by_place
                .entry(place)
                .or_default()
                .push((at, absolute, source));
        }
    }
    let mut all: Vec<Option<Located>> = sources.iter().map(|_| None).collect();
    for (place, asked) in by_place {
        for some in asked.chunks(ASKED_TOGETHER_MAX) {
            let touched = some.iter().map(|(_, absolute, _)| absolute.clone());
            let named = some.iter().map(|(_, _, source)| (*source).clone());
            let located = ask(app, &place, touched.collect(), named.collect(), asker);
            let mut located = located.unwrap_or_default().into_iter();
            for (at, _, source) in some {
                // One that hangs is no fault of the others.
                let one = located
                    .next()
                    .unwrap_or_else(|| self::located(app, source, asker));
                if let Some(slot) = all.get_mut(*at) {
                    *slot = Some(one);
                }
            }
        }
    }
    all
}

/// The place that is asked about a source, and the path of the source.
fn asked_at(source: &SourceRef, asker: &Asker) -> (PathBuf, PathBuf) {
    let absolute = plain(&asker.cwd.join(SourceRef::plain_path(&source.path).as_ref()));
    let place = if absolute.starts_with(&asker.project.root) {
        &asker.project.root
    } else {
        absolute.parent().unwrap_or(&absolute)
    };
    (place.to_owned(), absolute)
}

/// `None` where nobody answers in time.
fn ask(
    app: &App,
    place: &Path,
    touched: Vec<PathBuf>,
    sources: Vec<SourceRef>,
    asker: &Asker,
) -> Option<Vec<Located>> {
    let whose = asker.clone();
    let question = move || {
        let located = sources.iter().map(|source| locate(source, &whose));
        located.collect()
    };
    let reach = &app.memory.reach;
    reach.ask_of(place, touched, FILES_PATIENCE, question)
}

/// A source of which nothing could be found out.
fn as_given(source: &SourceRef, absolute: &Path, asker: &Asker) -> Located {
    let relative = absolute.strip_prefix(&asker.project.root);
    let relative = relative.unwrap_or(absolute);
    let scope = Some(&asker.project.scope).filter(|_| relative.is_relative());
    Located {
        source: SourceRef {
            path: relative.to_string_lossy().into_owned(),
            ..source.clone()
        },
        line: None,
        project: scope
            .filter(|scope| matches!(scope, Scope::Project(_)))
            .cloned(),
        // A file that does not answer cannot be read.
        is_there: true,
        line_behind_end: None,
    }
}

/// Makes a source's path relative to the project and records what the file holds now. A relative
/// path is looked for where the caller works, then at the project's root.
fn locate(source: &SourceRef, asker: &Asker) -> Located {
    let absolute = place(&source.path, asker);
    let relative = asker.project.relative(&absolute);
    let hashes = sources::hashes(&absolute, source.line);
    let project = relative.is_relative().then(|| asker.project.scope.clone());
    let source = SourceRef {
        path: relative.to_string_lossy().into_owned(),
        line: source.line,
        content_hash: hashes.map(|hashes| hashes.content),
        git_blob: hashes.map(|hashes| hashes.git_blob),
    };
    let project = project.filter(|scope| matches!(scope, Scope::Project(_)));
    let is_there = hashes.is_some() || absolute.is_file();
    let line_behind_end = source
        .line
        .filter(|line| hashes.is_some_and(|hashes| hashes.lines < *line));
    Located {
        source,
        line: hashes.and_then(|hashes| hashes.line),
        project,
        is_there,
        line_behind_end,
    }
}

/// Where a source is meant to be: seen from where the caller works when there is such a file, or
/// when it leads out of there; else from the project's root.
fn place(path: &str, asker: &Asker) -> PathBuf {
    let given = SourceRef::plain_path(path);
    let here = asker.cwd.join(given.as_ref());
    let plain = plain(&here);
    if plain.is_file() {
        return plain;
    }
    // Behind a link to a directory, `..` leads elsewhere than the path says.
    match fs::canonicalize(asker.cwd.join(path)) {
        Ok(real) if real.is_file() => real,
        _ if given.starts_with("..") => plain,
        _ => asker.project.root.join(given.as_ref()),
    }
}

/// Says that only the first of several lines of a source is kept.
#[must_use]
pub fn range_note(source: &str) -> Option<String> {
    let parsed = SourceRef::parse(source);
    let (line, behind) = (parsed.line?, source.trim().get(parsed.path.len()..)?);
    behind.contains('-').then(|| {
        format!(
            "source {} names several lines; the first, {line}, is kept",
            quoted(source)
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use helix_memory::{Actor, Origin};

    use super::*;
    use crate::project::Project;

    #[test]
    fn several_lines_are_noted() {
        for source in ["a.rs:1-2", "a.rs#L1-L2", " a-b.rs:1-2 "] {
            assert!(
                range_note(source).is_some_and(|note| note.ends_with("the first, 1, is kept")),
                "{source}"
            );
        }
        for source in ["a.rs:1", "a-b.rs:1:2", "a-b.rs", "a.rs#L1", ""] {
            assert_eq!(range_note(source), None, "{source}");
        }
    }

    #[test]
    fn a_source_that_nobody_can_follow_is_noted() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().to_path_buf();
        fs::write(root.join("a.rs"), "fn main() {}\n").unwrap();
        fs::create_dir(root.join("src")).unwrap();
        let large = fs::File::create(root.join("large")).unwrap();
        large.set_len(1024 * 1024 * 1024).unwrap();
        let scope = Scope::Project("p".to_owned());
        let asker = Asker {
            actor: Actor {
                origin: Origin::Agent,
                agent: String::new(),
                session: String::new(),
                ..Actor::default()
            },
            project: Arc::new(Project {
                scope,
                root: root.clone(),
                name: "p".to_owned(),
                aliases: Vec::new(),
            }),
            cwd: root.join("src"),
            zone: jiff::tz::TimeZone::UTC,
        };
        let note = |text: &str| locate(&SourceRef::parse(text), &asker).unseen();
        assert_eq!(note("a.rs:1"), None);
        assert_eq!(note(root.join("a.rs").to_str().unwrap()), None);
        for text in ["gone.rs:7", "src", "https://example.org/page"] {
            assert!(note(text).unwrap().contains("names no file here"), "{text}");
        }
        assert!(note("a.rs:9").unwrap().contains("ends before line 9"));
        assert!(note("large").unwrap().contains("too large"));
        let gone = locate(&SourceRef::parse("src/gone.rs:7"), &asker).source;
        assert_eq!(
            (gone.path.as_str(), gone.line, gone.content_hash),
            ("src/gone.rs", Some(7), None)
        );
        let path = |text: &str| locate(&SourceRef::parse(text), &asker).source.path;
        for text in ["../a.rs:1", "./../a.rs:1", "src/../a.rs", "../src/../a.rs"] {
            assert_eq!((note(text), path(text).as_str()), (None, "a.rs"), "{text}");
        }
        assert_eq!(path("../src/gone.rs"), "src/gone.rs");
        let outside = root.parent().unwrap().join("elsewhere/b.rs");
        assert_eq!(path("../../elsewhere/b.rs"), outside.to_string_lossy());
    }
}
