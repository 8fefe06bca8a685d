//! Which memory of the strand an entry of a file is. Every memory is at most one entry's, so that
//! what was stored twice comes back twice, and is found twice when the same file comes again.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use helix_engine::{Snapshot, StoreError, Strand};
use helix_memory::{Admitted, Memory, MemoryId, MemoryNumber, Scope, Status, Topic};

use super::incoming::Incoming;

/// The kind of an entry.
#[derive(Debug)]
pub(super) enum Match {
    /// This memory.
    Known(Box<Memory>),
    /// A memory with the same text that a later entry may be with more right: its id is another, or
    /// its topic.
    Perhaps,
    /// None that was there. A repeat says what an earlier entry said and has no name of its own.
    New { is_repeat: bool },
}

/// Memories that the strand had when the import began, and which of them the file has named so far.
pub(super) struct Known<'s> {
    strand: &'s Strand,
    home: Scope,
    /// Memories from this number on came later: those of the import itself are nobody's match.
    first_new: u32,
    /// The store as it was when the batch was begun; opening one for each memory would cost more
    /// than asking it.
    snapshot: Option<Snapshot>,
    taken: HashSet<MemoryNumber>,
    /// Memories out of use, by their texts' hashes: they are known too, and do not come back by
    /// themselves.
    retired: HashMap<u64, Vec<MemoryNumber>>,
    /// Hashes of what names an entry.
    named: HashSet<u64>,
}

impl<'s> Known<'s> {
    /// Knows what is there now; `home` is the scope of entries that name none.
    pub(super) fn new(strand: &'s Strand, home: Scope) -> Self {
        let catalog = strand.catalog();
        let first_new = u32::try_from(catalog.extent()).unwrap_or(u32::MAX);
        let mut retired: HashMap<u64, Vec<MemoryNumber>> = HashMap::new();
        for (number, row) in catalog
            .rows()
            .filter(|(_, row)| row.status != Status::Active)
        {
            retired.entry(row.text_hash).or_default().push(number);
        }
        Self {
            strand,
            home,
            first_new,
            snapshot: None,
            taken: HashSet::new(),
            retired,
            named: HashSet::new(),
        }
    }

    /// Looks at the store anew from now on.
    pub(super) fn refresh(&mut self) {
        self.snapshot = None;
    }

    /// Finds what the next entry is: the memory with its id, else one with its text in the same
    /// scope that no other entry is.
    pub(super) fn find(&mut self, incoming: &Incoming) -> Result<Match, StoreError> {
        let is_repeat = !incoming.is_record() && !self.named.insert(name(incoming));
        let of_id = incoming
            .memory
            .id
            .map(|id| self.of_id(&id))
            .transpose()?
            .flatten();
        if let Some(memory) = of_id {
            return Ok(self.take(memory));
        }
        let same = self.same_texts(incoming);
        if is_repeat {
            let memory = same
                .first()
                .map(|number| self.memory(*number))
                .transpose()?
                .flatten();
            return Ok(memory.map_or(Match::New { is_repeat }, |memory| {
                Match::Known(Box::new(memory))
            }));
        }
        let free = self.free(same, incoming);
        if free.is_empty() {
            return Ok(Match::New { is_repeat });
        }
        if incoming.memory.id.is_some() {
            return Ok(Match::Perhaps);
        }
        let memory = self
            .of_topic(&free, incoming)
            .map(|number| self.memory(number))
            .transpose()?
            .flatten();
        Ok(memory.map_or(Match::Perhaps, |memory| self.take(memory)))
    }

    /// Finds what an entry is that was put off: a memory with its text that is still no other
    /// entry's, of its own topic or `elsewhere` too.
    pub(super) fn settle(
        &mut self,
        incoming: &Incoming,
        elsewhere: bool,
    ) -> Result<Match, StoreError> {
        let free = self.free(self.same_texts(incoming), incoming);
        let best = self
            .of_topic(&free, incoming)
            .or_else(|| free.first().copied().filter(|_| elsewhere));
        let memory = best
            .map(|number| self.memory(number))
            .transpose()?
            .flatten();
        Ok(memory.map_or(Match::New { is_repeat: false }, |memory| self.take(memory)))
    }

