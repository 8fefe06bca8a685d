//! What the daemon has already made readable: briefings and packed contexts.

use helix_client::limits::{CHARS_PER_TOKEN, CONTEXT_BUDGET_DEFAULT_TOKENS};
use helix_client::v1::{BriefReply, ContextReply};

use super::memory::cut;
use super::pack::bounded;
use super::{ANSWER_MAX_TOKENS, LINE_MAX_CHARS};
use crate::clean;

/// Advice about a briefing that is too long.
const BRIEF_REST: &str = "use detail=scan, focus=<category> or a narrower query";

/// Most characters of a query that a context repeats: the smallest budget holds it.
const CONTEXT_QUERY_MAX_CHARS: usize = 120;

/// Advice about a context that is too long.
const CONTEXT_REST: &str = "use a smaller budget_tokens";

/// Advice where the largest budget holds too little.
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
        return nothing(
            query,
            LINE_MAX_CHARS,
            "brief without query shows which topics there are",
        );
    }
    bounded(&text, BRIEF_REST)
}

/// Text of an answer that there is nothing to brief about, in the daemon's words.
pub(crate) fn nothing_to_brief(words: &str, since_hours: u32) -> String {
    let further = if since_hours > 0 {
        format!("; since={since_hours} hides what is older")
    } else {
        String::new()
    };
    format!("{}{further}", clean::line(words))
}

/// Text of a reply to `context`; `budget_tokens` is what was asked for, 0 for the default. Notes
/// that would go beyond it are left out: the daemon keeps room for them, but not where the budget
/// hardly holds anything.
pub(crate) fn packed_context(reply: &ContextReply, query: &str, budget_tokens: u32) -> String {
    let answer = answer_of_context(reply, query, budget_tokens);
    let budget = if budget_tokens == 0 {
        CONTEXT_BUDGET_DEFAULT_TOKENS
    } else {
        budget_tokens
    };
    let room = (budget as usize * CHARS_PER_TOKEN).saturating_sub(answer.chars().count());
    let notes = reply
        .notes
        .iter()
        .map(|note| format!("note: {}\n", clean::line(note)));
    let notes = notes.scan(room, |room, note| {
        *room = room.checked_sub(note.chars().count())?;
        Some(note)
    });
    notes.collect::<String>() + &answer
}

/// Returns what is packed, or why nothing is, and what was left out.
fn answer_of_context(reply: &ContextReply, query: &str, budget_tokens: u32) -> String {
    let text = clean::block(&reply.text);
    let at_least = if reply.has_further { "at least " } else { "" };
    let beyond = if query.is_empty() {
        BEYOND_UNASKED
    } else {
        BEYOND_QUERY
    };
    match (text.trim().is_empty(), reply.left_out) {
        (true, 0) if query.is_empty() => UNASKED_NOTHING.to_owned(),
        (true, 0) => nothing(query, CONTEXT_QUERY_MAX_CHARS, "search with other words"),
        (true, left_out) => {
            let advice = if budget_tokens >= ANSWER_MAX_TOKENS {
                beyond
            } else {
                "give a larger budget_tokens"
            };
            format!("{at_least}{left_out} would matter, none of which fits; {advice}")
        }
        (false, 0) => bounded(&text, CONTEXT_REST),
        (false, left_out) => {
            let advice = match more_tokens(reply, budget_tokens) {
                Some(more) => format!("budget_tokens={more} shows more, search finds single ones"),
                None => format!("{ANSWER_MAX_TOKENS} tokens are the most: {beyond}"),
            };
            format!(
                "{}\n{at_least}{left_out} more did not fit; {advice}",
                bounded(&text, CONTEXT_REST)
            )
        }
    }
}

/// A budget that holds more than this one did; `None` at the largest.
fn more_tokens(reply: &ContextReply, budget_tokens: u32) -> Option<u32> {
    let twice =
        [reply.tokens, budget_tokens].map(|tokens| tokens.saturating_mul(2).min(ANSWER_MAX_TOKENS));
    twice.into_iter().find(|more| *more > budget_tokens)
}

fn nothing(query: &str, query_max_chars: usize, advice: &str) -> String {
    let query = cut(&clean::line(query), query_max_chars);
    if query.is_empty() {
        "nothing is stored here yet; store what the next session should know".to_owned()
    } else {
        format!("nothing is stored about \"{query}\"; {advice}")
    }
}

#[cfg(test)]
mod tests {
    use helix_client::limits::CONTEXT_REST_MAX_CHARS;

    use super::super::ANSWER_MAX_CHARS;
    use super::*;

    fn brief(text: &str) -> BriefReply {
        BriefReply {
            text: text.to_owned(),
            ..BriefReply::default()
        }
    }

    #[test]
    fn the_daemons_text_is_shown_as_it_is_but_bounded() {
        assert_eq!(
            briefed(&brief("TOPICS: a (1)\nGAPS: none\n"), "a"),
            "TOPICS: a (1)\nGAPS: none"
        );
        assert_eq!(briefed(&brief("a\u{1b}[2J\u{202e}b"), "a"), "a\u{FFFD}[2Jb");
        let long = briefed(&brief(&"line\n".repeat(ANSWER_MAX_CHARS)), "a");
        assert!(
            long.ends_with(
                "more characters; use detail=scan, focus=<category> or a narrower query"
            )
        );
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
        let reply = ContextReply {
            left_out: 4,
            ..ContextReply::default()
        };
        assert_eq!(
            packed_context(&reply, "", 0),
            "4 would matter, none of which fits; give a larger budget_tokens"
        );
    }

    #[test]
    fn the_largest_budget_is_not_advised_to_whoever_gave_it() {
        let reply = |tokens| ContextReply {
            text: "a".to_owned(),
            tokens,
            left_out: 11,
            ..ContextReply::default()
        };
        let advice = |tokens, query: &str, budget| {
            packed_context(&reply(tokens), query, budget).split_off(2)
        };
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
    fn what_stands_around_a_context_stays_within_the_budget() {
        let query = "linker ".repeat(90);
        let notes = vec!["searched by words only".to_owned(), "x".repeat(400)];
        for budget in [50, 80, 400, 1_499, 2_500, 4_999, ANSWER_MAX_TOKENS] {
            let chars = budget as usize * CHARS_PER_TOKEN;
            // As the daemon packs: what is left out keeps its room.
            let packed = "a".repeat(chars - CONTEXT_REST_MAX_CHARS);
            let texts = [
                (String::new(), 0),
                (String::new(), 100),
                (packed, 100),
                ("a".repeat(chars), 0),
            ];
            for ((text, left_out), query) in texts
                .into_iter()
                .flat_map(|text| [(text.clone(), ""), (text, &*query)])
            {
                let reply = ContextReply {
                    text,
                    left_out,
                    notes: notes.clone(),
                    ..ContextReply::default()
                };
                let answer = packed_context(&reply, query, budget);
                assert!(answer.chars().count() <= chars, "{budget}: {answer}");
            }
        }
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
        let further = ContextReply {
            has_further: true,
            ..reply
        };
        assert!(packed_context(&further, "linker", 0).contains("\nat least 12 more did not fit; "));
    }
}
