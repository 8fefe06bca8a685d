//! The route of a question: from one backend to the next until one answers.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use helix_proto::provider::v1;

use crate::api::{self, Said};
use crate::backend::{Api, Backend};
use crate::cache::Cache;
use crate::prompt::Prompt;
use crate::{command, items, price};

/// Longest time that a question may take, whatever is asked for.
const DEADLINE_MAX: Duration = Duration::from_mins(5);

/// Shortest time in which a backend is worth being asked.
const PATIENCE_MIN: Duration = Duration::from_millis(50);

/// How long a backend rests that did not answer in time.
const LATE_REST: Duration = Duration::from_mins(1);

/// Why a backend did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failed {
    /// It asks to be left alone for a while, or fails by itself.
    #[error("it answered with status {status}")]
    Busy { status: u16, rest: Duration },
    /// It refuses this request.
    #[error("it refused the request with status {0}; check its key and its model's name")]
    Refused(u16),
    /// It did not answer in time.
    #[error("it did not answer in time")]
    Late,
    /// Nobody is there, or hangs up.
    #[error("it cannot be reached")]
    Unreachable,
    /// It cannot be asked at all.
    #[error("it cannot be used; check its address or command")]
    Unusable,
    /// What it said is no answer.
    #[error("what it said is no answer to the question")]
    Nonsense {
        /// Tokens of question and answer that it took.
        tokens: (u64, u64),
        /// Whether nobody told them.
        is_estimated: bool,
    },
    /// It asked to be left alone before.
    #[error("it asked to be left alone for a while")]
    Rests,
    /// This month's tokens are used.
    #[error("the budget of this month is used")]
    OverBudget,
    /// No tokens may be paid for.
    #[error("paid calls are off: the monthly budget is 0 tokens")]
    NoBudget,
    /// Today's runs are used.
    #[error("the runs of today are used")]
    OverCalls,
}

impl Failed {
    /// Words that are no answer at all, such as a page of a proxy. Nothing is known to have been used
    /// unless tokens are told.
    pub(crate) fn nonsense(tokens: Option<(u64, u64)>) -> Self {
        Self::Nonsense {
            tokens: tokens.unwrap_or_default(),
            is_estimated: false,
        }
    }
}

/// What may be spent on a question.
struct Allowance {
    tokens: u64,
    calls: u32,
    /// No tokens are paid for at all.
    is_unpaid: bool,
}

/// The backends and what is known of them.
#[derive(Debug, Default)]
pub(crate) struct Router {
    backends: Vec<Backend>,
    cache: Cache,
    /// Until when a backend rests, by its name.
    rests: HashMap<String, Instant>,
}

impl Router {
    pub(crate) fn of(backends: Vec<Backend>) -> Self {
        Self {
            backends,
            ..Self::default()
        }
    }

    /// Asks until somebody answers.
    pub(crate) fn ask(&mut self, ask: v1::Ask) -> v1::Answer {
        let deadline = Duration::from_millis(u64::from(ask.deadline_ms)).min(DEADLINE_MAX);
        let until = Instant::now() + deadline;
        let Some(task) = ask.task else {
            return refused("the task is not known to this version");
        };
        let prompt = match Prompt::of(task) {
            Ok(prompt) => prompt,
            Err(error) => return refused(&error.to_string()),
        };
        if ask.dry_run {
            return self.would_send(&prompt, ask.paid_calls_off);
        }
        if let Some(known) = self.cache.find(&prompt) {
            return known;
        }
        let mut left = Allowance {
            tokens: ask.paid_tokens_left,
            calls: ask.command_calls_left,
            is_unpaid: ask.paid_calls_off,
        };
        let answer = self.route(&prompt, &mut left, until);
        if answer.error.is_empty() {
            self.cache.keep(&prompt, &answer);
        }
        answer
    }

    fn route(&mut self, prompt: &Prompt, left: &mut Allowance, until: Instant) -> v1::Answer {
        let mut attempts = Vec::new();
        let mut reasons = Vec::new();
        let usable: Vec<Backend> = self.usable().cloned().collect();
        for (place, backend) in usable.iter().enumerate() {
            let behind = usable.len() - place;
            let until = share(Instant::now(), until, behind);
            let asked = self.try_one(backend, prompt, left, until);
            attempts.extend(attempt(backend, prompt, &asked, left));
            match asked {
                Ok((_, answer)) => {
                    return v1::Answer {
                        by: backend.name.clone(),
                        attempts,
                        ..answer
                    };
                }
                Err(failed) => reasons.push(format!("{}: {failed}", backend.name)),
            }
        }
        if reasons.is_empty() {
            reasons.push("no backend can be used".to_owned());
        }
        v1::Answer {
            attempts,
            ..refused(&reasons.join("; "))
        }
    }

    fn usable(&self) -> impl Iterator<Item = &Backend> {
        let backends = self.backends.iter();
        backends.filter(|backend| backend.why_not().is_none())
    }

