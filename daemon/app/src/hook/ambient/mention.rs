//! Whether a memory names a file: by its path, by its name where that tells it from other files, or
//! by its stem.

use std::path::Path;

use helix_engine::model::{Memory, one_spelling};

use super::common::{is_everyday_word, is_manifold_stem};
use crate::hook::paths::Paths;
use crate::project::spelled;

/// What the parts of a program are called.
const PARTS: &[&str] = &[
    "binary",
    "class",
    "component",
    "crate",
    "daemon",
    "directory",
    "extension",
    "file",
    "folder",
    "hook",
    "job",
    "library",
    "module",
    "package",
    "page",
    "plugin",
    "process",
    "router",
    "schema",
    "script",
    "service",
    "store",
    "struct",
    "suite",
    "table",
    "thread",
    "trait",
    "type",
    "view",
    "worker",
];

/// A file that memories may name, with the accents of its path on their letters.
#[derive(Clone, Debug)]
pub(super) struct Named<'a> {
    /// As much of its path as is known.
    path: &'a Path,
    name: &'a str,
    /// Whether the bare name means this file.
    tells: bool,
    /// The project that it lies in, where that is looked into.
    paths: Option<Paths<'a>>,
}

impl<'a> Named<'a> {
    pub(super) fn of(path: &'a Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let stem = path.file_stem()?.to_str()?;
        let looks_so = name.contains('.') || name.chars().any(char::is_uppercase);
        Some(Self {
            path,
            name,
            tells: looks_so && !is_manifold_stem(stem),
            paths: None,
        })
    }

    /// The same where an end of its path that is the whole path of another file of its project
    /// means that one.
    pub(super) fn within(self, paths: Paths<'a>) -> Self {
        Self {
            paths: Some(paths),
            ..self
        }
    }

    /// What to look for: its name, with the directory's where the bare name does not suffice.
    pub(super) fn words(&self) -> String {
        let directory = self
            .path
            .parent()
            .and_then(Path::file_name)
            .and_then(|name| name.to_str());
        match directory.filter(|_| !self.tells) {
            Some(directory) => format!("{directory} {}", self.name),
            None => self.name.to_owned(),
        }
    }

    /// Whether a memory names it. The bare name in a memory about another file of that name means
    /// the other one.
    pub(super) fn is_in(&self, memory: &Memory) -> bool {
        let source = memory
            .source
            .as_ref()
            .map(|source| spelled(Path::new(&source.path)));
        let is_namesake = |source: &Path| {
            source.file_name() == self.path.file_name() && !self.path.ends_with(source)
        };
        let tells = self.tells && !source.is_some_and(|source| is_namesake(&source));
        mentions(&one_spelling(&memory.text)).any(|mention| self.is_meant_by(mention, tells))
    }

    /// Whether a mention is this file's path, or its name where that `tells` which file it is.
    fn is_meant_by(&self, mention: &str, tells: bool) -> bool {
        if mention.contains('/') {
            (self.path.ends_with(mention) && self.may_be(mention))
                || Path::new(mention).ends_with(self.path)
        } else {
            tells && self.is_called(mention) && self.may_be(self.name)
        }
    }

    /// Whether an end of its path may mean it.
    fn may_be(&self, end: &str) -> bool {
        self.paths
            .is_none_or(|paths| paths.may_mean(end, self.path))
    }

    /// Whether it is called so. Names that are no ordinary words are meant in any case.
    fn is_called(&self, mention: &str) -> bool {
        let is_no_word = self.name.contains('.') || self.name.ends_with("file");
        mention == self.name || (is_no_word && mention.eq_ignore_ascii_case(self.name))
    }
}

/// The pieces of a text, whose accents stand on their letters, that may be paths or names of files.
pub(in crate::hook) fn mentions(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split(|c: char| {
        !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '@' | '~'))
    });
    pieces
        .map(|piece| {
            piece
                .strip_prefix("./")
                .unwrap_or(piece)
                .trim_end_matches(['.', '/', '-'])
        })
        .filter(|it| !it.is_empty())
}

/// Whether a memory names a file's stem: as an identifier in any case, or in its topic or tags.
pub(super) fn names_stem(memory: &Memory, stem: &str) -> bool {
    let mut names = memory
        .tags
        .iter()
        .map(String::as_str)
        .chain([memory.topic.as_str()]);
    has_stem(&memory.text, stem) || names.any(|name| is_stem(name, stem))
}

/// Whether a name is a stem, however its parts are joined.
fn is_stem(name: &str, stem: &str) -> bool {
    name.replace('-', "_").eq_ignore_ascii_case(stem)
}

