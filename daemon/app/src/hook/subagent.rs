//! The `subagent` event: what a subagent should know. The memories that bear on its task are put
//! behind the prompt that spawns it; when it starts, it learns which topics there are. Clients do not
//! say which prompt went to whom, so what was in it is not remembered.

use helix_engine::{Occasion, ReadError};
use helix_neutral::one_line;

use super::event::ClientEvent;
use super::relevant::{self, Reader};
use super::{Answer, Context, Given};

/// Memories that one task gets.
const MEMORIES_MAX: usize = 4;

/// Characters of a task that are looked for; it states its aim first.
const TASK_MAX_CHARS: usize = 1_000;

/// Topics that are named.
const TOPICS_MAX: usize = 20;

/// Gives the memories to the task, or the topics to its agent.
pub(super) fn give(context: &Context<'_>) -> Result<Answer, ReadError> {
    match context.client {
        ClientEvent::PreToolUse => {
            task(context).map(|given| given.map_or(Answer::Silence, Answer::Prompt))
        }
        _ => Ok(topics(context).into()),
    }
}

fn task(context: &Context<'_>) -> Result<Option<Given>, ReadError> {
    let is_spawning = matches!(context.input.tool_name.as_str(), "Agent" | "Task");
    let prompt = context.input.tool_text("prompt").unwrap_or_default();
    if !is_spawning
        || !context.app.hooks.options.subagent_prompts
        || prompt.contains("<helix-memory")
    {
        let why = "no task of a subagent, or `hooks.subagent_prompts` is off";
        context.trace.note("task", || why.to_owned());
        return Ok(None);
    }
    let words: String = prompt.chars().take(TASK_MAX_CHARS).collect();
    // A new agent knows nothing, whatever this one was given.
    let memories = relevant::find(
        context,
        words.trim(),
        Occasion::Task,
        MEMORIES_MAX,
        Reader::New,
    )?;
    let injection = context.frame("On this task:", &[], &memories);
    Ok(Given::of(injection, &memories).if_any())
}

fn topics(context: &Context<'_>) -> Option<Given> {
    let mut topics = {
        let catalog = context.app.memory.strand.catalog();
        catalog.topic_summaries(&context.project.scopes())
    };
    if topics.is_empty() {
        return None;
    }
    let total: usize = topics.iter().map(|topic| topic.count).sum();
    topics.sort_by_key(|topic| std::cmp::Reverse(topic.count));
    let more = topics.len().saturating_sub(TOPICS_MAX);
    let mut named: Vec<String> = topics
        .iter()
        .take(TOPICS_MAX)
        .map(|topic| format!("{} ({})", one_line(&topic.name, 80), topic.count))
        .collect();
    named.extend((more > 0).then(|| format!("and {more} more")));
    let heading = format!(
        "Helix remembers {total} {} about {}; use its tools `search` and `read` before you look for the same again. Topics:",
        if total == 1 { "thing" } else { "things" },
        one_line(&context.project.name, 120)
    );
    Given::of(context.frame(&heading, &[named.join(", ")], &[]), &[]).if_any()
}
