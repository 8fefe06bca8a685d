//! Texts that were read to be compared, as many as there is room for: each write is compared with
//! the same few memories as the last one, and reading a text costs more than comparing it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;
use helix_memory::consolidate::Outline;
use helix_memory::{Statement, WordSet};

use super::Strand;

/// Bytes of texts of one half of what is kept; what is read takes some twenty times its text.
const HALF_MAX_BYTES: usize = 512 * 1024;

/// What was read of a text.
pub(super) struct Read {
    pub(super) words: WordSet,
    /// Read when somebody compares it.
    outline: OnceLock<Outline>,
    /// Read when somebody needs it: most texts cannot mean anything to each other.
    statement: OnceLock<Arc<Statement>>,
}

impl Read {
    /// What tells that the text, from which this was read, needs no comparison.
    pub(super) fn outline(&self, text: &str) -> &Outline {
        self.outline.get_or_init(|| Outline::of(text))
    }

    /// The statement of the text that this was read from.
    pub(super) fn statement(&self, text: &str) -> &Arc<Statement> {
        self.statement.get_or_init(|| Arc::new(Statement::of(text)))
    }
}

/// What was read, by the texts. The younger half is looked into first; when it is full, it becomes
/// the older one, and what nobody asked for since is dropped.
#[derive(Default)]
pub(super) struct Statements(Mutex<Halves>);

#[derive(Default)]
struct Halves {
    younger: HashMap<Box<str>, Arc<Read>>,
    older: HashMap<Box<str>, Arc<Read>>,
    /// Bytes of the texts of the younger half.
    bytes: usize,
}

impl Statements {
    fn of(&self, text: &str) -> Arc<Read> {
        if let Some(known) = self.halves(|halves| halves.known(text)) {
            return known;
        }
        // Nobody waits for a text that another one reads.
        let read = Arc::new(Read {
            words: WordSet::of(text),
            outline: OnceLock::new(),
            statement: OnceLock::new(),
        });
        self.halves(|halves| halves.keep(text.into(), Arc::clone(&read)));
        read
    }

    fn halves<T>(&self, ask: impl FnOnce(&mut Halves) -> T) -> T {
        ask(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Halves {
    fn known(&mut self, text: &str) -> Option<Arc<Read>> {
        if let Some(known) = self.younger.get(text) {
            return Some(Arc::clone(known));
        }
        let (text, known) = self.older.remove_entry(text)?;
        self.keep(text, Arc::clone(&known));
        Some(known)
    }

    fn keep(&mut self, text: Box<str>, read: Arc<Read>) {
        if self.bytes + text.len() > HALF_MAX_BYTES {
            self.older = std::mem::take(&mut self.younger);
            self.bytes = 0;
        }
        self.bytes += text.len();
        self.younger.insert(text, read);
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
            let texts = halves.younger.keys().chain(halves.older.keys());
            texts.map(|text| text.len()).sum::<usize>()
        });
        assert!(kept <= 2 * HALF_MAX_BYTES, "{kept}");
        assert!(kept > HALF_MAX_BYTES, "{kept}");
    }
}