    fn take(&mut self, memory: Memory) -> Match {
        self.taken.insert(memory.number);
        Match::Known(Box::new(memory))
    }

    /// Returns those of `same` that no other entry is; where none is left, what has the text and is
    /// out of use.
    fn free(&self, mut same: Vec<MemoryNumber>, incoming: &Incoming) -> Vec<MemoryNumber> {
        same.retain(|number| !self.taken.contains(number));
        let Some(retired) = self
            .retired
            .get(&incoming.text_hash)
            .filter(|_| same.is_empty())
        else {
            return same;
        };
        let catalog = self.strand.catalog();
        let scopes = catalog.scope_numbers(&[self.scope_of(incoming)]);
        let is_there = |number: &&MemoryNumber| {
            !self.taken.contains(number)
                && catalog.row(**number).is_some_and(|row| row.is_in(&scopes))
        };
        retired.iter().filter(is_there).copied().collect()
    }

    /// Returns those in use with the entry's text in its scope that were there before the import,
    /// from the oldest.
    fn same_texts(&self, incoming: &Incoming) -> Vec<MemoryNumber> {
        let catalog = self.strand.catalog();
        let of = |scope: &Scope| catalog.same_texts(incoming.text_hash, scope);
        let mut same: Vec<MemoryNumber> = if let Some(scope) = &incoming.memory.scope {
            of(scope)
        } else {
            let everywhere = of(&Scope::Global);
            let is_there = !everywhere.is_empty() && self.holds_everywhere(incoming);
            if is_there { everywhere } else { of(&self.home) }
        };
        same.retain(|number| number.0 < self.first_new);
        same
    }

    /// Where the entry is, or would be stored.
    fn scope_of(&self, incoming: &Incoming) -> Scope {
        match &incoming.memory.scope {
            Some(scope) => scope.clone(),
            None if self.holds_everywhere(incoming) => Scope::Global,
            None => self.home.clone(),
        }
    }

    fn holds_everywhere(&self, Incoming { memory, .. }: &Incoming) -> bool {
        Admitted::holds_everywhere(
            memory.kind.as_deref(),
            &memory.tags,
            &memory.text,
            self.strand.kinds(),
        )
    }

    fn of_topic(&self, numbers: &[MemoryNumber], incoming: &Incoming) -> Option<MemoryNumber> {
        let topic = Topic::parse(&incoming.memory.topic).ok()?;
        let catalog = self.strand.catalog();
        let is_there = |number: &&MemoryNumber| {
            catalog
                .row(**number)
                .is_some_and(|row| catalog.topic_of(row) == topic.as_str())
        };
        numbers.iter().find(is_there).copied()
    }

    fn of_id(&mut self, id: &MemoryId) -> Result<Option<Memory>, StoreError> {
        let number = self.snapshot()?.number_of_id(id)?;
        number
            .map(|number| self.memory(number))
            .transpose()
            .map(Option::flatten)
    }

    fn memory(&mut self, number: MemoryNumber) -> Result<Option<Memory>, StoreError> {
        match self.snapshot()?.memory(number)? {
            Some(known) => Ok(Some(known)),
            // The catalog may be ahead of the snapshot.
            None => Ok(self.strand.memories(&[number])?.pop()),
        }
    }

    fn snapshot(&mut self) -> Result<&Snapshot, StoreError> {
        let snapshot = match self.snapshot.take() {
            Some(snapshot) => snapshot,
            None => self.strand.snapshot()?,
        };
        Ok(self.snapshot.insert(snapshot))
    }
}

/// Returns an entry's name within its file: its id, else a hash of its text and handle.
fn name(incoming: &Incoming) -> u64 {
    let memory = &incoming.memory;
    let mut hasher = DefaultHasher::new();
    if let Some(id) = &memory.id {
        id.as_bytes().hash(&mut hasher);
    } else {
        let scope = memory.scope.as_ref().map(ToString::to_string);
        (incoming.text_hash, scope, &memory.topic, &memory.handle).hash(&mut hasher);
    }
    hasher.finish()
}
