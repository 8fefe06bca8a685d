//! The input that clients write to a hook.

mod halves;
mod patch;

use std::path::{Path, PathBuf};

use helix_proto::harmless::SERVERS;
use helix_redact::redacted;
use helix_terminal::command::{ends_in, runs_of, starts};
use serde_json::{Map, Value};

use super::sessions::Start;

/// Longest session or agent id that is kept, in bytes; real ones are UUIDs.
const ID_MAX_BYTES: usize = 128;

/// Fields that Cursor's events have, also where it runs the hooks of Claude Code, whose own never
/// do.
const CURSOR_MARKS: [&str; 4] = [
    "conversation_id",
    "generation_id",
    "cursor_version",
    "workspace_roots",
];

/// Characters that make a name in a glob pattern stand for several.
pub(super) const WILDCARDS: [char; 5] = ['*', '?', '[', '{', '!'];

/// The program that people and agents call in a shell.
const OWN_PROGRAM: &str = "helixctl";

/// A client's event, by the name that its answer must carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientEvent {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    PreCompact,
    Stop,
    SubagentStart,
    PermissionRequest,
    SessionEnd,
}

impl ClientEvent {
    const ALL: [Self; 10] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::PreCompact,
        Self::Stop,
        Self::SubagentStart,
        Self::PermissionRequest,
        Self::SessionEnd,
    ];

    /// Reads the name that the client gives the event.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PreCompact => "PreCompact",
            Self::Stop => "Stop",
            Self::SubagentStart => "SubagentStart",
            Self::PermissionRequest => "PermissionRequest",
            Self::SessionEnd => "SessionEnd",
        }
    }
}

/// A client whose events have fields that no other's have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    Cursor,
    /// It names the turn.
    Codex,
}

impl Writer {
    fn of(fields: &Map<String, Value>) -> Option<Self> {
        if CURSOR_MARKS.iter().any(|mark| fields.contains_key(*mark)) {
            return Some(Self::Cursor);
        }
        fields
            .get("turn_id")
            .is_some_and(Value::is_string)
            .then_some(Self::Codex)
    }
}

/// The fields of a hook's stdin that are used; those of another type than expected count as absent,
/// as `null` does.
#[derive(Debug, Default)]
pub(super) struct Input {
    /// The client that alone writes such an event.
    pub(super) writer: Option<Writer>,
    /// The client's own name of a tool's call.
    pub(super) tool_use_id: String,
    pub(super) session_id: String,
    pub(super) agent_id: String,
    pub(super) cwd: String,
    pub(super) transcript_path: String,
    pub(super) hook_event_name: String,
    pub(super) source: String,
    pub(super) tool_name: String,
    pub(super) tool_input: Value,
    pub(super) tool_response: Value,
    pub(super) error: String,
    pub(super) is_interrupt: bool,
    pub(super) prompt: String,
    pub(super) last_assistant_message: String,
    pub(super) stop_hook_active: bool,
}

impl Input {
    /// Reads a hook's stdin; `None` when it is not what clients send.
    pub(super) fn parse(stdin: &[u8]) -> Option<Self> {
        let read = serde_json::from_slice(stdin).ok();
        // What clients cut may end in half a character. Almost none does, and looking takes longer
        // than reading.
        let Value::Object(mut fields) =
            read.or_else(|| serde_json::from_str(&halves::replaced(stdin)?).ok())?
        else {
            return None;
        };
        let input = Self {
            writer: Writer::of(&fields),
            tool_use_id: text(&mut fields, "tool_use_id"),
            // Kept, with all that is kept of the session.
            session_id: plain(&first_text(&mut fields, &["session_id", "conversation_id"])),
            agent_id: plain(&text(&mut fields, "agent_id")),
            cwd: directory(&mut fields),
            transcript_path: text(&mut fields, "transcript_path"),
            hook_event_name: text(&mut fields, "hook_event_name"),
            source: text(&mut fields, "source"),
            tool_name: text(&mut fields, "tool_name"),
            error: text(&mut fields, "error"),
            prompt: text(&mut fields, "prompt"),
            last_assistant_message: text(&mut fields, "last_assistant_message"),
            tool_input: value(&mut fields, "tool_input"),
            tool_response: value(&mut fields, "tool_response"),
            is_interrupt: value(&mut fields, "is_interrupt") == Value::Bool(true),
            stop_hook_active: value(&mut fields, "stop_hook_active") == Value::Bool(true),
        };
        let is_plausible =
            input.session_id.len() <= ID_MAX_BYTES && input.agent_id.len() <= ID_MAX_BYTES;
        is_plausible.then_some(input)
    }

