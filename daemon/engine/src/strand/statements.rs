//! Texts that were read to be compared, as many as there is room for: each write is compared with
//! the same few memories as the last one, and reading a text costs more than comparing it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use helix_memory::consolidate::{Outline, Sought};
use helix_memory::{Statement, WordSet};
use rustc_hash::FxHashMap;

use super::Strand;

/// Bytes of texts of one half of what is kept; what is read takes some twenty times its text.
const HALF_MAX_BYTES: usize = 512 * 1024;

/// Jaccard similarity below which two texts are not compared as statements: reading them costs
/// more than all else of a store.
const COMPARED_ALIKE_MIN: f32 = 0.08;

/// A new text that known ones are compared with.
pub(super) struct Compared<'n> {
    words: &'n WordSet,
    sought: Sought,
    is_unspaced: bool,
}

impl<'n> Compared<'n> {
    /// A text that was read, and its words.
    pub(super) fn new(new: &Statement, words: &'n WordSet) -> Self {
        Self {
            words,
            sought: Sought::of(new),
            is_unspaced: new.is_unspaced(),
        }
    }
}

/// What was read of a text.
pub(super) struct Read {
    /// Bytes of the text.
    bytes: usize,
    pub(super) words: WordSet,
    /// Read when somebody compares it.
    outline: OnceLock<Outline>,
    /// Read when somebody needs it: most texts cannot mean anything to each other.
    statement: OnceLock<Arc<Statement>>,
}

impl Read {
    /// Returns whether a new text may say more of this one than that both stand.
    pub(super) fn may_be_corrected(&self, text: &str, new: &Compared<'_>) -> bool {
        self.is_near(new) && self.outline(text).may_concern(&new.sought)
    }

    /// Returns whether the text needs no look beside a new one, as far as that was read already:
    /// the new one neither repeats it nor corrects it.
    pub(super) fn is_of_no_concern(&self, new: &Compared<'_>) -> bool {
        if new.words.jaccard(&self.words) > WordSet::NEAR_DUPLICATE {
            return false;
        }
        let is_apart = |outline: &Outline| !outline.may_concern(&new.sought);
        !self.is_near(new) || self.outline.get().is_some_and(is_apart)
    }

    fn is_near(&self, new: &Compared<'_>) -> bool {
        new.is_unspaced || new.words.jaccard(&self.words) >= COMPARED_ALIKE_MIN
    }

    /// Tells that the text, from which this was read, needs no comparison.
    fn outline(&self, text: &str) -> &Outline {
        self.outline.get_or_init(|| Outline::of(text))
    }

    /// The statement of the text that this was read from.
    pub(super) fn statement(&self, text: &str) -> &Arc<Statement> {
        self.statement.get_or_init(|| Arc::new(Statement::of(text)))
    }
}

/// Texts that were read, by their hashes. The younger half is looked into first; when it is
/// full, it becomes the older one, and what nobody asked for since is dropped.
#[derive(Default)]
pub(super) struct Statements(Mutex<Halves>);

#[derive(Default)]
struct Halves {
    younger: FxHashMap<u64, Arc<Read>>,
    older: FxHashMap<u64, Arc<Read>>,
    /// Bytes of the texts of the younger half.
    bytes: usize,
}

impl Statements {
    fn of(&self, text: &str) -> Arc<Read> {
        let hash = WordSet::text_hash(text);
        if let Some(known) = self.known(hash) {
            return known;
        }
        // Nobody waits for a text that another one reads.
        let read = Arc::new(Read {
            bytes: text.len(),
            words: WordSet::of(text),
            outline: OnceLock::new(),
            statement: OnceLock::new(),
        });
        self.halves(|halves| halves.keep(hash, Arc::clone(&read)));
        read
    }

    /// The text of a hash, if it was read before and there was room.
    pub(super) fn known(&self, hash: u64) -> Option<Arc<Read>> {
        self.halves(|halves| halves.known(hash))
    }

    fn halves<T>(&self, ask: impl FnOnce(&mut Halves) -> T) -> T {
        ask(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Halves {
    fn known(&mut self, hash: u64) -> Option<Arc<Read>> {
        if let Some(known) = self.younger.get(&hash) {
            return Some(Arc::clone(known));
        }
        let known = self.older.remove(&hash)?;
        self.keep(hash, Arc::clone(&known));
        Some(known)
    }

    fn keep(&mut self, hash: u64, read: Arc<Read>) {
        if self.bytes + read.bytes > HALF_MAX_BYTES {
            self.older = std::mem::take(&mut self.younger);
            self.bytes = 0;
        }
        self.bytes += read.bytes;
        self.younger.insert(hash, read);
    }
}

impl Strand {
    /// Reads a text, or finds what was read of it before.
    pub(super) fn reading(&self, text: &str) -> Arc<Read> {
        self.statements.of(text)
    }

    /// Reads a text as a statement, or finds it as it was read before.
    #[must_use]
    pub fn statement(&self, text: &str) -> Arc<Statement> {
        Arc::clone(self.reading(text).statement(text))
    }

    /// Drops what was read of all texts.
    pub(super) fn forget_statements(&self) {
        self.statements.halves(|halves| *halves = Halves::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The importer listens on 8081";

    #[test]
    fn a_text_is_read_once_while_there_is_room() {
        let statements = Statements::default();
        let first = statements.of(TEXT);
        let again = statements.of(TEXT);
        assert!(Arc::ptr_eq(&first, &again));
        assert!(Arc::ptr_eq(first.statement(TEXT), again.statement(TEXT)));
        assert_eq!(**first.statement(TEXT), Statement::of(TEXT));
        assert_eq!(first.words, WordSet::of(TEXT));
        let other = "The importer listens on 8082";
        assert!(!Arc::ptr_eq(&first, &statements.of(other)));
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_bounded() {
        let statements = Statements::default();
        let asked = statements.of(TEXT);
        let filler = "word ".repeat(100);
        for number in 0..4 * HALF_MAX_BYTES / filler.len() {
            statements.of(&format!("{filler}{number}"));
            assert!(
                Arc::ptr_eq(&asked, &statements.of(TEXT)),
                "dropped at {number}"
            );
        }
        let kept = statements.halves(|halves| {
            let texts = halves.younger.values().chain(halves.older.values());
            texts.map(|read| read.bytes).sum::<usize>()
        });
        assert!(kept <= 2 * HALF_MAX_BYTES, "{kept}");
        assert!(kept > HALF_MAX_BYTES, "{kept}");
    }
}
