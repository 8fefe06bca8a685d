//! What is known already: in the knowledge base, in the review, and of this run.

use std::collections::{HashSet, VecDeque};

use helix_capture::Novelty;
use helix_engine::Correction;
use helix_memory::{
    Admitted, Memory, Origin, Particulars, Scope, Status, TextStanding as Standing, Verdict,
    WordSet,
};

use crate::{App, Refusal};

/// Facts of a run that are compared in other words than their own, the latest. Only a preview, which
/// keeps nothing, finds so many: what is kept is looked up in the review.
const COMPARED_MAX: usize = 5_000;

/// Characters of a slice that are compared: facts are short, and outputs of tools are not.
const COMPARED_MAX_CHARS: usize = 2_000;

/// What was found in this run and is not kept yet, in front of what waits in the review.
#[derive(Default)]
pub(super) struct Waiting {
    /// Hashes of texts, with their scopes.
    exact: HashSet<(u64, String)>,
    texts: VecDeque<Text>,
}

struct Text {
    scope: String,
    words: WordSet,
    particulars: Particulars,
}

impl Waiting {
    /// Whether a text, or nearly the same one about the same things, waits in a scope.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub(super) fn has(
        &self,
        app: &App,
        text: &str,
        hash: u64,
        scope: &Scope,
    ) -> Result<bool, Refusal> {
        let strand = &app.memory.strand;
        let named = scope.to_string();
        let is_exact = self.exact.contains(&(hash, named.clone()));
        if is_exact || strand.catalog().waiting_text(hash, scope).is_some() {
            return Ok(true);
        }
        let words = WordSet::of(text);
        if words.len() < WordSet::TOKENS_MIN {
            return Ok(false);
        }
        if self.has_alike(text, &words, &named) {
            return Ok(true);
        }
        let near = strand.neighbours_among(text, scope, &words, Status::Quarantined)?;
        let near = strand.memories(&near)?;
        Ok(strand.near_duplicate(text, &words, &near).is_some())
    }

    fn has_alike(&self, text: &str, words: &WordSet, scope: &str) -> bool {
        let particulars = Particulars::of(text);
        self.texts.iter().any(|known| {
            known.scope == scope
                && known.words.jaccard(words) > WordSet::NEAR_DUPLICATE
                && known.particulars.may_be_the_same(&particulars)
        })
    }

    /// Notes a text that was found.
    pub(super) fn note(&mut self, text: &str, hash: u64, scope: &Scope) {
        self.exact.insert((hash, scope.to_string()));
        if self.texts.len() == COMPARED_MAX {
            self.texts.pop_front();
        }
        self.texts.push_back(Text::of(text, scope));
    }

    /// Forgets what was found, now that it waits in the review.
    pub(super) fn are_kept(&mut self) {
        self.exact.clear();
        self.texts.clear();
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
        let near = near.and_then(|near| Ok(strand.memories(&near)?));
        let particulars = Particulars::of(&text);
        let alike = near
            .unwrap_or_default()
            .into_iter()
            .filter(|memory| !Particulars::of(&memory.text).are_apart(&particulars));
        let nearest = alike
            .map(|memory| words.jaccard(&WordSet::of(&memory.text)))
            .fold(0.0, f32::max);
        1.0 - f64::from(nearest)
    }

    fn are_apart(&self, one: &str, other: &str) -> bool {
        Particulars::of(one).are_apart(&Particulars::of(other))
    }
}

/// What is known of a text that was captured.
pub(super) enum Known {
    /// Nothing that it repeats or corrects.
    No,
    /// A memory that says the same.
    Same,
    /// A memory that it corrects or cannot stand beside.
    Against(Box<Memory>),
}

impl Known {
    /// Compares a text with what is known.
    ///
    /// # Errors
    /// When the disk or the word index fails.
    pub(super) fn of(app: &App, admitted: &Admitted, by: Origin) -> Result<Self, Refusal> {
        let strand = &app.memory.strand;
        let Admitted {
            text,
            text_hash,
            scope,
            ..
        } = admitted;
        if strand.catalog().same_text(*text_hash, scope).is_some() {
            return Ok(Self::Same);
        }
        let words = WordSet::of(text);
        let neighbours = strand.neighbours(text, scope, &words)?;
        let statement = strand.statement(text);
        let concerned = strand.concerned(&neighbours, &statement, &words)?;
        let standing = Standing {
            by,
            confidence: admitted.confidence,
        };
        let corrections = strand.corrections(&statement, standing, &words, &concerned);
        let corrects = |found: &Correction| found.verdict != Verdict::Extends;
        if let Some(against) = corrections.into_iter().find(corrects) {
            return Ok(Self::Against(Box::new(against.memory)));
        }
        Ok(match strand.near_duplicate(text, &words, &concerned) {
            Some(_) => Self::Same,
            None => Self::No,
        })
    }
}
