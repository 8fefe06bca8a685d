//! Several memories by their names at once. A name that means no single one of them costs only
//! itself.

use helix_engine::Resolution;
use helix_memory::{MemoryNumber, Topic};
use helix_neutral::quoted;

use super::{Answer, Wanted, ambiguous, resolve};
use crate::shown;
use crate::told::Told;
use crate::{App, Asker, Refusal};

/// Names of one read: more texts than a client shows.
const REFERENCES_MAX: usize = 100;

/// Reads what the references name, in their order and each once.
pub(super) fn read(app: &App, request: &Wanted, asker: &Asker) -> Result<Answer, Refusal> {
    if request.index.is_some() || !request.match_text.is_empty() {
        return Err(Refusal::invalid(
            "an index and a text to match choose of one topic; give one topic",
        ));
    }
    if request.references.len() > REFERENCES_MAX {
        let message = format!(
            "{} memories are named, the most is {REFERENCES_MAX}; read them in parts",
            request.references.len()
        );
        return Err(Refusal::exhausted(message));
    }
    let (mut numbers, mut notes): (Vec<MemoryNumber>, Vec<String>) = (Vec::new(), Vec::new());
    for reference in request.references.iter().map(|reference| reference.trim()) {
        match named(app, reference, asker)? {
            Ok(number) if numbers.contains(&number) => {}
            Ok(number) => numbers.push(number),
            Err(note) => notes.push(note),
        }
    }
    if numbers.is_empty() {
        return Err(Refusal::not_found(notes.join("; ")));
    }
    let memories = Told::indexed(app, &numbers, asker)?;
    let unfitting = numbers.split_off(memories.len().min(numbers.len())).len();
    notes.extend(
        (unfitting > 0)
            .then(|| format!("{unfitting} more do not fit into one answer; read fewer at once")),
    );
    app.memory.strand.catalog_touch(&numbers, app.memory.now());
    for &number in &numbers {
        crate::hook::follow(app, number);
    }
    shown::note(app, asker, request.shown, &numbers);
    let total = u32::try_from(numbers.len() + unfitting).unwrap_or(u32::MAX);
    Ok(Answer {
        memories,
        total,
        notes,
        ..Answer::default()
    })
}

/// The memory that a reference means, or why it means none.
fn named(
    app: &App,
    reference: &str,
    asker: &Asker,
) -> Result<Result<MemoryNumber, String>, Refusal> {
    let is_topic = |topic: Topic| {
        !app.memory
            .strand
            .topic_members(topic.as_str(), &asker.scopes())
            .is_empty()
    };
    if !reference.contains(['/', ':']) && Topic::parse(reference).is_ok_and(is_topic) {
        return Ok(Err(format!(
            "{} is a topic; read it by itself",
            quoted(reference)
        )));
    }
    Ok(match resolve(app, reference, asker)? {
        Resolution::One(number) => Ok(number),
        Resolution::Several(numbers) => {
            Err(ambiguous(app, reference, &numbers)?.message().to_owned())
        }
        Resolution::None => Err(format!("nothing is called {} here", quoted(reference))),
    })
}
