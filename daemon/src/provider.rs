//! The program that asks language models: started when something is first to be asked, spoken with
//! over its standard streams, and ended with the daemon.
//!
//! Its streams are one Unix socket, whose reads and writes have deadlines. One question at a time. A
//! program that is late, ends or says something else is killed, and not started again for a while.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use helix_app::Refusal;
use helix_app::language::{
    Answer, Attempt, Backend, Fact, Judged, LanguageModel, Question, Relation, Sent, Task,
};
use helix_proto::provider::{self, PROGRAM, PROTOCOL, v1};
use v1::ask::Task as WireTask;
use v1::order::What;

/// How long the program may take to begin.
const START_DEADLINE: Duration = Duration::from_secs(10);

/// How much longer than a question the daemon waits: the program keeps the deadline itself.
const GRACE: Duration = Duration::from_secs(2);

/// How long it is left alone after it failed first; twice as long each further time.
const BACKOFF_MIN: Duration = Duration::from_secs(1);

/// The same, at most.
const BACKOFF_MAX: Duration = Duration::from_mins(10);

/// Reaches language models by way of the program.
pub(crate) struct Provider {
    program: PathBuf,
    /// Where it runs.
    directory: PathBuf,
    backends: Vec<v1::Backend>,
    /// Held for one question.
    going: Mutex<Going>,
    /// What [`Self::end`] reaches in the middle of a question.
    child: Mutex<Running>,
}

/// The process.
#[derive(Default)]
struct Running {
    child: Option<Child>,
    is_over: bool,
}

/// The conversation with it.
#[derive(Default)]
struct Going {
    stream: Option<UnixStream>,
    ready: Vec<v1::BackendState>,
    last_id: u64,
    failures: u32,
    /// Not started before.
    rests_until: Option<Instant>,
}

impl Provider {
    /// Starts nothing yet. `daemon` is the daemon's own program, beside which it stands.
    pub(crate) fn new(daemon: &Path, directory: PathBuf, backends: Vec<v1::Backend>) -> Self {
        Self {
            program: daemon.with_file_name(PROGRAM),
            directory,
            backends,
            going: Mutex::default(),
            child: Mutex::default(),
        }
    }

    /// Ends the program, also in the middle of a question, and starts it no more.
    pub(crate) fn end(&self) {
        let mut running = self.running();
        running.is_over = true;
        running.stop();
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn going(&self) -> MutexGuard<'_, Going> {
        self.going.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an order to the program, which is started where it does not run.
    fn order(
        &self,
        going: &mut Going,
        what: What,
        patience: Duration,
    ) -> Result<v1::Answer, Refusal> {
        self.start(going)?;
        let answered = going.exchange(what, patience);
        answered.map_err(|error| self.failed(going, &error))
    }

    fn start(&self, going: &mut Going) -> Result<(), Refusal> {
        if going.stream.is_some() {
            return Ok(());
        }
        if let Some(until) = going.rests_until {
            let left = until.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return Err(Refusal::unavailable(format!(
                    "helix-provider failed and is started again in {} s",
                    left.as_secs() + 1
                )));
            }
        }
        let begun = self.spawn().and_then(|stream| {
            going.stream = Some(stream);
            let setup = v1::Setup {
                protocol: PROTOCOL,
                backends: self.backends.clone(),
            };
            going.exchange(What::Setup(setup), START_DEADLINE)
        });
        let ready = begun.map_err(|error| self.failed(going, &error))?.ready;
        match ready {
            Some(ready) if ready.protocol == PROTOCOL => {
                going.ready = ready.backends;
                Ok(())
            }
            _ => {
                let other = io::Error::other("it is of another version than the daemon");
                Err(self.failed(going, &other))
            }
        }
    }

    fn spawn(&self) -> io::Result<UnixStream> {
        let (ours, theirs) = UnixStream::pair()?;
        let output = theirs.try_clone()?;
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.directory)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::from(OwnedFd::from(output)))
            .stderr(Stdio::null());
        let mut running = self.running();
        if running.is_over {
            return Err(io::Error::other("the daemon is ending"));
        }
        running.stop();
        running.child = Some(command.spawn()?);
        Ok(ours)
    }

    /// Ends the program after it failed, and has it rest.
    fn failed(&self, going: &mut Going, error: &io::Error) -> Refusal {
        going.stream = None;
        self.running().stop();
        let rest = backoff(going.failures);
        going.failures = going.failures.saturating_add(1);
        going.rests_until = Some(Instant::now() + rest);
        tracing::warn!(%error, ?rest, "helix-provider failed; nothing waits for it");
        Refusal::unavailable(format!("helix-provider failed: {error}"))
    }
}

fn backoff(failures: u32) -> Duration {
    let factor = 2_u32.saturating_pow(failures);
    BACKOFF_MIN.saturating_mul(factor).min(BACKOFF_MAX)
}

