//! The imported memories that are compared: each with those of the import before it, found by their
//! words as in a batch, and with what else the strand has, found by the word index.
//!
//! To ask the word index for each, and to read each neighbour again, costs three times what all else
//! of an import does.

use std::collections::{HashMap, HashSet};

use helix_engine::{Correction, ReadError, StoreError, Strand};
use helix_memory::{
    Keys, Memory, MemoryNumber, Nearby, Scope, Statement, Status, TextStanding as Standing,
    Verdict, WordSet, relate,
};

/// Statuses of memories that are compared: in use, or waiting for a person.
const STATUSES: [Status; 2] = [Status::Active, Status::Quarantined];

/// Memories that are read from the store at once.
const READ_MEMORIES: usize = 256;

/// Bytes of texts whose statements are kept; a statement takes some twenty times its text.
const STATEMENTS_MAX_BYTES: usize = 4 * 1024 * 1024;

/// Imported memories that are compared with each other and with the rest of the strand.
pub(super) struct Compared<'s> {
    strand: &'s Strand,
    members: Vec<Member>,
    places: HashMap<MemoryNumber, usize>,
    /// Those that were compared already and are still in use.
    nearby: Nearby,
    statements: Statements,
    /// The first memory that is not of the import; `None` where all are.
    first_other: Option<MemoryNumber>,
    /// How many were compared.
    done: usize,
}

/// An imported memory, as far as it is compared.
struct Member {
    number: MemoryNumber,
    scope: Scope,
    standing: Standing,
    keys: Keys,
    text: String,
}

impl Member {
    fn of(memory: &Memory) -> Self {
        let text = Statement::read_part(&memory.text);
        Self {
            number: memory.number,
            scope: memory.scope.clone(),
            standing: Standing {
                by: memory.origin,
                confidence: memory.confidence,
            },
            keys: Keys::of(text),
            text: text.to_owned(),
        }
    }
}

impl<'s> Compared<'s> {
    /// Reads those of some imported memories that are in use or wait.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn read(strand: &'s Strand, imported: &[MemoryNumber]) -> Result<Self, StoreError> {
        let mut members = Vec::with_capacity(imported.len());
        for numbers in imported.chunks(READ_MEMORIES) {
            let memories = strand.memories(numbers)?;
            let compared = memories.iter().filter(|memory| is_compared(memory));
            members.extend(compared.map(Member::of));
        }
        let numbered = members.iter().map(|member| member.number);
        Ok(Self {
            first_other: first_other(strand, imported),
            places: numbered.zip(0..).collect(),
            nearby: Nearby::among(members.iter().map(|member| &member.keys)),
            statements: Statements::default(),
            strand,
            members,
            done: 0,
        })
    }

    /// What the next memory means to those before it; `None` behind the last.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub(super) fn next_corrections(&mut self) -> Result<Option<Vec<Correction>>, ReadError> {
        let place = self.done;
        let Some(member) = self.members.get(place) else {
            return Ok(None);
        };
        self.done += 1;
        let mut corrections = self.of_others(member)?;
        for earlier in self.nearby.resembling(&member.keys) {
            let Some(known) = self.members.get(earlier) else {
                continue;
            };
            let is_of_scope = known.scope == member.scope;
            if is_of_scope && self.statements.relate(known, member) != Verdict::Apart {
                corrections.extend(self.correction(known, member)?);
            }
        }
        self.nearby.add(place, member.keys.clone());
        Ok(Some(corrections))
    }

    /// The memory that was compared last, as it is now.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn latest(&self) -> Result<Option<Memory>, StoreError> {
        match self.members.get(self.done.saturating_sub(1)) {
            Some(member) => self.memory(member),
            None => Ok(None),
        }
    }

    /// Compares nothing further with a memory that is out of use.
    pub(super) fn take_out(&mut self, number: MemoryNumber) {
        if let Some(place) = self.places.get(&number) {
            self.nearby.remove(*place);
        }
    }

    /// What a memory means to those before it that the import did not bring.
    fn of_others(&self, member: &Member) -> Result<Vec<Correction>, ReadError> {
        if self.first_other.is_none_or(|first| first > member.number) {
            return Ok(Vec::new());
        }
        let is_wanted = |number| number < member.number && !self.places.contains_key(&number);
        let neighbours =
            self.strand
                .neighbours_where(&member.text, &member.scope, &STATUSES, is_wanted)?;
        if neighbours.is_empty() {
            return Ok(Vec::new());
        }
        let words = WordSet::of(&member.text);
        let new = self.strand.statement(&member.text);
        let concerned = self.strand.concerned(&neighbours, &new, &words)?;
        Ok(self
            .strand
            .corrections(&new, member.standing, &words, &concerned))
    }

    /// What a memory means to an earlier one of the import, as that is now.
    fn correction(&self, known: &Member, new: &Member) -> Result<Option<Correction>, StoreError> {
        let memory = self.memory(known)?.filter(is_compared);
        let of = |member: &Member| self.strand.statement(&member.text);
        Ok(memory.and_then(|memory| Correction::of(&of(known), &of(new), &memory, new.standing)))
    }

    fn memory(&self, member: &Member) -> Result<Option<Memory>, StoreError> {
        Ok(self.strand.memories(&[member.number])?.pop())
    }
}

fn is_compared(memory: &Memory) -> bool {
    STATUSES.contains(&memory.status)
}

/// The first memory in use that is not among these.
fn first_other(strand: &Strand, imported: &[MemoryNumber]) -> Option<MemoryNumber> {
    let imported: HashSet<MemoryNumber> = imported.iter().copied().collect();
    let catalog = strand.catalog();
    catalog
        .rows()
        .filter(|(number, row)| STATUSES.contains(&row.status) && !imported.contains(number))
        .map(|(number, _)| number)
        .min()
}

/// Statements of the import's memories, as many as there is room for.
#[derive(Default)]
struct Statements {
    by_number: HashMap<MemoryNumber, Statement>,
    bytes: usize,
}

impl Statements {
    /// What one memory's text means to that of an earlier one.
    fn relate(&mut self, known: &Member, new: &Member) -> Verdict {
        if self.bytes > STATEMENTS_MAX_BYTES {
            *self = Self::default();
        }
        self.keep(known);
        self.keep(new);
        let found = self
            .by_number
            .get(&known.number)
            .zip(self.by_number.get(&new.number));
        found.map_or(Verdict::Apart, |(known, new)| relate(known, new))
    }

    fn keep(&mut self, member: &Member) {
        if self.by_number.contains_key(&member.number) {
            return;
        }
        self.bytes += member.text.len();
        self.by_number
            .insert(member.number, Statement::of(&member.text));
    }
}
