//! The specification of a client's files: Helix's programs, as hooks and as a server, in each
//! client's shape.

use std::path::Path;

use jsonc_parser::cst::CstInputValue;

use super::client::{HookForm, HookShape, ServerShape};
use super::error::WiringError;
use super::table::HookRow;
use super::target::Target;

/// The shim's file name. A hook whose command has it is ours, wherever the program lies.
pub(crate) const HOOK_PROGRAM: &str = "helix-hook";
/// The bridge's file name.
pub(crate) const SERVER_PROGRAM: &str = "helix-mcp";
/// The MCP server's name.
pub(crate) const SERVER_NAME: &str = "helix";
/// The bridge's option that names the tools to offer.
const TOOLS_OPTION: &str = "--tools";
/// The key of a command's arguments.
pub(super) const ARGUMENTS: &str = "args";

/// The shell that looks for the shim, and how. Clients tell their users of a program that is
/// missing, once for each event.
const SHELL: &str = "sh";
const SHELL_OPTION: &str = "-c";
/// Becomes the program behind it, or reads the event and says nothing where that is not installed.
const GUARD: &str = r#"command -v "$0" >/dev/null && exec "$0" "$@"; cat >/dev/null"#;

/// The programs that a client is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Programs {
    /// The shim's absolute path.
    shim: String,
    /// The bridge's absolute path.
    bridge: String,
    /// True if the search path leads to both by their names.
    on_path: bool,
    /// Variables that the bridge is started with, beside what the client gives to it.
    pub(super) environment: Vec<(String, String)>,
    /// The set of tools that the bridge is to offer; without one an entry keeps its own.
    tools: Option<&'static str>,
}

/// The shim as a file has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shim<'a> {
    /// Its path, or its name in a file that others share.
    pub(super) program: &'a str,
    /// True if a shell first looks whether it is installed.
    is_guarded: bool,
}

impl Programs {
    /// Describes what to run.
    ///
    /// # Errors
    /// When a path is relative or not UTF-8.
    pub(crate) fn new(
        shim: &Path,
        bridge: &Path,
        environment: Vec<(String, String)>,
    ) -> Result<Self, WiringError> {
        Ok(Self {
            shim: command(shim)?,
            bridge: command(bridge)?,
            on_path: false,
            environment,
            tools: None,
        })
    }

    /// The same, which the search path leads to or not.
    #[must_use]
    pub(crate) fn found_on_path(self, on_path: bool) -> Self {
        Self { on_path, ..self }
    }

    /// The same, with a bridge that offers a set of tools.
    #[must_use]
    pub(crate) fn offering(self, tools: Option<&'static str>) -> Self {
        Self { tools, ..self }
    }

    /// Returns whether files that others share can have them by their names.
    pub(crate) fn are_portable(&self) -> bool {
        self.on_path
    }

    /// The shim as a file is to have it. The paths of this machine say nothing to others; but to
    /// look for a program takes a shell, which takes longer than the shim.
    pub(super) fn shim(&self, target: &Target) -> Shim<'_> {
        let is_guarded = self.on_path && target.is_shared;
        Shim {
            program: if is_guarded { HOOK_PROGRAM } else { &self.shim },
            is_guarded,
        }
    }

    /// The bridge as a file is to have it. Clients that cannot start a server say so where they
    /// list servers.
    pub(super) fn bridge(&self, target: &Target) -> &str {
        if self.on_path && target.is_shared {
            SERVER_PROGRAM
        } else {
            &self.bridge
        }
    }

    /// The bridge and its arguments, from those that an entry has.
    pub(super) fn command_line(&self, target: &Target, there: Vec<String>) -> Vec<String> {
        let mut words = vec![self.bridge(target).to_owned()];
        words.extend(self.arguments(there));
        words
    }

    /// Returns whether the bridge is to have other arguments than an entry gives it.
    pub(super) fn choose_tools(&self) -> bool {
        self.tools.is_some()
    }

    /// The bridge's arguments, from those that an entry has: the chosen set of tools takes the place
    /// of the one that is there, and all others stay.
    pub(super) fn arguments(&self, mut there: Vec<String>) -> Vec<String> {
        let Some(tools) = self.tools else {
            return there;
        };
        let assigned = format!("{TOOLS_OPTION}=");
        there.retain(|argument| !argument.starts_with(&assigned));
        if let Some(at) = there.iter().position(|argument| argument == TOOLS_OPTION) {
            there.drain(at..there.len().min(at + 2));
        }
        there.extend([TOOLS_OPTION.to_owned(), tools.to_owned()]);
        there
    }

    /// Returns whether a program of ours is there.
    pub(super) fn is_there(&self, program: &Path) -> bool {
        let is_name = program == Path::new(HOOK_PROGRAM) || program == Path::new(SERVER_PROGRAM);
        if is_name {
            self.on_path
        } else {
            program.is_file()
        }
    }

    /// The paths of both.
    pub(crate) fn paths(&self) -> [&Path; 2] {
        [Path::new(&self.shim), Path::new(&self.bridge)]
    }
}

/// Tells whether a program's file name is `program`.
pub(super) fn runs(path: &str, program: &str) -> bool {
    Path::new(path)
        .file_name()
        .is_some_and(|name| name == program)
}

