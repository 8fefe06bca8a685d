//! Connecting to the daemon.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use helix_proto::holder::Holder;
use helix_proto::limits::{CALL_DEADLINE, CONNECT_DEADLINE, MESSAGE_MAX_BYTES, NOTICE_DEADLINE};
use helix_proto::notice::Notice;
use helix_proto::paths::Paths;
use helix_proto::v1::helix_client::HelixClient;
use helix_proto::v1::{HelloReply, HelloRequest};
use helix_proto::{PROTOCOL, v1};
use hyper_util::rt::TokioIo;
use jiff::tz::TimeZone;
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep, timeout};
use tonic::transport::{Channel, Endpoint, Uri};
use tonic::{Code, Status};
use tower::service_fn;

use crate::lost::{is_lost_connection, never_arrived, unknown_outcome};
use crate::patience::Patience;
use crate::peer;
use crate::start::{StartError, Started, holder, start_daemon};

/// How long a daemon that was just started may take to greet.
const START_DEADLINE: Duration = Duration::from_secs(10);

/// Pause between attempts while a daemon starts.
const START_RETRY_PAUSE: Duration = Duration::from_millis(10);

/// Calls made for one request when the daemon goes away under it.
const CALL_ATTEMPTS: u32 = 3;

/// The reaction to a daemon that does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Say so.
    Never,
    /// Start one.
    IfAbsent,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody listens.
    #[error("no daemon answers at {socket} ({source}); start it with `helixctl up`")]
    Absent {
        /// Where it was looked for.
        socket: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Somebody else listens.
    #[error(
        "the process behind {0} belongs to another user; remove that socket or set HELIX_SOCKET"
    )]
    NotOurs(PathBuf),
    /// Connected, but no greeting came.
    #[error(
        "the daemon at {socket} does not answer: {detail}; see its log, or {advice} and run `helixctl up`"
    )]
    Silent {
        /// Where.
        socket: PathBuf,
        /// The event that happened instead.
        detail: String,
        /// The remedy.
        advice: String,
        /// True if the daemon hung up, as one that is just stopping or handing over does, rather
        /// than being slow.
        hung_up: bool,
    },
    /// It says that it is at work, and for too long.
    #[error(
        "the daemon (pid {pid}) has been {doing} for more than {} s and answers nobody meanwhile; try again in a while, its log says how far it is",
        NOTICE_DEADLINE.as_secs()
    )]
    Engaged {
        /// Its process.
        pid: u32,
        /// The work that it says it does.
        doing: &'static str,
    },
    /// The daemon speaks another protocol.
    #[error(
        "the daemon is version {daemon} and cannot serve this program; restart it with `helixctl down` and `helixctl up`"
    )]
    Version {
        /// The daemon's answer.
        daemon: String,
    },
    /// A daemon serves the home, but not on the socket.
    #[error(
        "a daemon (pid {holder}) serves {home} but does not listen at {socket}; set HELIX_SOCKET as it was started with, or stop it with `kill {holder}`"
    )]
    Elsewhere {
        /// Its process id.
        holder: String,
        /// The home directory.
        home: PathBuf,
        /// Where it was looked for.
        socket: PathBuf,
    },
    /// It could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// The client on which calls are made.
pub type Rpc = HelixClient<Channel>;

/// A greeted connection.
#[derive(Clone, Debug)]
pub struct Client {
    paths: Paths,
    program: &'static str,
    start: Start,
    channel: Rpc,
    /// Where the daemon listens: where `paths` say, or where the lock of the home does.
    pub socket: PathBuf,
    /// The daemon's greeting.
    pub greeting: HelloReply,
    /// True if this connection started the daemon, rather than finding one or losing a race to
    /// start it.
    pub has_started: bool,
}

impl Client {
    /// Connects, checks that the peer is ours and speaks our protocol, and starts the daemon if
    /// that is wanted.
    ///
    /// # Errors
    /// [`ConnectError`] says what to do.
    pub async fn connect(
        paths: &Paths,
        start: Start,
        program: &'static str,
    ) -> Result<Self, ConnectError> {
        let patience = Patience::new(paths);
        let mut attempt = 1;
        loop {
            match Self::connect_once(paths, start, program).await {
                Err(ConnectError::Absent { .. }) if start == Start::IfAbsent => {
                    return Self::start_and_connect(paths, start, program).await;
                }
                // It took the connection just before it handed over; its successor takes the next.
                Err(ConnectError::Silent { hung_up: true, .. }) if attempt < CALL_ATTEMPTS => {
                    attempt += 1;
                }
                Err(ConnectError::Absent { .. } | ConnectError::Silent { .. })
                    if patience.lasts() =>
                {
                    sleep(START_RETRY_PAUSE).await;
                }
                other => return other.map_err(|error| patience.name(error)),
            }
        }
    }

