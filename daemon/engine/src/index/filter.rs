//! Filters over the catalog: which memories a search may return.

use super::catalog::{Catalog, Row};
use crate::model::{SCRATCH_SCOPE, Scope, Status, Timestamp};

/// What a search is restricted to. An empty list restricts nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Any of these topics.
    pub topics: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Any of these kinds.
    pub kinds: Vec<String>,
    /// Any of these scopes.
    pub scopes: Vec<Scope>,
    /// Any of these states; empty means active only.
    pub statuses: Vec<Status>,
    /// Part of the source path.
    pub source: Option<String>,
    /// Became true at or after.
    pub after: Option<Timestamp>,
    /// Became true before.
    pub before: Option<Timestamp>,
}

/// A filter in the catalog's numbers: cheap to test against a row.
#[derive(Debug)]
pub struct RowFilter {
    topics: Option<Vec<u32>>,
    tags: Option<Vec<u32>>,
    kinds: Option<Vec<u32>>,
    scopes: Option<Vec<u32>>,
    /// The scope of examinations, which must be named to be searched.
    scratch: Option<u32>,
    sources: Option<Vec<u32>>,
    statuses: Vec<Status>,
    after: Option<Timestamp>,
    before: Option<Timestamp>,
}

impl Filter {
    /// Translates names into the catalog's numbers. A name that nothing has matches nothing.
    #[must_use]
    pub fn compile(&self, catalog: &Catalog) -> RowFilter {
        let sources = self.source.as_ref().map(|wanted| {
            let matching = catalog.sources.iter().filter(|(_, path)| path.contains(wanted.as_str()));
            matching.map(|(number, _)| number).collect()
        });
        RowFilter {
            topics: any_of(&self.topics, |topic| catalog.topics.find(topic)),
            // A tag that nothing has must match nothing, also beside tags that exist.
            tags: (!self.tags.is_empty())
                .then(|| self.tags.iter().map(|tag| catalog.tags.find(tag).unwrap_or(u32::MAX)).collect()),
            kinds: any_of(&self.kinds, |kind| catalog.kinds.find(kind)),
            scopes: any_of(&self.scopes, |scope| catalog.scopes.find(&scope.to_string())),
            scratch: if self.scopes.is_empty() { catalog.scopes.find(SCRATCH_SCOPE) } else { None },
            sources,
            statuses: if self.statuses.is_empty() { vec![Status::Active] } else { self.statuses.clone() },
            after: self.after,
            before: self.before,
        }
    }
}

impl RowFilter {
    /// Tests one row.
    #[must_use]
    pub fn keeps(&self, row: &Row) -> bool {
        self.statuses.contains(&row.status)
            && allows(self.scopes.as_ref(), row.scope)
            && self.scratch != Some(row.scope)
            && allows(self.topics.as_ref(), row.topic)
            && allows(self.kinds.as_ref(), row.kind)
            && self.tags.as_ref().is_none_or(|tags| tags.iter().all(|tag| row.tags.contains(tag)))
            && self.sources.as_ref().is_none_or(|sources| row.source.is_some_and(|source| sources.contains(&source)))
            && self.after.is_none_or(|after| row.valid_from >= after)
            && self.before.is_none_or(|before| row.valid_from < before)
    }
}

fn any_of<T>(names: &[T], find: impl Fn(&T) -> Option<u32>) -> Option<Vec<u32>> {
    (!names.is_empty()).then(|| names.iter().filter_map(find).collect())
}

fn allows(wanted: Option<&Vec<u32>>, number: u32) -> bool {
    wanted.is_none_or(|wanted| wanted.contains(&number))
}
