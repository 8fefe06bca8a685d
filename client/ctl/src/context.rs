//! The context of every command: the places, the working directory, the screen, a connection when
//! it is wanted.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use helix_client::{Client, Paths, Rpc, Start, caller, v1};
use helix_proto::paths::{
    HOME_VARIABLE, MODEL_DIR_VARIABLE, PathError, SOCKET_PATH_MAX_BYTES, SOCKET_VARIABLE,
};
use tokio::runtime::Builder;
use tonic::{Response, Status};

use crate::failure::Failure;
use crate::progress::while_slow;
use crate::screen::Screen;

/// How the daemon knows this program.
const PROGRAM: &str = "helixctl";

/// Names the session of the agent whose shell this is, where Claude Code started it.
const SESSION_VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// The surroundings of one command.
#[derive(Debug)]
pub(crate) struct Context {
    /// Home, socket and models.
    pub(crate) paths: Paths,
    /// The variables for those of the places that a flag or the environment named: what a program
    /// that somebody else starts has to be told to use the same.
    pub(crate) named: Vec<(&'static str, PathBuf)>,
    /// Where the command runs.
    pub(crate) cwd: PathBuf,
    /// The session of the agent whose shell this is; empty for a person's.
    pub(crate) session: String,
    /// Where it prints.
    pub(crate) screen: Screen,
}

impl Context {
    /// Looks at the environment; `home` and `socket` from the command line come first.
    pub(crate) fn new(home: Option<PathBuf>, socket: Option<PathBuf>) -> Result<Self, Failure> {
        let cwd = env::current_dir().map_err(Failure::io("finding the current directory"))?;
        // Of a script's variable that is not set.
        for (flag, path) in [("--home", &home), ("--socket", &socket)] {
            if path
                .as_ref()
                .is_some_and(|path| path.as_os_str().is_empty())
            {
                return Err(Failure::Usage(format!(
                    "{flag} is empty; give a path, or leave it out"
                )));
            }
        }
        let is_set = |variable: &str| env::var_os(variable).is_some_and(|value| !value.is_empty());
        // A home from the command line brings its own socket.
        let names_socket = socket.is_some() || (home.is_none() && is_set(SOCKET_VARIABLE));
        let names_home = home.is_some() || is_set(HOME_VARIABLE);
        let paths = paths(home, socket, &cwd)?;
        let mut named = Vec::new();
        if names_home {
            named.push((HOME_VARIABLE, paths.home.clone()));
        }
        if names_socket {
            named.push((SOCKET_VARIABLE, paths.socket.clone()));
        }
        let session = env::var(SESSION_VARIABLE).unwrap_or_default();
        Ok(Self {
            paths,
            named,
            cwd,
            session,
            screen: Screen::from_environment(),
        })
    }

    /// Connects to the daemon.
    pub(crate) async fn connect(&self, start: Start) -> Result<Client, Failure> {
        Ok(Client::connect(&self.paths, start, PROGRAM).await?)
    }

    /// Asks the daemon, which is started where there is none, and asks again when it went away
    /// meanwhile: for what may be done twice.
    pub(crate) fn ask<T>(
        &self,
        make: impl AsyncFn(&mut Rpc) -> Result<Response<T>, Status>,
    ) -> Result<T, Failure> {
        wait(async { Ok(self.connect(Start::IfAbsent).await?.call(make).await?) })
    }

    /// Asks the daemon for what must not be done twice.
    pub(crate) fn ask_at_most_once<T>(
        &self,
        make: impl AsyncFn(&mut Rpc) -> Result<Response<T>, Status>,
    ) -> Result<T, Failure> {
        wait(async {
            let mut client = self.connect(Start::IfAbsent).await?;
            Ok(client.call_at_most_once(make).await?)
        })
    }

    /// Asks the daemon once for what takes its time, and says what is done while it does.
    pub(crate) fn ask_slowly<T>(
        &self,
        doing: &str,
        deadline: Duration,
        make: impl AsyncFnOnce(&mut Rpc) -> Result<Response<T>, Status>,
    ) -> Result<T, Failure> {
        wait(async {
            let mut client = self.connect(Start::IfAbsent).await?;
            let asking = client.call_once(deadline, make);
            Ok(while_slow(self.screen, doing, asking).await?)
        })
    }

    /// Says who asks.
    pub(crate) fn caller(&self) -> v1::Caller {
        caller(v1::Program::Ctl, &self.cwd, "", &self.session)
    }
}

/// Runs a command that waits for the daemon.
pub(crate) fn wait<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime
        .map_err(Failure::io("starting the runtime"))?
        .block_on(work)
}

/// A home from the command line brings its own socket and models, unless those are named as well:
/// homes never share a daemon by accident.
fn paths(home: Option<PathBuf>, socket: Option<PathBuf>, cwd: &Path) -> Result<Paths, Failure> {
    let mut paths = match home {
        None => Paths::from_environment()?,
        Some(home) => {
            let mut inside = Paths::inside(&cwd.join(home));
            if let Some(models) = absolute_variable(MODEL_DIR_VARIABLE)? {
                inside.models = models;
            }
            inside
        }
    };
    if let Some(socket) = socket {
        paths.socket = cwd.join(socket);
    }
    if paths.socket.as_os_str().len() > SOCKET_PATH_MAX_BYTES {
        return Err(PathError::TooLong(paths.socket).into());
    }
    Ok(paths)
}

fn absolute_variable(variable: &'static str) -> Result<Option<PathBuf>, Failure> {
    match env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
    {
        Some(value) if !value.is_absolute() => Err(PathError::Relative { variable, value }.into()),
        found => Ok(found),
    }
}

/// Makes another program work with the same places.
pub(crate) fn variables(paths: &Paths) -> [(&'static str, &Path); 3] {
    [
        (HOME_VARIABLE, &paths.home),
        (SOCKET_VARIABLE, &paths.socket),
        (MODEL_DIR_VARIABLE, &paths.models),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_home_on_the_command_line_has_a_socket_of_its_own() {
        let found = paths(Some("trial".into()), None, Path::new("/work")).unwrap();
        assert_eq!(found.home, Path::new("/work/trial"));
        assert_eq!(found.socket, Path::new("/work/trial/run/helixd.sock"));
    }

    #[test]
    fn a_socket_on_the_command_line_comes_first() {
        let found = paths(Some("/h".into()), Some("s.sock".into()), Path::new("/work")).unwrap();
        assert_eq!(found.socket, Path::new("/work/s.sock"));
    }

    #[test]
    fn a_socket_too_long_for_the_kernel_is_refused() {
        let long = PathBuf::from(format!("/{}", "x".repeat(SOCKET_PATH_MAX_BYTES)));
        let refused = paths(Some("/h".into()), Some(long), Path::new("/work"));
        assert!(matches!(
            refused,
            Err(Failure::Paths(PathError::TooLong(_)))
        ));
    }
}