    /// Returns whether it has what every event of Claude Code's and Codex's has: a session and its
    /// transcript.
    pub(super) fn has_transcript(&self) -> bool {
        self.writer != Some(Writer::Cursor)
            && !self.session_id.is_empty()
            && !self.transcript_path.is_empty()
    }

    /// Where the session works.
    pub(super) fn directory(&self, project_dir: &str) -> PathBuf {
        let directory = if self.cwd.is_empty() {
            project_dir
        } else {
            &self.cwd
        };
        Path::new(directory).to_owned()
    }

    /// Where a shell line began, of which the event says where it left its shell; `None` where that
    /// is the same. A directory that `is_there` from where the shell stands is one that the
    /// line went to from there: the client told where it began.
    pub(super) fn before_line(&self, is_there: impl FnOnce(&Path) -> bool) -> Option<String> {
        let stands = Path::new(&self.cwd);
        let went = self.tool_text("command").and_then(ends_in)?;
        if !stands.ends_with(&went) || is_there(&stands.join(&went)) {
            return None;
        }
        stands
            .ancestors()
            .nth(Path::new(&went).components().count())?
            .to_str()
            .map(str::to_owned)
    }

    /// A field of the tool's input that is a text.
    pub(super) fn tool_text(&self, name: &str) -> Option<&str> {
        self.tool_input.get(name)?.as_str()
    }

    /// The file that the tool touches, as an absolute path.
    pub(super) fn file(&self) -> Option<PathBuf> {
        let keys = ["file_path", "notebook_path", "path", "dir_path"];
        let named = keys.into_iter().find_map(|key| self.tool_text(key))?;
        Some(Path::new(&self.cwd).join(named)).filter(|path| path.is_absolute())
    }

    /// Where that lies which the tool touches: the file, the first one of a patch, the directory
    /// that is searched.
    pub(super) fn place(&self) -> Option<PathBuf> {
        match self.tool_name.as_str() {
            "apply_patch" => self.patched_files().into_iter().next(),
            "Glob" => {
                let base = self.file().unwrap_or_else(|| PathBuf::from(&self.cwd));
                Some(base.join(literal_directory(self.tool_text("pattern")?)))
            }
            _ => self.file(),
        }
    }

    /// Returns whether the tool did nothing, as Gemini CLI says beside its answer.
    pub(super) fn has_tool_failed(&self) -> bool {
        self.tool_response
            .get("error")
            .is_some_and(|error| !error.is_null())
    }

    /// Returns what a file held before the tool wrote it, as Gemini CLI shows it to its user.
    pub(super) fn text_before(&self) -> Option<&str> {
        self.tool_response
            .get("returnDisplay")?
            .get("originalContent")?
            .as_str()
    }

    /// The call of another tool at the same place of the same session, before it is used.
    pub(super) fn as_call(&self, tool_name: &str, tool_input: Value) -> Self {
        Self {
            session_id: self.session_id.clone(),
            agent_id: self.agent_id.clone(),
            cwd: self.cwd.clone(),
            tool_name: tool_name.to_owned(),
            tool_input,
            ..Self::default()
        }
    }

    /// Tells sessions and, inside them, subagents apart: each has a context of its own.
    pub(super) fn session_key(&self) -> String {
        if self.agent_id.is_empty() {
            self.session_id.clone()
        } else {
            format!("{}/{}", self.session_id, self.agent_id)
        }
    }

    /// Returns whether the session takes a task up again.
    pub(super) fn resumes(&self) -> bool {
        matches!(self.source.as_str(), "compact" | "resume")
    }

    /// Returns whether it goes on from where another session is.
    pub(super) fn is_fork(&self) -> bool {
        self.source == "fork"
    }

    /// How the session starts.
    pub(super) fn start(&self) -> Start {
        match self.source.as_str() {
            "startup" | "clear" => Start::Anew,
            "compact" => Start::LostContext,
            _ => Start::GoesOn,
        }
    }

