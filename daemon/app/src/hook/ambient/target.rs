//! The files that a tool is about to touch, and by which names memories may know it.

use std::path::{Path, PathBuf};

use helix_code::SYMBOLS_MAX;
use helix_engine::LexicalQuery;
use helix_memory::{SourceRef, Tags};

use super::named::NamedFiles;
use super::sought;
use crate::hook::Context;
use crate::hook::event::{Input, WILDCARDS, has_partial_name, literal_directory};
use crate::hook::paths::Paths;
use crate::hook::words::{is_common_stem, is_common_word};

/// Shortest stem that says anything.
const STEM_MIN_CHARS: usize = 4;

/// The files that a tool is about to touch.
#[derive(Default)]
pub(super) struct Target {
    pub(super) label: String,
    pub(super) file: Option<PathBuf>,
    /// The files of that name.
    pub(super) named: Option<NamedFiles>,
    /// What is searched.
    pub(super) directory: Option<Directory>,
    /// By which stems memories may know it: the file's, or those of what is searched for.
    pub(super) stems: Vec<String>,
    pub(super) pattern: Option<String>,
    /// What the matches of the pattern have.
    sought: Vec<String>,
    /// True if the file will be another one.
    pub(super) changes: bool,
    /// True if it is a patch, which may change several files; the first one is looked at.
    pub(super) is_patch: bool,
}

/// A directory below the project's root, and which of its files are meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Directory {
    /// Relative to the root, without a slash at its end.
    pub(super) path: String,
    /// The ways in which their paths end, from the slash on where it is a whole name; an empty one
    /// for all.
    pub(super) endings: Vec<String>,
}

impl Target {
    pub(super) fn of(input: &Input, paths: Paths<'_>) -> Option<Self> {
        let of_file = |file: PathBuf| {
            let below = paths.relative(&file);
            Self {
                label: below.to_string_lossy().into_owned(),
                stems: stems_of_file(&below),
                file: Some(file),
                changes: input.tool_name != "Read",
                ..Self::default()
            }
        };
        match input.tool_name.as_str() {
            "Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => input.file().map(of_file),
            "apply_patch" => {
                let file = input.patched_files().into_iter().next()?;
                Some(Self {
                    is_patch: true,
                    ..of_file(file)
                })
            }
            "Grep" => Some(Self::of_search(input, paths, input.tool_text("pattern")?)),
            "Glob" => Some(Self::of_glob(input, paths, input.tool_text("pattern")?)),
            _ => None,
        }
    }

    /// A search in a file, in a directory or everywhere.
    fn of_search(input: &Input, paths: Paths<'_>, pattern: &str) -> Self {
        let file = input.file().filter(|path| paths.is_file(path));
        let directory = input.file().filter(|path| paths.is_directory(path));
        let directory = directory.and_then(|path| Directory::of(&path, &[String::new()], paths));
        let sought = sought::texts(pattern);
        let below = file.as_deref().map(|file| paths.relative(file));
        let stems = below
            .as_deref()
            .map(stems_of_file)
            .filter(|stems| !stems.is_empty());
        let glob = ["glob", "include"]
            .into_iter()
            .find_map(|key| input.tool_text(key))
            .filter(|_| file.is_none());
        let named = match glob {
            Some(glob) => {
                NamedFiles::of(glob, &base(input), paths).map(|named| (glob.to_owned(), named))
            }
            None => begun(input, paths),
        };
        Self {
            label: named.as_ref().map_or_else(
                || pattern.to_owned(),
                |(glob, _)| format!("{pattern} in {glob}"),
            ),
            named: named.map(|(_, named)| named),
            stems: stems.unwrap_or_else(|| stems_of(&sought)),
            sought,
            file,
            directory,
            pattern: Some(pattern.to_owned()),
            ..Self::default()
        }
    }

