//! Whose a file is: the project's that the session works in, or that of another repository, which
//! may lie inside of the session's directory or elsewhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::event::Input;
use super::handler::Handler;
use super::{Context, REACH_PATIENCE, place_of};
use crate::App;
use crate::project::{Project, plain};

/// Directories above a path in which a repository is looked for: hardly any tree is as deep.
const LEVELS_MAX: usize = 64;

/// What every repository, submodule and worktree has.
const MARK: &str = ".git";

impl Context<'_> {
    /// The project that a path belongs to; that of the session where no other has it, and while too
    /// many events wait for what they look at.
    pub(super) fn project_of(&self, path: &Path) -> Arc<Project> {
        if self.app.hooks.load.is_stuck() {
            return Arc::clone(&self.home);
        }
        project_of(self.app, &self.home, path)
    }

    /// The same event for another call of a tool that it stands for, in the project of what that
    /// touches.
    pub(super) fn on_call<'b>(&'b self, input: &'b Input) -> Context<'b> {
        let place = input.place().unwrap_or_else(|| PathBuf::from(&input.cwd));
        self.on(input, self.project_of(&place))
    }
}

/// The project of an event that begins: of what a tool touches, or of the session.
pub(super) fn project_of_event(
    app: &App,
    handler: Handler,
    home: &Arc<Project>,
    input: &Input,
) -> Arc<Project> {
    let may_look = handler == Handler::Ambient && !app.hooks.load.is_stuck();
    let place = if may_look { input.place() } else { None };
    place.map_or_else(|| Arc::clone(home), |place| project_of(app, home, &place))
}

fn project_of(app: &App, home: &Arc<Project>, path: &Path) -> Arc<Project> {
    let path = plain(path);
    let is_inside = path.starts_with(&home.root);
    let (asked, root) = (path.clone(), is_inside.then(|| home.root.clone()));
    let found = app.memory.reach.look_of(
        place_of(home, &path),
        vec![path.clone()],
        REACH_PATIENCE,
        move || {
            let beside = || {
                asked
                    .ancestors()
                    .take(2)
                    .find(|directory| !is_inside && directory.is_dir())
                    .map(Path::to_owned)
            };
            repository_of(&asked, root.as_deref()).or_else(beside)
        },
    );
    let Some(directory) = found.flatten() else {
        return Arc::clone(home);
    };
    let Some(found) = app.memory.project(&directory, REACH_PATIENCE) else {
        return Arc::clone(home);
    };
    // A directory below another one is a part of it, and no project of its own.
    if is_inside && found.is_directory() {
        Arc::clone(home)
    } else {
        found
    }
}

/// The nearest directory above a path, or the path itself, that is a repository; only below `root`
/// where that is given.
fn repository_of(path: &Path, root: Option<&Path>) -> Option<PathBuf> {
    let above = path
        .ancestors()
        .take(LEVELS_MAX)
        .take_while(|directory| root != Some(directory));
    let mut repositories =
        above.filter(|directory| directory.parent().is_some() && directory.join(MARK).exists());
    repositories.next().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn a_repository_is_the_nearest_above() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let inner = root.join("vendor/lib");
        fs::create_dir_all(inner.join("src")).unwrap();
        fs::create_dir(root.join(MARK)).unwrap();
        fs::write(inner.join(MARK), "gitdir: ../../.git/modules/lib\n").unwrap();
        let of = |path: &str, within: Option<&Path>| repository_of(&root.join(path), within);
        for path in [
            "vendor/lib",
            "vendor/lib/src",
            "vendor/lib/src/a.rs",
            "vendor/lib/none/b.rs",
        ] {
            assert_eq!(of(path, Some(root)), Some(inner.clone()), "{path}");
        }
        for path in ["", "vendor", "vendor/other.rs", "vendor/library/a.rs"] {
            assert_eq!(of(path, Some(root)), None, "{path}");
            assert_eq!(of(path, None).as_deref(), Some(root), "{path}");
        }
    }
}
