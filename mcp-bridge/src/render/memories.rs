//! Outcome of a call of the set `memory`.

use helix_client::limits::CHARS_PER_TOKEN;
use helix_client::text::hits::blocks;
use helix_client::v1::{ForgetReply, Memory, SearchReply, StoreOutcome, StoreReply};

use super::corrections::with_forget;
use super::memory::{cut, nature, summary};
use super::pack::{pack_within, packed};
use super::{Detail, View};
use crate::clean;

/// Tokens of a search's hits unless told.
const HITS_BUDGET_TOKENS: u32 = 1_500;

/// Text of a reply to `memory.write` and `memory.note`.
pub(crate) fn written(reply: &StoreReply) -> String {
    let memory = reply.memory.clone().unwrap_or_default();
    let handle = clean::line(&memory.handle);
    let outcome = match reply.outcome() {
        StoreOutcome::Stored if !reply.inferred.is_empty() => format!(
            "stored {handle} ({}; {})",
            nature(&memory),
            clean::line(&reply.inferred)
        ),
        StoreOutcome::Stored => format!("stored {handle} ({})", nature(&memory)),
        StoreOutcome::Reinforced => format!("known already as {handle}: nothing new stored"),
        StoreOutcome::Extended => {
            format!("extended {handle}: it said the beginning of this, and has the whole text now")
        }
        StoreOutcome::Duplicate => format!(
            "not stored: {:.2} similar to {handle}\n  {}\nIf yours corrects it, forget that one and write again.",
            reply.similarity,
            summary(&memory)
        ),
        StoreOutcome::Unspecified => {
            "the daemon did not say what became of it; search for it before you write it again"
                .to_owned()
        }
    };
    let mut lines = vec![outcome];
    lines.extend(notes(&reply.warnings));
    let corrections = with_forget(reply).into_iter();
    lines.extend(corrections.map(|note| format!("note: {note}")));
    lines.join("\n")
}

/// Text of a reply to `memory.search`: whole memories, best first, as many as the budget holds.
pub(crate) fn packed_hits(reply: &SearchReply, budget_tokens: Option<u32>, view: &View) -> String {
    let mut sections = notes(&reply.notes);
    let budget = budget_tokens.unwrap_or(HITS_BUDGET_TOKENS) as usize;
    let max_chars = budget * CHARS_PER_TOKEN;
    let mut texts = texts(reply, Detail::Full, view);
    if let Some(best) = texts.first_mut() {
        *best = cut(best, max_chars.saturating_sub(1));
    }
    let (text, shown) = pack_within(&texts, Detail::Full.separator(), max_chars);
    match texts.len() - shown {
        0 if texts.is_empty() => sections.push("no memory matches; try other words".to_owned()),
        0 => sections.push(text),
        hidden => {
            sections.push(text);
            sections.push(format!(
                "{hidden} more found; a larger budget_tokens shows them"
            ));
        }
    }
    sections.join("\n")
}

/// Text of a reply to `memory.list`: a line for each memory.
pub(crate) fn listed(reply: &SearchReply, view: &View) -> String {
    let texts = texts(reply, Detail::Brief, view);
    if texts.is_empty() {
        return "nothing is stored here yet, or nothing passes these filters".to_owned();
    }
    let mut text = packed(&texts, "\n", texts.len(), |hidden| {
        format!("{hidden} more; a smaller limit or a type narrows them")
    });
    if !reply.next_cursor.is_empty() {
        text.push_str("\nmore are stored; a higher limit shows them");
    }
    text
}

/// Text of a reply to `memory.forget`.
pub(crate) fn forgotten(reply: &ForgetReply, asked: &str) -> String {
    let Some(memory) = &reply.forgotten else {
        return candidates(&reply.candidates, asked);
    };
    let handle = clean::line(&memory.handle);
    if reply.was_forgotten {
        format!("{handle} was forgotten before; nothing changed")
    } else {
        let mut lines = vec![format!("forgot {handle}\n  {}", summary(memory))];
        lines.extend(notes(&reply.notes));
        lines.join("\n")
    }
}

fn candidates(memories: &[Memory], asked: &str) -> String {
    let asked = clean::line(asked);
    if memories.is_empty() {
        return format!("no memory matches \"{asked}\"; nothing was forgotten");
    }
    let line = |memory: &Memory| format!("{}  {}", clean::line(&memory.handle), summary(memory));
    let lines: Vec<String> = memories.iter().map(line).collect();
    format!(
        "several memories match \"{asked}\"; nothing was forgotten. Give the id of one:\n{}",
        lines.join("\n")
    )
}

