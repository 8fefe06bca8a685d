//! `Store` and `StoreBatch` as the wire has them.

use helix_app::Refusal;
use helix_app::store::{Corrected, How, Item, NewMemory, Stored};
use helix_memory::Timestamp;
use helix_proto::v1;

use super::told;

/// Reads the one memory of a request.
pub(crate) fn only(wire: Option<v1::Draft>) -> Result<NewMemory, Refusal> {
    wire.map(new_memory)
        .ok_or_else(|| Refusal::invalid("the request has no draft; give topic and text"))
}

/// Reads the memories of a batch.
pub(crate) fn batch(wire: Vec<v1::Draft>) -> Vec<NewMemory> {
    wire.into_iter().map(new_memory).collect()
}

fn new_memory(wire: v1::Draft) -> NewMemory {
    let v1::Draft {
        topic,
        text,
        kind,
        tags,
        scope,
        source,
        links,
        importance,
        confidence,
        pinned,
        attributes,
        valid_from_us,
        summary,
        priority,
        weight,
    } = wire;
    NewMemory {
        topic,
        text,
        kind,
        tags,
        scope,
        source,
        links,
        importance,
        confidence,
        pinned,
        attributes: attributes.into_iter().collect(),
        valid_from: valid_from_us.map(Timestamp::from_micros),
        summary,
        priority,
        weight,
    }
}

/// Writes what storing one memory came to.
pub(crate) fn stored(stored: &Stored) -> v1::StoreReply {
    let outcome = match stored.how {
        How::New => v1::StoreOutcome::Stored,
        How::Reinforced => v1::StoreOutcome::Reinforced,
        How::Duplicate => v1::StoreOutcome::Duplicate,
        How::Extended => v1::StoreOutcome::Extended,
    };
    v1::StoreReply {
        outcome: outcome.into(),
        memory: Some(told(&stored.memory)),
        similarity: stored.similarity,
        warnings: stored.warnings.clone(),
        corrections: stored.corrected.iter().map(correction).collect(),
        inferred: stored.inferred.clone(),
    }
}

fn correction(corrected: &Corrected) -> v1::Correction {
    v1::Correction {
        handle: corrected.memory.handle.as_str().to_owned(),
        text: corrected.memory.text.clone(),
        is_replaced: corrected.is_replaced,
        why: corrected.why.sentence().to_owned(),
    }
}

/// Writes what storing a batch came to.
pub(crate) fn items(items: &[Item]) -> v1::StoreBatchReply {
    v1::StoreBatchReply {
        items: items.iter().map(item).collect(),
    }
}

fn item(item: &Item) -> v1::BatchItem {
    let item = match item {
        Item::Stored(memory) => v1::batch_item::Item::Stored(stored(memory)),
        Item::Refused(why) => v1::batch_item::Item::Refused(why.clone()),
    };
    v1::BatchItem { item: Some(item) }
}
