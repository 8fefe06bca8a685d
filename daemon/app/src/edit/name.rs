//! Names of topics that an edit gives.

use helix_engine::Topic;
use helix_neutral::quoted;
use helix_redact::{Redacted, Secrets};

use crate::Refusal;

/// Reads a topic's name, and says how it was understood.
pub(super) fn parse(name: &str, warnings: &mut Vec<String>) -> Result<Topic, Refusal> {
    let topic = Topic::parse(name).map_err(|error| Refusal::invalid(error.to_string()))?;
    warnings.extend(understood(name, &topic));
    Ok(topic)
}

/// Reads the name that a topic is to have, without the secrets in it.
pub(super) fn new_name(name: &str, warnings: &mut Vec<String>) -> Result<Redacted<Topic>, Refusal> {
    let mut secrets = Secrets::default();
    let topic = Topic::kept(name, &mut secrets);
    let topic = topic.map_err(|error| Refusal::invalid(error.to_string()))?;
    match secrets.note() {
        Some(note) => warnings.extend([note, format!("the topic is called {topic}")]),
        None => warnings.extend(understood(name, &topic)),
    }
    Ok(topic)
}

fn understood(name: &str, topic: &Topic) -> Option<String> {
    let is_other = topic.as_str() != name.trim();
    is_other.then(|| format!("topic {} became {}", quoted(name), quoted(topic.as_str())))
}
