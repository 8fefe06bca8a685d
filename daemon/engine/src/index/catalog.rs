//! The catalog: one row of small columns for each memory, in RAM, addressed by memory number.
//!
//! Filters, topic listings, exact-duplicate checks and source look-ups are answered from it without
//! touching the disk. It is read from the store at the start and follows every commit.

mod fading;
mod members;
mod past;
mod topics;

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;

pub use topics::TopicEntry;

use helix_memory::{
    Edge, EdgeKey, Memory, MemoryId, MemoryNumber, Origin, Scope, Sequence, SourceRef, Status,
    Timestamp, WordSet, is_shown_unasked, spellings, turn,
};

use super::graph::Graph;
use super::interner::Interner;
use crate::store::Columns;

/// The columns of one memory.
#[derive(Clone, Debug)]
pub struct Row {
    pub(crate) topic: u32,
    pub(crate) kind: u32,
    pub(crate) scope: u32,
    pub(crate) source: Option<u32>,
    /// Whose root the source's path is relative to, where the memory says so itself.
    source_project: Option<u32>,
    /// The branch on which it was said last.
    branch: Option<u32>,
    pub(crate) tags: Box<[u32]>,
    /// Where it is in its life.
    pub status: Status,
    /// Where it came from.
    pub origin: Origin,
    /// Never decays.
    pub pinned: bool,
    /// When the fact became true.
    pub valid_from: Timestamp,
    /// When it stopped being true.
    pub valid_to: Option<Timestamp>,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// When it was last stored again, recalled or confirmed.
    pub last_seen_at: Timestamp,
    /// How often.
    pub access_count: u64,
    /// As stored, without decay.
    pub confidence: f32,
    /// 0 to 1.
    pub importance: f32,
    /// Hash of the text.
    pub text_hash: u64,
    /// The operation that last changed it.
    pub sequence: Sequence,
    /// Its text looks like orders to an agent, for a reason that is hardly ever wrong.
    pub is_suspect: bool,
    /// Its text is a turn of a conversation.
    pub(crate) is_turn: bool,
}

impl Row {
    /// Whether it waits for a person's word, because it looks like orders that no person gave.
    #[must_use]
    pub fn is_in_use_and_suspect(&self) -> bool {
        self.status == Status::Active && self.is_suspect && self.origin != Origin::User
    }

    /// Whether it may be put in front of an agent that did not ask: somebody stands behind it.
    #[must_use]
    pub fn is_shown_unasked(&self) -> bool {
        is_shown_unasked(self.origin, self.is_suspect)
    }

    /// Its topic, as a number that is the catalog's own: to group by, where the names do not
    /// matter.
    #[must_use]
    pub fn topic_number(&self) -> u32 {
        self.topic
    }

    /// Its kind, as a number that is the catalog's own.
    #[must_use]
    pub fn kind_number(&self) -> u32 {
        self.kind
    }

    /// Its scope, as a number that is the catalog's own.
    #[must_use]
    pub fn scope_number(&self) -> u32 {
        self.scope
    }

    /// Whether it is about a file.
    #[must_use]
    pub fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// Whether its scope is one of those with these numbers; see [`Catalog::scope_numbers`].
    #[must_use]
    pub fn is_in(&self, scopes: &[u32]) -> bool {
        scopes.contains(&self.scope)
    }
}

/// What a new version of a memory means to the other indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differs {
    /// Something that the word index holds is different.
    pub words: bool,
    /// The text, or whether it has a vector, is different.
    pub meaning: bool,
}

/// All rows and the maps over them.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    rows: Vec<Option<Row>>,
    pub(crate) topics: Interner,
    pub(crate) kinds: Interner,
    pub(crate) tags: Interner,
    pub(crate) scopes: Interner,
    pub(crate) sources: Interner,
    source_projects: Interner,
    branches: Interner,
    by_topic: HashMap<u32, BTreeSet<u32>>,
    by_source: HashMap<u32, BTreeSet<u32>>,
    by_text: HashMap<(u64, u32), u32>,
    /// Active memories with a text that `by_text` leads to another one for: those stored with
    /// force.
    same_texts: HashMap<(u64, u32), BTreeSet<u32>>,
    /// Quarantined memories by text and scope.
    waiting_texts: HashMap<(u64, u32), u32>,
    /// Superseded memories by text and scope.
    replaced_texts: HashMap<(u64, u32), u32>,
    by_status: BTreeMap<Status, u64>,
    graph: Graph,
    sequence: Sequence,
    touched: BTreeMap<u32, (u64, Timestamp)>,
    /// Memories that came by themselves and may say what was forgotten, each with when it came.
    uncompared: BTreeMap<u32, Timestamp>,
}

