//! Requests as a daemon would make them.

use helix_engine::{Request, Strand};
use helix_memory::{Actor, Admitted, Draft, Edit, Kinds, MemoryNumber, Origin, Scope, Timestamp};

/// A microsecond count that a test's clock starts from: some day in 2026.
const EPOCH_MICROS: i64 = 1_790_000_000_000_000;

/// The time of a test's `tick`, a second apart.
pub(crate) fn at(tick: u64) -> Timestamp {
    Timestamp::from_micros(EPOCH_MICROS + i64::try_from(tick).unwrap() * 1_000_000)
}

pub(crate) fn actor() -> Actor {
    Actor {
        origin: Origin::Agent,
        agent: "test".to_owned(),
        session: "s".to_owned(),
        ..Actor::default()
    }
}

pub(crate) fn store(
    topic: &str,
    text: &str,
    force: bool,
    entropy: [u8; 10],
    at: Timestamp,
) -> Request {
    let draft = Draft {
        topic: topic.to_owned(),
        text: text.to_owned(),
        ..Draft::default()
    };
    let admitted = Box::new(Admitted::of(draft, &Scope::Global, &Kinds::default()).unwrap());
    let words = Box::new(Strand::read_words(&admitted));
    Request::Store {
        admitted,
        words,
        links: Vec::new(),
        stamps: None,
        force,
        corrects: Vec::new(),
        entropy,
        actor: actor(),
        at,
    }
}

pub(crate) fn edit(number: u32, edit: Edit, at: Timestamp) -> Request {
    Request::Edit {
        number: MemoryNumber(number),
        edit,
        expected: None,
        actor: actor(),
        at,
    }
}
