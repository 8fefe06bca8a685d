//! `Purge` as the wire has it.

use helix_app::Refusal;
use helix_app::purge::{Answer, Confirmed, Going, Wanted};
use helix_memory::{MemoryId, Timestamp};
use helix_proto::v1;

use super::checkpoint::task_checkpoint;
use super::told;

/// Reads what is to be purged.
pub(crate) fn wanted(wire: v1::PurgeRequest) -> Result<Wanted, Refusal> {
    let v1::PurgeRequest {
        references,
        session,
        origin,
        since_us,
        confirmed,
        confirmed_checkpoints_us,
        ..
    } = wire;
    let confirmed: Result<Vec<MemoryId>, Refusal> =
        confirmed.iter().map(|id| self::id(id)).collect();
    Ok(Wanted {
        references,
        session,
        origin,
        since: since_us.map(Timestamp::from_micros),
        confirmed: Confirmed {
            memories: confirmed?,
            checkpoints: confirmed_checkpoints_us
                .into_iter()
                .map(Timestamp::from_micros)
                .collect(),
        },
    })
}

fn id(bytes: &[u8]) -> Result<MemoryId, Refusal> {
    let bytes = bytes.try_into();
    bytes
        .map(MemoryId::from_bytes)
        .map_err(|_| Refusal::invalid("a confirmed id does not have 16 bytes"))
}

/// Writes what purging came to.
pub(crate) fn answer(answer: Answer) -> v1::PurgeReply {
    v1::PurgeReply {
        memories: answer.memories.iter().map(going).collect(),
        done: answer.done,
        notes: answer.notes,
        checkpoints: answer.checkpoints.iter().map(task_checkpoint).collect(),
    }
}

fn going(going: &Going) -> v1::PurgedMemory {
    v1::PurgedMemory {
        memory: Some(told(&going.memory)),
        derived_from: going.derived_from.clone(),
    }
}
