//! Filters over the catalog: which memories a search may return.

use std::sync::Arc;

use helix_memory::{MemoryNumber, Moment, Scope, SourceRef, Status, Tags, Timestamp};

use super::catalog::{Catalog, Row};

/// What a search is restricted to. An empty list restricts nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Any of these topics.
    pub topics: Vec<String>,
    /// The names and patterns that the topics were found by, where these were looked up. They
    /// filter nothing; a search is known by them when it goes on, since a pattern may fit more
    /// topics by then.
    pub topics_asked: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Any of these kinds.
    pub kinds: Vec<String>,
    /// Any of these scopes.
    pub scopes: Vec<Scope>,
    /// Any of these states; empty means active only.
    pub statuses: Vec<Status>,
    /// Parts of the source's path that follow each other: `row.rs`, `src`, `src/row.rs`.
    pub source: Option<String>,
    /// What is demanded beyond words and the fields above. It filters once [`Filter::within`] was
    /// made of it.
    pub demands: Demands,
    /// The memories that meet the demands, where these were looked up.
    pub within: Option<Within>,
    /// Became true at or after.
    pub after: Option<Timestamp>,
    /// Became true before.
    pub before: Option<Timestamp>,
    /// The moment of the strand that is searched. It filters nothing; a search is known by it when
    /// it goes on.
    pub moment: Moment,
}

/// What a query demands that the catalog's rows do not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// Phrases that a memory has.
    pub phrases: Vec<String>,
    /// Words and phrases that it has not.
    pub excluded: Vec<String>,
    /// The line of its source.
    pub source_line: Option<u32>,
}

/// Memories by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Within(pub(crate) Arc<[bool]>);

/// The part of a filter that leaves a memory out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Its status is none of those asked for.
    Status,
    /// It belongs to a scope that is not searched.
    Scope,
    /// It belongs to an examination, whose scope must be named.
    Scratch,
    /// Its topic is none of those asked for.
    Topic,
    /// Its kind is none of those asked for.
    Kind,
    /// It lacks one of the tags.
    Tag,
    /// It is about another file, or about none.
    Source,
    /// It became true before the time asked for.
    After,
    /// It became true at or after the end of the time asked for.
    Before,
    /// It lacks a phrase or a line, or has what must not occur.
    Demands,
}

/// A filter in the catalog's numbers: cheap to test against a row.
#[derive(Debug)]
pub struct RowFilter {
    topics: Option<Vec<u32>>,
    /// For each tag the numbers of its spellings.
    tags: Option<Vec<Vec<u32>>>,
    kinds: Option<Vec<u32>>,
    scopes: Option<Vec<u32>>,
    /// The scope of examinations, which must be named to be searched.
    scratch: Option<u32>,
    sources: Option<Vec<u32>>,
    statuses: Vec<Status>,
    after: Option<Timestamp>,
    before: Option<Timestamp>,
    within: Option<Within>,
}

impl Filter {
    /// Translates names into the catalog's numbers. A name that nothing has matches nothing.
    #[must_use]
    pub fn compile(&self, catalog: &Catalog) -> RowFilter {
        let sources = self.source.as_ref().map(|wanted| {
            let wanted = SourceRef::plain_path(wanted);
            // Where the asker works is not known here; what stands behind the way out names the
            // file.
            let wanted = wanted.trim_start_matches("../");
            let wanted = SourceRef::one_spelling(wanted);
            let wanted: Vec<&str> = components(&wanted).collect();
            let matching = catalog
                .sources
                .iter()
                .filter(|(_, path)| has_components(&SourceRef::one_spelling(path), &wanted));
            matching.map(|(number, _)| number).collect()
        });
        RowFilter {
            topics: any_of(&self.topics, |topic| catalog.topics.find(topic)),
            // A tag that nothing has must match nothing, also beside tags that exist.
            tags: (!self.tags.is_empty()).then(|| {
                self.tags
                    .iter()
                    .map(|tag| spellings(catalog, tag))
                    .collect()
            }),
            kinds: any_of(&self.kinds, |kind| catalog.kinds.find(kind)),
            scopes: any_of(&self.scopes, |scope| {
                catalog.scopes.find(&scope.to_string())
            }),
            scratch: if self.scopes.is_empty() {
                catalog.scopes.find(Scope::SCRATCH)
            } else {
                None
            },
            sources,
            statuses: if self.statuses.is_empty() {
                vec![Status::Active]
            } else {
                self.statuses.clone()
            },
            after: self.after,
            before: self.before,
            within: self.within.clone(),
        }
    }
}

