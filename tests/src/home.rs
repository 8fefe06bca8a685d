//! A home directory of a test's own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use helix_proto::paths::{MODEL_DIR_VARIABLE, Paths};
use tempfile::TempDir;

use crate::{Binary, process};

/// Names the parts of what hooks decide that a daemon decides without.
const ABLATED_VARIABLE: &str = "HELIX_ABLATE";

/// Variables that would lead a program to the user's own Helix or change what it says.
const FOREIGN_VARIABLES: &[&str] = &[
    "HELIX_SOCKET",
    "HELIX_LOG",
    ABLATED_VARIABLE,
    "HELIX_EMBEDDER",
    "HELIX_DAEMON",
    "HELIX_HOOK_DEBUG",
    "HELIX_HOOKS",
    "HELIX_MONTHLY_TOKEN_BUDGET",
    "http_proxy",
    "HTTP_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "XDG_RUNTIME_DIR",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_CONFIG_DIR",
    "CURSOR_VERSION",
    "LISTEN_FDS",
    "LISTEN_PID",
    "NOTIFY_SOCKET",
];

/// A home that is gone with the value, and with it every program started on it. Short, because socket paths have few bytes.
#[derive(Debug)]
pub struct Home {
    directory: TempDir,
    /// The places inside it.
    pub paths: Paths,
    with_embedder: bool,
    programs: Option<PathBuf>,
    ablated: Option<String>,
    given: Vec<(String, String)>,
}

impl Home {
    /// Makes a home whose daemon searches by words only: fast to start, and the same on every
    /// machine.
    ///
    /// # Errors
    /// When the temporary directory cannot be made.
    pub fn new() -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("hx").tempdir_in("/tmp")?;
        let paths = Paths::inside(&directory.path().join("h"));
        Ok(Self {
            directory,
            paths,
            with_embedder: false,
            programs: None,
            ablated: None,
            given: Vec::new(),
        })
    }

    /// Makes a home whose daemon loads the model of `$HELIX_MODEL_DIR`; `None` when that is not set
    /// or empty.
    ///
    /// # Errors
    /// When the temporary directory cannot be made.
    pub fn with_embedder() -> io::Result<Option<Self>> {
        let mut home = Self::new()?;
        Ok(home.use_embedder().then_some(home))
    }

    /// Lets daemons started from now on load the model of `$HELIX_MODEL_DIR`; false when there is
    /// none.
    pub fn use_embedder(&mut self) -> bool {
        if let Some(models) = installed_models() {
            self.paths.models = models;
            self.with_embedder = true;
        }
        self.with_embedder
    }

    /// Makes daemons started from now on search by words only.
    pub fn leave_out_embedder(&mut self) {
        self.with_embedder = false;
    }

    /// Makes the hooks of daemons started from now on decide without a part; with all of them where
    /// that is `None`.
    pub fn ablate(&mut self, part: Option<&str>) {
        self.ablated = part.map(str::to_owned);
    }

    /// Makes programs started from now on find those of a directory before all others.
    pub fn put_first_in_path(&mut self, programs: &Path) {
        self.programs = Some(programs.to_owned());
    }

    /// Gives programs started from now on a variable.
    pub fn give(&mut self, variable: &str, value: &str) {
        self.given.push((variable.to_owned(), value.to_owned()));
    }

    /// A directory beside the home, for projects and files of the test.
    #[must_use]
    pub fn scratch(&self) -> &Path {
        self.directory.path()
    }

    /// A file below the home that has this in it; `None` when none has.
    ///
    /// # Errors
    /// When the home cannot be read.
    pub fn holding(&self, text: &str) -> io::Result<Option<PathBuf>> {
        holding(&self.paths.home, text.as_bytes())
    }

    /// The daemon that holds the home; `None` when none does.
    ///
    /// # Errors
    /// When the lock cannot be read.
    pub fn holder(&self) -> anyhow::Result<Option<u32>> {
        process::holder(&self.paths)
    }

    /// A command that runs a program against this home, whatever the environment says.
    #[must_use]
    pub fn command(&self, binary: Binary) -> Command {
        let mut command = Command::new(binary.path());
        for name in FOREIGN_VARIABLES {
            command.env_remove(name);
        }
        command
            .env("HELIX_HOME", &self.paths.home)
            .env("HELIX_DAEMON", Binary::Daemon.path())
            .env(MODEL_DIR_VARIABLE, &self.paths.models)
            .env("HOME", self.scratch())
            .env("TZ", "UTC")
            .current_dir(self.scratch());
        if !self.with_embedder {
            command.env("HELIX_EMBEDDER", "off");
        }
        command.envs(self.given.iter().map(|(name, value)| (name, value)));
        if let Some(part) = &self.ablated {
            command.env(ABLATED_VARIABLE, part);
        }
        if let Some(programs) = &self.programs {
            let others = env::var_os("PATH").unwrap_or_default();
            let all = [programs.clone()]
                .into_iter()
                .chain(env::split_paths(&others));
            command.env(
                "PATH",
                env::join_paths(all).unwrap_or_else(|_| others.clone()),
            );
        }
        command
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        process::end_all(self);
    }
}

fn holding(directory: &Path, bytes: &[u8]) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let kind = fs::symlink_metadata(&path)?.file_type();
        if kind.is_dir() {
            if let Some(found) = holding(&path, bytes)? {
                return Ok(Some(found));
            }
        } else if kind.is_file()
            && fs::read(&path)?
                .windows(bytes.len())
                .any(|window| window == bytes)
        {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn installed_models() -> Option<PathBuf> {
    env::var_os(MODEL_DIR_VARIABLE)
        .map(PathBuf::from)
        .filter(|models| models.join("all-minilm-l6-v2-int8").is_dir())
}