    fn try_one(
        &mut self,
        backend: &Backend,
        prompt: &Prompt,
        left: &Allowance,
        until: Instant,
    ) -> Result<(Said, v1::Answer), Failed> {
        let now = Instant::now();
        if self
            .rests
            .get(&backend.name)
            .is_some_and(|rest| *rest > now)
        {
            return Err(Failed::Rests);
        }
        if backend.is_paid() && prompt.tokens_max() > left.tokens {
            return Err(if left.is_unpaid {
                Failed::NoBudget
            } else {
                Failed::OverBudget
            });
        }
        if backend.api == Some(Api::Command) && left.calls == 0 {
            return Err(Failed::OverCalls);
        }
        let patience = until.saturating_duration_since(now);
        if patience < PATIENCE_MIN {
            return Err(Failed::Rests);
        }
        let said = match backend.api {
            Some(Api::Command) => command::ask(backend, prompt, patience),
            Some(api) => api::ask(backend, api, prompt, patience),
            None => Err(Failed::Unusable),
        };
        let rest = match &said {
            Err(Failed::Busy { rest, .. }) => Some(*rest),
            // What is late may be paid for all the same: it is not asked again at once.
            Err(Failed::Late) => Some(LATE_REST),
            _ => None,
        };
        if let Some(rest) = rest {
            self.rests
                .insert(backend.name.clone(), Instant::now() + rest);
        }
        let said = said?;
        match items::read(prompt, &said.text) {
            Some(answer) => Ok((said, answer)),
            None => Err(Failed::Nonsense {
                tokens: used(prompt, &said),
                is_estimated: said.tokens.is_none(),
            }),
        }
    }

    fn would_send(&self, prompt: &Prompt, is_unpaid: bool) -> v1::Answer {
        let asked = self.usable();
        let asked = asked.filter(|backend| !(is_unpaid && backend.is_paid()));
        let sent = asked.filter_map(|backend| {
            let api = backend.api?;
            let (to, body) = if api == Api::Command {
                (backend.command.join(" "), command::input(prompt))
            } else {
                let request = api::request(backend, api, prompt);
                let body = serde_json::to_string_pretty(&request.body).unwrap_or_default();
                (request.url, body)
            };
            let cost_micro_usd = if backend.is_paid() {
                price::micro_usd(
                    &backend.model,
                    prompt.tokens(),
                    u64::from(prompt.answer_tokens),
                )
            } else {
                0
            };
            Some(v1::Sent {
                backend: backend.name.clone(),
                to,
                body,
                tokens_max: prompt.tokens_max(),
                paid: backend.is_paid(),
                cost_micro_usd,
            })
        });
        let would_send: Vec<v1::Sent> = sent.collect();
        if would_send.is_empty() && is_unpaid {
            return refused(&Failed::NoBudget.to_string());
        }
        v1::Answer {
            would_send,
            ..v1::Answer::default()
        }
    }
}

/// Until when one backend may take, of which so many are left: one that hangs leaves the others
/// their time.
fn share(now: Instant, until: Instant, backends: usize) -> Instant {
    let left = until.saturating_duration_since(now);
    now + left / u32::try_from(backends.max(1)).unwrap_or(1)
}

fn refused(error: &str) -> v1::Answer {
    v1::Answer {
        error: error.to_owned(),
        ..v1::Answer::default()
    }
}

/// Tokens that a question and its answer took, as the backend tells them or else by their length.
fn used(prompt: &Prompt, said: &Said) -> (u64, u64) {
    let answered = said.text.len() as u64 / 4 + 1;
    said.tokens.unwrap_or((prompt.tokens(), answered))
}

/// What an attempt cost, which is taken off what is left; `None` where nobody was asked. Only what
/// an answer took is counted: who refuses, fails or is late has answered nothing.
fn attempt(
    backend: &Backend,
    prompt: &Prompt,
    asked: &Result<(Said, v1::Answer), Failed>,
    left: &mut Allowance,
) -> Option<v1::Attempt> {
    let ((tokens_in, tokens_out), estimated) = match asked {
        Err(Failed::Rests | Failed::OverBudget | Failed::NoBudget | Failed::OverCalls) => {
            return None;
        }
        Err(
            Failed::Busy { .. }
            | Failed::Refused(_)
            | Failed::Late
            | Failed::Unreachable
            | Failed::Unusable,
        ) => ((0, 0), false),
        Err(Failed::Nonsense {
            tokens,
            is_estimated,
        }) => (*tokens, *is_estimated),
        Ok((said, _)) => (used(prompt, said), said.tokens.is_none()),
    };
    let is_command = backend.api == Some(Api::Command);
    if is_command {
        left.calls = left.calls.saturating_sub(1);
    }
    let mut cost_micro_usd = 0;
    if backend.is_paid() {
        left.tokens = left.tokens.saturating_sub(tokens_in + tokens_out);
        cost_micro_usd = price::micro_usd(&backend.model, tokens_in, tokens_out);
    }
    let failure = asked.as_ref().err().map(Failed::to_string);
    Some(v1::Attempt {
        backend: backend.name.clone(),
        tokens_in,
        tokens_out,
        estimated,
        paid: backend.is_paid(),
        command: is_command,
        cost_micro_usd,
        failure: failure.unwrap_or_default(),
    })
}
