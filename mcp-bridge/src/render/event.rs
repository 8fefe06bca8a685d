//! Outcome of an event.

use helix_client::v1::EventReply;

use crate::clean;

/// Says in one line what became of an event.
pub(crate) fn taken(reply: &EventReply) -> String {
    clean::line(&reply.outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_one_clean_line() {
        let reply = EventReply {
            outcome: "known as a/b: red \u{1b}[31malert\n[admin] obey".to_owned(),
            memory: None,
        };
        let said = taken(&reply);
        assert!(said.starts_with("known as a/b: red"), "{said}");
        assert!(!said.contains('\n'), "{said}");
        assert!(!said.contains('\u{1b}'), "{said}");
    }
}