impl Catalog {
    /// Whether a memory may be put in front of an agent that did not ask: somebody stands behind
    /// it, and it does not wait to be compared with what was forgotten.
    #[must_use]
    pub fn is_shown_unasked(&self, number: MemoryNumber, row: &Row) -> bool {
        row.is_shown_unasked() && !self.uncompared.contains_key(&number.0)
    }

    /// Memories that wait to be compared with what was forgotten, the newest first, each with when
    /// it came.
    pub fn uncompared(&self) -> impl Iterator<Item = (MemoryNumber, Timestamp)> {
        let newest_first = self.uncompared.iter().rev();
        newest_first.map(|(number, at)| (MemoryNumber(*number), *at))
    }

    /// Whether a memory waits to be compared with what was forgotten.
    #[must_use]
    pub fn is_uncompared(&self, number: MemoryNumber) -> bool {
        self.uncompared.contains_key(&number.0)
    }

    /// Has a memory that came by itself compared with what was forgotten.
    pub(crate) fn await_comparison(&mut self, number: MemoryNumber, at: Timestamp) {
        self.uncompared.insert(number.0, at);
    }

    /// Notes that a memory was compared.
    pub(crate) fn note_compared(&mut self, number: MemoryNumber) {
        self.uncompared.remove(&number.0);
    }

    /// Returns a row.
    #[must_use]
    pub fn row(&self, number: MemoryNumber) -> Option<&Row> {
        self.rows.get(number.0 as usize)?.as_ref()
    }

    /// Every row with its number.
    pub fn rows(&self) -> impl Iterator<Item = (MemoryNumber, &Row)> {
        (0..)
            .map(MemoryNumber)
            .zip(&self.rows)
            .filter_map(|(number, row)| Some((number, row.as_ref()?)))
    }

    /// One more than the largest number.
    #[must_use]
    pub fn extent(&self) -> usize {
        self.rows.len()
    }

    /// Follows a commit: adds or replaces a memory's row. Returns what the indexes must follow.
    pub fn apply(&mut self, memory: &Memory) -> Differs {
        self.apply_hashed(memory, WordSet::text_hash(&memory.text))
    }

    /// Does so for a text whose hash is known.
    pub(crate) fn apply_hashed(&mut self, memory: &Memory, text_hash: u64) -> Differs {
        self.apply_columns(
            memory.number,
            &Columns::of(memory, &memory.scope.to_string()),
            text_hash,
        )
    }

    /// Makes room for so many memories, where all of them are to come.
    pub(crate) fn reserve(&mut self, memories: usize) {
        self.rows.reserve(memories);
        self.by_text.reserve(memories);
        self.graph.reserve(memories);
    }

    /// Does what [`Catalog::apply`] does with what is kept of a memory.
    pub(crate) fn apply_columns(
        &mut self,
        number: MemoryNumber,
        columns: &Columns<'_>,
        text_hash: u64,
    ) -> Differs {
        let mut row = self.make_row(columns, text_hash);
        let at = number.0 as usize;
        if self.rows.len() <= at {
            self.rows.resize_with(at + 1, || None);
        }
        let old = self.rows.get_mut(at).and_then(Option::take);
        let differs = Differs {
            words: old.as_ref().is_none_or(|old| !same_words(old, &row)),
            meaning: old.as_ref().is_none_or(|old| !same_meaning(old, &row)),
        };
        if let Some(old) = old {
            self.unlink(number.0, &old);
            // Accesses that no commit has written yet are known only here.
            row.access_count = row.access_count.max(old.access_count);
            row.last_seen_at = row.last_seen_at.max(old.last_seen_at);
        }
        self.link(number.0, &row);
        let successor = successor_of(columns);
        self.graph
            .apply_memory(number, columns.id, &columns.links, successor);
        self.sequence = self.sequence.max(row.sequence);
        if let Some(slot) = self.rows.get_mut(at) {
            *slot = Some(row);
        }
        differs
    }