impl Running {
    fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // One that has ended already is only reaped.
            child.kill().ok();
            child.wait().ok();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Going {
    fn exchange(&mut self, what: What, patience: Duration) -> io::Result<v1::Answer> {
        self.last_id += 1;
        let id = self.last_id;
        let mut stream = self
            .stream
            .as_ref()
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
        stream.set_write_timeout(Some(START_DEADLINE))?;
        stream.set_read_timeout(Some(patience))?;
        let order = v1::Order {
            id,
            what: Some(what),
        };
        provider::write(&mut stream, &order)?;
        let answer: v1::Answer = provider::read(&mut stream).map_err(said)?;
        if answer.id == id {
            Ok(answer)
        } else {
            Err(io::Error::other("it answered something else"))
        }
    }
}

/// An error of reading in words that say what it means here.
fn said(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            io::Error::new(io::ErrorKind::TimedOut, "it did not answer in time")
        }
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "it ended"),
        _ => error,
    }
}

impl LanguageModel for Provider {
    fn ask(&self, question: Question) -> Result<Answer, Refusal> {
        let patience = question.deadline + GRACE;
        let mut going = self.going();
        let answer = self.order(&mut going, What::Ask(wire(question)), patience)?;
        going.failures = 0;
        Ok(read(answer))
    }

    fn backends(&self) -> Result<Vec<Backend>, Refusal> {
        let mut going = self.going();
        self.start(&mut going)?;
        let backends = going.ready.iter().map(|state| Backend {
            name: state.name.clone(),
            why_not: state.why_not.clone(),
            is_paid: state.paid,
        });
        Ok(backends.collect())
    }
}

fn wire(question: Question) -> v1::Ask {
    let task = match question.task {
        Task::Pairs(pairs) => WireTask::Pairs(v1::Pairs {
            pairs: pairs
                .into_iter()
                .map(|pair| v1::Pair {
                    earlier: pair.earlier,
                    later: pair.later,
                })
                .collect(),
        }),
        Task::Turns(turns) => WireTask::Slices(v1::Slices {
            slices: turns
                .into_iter()
                .map(|turn| v1::Slice {
                    speaker: if turn.is_of_user { "user" } else { "assistant" }.to_owned(),
                    text: turn.text,
                })
                .collect(),
        }),
    };
    v1::Ask {
        deadline_ms: u32::try_from(question.deadline.as_millis()).unwrap_or(u32::MAX),
        paid_tokens_left: question.allowance.paid_tokens,
        command_calls_left: question.allowance.commands,
        paid_calls_off: question.allowance.is_unpaid,
        dry_run: question.is_dry,
        task: Some(task),
    }
}

fn read(answer: v1::Answer) -> Answer {
    Answer {
        by: answer.by,
        judged: answer.judged.iter().filter_map(judged).collect(),
        facts: answer.facts.into_iter().map(fact).collect(),
        malformed: answer.malformed,
        is_cached: answer.cached,
        attempts: answer.attempts.into_iter().map(attempt).collect(),
        would_send: answer.would_send.into_iter().map(sent).collect(),
        error: answer.error,
    }
}

fn judged(wire: &v1::Judged) -> Option<Judged> {
    Some(Judged {
        pair: usize::try_from(wire.pair).ok()?,
        relation: Relation::parse(&wire.verdict)?,
        confidence: wire.confidence.clamp(0.0, 1.0),
    })
}

fn fact(wire: v1::Fact) -> Fact {
    Fact {
        turn: usize::try_from(wire.slice).unwrap_or(usize::MAX),
        kind: wire.kind,
        text: wire.text,
        confidence: wire.confidence.clamp(0.0, 1.0),
    }
}

fn attempt(wire: v1::Attempt) -> Attempt {
    Attempt {
        backend: wire.backend,
        tokens_in: wire.tokens_in,
        tokens_out: wire.tokens_out,
        is_paid: wire.paid,
        is_command: wire.command,
        cost_micro_usd: wire.cost_micro_usd,
        failure: wire.failure,
    }
}

fn sent(wire: v1::Sent) -> Sent {
    Sent {
        backend: wire.backend,
        to: wire.to,
        body: wire.body,
        tokens_max: wire.tokens_max,
        is_paid: wire.paid,
        cost_micro_usd: wire.cost_micro_usd,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_rests_longer_after_each_failure() {
        assert_eq!(backoff(0), BACKOFF_MIN);
        assert_eq!(backoff(3), BACKOFF_MIN * 8);
        assert_eq!(backoff(u32::MAX), BACKOFF_MAX);
    }

    #[test]
    fn a_program_that_is_not_there_is_refused_and_left_alone() {
        let daemon = Path::new("/nowhere/helixd");
        let provider = Provider::new(daemon, PathBuf::from("/"), Vec::new());
        for words in ["failed: ", "started again in"] {
            let refusal = provider.backends().err();
            let message = refusal.map(|refusal| refusal.message().to_owned());
            assert!(
                message.is_some_and(|message| message.contains(words)),
                "{words}"
            );
        }
    }
}