    /// Returns whether the tool is one of Helix's own, through the project's server or the
    /// plugin's.
    pub(super) fn is_own_tool(&self) -> bool {
        self.own_tool().is_some()
    }

    /// Returns whether the tool is a shell in which Helix's own program runs, and nothing that
    /// builds or tests.
    pub(super) fn runs_own_program(&self) -> bool {
        let line = self
            .tool_text("command")
            .filter(|_| self.tool_name == "Bash");
        line.is_some_and(|line| starts(line, OWN_PROGRAM) && runs_of(line).is_none())
    }

    /// Which of Helix's own tools it is.
    pub(super) fn own_tool(&self) -> Option<&str> {
        SERVERS
            .into_iter()
            .find_map(|server| self.tool_name.strip_prefix(server))
    }
}

/// The directory in which all files lie whose paths match, as far as the pattern says it.
pub(super) fn literal_directory(pattern: &str) -> String {
    let (above, _) = pattern.rsplit_once('/').unwrap_or_default();
    let literal: Vec<&str> = above
        .split('/')
        .take_while(|part| !part.contains(WILDCARDS))
        .collect();
    literal.join("/")
}

/// Returns whether a pattern has a directory of which it says only a part of the name, so that what
/// is below the directory before it is mostly not meant.
pub(super) fn has_partial_name(pattern: &str) -> bool {
    let (above, _) = pattern.rsplit_once('/').unwrap_or_default();
    let mut names = above.split('/');
    names.any(|name| name.contains(WILDCARDS) && !name.trim_start_matches('*').is_empty())
}

fn value(fields: &mut Map<String, Value>, name: &str) -> Value {
    fields.get_mut(name).map(Value::take).unwrap_or_default()
}

fn text(fields: &mut Map<String, Value>, name: &str) -> String {
    match value(fields, name) {
        Value::String(text) => text,
        _ => String::new(),
    }
}

fn plain(id: &str) -> String {
    redacted(id).into_owned()
}

