//! The state of imported memories' sources. A file that has not changed since a memory was written
//! is what it saw; of any other nobody knows, and the memory's source stays unknown.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use helix_memory::{Memory, Scope, SourceRef, Timestamp};

use crate::project::Project;
use crate::sources::{Content, IMPORT_READ_MAX_BYTES, Look, content, modified};

/// Files that one import looks at: more than a large project's memories are about.
const FILES_MAX: usize = 16_384;

/// A memory that is about to be stored.
pub(super) struct Sighting<'m> {
    /// The source; hashes go here.
    pub(super) source: &'m mut SourceRef,
    /// Attributes that go with the hashes.
    pub(super) attributes: &'m mut BTreeMap<String, String>,
    /// Where it is stored.
    pub(super) scope: &'m Scope,
    /// The file does not say where it belongs, so that the importing project is meant.
    pub(super) is_homeless: bool,
    /// When its author last looked.
    pub(super) at: Timestamp,
}

/// The files that one import has looked at, each of them once.
pub(super) struct Seen<'r> {
    project: &'r Arc<Project>,
    look: Look<'r>,
    files: HashMap<PathBuf, Option<File>>,
    left_bytes: u64,
}

/// A file of the project.
struct File {
    modified: SystemTime,
    bytes: u64,
    /// Read when a memory asks that may have seen it; `None` when it could not be.
    content: OnceCell<Option<Content>>,
}

impl<'r> Seen<'r> {
    /// Begins an import into a project.
    pub(super) fn new(project: &'r Arc<Project>, look: Look<'r>) -> Self {
        Self {
            project,
            look,
            files: HashMap::new(),
            left_bytes: IMPORT_READ_MAX_BYTES,
        }
    }

    /// Records what a memory saw, unless it is recorded, or nobody can know.
    pub(super) fn record(&mut self, sighting: Sighting<'_>) {
        let Sighting {
            source,
            attributes,
            scope,
            is_homeless,
            at,
        } = sighting;
        if source.content_hash.is_some() {
            return;
        }
        let stated = Scope::of_source(
            scope,
            attributes
                .get(Memory::ATTRIBUTE_SOURCE_PROJECT)
                .map(String::as_str),
        );
        let is_ours = stated == Scope::Global && is_homeless;
        let owner = if is_ours {
            &self.project.scope
        } else {
            &stated
        };
        let Some(path) = self.look.locate(owner, &source.path) else {
            return;
        };
        let Some(seen) = self.content(&path, at) else {
            return;
        };
        source.content_hash = Some(seen.content);
        source.git_blob = Some(seen.git_blob);
        if let Some(line) = source.line.and_then(|number| seen.line(number)) {
            attributes
                .entry(Memory::ATTRIBUTE_LINE.to_owned())
                .or_insert_with(|| line.to_string());
        }
        if is_ours && Path::new(&source.path).is_relative() {
            attributes.insert(
                Memory::ATTRIBUTE_SOURCE_PROJECT.to_owned(),
                self.project.scope.to_string(),
            );
        }
    }

    /// Returns the content of the project's file at a time, if it has not changed since.
    fn content(&mut self, path: &Path, at: Timestamp) -> Option<&Content> {
        if !self.files.contains_key(path) {
            if self.files.len() >= FILES_MAX {
                return None;
            }
            let file = self.file(path);
            self.files.insert(path.to_owned(), file);
        }
        let file = self.files.get(path)?.as_ref()?;
        let at = UNIX_EPOCH + Duration::from_micros(u64::try_from(at.as_micros()).ok()?);
        if file.modified > at {
            return None;
        }
        let (left_bytes, look) = (&mut self.left_bytes, &self.look);
        let read = file.content.get_or_init(|| {
            *left_bytes = left_bytes.checked_sub(file.bytes)?;
            let asked = path.to_owned();
            look.ask(path, move || content(&asked))?
        });
        read.as_ref().filter(|content| content.modified <= at)
    }

