//! The daemon as the tools see it: connected on the first call, started when absent, found again
//! after a restart.

use std::sync::{Mutex, PoisonError};

use helix_client::standing::is_standing;
use helix_client::{Client, ConnectError, PathError, Paths, Rpc, Start};
use tonic::{Code, Response, Status};

/// Notes remembered as told; further ones are repeated.
const NOTES_MAX: usize = 32;

/// The name by which the daemon knows this program.
const PROGRAM: &str = "helix-mcp";

/// What a model can do when there is no daemon.
const WITHOUT_MEMORY: &str =
    "go on without memory, and tell the user that `helixctl doctor` says what is wrong";

/// Why the daemon gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// The environment names no usable place.
    #[error("{0}; {WITHOUT_MEMORY}")]
    Place(#[from] PathError),
    /// There is no connection.
    #[error("{0}; {WITHOUT_MEMORY}")]
    Connect(#[from] ConnectError),
    /// The daemon refused or failed.
    #[error("{}", describe(.0))]
    Refused(Box<Status>),
}

/// A connection that is made when it is needed.
pub(crate) struct Daemon {
    kept: Mutex<Option<Client>>,
    told: Mutex<Vec<String>>,
}

impl Daemon {
    /// Makes one that has not connected.
    pub(crate) fn new() -> Self {
        Self {
            kept: Mutex::new(None),
            told: Mutex::new(Vec::new()),
        }
    }

    /// Makes a call.
    ///
    /// # Errors
    /// [`CallError`] says what to do.
    pub(crate) async fn call<T>(
        &self,
        make: impl AsyncFn(&mut Rpc) -> Result<Response<T>, Status>,
    ) -> Result<T, CallError> {
        self.with_client(async |client| client.call(make).await)
            .await
    }

    /// Makes a call that must not be carried out twice.
    ///
    /// # Errors
    /// [`CallError`] says what to do.
    pub(crate) async fn call_at_most_once<T>(
        &self,
        make: impl AsyncFn(&mut Rpc) -> Result<Response<T>, Status>,
    ) -> Result<T, CallError> {
        self.with_client(async |client| client.call_at_most_once(make).await)
            .await
    }

    async fn with_client<T>(
        &self,
        call: impl AsyncFnOnce(&mut Client) -> Result<T, Status>,
    ) -> Result<T, CallError> {
        let mut client = self.connected().await?;
        let result = call(&mut client).await;
        // A call may have connected anew; a daemon that cannot be reached is looked for again by
        // the next call.
        let lost = result.as_ref().is_err_and(|status| {
            matches!(
                status.code(),
                Code::Unavailable | Code::DataLoss | Code::Aborted
            )
        });
        self.keep((!lost).then_some(client));
        result.map_err(|status| CallError::Refused(Box::new(status)))
    }

    /// Leaves out what this client has been told already and stays true for a while, such as a
    /// missing model: it is worth its tokens once. What is said of the query itself is said
    /// each time.
    pub(crate) fn untold(&self, mut notes: Vec<String>) -> Vec<String> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        notes.retain(|note| {
            let is_known = told.contains(note);
            if !is_known && is_standing(note) && told.len() < NOTES_MAX {
                told.push(note.clone());
            }
            !is_known
        });
        notes
    }

    async fn connected(&self) -> Result<Client, CallError> {
        let kept = self
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        match kept {
            Some(client) => Ok(client),
            None => {
                Ok(Client::connect(&Paths::from_environment()?, Start::IfAbsent, PROGRAM).await?)
            }
        }
    }

    fn keep(&self, client: Option<Client>) {
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = client;
    }
}

/// The daemon's own words, and what to do where its code says more than they do.
fn describe(status: &Status) -> String {
    let advice = match status.code() {
        Code::Unimplemented => {
            "the daemon is older than this program; restart it with `helixctl down` and `helixctl up`"
        }
        Code::Unavailable | Code::DataLoss => WITHOUT_MEMORY,
        Code::DeadlineExceeded => "call again; if it stays slow, run `helixctl doctor`",
        Code::Internal | Code::Unknown => "this is a fault of Helix; `helixctl doctor` says more",
        _ => "",
    };
    match (status.message(), advice) {
        ("", "") => format!("the daemon answered {:?}", status.code()),
        ("", advice) => advice.to_owned(),
        (message, "") => message.to_owned(),
        (message, advice) => format!("{message}; {advice}"),
    }
}
