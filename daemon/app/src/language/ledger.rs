//! The ledger: what was asked, what it cost, and what may be spent still. Its entries are counts of
//! the [metrics](crate::Metrics), day by day in UTC; a month is the sum of its days.

use helix_engine::States;

use crate::language::{Allowance, Answer};
use crate::metrics::Day;
use crate::threads::wait;
use crate::{App, Refusal};

/// Days of the longest month.
const MONTH_DAYS: usize = 31;

/// The names of what is counted.
const CALLS: &str = "model-calls";
const FAILED: &str = "model-calls-failed";
const CACHED: &str = "model-answers-cached";
const MALFORMED: &str = "model-items-dropped";
const TOKENS_IN: &str = "model-tokens-in";
const TOKENS_OUT: &str = "model-tokens-out";
const TOKENS_PAID: &str = "model-tokens-paid";
const MICRO_USD: &str = "model-cost-micro-usd";
const COMMANDS: &str = "model-commands";

/// What was spent in the month that goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Backends that were asked.
    pub calls: u64,
    /// Those of them that did not answer.
    pub failed: u64,
    /// Questions that were answered before.
    pub cached: u64,
    /// Items that were dropped.
    pub malformed: u64,
    /// Tokens of questions.
    pub tokens_in: u64,
    /// Tokens of answers.
    pub tokens_out: u64,
    /// Tokens that are paid for.
    pub tokens_paid: u64,
    /// Millionths of a dollar.
    pub micro_usd: u64,
    /// Runs of the user's own agent program today.
    pub commands_today: u64,
}

/// Returns what was spent this month.
///
/// # Errors
/// When the disk fails.
pub fn spent(app: &App) -> Result<Spent, Refusal> {
    let kept = app.memory.strand.snapshot()?.states(States::Metrics)?;
    let days = app.metrics.days(app.memory.now(), &kept, MONTH_DAYS);
    Ok(of_month(&days))
}

/// Sums the month of the first day, which is today.
fn of_month(days: &[Day]) -> Spent {
    let Some(today) = days.first() else {
        return Spent::default();
    };
    let month = today.date.get(..7).unwrap_or_default();
    let count = |name| {
        let days = days.iter().filter(|day| day.date.starts_with(month));
        days.map(|day| of_day(day, name)).sum()
    };
    Spent {
        calls: count(CALLS),
        failed: count(FAILED),
        cached: count(CACHED),
        malformed: count(MALFORMED),
        tokens_in: count(TOKENS_IN),
        tokens_out: count(TOKENS_OUT),
        tokens_paid: count(TOKENS_PAID),
        micro_usd: count(MICRO_USD),
        commands_today: of_day(today, COMMANDS),
    }
}

fn of_day(day: &Day, name: &str) -> u64 {
    day.counts.get(name).copied().unwrap_or(0)
}

/// Returns what may be spent still.
///
/// # Errors
/// When the disk fails.
pub(crate) fn allowance(app: &App) -> Result<Allowance, Refusal> {
    let spent = spent(app)?;
    let settings = app.language.settings;
    let commands = u32::try_from(spent.commands_today).unwrap_or(u32::MAX);
    Ok(Allowance {
        paid_tokens: settings.monthly_tokens.saturating_sub(spent.tokens_paid),
        commands: settings.daily_commands.saturating_sub(commands),
        is_unpaid: settings.monthly_tokens == 0,
    })
}

/// Writes what an answer cost, durably: a crash must not give the budget back.
///
/// # Errors
/// When the disk fails.
pub(crate) fn note(app: &App, answer: &Answer) -> Result<(), Refusal> {
    let now = app.memory.now();
    let count = |name, times| {
        if times > 0 {
            app.metrics.count(now, name, times);
        }
    };
    for attempt in &answer.attempts {
        count(CALLS, 1);
        count(FAILED, u64::from(!attempt.failure.is_empty()));
        count(TOKENS_IN, attempt.tokens_in);
        count(TOKENS_OUT, attempt.tokens_out);
        count(MICRO_USD, attempt.cost_micro_usd);
        count(COMMANDS, u64::from(attempt.is_command));
        if attempt.is_paid {
            count(TOKENS_PAID, attempt.tokens_in + attempt.tokens_out);
        }
    }
    count(CACHED, u64::from(answer.is_cached));
    count(MALFORMED, u64::from(answer.malformed));
    if let Some(metrics) = app.metrics.unsaved() {
        for outcome in wait(app.writer.submit_when_free(vec![metrics])?)? {
            outcome?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(date: &str, paid: u64) -> Day {
        Day {
            date: date.to_owned(),
            counts: [(TOKENS_PAID.to_owned(), paid), (COMMANDS.to_owned(), 2)].into(),
            ..Day::default()
        }
    }

    #[test]
    fn a_month_is_the_sum_of_its_days() {
        let days = [
            day("2026-11-24", 5),
            day("2026-11-01", 7),
            day("2026-10-31", 100),
        ];
        let spent = of_month(&days);
        assert_eq!(spent.tokens_paid, 12);
        assert_eq!(spent.commands_today, 2);
        assert_eq!(of_month(&[]), Spent::default());
    }
}
