//! Reading the words of a batch: almost half of an import's work, so a thread of its own does it
//! while the next batch is read from the file and the writer has the ones before. One thread for
//! the whole import, because it remembers the stems of words.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, Scope};

use helix_engine::{Request, Stamps, Strand};
use helix_memory::{Actor, Admitted, Timestamp};

use crate::App;
use crate::ports::{Later, Outcomes, Randomness, SubmitError};
use crate::threads::wait;

/// Batches that wait to be read.
const BATCHES_AHEAD: usize = 1;

/// The writer's answer about a batch, when it is durable.
type Answer = Later<'static, Result<Outcomes, SubmitError>>;

/// Reads batches and gives them to the writer, in the order in which they come. Its thread ends
/// when it is dropped.
pub(super) struct Reader {
    batches: SyncSender<Vec<Waiting>>,
    /// One for each batch, so the importer bounds how many there are.
    answers: Receiver<Result<Answer, SubmitError>>,
}

impl Reader {
    /// Starts the thread.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        app: &'scope App,
        actor: Actor,
    ) -> io::Result<Self> {
        let (batches, waiting) = sync_channel::<Vec<Waiting>>(BATCHES_AHEAD);
        let (answer, answers) = channel();
        let read = move || {
            for batch in waiting {
                let requests = all(batch, &actor, app.memory.randomness.as_ref());
                if answer.send(app.writer.submit_when_free(requests)).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("words".to_owned())
            .spawn_scoped(scope, read)?;
        Ok(Self { batches, answers })
    }

    /// Takes a batch that is not empty.
    ///
    /// # Errors
    /// When the thread has panicked.
    pub(super) fn take(&self, batch: Vec<Waiting>) -> Result<(), SubmitError> {
        self.batches.send(batch).map_err(|_| SubmitError::Stopping)
    }

    /// Waits for what became of the oldest batch that was taken and not asked about.
    ///
    /// # Errors
    /// [`SubmitError`]: nothing of the batch was acknowledged.
    pub(super) fn settled(&self) -> Result<Outcomes, SubmitError> {
        let answer = self.answers.recv().map_err(|_| SubmitError::Stopping)??;
        wait(answer)
    }
}

/// A part of the next batch.
#[expect(clippy::large_enum_variant, reason = "few of them wait at once")]
pub(super) enum Waiting {
    /// As it is.
    Ready(Request),
    /// When its words are read.
    Unread(Box<Unread>),
}

/// A memory to store whose words nobody has read.
pub(super) struct Unread {
    /// The memory to store.
    pub(super) admitted: Admitted,
    /// The stamps that it brings along.
    pub(super) stamps: Stamps,
    /// Stores it beside others with the same text.
    pub(super) force: bool,
    /// When.
    pub(super) at: Timestamp,
}

/// Makes requests, in the same order.
fn all(waiting: Vec<Waiting>, actor: &Actor, randomness: &dyn Randomness) -> Vec<Request> {
    waiting
        .into_iter()
        .map(|waiting| request(waiting, actor, randomness))
        .collect()
}

fn request(waiting: Waiting, actor: &Actor, randomness: &dyn Randomness) -> Request {
    match waiting {
        Waiting::Ready(request) => request,
        Waiting::Unread(unread) => {
            let Unread {
                admitted,
                stamps,
                force,
                at,
            } = *unread;
            Request::Store {
                words: Box::new(Strand::read_words(&admitted)),
                admitted: Box::new(admitted),
                links: Vec::new(),
                stamps: Some(Box::new(stamps)),
                force,
                corrects: Vec::new(),
                entropy: randomness.entropy(),
                actor: actor.clone(),
                at,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_memory::{Draft, Edit, Kinds, MemoryNumber, Origin, Scope};

    use super::*;

    /// Not random at all.
    struct Zeroes;

    impl Randomness for Zeroes {
        fn entropy(&self) -> [u8; 10] {
            [0; 10]
        }
    }

    #[test]
    fn requests_keep_their_order() {
        let actor = Actor {
            origin: Origin::Import,
            agent: String::new(),
            session: String::new(),
            ..Actor::default()
        };
        let at = Timestamp::from_micros(7);
        let waiting = (0..=130).map(|place| {
            if place % 3 == 0 {
                let number = MemoryNumber(u32::try_from(place).unwrap());
                return Waiting::Ready(Request::Edit {
                    number,
                    edit: Edit::Forget,
                    expected: None,
                    actor: actor.clone(),
                    at,
                });
            }
            let draft = Draft {
                topic: "build".to_owned(),
                text: place.to_string(),
                ..Draft::default()
            };
            let admitted = Admitted::of(draft, &Scope::Global, &Kinds::default()).unwrap();
            Waiting::Unread(Box::new(Unread {
                admitted,
                stamps: Stamps::default(),
                force: false,
                at,
            }))
        });
        let read = all(waiting.collect(), &actor, &Zeroes);
        let places: Vec<String> = read
            .iter()
            .map(|request| match request {
                Request::Edit { number, .. } => number.0.to_string(),
                Request::Store { admitted, .. } => admitted.text.clone(),
                _ => String::new(),
            })
            .collect();
        assert!(
            places
                .iter()
                .enumerate()
                .all(|(place, read)| *read == place.to_string()),
            "{places:?}"
        );
    }
}