fn notes(notes: &[String]) -> Vec<String> {
    let line = |note: &String| format!("note: {}", clean::line(note));
    notes.iter().map(line).collect()
}

fn texts(reply: &SearchReply, detail: Detail, view: &View) -> Vec<String> {
    let blocks = blocks(reply, detail, false, view);
    blocks.into_iter().map(|block| block.text).collect()
}

#[cfg(test)]
mod tests {
    use helix_client::v1::Correction;

    use super::super::samples::{arm64, hit, long, reply_with, utc};
    use super::*;

    fn found(memories: Vec<Memory>) -> SearchReply {
        SearchReply {
            hits: memories
                .into_iter()
                .map(|memory| hit(memory, 0.03))
                .collect(),
            ..SearchReply::default()
        }
    }

    #[test]
    fn outcomes_read_well() {
        let texts = [
            written(&reply_with(StoreOutcome::Stored, 0.0)),
            written(&reply_with(StoreOutcome::Reinforced, 1.0)),
            written(&reply_with(StoreOutcome::Extended, 1.0)),
            written(&reply_with(StoreOutcome::Duplicate, 0.834)),
        ];
        insta::assert_snapshot!(texts.join("\n"), @r"
        stored build-gotchas/arch-arm64-required (gotcha, project)
        known already as build-gotchas/arch-arm64-required: nothing new stored
        extended build-gotchas/arch-arm64-required: it said the beginning of this, and has the whole text now
        not stored: 0.83 similar to build-gotchas/arch-arm64-required
          Rust lib must use -arch arm64.
        If yours corrects it, forget that one and write again.
        ");
    }

    #[test]
    fn contradictions_name_the_call_that_settles_them() {
        let correction = Correction {
            handle: "build/x86".to_owned(),
            is_replaced: false,
            why: "gives another value of the same".to_owned(),
            text: "Rust lib must use -arch x86_64.".to_owned(),
        };
        let mut reply = reply_with(StoreOutcome::Stored, 0.0);
        reply.corrections = vec![correction];
        insta::assert_snapshot!(written(&reply), @r"
        stored build-gotchas/arch-arm64-required (gotcha, project)
        note: contradicts build/x86 (“Rust lib must use -arch x86_64.”): it gives another value of the same; both are kept. If one is wrong: memory.forget id=build/x86, or id=build-gotchas/arch-arm64-required
        ");
    }

    #[test]
    fn hits_have_their_source_and_confidence() {
        insta::assert_snapshot!(packed_hits(&found(vec![arm64()]), None, &utc()), @r"
        build-gotchas/arch-arm64-required  2026-11-21  gotcha, project
        > Rust lib must use -arch arm64.

          Without it, xcodebuild falls back to x86_64.
        > Linking then fails.
        [tags: arm64, build] [source: build.rs:42] [confidence: 0.85] [links: ci/runners toolchain/pinned]
        ");
    }

    #[test]
    fn hits_are_packed_into_the_budget() {
        let reply = found(vec![long("a/b", 300), long("a/c", 300), long("a/d", 300)]);
        let text = packed_hits(&reply, Some(250), &utc());
        assert!(text.contains("a/b") && text.contains("a/c"), "{text}");
        assert!(
            text.ends_with("1 more found; a larger budget_tokens shows them"),
            "{text}"
        );
        let first = packed_hits(&reply, Some(50), &utc());
        assert!(first.starts_with("a/b"), "{first}");
        let (hits, _) = first.rsplit_once('\n').unwrap_or_default();
        assert_eq!(hits.chars().count(), 50 * CHARS_PER_TOKEN);
    }

    #[test]
    fn what_was_forgotten_is_named() {
        let reply = |forgotten, candidates, was_forgotten| ForgetReply {
            forgotten,
            candidates,
            was_forgotten,
            notes: Vec::new(),
        };
        let texts = [
            forgotten(&reply(Some(arm64()), Vec::new(), false), "arm64"),
            forgotten(&reply(Some(arm64()), Vec::new(), true), "arm64"),
            forgotten(&reply(None, vec![arm64(), arm64()], false), "arm64"),
            forgotten(&reply(None, Vec::new(), false), "arm64"),
        ];
        insta::assert_snapshot!(texts.join("\n"), @r#"
        forgot build-gotchas/arch-arm64-required
          Rust lib must use -arch arm64.
        build-gotchas/arch-arm64-required was forgotten before; nothing changed
        several memories match "arm64"; nothing was forgotten. Give the id of one:
        build-gotchas/arch-arm64-required  Rust lib must use -arch arm64.
        build-gotchas/arch-arm64-required  Rust lib must use -arch arm64.
        no memory matches "arm64"; nothing was forgotten
        "#);
    }
}
