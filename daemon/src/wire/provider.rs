//! `Provider` as the wire has it.

use helix_app::language::corrections::Done;
use helix_app::language::ledger::Spent;
use helix_app::language::status::Status;
use helix_app::language::{Answer, Attempt, Backend, Sent, Settings};
use helix_proto::v1;

/// Adds how language models stand.
pub(crate) fn status(status: Status, reply: v1::ProviderReply) -> v1::ProviderReply {
    let error = if reply.error.is_empty() {
        status.error
    } else {
        reply.error
    };
    v1::ProviderReply {
        configured: status.is_on,
        backends: status.backends.into_iter().map(backend).collect(),
        usage: Some(usage(&status.spent, &status.settings)),
        error,
        ..reply
    }
}

/// Writes what came of a test.
pub(crate) fn answer(answer: Answer) -> v1::ProviderReply {
    let judged = answer.judged.first();
    v1::ProviderReply {
        answered_by: answer.by,
        answer: judged.map_or(String::new(), |judged| {
            judged.relation.sentence().to_owned()
        }),
        attempts: answer.attempts.into_iter().map(attempt).collect(),
        would_send: answer.would_send.into_iter().map(sent).collect(),
        error: answer.error,
        ..v1::ProviderReply::default()
    }
}

/// Writes what came of asking about pairs.
pub(crate) fn done(done: Done) -> v1::ProviderReply {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    v1::ProviderReply {
        asked: count(done.asked),
        judged: count(done.judged),
        left: count(done.left),
        would_send: done.would_send.into_iter().map(sent).collect(),
        error: done.error,
        ..v1::ProviderReply::default()
    }
}

/// Writes what was spent, and what may be.
pub(crate) fn usage(spent: &Spent, settings: &Settings) -> v1::ModelUsage {
    v1::ModelUsage {
        calls: spent.calls,
        failed: spent.failed,
        cached: spent.cached,
        items_dropped: spent.malformed,
        tokens_in: spent.tokens_in,
        tokens_out: spent.tokens_out,
        tokens_paid: spent.tokens_paid,
        tokens_paid_max: settings.monthly_tokens,
        cost_micro_usd: spent.micro_usd,
        commands_today: spent.commands_today,
        commands_today_max: u64::from(settings.daily_commands),
    }
}

fn backend(backend: Backend) -> v1::ModelBackend {
    v1::ModelBackend {
        name: backend.name,
        why_not: backend.why_not,
        paid: backend.is_paid,
    }
}

fn attempt(attempt: Attempt) -> v1::ModelAttempt {
    v1::ModelAttempt {
        backend: attempt.backend,
        tokens: attempt.tokens_in + attempt.tokens_out,
        failure: attempt.failure,
    }
}

/// Writes what would be sent.
pub(crate) fn sent(sent: Sent) -> v1::ModelSent {
    v1::ModelSent {
        backend: sent.backend,
        to: sent.to,
        body: sent.body,
    }
}
