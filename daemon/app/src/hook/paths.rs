//! What stands at paths that may lie anywhere: asked through [`Reach`], so that no event's own
//! thread ever hangs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{REACH_PATIENCE, place_of};
use crate::project::{Project, plain};
use crate::reach::Reach;

/// Looks at paths for an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paths<'a> {
    pub(super) reach: &'a Reach,
    /// The project that the session works in.
    pub(super) home: &'a Project,
    /// The project whose memories name the paths.
    pub(super) project: &'a Arc<Project>,
}

impl Paths<'_> {
    /// Asks something at a path; `None` where nothing answers in time.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        path: &Path,
        question: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.reach.look_of(
            place_of(self.home, path),
            vec![path.to_owned()],
            REACH_PATIENCE,
            question,
        )
    }

    /// A path as the project's memories name it; as it is where it lies elsewhere or nothing
    /// answers.
    pub(super) fn relative(&self, path: &Path) -> PathBuf {
        if plain(path).starts_with(&self.project.root) {
            return self.project.relative(path);
        }
        // A link may lead inside.
        let (project, asked) = (Arc::clone(self.project), path.to_owned());
        self.ask(path, move || project.relative(&asked))
            .unwrap_or_else(|| path.to_owned())
    }

    /// Returns whether a file is there and answers.
    pub(super) fn is_file(&self, path: &Path) -> bool {
        let asked = path.to_owned();
        self.ask(path, move || asked.is_file()) == Some(true)
    }

    /// Returns whether a directory is there and answers.
    pub(super) fn is_directory(&self, path: &Path) -> bool {
        let asked = path.to_owned();
        self.ask(path, move || asked.is_dir()) == Some(true)
    }
}