impl RowFilter {
    /// Tests one memory: its row, and whether it meets the demands.
    #[must_use]
    pub fn keeps_at(&self, number: MemoryNumber, row: &Row) -> bool {
        self.is_within(number) && self.keeps(row)
    }

    /// Names the part that leaves a memory out; `None` where the filter keeps it.
    #[must_use]
    pub fn cut_at(&self, number: MemoryNumber, row: &Row) -> Option<Cut> {
        match self.cut(row) {
            None if !self.is_within(number) => Some(Cut::Demands),
            cut => cut,
        }
    }

    fn is_within(&self, number: MemoryNumber) -> bool {
        let is_within = |within: &Within| within.0.get(number.0 as usize).copied().unwrap_or(false);
        self.within.as_ref().is_none_or(is_within)
    }

    /// Tests one row.
    #[must_use]
    pub fn keeps(&self, row: &Row) -> bool {
        self.cut(row).is_none()
    }

    /// Names the first part that leaves a row out.
    fn cut(&self, row: &Row) -> Option<Cut> {
        if !self.statuses.contains(&row.status) {
            return Some(Cut::Status);
        }
        if !allows(self.scopes.as_ref(), row.scope) {
            return Some(Cut::Scope);
        }
        if self.scratch == Some(row.scope) {
            return Some(Cut::Scratch);
        }
        if !allows(self.topics.as_ref(), row.topic) {
            return Some(Cut::Topic);
        }
        if !allows(self.kinds.as_ref(), row.kind) {
            return Some(Cut::Kind);
        }
        if !self.has_tags(row) {
            return Some(Cut::Tag);
        }
        if !self.has_source(row) {
            return Some(Cut::Source);
        }
        if self.after.is_some_and(|after| row.valid_from < after) {
            return Some(Cut::After);
        }
        if self.before.is_some_and(|before| row.valid_from >= before) {
            return Some(Cut::Before);
        }
        None
    }

    fn has_tags(&self, row: &Row) -> bool {
        let has = |tag: &Vec<u32>| tag.iter().any(|spelling| row.tags.contains(spelling));
        self.tags.as_ref().is_none_or(|tags| tags.iter().all(has))
    }

    fn has_source(&self, row: &Row) -> bool {
        let is_of = |sources: &Vec<u32>| row.source.is_some_and(|source| sources.contains(&source));
        self.sources.as_ref().is_none_or(is_of)
    }
}

fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

/// Returns whether a path has these parts, one behind the other.
fn has_components(path: &str, wanted: &[&str]) -> bool {
    let parts: Vec<&str> = components(path).collect();
    !wanted.is_empty() && parts.windows(wanted.len()).any(|window| window == wanted)
}

/// The numbers under which a tag is kept: as it is spelled now, and as it was once.
fn spellings(catalog: &Catalog, tag: &str) -> Vec<u32> {
    let former = Tags::former_spellings(tag);
    let spelled = std::iter::once(tag).chain(former.iter().map(String::as_str));
    spelled.filter_map(|tag| catalog.tags.find(tag)).collect()
}

fn any_of<T>(names: &[T], find: impl Fn(&T) -> Option<u32>) -> Option<Vec<u32>> {
    (!names.is_empty()).then(|| names.iter().filter_map(find).collect())
}

