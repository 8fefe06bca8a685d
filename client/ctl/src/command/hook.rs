//! `helixctl hook`: what the daemon would answer to a hook, to find out why an agent was told
//! something, or nothing.

use std::env;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use clap::Args;
use helix_client::{Client, Start, v1};
use helix_proto::exit;
use serde_json::{Map, Value, json};

use crate::context::{Context, wait};
use crate::failure::{Failure, Outcome};
use crate::screen;
use crate::text::one_line;
use crate::wiring::{CLAUDE_HOOKS, HookRow};

/// As much of stdin as the shim takes, in bytes.
const STDIN_MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The members of a tool's input that may name what memories are about.
const TARGETS: [&str; 5] = ["file_path", "notebook_path", "path", "pattern", "command"];

/// The session of a sample.
const SAMPLE_SESSION: &str = "helixctl-hook";

/// Arguments of `hook`.
#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The event as the shim knows it, such as session or ambient
    event: String,
    /// The file that the sample's tool is used on
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// The sample's tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Also says which layers looked, what each found, and why it was shown or not
    #[arg(long)]
    explain: bool,
}

impl Hook {
    /// Sends what is on stdin, or a sample, and prints the answer that the agent would get. Nothing
    /// is recorded.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let row = self.row()?;
        let mut stdin = from_stdin()?;
        if u64::try_from(stdin.len()).is_ok_and(|bytes| bytes > STDIN_MAX_BYTES) {
            let limit = STDIN_MAX_BYTES / 1024 / 1024;
            return Err(Failure::Usage(format!(
                "stdin holds more than {limit} MiB, which a hook leaves unanswered"
            )));
        }
        if stdin.is_empty() {
            stdin = self.sample(row, &context.cwd).to_string().into_bytes();
        }
        let input = read(&stdin)?;
        let request = v1::HookRequest {
            event: self.event,
            stdin,
            truncated: false,
            cursor_version: variable("CURSOR_VERSION"),
            project_dir: variable("CLAUDE_PROJECT_DIR"),
            dry_run: true,
            client: String::new(),
        };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client
                .call(async |rpc| rpc.hook(request.clone()).await)
                .await?;
            if self.explain {
                screen::write(explained(&reply.steps).as_bytes())?;
            }
            if reply.stdout.is_empty() {
                let why = match refusal(&request.event, &input) {
                    Some(why) => why,
                    None => absence(context, &mut client, &input).await?,
                };
                screen::remark(&format!("(nothing: {})", one_line(&why)));
            } else {
                let mut answer = reply.stdout;
                answer.push(b'\n');
                screen::write(&answer)?;
            }
            Ok(exit::OK)
        })
    }

    /// The event's first row in the table of hooks.
    fn row(&self) -> Result<&'static HookRow, Failure> {
        CLAUDE_HOOKS
            .iter()
            .find(|row| row.verb == self.event)
            .ok_or_else(|| {
                let mut known: Vec<&str> = CLAUDE_HOOKS.iter().map(|row| row.verb).collect();
                known.dedup();
                Failure::Usage(format!(
                    "there is no event {:?}; name one of: {}",
                    self.event,
                    known.join(", ")
                ))
            })
    }

    /// Makes an input as Claude Code would write it to the hook's stdin.
    fn sample(&self, row: &HookRow, cwd: &Path) -> Value {
        let name = row.event;
        let mut sample = Map::new();
        let mut put = |key: &str, value: Value| drop(sample.insert(key.to_owned(), value));
        put("session_id", SAMPLE_SESSION.into());
        put(
            "transcript_path",
            cwd.join(SAMPLE_SESSION)
                .with_extension("jsonl")
                .to_string_lossy()
                .into(),
        );
        put("cwd", cwd.to_string_lossy().into());
        put("permission_mode", "default".into());
        put("hook_event_name", name.into());
        match name {
            "PostToolUse" => put("tool_response", json!({})),
            "PostToolUseFailure" => put("error", "".into()),
            _ => {}
        }
        match name {
            "SessionStart" => put("source", "startup".into()),
            "UserPromptSubmit" => put("prompt", "".into()),
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => {
                let tool = self
                    .tool
                    .as_deref()
                    .unwrap_or_else(|| default_tool(row.verb));
                put("tool_name", tool.into());
                put("tool_input", self.tool_input(tool, cwd));
                put("tool_use_id", "toolu_helixctl".into());
            }
            "SubagentStart" => {
                put("agent_id", "agent_helixctl".into());
                put("agent_type", "general-purpose".into());
            }
            "PreCompact" => put("trigger", "manual".into()),
            "Stop" => put("stop_hook_active", false.into()),
            "SessionEnd" => put("reason", "other".into()),
            _ => {}
        }
        Value::Object(sample)
    }

    fn tool_input(&self, tool: &str, cwd: &Path) -> Value {
        let Some(file) = &self.file else {
            return json!({});
        };
        let path = cwd.join(file).to_string_lossy().into_owned();
        match tool {
            "Glob" | "Grep" => json!({"pattern": "", "path": path}),
            "Bash" => json!({"command": format!("cat {file}")}),
            _ => json!({"file_path": path}),
        }
    }
}

