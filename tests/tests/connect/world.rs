//! A project and a user's home with settings in them, and the command line that edits those.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use helix_proto::exit;
use helix_tests::{Binary, Home, Project};
use serde_json::Value;

/// Each client, a file that it reads in a project or else for a user, and one that somebody could
/// have there.
pub(crate) const CLIENTS: &[(&str, &str, &str)] = &[
    (
        "claude",
        "project:.claude/settings.json",
        "{\n\t// mine\n\t\"model\": \"opus\",\n}\n",
    ),
    (
        "claude",
        "project:.mcp.json",
        "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}",
    ),
    (
        "codex",
        "project:.codex/hooks.json",
        "{\r\n  \"description\": \"ours\"\r\n}\r\n",
    ),
    (
        "codex",
        "project:.codex/config.toml",
        "# mine\r\nmodel = \"o\" # why\r\n\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n",
    ),
    (
        "cursor",
        "project:.cursor/hooks.json",
        "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./bell\"}]}}\n",
    ),
    ("cursor", "project:.cursor/mcp.json", "{ }"),
    (
        "gemini",
        "project:.gemini/settings.json",
        "\u{feff}{\n  \"theme\": \"dark\" // at night 🌙\n}",
    ),
    (
        "opencode",
        "project:opencode.json",
        "{\"$schema\": \"https://opencode.ai/config.json\"}",
    ),
    (
        "vscode",
        "project:.vscode/mcp.json",
        "{\n\t\"servers\": {},\n\t\"inputs\": []\n}\n",
    ),
    ("windsurf", "home:.codeium/windsurf/mcp_config.json", ""),
];

/// Every client, once.
pub(crate) fn clients() -> Vec<&'static str> {
    let mut names: Vec<&str> = CLIENTS.iter().map(|(client, ..)| *client).collect();
    names.dedup();
    names
}

/// The files of a client.
pub(crate) fn files_of(client: &str) -> impl Iterator<Item = &'static str> {
    CLIENTS
        .iter()
        .filter(move |(name, ..)| *name == client)
        .map(|(_, file, _)| *file)
}

/// Two projects and a user's home.
pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) project: Project,
    pub(crate) other: Project,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = Home::new().unwrap();
        let [project, other] = ["billing", "ledger"].map(|name| Project::new(&home, name).unwrap());
        fs::create_dir(home.scratch().join("own")).unwrap();
        Self {
            home,
            project,
            other,
        }
    }

    pub(crate) fn command(&self, binary: Binary) -> Command {
        let mut command = self.home.command(binary);
        for name in ["CODEX_HOME", "XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        command
            .current_dir(&self.project.root)
            .env("HOME", self.own());
        command
    }

    /// The user's home, apart from what the test needs itself.
    pub(crate) fn own(&self) -> PathBuf {
        self.home.scratch().join("own")
    }

    /// Runs the command line with nobody at the terminal.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(Binary::Ctl)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// Runs it and expects success; returns what it said on stdout and stderr.
    pub(crate) fn done(&self, arguments: &[&str]) -> (String, String) {
        done_by(&mut self.command(Binary::Ctl), arguments)
    }

    /// The same in the other project.
    pub(crate) fn done_in_other(&self, arguments: &[&str]) -> (String, String) {
        done_by(
            self.command(Binary::Ctl).current_dir(&self.other.root),
            arguments,
        )
    }

    /// The same with a Helix home that knows nothing.
    pub(crate) fn done_elsewhere(&self, arguments: &[&str]) -> (String, String) {
        let nowhere = self.home.scratch().join("nowhere");
        let done = done_by(
            self.command(Binary::Ctl).env("HELIX_HOME", &nowhere),
            arguments,
        );
        assert!(!nowhere.exists(), "{arguments:?} made a home");
        done
    }

    /// Runs it, expects this exit code and that no file changes; returns what it said on stderr.
    pub(crate) fn refused(&self, arguments: &[&str], code: u8) -> String {
        let before = self.files();
        let output = self.run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            output.status.code(),
            Some(i32::from(code)),
            "{arguments:?}: {said}"
        );
        assert_eq!(self.files(), before, "{arguments:?} changed something");
        said
    }

    /// Where a file of [`CLIENTS`] is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match name.split_once(':') {
            Some(("project", rest)) => self.project.root.join(rest),
            Some((_, rest)) => self.own().join(rest),
            None => self.project.root.join(name),
        }
    }

    /// Writes a file of [`CLIENTS`].
    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        put(&self.path(name), text);
    }

    /// Every file of the projects and the user's home but git's: its bytes, or where a link leads.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut open = vec![
            self.project.root.clone(),
            self.other.root.clone(),
            self.own(),
        ];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_symlink() {
                    let target = fs::read_link(&path).unwrap();
                    found.insert(path, format!("a link to {}", target.display()).into_bytes());
                } else if !path.is_dir() {
                    found.insert(path.clone(), fs::read(&path).unwrap());
                } else if !path.ends_with(".git") {
                    found.insert(path.clone(), b"a directory".to_vec());
                    open.push(path);
                }
            }
        }
        found
    }

    /// Reads Helix's records of the files that it is wired into.
    pub(crate) fn records(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = fs::read_dir(self.home.paths.home.join("wiring"))
            .into_iter()
            .flatten();
        entries
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }
}

/// Writes a file and makes its directories.
pub(crate) fn put(path: &Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Runs a command, expects that it is done, and returns what it printed.
fn done_by(command: &mut Command, arguments: &[&str]) -> (String, String) {
    let output = command
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let texts = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(
        output.status.code(),
        Some(i32::from(exit::OK)),
        "{arguments:?}: {texts:?}"
    );
    texts.into()
}
