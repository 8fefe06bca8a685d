//! Language models: who can be asked, what was asked, what it cost.

use helix_client::text::memory::count_of;
use helix_client::v1::provider_request::Action;
use helix_client::v1::{ModelSent, ModelUsage, ProviderReply};

use super::table::{Field, rows};
use crate::screen::{Look, Paint};
use crate::text::one_line;

/// Millionths of a dollar in a hundredth of a cent, the smallest amount that is shown.
const MICRO_USD_SHOWN: u64 = 100;

/// Writes what was asked for.
pub(crate) fn provider(look: Look, action: Action, reply: &ProviderReply) -> String {
    if !reply.would_send.is_empty() {
        return would_send(&reply.would_send);
    }
    match action {
        Action::Unspecified | Action::Status => status(look, reply),
        Action::Test => tested(reply),
        Action::Run => run(reply),
    }
}

/// Writes what would be sent.
pub(crate) fn would_send(all: &[ModelSent]) -> String {
    all.iter().map(sent).collect()
}

fn status(look: Look, reply: &ProviderReply) -> String {
    if !reply.configured {
        return "no language model is configured, and none is needed; see `[provider]` in the README\n"
            .to_owned();
    }
    let row = |backend: &helix_client::v1::ModelBackend| {
        let standing = match (backend.why_not.is_empty(), backend.paid) {
            (false, _) => format!("not asked: {}", one_line(&backend.why_not)),
            (true, true) => "ready, paid".to_owned(),
            (true, false) => "ready".to_owned(),
        };
        vec![
            Field::painted(Paint::Name, one_line(&backend.name)),
            standing.into(),
        ]
    };
    let mut text = rows(look, &[], reply.backends.iter().map(row).collect());
    if !reply.error.is_empty() {
        text.push_str(&format!("{}\n", one_line(&reply.error)));
    }
    let usage = reply.usage.unwrap_or_default();
    text.push_str(&format!("this month: {}\n", model_usage(&usage)));
    text
}

/// Says in one line what language models were asked this month.
pub(super) fn model_usage(usage: &ModelUsage) -> String {
    let calls = count_of(usage.calls, "call", "calls");
    let mut parts = vec![calls];
    if usage.failed > 0 {
        parts.push(format!("{} without an answer", usage.failed));
    }
    if usage.cached > 0 {
        parts.push(format!("{} answered before", usage.cached));
    }
    if usage.items_dropped > 0 {
        let dropped = count_of(usage.items_dropped, "item", "items");
        parts.push(format!("{dropped} malformed and dropped"));
    }
    let tokens = usage.tokens_in + usage.tokens_out;
    parts.push(count_of(tokens, "token", "tokens"));
    let (paid, most) = (usage.tokens_paid, usage.tokens_paid_max);
    parts.push(if most == 0 {
        "no paid calls".to_owned()
    } else {
        format!("{paid} of {most} paid")
    });
    if usage.cost_micro_usd > 0 {
        parts.push(format!("${}", dollars(usage.cost_micro_usd)));
    }
    if usage.commands_today > 0 {
        let (today, most) = (usage.commands_today, usage.commands_today_max);
        parts.push(format!("{today} of {most} agent runs today"));
    }
    parts.join(", ")
}

/// Writes an amount in dollars.
pub(super) fn dollars(micro_usd: u64) -> String {
    let shown = micro_usd.div_ceil(MICRO_USD_SHOWN);
    format!("{}.{:04}", shown / 10_000, shown % 10_000)
}

fn tested(reply: &ProviderReply) -> String {
    let mut text = String::new();
    for attempt in &reply.attempts {
        let name = one_line(&attempt.backend);
        if attempt.failure.is_empty() {
            let tokens = count_of(attempt.tokens, "token", "tokens");
            text.push_str(&format!("{name} answered; {tokens}\n"));
        } else {
            text.push_str(&format!("{name}: {}\n", one_line(&attempt.failure)));
        }
    }
    if !reply.error.is_empty() {
        text.push_str(&format!("nobody answered: {}\n", one_line(&reply.error)));
    } else if reply.attempts.is_empty() {
        text.push_str(&format!(
            "{} answered this before; nobody was asked again\n",
            one_line(&reply.answered_by)
        ));
    }
    text
}

fn run(reply: &ProviderReply) -> String {
    let asked = count_of(u64::from(reply.asked), "pair", "pairs");
    let mut text = match reply.asked {
        0 if reply.error.is_empty() => "no pair waits for a model's word\n".to_owned(),
        0 => String::new(),
        _ => format!(
            "asked about {asked}, {} were judged; look at them: helixctl review\n",
            reply.judged
        ),
    };
    if !reply.error.is_empty() {
        text.push_str(&format!("nobody answered: {}\n", one_line(&reply.error)));
    }
    if reply.left > 0 {
        let left = count_of(u64::from(reply.left), "pair is", "pairs are");
        text.push_str(&format!("{left} left for later\n"));
    }
    text
}

fn sent(sent: &ModelSent) -> String {
    let (backend, to) = (one_line(&sent.backend), one_line(&sent.to));
    format!("would go to {backend} at {to}:\n{}\n\n", sent.body)
}

#[cfg(test)]
mod tests {
    use helix_client::v1::{ModelAttempt, ModelBackend};

    use super::*;

    const PLAIN: Look = Look {
        table_width: None,
        color: false,
    };

    fn reply() -> ProviderReply {
        ProviderReply {
            configured: true,
            backends: vec![
                ModelBackend {
                    name: "gemini/gemini-2.5-flash".to_owned(),
                    why_not: "$GEMINI_API_KEY is not set where the daemon was started".to_owned(),
                    paid: true,
                },
                ModelBackend {
                    name: "openai/gpt-4o-mini".to_owned(),
                    paid: true,
                    ..ModelBackend::default()
                },
            ],
            usage: Some(ModelUsage {
                calls: 12,
                failed: 1,
                items_dropped: 6,
                tokens_in: 3_000,
                tokens_out: 400,
                tokens_paid: 3_400,
                tokens_paid_max: 1_000_000,
                cost_micro_usd: 12_345,
                ..ModelUsage::default()
            }),
            ..ProviderReply::default()
        }
    }

    #[test]
    fn it_says_who_can_be_asked_and_what_was_spent() {
        let tested = ProviderReply {
            attempts: vec![
                ModelAttempt {
                    backend: "gemini/gemini-2.5-flash".to_owned(),
                    failure: "it answered with status 429".to_owned(),
                    ..ModelAttempt::default()
                },
                ModelAttempt {
                    backend: "openai/gpt-4o-mini".to_owned(),
                    tokens: 312,
                    ..ModelAttempt::default()
                },
            ],
            ..reply()
        };
        let ran = ProviderReply {
            asked: 3,
            judged: 2,
            left: 1,
            ..reply()
        };
        let texts = [
            provider(PLAIN, Action::Status, &reply()),
            provider(PLAIN, Action::Status, &ProviderReply::default()),
            provider(PLAIN, Action::Test, &tested),
            provider(PLAIN, Action::Run, &ran),
            provider(PLAIN, Action::Run, &reply()),
        ];
        insta::assert_snapshot!(texts.join("---\n"));
    }
}
