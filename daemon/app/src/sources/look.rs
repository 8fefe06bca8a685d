//! One request's look at sources: each file is looked at once, and only so much is read.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use helix_memory::{Memory, RecordedSource as Recorded, Scope, SourceRef, SourceState};

use super::file::{Seen, see};
use super::{FILES_PATIENCE, Sources};
use crate::project::Project;

/// Looks at files for one request. Files beyond its budget of reading count as unknown until a
/// later request.
pub struct Look<'a> {
    sources: &'a Sources,
    project: &'a Project,
    /// The thing at each path; `None` where nobody answered.
    seen: RefCell<HashMap<PathBuf, Option<Seen>>>,
    left_bytes: Cell<u64>,
    is_blind: bool,
    has_root: OnceCell<bool>,
}

impl Sources {
    /// Begins a look from a project; at most `budget_bytes` are read.
    #[must_use]
    pub fn look<'a>(&'a self, project: &'a Project, budget_bytes: u64) -> Look<'a> {
        Look {
            sources: self,
            project,
            seen: RefCell::default(),
            left_bytes: Cell::new(budget_bytes),
            is_blind: false,
            has_root: OnceCell::new(),
        }
    }
}

impl helix_memory::Sources for Look<'_> {
    fn prepare(&self, memories: &mut dyn Iterator<Item = &Memory>) {
        let seen = memories.filter(|memory| {
            Recorded::of(memory).is_some_and(|recorded| recorded.content.is_some())
        });
        self.prepare_paths(seen.filter_map(|memory| {
            let project = memory
                .attributes
                .get(Memory::ATTRIBUTE_SOURCE_PROJECT)
                .map(String::as_str);
            self.locate(
                &memory.scope.of_source(project),
                &memory.source.as_ref()?.path,
            )
        }));
    }

    fn state(&self, memory: &Memory) -> SourceState {
        let Some(recorded) = Recorded::of(memory) else {
            return SourceState::Unknown;
        };
        let path = memory
            .source
            .as_ref()
            .map_or("", |source| source.path.as_str());
        let project = memory
            .attributes
            .get(Memory::ATTRIBUTE_SOURCE_PROJECT)
            .map(String::as_str);
        self.state_of(&memory.scope.of_source(project), path, &recorded)
    }
}

