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

/// Says how many of several memories wait since an edit of all of them.
pub(crate) fn held(count: usize) -> String {
    format!(
        "{count} of them wait in the review, because they look like orders to an agent; \
         no search finds them until a person approves them: helixctl review"
    )
}