    /// Finds the active memory with exactly this text in a scope; the oldest of several.
    #[must_use]
    pub fn same_text(&self, hash: u64, scope: &Scope) -> Option<MemoryNumber> {
        let scope = self.scopes.find(&scope.to_string())?;
        self.by_text.get(&(hash, scope)).copied().map(MemoryNumber)
    }

    /// Finds every active memory with exactly this text in a scope, the oldest first: several where
    /// it was stored with force.
    #[must_use]
    pub fn same_texts(&self, hash: u64, scope: &Scope) -> Vec<MemoryNumber> {
        let Some(scope) = self.scopes.find(&scope.to_string()) else {
            return Vec::new();
        };
        let text = (hash, scope);
        let oldest = self.by_text.get(&text).into_iter();
        oldest
            .chain(self.same_texts.get(&text).into_iter().flatten())
            .copied()
            .map(MemoryNumber)
            .collect()
    }

    /// Finds the quarantined memory with exactly this text in a scope; the newest of several.
    #[must_use]
    pub fn waiting_text(&self, hash: u64, scope: &Scope) -> Option<MemoryNumber> {
        let scope = self.scopes.find(&scope.to_string())?;
        let found = self.waiting_texts.get(&(hash, scope));
        found.copied().map(MemoryNumber)
    }

    /// Finds the superseded memory with exactly this text in a scope; the newest of several.
    #[must_use]
    pub fn replaced_text(&self, hash: u64, scope: &Scope) -> Option<MemoryNumber> {
        let scope = self.scopes.find(&scope.to_string())?;
        let found = self.replaced_texts.get(&(hash, scope));
        found.copied().map(MemoryNumber)
    }

    /// Every quarantined memory.
    pub fn quarantined(&self) -> impl Iterator<Item = (MemoryNumber, &Row)> {
        let rows = self.rows();
        rows.filter(|(_, row)| row.status == Status::Quarantined)
    }

