//! The answer to an event, and handing it over: it is noted as given before the client is told.

use std::path::Path;
use std::sync::atomic::Ordering;

use helix_memory::{Memory, MemoryNumber};
use helix_surface::inject::Injection;
use serde_json::Value;

use super::Context;
use super::event::ClientEvent;
use super::receipts::Receipt;
use super::sessions::GivenCheckpoint;

/// Text that an event gives to the agent.
pub(super) struct Given {
    pub(super) injection: Injection,
    /// The memories that were to be in it, best first.
    pub(super) memories: Vec<MemoryNumber>,
    /// The topics and the handles of those, in the same order.
    pub(super) topics: Vec<String>,
    pub(super) handles: Vec<String>,
    /// The checkpoint in it.
    pub(super) checkpoint: Option<GivenCheckpoint>,
    /// The file that each of those is about, as people write it, in the same order; empty for
    /// something else.
    pub(super) about: Vec<String>,
    /// Whose it is, where another event than the one that asked gave it.
    pub(super) event: Option<&'static str>,
}

impl Given {
    /// An injection of these memories.
    pub(super) fn of(injection: Injection, memories: &[Memory]) -> Self {
        Self {
            injection,
            memories: memories.iter().map(|memory| memory.number).collect(),
            topics: memories
                .iter()
                .map(|memory| memory.topic.as_str().to_owned())
                .collect(),
            handles: memories
                .iter()
                .map(|memory| memory.handle.as_str().to_owned())
                .collect(),
            checkpoint: None,
            about: Vec::new(),
            event: None,
        }
    }

    /// The memories that are in it, best first.
    pub(super) fn taken(&self) -> &[MemoryNumber] {
        self.memories
            .get(..self.injection.taken)
            .unwrap_or_default()
    }

    /// Nothing when there is no text.
    pub(super) fn if_any(self) -> Option<Self> {
        (!self.injection.text.is_empty()).then_some(self)
    }
}

/// What the client is told.
pub(super) enum Answer {
    /// Nothing.
    Silence,
    /// A text for the model.
    Context(Given),
    /// A text at the end of the prompt that the tool gets.
    Prompt(Given),
    /// The tool may be used.
    Allowed,
}

impl Answer {
    /// Returns what is answered, in a few words.
    fn described(&self) -> String {
        match self {
            Self::Silence => "nothing".to_owned(),
            Self::Allowed => "the tool may be used".to_owned(),
            Self::Context(given) | Self::Prompt(given) => format!(
                "{} of {} memories, in {} tokens",
                given.injection.taken,
                given.memories.len(),
                given.injection.tokens()
            ),
        }
    }
}

impl From<Option<Given>> for Answer {
    fn from(given: Option<Given>) -> Self {
        given.map_or(Self::Silence, Self::Context)
    }
}

/// Notes what the session was given, and renders it.
pub(super) fn deliver(context: &Context<'_>, answer: &Answer) -> Vec<u8> {
    let (dialect, event) = (context.dialect, context.client);
    context.trace.note("answer", || answer.described());
    let said = match answer {
        Answer::Silence => None,
        Answer::Allowed => dialect.allowed(event),
        Answer::Context(given) => dialect
            .additional_context(event, &given.injection.text)
            // What the client does not take is not given.
            .filter(|_| claim(context, given)),
        // It reaches another context than this one, so it is not this one's to remember.
        Answer::Prompt(given) => with_text(&context.input.tool_input, &given.injection.text)
            .and_then(|input| dialect.updated_input(event, &input))
            .filter(|_| !context.is_real() || context.is_awaited())
            .inspect(|_| count(context, given)),
    };
    said.map(|said| said.to_string().into_bytes())
        .unwrap_or_default()
}

/// Marks what is given as given; false when another event of the session gave a part of it
/// meanwhile.
fn claim(context: &Context<'_>, given: &Given) -> bool {
    if !context.is_real() {
        return true;
    }
    // What nobody reads was not given, and is worth giving the next time.
    if !context.is_awaited() {
        return false;
    }
    let taken = given.taken();
    // Two hooks of one session at the same time: the second finds the memories taken and says
    // nothing. A digest is no answer to what the session does, and is heeded otherwise.
    let about = (context.client != ClientEvent::SessionStart).then_some(given.about.as_slice());
    if !context
        .app
        .hooks
        .sessions
        .claim(&context.key, taken, given.checkpoint, about, context.now)
    {
        return false;
    }
    // What every session starts with says nothing about what this one is busy with.
    if context.client != ClientEvent::SessionStart {
        context.work(|activity| {
            for topic in given.topics.iter().take(given.injection.taken) {
                activity.use_topic(topic);
            }
        });
    }
    count(context, given);
    true
}

fn count(context: &Context<'_>, given: &Given) {
    if context.is_real() {
        let tokens = given.injection.tokens();
        context
            .app
            .hooks
            .injected_tokens
            .fetch_add(tokens as u64, Ordering::Relaxed);
        context
            .app
            .metrics
            .injected(context.app.memory.now(), tokens as u64);
        tracing::debug!(
            event = context.request.event,
            memories = given.injection.taken,
            tokens,
            "injected"
        );
        let is_prompt = context.client == ClientEvent::UserPromptSubmit;
        let prompted = if is_prompt { given.taken() } else { &[] };
        let transcript = context
            .transcript()
            .and_then(Path::to_str)
            .unwrap_or_default();
        let receipt = Receipt {
            session: context.input.session_id.clone(),
            event: given
                .event
                .map_or_else(|| context.request.event.clone(), str::to_owned),
            handles: given
                .handles
                .iter()
                .take(given.injection.taken)
                .cloned()
                .collect(),
            tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
            latency_us: u64::try_from(context.began.elapsed().as_micros()).unwrap_or(u64::MAX),
            transcript: transcript.to_owned(),
            prompted: prompted.iter().map(|number| number.0).collect(),
            ..Receipt::default()
        };
        let app = context.app;
        app.hooks.receipts.record(
            &app.memory.outbox,
            receipt,
            &given.injection.text,
            context.now,
        );
    }
}

/// The tool's input with a text behind its prompt; everything else stays as it is.
fn with_text(tool_input: &Value, text: &str) -> Option<Value> {
    let prompt = tool_input.get("prompt")?.as_str()?;
    let longer = format!("{prompt}\n\n{text}");
    let mut input = tool_input.clone();
    *input.get_mut("prompt")? = Value::String(longer);
    Some(input)
}
