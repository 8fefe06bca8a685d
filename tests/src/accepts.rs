//! Keys that each client takes from a hook: exactly these, at these events. Written from what the
//! clients document and were seen to do, not from what Helix says; whatever is not listed here
//! fails, because a client drops the whole of it.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

/// Longest string that reaches the model as it is, in characters: Claude Code makes a file of a
/// longer one.
pub const STRING_MAX_CHARS: usize = 10_000;

/// The key that every answer but Cursor's stands in, and the one that names the client's event in
/// it.
const SPECIFIC: &str = "hookSpecificOutput";
const EVENT_NAME: &str = "hookEventName";

/// Returned by [`check`] where the client is told to go on without asking the user.
pub const ALLOWED: &str = "allowed";

/// A client that runs hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookClient {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    Gemini,
}

/// A key of an answer, and what must stand in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// A text for the model.
    AdditionalContext,
    /// Cursor's name of the same.
    SnakeAdditionalContext,
    /// An object in place of the tool's input.
    UpdatedInput,
    /// `allow`, `deny` or `ask`.
    PermissionDecision,
    /// The one decision that Helix may make: to allow.
    Decision,
    /// Codex's way to go on at the end of a turn, with [`Key::Reason`].
    Block,
    /// A text for the model.
    Reason,
}

/// A client's event, and the keys that an answer to it may have.
type Accepted = (&'static str, &'static [Key]);

const CONTEXT: &[Key] = &[Key::AdditionalContext];

const CLAUDE: &[Accepted] = &[
    ("SessionStart", CONTEXT),
    ("UserPromptSubmit", CONTEXT),
    (
        "PreToolUse",
        &[
            Key::AdditionalContext,
            Key::UpdatedInput,
            Key::PermissionDecision,
        ],
    ),
    ("PostToolUse", CONTEXT),
    ("PostToolUseFailure", CONTEXT),
    ("SubagentStart", CONTEXT),
    ("Stop", CONTEXT),
    ("SubagentStop", CONTEXT),
    ("PermissionRequest", &[Key::Decision]),
];

/// As Claude Code's, without the events that Codex does not have, and without what only Claude Code
/// is known to take.
const CODEX: &[Accepted] = &[
    ("SessionStart", CONTEXT),
    ("UserPromptSubmit", CONTEXT),
    ("PreToolUse", CONTEXT),
    ("PostToolUse", CONTEXT),
    ("SubagentStart", CONTEXT),
    ("Stop", GO_ON),
    ("SubagentStop", GO_ON),
    ("PermissionRequest", &[Key::Decision]),
];

/// At the end of a turn Codex takes no context: it says that the hook failed.
const GO_ON: &[Key] = &[Key::Block, Key::Reason];

const CURSOR: &[Accepted] = &[("sessionStart", &[Key::SnakeAdditionalContext])];

const GEMINI: &[Accepted] = &[
    ("SessionStart", CONTEXT),
    ("BeforeAgent", CONTEXT),
    ("AfterTool", CONTEXT),
];

impl HookClient {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Cursor, Self::Gemini];

    /// Its name on the command line, with which the recordings of it begin as well.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
        }
    }

    /// Returns the shim's argument behind the event; Claude Code and Codex are known without it.
    #[must_use]
    pub fn argument(self) -> Option<&'static str> {
        match self {
            Self::Claude | Self::Codex => None,
            Self::Cursor | Self::Gemini => Some(self.name()),
        }
    }

    fn accepted(self) -> &'static [Accepted] {
        match self {
            Self::Claude => CLAUDE,
            Self::Codex => CODEX,
            Self::Cursor => CURSOR,
            Self::Gemini => GEMINI,
        }
    }
}