/// The steps of a decision, a line each.
fn explained(steps: &[v1::HookStep]) -> String {
    let width = steps.iter().map(|step| step.part.len()).max().unwrap_or(0);
    let line = |step: &v1::HookStep| format!("{:width$}  {}\n", step.part, one_line(&step.found));
    steps.iter().map(line).collect()
}

/// The tool of a sample that names none: one that the event is about.
fn default_tool(verb: &str) -> &'static str {
    match verb {
        "post-build" | "error-context" => "Bash",
        "approve-mcp" => "mcp__helix__search",
        "subagent" => "Agent",
        _ => "Read",
    }
}

/// Reads what a hook is given, which must be one JSON object.
fn read(stdin: &[u8]) -> Result<Map<String, Value>, Failure> {
    serde_json::from_slice(stdin).map_err(|error| {
        Failure::Usage(format!(
            "stdin is not the JSON object that a hook is given: {error}"
        ))
    })
}

/// Returns the flaw of the input that keeps an event from being answered, if there is one.
fn refusal(event: &str, input: &Map<String, Value>) -> Option<String> {
    let name = input
        .get("hook_event_name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let answered: Vec<&str> = CLAUDE_HOOKS
        .iter()
        .filter(|row| row.verb == event)
        .map(|row| row.event)
        .collect();
    if !answered.contains(&name) {
        return Some(format!(
            "the input is of the event {name:?}, but {event} answers {}",
            answered.join(", ")
        ));
    }
    let tool_input = input.get("tool_input");
    let names_none = event == "ambient"
        && tool_input.is_some_and(|tool| TARGETS.iter().all(|key| tool.get(key).is_none()));
    names_none.then(|| {
        "the tool's input names nothing that memories could be about; give --file".to_owned()
    })
}

/// Why there was nothing to say about an input that is sound.
async fn absence(
    context: &Context,
    client: &mut Client,
    input: &Map<String, Value>,
) -> Result<String, Failure> {
    let cwd = input.get("cwd").and_then(Value::as_str).unwrap_or_default();
    let caller = v1::Caller {
        cwd: cwd.to_owned(),
        ..context.caller()
    };
    let request = v1::SearchRequest {
        caller: Some(caller),
        limit: 1,
        passive: true,
        ..v1::SearchRequest::default()
    };
    let reply = client
        .call(async |rpc| rpc.search(request.clone()).await)
        .await?;
    Ok(if reply.hits.is_empty() {
        format!("there are no memories in the scopes of {cwd}")
    } else {
        "no memory that may be shown unasked fits, or none was found in time".to_owned()
    })
}

/// Reads one byte more than the limit, so that its excess shows.
fn from_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let stdin = io::stdin().lock();
    if !stdin.is_terminal() {
        stdin
            .take(STDIN_MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(Failure::io("reading stdin"))?;
    }
    Ok(bytes)
}

fn variable(name: &str) -> String {
    env::var_os(name)
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn hook(event: &str, file: Option<&str>, tool: Option<&str>) -> Hook {
        Hook {
            event: event.to_owned(),
            file: file.map(str::to_owned),
            tool: tool.map(str::to_owned),
            explain: false,
        }
    }

    #[test]
    fn a_sample_looks_like_what_claude_sends() {
        let sample = |hook: Hook| hook.sample(hook.row().unwrap(), Path::new("/work"));
        let search = sample(hook("ambient", Some("src"), Some("Grep")));
        assert_eq!(search["tool_input"]["path"], "/work/src");
        assert_eq!(sample(hook("session", None, None))["source"], "startup");
        assert_eq!(
            sample(hook("error-context", None, None))["tool_name"],
            "Bash"
        );
        assert_eq!(sample(hook("subagent", None, None))["tool_name"], "Agent");
        assert_eq!(sample(hook("stop", None, None))["stop_hook_active"], false);
        let sample = sample(hook("ambient", Some("src/main.rs"), None));
        assert_eq!(sample["hook_event_name"], "PreToolUse");
        assert_eq!(sample["cwd"], "/work");
        assert_eq!(sample["tool_name"], "Read");
        assert_eq!(
            sample["tool_input"],
            json!({"file_path": "/work/src/main.rs"})
        );
    }

    #[test]
    fn what_is_no_event_or_no_input_is_refused() {
        let failure = hook("lunch", None, None).row().unwrap_err();
        assert_eq!(failure.exit_code(), exit::USAGE);
        assert!(
            failure
                .to_string()
                .contains("session, prompt, ambient, subagent, post-build"),
            "{failure}"
        );
        for stdin in [&b"oops"[..], b"[]", b"{"] {
            assert_eq!(read(stdin).unwrap_err().exit_code(), exit::USAGE);
        }
    }

    #[test]
    fn an_input_that_cannot_be_answered_is_known() {
        let refusal = |input: &str| refusal("ambient", &read(input.as_bytes()).unwrap());
        assert!(
            refusal(r#"{"hook_event_name": "Stop"}"#)
                .unwrap()
                .contains("PreToolUse")
        );
        assert!(
            refusal(r#"{"hook_event_name": "PreToolUse", "tool_input": {}}"#)
                .unwrap()
                .contains("--file")
        );
        assert_eq!(
            refusal(r#"{"hook_event_name": "PreToolUse", "tool_input": {"file_path": "/x"}}"#),
            None
        );
    }
}
