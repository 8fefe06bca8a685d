//! The clients that Helix can be wired into: in which forms they read hooks and servers, from which
//! files, and what their users have to do themselves.

use std::path::{Path, PathBuf};

use super::file;
use super::spec::SERVER_PROGRAM;
use super::table::{self, HookRow};
use super::target::{Level, Part, Syntax, Target};

/// Mode of a settings file that a project shares, when it has to be made.
const SHARED_FILE_MODE: u32 = 0o644;
/// Mode of a file in the user's own configuration, which may hold secrets.
const OWN_FILE_MODE: u32 = 0o600;

/// An assistant that Helix can be wired into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// Claude Code.
    Claude,
    /// Codex CLI.
    Codex,
    /// Cursor.
    Cursor,
    /// Gemini CLI.
    Gemini,
    /// `OpenCode`.
    OpenCode,
    /// Visual Studio Code.
    VsCode,
    /// Windsurf.
    Windsurf,
}

/// Whose settings are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everybody's who works in the project.
    Project,
    /// The user's own within the project.
    Local,
    /// The user's own everywhere.
    User,
}

impl Scope {
    /// Its name, which is its flag's as well.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Local => "local",
            Self::User => "user",
        }
    }
}

/// Where the clients look, as the caller found it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    /// The project's directory.
    pub(crate) project: PathBuf,
    /// The user's home directory.
    pub(crate) home: PathBuf,
    /// Where the user's configuration lies: `XDG_CONFIG_HOME`, usually `.config` in the home.
    pub(crate) config: PathBuf,
    /// The value of `CLAUDE_CONFIG_DIR`, if it is set.
    pub(crate) claude_config_dir: Option<PathBuf>,
    /// The value of `CODEX_HOME`, if it is set.
    pub(crate) codex_home: Option<PathBuf>,
}

/// How a client writes hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HookForm {
    /// Every hook, in the order in which it is written.
    pub(crate) rows: &'static [HookRow],
    /// The shape of an event.
    pub(crate) shape: HookShape,
    /// The shim's second argument: which client it is that asks. Claude Code and Codex are known
    /// without it.
    pub(crate) client: Option<&'static str>,
}

/// The shape of an event's hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookShape {
    /// Groups of handlers below a matcher; program and arguments apart, so that no shell is
    /// started.
    GroupsOfPrograms,
    /// Groups of handlers below a matcher; each one line for a shell.
    GroupsOfLines,
    /// A plain list of lines for a shell, in a file that carries a version.
    Lines,
}

/// How a client writes servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ServerForm {
    /// The key that holds every server.
    pub(crate) servers: &'static str,
    /// The shape of an entry.
    pub(crate) shape: ServerShape,
}

/// The shape of a server's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerShape {
    /// `type: "stdio"`, program and arguments.
    Typed,
    /// Program and arguments.
    Plain,
    /// `type: "local"`, program and arguments in one list, and whether it is on.
    Local,
}

const CLAUDE_HOOKS: HookForm = HookForm {
    rows: table::CLAUDE,
    shape: HookShape::GroupsOfPrograms,
    client: None,
};
const CODEX_HOOKS: HookForm = HookForm {
    rows: table::CODEX,
    shape: HookShape::GroupsOfLines,
    client: None,
};
const CURSOR_HOOKS: HookForm = HookForm {
    rows: table::CURSOR,
    shape: HookShape::Lines,
    client: Some("cursor"),
};
const GEMINI_HOOKS: HookForm = HookForm {
    rows: table::GEMINI,
    shape: HookShape::GroupsOfLines,
    client: Some("gemini"),
};

const fn servers(servers: &'static str, shape: ServerShape) -> Part {
    Part::Server(ServerForm { servers, shape })
}

impl Client {
    /// Every one.
    pub(crate) const ALL: [Self; 7] = [
        Self::Claude,
        Self::Codex,
        Self::Cursor,
        Self::Gemini,
        Self::OpenCode,
        Self::VsCode,
        Self::Windsurf,
    ];