/// Whether a text has a stem as a name. What is counted is named by nothing: `400 lines` says
/// nothing of the file `lines`. A word of any sentence is a name where it is written as one.
fn has_stem(text: &str, stem: &str) -> bool {
    let is_everyday = is_everyday_word(stem);
    let (mut last, mut from) = ("", 0);
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
        .any(|word| {
            let (before, rest) = text.split_at(from);
            let after = rest.get(word.len()..).unwrap_or_default();
            from = text.len() - after.len() + after.chars().next().map_or(0, char::len_utf8);
            let is_counted = is_number(std::mem::replace(&mut last, word));
            let is_stem = word.eq_ignore_ascii_case(stem)
                || word.replace('-', "_").eq_ignore_ascii_case(stem);
            is_stem && !is_counted && (!is_everyday || is_written_as_name(before, after))
        })
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word between two texts stands there as the name of something: in backquotes, as a part
/// of a path or of a name, called, or with what it is.
fn is_written_as_name(before: &str, after: &str) -> bool {
    if helix_ablation::is_off("layer/everyday") {
        return true;
    }
    let mut next = after.chars();
    let is_joined = match next.next() {
        Some('`' | '(' | '/' | '<') => true,
        Some('.' | ':') => next
            .next()
            .is_some_and(|next| next.is_alphanumeric() || next == '_' || next == ':'),
        _ => false,
    };
    let what = after.strip_prefix(' ').unwrap_or_default();
    let what = what
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or_default();
    is_joined
        || before.ends_with(['`', '/', '.', ':', '@', '#'])
        || PARTS.contains(&what.trim_end_matches('s'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use helix_engine::model::Scope;

    use super::*;
    use crate::project::Project;
    use crate::reach::Reach;

    #[test]
    fn a_stem_is_a_name_and_no_quantity() {
        for (text, stem) in [
            ("The kernels are generated; edit the template.", "kernels"),
            ("`Group-Commit` before the answer", "group_commit"),
            ("lines: 400", "lines"),
            ("not past 400 lines, see lines", "lines"),
            ("the audit script says `report`", "report"),
            ("Report::write() is slow", "report"),
            ("see pipeline/report.py", "report"),
            ("the report job runs at night", "report"),
            ("invoice numbers have no gaps", "invoice"),
        ] {
            assert!(has_stem(text, stem), "{text}");
        }
        for (text, stem) in [
            ("a file past 400 lines hides a second idea", "lines"),
            ("The queue holds 4,096 jobs", "jobs"),
            ("underlines", "lines"),
            ("", "lines"),
            ("class B transponders report every 30 s.", "report"),
            ("One wrong report costs a day", "report"),
            ("audit: say so", "audit"),
        ] {
            assert!(!has_stem(text, stem), "{text}");
        }
    }

    fn is_named(path: &str, text: &str) -> bool {
        let named = Named::of(Path::new(path)).unwrap();
        mentions(text).any(|mention| named.is_meant_by(mention, named.tells))
    }

    #[test]
    fn an_end_that_is_another_file_means_that_one() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for path in [
            "Makefile",
            "docs/Makefile",
            "src/order.ts",
            "web/src/order.ts",
            "web/src/cart.ts",
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), "").unwrap();
        }
        let project = Project {
            scope: Scope::Global,
            root: root.clone(),
            name: "p".to_owned(),
            aliases: Vec::new(),
        };
        let project = Arc::new(project);
        let is_named = |path: &str, mention: &str| {
            let path = root.join(path);
            let paths = Paths {
                reach: &Reach::default(),
                home: &project,
                project: &project,
            };
            Named::of(&path)
                .unwrap()
                .within(paths)
                .is_meant_by(mention, true)
        };
        assert!(is_named("Makefile", "Makefile") && !is_named("docs/Makefile", "Makefile"));
        assert!(is_named("docs/Makefile", "docs/Makefile"));
        assert!(
            is_named("src/order.ts", "src/order.ts")
                && !is_named("web/src/order.ts", "src/order.ts")
        );
        assert!(
            is_named("web/src/cart.ts", "src/cart.ts")
                && is_named("web/src/order.ts", "web/src/order.ts")
        );
    }

    #[test]
    fn files_are_named_by_their_names_and_paths() {
        for (path, text) in [
            (
                "/p/ledger/src/posting.rs",
                "Mira must approve every change to posting.rs.",
            ),
            ("/p/ledger/src/posting.rs", "see `ledger/src/posting.rs:42`"),
            ("/p/ledger/src/lib.rs", "(ledger/src/lib.rs) is generated"),
            ("/p/Makefile", "The Makefile's deploy target needs a token"),
            ("/p/Dockerfile", "the dockerfile pins alpine"),
            ("/p/.github/workflows/ci.yml", "ci.yml runs twice"),
            (
                "/p/docker-compose.yml",
                "ports in docker-compose.yml are taken",
            ),
            ("kernels.rs", "do not touch src/kernels.rs"),
        ] {
            assert!(is_named(path, text), "{path}: {text}");
        }
        for (path, text) in [
            (
                "/p/src/posting.rs",
                "Postings are approved by Mira; posting.rsx is not it",
            ),
            ("/p/src/posting.rs", "see billing/posting.rs"),
            ("/p/src/lib.rs", "lib.rs re-exports everything"),
            ("/p/LICENSE", "the license is MIT"),
            ("/p/bin/deploy", "deploy on Mondays"),
        ] {
            assert!(!is_named(path, text), "{path}: {text}");
        }
    }
}
