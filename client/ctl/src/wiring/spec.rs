//! What Helix wants to stand in a client's files: the table of hook events and the MCP server entry.

use std::path::Path;

use jsonc_parser::cst::CstInputValue;

use super::error::WiringError;

/// The shim's file name. A hook whose command has it is ours, wherever the program lies.
pub(crate) const HOOK_PROGRAM: &str = "helix-hook";
/// The bridge's file name.
pub(crate) const SERVER_PROGRAM: &str = "helix-mcp";
/// The MCP server's name.
pub(crate) const SERVER_NAME: &str = "helix";
/// The key of a server's environment.
pub(super) const ENVIRONMENT: &str = "env";

/// How long the client waits for a hook, in its own unit, seconds. The shim gives up long before; this only
/// bounds what a stuck machine can cost.
const HOOK_TIMEOUT_S: u32 = 5;

/// One event that Helix listens to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HookRow {
    /// The client's name of the event.
    pub(crate) event: &'static str,
    /// What the event is narrowed to; `None` for all of them.
    pub(crate) matcher: Option<&'static str>,
    /// The shim's only argument. A pair of event and verb stands at most once in the table.
    pub(crate) verb: &'static str,
    /// How long the client waits, in seconds.
    pub(crate) timeout_s: u32,
}

impl HookRow {
    const fn new(event: &'static str, matcher: Option<&'static str>, verb: &'static str) -> Self {
        Self { event, matcher, verb, timeout_s: HOOK_TIMEOUT_S }
    }
}

/// Every event that is installed, in the order in which it is written.
pub(crate) const HOOK_ROWS: &[HookRow] = &[
    HookRow::new("SessionStart", None, "session"),
    HookRow::new("PreToolUse", Some("Read|Edit|Write|Glob|Grep"), "ambient"),
];

/// What is to be written into one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Spec {
    /// Hooks that run this program.
    Hooks {
        /// The shim's absolute path.
        command: String,
        /// The events, usually [`HOOK_ROWS`].
        rows: &'static [HookRow],
    },
    /// An MCP server that runs this program.
    Server {
        /// The bridge's absolute path.
        command: String,
        /// Variables that it is started with, beside what the client gives to it.
        environment: Vec<(String, String)>,
    },
}

impl Spec {
    /// Describes the hooks that run the shim at `shim`.
    ///
    /// # Errors
    /// When the path is relative or not UTF-8.
    pub(crate) fn hooks(shim: &Path) -> Result<Self, WiringError> {
        Ok(Self::Hooks { command: command(shim)?, rows: HOOK_ROWS })
    }

    /// Describes the server that the bridge at `bridge` is, started with these variables.
    ///
    /// # Errors
    /// When the path is relative or not UTF-8.
    pub(crate) fn server(bridge: &Path, environment: Vec<(String, String)>) -> Result<Self, WiringError> {
        Ok(Self::Server { command: command(bridge)?, environment })
    }

    /// The program that is run.
    pub(crate) fn program(&self) -> &Path {
        let (Self::Hooks { command, .. } | Self::Server { command, .. }) = self;
        Path::new(command)
    }
}

/// Tells whether a command's file name is `program`.
pub(super) fn runs(command: &str, program: &str) -> bool {
    Path::new(command).file_name().is_some_and(|name| name == program)
}

/// One handler in the client's shape. With `args` the client runs the command without a shell.
pub(super) fn handler(command: &str, row: &HookRow) -> CstInputValue {
    CstInputValue::Object(vec![
        ("type".to_owned(), "command".into()),
        ("command".to_owned(), command.into()),
        ("args".to_owned(), vec![row.verb].into()),
        ("timeout".to_owned(), row.timeout_s.into()),
    ])
}

/// One group of an event: an optional matcher and its only handler.
pub(super) fn group(command: &str, row: &HookRow) -> CstInputValue {
    let handlers = ("hooks".to_owned(), CstInputValue::Array(vec![handler(command, row)]));
    let matcher = row.matcher.map(|matcher| ("matcher".to_owned(), matcher.into()));
    CstInputValue::Object(matcher.into_iter().chain([handlers]).collect())
}

/// The server entry in the client's shape.
pub(super) fn server(command: &str, environment: &[(String, String)]) -> CstInputValue {
    let mut members = vec![
        ("type".to_owned(), "stdio".into()),
        ("command".to_owned(), command.into()),
        ("args".to_owned(), CstInputValue::Array(Vec::new())),
    ];
    if !environment.is_empty() {
        members.push((ENVIRONMENT.to_owned(), variables(environment)));
    }
    CstInputValue::Object(members)
}

/// A server's environment in the client's shape.
pub(super) fn variables(environment: &[(String, String)]) -> CstInputValue {
    CstInputValue::Object(environment.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect())
}

fn command(path: &Path) -> Result<String, WiringError> {
    let shown = || WiringError::Command { path: path.to_string_lossy().into_owned() };
    let text = path.to_str().ok_or_else(shown)?;
    if path.is_absolute() { Ok(text.to_owned()) } else { Err(shown()) }
}
