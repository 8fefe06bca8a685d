//! What the daemon has already made readable: briefings and packed contexts.

use helix_client::v1::{BriefReply, ContextReply};

use super::memory::cut;
use super::pack::bounded;
use super::{ANSWER_MAX_TOKENS, LINE_MAX_CHARS};
use crate::clean;

/// What to do about a briefing that is too long.
const BRIEF_REST: &str = "use detail=scan, focus=<category> or a narrower query";

/// What to do about a context that is too long.
const CONTEXT_REST: &str = "use a smaller budget_tokens";

/// What helps where the largest budget holds too little.
const BEYOND_UNASKED: &str = "query=<the task> picks what it needs, search finds single ones";

/// The same where a query was given.
const BEYOND_QUERY: &str = "a narrower query picks better, search finds single ones";

/// What is said when nothing is worth loading unasked, which is not to say that nothing is stored.
const UNASKED_NOTHING: &str = "nothing to load unasked: nothing is stored here yet, or only imports and what tools said; brief \
                               without query shows which topics there are";

/// Text of a reply to `brief`.
pub(crate) fn briefed(reply: &BriefReply, query: &str) -> String {
    let text = clean::block(&reply.text);
    if text.trim().is_empty() {
        return nothing(query, "brief without query shows which topics there are");
    }
    bounded(&text, BRIEF_REST)
}

/// Text of an answer that there is nothing to brief about, in the daemon's words.
pub(crate) fn nothing_to_brief(words: &str, since_hours: u32) -> String {
    let further = if since_hours > 0 { format!("; since={since_hours} hides what is older") } else { String::new() };
    format!("{}{further}", clean::line(words))
}

/// Text of a reply to `context`; `budget_tokens` is what was asked for, 0 for the daemon's own.
pub(crate) fn packed_context(reply: &ContextReply, query: &str, budget_tokens: u32) -> String {
    let beyond = if query.is_empty() { BEYOND_UNASKED } else { BEYOND_QUERY };
    let mut sections: Vec<String> = reply.notes.iter().map(|note| format!("note: {}", clean::line(note))).collect();
    let text = clean::block(&reply.text);
    if text.trim().is_empty() && reply.left_out > 0 {
        let advice = if budget_tokens >= ANSWER_MAX_TOKENS { beyond } else { "give a larger budget_tokens" };
        sections.push(format!("{} would matter, none of which fits; {advice}", reply.left_out));
        return sections.join("\n");
    }
    if text.trim().is_empty() {
        sections.push(if query.is_empty() {
            UNASKED_NOTHING.to_owned()
        } else {
            nothing(query, "search with other words")
        });
        return sections.join("\n");
    }
    sections.push(bounded(&text, CONTEXT_REST));
    if reply.left_out > 0 {
        let advice = match more_tokens(reply, budget_tokens) {
            Some(more) => format!("budget_tokens={more} shows more, search finds single ones"),
            None => format!("{ANSWER_MAX_TOKENS} tokens are the most: {beyond}"),
        };
        sections.push(format!("{} more did not fit; {advice}", reply.left_out));
    }
    sections.join("\n")
}

/// A budget that holds more than this one did; `None` at the largest.
fn more_tokens(reply: &ContextReply, budget_tokens: u32) -> Option<u32> {
    let twice = [reply.tokens, budget_tokens].map(|tokens| tokens.saturating_mul(2).min(ANSWER_MAX_TOKENS));
    twice.into_iter().find(|more| *more > budget_tokens)
}

fn nothing(query: &str, advice: &str) -> String {
    let query = cut(&clean::line(query), LINE_MAX_CHARS);
    if query.is_empty() {
        "nothing is stored here yet; store what the next session should know".to_owned()
    } else {
        format!("nothing is stored about \"{query}\"; {advice}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::ANSWER_MAX_CHARS;
    use super::*;

    fn brief(text: &str) -> BriefReply {
        BriefReply { text: text.to_owned(), ..BriefReply::default() }
    }

    #[test]
    fn the_daemons_text_is_shown_as_it_is_but_bounded() {
        assert_eq!(briefed(&brief("TOPICS: a (1)\nGAPS: none\n"), "a"), "TOPICS: a (1)\nGAPS: none");
        assert_eq!(briefed(&brief("a\u{1b}[2J\u{202e}b"), "a"), "a\u{FFFD}[2Jb");
        let long = briefed(&brief(&"line\n".repeat(ANSWER_MAX_CHARS)), "a");
        assert!(long.ends_with("more characters; use detail=scan, focus=<category> or a narrower query"));
        assert!(long.chars().count() < ANSWER_MAX_CHARS + 200);
    }

    #[test]
    fn nothing_says_what_to_do() {
        let texts = [
            briefed(&brief(""), ""),
            briefed(&brief(""), "iris-*"),
            packed_context(&ContextReply::default(), "", 0),
            packed_context(&ContextReply::default(), "metal", 0),
        ];
        insta::assert_snapshot!(texts.join("\n"), @r#"
        nothing is stored here yet; store what the next session should know
        nothing is stored about "iris-*"; brief without query shows which topics there are
        nothing to load unasked: nothing is stored here yet, or only imports and what tools said; brief without query shows which topics there are
        nothing is stored about "metal"; search with other words
        "#);
    }

    #[test]
    fn a_budget_that_holds_nothing_says_so() {
        let reply = ContextReply { left_out: 4, ..ContextReply::default() };
        assert_eq!(packed_context(&reply, "", 0), "4 would matter, none of which fits; give a larger budget_tokens");
    }

    #[test]
    fn the_largest_budget_is_not_advised_to_whoever_gave_it() {
        let reply = |tokens| ContextReply { text: "a".to_owned(), tokens, left_out: 11, ..ContextReply::default() };
        let advice = |tokens, query: &str, budget| packed_context(&reply(tokens), query, budget).split_off(2);
        insta::assert_snapshot!(
            [
                advice(4_996, "linker", 5_000),
                advice(4_996, "", 5_000),
                advice(4_996, "linker", 4_999),
                // What is left out is larger than the room that is left.
                advice(100, "linker", 900),
                advice(100, "linker", 5_000),
            ]
            .join("\n"),
            @r"
        11 more did not fit; 5000 tokens are the most: a narrower query picks better, search finds single ones
        11 more did not fit; 5000 tokens are the most: query=<the task> picks what it needs, search finds single ones
        11 more did not fit; budget_tokens=5000 shows more, search finds single ones
        11 more did not fit; budget_tokens=1800 shows more, search finds single ones
        11 more did not fit; 5000 tokens are the most: a narrower query picks better, search finds single ones
        "
        );
    }

    #[test]
    fn a_context_says_what_it_left_out() {
        let reply = ContextReply {
            text: "[build/arch] Needs arm64.\n".to_owned(),
            tokens: 1_480,
            left_out: 12,
            notes: vec!["meaning was not searched".to_owned()],
            ..ContextReply::default()
        };
        insta::assert_snapshot!(packed_context(&reply, "linker", 0), @r"
        note: meaning was not searched
        [build/arch] Needs arm64.
        12 more did not fit; budget_tokens=2960 shows more, search finds single ones
        ");
    }
}