    /// A search for files whose paths match. Only the words of the pattern say what is meant; where
    /// it is looked for says so of a mere name alone, which the directory could have stood in
    /// front of.
    fn of_glob(input: &Input, paths: Paths<'_>, pattern: &str) -> Self {
        let last = pattern.rsplit('/').next().unwrap_or(pattern);
        let is_literal = !last.contains(WILDCARDS);
        let literal = literal_directory(pattern);
        let base = base(input);
        let ending = if last.starts_with('*') {
            last.trim_start_matches('*').to_owned()
        } else {
            format!("/{last}")
        };
        // Of `src/row*.rs` no file of the directory is meant but those of the name.
        let endings = alternatives(&ending);
        let is_whole =
            !endings.iter().any(|ending| ending.contains(WILDCARDS)) && !has_partial_name(pattern);
        let directory = Directory::of(&base.join(&literal), &endings, paths).filter(|_| is_whole);
        // Of `*.sql` nothing but the ending is left, which names no file.
        let stem =
            Some(last.replace(['*', '?'], "")).filter(|stem| is_literal || !stem.starts_with('.'));
        Self {
            label: pattern.to_owned(),
            named: NamedFiles::of(pattern, &base, paths),
            directory,
            stems: stem
                .map(|stem| stems_of_file(Path::new(&stem)))
                .unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The identifiers to look for: those of the pattern, or those that the file declares.
    pub(super) fn names(&self, declared: &[String]) -> Vec<String> {
        let is_distinctive = |name: &String| is_distinctive(name);
        if self.pattern.is_none() {
            return declared
                .iter()
                .filter(|name| is_distinctive(name))
                .cloned()
                .collect();
        }
        let words = self
            .sought
            .iter()
            .flat_map(|text| helix_code::words(text))
            .filter(|word| !is_common_word(word));
        words
            .map(str::to_owned)
            .filter(is_distinctive)
            .take(SYMBOLS_MAX)
            .collect()
    }

    /// The telling words of each text that is searched for; those of an expression that says none,
    /// as they stand.
    pub(super) fn sought_words(&self) -> Vec<String> {
        let telling = |text: &String| {
            let words = helix_code::words(text)
                .filter(|word| word.chars().count() > 2 && !is_common_word(word));
            words.collect::<Vec<_>>().join(" ")
        };
        let texts: Vec<String> = self
            .sought
            .iter()
            .map(telling)
            .filter(|text| !text.is_empty())
            .collect();
        if texts.is_empty() {
            self.pattern.iter().cloned().collect()
        } else {
            texts
        }
    }

    /// Returns what the file holds, or will when it is written.
    pub(super) fn text(&self, context: &Context<'_>, file: &Path) -> String {
        match context.input.tool_text("content").filter(|_| self.changes) {
            Some(written) => written.to_owned(),
            None => context.head(file),
        }
    }
}

impl Directory {
    /// `None` for the root and for what is outside of it.
    fn of(path: &Path, endings: &[String], paths: Paths<'_>) -> Option<Self> {
        let relative = paths.relative(path);
        let path = SourceRef::one_spelling(relative.to_str()?.trim_end_matches('/'));
        let is_below = relative.is_relative() && !path.is_empty();
        is_below.then(|| Self {
            path: path.into_owned(),
            endings: endings
                .iter()
                .map(|ending| SourceRef::one_spelling(ending).into_owned())
                .collect(),
        })
    }

    /// Returns whether a path is the directory's, or that of one of the files that are meant.
    pub(super) fn holds(&self, path: &str) -> bool {
        SourceRef::one_spelling(path)
            .strip_prefix(&self.path)
            .is_some_and(|rest| match rest.strip_prefix('/') {
                Some("") => true,
                Some(_) => self.endings.iter().any(|ending| rest.ends_with(ending)),
                None => rest.is_empty(),
            })
    }
}

/// The texts that a pattern with one list stands for: `.ts` and `.tsx` of `.{ts,tsx}`.
fn alternatives(pattern: &str) -> Vec<String> {
    let list = pattern.split_once('{').and_then(|(before, rest)| {
        let (list, after) = rest.split_once('}')?;
        Some((before, list, after))
    });
    let Some((before, list, after)) = list else {
        return vec![pattern.to_owned()];
    };
    list.split(',')
        .map(|one| format!("{before}{}{after}", one.trim()))
        .collect()
}

/// The files whose paths begin as a path that is none yet, with the pattern for them.
fn begun(input: &Input, paths: Paths<'_>) -> Option<(String, NamedFiles)> {
    let path = input.file()?;
    if paths.is_file(&path) || paths.is_directory(&path) {
        return None;
    }
    let named = NamedFiles::of(&format!("{}*", path.display()), Path::new("/"), paths)?;
    Some((format!("{}*", paths.relative(&path).display()), named))
}

/// Where a search begins.
fn base(input: &Input) -> PathBuf {
    input.file().unwrap_or_else(|| PathBuf::from(&input.cwd))
}

/// The stem by which memories may know a file, where it tells.
fn stems_of_file(file: &Path) -> Vec<String> {
    telling_stem(file).into_iter().collect()
}

/// The texts of a search that are stems, each once.
fn stems_of(texts: &[String]) -> Vec<String> {
    let mut stems: Vec<String> = Vec::new();
    for stem in texts
        .iter()
        .filter_map(|text| telling_stem(Path::new(text)))
    {
        if !is_common_word(&stem) && !stems.contains(&stem) {
            stems.push(stem);
        }
    }
    stems
}

fn telling_stem(path: &Path) -> Option<String> {
    let stem = &*SourceRef::one_spelling(path.file_stem()?.to_str()?);
    let is_telling = stem.chars().count() >= STEM_MIN_CHARS
        && stem.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        && !is_common_stem(stem)
        // A search drops it, and what is left of the search says nothing of the file.
        && !LexicalQuery::is_stop_word(&stem.to_lowercase())
        && !Tags::AUTO.contains(&stem.to_lowercase().as_str());
    is_telling.then(|| stem.replace(['-', '.'], "_"))
}

/// Returns whether a name is more than a common word: it has a part, a capital or a digit.
fn is_distinctive(name: &str) -> bool {
    name.chars().count() >= STEM_MIN_CHARS
        && (name.trim_matches('_').contains('_')
            || name.chars().any(|c| c.is_uppercase() || c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use helix_memory::Scope;
    use serde_json::{Value, json};

    use super::*;
    use crate::project::Project;
    use crate::reach::Reach;

    fn target(tool: &str, tool_input: Value) -> Target {
        let root = PathBuf::from("/p");
        let project = Project {
            scope: Scope::Global,
            root,
            name: "p".to_owned(),
            aliases: Vec::new(),
        };
        let input = Input {
            tool_name: tool.to_owned(),
            tool_input,
            cwd: "/p/crates".to_owned(),
            ..Input::default()
        };
        let project = Arc::new(project);
        let paths = Paths {
            reach: &Reach::default(),
            home: &project,
            project: &project,
        };
        Target::of(&input, paths).unwrap()
    }

    #[test]
    fn a_glob_names_a_directory_a_file_or_neither() {
        let of = |pattern: &str| {
            let Target {
                directory, stems, ..
            } = target("Glob", json!({ "pattern": pattern }));
            let directory = directory
                .map(|directory| format!("{} {}", directory.path, directory.endings.join(" ")));
            (directory.unwrap_or_default(), stems)
        };
        let stem = |stem: &str| vec![stem.to_owned()];
        assert_eq!(
            of("migrations/*.sql"),
            ("crates/migrations .sql".to_owned(), Vec::new())
        );
        assert_eq!(
            of("/p/db/**/*_test.go"),
            ("db _test.go".to_owned(), stem("_test"))
        );
        assert_eq!(of("/p/**/kernels.rs"), (String::new(), stem("kernels")));
        assert_eq!(of("/p/**/*.{png,svg}"), (String::new(), Vec::new()));
        assert_eq!(of("/p/*.sql"), (String::new(), Vec::new()));
        assert_eq!(of("/p/db/*.{sql,psql}").0, "db .sql .psql");
        assert_eq!(of("/p/db/{a,b}.sql").0, "db /a.sql /b.sql");
        assert_eq!(of("/p/db/{a*,b}.sql").0, "", "begins so");
        assert_eq!(of("/p/db/*/*.sql").0, "db .sql");
        for partial in [
            "/p/db/mig*/*.sql",
            "/p/db/[m]igrations/*.sql",
            "/p/db/m?/**/*.sql",
        ] {
            assert_eq!(of(partial).0, "", "some directories of db: {partial}");
        }
        let of = |pattern: &str, path: &str| {
            target("Glob", json!({"pattern": pattern, "path": path})).directory
        };
        let placed = of("ledger/**/*.rs", "/p/src").unwrap();
        assert!(
            placed.holds("src/ledger/a.rs")
                && placed.holds("src/ledger/b/c.rs")
                && placed.holds("src/ledger/")
        );
        assert!(
            !placed.holds("src/ledger/a.sql")
                && !placed.holds("src/ledger2/a.rs")
                && !placed.holds("src/a.rs")
        );
        let inside = of("router/src/**/main.rs", "/p").unwrap();
        assert!(inside.holds("router/src/main.rs") && inside.holds("router/src/a/main.rs"));
        assert!(!inside.holds("router/src/domain.rs") && !inside.holds("router/main.rs"));
        assert_eq!(
            of("/p/router/src/*.rs", "/elsewhere").unwrap().path,
            "router/src"
        );
        for (pattern, path) in [
            ("*.rs", "/p/src/ledger"),
            ("./*.rs", "/p/src/ledger/"),
            ("ledger/*.rs", "/p/src"),
        ] {
            let expected = Directory {
                path: "src/ledger".to_owned(),
                endings: vec![".rs".to_owned()],
            };
            assert_eq!(of(pattern, path), Some(expected), "{pattern} in {path}");
        }
        for (pattern, path) in [("*.rs", "/p"), ("ledger/*.rs", "/elsewhere")] {
            assert!(
                of(pattern, path).is_none(),
                "{pattern} in {path} names no directory"
            );
        }
    }

    #[test]
    fn a_keyword_is_no_stem() {
        let stems = |pattern: &str| {
            target("Grep", json!({ "pattern": pattern }))
                .stems
                .join(" ")
        };
        assert_eq!(
            [
                stems("import"),
                stems("TODO"),
                stems("Class"),
                stems(r"pub fn new\(")
            ],
            [""; 4]
        );
        let stems_of = |path: &str| target("Read", json!({ "file_path": path })).stems;
        for path in [
            "/p/about.py",
            "/p/src/Other.rs",
            "/p/before.py",
            "/p/should.py",
            "/p/would.rs",
            "/p/being.py",
        ] {
            assert!(stems_of(path).is_empty(), "{path}");
        }
        assert_eq!(
            (stems("about"), stems_of("/p/about_us.py")),
            (String::new(), vec!["about_us".to_owned()])
        );
        assert_eq!(
            (
                stems("watermark").as_str(),
                stems(r"\bwatermark\b").as_str()
            ),
            ("watermark", "watermark")
        );
        assert_eq!(stems("setsid|TODO|flusher|setsid"), "setsid flusher");
        let target = target("Grep", json!({"pattern": "TODO|FxHashSet|Error"}));
        assert_eq!(target.names(&[]), ["FxHashSet"]);
        let target = self::target(
            "Grep",
            json!({"pattern": r"\bparse_header\b|fn\s+read_rows|\w+_column"}),
        );
        assert_eq!(target.names(&[]), ["parse_header", "read_rows"]);
    }
}