fn allows(wanted: Option<&Vec<u32>>, number: u32) -> bool {
    wanted.is_none_or(|wanted| wanted.contains(&number))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use helix_memory::{Handle, Kind, Memory, MemoryId, SourceRef, Timestamp, Topic};

    fn memory(number: u32, text: &str) -> Memory {
        let at = Timestamp::from_micros(1_700_000_000_000_000);
        let id = MemoryId::new(at, &[7; 10]);
        let handle = Handle::from_stored(format!("build/note-{number}"));
        let topic = Topic::parse("build").unwrap();
        Memory {
            kind: Kind::from_stored("gotcha"),
            source: Some(SourceRef::parse("src/a.rs:3")),
            ..Memory::new(id, MemoryNumber(number), handle, topic, text.to_owned(), at)
        }
    }

    fn kept(filter: &Filter, memories: &[Memory]) -> Vec<u32> {
        let mut catalog = Catalog::default();
        for memory in memories {
            catalog.apply(memory);
        }
        let filter = filter.compile(&catalog);
        catalog
            .rows()
            .filter(|(_, row)| filter.keeps(row))
            .map(|(number, _)| number.0)
            .collect()
    }

    #[test]
    fn each_part_says_that_it_was_the_one() {
        let mut catalog = Catalog::default();
        let one = Memory {
            tags: vec!["http".to_owned()],
            source: Some(SourceRef::parse("src/a.rs:3")),
            ..memory(1, "one")
        };
        let at = one.valid_from;
        catalog.apply(&one);
        let row = catalog.row(MemoryNumber(1)).unwrap();
        let plain = Filter::default;
        let cut = |filter: Filter| filter.compile(&catalog).cut_at(MemoryNumber(1), row);
        let names = |name: &str| vec![name.to_owned()];
        assert_eq!(cut(plain()), None);
        let cases = [
            (
                Filter {
                    statuses: vec![Status::Archived],
                    ..plain()
                },
                Cut::Status,
            ),
            (
                Filter {
                    scopes: vec![Scope::Session("s".to_owned())],
                    ..plain()
                },
                Cut::Scope,
            ),
            (
                Filter {
                    topics: names("other"),
                    ..plain()
                },
                Cut::Topic,
            ),
            (
                Filter {
                    kinds: names("fact"),
                    ..plain()
                },
                Cut::Kind,
            ),
            (
                Filter {
                    tags: names("cache"),
                    ..plain()
                },
                Cut::Tag,
            ),
            (
                Filter {
                    source: Some("b.rs".to_owned()),
                    ..plain()
                },
                Cut::Source,
            ),
            (
                Filter {
                    before: Some(at),
                    ..plain()
                },
                Cut::Before,
            ),
            (
                Filter {
                    within: Some(Within(Arc::from([true, false]))),
                    ..plain()
                },
                Cut::Demands,
            ),
        ];
        for (filter, expected) in cases {
            assert_eq!(cut(filter), Some(expected));
        }
        let later = Timestamp::from_micros(at.as_micros() + 1);
        assert_eq!(
            cut(Filter {
                after: Some(later),
                ..plain()
            }),
            Some(Cut::After)
        );
    }

    #[test]
    fn a_tag_is_found_as_it_was_spelled_once() {
        let tagged = |number, tags: &[&str]| Memory {
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..memory(number, "one")
        };
        let memories = [
            tagged(1, &["cach"]),
            tagged(2, &["cache", "http"]),
            tagged(3, &["http"]),
        ];
        let filter = |tags: &[&str]| Filter {
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Filter::default()
        };
        assert_eq!(kept(&filter(&["cache"]), &memories), [1, 2]);
        assert_eq!(kept(&filter(&["cache", "http"]), &memories), [2]);
        assert_eq!(kept(&filter(&["nobody"]), &memories), [] as [u32; 0]);
    }

    #[test]
    fn a_source_is_found_by_whatever_way() {
        let memories = [Memory {
            source: Some(SourceRef::parse("src/deep/../a.rs:3")),
            ..memory(1, "one")
        }];
        for wanted in [
            "src/a.rs",
            "../a.rs",
            "./src/a.rs",
            "src/x/../a.rs",
            "a.rs",
            "src",
            "src/",
        ] {
            let filter = Filter {
                source: Some(wanted.to_owned()),
                ..Filter::default()
            };
            assert_eq!(kept(&filter, &memories), [1], "{wanted}");
        }
        for other in ["rc/a.rs", "a", "a.r", "src/b.rs", "a.rs/src", "/"] {
            let filter = Filter {
                source: Some(other.to_owned()),
                ..Filter::default()
            };
            assert_eq!(kept(&filter, &memories), [] as [u32; 0], "{other}");
        }
        let mut catalog = Catalog::default();
        for memory in &memories {
            catalog.apply(memory);
        }
        assert_eq!(catalog.of_source("src/a.rs").len(), 1);
        assert_eq!(catalog.of_source("src/b/../a.rs").len(), 1);
    }
}
