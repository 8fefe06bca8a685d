//! Language models as JSON.

use helix_client::v1;
use serde::Serialize;

/// How language models stand, and what came of asking them.
#[derive(Debug, Serialize)]
pub(crate) struct ProviderDocument<'a> {
    configured: bool,
    backends: Vec<BackendDocument<'a>>,
    usage: UsageDocument,
    answered_by: Option<&'a str>,
    answer: Option<&'a str>,
    attempts: Vec<AttemptDocument<'a>>,
    asked: u32,
    judged: u32,
    left: u32,
    would_send: Vec<SentDocument<'a>>,
    error: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct BackendDocument<'a> {
    name: &'a str,
    ready: bool,
    why_not: Option<&'a str>,
    paid: bool,
}

#[derive(Debug, Serialize)]
struct AttemptDocument<'a> {
    backend: &'a str,
    tokens: u64,
    failure: Option<&'a str>,
}

/// A question that would be sent.
#[derive(Debug, Serialize)]
pub(super) struct SentDocument<'a> {
    backend: &'a str,
    to: &'a str,
    body: &'a str,
}

/// Usage of the current month.
#[derive(Debug, Default, Serialize)]
pub(crate) struct UsageDocument {
    calls: u64,
    failed: u64,
    cached: u64,
    items_dropped: u64,
    tokens_in: u64,
    tokens_out: u64,
    tokens_paid: u64,
    tokens_paid_max: u64,
    cost_micro_usd: u64,
    commands_today: u64,
    commands_today_max: u64,
}

fn said(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

impl<'a> From<&'a v1::ProviderReply> for ProviderDocument<'a> {
    fn from(reply: &'a v1::ProviderReply) -> Self {
        Self {
            configured: reply.configured,
            backends: reply.backends.iter().map(BackendDocument::from).collect(),
            usage: reply
                .usage
                .as_ref()
                .map(UsageDocument::from)
                .unwrap_or_default(),
            answered_by: said(&reply.answered_by),
            answer: said(&reply.answer),
            attempts: reply.attempts.iter().map(AttemptDocument::from).collect(),
            asked: reply.asked,
            judged: reply.judged,
            left: reply.left,
            would_send: reply.would_send.iter().map(SentDocument::from).collect(),
            error: said(&reply.error),
        }
    }
}

impl<'a> From<&'a v1::ModelBackend> for BackendDocument<'a> {
    fn from(backend: &'a v1::ModelBackend) -> Self {
        Self {
            name: &backend.name,
            ready: backend.why_not.is_empty(),
            why_not: said(&backend.why_not),
            paid: backend.paid,
        }
    }
}

impl<'a> From<&'a v1::ModelAttempt> for AttemptDocument<'a> {
    fn from(attempt: &'a v1::ModelAttempt) -> Self {
        Self {
            backend: &attempt.backend,
            tokens: attempt.tokens,
            failure: said(&attempt.failure),
        }
    }
}

impl<'a> From<&'a v1::ModelSent> for SentDocument<'a> {
    fn from(sent: &'a v1::ModelSent) -> Self {
        Self {
            backend: &sent.backend,
            to: &sent.to,
            body: &sent.body,
        }
    }
}

impl From<&v1::ModelUsage> for UsageDocument {
    fn from(usage: &v1::ModelUsage) -> Self {
        Self {
            calls: usage.calls,
            failed: usage.failed,
            cached: usage.cached,
            items_dropped: usage.items_dropped,
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            tokens_paid: usage.tokens_paid,
            tokens_paid_max: usage.tokens_paid_max,
            cost_micro_usd: usage.cost_micro_usd,
            commands_today: usage.commands_today,
            commands_today_max: usage.commands_today_max,
        }
    }
}
