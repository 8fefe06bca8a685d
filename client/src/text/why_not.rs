//! Says why a search does not find a memory.

use helix_proto::v1::WhyNot;

use super::clean;

/// Writes the reason in a sentence, and below it what finds the memory after all.
#[must_use]
pub fn why_not(outcome: &WhyNot) -> String {
    let handle = outcome.memory.as_ref().map(|memory| memory.handle.as_str());
    let handle = clean::line(handle.unwrap_or_default());
    let why = clean::line(&outcome.why);
    let told = if outcome.place > 0 {
        format!("{handle}: {why}")
    } else {
        format!("{handle} is not shown: {why}")
    };
    match clean::line(&outcome.advice) {
        advice if advice.is_empty() => told,
        advice => format!("{told}\n{advice}"),
    }
}
