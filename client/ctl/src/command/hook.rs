//! `helixctl hook`: what the daemon would answer to a hook, to find out why an agent was told something, or nothing.

use std::env;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use clap::Args;
use helix_client::{Start, v1};
use helix_proto::exit;
use serde_json::{Map, Value, json};

use crate::context::{Context, wait};
use crate::failure::{Failure, Outcome};
use crate::screen;
use crate::wiring::HOOK_ROWS;

/// As much of stdin as the shim takes, in bytes.
const STDIN_MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The tool of a sample that names none.
const DEFAULT_TOOL: &str = "Read";

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
}

impl Hook {
    /// Sends what is on stdin, or a sample, and prints the answer that the agent would get. Nothing is recorded.
    pub(crate) fn run(self, context: &Context) -> Outcome {
        let given = from_stdin()?;
        let truncated = u64::try_from(given.len()).is_ok_and(|bytes| bytes > STDIN_MAX_BYTES);
        let mut stdin = if given.is_empty() { self.sample(&context.cwd)?.to_string().into_bytes() } else { given };
        stdin.truncate(usize::try_from(STDIN_MAX_BYTES).unwrap_or(usize::MAX));
        let request = v1::HookRequest {
            event: self.event,
            stdin,
            truncated,
            cursor_version: variable("CURSOR_VERSION"),
            project_dir: variable("CLAUDE_PROJECT_DIR"),
            dry_run: true,
        };
        wait(async {
            let mut client = context.connect(Start::IfAbsent).await?;
            let reply = client.call(async |rpc| rpc.hook(request.clone()).await).await?;
            if reply.stdout.is_empty() {
                screen::remark("(nothing)");
            } else {
                screen::write(&reply.stdout)?;
            }
            Ok(exit::OK)
        })
    }

    /// What Claude Code would write to the hook's stdin.
    fn sample(&self, cwd: &Path) -> Result<Value, Failure> {
        let row = HOOK_ROWS.iter().find(|row| row.verb == self.event);
        let name = row.map(|row| row.event).ok_or_else(|| self.unknown())?;
        let mut sample = Map::new();
        let mut put = |key: &str, value: Value| drop(sample.insert(key.to_owned(), value));
        put("session_id", SAMPLE_SESSION.into());
        put("transcript_path", "".into());
        put("cwd", cwd.to_string_lossy().into());
        put("permission_mode", "default".into());
        put("hook_event_name", name.into());
        match name {
            "SessionStart" => put("source", "startup".into()),
            "UserPromptSubmit" => put("prompt", "".into()),
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => {
                let tool = self.tool.as_deref().unwrap_or(DEFAULT_TOOL);
                put("tool_name", tool.into());
                put("tool_input", self.tool_input(tool, cwd));
                put("tool_use_id", "toolu_helixctl".into());
            }
            _ => {}
        }
        Ok(Value::Object(sample))
    }

    fn tool_input(&self, tool: &str, cwd: &Path) -> Value {
        let Some(file) = &self.file else { return json!({}) };
        let path = cwd.join(file).to_string_lossy().into_owned();
        match tool {
            "Glob" | "Grep" => json!({"pattern": "", "path": path}),
            "Bash" => json!({"command": format!("cat {file}")}),
            _ => json!({"file_path": path}),
        }
    }

    fn unknown(&self) -> Failure {
        let known: Vec<&str> = HOOK_ROWS.iter().map(|row| row.verb).collect();
        let event = &self.event;
        Failure::Usage(format!(
            "there is no sample of the event {event:?}; name one of {}, or give the hook's JSON on stdin",
            known.join(", ")
        ))
    }
}

/// Reads one byte more than the limit, so that its excess shows.
fn from_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let stdin = io::stdin().lock();
    if !stdin.is_terminal() {
        stdin.take(STDIN_MAX_BYTES + 1).read_to_end(&mut bytes).map_err(Failure::io("reading stdin"))?;
    }
    Ok(bytes)
}

fn variable(name: &str) -> String {
    env::var_os(name).unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn hook(event: &str, file: Option<&str>, tool: Option<&str>) -> Hook {
        Hook { event: event.to_owned(), file: file.map(str::to_owned), tool: tool.map(str::to_owned) }
    }

    #[test]
    fn a_sample_looks_like_what_claude_sends() {
        let sample = hook("ambient", Some("src/main.rs"), None).sample(Path::new("/work")).unwrap();
        assert_eq!(sample["hook_event_name"], "PreToolUse");
        assert_eq!(sample["cwd"], "/work");
        assert_eq!(sample["tool_name"], "Read");
        assert_eq!(sample["tool_input"], json!({"file_path": "/work/src/main.rs"}));
        let search = hook("ambient", Some("src"), Some("Grep")).sample(Path::new("/work")).unwrap();
        assert_eq!(search["tool_input"]["path"], "/work/src");
        assert_eq!(hook("session", None, None).sample(Path::new("/work")).unwrap()["source"], "startup");
    }

    #[test]
    fn an_unknown_event_has_no_sample() {
        let failure = hook("lunch", None, None).sample(Path::new("/work")).unwrap_err();
        assert_eq!(failure.exit_code(), exit::USAGE);
        assert!(failure.to_string().contains("session"));
    }
}
