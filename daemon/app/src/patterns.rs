//! Patterns where one topic is wanted: read as a name, `iris-*` would mean the topic `iris`, which
//! it does not even fit.

use helix_memory::TopicPattern;
use helix_neutral::quoted;

use crate::{App, Asker, Refusal};

/// Topics that a refusal names.
const FITTING_SHOWN_MAX: usize = 5;

/// Refuses a pattern, and says which topics it fits; `what` takes one topic.
///
/// # Errors
/// It is a pattern.
pub fn refuse(app: &App, asker: &Asker, name: &str, what: &str) -> Result<(), Refusal> {
    if !TopicPattern::is_glob(name) {
        return Ok(());
    }
    let pattern = TopicPattern::parse(name).map_err(|error| Refusal::invalid(error.to_string()))?;
    let topics = app.memory.strand.catalog().topic_summaries(&asker.scopes());
    let fitting: Vec<String> = topics
        .into_iter()
        .map(|topic| topic.name)
        .filter(|topic| pattern.matches(topic))
        .collect();
    Err(Refusal::invalid(refusal(name.trim(), what, &fitting)))
}

fn refusal(name: &str, what: &str, fitting: &[String]) -> String {
    let shown = fitting
        .get(..FITTING_SHOWN_MAX)
        .unwrap_or(fitting)
        .join(", ");
    let more = if fitting.len() > FITTING_SHOWN_MAX {
        ", …"
    } else {
        ""
    };
    let fits = if fitting.is_empty() {
        "no topic here fits it; list the topics for their names".to_owned()
    } else {
        format!("name one of those that it fits: {shown}{more}")
    };
    format!(
        "{} is a pattern, and {what} takes one topic; {fits}",
        quoted(name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_topics_that_fit() {
        let names = |count: usize| {
            (0..count)
                .map(|at| format!("iris-{at}"))
                .collect::<Vec<_>>()
        };
        let said = refusal("iris-*", "this edit", &names(2));
        let expected = "\"iris-*\" is a pattern, and this edit takes one topic; name one of those that it fits: iris-0, iris-1";
        assert_eq!(said, expected);
        assert!(refusal("iris-*", "read", &names(6)).ends_with("iris-4, …"));
        assert!(
            refusal("x*", "read", &[])
                .ends_with("; no topic here fits it; list the topics for their names")
        );
    }
}