    /// Looks at a file; what an absolute path names elsewhere is none of the project's.
    fn file(&self, path: &Path) -> Option<File> {
        let (project, asked) = (Arc::clone(self.project), path.to_owned());
        let question = move || {
            project
                .relative(&asked)
                .is_relative()
                .then(|| modified(&asked))?
        };
        let (modified, bytes) = self.look.ask(path, question)??;
        Some(File {
            modified,
            bytes,
            content: OnceCell::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use helix_memory::LineHash;

    use super::*;
    use crate::sources::Sources;

    /// A second that is long past.
    const CHANGED_S: u64 = 1_700_000_000;

    struct World {
        directory: tempfile::TempDir,
        project: Arc<Project>,
        sources: Sources,
    }

    impl World {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path().join("p");
            fs::create_dir(&root).unwrap();
            let scope = Scope::Project("p".to_owned());
            let world = Self {
                project: Arc::new(Project {
                    scope,
                    root,
                    name: "p".to_owned(),
                    aliases: Vec::new(),
                }),
                directory,
                sources: Sources::default(),
            };
            world.write(&world.project.root.join("a.rs"), "one\ntwo\n");
            world
        }

        fn write(&self, path: &Path, text: &str) {
            assert!(path.starts_with(self.directory.path()));
            fs::write(path, text).unwrap();
            let at = UNIX_EPOCH + Duration::from_secs(CHANGED_S);
            fs::File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_modified(at)
                .unwrap();
        }

        fn seen(&self) -> Seen<'_> {
            Seen::new(&self.project, self.sources.look(&self.project, 0))
        }
    }

    /// Returns the record of a source for a memory that was written some seconds after the file was
    /// changed.
    fn record(
        seen: &mut Seen<'_>,
        source: &str,
        scope: &Scope,
        after_s: i64,
    ) -> (SourceRef, BTreeMap<String, String>) {
        let (mut source, mut attributes) = (SourceRef::parse(source), BTreeMap::new());
        let at = Timestamp::from_micros((i64::try_from(CHANGED_S).unwrap() + after_s) * 1_000_000);
        seen.record(Sighting {
            source: &mut source,
            attributes: &mut attributes,
            scope,
            is_homeless: true,
            at,
        });
        (source, attributes)
    }

    #[test]
    fn what_has_not_changed_since_is_what_was_seen() {
        let world = World::new();
        let (mut seen, own) = (world.seen(), world.project.scope.clone());
        let (source, attributes) = record(&mut seen, "a.rs:2", &own, 0);
        assert_eq!(
            source.content_hash,
            Some(*blake3::hash(b"one\ntwo\n").as_bytes())
        );
        assert!(source.git_blob.is_some());
        let line = LineHash::of(b"two").unwrap().to_string();
        assert_eq!(
            attributes,
            BTreeMap::from([(Memory::ATTRIBUTE_LINE.to_owned(), line)])
        );
        // Each file is read once, whatever becomes of it.
        fs::remove_file(world.project.root.join("a.rs")).unwrap();
        assert_eq!(record(&mut seen, "a.rs:2", &own, 60).0, source);
        assert_eq!(
            record(&mut seen, "./a.rs", &own, 60).0.content_hash,
            source.content_hash
        );
        assert_eq!(record(&mut seen, "a.rs:2", &own, -1).0.content_hash, None);
        assert_eq!(record(&mut seen, "gone.rs", &own, 60).0.content_hash, None);
    }

    #[test]
    fn only_files_of_the_project_are_looked_at() {
        let world = World::new();
        let outside = world.directory.path().join("outside.rs");
        world.write(&outside, "one\n");
        let (mut seen, own) = (world.seen(), world.project.scope.clone());
        let inside = world.project.root.join("a.rs");
        assert!(
            record(&mut seen, inside.to_str().unwrap(), &own, 0)
                .0
                .content_hash
                .is_some()
        );
        for source in [outside.to_str().unwrap(), "../outside.rs"] {
            assert_eq!(
                record(&mut seen, source, &own, 0).0.content_hash,
                None,
                "{source}"
            );
        }
        assert_eq!(
            record(&mut seen, "a.rs", &Scope::Project("other".to_owned()), 0)
                .0
                .content_hash,
            None
        );
        let (source, attributes) = record(&mut seen, "a.rs", &Scope::Global, 0);
        assert!(source.content_hash.is_some());
        assert_eq!(
            attributes
                .get(Memory::ATTRIBUTE_SOURCE_PROJECT)
                .map(String::as_str),
            Some("project:p")
        );
    }

    #[test]
    fn what_is_recorded_stays_and_a_stated_scope_is_believed() {
        let world = World::new();
        let mut seen = world.seen();
        let at = Timestamp::from_micros(i64::MAX / 2);
        let mut attributes = BTreeMap::new();
        let mut recorded = SourceRef {
            content_hash: Some([7; 32]),
            ..SourceRef::parse("a.rs")
        };
        let own = world.project.scope.clone();
        let (source, scope) = (&mut recorded, &own);
        seen.record(Sighting {
            source,
            attributes: &mut attributes,
            scope,
            is_homeless: false,
            at,
        });
        assert_eq!(recorded.content_hash, Some([7; 32]));
        let mut elsewhere = SourceRef::parse("a.rs");
        let (source, scope) = (&mut elsewhere, &Scope::Global);
        seen.record(Sighting {
            source,
            attributes: &mut attributes,
            scope,
            is_homeless: false,
            at,
        });
        assert_eq!(elsewhere.content_hash, None);
    }
}