impl Look<'_> {
    /// The same without touching any file: all count as unknown.
    #[must_use]
    pub fn blind(self) -> Self {
        Self {
            is_blind: true,
            ..self
        }
    }

    /// Says what has become of a source, as it is named by a memory whose [`Scope::of_source`] this is.
    pub fn state_of(&self, scope: &Scope, path: &str, recorded: &Recorded) -> SourceState {
        if self.is_blind || recorded.content.is_none() {
            return SourceState::Unknown;
        }
        let Some(path) = self.locate(scope, path) else {
            return SourceState::Unknown;
        };
        let stamp = match self.seen_at(&path) {
            None => return SourceState::Unknown,
            Some(Seen::Gone) => return recorded.without_file(),
            Some(Seen::Unreadable) => return SourceState::Unknown,
            Some(Seen::File(stamp)) => stamp,
        };
        let needs_lines = |content: &[u8; 32]| recorded.needs_lines(content);
        let known = self
            .sources
            .cache
            .remembered(&path, stamp, needs_lines)
            .or_else(|| {
                self.left_bytes
                    .set(self.left_bytes.get().checked_sub(stamp.size())?);
                let (cache, recorded, read) =
                    (Arc::clone(&self.sources.cache), *recorded, path.clone());
                self.ask(&path, move || {
                    cache.read(
                        &read,
                        |content: &[u8; 32]| recorded.needs_lines(content),
                        SystemTime::now(),
                    )
                })?
            });
        match known {
            Some(known) => {
                let lines = known.lines.as_deref().unwrap_or_default();
                recorded.beside(known.content, lines)
            }
            None => SourceState::Unknown,
        }
    }

    /// Looks at these paths at once, for what is asked of them next.
    pub fn prepare_paths(&self, paths: impl Iterator<Item = PathBuf>) {
        if self.is_blind {
            return;
        }
        let mut wanted: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
        for path in paths.filter(|path| !self.seen.borrow().contains_key(path)) {
            wanted.entry(self.place_of(&path)).or_default().push(path);
        }
        for (place, paths) in wanted {
            let all = paths.clone();
            let look = move || all.iter().map(|path| see(path)).collect::<Vec<_>>();
            let found = self
                .sources
                .reach
                .look_of(&place, paths.clone(), FILES_PATIENCE, look);
            let found = found.map_or_else(
                || vec![None; paths.len()],
                |found| found.into_iter().map(Some).collect(),
            );
            self.seen.borrow_mut().extend(paths.into_iter().zip(found));
        }
    }

    /// Asks something of a file; `None` where nobody answers in time.
    pub fn ask<T: Send + 'static>(
        &self,
        path: &Path,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.sources.reach.look_of(
            &self.place_of(path),
            vec![path.to_owned()],
            FILES_PATIENCE,
            question,
        )
    }

    /// Returns the place that a file hangs together with: its project, else its directory.
    fn place_of(&self, path: &Path) -> PathBuf {
        let root = &self.project.root;
        if path.starts_with(root) {
            root.clone()
        } else {
            path.parent().unwrap_or(path).to_owned()
        }
    }

    fn seen_at(&self, path: &Path) -> Option<Seen> {
        if let Some(seen) = self.seen.borrow().get(path) {
            return *seen;
        }
        let looked_at = path.to_owned();
        let seen = self.ask(path, move || see(&looked_at));
        self.seen.borrow_mut().insert(path.to_owned(), seen);
        seen
    }

    /// Returns whether the project's own files can be looked at.
    pub fn has_root(&self) -> bool {
        *self.has_root.get_or_init(|| {
            let root = self.project.root.clone();
            self.ask(&self.project.root, move || root.is_dir()) == Some(true)
        })
    }

    /// Where a source is: an absolute one as it is, a relative one inside of this project, where it
    /// must belong.
    pub fn locate(&self, scope: &Scope, path: &str) -> Option<PathBuf> {
        let path = SourceRef::plain_path(path);
        let path = Path::new(path.as_ref());
        if path.is_absolute() {
            return Some(path.to_owned());
        }
        // Nobody knows where other projects are, or whose a global path is.
        let is_own = matches!(scope, Scope::Project(_))
            && (*scope == self.project.scope || self.project.aliases.contains(scope));
        let is_inside = path
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        (is_own && is_inside && self.has_root()).then(|| self.project.root.join(path))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use helix_memory::LineHash;

    use super::*;

    const FILE: &str = "fn main() {\n    run();\n}\n";

    struct World {
        directory: tempfile::TempDir,
        project: Project,
        sources: Sources,
    }

    impl World {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path().join("billing");
            fs::create_dir(&root).unwrap();
            fs::write(root.join("a.rs"), FILE).unwrap();
            let project = Project {
                scope: Scope::Project("billing".into()),
                root,
                name: "billing".into(),
                aliases: Vec::new(),
            };
            Self {
                directory,
                project,
                sources: Sources::default(),
            }
        }

        fn state_of(&self, path: &str) -> SourceState {
            let line = LineHash::of(b"run();");
            let recorded = Recorded {
                content: Some(*blake3::hash(FILE.as_bytes()).as_bytes()),
                line,
                number: Some(2),
            };
            self.sources.look(&self.project, u64::MAX).state_of(
                &self.project.scope,
                path,
                &recorded,
            )
        }
    }

    #[test]
    fn sources_are_followed_through_their_changes() {
        let world = World::new();
        let path = world.project.root.join("a.rs");
        assert_eq!(world.state_of("a.rs"), SourceState::Fresh);
        assert_eq!(world.state_of(path.to_str().unwrap()), SourceState::Fresh);
        assert_eq!(
            world.state_of("src/deep/../../a.rs"),
            SourceState::Fresh,
            "as it was stored before"
        );
        fs::write(
            &path,
            "// moved\nfn main() {\n    if true {\n        run();\n    }\n}",
        )
        .unwrap();
        assert_eq!(world.state_of("a.rs"), SourceState::Moved(4));
        fs::write(&path, "fn main() {\n    walk();\n}\n").unwrap();
        assert_eq!(world.state_of("a.rs"), SourceState::Changed);
        fs::remove_file(&path).unwrap();
        assert_eq!(world.state_of("./a.rs"), SourceState::Deleted);
        fs::create_dir(&path).unwrap();
        assert_eq!(world.state_of("a.rs"), SourceState::Deleted);
        assert_eq!(
            world.state_of(path.join("b.rs").to_str().unwrap()),
            SourceState::Deleted
        );
    }

    #[test]
    fn what_lies_elsewhere_is_unknown() {
        let mut world = World::new();
        fs::write(world.directory.path().join("outside.rs"), "").unwrap();
        assert_eq!(world.state_of("../outside.rs"), SourceState::Unknown);
        let recorded = Recorded {
            content: Some([0; 32]),
            line: None,
            number: None,
        };
        for scope in [Scope::Global, Scope::Project("other".into())] {
            let look = world.sources.look(&world.project, u64::MAX);
            assert_eq!(
                look.state_of(&scope, "gone.rs", &recorded),
                SourceState::Unknown
            );
        }
        fs::remove_dir_all(&world.project.root).unwrap();
        assert_eq!(world.state_of("a.rs"), SourceState::Unknown);
        world.project.scope = Scope::Global;
        assert_eq!(world.state_of("a.rs"), SourceState::Unknown);
    }

    #[test]
    fn a_look_reads_no_more_than_its_budget() {
        let world = World::new();
        let content = Some(*blake3::hash(FILE.as_bytes()).as_bytes());
        let recorded = Recorded {
            content,
            line: None,
            number: None,
        };
        let look = |budget| world.sources.look(&world.project, budget);
        let poor = look(FILE.len() as u64 - 1);
        assert_eq!(
            poor.state_of(&world.project.scope, "a.rs", &recorded),
            SourceState::Unknown
        );
        let rich = look(FILE.len() as u64);
        assert_eq!(
            rich.state_of(&world.project.scope, "a.rs", &recorded),
            SourceState::Fresh
        );
        let blind = world.sources.look(&world.project, u64::MAX).blind();
        assert_eq!(
            blind.state_of(&world.project.scope, "a.rs", &recorded),
            SourceState::Unknown
        );
    }

    #[test]
    fn large_files_and_pipes_are_unknown() {
        let world = World::new();
        let large = fs::File::create(world.project.root.join("large")).unwrap();
        large.set_len(super::super::SOURCE_MAX_BYTES + 1).unwrap();
        assert_eq!(world.state_of("large"), SourceState::Unknown);
        nix::unistd::mkfifo(
            &world.project.root.join("pipe"),
            nix::sys::stat::Mode::S_IRWXU,
        )
        .unwrap();
        assert_eq!(world.state_of("pipe"), SourceState::Unknown);
    }
}