    /// Its name on the command line.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::VsCode => "vscode",
            Self::Windsurf => "windsurf",
        }
    }

    /// Its name as people write it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Gemini => "Gemini CLI",
            Self::OpenCode => "OpenCode",
            Self::VsCode => "VS Code",
            Self::Windsurf => "Windsurf",
        }
    }

    /// The scopes that it has, the usual one first.
    pub(crate) fn scopes(self) -> &'static [Scope] {
        match self {
            Self::Claude => &[Scope::Project, Scope::Local, Scope::User],
            Self::Codex | Self::Cursor | Self::Gemini | Self::OpenCode | Self::VsCode => {
                &[Scope::Project, Scope::User]
            }
            Self::Windsurf => &[Scope::User],
        }
    }

    /// The files that hold our entries, hooks first; none in a scope that the client does not have.
    pub(crate) fn targets(self, scope: Scope, place: &Place) -> Vec<Target> {
        if !self.scopes().contains(&scope) {
            return Vec::new();
        }
        match self {
            Self::Claude => vec![claude_hooks(scope, place), claude_server(scope, place)],
            Self::Codex => {
                let own = place
                    .codex_home
                    .clone()
                    .unwrap_or_else(|| place.home.join(".codex"));
                let directory = in_project_or(scope, place, ".codex", own);
                vec![
                    json(
                        scope,
                        directory.join("hooks.json"),
                        &[Part::Hooks(CODEX_HOOKS)],
                    ),
                    Target {
                        syntax: Syntax::Toml,
                        ..json(
                            scope,
                            directory.join("config.toml"),
                            &[servers("mcp_servers", ServerShape::Plain)],
                        )
                    },
                ]
            }
            Self::Cursor => {
                let directory = in_project_or(scope, place, ".cursor", place.home.join(".cursor"));
                vec![
                    json(
                        scope,
                        directory.join("hooks.json"),
                        &[Part::Hooks(CURSOR_HOOKS)],
                    ),
                    json(
                        scope,
                        directory.join("mcp.json"),
                        &[servers("mcpServers", ServerShape::Typed)],
                    ),
                ]
            }
            Self::Gemini => {
                let directory = in_project_or(scope, place, ".gemini", place.home.join(".gemini"));
                let parts = [
                    Part::Hooks(GEMINI_HOOKS),
                    servers("mcpServers", ServerShape::Plain),
                ];
                vec![json(scope, directory.join("settings.json"), &parts)]
            }
            Self::OpenCode => {
                let directory = in_project_or(scope, place, "", place.config.join("opencode"));
                vec![json(
                    scope,
                    opencode_file(&directory),
                    &[servers("mcp", ServerShape::Local)],
                )]
            }
            Self::VsCode => {
                let directory =
                    in_project_or(scope, place, ".vscode", vscode_user_directory(place));
                vec![json(
                    scope,
                    directory.join("mcp.json"),
                    &[servers("servers", ServerShape::Typed)],
                )]
            }
            Self::Windsurf => {
                let file = place.home.join(".codeium/windsurf/mcp_config.json");
                vec![json(
                    scope,
                    file,
                    &[servers("mcpServers", ServerShape::Plain)],
                )]
            }
        }
    }

    /// Lists the steps that are left to the user, with hooks alone or with the server, each a
    /// lowercase fragment.
    pub(crate) fn steps(self, scope: Scope, with_server: bool) -> &'static [&'static str] {
        match (self, scope) {
            (Self::Claude, Scope::Project) if with_server => &[
                "restart Claude Code; it reads its settings when it starts",
                "Claude Code asks each user of this project once whether to use the server `helix`: approve it",
            ],
            (Self::Claude, _) => &["restart Claude Code; it reads its settings when it starts"],
            (Self::Codex, Scope::Project) => &[
                "Codex never runs a hook that is not trusted, and does not say so: start it and trust Helix's with /hooks",
                "Codex reads this project's .codex only when it trusts the project",
            ],
            (Self::Codex, Scope::Local | Scope::User) => &[
                "Codex never runs a hook that is not trusted, and does not say so: start it and trust Helix's with /hooks",
            ],
            (Self::Cursor, _) => &[
                "restart Cursor, and see that the server `helix` is on in its list of MCP servers",
            ],
            (Self::Gemini, Scope::Project) => &[
                "restart Gemini CLI; /mcp and /hooks list what it found",
                "Gemini CLI reads this project's .gemini only in a folder that it trusts",
            ],
            (Self::Gemini, Scope::Local | Scope::User) => {
                &["restart Gemini CLI; /mcp and /hooks list what it found"]
            }
            (Self::OpenCode, _) => &["restart OpenCode; it reads its settings when it starts"],
            (Self::VsCode, _) => &[
                "VS Code asks whether to trust the server `helix` when it starts it first: allow it",
            ],
            (Self::Windsurf, _) => &["restart Windsurf, or refresh the MCP servers in Cascade"],
        }
    }
}