    /// The memories whose source is one of the paths for which `is_wanted` holds.
    pub fn of_sources(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<MemoryNumber> {
        let wanted = self.sources.iter().filter(|(_, path)| is_wanted(path));
        wanted
            .filter_map(|(source, _)| self.by_source.get(&source))
            .flatten()
            .copied()
            .map(MemoryNumber)
            .collect()
    }

    /// The memories whose source is exactly this path, by whatever way it leads there.
    #[must_use]
    pub fn of_source(&self, path: &str) -> Vec<MemoryNumber> {
        let path = SourceRef::plain_path(path);
        let sources = spellings(&path)
            .into_iter()
            .filter_map(|path| self.sources.find(&path));
        let numbers = sources.filter_map(|source| self.by_source.get(&source));
        numbers.flatten().copied().map(MemoryNumber).collect()
    }

    /// Number of memories in each status, without those of examinations.
    #[must_use]
    pub fn count_by_status(&self) -> &BTreeMap<Status, u64> {
        &self.by_status
    }

    /// Every scope that any memory ever had.
    #[must_use]
    pub fn all_scopes(&self) -> Vec<Scope> {
        self.scope_names()
            .filter_map(|scope| Scope::parse(scope).ok())
            .collect()
    }

    /// Whether any memory ever had a scope for whose text `is_wanted` holds.
    #[must_use]
    pub fn has_scope(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        self.scope_names().any(is_wanted)
    }

    /// Number of distinct project scopes.
    #[must_use]
    pub fn project_count(&self) -> usize {
        self.scope_names()
            .filter(|scope| scope.starts_with("project:") && *scope != Scope::SCRATCH)
            .count()
    }

    /// Whether any memory was ever of this kind, so that a kind that the configuration dropped can
    /// still be searched for.
    #[must_use]
    pub fn has_kind(&self, kind: &str) -> bool {
        self.kinds.find(kind).is_some()
    }

    /// Whether a memory is an examination's, which nobody but the examination is to see.
    #[must_use]
    pub fn is_scratch(&self, number: MemoryNumber) -> bool {
        self.row(number)
            .is_some_and(|row| self.scope_of(row) == Scope::SCRATCH)
    }

    /// The newest operation that it has followed.
    #[must_use]
    pub fn sequence(&self) -> Sequence {
        self.sequence
    }

    /// Every link between two memories, from and to, in the order of the linking ones.
    pub fn links(&self) -> impl Iterator<Item = (MemoryNumber, MemoryNumber)> {
        self.graph.links()
    }

    /// How memories are related.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Follows a commit: an edge is new or different.
    pub(crate) fn apply_edge(&mut self, edge: &Edge) {
        self.graph.apply_edge(edge);
        self.sequence = self.sequence.max(edge.sequence);
    }

    /// Follows a commit: an edge is gone.
    pub(crate) fn remove_edge(&mut self, key: &EdgeKey) {
        self.graph.remove_edge(key);
    }

    /// Follows a commit: a memory is gone.
    pub(crate) fn remove(&mut self, number: MemoryNumber) {
        let Some(row) = self.rows.get_mut(number.0 as usize).and_then(Option::take) else {
            return;
        };
        self.unlink(number.0, &row);
        self.graph.remove_memory(number);
        self.touched.remove(&number.0);
        self.uncompared.remove(&number.0);
    }

    /// Returns a row's topic name.
    #[must_use]
    pub fn topic_of(&self, row: &Row) -> &str {
        self.topics.text(row.topic)
    }

    /// Returns a row's kind name.
    #[must_use]
    pub fn kind_of(&self, row: &Row) -> &str {
        self.kinds.text(row.kind)
    }

    /// Returns a row's tags.
    pub fn tags_of<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a str> {
        row.tags.iter().map(|&tag| self.tags.text(tag))
    }

    /// Returns the path of the file that a row is about.
    #[must_use]
    pub fn source_of(&self, row: &Row) -> Option<&str> {
        row.source.map(|source| self.sources.text(source))
    }

    /// Returns the project, as text, whose root the path of a row's source is relative to, where
    /// the memory says so itself.
    #[must_use]
    pub fn source_project_of(&self, row: &Row) -> Option<&str> {
        row.source_project
            .map(|project| self.source_projects.text(project))
    }

    /// Every scope that any memory ever had, as text.
    pub fn scope_names(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().map(|(_, scope)| scope)
    }

    /// Returns a row's scope as text.
    #[must_use]
    pub fn scope_of(&self, row: &Row) -> &str {
        self.scopes.text(row.scope)
    }

    /// Whether a memory was said last on this branch; not where it is unknown.
    #[must_use]
    pub(crate) fn is_of_branch(&self, row: &Row, branch: &str) -> bool {
        row.branch
            .is_some_and(|number| self.branches.text(number) == branch)
    }

    /// Counts an access of each memory, to be written with the next commit.
    pub fn touch(&mut self, numbers: &[MemoryNumber], at: Timestamp) {
        for number in numbers {
            if let Some(Some(row)) = self.rows.get_mut(number.0 as usize) {
                row.access_count = row.access_count.saturating_add(1);
                row.last_seen_at = row.last_seen_at.max(at);
                self.touched
                    .insert(number.0, (row.access_count, row.last_seen_at));
            }
        }
    }

    /// Whether there are accesses that no commit has written yet.
    #[must_use]
    pub fn has_touched(&self) -> bool {
        !self.touched.is_empty()
    }

    /// Takes the accesses that no commit has written yet.
    pub fn take_touched(&mut self) -> Vec<(MemoryNumber, u64, Timestamp)> {
        let touched = std::mem::take(&mut self.touched);
        touched
            .into_iter()
            .map(|(number, (count, at))| (MemoryNumber(number), count, at))
            .collect()
    }

    fn make_row(&mut self, columns: &Columns<'_>, text_hash: u64) -> Row {
        let project = columns
            .attributes
            .iter()
            .find(|(name, _)| *name == Memory::ATTRIBUTE_SOURCE_PROJECT);
        Row {
            topic: self.topics.intern(columns.topic),
            kind: self.kinds.intern(columns.kind),
            scope: self.scopes.intern(columns.scope),
            source: columns
                .source
                .map(|source| self.sources.intern(&SourceRef::plain_path(source))),
            source_project: project.map(|(_, project)| self.source_projects.intern(project)),
            branch: (!columns.branch.is_empty()).then(|| self.branches.intern(columns.branch)),
            tags: columns
                .tags
                .iter()
                .map(|tag| self.tags.intern(tag))
                .collect(),
            status: columns.status,
            origin: columns.origin,
            pinned: columns.pinned,
            valid_from: columns.valid_from,
            valid_to: columns.valid_to,
            recorded_at: columns.recorded_at,
            last_seen_at: columns.last_seen_at,
            access_count: columns.access_count,
            confidence: columns.confidence,
            importance: columns.importance,
            text_hash,
            sequence: columns.sequence,
            is_suspect: columns.is_suspect,
            is_turn: turn::spoken(columns.text).is_some(),
        }
    }

    fn link(&mut self, number: u32, row: &Row) {
        self.by_topic.entry(row.topic).or_default().insert(number);
        if let Some(source) = row.source {
            self.by_source.entry(source).or_default().insert(number);
        }
        if row.status == Status::Active {
            self.link_text(number, (row.text_hash, row.scope));
        }
        if row.status == Status::Quarantined {
            let text = (row.text_hash, row.scope);
            self.waiting_texts.insert(text, number);
        }
        if row.status == Status::Superseded {
            let text = (row.text_hash, row.scope);
            self.replaced_texts.insert(text, number);
        }
        if self.scope_of(row) != Scope::SCRATCH {
            *self.by_status.entry(row.status).or_default() += 1;
        }
    }

    fn unlink(&mut self, number: u32, row: &Row) {
        if let Some(numbers) = self.by_topic.get_mut(&row.topic) {
            numbers.remove(&number);
        }
        if let Some(numbers) = row
            .source
            .and_then(|source| self.by_source.get_mut(&source))
        {
            numbers.remove(&number);
        }
        let text = (row.text_hash, row.scope);
        if self.waiting_texts.get(&text) == Some(&number) {
            self.waiting_texts.remove(&text);
        }
        if self.replaced_texts.get(&text) == Some(&number) {
            self.replaced_texts.remove(&text);
        }
        if row.status == Status::Active {
            self.unlink_text(number, (row.text_hash, row.scope));
        }
        if self.scopes.text(row.scope) != Scope::SCRATCH
            && let Some(count) = self.by_status.get_mut(&row.status)
        {
            *count -= 1;
        }
    }
}

impl Catalog {
    /// Keeps the oldest of several in `by_text`, so that following commits and reading the store
    /// lead to the same maps.
    fn link_text(&mut self, number: u32, text: (u64, u32)) {
        let oldest = self.by_text.entry(text).or_insert(number);
        let younger = number.max(*oldest);
        *oldest = number.min(*oldest);
        if younger != *oldest {
            self.same_texts.entry(text).or_default().insert(younger);
        }
    }

    fn unlink_text(&mut self, number: u32, text: (u64, u32)) {
        let Some(others) = self.same_texts.get_mut(&text) else {
            self.by_text.remove(&text);
            return;
        };
        if self.by_text.get(&text) == Some(&number) {
            let next = others.pop_first();
            next.and_then(|next| self.by_text.insert(text, next));
        } else {
            others.remove(&number);
        }
        if others.is_empty() {
            self.same_texts.remove(&text);
        }
    }
}

/// What took a memory's place, as its record says.
fn successor_of(columns: &Columns<'_>) -> Option<MemoryId> {
    let attribute = |(name, _): &&(&str, &str)| *name == Memory::ATTRIBUTE_SUPERSEDED_BY;
    let (_, id) = columns.attributes.iter().find(attribute)?;
    let id = uuid::Uuid::parse_str(id).ok()?;
    Some(MemoryId::from_bytes(*id.as_bytes()))
}

fn same_words(old: &Row, new: &Row) -> bool {
    same_meaning(old, new)
        && old.topic == new.topic
        && old.tags == new.tags
        && old.source == new.source
}

fn same_meaning(old: &Row, new: &Row) -> bool {
    old.text_hash == new.text_hash && old.status.is_indexed() == new.status.is_indexed()
}