/// The program and the arguments of a hook, from its command and the list of arguments, if it has
/// one. Without one the command is a line for a shell.
pub(super) fn words(command: &str, arguments: Option<Vec<String>>) -> Vec<String> {
    let whole = || vec![command.to_owned()];
    let mut words = match arguments {
        Some(arguments) => whole().into_iter().chain(arguments).collect(),
        None if runs(command, HOOK_PROGRAM) => whole(),
        None => shlex::split(command).unwrap_or_else(whole),
    };
    match words.as_slice() {
        [shell, option, _, program, ..]
            if runs(shell, SHELL) && option == SHELL_OPTION && runs(program, HOOK_PROGRAM) =>
        {
            words.split_off(3)
        }
        _ => words,
    }
}

/// Returns Helix's event in the words of a hook that is ours; `None` when it is not. Ours without
/// an event has an empty one.
pub(super) fn own_verb(words: &[String]) -> Option<&str> {
    let program = words.first().filter(|program| runs(program, HOOK_PROGRAM));
    program.map(|_| words.get(1).map(String::as_str).unwrap_or_default())
}

/// Returns whether a handler's member says what it runs.
pub(super) fn is_program(name: &str) -> bool {
    name == "command" || name == ARGUMENTS
}

/// One handler in the client's shape.
pub(super) fn handler(
    form: &HookForm,
    shim: Shim<'_>,
    row: &HookRow,
) -> Result<Vec<(String, CstInputValue)>, WiringError> {
    let own = [row.verb].into_iter().chain(form.client);
    let (program, arguments): (&str, Vec<&str>) = if shim.is_guarded {
        (
            SHELL,
            [SHELL_OPTION, GUARD, shim.program]
                .into_iter()
                .chain(own)
                .collect(),
        )
    } else {
        (shim.program, own.collect())
    };
    let member = |name: &str, value: CstInputValue| (name.to_owned(), value);
    let kind = || member("type", "command".into());
    let timeout = member("timeout", row.timeout.number().into());
    Ok(match form.shape {
        HookShape::GroupsOfPrograms => {
            vec![
                kind(),
                member("command", program.into()),
                member(ARGUMENTS, arguments.into()),
                timeout,
            ]
        }
        HookShape::GroupsOfLines => vec![
            kind(),
            member("command", line(program, &arguments)?.into()),
            timeout,
        ],
        HookShape::Lines => vec![
            member("command", line(program, &arguments)?.into()),
            timeout,
        ],
    })
}

/// Makes the element of an event's list for one row: the handler, or a group with an optional
/// matcher and its only handler.
pub(super) fn element(
    form: &HookForm,
    shim: Shim<'_>,
    row: &HookRow,
) -> Result<CstInputValue, WiringError> {
    let handler = handler(form, shim, row)?;
    let matcher = row
        .matcher
        .map(|matcher| ("matcher".to_owned(), matcher.into()));
    Ok(CstInputValue::Object(match form.shape {
        HookShape::Lines => handler.into_iter().chain(matcher).collect(),
        HookShape::GroupsOfPrograms | HookShape::GroupsOfLines => {
            let handlers = (
                "hooks".to_owned(),
                CstInputValue::Array(vec![CstInputValue::Object(handler)]),
            );
            matcher.into_iter().chain([handlers]).collect()
        }
    }))
}

/// The server entry in the client's shape.
pub(super) fn server(shape: ServerShape, target: &Target, programs: &Programs) -> CstInputValue {
    let member = |name: &str, value: CstInputValue| (name.to_owned(), value);
    let arguments = || member(ARGUMENTS, programs.arguments(Vec::new()).into());
    let command = || programs.bridge(target);
    let mut members = match shape {
        ServerShape::Typed => {
            vec![
                member("type", "stdio".into()),
                member("command", command().into()),
                arguments(),
            ]
        }
        ServerShape::Plain => vec![member("command", command().into()), arguments()],
        ServerShape::Local => vec![
            member("type", "local".into()),
            member("command", programs.command_line(target, Vec::new()).into()),
            member("enabled", CstInputValue::Bool(true)),
        ],
    };
    if !programs.environment.is_empty() {
        members.push(member(
            environment_key(shape),
            variables(&programs.environment),
        ));
    }
    CstInputValue::Object(members)
}

/// The key of a server's environment.
pub(super) fn environment_key(shape: ServerShape) -> &'static str {
    match shape {
        ServerShape::Typed | ServerShape::Plain => "env",
        ServerShape::Local => "environment",
    }
}

/// A server's environment in the client's shape.
pub(super) fn variables(environment: &[(String, String)]) -> CstInputValue {
    CstInputValue::Object(
        environment
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().into()))
            .collect(),
    )
}

/// A command line that a shell takes apart into the program and its arguments again.
fn line(program: &str, arguments: &[&str]) -> Result<String, WiringError> {
    let words = [program].into_iter().chain(arguments.iter().copied());
    shlex::try_join(words).map_err(|_| WiringError::Command {
        path: program.to_owned(),
    })
}

fn command(path: &Path) -> Result<String, WiringError> {
    let shown = || WiringError::Command {
        path: path.to_string_lossy().into_owned(),
    };
    let text = path.to_str().ok_or_else(shown)?;
    if path.is_absolute() {
        Ok(text.to_owned())
    } else {
        Err(shown())
    }
}
