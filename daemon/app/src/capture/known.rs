//! What is known already: in the knowledge base, in the review, and of this run.

use std::collections::HashSet;

use helix_capture::Novelty;
use helix_engine::model::{MemoryNumber, Scope, Status};
use helix_engine::policy::apart::Particulars;
use helix_engine::policy::resemble::{NEAR_DUPLICATE, RESEMBLE_TOKENS_MIN, WordSet};

use crate::{App, Refusal};

/// Memories of the review that are compared in other words than their own, the newest.
const COMPARED_MAX: usize = 5_000;

/// Characters of a slice that are compared: facts are short, and outputs of tools are not.
const COMPARED_MAX_CHARS: usize = 2_000;

/// What waits in the review, or was found in this run.
#[derive(Default)]
pub(super) struct Waiting {
    /// Hashes of texts, with their scopes.
    exact: HashSet<(u64, String)>,
    texts: Vec<Text>,
}

struct Text {
    scope: String,
    words: WordSet,
    particulars: Particulars,
}

impl Waiting {
    /// Reads the review.
    ///
    /// # Errors
    /// When the disk fails.
    pub(super) fn read(app: &App) -> Result<Self, Refusal> {
        let mut waiting = Self::default();
        let mut newest: Vec<MemoryNumber> = Vec::new();
        {
            let catalog = app.memory.strand.catalog();
            let rows = catalog.rows();
            for (number, row) in rows.filter(|(_, row)| row.status == Status::Quarantined) {
                let scope = catalog.scope_of(row).to_owned();
                waiting.exact.insert((row.text_hash, scope));
                newest.push(number);
            }
        }
        let older = newest.len().saturating_sub(COMPARED_MAX);
        newest.drain(..older);
        for memory in app.memory.strand.memories(&newest)? {
            waiting.texts.push(Text::of(&memory.text, &memory.scope));
        }
        Ok(waiting)
    }

    /// Whether a text, or nearly the same one about the same things, waits in a scope.
    pub(super) fn has(&self, text: &str, hash: u64, scope: &Scope) -> bool {
        let scope = scope.to_string();
        if self.exact.contains(&(hash, scope.clone())) {
            return true;
        }
        let words = WordSet::of(text);
        if words.len() < RESEMBLE_TOKENS_MIN {
            return false;
        }
        let particulars = Particulars::of(text);
        self.texts.iter().any(|known| {
            known.scope == scope
                && known.words.jaccard(&words) > NEAR_DUPLICATE
                && !known.particulars.are_apart(&particulars)
        })
    }

    /// Notes a text that was found.
    pub(super) fn note(&mut self, text: &str, hash: u64, scope: &Scope) {
        self.exact.insert((hash, scope.to_string()));
        self.texts.push(Text::of(text, scope));
    }
}

impl Text {
    fn of(text: &str, scope: &Scope) -> Self {
        Self {
            scope: scope.to_string(),
            words: WordSet::of(text),
            particulars: Particulars::of(text),
        }
    }
}

/// The memories of a project, as the gate asks for them.
pub(super) struct Stored<'a> {
    pub(super) app: &'a App,
    pub(super) scope: &'a Scope,
}

impl Novelty for Stored<'_> {
    fn novelty(&self, text: &str) -> f64 {
        let text: String = text.chars().take(COMPARED_MAX_CHARS).collect();
        let words = WordSet::of(&text);
        let strand = &self.app.memory.strand;
        // Where the index cannot be read, the text counts as new: the store decides again.
        let near = strand.neighbours(&text, self.scope, &words);
        let alike = near.unwrap_or_default().into_iter();
        let nearest = alike
            .map(|memory| words.jaccard(&WordSet::of(&memory.text)))
            .fold(0.0, f32::max);
        1.0 - f64::from(nearest)
    }
}