fn first_text(fields: &mut Map<String, Value>, names: &[&str]) -> String {
    names
        .iter()
        .map(|name| text(fields, name))
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

/// Where the session works: `cwd`, or the first of the workspace's roots.
fn directory(fields: &mut Map<String, Value>) -> String {
    let cwd = text(fields, "cwd");
    if !cwd.is_empty() {
        return cwd;
    }
    let roots = value(fields, "workspace_roots");
    roots
        .get(0)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_began_where_it_did_not_leave_its_shell() {
        let began = |cwd: &str, line: &str, is_there: bool| {
            let input = Input {
                cwd: cwd.to_owned(),
                tool_input: json!({ "command": line }),
                ..Input::default()
            };
            input.before_line(|_| is_there)
        };
        assert_eq!(
            began("/p/web/app", "cd web/app && npm test", false).as_deref(),
            Some("/p")
        );
        assert_eq!(
            began("/p", "cd web && npm test", false),
            None,
            "it says where it began"
        );
        assert_eq!(
            began("/w/web", "cd web && npm test", true),
            None,
            "of a project of that name"
        );
        assert_eq!(began("/p/web", "npm test", false), None);
    }

    #[test]
    fn inputs_are_read_leniently() {
        let input =
            Input::parse(br#"{"session_id":"s","agent_id":"a","extra":[1],"tool_input":{"file_path":"/x","limit":3}}"#);
        let input = input.unwrap();
        assert_eq!(input.session_key(), "s/a");
        assert_eq!(input.file().unwrap(), Path::new("/x"));
        assert!(Input::parse(b"{\"session_id\":").is_none());
        assert!(Input::parse(b"[]").is_none());
        assert_eq!(
            Input::parse(br#"{"session_id":"s","prompt":null,"error":3}"#)
                .unwrap()
                .session_id,
            "s"
        );
    }

    #[test]
    fn half_a_character_silences_nothing() {
        let input =
            Input::parse(br#"{"session_id":"s","prompt":"why \ud83d\ude00 \ud83d"}"#).unwrap();
        assert_eq!(
            (input.session_id.as_str(), input.prompt.as_str()),
            ("s", "why \u{1F600} \u{FFFD}")
        );
        assert!(Input::parse(br#"{"session_id":"s","prompt":"\ud83d"#).is_none());
    }

    #[test]
    fn sessions_of_other_clients_are_known_by_their_own_words() {
        let input =
            Input::parse(br#"{"conversation_id":"c","workspace_roots":["/w","/v"]}"#).unwrap();
        assert_eq!((input.session_id.as_str(), input.cwd.as_str()), ("c", "/w"));
    }

    #[test]
    fn cursors_events_are_told_from_claude_codes() {
        let claudes = json!({"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/w"});
        let of = |input: &Value| Input::parse(input.to_string().as_bytes()).unwrap();
        assert!(of(&claudes).has_transcript() && of(&claudes).writer.is_none());
        for mark in CURSOR_MARKS {
            let mut cursors = claudes.clone();
            cursors[mark] = "x".into();
            assert!(
                of(&cursors).writer == Some(Writer::Cursor) && !of(&cursors).has_transcript(),
                "{mark}"
            );
        }
        assert!(
            !of(&json!({"session_id": "s"})).has_transcript()
                && of(&json!({"session_id": "s"})).writer.is_none()
        );
    }

    #[test]
    fn a_line_of_our_own_program_is_told_from_builds() {
        let runs = |tool: &str, command: &str| {
            let tool_input = json!({ "command": command });
            Input {
                tool_name: tool.to_owned(),
                tool_input,
                ..Input::default()
            }
            .runs_own_program()
        };
        assert!(
            runs("Bash", "helixctl search plc_open")
                && runs("Bash", " /usr/bin/helixctl add \"x\"")
        );
        for command in [
            "cd /w && helixctl search x 2>&1 | grep y",
            "HELIX_HOME=/x timeout 5 helixctl status",
            "bash -lc 'helixctl add y'",
        ] {
            assert!(runs("Bash", command), "{command}");
        }
        for command in ["make", "helixctl status && cargo test", "echo helixctl", ""] {
            assert!(!runs("Bash", command), "{command}");
        }
        assert!(!runs("Read", "helixctl search x"));
    }

    #[test]
    fn a_place_is_a_file_or_a_directory() {
        let of = |tool: &str, tool_input: Value| {
            Input {
                cwd: "/w".to_owned(),
                tool_name: tool.to_owned(),
                tool_input,
                ..Input::default()
            }
            .place()
        };
        let place = |path: &str| Some(PathBuf::from(path));
        assert_eq!(
            of("Read", json!({"file_path": "/x/a.rs"})),
            place("/x/a.rs")
        );
        assert_eq!(
            of("Grep", json!({"pattern": "a", "path": "vendor/lib"})),
            place("/w/vendor/lib")
        );
        assert_eq!(
            of("Glob", json!({"pattern": "vendor/lib/**/*.rs"})),
            place("/w/vendor/lib")
        );
        assert_eq!(
            of("Glob", json!({"pattern": "src/*.rs", "path": "/x/lib"})),
            place("/x/lib/src")
        );
        assert_eq!(
            of(
                "apply_patch",
                json!({"input": "*** Add File: lib/a.rs\n+x"})
            ),
            place("/w/lib/a.rs")
        );
        assert_eq!(of("Grep", json!({"pattern": "a"})), None);
    }

    #[test]
    fn what_a_tool_did_is_read_from_its_answer() {
        let of = |tool_response: Value| Input {
            tool_response,
            ..Input::default()
        };
        assert!(
            of(json!({"llmContent": "", "error": {"message": "no such file"}})).has_tool_failed()
        );
        assert!(
            !of(json!({"llmContent": "", "error": null})).has_tool_failed()
                && !of(Value::Null).has_tool_failed()
        );
        assert_eq!(
            of(json!({"returnDisplay": {"originalContent": "a"}})).text_before(),
            Some("a")
        );
        assert_eq!(of(json!({"returnDisplay": "2 lines"})).text_before(), None);
    }

    #[test]
    fn own_tools_are_known_by_their_server() {
        let of = |name: &str| Input {
            tool_name: name.to_owned(),
            ..Input::default()
        };
        assert_eq!(of("mcp__helix__store").own_tool(), Some("store"));
        assert_eq!(of("mcp__plugin_helix_helix__edit").own_tool(), Some("edit"));
        assert!(!of("mcp__helixir__store").is_own_tool() && !of("Bash").is_own_tool());
    }
}
