//! What whoever gives a text is told where it looks like orders to an agent.

/// Says that a text looks like orders to an agent, and what that means; nothing of other texts.
pub(crate) fn note(suspicions: &[String], waits: bool) -> Option<String> {
    if suspicions.is_empty() {
        return None;
    }
    let why = suspicions.join(", ");
    let what = if waits {
        "it waits in the review, and no search finds it until a person approves it: helixctl review"
    } else {
        "it is stored and flagged"
    };
    Some(format!(
        "the text looks like orders to an agent ({why}); {what}"
    ))
}
