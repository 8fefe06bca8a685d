//! How the indexes and the embedder fare.

use helix_engine::{MeaningStatus, SpaceRole};
use helix_memory::Sequence;

use crate::ports::EmbedderState;
use crate::{App, Refusal};

/// An index of the strand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: &'static str,
    /// Everything up to here is in it.
    pub watermark: Sequence,
    /// Number of its entries.
    pub entries: u64,
    /// Why it does not work; empty when it does.
    pub problem: String,
}

/// The last operation of the strand.
///
/// # Errors
/// When the disk fails.
pub fn newest(app: &App) -> Result<Sequence, Refusal> {
    Ok(app.memory.strand.snapshot()?.sequence()?)
}

/// Describes the word index and the vectors.
///
/// # Errors
/// When the word index cannot be read.
pub fn indexes(app: &App, newest: Sequence) -> Result<[Index; 2], Refusal> {
    let documents = app.memory.strand.lexical().document_count();
    let words = Index {
        name: "lexical",
        // What is not in a segment yet is searched as well, so that each acknowledged write is
        // found.
        watermark: newest,
        entries: documents.map_err(|error| Refusal::internal(error.to_string()))?,
        problem: String::new(),
    };
    let meaning = app
        .memory
        .strand
        .meaning_status(SpaceRole::Answering, newest);
    let vectors = Index {
        name: "vectors",
        watermark: meaning.watermark,
        entries: meaning.vectors as u64,
        problem: match app.memory.embedder.state() {
            EmbedderState::Failed(why) | EmbedderState::Absent(why) => why,
            EmbedderState::Off | EmbedderState::Loading | EmbedderState::Ready(_) => String::new(),
        },
    };
    Ok([words, vectors])
}

/// The embedder's abilities, and how much waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// Its present state.
    pub state: EmbedderState,
    /// Memories that wait for a vector.
    pub pending: u64,
    /// Memories that wait to be compared with what was forgotten, and what was forgotten and waits
    /// for its vector.
    pub uncompared: u64,
    /// The space that another model makes meanwhile; without a model's name where none does.
    pub next: MeaningStatus,
}

impl Embedding {
    /// Describes the embedder.
    #[must_use]
    pub fn of(app: &App, newest: Sequence) -> Self {
        let strand = &app.memory.strand;
        let answering = strand.meaning_status(SpaceRole::Answering, newest);
        Self {
            state: app.memory.embedder.state(),
            pending: answering.pending as u64,
            uncompared: strand.uncompared() as u64,
            next: strand.meaning_status(SpaceRole::Next, newest),
        }
    }

    /// How searching goes on without it, and why; when it is ready, how far another model's vectors
    /// are, if any are made.
    #[must_use]
    pub fn detail(&self) -> String {
        match &self.state {
            EmbedderState::Off => "switched off: searching by words only".to_owned(),
            EmbedderState::Absent(why) | EmbedderState::Failed(why) => {
                format!("searching by words only: {why}")
            }
            EmbedderState::Loading => "searching by words until it is loaded".to_owned(),
            EmbedderState::Ready(_) if self.next.model.is_empty() => String::new(),
            EmbedderState::Ready(_) => {
                let MeaningStatus {
                    model,
                    vectors,
                    pending,
                    ..
                } = &self.next;
                let all = vectors + pending;
                // Readers know it by its name, not by its hash.
                let model = model.split('@').next().unwrap_or(model);
                format!("answering while the vectors of {model} are made: {vectors} of {all}")
            }
        }
    }
}
