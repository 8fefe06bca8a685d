//! Relations by names: of a memory with those that are about what it names, and of memories that
//! name the same rare thing.

use std::collections::BTreeMap;
use std::ops::Range;

use helix_memory::{Memory, MemoryNumber, Role, Scope, Status, named, normalised, role_of_kind};

use super::super::mentions::NameFinder;
use super::{Extractor, ReadError, Strand, Suggestion};
use crate::index::lexical::{LexicalQuery, Mode, Restriction};

/// Entities and projects whose names are looked for, the newest.
const NAMED_MAX: usize = 500;

/// Letters of a name, at least: shorter ones are words of other meanings.
const NAME_CHARS_MIN: usize = 3;

/// Memories that may name a thing that tells them apart from others. What more of them name is
/// related only to what is about it.
const RARE_MAX: usize = 8;

/// Memories that share one name and are suggested, at most: the newest.
const SHARING_MAX: usize = 2;

/// Kinds of memories that are about one named thing.
const KINDS_OF_NAMED: [&str; 2] = ["entity", "project"];

/// The names of entities and projects, of any scope.
pub(super) struct Names {
    finder: NameFinder,
    known: BTreeMap<MemoryNumber, Known>,
}

/// An entity or a project.
struct Known {
    memory: Memory,
    names: Vec<String>,
}

/// A memory that names something that another one names, or is about.
struct Sharing {
    memory: Memory,
    /// Where it names it; `None` where only its topic or handle does.
    place: Option<Range<usize>>,
    is_about: bool,
}

impl Strand {
    /// The names of the newest entities and projects.
    pub(super) fn names(&self) -> Result<Names, ReadError> {
        let numbers: Vec<MemoryNumber> = {
            let catalog = self.catalog();
            let mut numbers: Vec<MemoryNumber> = catalog
                .rows()
                .filter(|(_, row)| {
                    let is_named = KINDS_OF_NAMED.contains(&catalog.kind_of(row));
                    row.status == Status::Active && is_named
                })
                .map(|(number, _)| number)
                .collect();
            numbers.drain(..numbers.len().saturating_sub(NAMED_MAX));
            numbers
        };
        let mut known = BTreeMap::new();
        for memory in self.memories(&numbers)? {
            let names = names_of(&memory);
            known.insert(memory.number, Known { memory, names });
        }
        let names = known.iter().flat_map(|(number, known)| {
            let names = known.names.iter();
            names.map(|name| (number.0, name.as_str()))
        });
        Ok(Names {
            finder: NameFinder::new(names)?,
            known,
        })
    }

    /// What a memory's names relate it to.
    pub(super) fn named(
        &self,
        names: &Names,
        memory: &Memory,
    ) -> Result<Vec<Suggestion>, ReadError> {
        let mut suggestions = entities(names, memory);
        for (name, place) in looked_for(memory) {
            let sharing = self.sharing(memory, &name)?;
            let is_about = is_about(memory, &name);
            let is_rare = sharing.len() <= RARE_MAX;
            let (about, others): (Vec<Sharing>, Vec<Sharing>) =
                sharing.into_iter().partition(|one| one.is_about);
            let others = if is_rare || is_about {
                others
            } else {
                Vec::new()
            };
            let newest = about.iter().take(SHARING_MAX);
            for one in newest.chain(others.iter().take(SHARING_MAX)) {
                let mut found = Role::RELATED;
                if one.is_about {
                    found = role(memory, place.as_ref(), &one.memory);
                }
                if is_about && found == Role::RELATED {
                    found = role(&one.memory, one.place.as_ref(), memory).reversed();
                }
                suggestions.push(suggestion(one.memory.number, found));
            }
        }
        Ok(suggestions)
    }

    /// The memories that name a thing or are about it, newest first; one more than are rare.
    fn sharing(&self, memory: &Memory, name: &str) -> Result<Vec<Sharing>, ReadError> {
        let query = LexicalQuery::parse_every(name, Mode::All);
        let hits = {
            let catalog = self.catalog();
            let scopes = catalog.scope_numbers(&[memory.scope.clone(), Scope::Global]);
            let keeps = |number| {
                let number = MemoryNumber(number);
                let row = catalog.row(number);
                number != memory.number
                    && row.is_some_and(|row| row.status == Status::Active && row.is_in(&scopes))
            };
            self.lexical
                .search(&query, RARE_MAX + 1, &Restriction::default(), keeps)?
        };
        let numbers: Vec<MemoryNumber> = hits.iter().map(|hit| MemoryNumber(hit.number)).collect();
        let mut sharing: Vec<Sharing> = self
            .memories(&numbers)?
            .into_iter()
            .filter_map(|other| shared(other, name))
            .collect();
        sharing.sort_by_key(|one| std::cmp::Reverse(one.memory.number));
        Ok(sharing)
    }
}

