//! Reading the words of a batch: almost half of an import's work, so two threads share it while the writer has the batch before.

use std::thread;

use helix_engine::model::{Actor, Timestamp};
use helix_engine::policy::admit::Admitted;
use helix_engine::ports::Randomness;
use helix_engine::store::Stamps;
use helix_engine::strand::{Request, Strand};

use crate::system::SystemRandomness;

/// Requests from which sharing them pays for a thread.
const SHARED_MIN: usize = 64;

/// What goes into the next batch.
pub(super) enum Waiting {
    /// As it is.
    Ready(Request),
    /// When its words are read.
    Unread(Box<Unread>),
}

/// A memory to store whose words nobody has read.
pub(super) struct Unread {
    /// What to store.
    pub(super) admitted: Admitted,
    /// What it brings along.
    pub(super) stamps: Stamps,
    /// When.
    pub(super) at: Timestamp,
}

/// Makes requests, in the same order.
pub(super) fn read(mut waiting: Vec<Waiting>, actor: &Actor) -> Vec<Request> {
    let second = waiting.split_off(if waiting.len() < SHARED_MIN { waiting.len() } else { waiting.len() / 2 });
    if second.is_empty() {
        return all(waiting, actor);
    }
    thread::scope(|scope| {
        let own = scope.spawn(|| all(waiting, actor));
        let second = all(second, actor);
        // A panic there is a panic here, as if the work had not been shared.
        let mut requests = own.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        requests.extend(second);
        requests
    })
}

fn all(waiting: Vec<Waiting>, actor: &Actor) -> Vec<Request> {
    waiting.into_iter().map(|waiting| request(waiting, actor)).collect()
}

fn request(waiting: Waiting, actor: &Actor) -> Request {
    match waiting {
        Waiting::Ready(request) => request,
        Waiting::Unread(unread) => {
            let Unread { admitted, stamps, at } = *unread;
            Request::Store {
                words: Box::new(Strand::read_words(&admitted)),
                admitted: Box::new(admitted),
                links: Vec::new(),
                stamps: Some(Box::new(stamps)),
                force: false,
                entropy: SystemRandomness.entropy(),
                actor: actor.clone(),
                at,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use helix_engine::model::{Draft, Kinds, MemoryNumber, Origin, Scope};
    use helix_engine::policy::admit::admit;
    use helix_engine::policy::edit::Edit;

    use super::*;

    #[test]
    fn requests_keep_their_order() {
        let actor = Actor { origin: Origin::Import, agent: String::new(), session: String::new() };
        let at = Timestamp::from_micros(7);
        let waiting = (0..=SHARED_MIN * 2).map(|place| {
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
            let draft = Draft { topic: "build".to_owned(), text: place.to_string(), ..Draft::default() };
            let admitted = admit(draft, &Scope::Global, &Kinds::default()).unwrap();
            Waiting::Unread(Box::new(Unread { admitted, stamps: Stamps::default(), at }))
        });
        let read = read(waiting.collect(), &actor);
        let places: Vec<String> = read
            .iter()
            .map(|request| match request {
                Request::Edit { number, .. } => number.0.to_string(),
                Request::Store { admitted, .. } => admitted.text.clone(),
                _ => String::new(),
            })
            .collect();
        assert!(places.iter().enumerate().all(|(place, read)| *read == place.to_string()), "{places:?}");
    }
}
