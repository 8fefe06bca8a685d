//! What a project is called, and how paths are named in it.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use helix_memory::{Scope, SourceRef};

/// Marks an id made from a directory.
pub const PATH_PREFIX: &str = "path:";

/// The project that a directory belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Where its memories go: `project:<id>`, or global outside of any project.
    pub scope: Scope,
    /// The work tree's root, or the directory itself.
    pub root: PathBuf,
    /// A short name for people.
    pub name: String,
    /// What it was called before it had its identity of today, the latest first.
    pub aliases: Vec<Scope>,
}

impl Project {
    /// Returns what a directory outside of any project belongs to: what is global.
    #[must_use]
    pub fn outside(directory: &Path) -> Self {
        let (scope, root, name) = (Scope::Global, directory.to_owned(), "everything".to_owned());
        Self {
            scope,
            root,
            name,
            aliases: Vec::new(),
        }
    }

    /// The scopes that are looked in from here, its own first.
    #[must_use]
    pub fn scopes(&self) -> Vec<Scope> {
        match &self.scope {
            Scope::Global => vec![Scope::Global],
            own => [own]
                .into_iter()
                .chain(&self.aliases)
                .chain([&Scope::Global])
                .cloned()
                .collect(),
        }
    }

    /// The scopes that are its own, that of today first.
    pub fn names(&self) -> impl Iterator<Item = &Scope> {
        [&self.scope].into_iter().chain(&self.aliases)
    }

    /// Returns whether it is a mere directory, which may hold several repositories.
    #[must_use]
    pub fn is_directory(&self) -> bool {
        matches!(&self.scope, Scope::Project(id) if id.starts_with(PATH_PREFIX))
    }

    /// A path as the project's memories name it: plain, and relative to the root where it lies
    /// inside, also through a link.
    #[must_use]
    pub fn relative(&self, path: &Path) -> PathBuf {
        let path = &plain(path);
        if let Ok(inside) = path.strip_prefix(&self.root) {
            return inside.to_owned();
        }
        let real = fs::canonicalize(path).ok();
        if let Some(inside) = real
            .as_deref()
            .and_then(|real| real.strip_prefix(&self.root).ok())
        {
            return inside.to_owned();
        }
        spelled(path)
            .strip_prefix(spelled(&self.root))
            .unwrap_or(path)
            .to_owned()
    }
}

/// A path whose accents stand on their letters, as in every other path that is compared so. One
/// that is not Unicode stays as it is.
#[must_use]
pub fn spelled(path: &Path) -> Cow<'_, Path> {
    match path.to_str().map(SourceRef::one_spelling) {
        Some(Cow::Owned(spelled)) => Cow::Owned(PathBuf::from(spelled)),
        Some(Cow::Borrowed(_)) | None => Cow::Borrowed(path),
    }
}

/// A path without detours. One that is not Unicode stays as it is.
#[must_use]
pub fn plain(path: &Path) -> PathBuf {
    path.to_str().map_or_else(
        || path.to_owned(),
        |path| PathBuf::from(SourceRef::plain_path(path).as_ref()),
    )
}
