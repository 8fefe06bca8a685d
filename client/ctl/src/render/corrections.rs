//! Effects of a new memory on those that were known, with the command that settles it or takes it
//! back.

use helix_client::text::corrections::sentence;
use helix_client::v1::{Correction, StoreReply};

use crate::text::one_line;

/// Writes a line for each memory that was replaced or contradicted.
pub(crate) fn corrections(reply: &StoreReply) -> Vec<String> {
    let new = reply.memory.as_ref().map_or("", |memory| &memory.handle);
    let corrections = reply.corrections.iter();
    corrections
        .map(|correction| told(&one_line(new), correction))
        .collect()
}

fn told(new: &str, correction: &Correction) -> String {
    let said = one_line(&sentence(correction));
    let known = one_line(&correction.handle);
    if correction.is_replaced {
        return format!(
            "{said}; `helixctl settle --both {known} {new}` takes that back and keeps both, \
             without --both it turns it round"
        );
    }
    format!(
        "{said}; `helixctl settle {new} {known}` keeps the new one alone, --both keeps both, --merge joins them"
    )
}

#[cfg(test)]
mod tests {
    use helix_client::v1::Memory;

    use super::*;

    #[test]
    fn each_correction_names_the_command_that_settles_it() {
        let correction = |is_replaced| Correction {
            handle: "web/port-8081".to_owned(),
            is_replaced,
            why: "gives another number of the same".to_owned(),
            text: "The web app listens on 8081\u{1b}.".to_owned(),
        };
        let memory = Memory {
            handle: "web/port-8082".to_owned(),
            ..Memory::default()
        };
        let reply = StoreReply {
            memory: Some(memory),
            corrections: vec![correction(false), correction(true)],
            ..StoreReply::default()
        };
        insta::assert_snapshot!(corrections(&reply).join("\n"));
    }
}