/// Checks that a client takes what was printed at an event of its own. Returns the text for the
/// model, the prompt that a tool gets instead of its own, or [`ALLOWED`]; `None` when nothing was
/// printed.
///
/// # Errors
/// When the client would complain, or drop the answer.
pub fn check(client: HookClient, event: &str, stdout: &[u8]) -> Result<Option<String>> {
    if stdout.is_empty() {
        return Ok(None);
    }
    let text = std::str::from_utf8(stdout)?;
    let answer: Value = serde_json::from_str(text).with_context(|| format!("not JSON: {text}"))?;
    let keys = client
        .accepted()
        .iter()
        .find(|(known, _)| *known == event)
        .map(|(_, keys)| *keys);
    let keys =
        keys.with_context(|| format!("{} takes no output at {event}: {text}", client.name()))?;
    let said = members(client, event, keys, &answer).and_then(|members| {
        check_lengths(&answer)?;
        ensure!(!members.is_empty(), "says nothing");
        let values = members.iter().map(|(key, value)| {
            let known = keys.iter().find(|known| known.name() == key);
            known
                .with_context(|| format!("the unknown key {key}"))?
                .check(value)
        });
        let mut said = values.collect::<Result<Vec<String>>>()?;
        ensure!(
            keys != GO_ON || said.len() == GO_ON.len(),
            "a reason and what it is for belong together"
        );
        // Codex's reason comes behind the decision.
        Ok(if keys == GO_ON {
            said.swap_remove(1)
        } else {
            said.swap_remove(0)
        })
    });
    said.map(Some)
        .with_context(|| format!("{} at {event} would drop {text}", client.name()))
}

/// Lists the content of an answer, key by key, without the keys around it.
fn members(
    client: HookClient,
    event: &str,
    keys: &[Key],
    answer: &Value,
) -> Result<Map<String, Value>> {
    let mut whole = answer.as_object().context("not an object")?.clone();
    if client == HookClient::Cursor || keys == GO_ON {
        return Ok(whole);
    }
    let specific = whole
        .remove(SPECIFIC)
        .with_context(|| format!("no {SPECIFIC}"))?;
    ensure!(
        whole.is_empty(),
        "the unknown keys {:?}",
        whole.keys().collect::<Vec<_>>()
    );
    let mut members = specific
        .as_object()
        .context("not an object inside")?
        .clone();
    let named = members
        .remove(EVENT_NAME)
        .with_context(|| format!("no {EVENT_NAME}"))?;
    ensure!(named == event, "meant for {named}");
    Ok(members)
}

/// No string anywhere may be so long that it does not reach the model.
fn check_lengths(value: &Value) -> Result<()> {
    match value {
        Value::String(text) => {
            let chars = text.chars().count();
            ensure!(chars <= STRING_MAX_CHARS, "a string of {chars} characters");
            Ok(())
        }
        Value::Array(items) => items.iter().try_for_each(check_lengths),
        Value::Object(fields) => fields.values().try_for_each(check_lengths),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

impl Key {
    fn name(self) -> &'static str {
        match self {
            Self::AdditionalContext => "additionalContext",
            Self::SnakeAdditionalContext => "additional_context",
            Self::UpdatedInput => "updatedInput",
            Self::PermissionDecision => "permissionDecision",
            Self::Decision | Self::Block => "decision",
            Self::Reason => "reason",
        }
    }

    /// Checks a value and says what it tells.
    fn check(self, value: &Value) -> Result<String> {
        match self {
            Self::Block => {
                ensure!(value == "block", "the unknown decision {value}");
                Ok(String::new())
            }
            Self::AdditionalContext | Self::SnakeAdditionalContext | Self::Reason => {
                let text = value.as_str().context("the context is no text")?;
                ensure!(!text.is_empty(), "an empty context");
                Ok(text.to_owned())
            }
            Self::UpdatedInput => {
                let input = value.as_object().context("the input is no object")?;
                let prompt = input
                    .get("prompt")
                    .and_then(Value::as_str)
                    .context("the input has no prompt")?;
                Ok(prompt.to_owned())
            }
            Self::PermissionDecision => {
                let decision = value.as_str().context("the decision is no text")?;
                ensure!(
                    ["allow", "deny", "ask"].contains(&decision),
                    "the unknown decision {decision}"
                );
                Ok(decision.to_owned())
            }
            Self::Decision => {
                ensure!(*value == json!({ "behavior": "allow" }), "no permission");
                Ok(ALLOWED.to_owned())
            }
        }
    }
}