    /// Makes a call, and makes it again when the daemon went away under it: for what may be done
    /// twice.
    ///
    /// # Errors
    /// The daemon's status, or `Unavailable` when there is no daemon.
    pub async fn call<T>(
        &mut self,
        make: impl AsyncFn(&mut Rpc) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, Status> {
        self.call_while(is_lost_connection, make).await
    }

    /// Makes a call, and makes it again only when the daemon surely did nothing about it: for what
    /// must not be done twice.
    ///
    /// # Errors
    /// The daemon's status, `Unavailable` when there is no daemon, or `Aborted` when it went away
    /// before it answered, so that nobody knows whether the call was carried out.
    pub async fn call_at_most_once<T>(
        &mut self,
        make: impl AsyncFn(&mut Rpc) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, Status> {
        let result = self.call_while(never_arrived, make).await;
        result.map_err(|status| {
            if is_lost_connection(&status) {
                unknown_outcome()
            } else {
                status
            }
        })
    }

    async fn call_while<T>(
        &mut self,
        is_repeatable: fn(&Status) -> bool,
        make: impl AsyncFn(&mut Rpc) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, Status> {
        let mut attempt = 1;
        loop {
            let result = timeout(CALL_DEADLINE, make(&mut self.channel)).await;
            let status = match result {
                Ok(Ok(reply)) => return Ok(reply.into_inner()),
                Ok(Err(status)) => status,
                Err(_) => {
                    return Err(Status::deadline_exceeded(
                        "the daemon did not answer in time; see its log",
                    ));
                }
            };
            if attempt == CALL_ATTEMPTS || !is_repeatable(&status) {
                return Err(status);
            }
            attempt += 1;
            match Self::connect(&self.paths, self.start, self.program).await {
                Ok(fresh) => *self = fresh,
                Err(error) => return Err(Status::unavailable(error.to_string())),
            }
        }
    }

    /// Makes a call once, for what takes its time: streams and maintenance.
    ///
    /// # Errors
    /// The daemon's status; `DeadlineExceeded` when nothing came within `deadline`.
    pub async fn call_once<T>(
        &mut self,
        deadline: Duration,
        make: impl AsyncFnOnce(&mut Rpc) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, Status> {
        match timeout(deadline, make(&mut self.channel)).await {
            Ok(result) => result.map(tonic::Response::into_inner),
            Err(_) => Err(Status::deadline_exceeded(
                "the daemon did not answer in time; see its log",
            )),
        }
    }

    async fn start_and_connect(
        paths: &Paths,
        start: Start,
        program: &'static str,
    ) -> Result<Self, ConnectError> {
        let patience = Patience::until(paths, Instant::now() + START_DEADLINE);
        loop {
            // Again in every round: a daemon that was just stopping held the lock when it was tried
            // first.
            let started = start_daemon(paths)?;
            let is_ours = |client: &Self| {
                started
                    .as_ref()
                    .is_some_and(|ours| ours.pid == client.greeting.pid)
            };
            match Self::poll_until_up(paths, start, program, &patience, started.as_ref()).await {
                Err(ConnectError::Absent { .. } | ConnectError::Silent { .. })
                    if patience.lasts() => {}
                Err(ConnectError::Absent { .. })
                    if Notice::read(paths).is_none()
                        && started.as_ref().is_none_or(Started::found_another) =>
                {
                    let (home, socket) = (paths.home.clone(), paths.socket.clone());
                    return Err(ConnectError::Elsewhere {
                        holder: holder(paths),
                        home,
                        socket,
                    });
                }
                Ok(client) => {
                    return Ok(Self {
                        has_started: is_ours(&client),
                        ..client
                    });
                }
                Err(other) => return Err(patience.name(other)),
            }
        }
    }

    async fn poll_until_up(
        paths: &Paths,
        start: Start,
        program: &'static str,
        patience: &Patience<'_>,
        started: Option<&Started>,
    ) -> Result<Self, ConnectError> {
        /// Attempts before the lock is looked at again, when it was held by somebody else.
        const ROUND: u32 = 20;
        let mut attempt = 0;
        loop {
            match Self::connect_once(paths, start, program).await {
                // One that we started and that greets badly is about to end; it then says why.
                Err(ConnectError::Absent { .. } | ConnectError::Silent { .. })
                    if patience.lasts() && (started.is_some() || attempt < ROUND) =>
                {
                    if let Some(failure) = started.and_then(Started::failure) {
                        return Err(failure.into());
                    }
                    attempt += 1;
                    sleep(START_RETRY_PAUSE).await;
                }
                other => return other,
            }
        }
    }

    async fn connect_once(
        paths: &Paths,
        start: Start,
        program: &'static str,
    ) -> Result<Self, ConnectError> {
        let socket = reach(paths).await?;
        let silent = |detail: String, hung_up: bool| {
            let advice = ending(Holder::read(paths).map(|holder| holder.pid));
            ConnectError::Silent {
                socket: socket.clone(),
                detail,
                advice,
                hung_up,
            }
        };
        let place = socket.clone();
        let endpoint = Endpoint::from_static("http://helix").connect_timeout(CONNECT_DEADLINE);
        let connecting = endpoint
            .connect_with_connector(service_fn(move |_: Uri| connect_checked(place.clone())));
        let channel = timeout(CONNECT_DEADLINE, connecting)
            .await
            .map_err(|_| silent("no connection in time".to_owned(), false))?
            .map_err(|error| silent(chain(&error), true))?;
        let mut channel = HelixClient::new(channel)
            .max_decoding_message_size(MESSAGE_MAX_BYTES)
            .max_encoding_message_size(MESSAGE_MAX_BYTES);
        let hello = HelloRequest {
            protocol: PROTOCOL,
            program: program.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let greeting = match timeout(CONNECT_DEADLINE, channel.hello(hello)).await {
            Ok(Ok(reply)) => reply.into_inner(),
            Ok(Err(status)) if status.code() == Code::FailedPrecondition => {
                return Err(ConnectError::Version {
                    daemon: status.message().to_owned(),
                });
            }
            Ok(Err(status)) => {
                return Err(silent(
                    status.message().to_owned(),
                    is_lost_connection(&status),
                ));
            }
            Err(_) => return Err(silent("no greeting in time".to_owned(), false)),
        };
        Ok(Self {
            paths: paths.clone(),
            program,
            start,
            channel,
            socket,
            greeting,
            has_started: false,
        })
    }
}

/// Finds the daemon of a home: on the socket that the environment leads to, else on the one that
/// the home's lock names.
async fn reach(paths: &Paths) -> Result<PathBuf, ConnectError> {
    let Err(error) = try_socket(&paths.socket).await else {
        return Ok(paths.socket.clone());
    };
    match Holder::elsewhere(paths) {
        Some(socket) if try_socket(&socket).await.is_ok() => Ok(socket),
        Some(_) | None => Err(error),
    }
}

async fn try_socket(socket: &Path) -> Result<(), ConnectError> {
    let absent = |source| ConnectError::Absent {
        socket: socket.to_owned(),
        source,
    };
    let stream = UnixStream::connect(socket).await.map_err(absent)?;
    if peer::is_ours(&stream) {
        Ok(())
    } else {
        Err(ConnectError::NotOurs(socket.to_owned()))
    }
}

/// How to end a process that answers nobody. It may be stopped, and then heeds no other signal;
/// what it acknowledged is on the disk.
fn ending(holder: Option<u32>) -> String {
    holder.map_or_else(
        || "end that process".to_owned(),
        |pid| format!("end it with `kill -9 {pid}`"),
    )
}

async fn connect_checked(socket: PathBuf) -> io::Result<TokioIo<UnixStream>> {
    let stream = UnixStream::connect(socket).await?;
    if peer::is_ours(&stream) {
        Ok(TokioIo::new(stream))
    } else {
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "the socket belongs to another user",
        ))
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// Says who calls, for requests that write or that depend on a project.
#[must_use]
pub fn caller(
    program: v1::Program,
    cwd: &std::path::Path,
    agent: &str,
    session: &str,
) -> v1::Caller {
    v1::Caller {
        program: program.into(),
        cwd: cwd.to_string_lossy().into_owned(),
        agent: agent.to_owned(),
        session: session.to_owned(),
        time_zone: TimeZone::system()
            .iana_name()
            .unwrap_or_default()
            .to_owned(),
    }
}
