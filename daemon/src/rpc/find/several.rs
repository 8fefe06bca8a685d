//! Several memories by their names at once. A name that means no single one of them costs only itself.

use helix_engine::model::{MemoryNumber, Topic};
use helix_engine::neutral::quoted;
use helix_engine::strand::Resolution;
use helix_proto::v1;
use tonic::Status;

use super::{ambiguous, resolve, wire_indexed};
use crate::rpc::shown;
use crate::runtime::{Asker, Runtime};

/// Names of one read: more texts than a client shows.
const REFERENCES_MAX: usize = 100;

/// Reads what the references name, in their order and each once.
pub(super) fn read(runtime: &Runtime, request: &v1::ReadRequest, asker: &Asker) -> Result<v1::ReadReply, Status> {
    if request.index.is_some() || !request.match_text.is_empty() {
        return Err(Status::invalid_argument("an index and a text to match choose of one topic; give one topic"));
    }
    if request.references.len() > REFERENCES_MAX {
        let message = format!(
            "{} memories are named, the most is {REFERENCES_MAX}; read them in parts",
            request.references.len()
        );
        return Err(Status::resource_exhausted(message));
    }
    let (mut numbers, mut notes): (Vec<MemoryNumber>, Vec<String>) = (Vec::new(), Vec::new());
    for reference in request.references.iter().map(|reference| reference.trim()) {
        match named(runtime, reference, asker)? {
            Ok(number) if numbers.contains(&number) => {}
            Ok(number) => numbers.push(number),
            Err(note) => notes.push(note),
        }
    }
    if numbers.is_empty() {
        return Err(Status::not_found(notes.join("; ")));
    }
    let memories = wire_indexed(runtime, &numbers, asker)?;
    let unfitting = numbers.split_off(memories.len().min(numbers.len())).len();
    notes.extend((unfitting > 0).then(|| format!("{unfitting} more do not fit into one answer; read fewer at once")));
    runtime.app.memory.strand.catalog_touch(&numbers, runtime.now());
    for &number in &numbers {
        helix_app::hook::follow(&runtime.app, number);
    }
    shown::note(runtime, asker, request.shown(), &numbers);
    let total = u32::try_from(numbers.len() + unfitting).unwrap_or(u32::MAX);
    Ok(v1::ReadReply { memories, total, notes, ..v1::ReadReply::default() })
}

/// The memory that a reference means, or why it means none.
fn named(runtime: &Runtime, reference: &str, asker: &Asker) -> Result<Result<MemoryNumber, String>, Status> {
    let is_topic = |topic: Topic| !runtime.app.memory.strand.topic_members(topic.as_str(), &asker.scopes()).is_empty();
    if !reference.contains(['/', ':']) && Topic::parse(reference).is_ok_and(is_topic) {
        return Ok(Err(format!("{} is a topic; read it by itself", quoted(reference))));
    }
    Ok(match resolve(runtime, reference, asker)? {
        Resolution::One(number) => Ok(number),
        Resolution::Several(numbers) => Err(ambiguous(runtime, reference, &numbers)?.message().to_owned()),
        Resolution::None => Err(format!("nothing is called {} here", quoted(reference))),
    })
}