fn claude_hooks(scope: Scope, place: &Place) -> Target {
    let own = || {
        place
            .claude_config_dir
            .clone()
            .unwrap_or_else(|| place.home.join(".claude"))
    };
    let path = match scope {
        Scope::Project => place.project.join(".claude/settings.json"),
        Scope::Local => place.project.join(".claude/settings.local.json"),
        Scope::User => own().join("settings.json"),
    };
    json(scope, path, &[Part::Hooks(CLAUDE_HOOKS)])
}

/// A user's own servers in one project stand in the user's file, below that project's path.
fn claude_server(scope: Scope, place: &Place) -> Target {
    let own = || {
        place
            .claude_config_dir
            .as_deref()
            .unwrap_or(&place.home)
            .join(".claude.json")
    };
    let part = servers("mcpServers", ServerShape::Typed);
    match scope {
        Scope::Project => json(scope, place.project.join(".mcp.json"), &[part]),
        Scope::User => json(scope, own(), &[part]),
        Scope::Local => Target {
            // The client is a JavaScript program, which reads a path that is not UTF-8 as lossily.
            level: Level::Project(place.project.to_string_lossy().into_owned()),
            new_mode: OWN_FILE_MODE,
            ..json(scope, own(), &[part])
        },
    }
}

fn in_project_or(scope: Scope, place: &Place, below: &str, own: PathBuf) -> PathBuf {
    match scope {
        Scope::Project | Scope::Local if below.is_empty() => place.project.clone(),
        Scope::Project | Scope::Local => place.project.join(below),
        Scope::User => own,
    }
}

/// It reads both names. The one that Helix is in is taken, else the one that is there, so that
/// there is one file.
fn opencode_file(directory: &Path) -> PathBuf {
    let names @ [plain, commented] =
        &["opencode.json", "opencode.jsonc"].map(|name| directory.join(name));
    let holds_ours = |text: Option<String>| text.is_some_and(|text| text.contains(SERVER_PROGRAM));
    let is_wired = |path: &&PathBuf| file::read(path).is_ok_and(holds_ours);
    let present = if commented.exists() && !plain.exists() {
        commented
    } else {
        plain
    };
    names.iter().find(is_wired).unwrap_or(present).clone()
}

fn vscode_user_directory(place: &Place) -> PathBuf {
    if cfg!(target_os = "macos") {
        place.home.join("Library/Application Support/Code/User")
    } else {
        place.config.join("Code/User")
    }
}

fn json(scope: Scope, path: PathBuf, parts: &[Part]) -> Target {
    let new_mode = match scope {
        Scope::Project | Scope::Local => SHARED_FILE_MODE,
        Scope::User => OWN_FILE_MODE,
    };
    let is_shared = scope == Scope::Project;
    Target {
        path,
        parts: parts.to_vec(),
        syntax: Syntax::Json,
        level: Level::Root,
        is_shared,
        new_mode,
    }
}
