//! Memories by their source: those of a file itself, of the directories above it, and those whose
//! source is a mere end of its path, where that can mean no other file.

use std::path::Path;

use helix_engine::index::catalog::Catalog;
use helix_engine::model::{MemoryNumber, Scope};
use helix_engine::strand::ReadError;

use super::super::common::is_repeated_stem;
use super::{GUESSES_MAX, Layers, newest_first};
use crate::hook::exact::Exact;

impl Layers<'_> {
    /// At most `limit` memories whose source is this file, then those whose source is a directory
    /// above it, the nearest first. A file of a repository inside of the session's own project
    /// is that project's as well.
    pub(in super::super) fn by_source(
        &mut self,
        file: &Path,
        limit: usize,
    ) -> Result<(), ReadError> {
        if helix_ablation::is_off("layer/source") {
            return Ok(());
        }
        let relative = self.context.relative(file);
        let absolute = file.to_string_lossy();
        let mut numbers = self.of_sources(&self.exact, [relative.as_str(), &absolute]);
        numbers.extend(self.of_ends(file, ends(&relative), |catalog, number| {
            self.is_wanted(catalog, number)
        }));
        let outer = self.outer(file);
        if let Some((seen, path)) = &outer {
            numbers.extend(self.of_sources(seen, [path.as_str()]));
        }
        numbers.truncate(limit);
        let mut above = self.of_directories(&self.exact, &relative);
        if let Some((seen, path)) = &outer {
            above.extend(self.of_directories(seen, path));
        }
        above.truncate(GUESSES_MAX);
        numbers.extend(above);
        numbers.truncate(limit);
        let memories = self.strand().memories(&numbers)?;
        self.add(memories, limit);
        Ok(())
    }

    /// What is seen from the session's own project, and the file's path in it, where that is
    /// another one.
    fn outer(&self, file: &Path) -> Option<(Exact<'_>, String)> {
        let (home, own) = (&self.context.home, &self.context.project);
        let is_another = home.scope != own.scope && file.starts_with(&home.root);
        is_another.then(|| (Exact::within(self.context, home), self.context.shown(file)))
    }

    /// The memories whose source is one of the directories above a path.
    fn of_directories(&self, seen: &Exact<'_>, path: &str) -> Vec<MemoryNumber> {
        if helix_ablation::is_off("layer/source-directories") {
            return Vec::new();
        }
        let directories = Path::new(path)
            .ancestors()
            .skip(1)
            .filter_map(Path::to_str)
            .filter(|it| !it.is_empty());
        directories
            .flat_map(|directory| self.of_sources(seen, [directory, &format!("{directory}/")]))
            .collect()
    }

    /// The wanted memories whose source is one of these paths, newest first.
    fn of_sources<'p>(
        &self,
        seen: &Exact<'_>,
        paths: impl IntoIterator<Item = &'p str>,
    ) -> Vec<MemoryNumber> {
        let catalog = self.strand().catalog();
        let mut numbers: Vec<MemoryNumber> = paths
            .into_iter()
            .flat_map(|path| catalog.of_source(path))
            .collect();
        numbers.retain(|&number| seen.is_visible(&catalog, number) && self.is_new(number));
        newest_first(&mut numbers, &catalog);
        numbers
    }

    /// Whether a memory, given or not, has this file as its source. A mere name may be that of
    /// another one.
    pub(in super::super) fn is_source(&self, file: &Path) -> bool {
        let relative = self.context.relative(file);
        let is_visible = |catalog: &Catalog, number| self.exact.is_visible(catalog, number);
        let is_named = |path: &str| {
            let catalog = self.strand().catalog();
            path.contains('/')
                && catalog
                    .of_source(path)
                    .into_iter()
                    .any(|number| is_visible(&catalog, number))
        };
        let ends = ends(&relative).filter(|end| end.contains('/'));
        is_named(&relative)
            || file.to_str().is_some_and(is_named)
            || !self.of_ends(file, ends, is_visible).is_empty()
    }

    /// The memories that may be kept whose source is a mere end of the file's path, newest first:
    /// somebody gave no more of it, or the file was moved since.
    fn of_ends<'p>(
        &self,
        file: &Path,
        ends: impl Iterator<Item = &'p str>,
        keeps: impl Fn(&Catalog, MemoryNumber) -> bool,
    ) -> Vec<MemoryNumber> {
        if helix_ablation::is_off("layer/source-ends") {
            return Vec::new();
        }
        if !self.may_look() {
            return Vec::new();
        }
        let paths = self.context.paths();
        let mut of_ends: Vec<(&str, Vec<MemoryNumber>)> = {
            let catalog = self.strand().catalog();
            let is_kept = |number| keeps(&catalog, number) && self.is_own(&catalog, number);
            let of_end = |end| {
                catalog
                    .of_source(end)
                    .into_iter()
                    .filter(|number| is_kept(*number))
                    .collect()
            };
            ends.map(|end| (end, of_end(end))).collect()
        };
        // Only what there are memories of is looked at, and without the lock.
        of_ends.retain(|(end, numbers)| !numbers.is_empty() && paths.may_mean(end, file));
        let mut numbers: Vec<MemoryNumber> = of_ends
            .into_iter()
            .flat_map(|(_, numbers)| numbers)
            .collect();
        newest_first(&mut numbers, &self.strand().catalog());
        numbers
    }

    /// Whether the path of a memory's source is one of this project.
    fn is_own(&self, catalog: &Catalog, number: MemoryNumber) -> bool {
        let Some(row) = catalog.row(number) else {
            return false;
        };
        let scope = match catalog.source_project_of(row) {
            Some(project) => project,
            None => catalog.scope_of(row),
        };
        scope != Scope::Global.to_string()
            && self
                .context
                .project
                .names()
                .any(|name| name.to_string() == scope)
    }

    /// Whether files are looked at.
    pub(super) fn may_look(&self) -> bool {
        !self.context.app.hooks.load.is_stuck()
    }
}

/// The ends of a path below the project's root by which sources may name it. A name that a project
/// has in many places says nothing without its directory.
fn ends(relative: &str) -> impl Iterator<Item = &str> {
    let is_below = !relative.starts_with('/');
    let ends = relative
        .match_indices('/')
        .filter_map(|(at, _)| relative.get(at + 1..));
    ends.filter(move |end| is_below && (end.contains('/') || !is_repeated(end)))
}

/// Whether projects have several files of a name.
fn is_repeated(name: &str) -> bool {
    Path::new(name)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .is_none_or(is_repeated_stem)
}
