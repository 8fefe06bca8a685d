//! Memories by their source: those of a file itself, and of the directories above it.

use std::path::Path;

use helix_engine::{Catalog, ReadError};
use helix_memory::MemoryNumber;

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
        let relative = self.context.relative(file);
        let absolute = file.to_string_lossy();
        let mut numbers = self.of_sources(&self.exact, [relative.as_str(), &absolute]);
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

    /// Returns what is seen from the session's own project, and the file's path in it, where that
    /// is another one.
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

    /// Returns whether a memory, given or not, has this file as its source. A mere name may be that
    /// of another one.
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
        is_named(&relative) || file.to_str().is_some_and(is_named)
    }
}