/// A memory that names a thing or is about it.
fn shared(memory: Memory, name: &str) -> Option<Sharing> {
    let mut found = named::named(&memory.text).into_iter();
    let place = found.find(|one| one.name == name).map(|one| one.place);
    let place = place.or_else(|| place_of(&memory.text, &[name.to_owned()]));
    let is_about = is_about(&memory, name);
    (is_about || place.is_some()).then_some(Sharing {
        memory,
        place,
        is_about,
    })
}

/// Entities and projects that a text names.
fn entities(names: &Names, memory: &Memory) -> Vec<Suggestion> {
    let mut suggestions = Vec::new();
    for number in names.finder.find(&memory.text) {
        let Some(known) = names.known.get(&MemoryNumber(number)) else {
            continue;
        };
        let other = &known.memory;
        let is_seen = other.scope == memory.scope || other.scope == Scope::Global;
        if other.number == memory.number || !is_seen {
            continue;
        }
        let place = place_of(&memory.text, &known.names);
        let role = role(memory, place.as_ref(), other);
        suggestions.push(suggestion(other.number, role));
    }
    suggestions
}

/// The first place of a text with one of these names.
fn place_of(text: &str, names: &[String]) -> Option<Range<usize>> {
    let lowered = text.to_lowercase();
    // Places are the same in both where lower case is not longer.
    let text = (lowered.len() == text.len()).then_some(lowered)?;
    let mut places = names
        .iter()
        .filter_map(|name| text.find(name.as_str()).zip(Some(name.len())));
    places.next().map(|(start, bytes)| start..start + bytes)
}

/// Names in a memory's text with their places, and those by which an entity or a project is called.
fn looked_for(memory: &Memory) -> Vec<(String, Option<Range<usize>>)> {
    let mut names: Vec<(String, Option<Range<usize>>)> = Vec::new();
    if KINDS_OF_NAMED.contains(&memory.kind.as_str()) {
        let called = called(memory).into_iter();
        names.extend(called.map(|name| (normalised(&name), None)));
    }
    for one in named::named(&memory.text) {
        if names.iter().all(|(name, _)| *name != one.name) {
            names.push((one.name, Some(one.place)));
        }
    }
    names.retain(|(name, _)| name.chars().count() >= NAME_CHARS_MIN);
    names
}

/// How a memory is related to the one that is about what it names.
fn role(memory: &Memory, place: Option<&Range<usize>>, about: &Memory) -> Role {
    let said = place.map_or(Role::RELATED, |place| named::role(&memory.text, place));
    if said != Role::RELATED {
        return said;
    }
    role_of_kind(&memory.kind, &about.kind).unwrap_or(said)
}

fn suggestion(to: MemoryNumber, role: Role) -> Suggestion {
    Suggestion {
        to,
        role,
        extractor: Extractor::Names,
        strength: 1.0,
    }
}

/// Returns whether a memory is about a thing: by its topic, its handle, its names or what its text
/// begins with.
fn is_about(memory: &Memory, name: &str) -> bool {
    let slug = memory.handle.as_str().split_once('/').map(|(_, slug)| slug);
    let is_called = |given: &String| normalised(given) == name;
    memory.topic.as_str() == name
        || slug == Some(name)
        || called(memory).iter().any(is_called)
        || named::subject(&memory.text).is_some_and(|subject| normalised(&subject) == name)
}

/// Lists the names that an entity or a project is given, or begins its text with; a person's first
/// name also.
fn called(memory: &Memory) -> Vec<String> {
    if !KINDS_OF_NAMED.contains(&memory.kind.as_str()) {
        return Vec::new();
    }
    let mut names = Vec::new();
    for key in ["name", "alias", "aliases"] {
        let given = memory.attributes.get(key).map(String::as_str);
        let given = given.unwrap_or_default().split(',');
        names.extend(given.map(|name| name.trim().to_owned()));
    }
    names.retain(|name| !name.is_empty());
    if names.is_empty() {
        names.extend(named::subject(&memory.text));
    }
    let first = names
        .first()
        .and_then(|name| name.split_whitespace().next());
    let mention = first.map(|first| format!("@{}", first.trim_start_matches('@')));
    names.extend(mention);
    names
}

/// Lists the names by which a text may call an entity or a project: those that it is given, and the
/// second part of its handle.
fn names_of(memory: &Memory) -> Vec<String> {
    let mut names = called(memory);
    let handle = memory.handle.as_str();
    names.extend(handle.split_once('/').map(|(_, slug)| slug.to_owned()));
    names.push(handle.to_owned());
    names
        .into_iter()
        .map(|name| name.trim().to_lowercase())
        .filter(|name| name.chars().count() >= NAME_CHARS_MIN)
        .collect()
}
