//! Reads a prompt: the question that memories could answer, and the files that it attaches or
//! names.

mod paths;

use std::borrow::Cow;

use helix_engine::{LexicalQuery, WordsMode as Mode};
use helix_memory::SourceRef;
use paths::{named, without_paths};

/// Shortest and longest prompt that is looked at, in characters: a shorter one says nothing, a
/// longer one is a document.
const PROMPT_CHARS: std::ops::RangeInclusive<usize> = 10..=500;

/// Distinct words that a prompt needs beside those that every prompt has, and a question: "where do
/// we keep invoices?" asks for one thing.
const TERMS_MIN: usize = 2;
const QUESTION_TERMS_MIN: usize = 1;

/// Beginning of an attached file's name.
const ATTACHING: char = '@';

/// Words with which people keep a conversation going.
const SMALL_TALK: &[&str] = &[
    "again", "ahead", "alright", "awesome", "bye", "cheers", "continue", "cool", "done", "exactly",
    "fine", "go", "good", "great", "hello", "hey", "hi", "keep", "lgtm", "let", "lets", "looks",
    "more", "need", "next", "nice", "no", "now", "ok", "okay", "one", "perfect", "please",
    "proceed", "right", "same", "sounds", "sure", "thank", "thanks", "thing", "things", "thx",
    "try", "want", "way", "well", "yeah", "yep", "yes", "yet",
];

/// Start and end of text that programs put into a prompt or an output.
const INSERTED: &[(&str, &str)] = &[
    ("<helix-memory", "</helix-memory>"),
    ("<system-reminder", "</system-reminder>"),
    ("<command-message", "</command-message>"),
    ("<local-command-stdout", "</local-command-stdout>"),
];

/// The words to look for; `None` for small talk, commands, and what is too short or too long. The
/// names of files are no words of what is asked; `is_known` says which of [`paths`] are looked up
/// as files, and of others the directories are left out.
#[must_use]
pub fn question(prompt: &str, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let own = without_inserted(prompt);
    let is_word = |word: &&str| !word.starts_with(ATTACHING);
    let asked = without_paths(before_inserted(&own), is_known);
    let asked = asked.trim();
    let asked = if asked.contains(ATTACHING) {
        asked
            .split_whitespace()
            .filter(is_word)
            .collect::<Vec<_>>()
            .join(" ")
    } else {
        asked.to_owned()
    };
    let words = asked.as_str();
    if words.starts_with('/') || !PROMPT_CHARS.contains(&words.chars().count()) {
        return None;
    }
    let query = LexicalQuery::parse(words, Mode::Any);
    let is_content = |word: &&str| {
        word.chars().count() > 1 && !LexicalQuery::is_stop_word(word) && !SMALL_TALK.contains(word)
    };
    let mut content: Vec<&str> = query
        .terms()
        .iter()
        .filter(|term| term.required)
        .map(|term| term.word.as_str())
        .filter(is_content)
        .collect();
    content.sort_unstable();
    content.dedup();
    let terms_min = if words.ends_with('?') {
        QUESTION_TERMS_MIN
    } else {
        TERMS_MIN
    };
    (content.len() >= terms_min).then(|| words.to_owned())
}

/// The files that a prompt attaches, as it names them: `@src/main.rs`. The agent reads them without
/// using a tool.
#[must_use]
pub fn attached(prompt: &str) -> Vec<String> {
    let own = without_inserted(prompt);
    let names = before_inserted(&own)
        .split_whitespace()
        .filter_map(|word| word.strip_prefix(ATTACHING));
    let names = names.map(|name| {
        name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')'])
            .trim_matches('"')
    });
    // Lines may be attached, and not all of the file.
    names
        .map(|name| SourceRef::parse(name).path)
        .filter(|name| !name.is_empty())
        .collect()
}

/// The paths that a prompt names, each once, which may be those of files; none of a document.
#[must_use]
pub fn paths(prompt: &str) -> Vec<String> {
    let own = without_inserted(prompt);
    let own = before_inserted(&own);
    let mut paths: Vec<String> = Vec::new();
    if own.chars().count() > *PROMPT_CHARS.end() {
        return paths;
    }
    for path in named(own) {
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

/// Takes away what programs, Helix among them, have put in, as far as it ends.
#[must_use]
pub fn without_inserted(text: &str) -> Cow<'_, str> {
    let mut own = Cow::Borrowed(text);
    for (start, end) in INSERTED {
        if own.contains(start) {
            own = Cow::Owned(without(&own, start, end));
        }
    }
    own
}

/// A text without what stands between a start and an end, and without these.
fn without(text: &str, start: &str, end: &str) -> String {
    let mut own = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inserted)) = rest.split_once(start) {
        let Some((_, after)) = inserted.split_once(end) else {
            break;
        };
        own.push_str(before);
        own.push(' ');
        rest = after;
    }
    own.push_str(rest);
    own
}

/// Takes away what was put into a prompt and never ends, as it was cut off.
fn before_inserted(prompt: &str) -> &str {
    let start = INSERTED
        .iter()
        .filter_map(|(start, _)| prompt.find(start))
        .min();
    start
        .and_then(|start| prompt.get(..start))
        .unwrap_or(prompt)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(prompt: &str) -> Option<String> {
        super::question(prompt, |_| false)
    }

    #[test]
    fn small_talk_is_not_a_question() {
        for prompt in [
            "",
            "thanks",
            "yes please go ahead",
            "ok, looks good, continue",
            "/compact now please keep the build notes",
            "why is it so?",
            "<helix-memory note=\"x\">\n- the store reopens slowly\n</helix-memory> ok",
        ] {
            assert_eq!(question(prompt), None, "{prompt}");
        }
        assert_eq!(
            question(&"reopen the store ".repeat(40)),
            None,
            "a document"
        );
    }

    #[test]
    fn a_question_may_ask_for_one_thing() {
        for prompt in ["where do we keep invoices?", "what chrome do we need?"] {
            assert_eq!(question(prompt).as_deref(), Some(prompt));
        }
        for prompt in ["keep the invoices", "what do we need now?"] {
            assert_eq!(question(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn files_are_attached_by_their_names() {
        let prompt = "<system-reminder>@x.rs</system-reminder>@src/a.rs explain; compare @\"src/b.rs\", (me@host) and @";
        assert_eq!(attached(prompt), ["src/a.rs", "src/b.rs"]);
        assert_eq!(
            attached("explain @src/a.rs#L4-5 and @src/b.rs:4"),
            ["src/a.rs", "src/b.rs"]
        );
        assert_eq!(
            question("explain @src/flaky/socket.rs please"),
            None,
            "a name is no question"
        );
        assert!(question("why is @src/a.rs a flaky socket test?").is_some());
        assert!(attached("mail me@host.example").is_empty());
    }

    #[test]
    fn the_directories_of_a_path_are_no_question() {
        let prompt = "why is `src/flaky/socket.rs:12` slow on arm64 machines?";
        let question = |prompt: &str| super::question(prompt, |path| path == "src/flaky/socket.rs");
        assert_eq!(
            question(prompt).as_deref(),
            Some("why is  slow on arm64 machines?")
        );
        assert_eq!(
            super::question(prompt, |_| false).as_deref(),
            Some("why is `socket.rs` slow on arm64 machines?")
        );
        assert_eq!(
            (
                question("src/flaky/socket.rs"),
                question("open src/flaky/socket.rs please")
            ),
            (None, None)
        );
        assert_eq!(paths(prompt), ["src/flaky/socket.rs"]);
        assert!(
            question("/home/me/flaky/a.rs drops messages of old peers").is_some(),
            "it is no command"
        );
        assert!(
            paths(&"src/flaky/socket.rs drops messages ".repeat(20)).is_empty(),
            "a document"
        );
        assert!(paths("<system-reminder>src/a.rs</system-reminder>").is_empty());
    }

    #[test]
    fn a_question_is_the_persons_own_words() {
        let prompt =
            "<system-reminder>use tools</system-reminder>why does the store reopen slowly?";
        assert_eq!(
            question(prompt).as_deref(),
            Some("why does the store reopen slowly?")
        );
        assert!(question("fix the flaky socket test").is_some());
        let cut = "why does the store reopen slowly?\n<helix-memory note=\"x\">\n- use arm64";
        assert_eq!(
            question(cut).as_deref(),
            Some("why does the store reopen slowly?")
        );
    }

    #[test]
    fn what_was_put_in_is_taken_out_as_far_as_it_ends() {
        let output = "one\n<helix-memory note=\"x\">\nE0277\n</helix-memory>\ntwo <system-reminder>y</system-reminder>three";
        assert_eq!(without_inserted(output), "one\n \ntwo  three");
        for whole in ["plain", "one\n<helix-memory note=\"x\">\nerror: two"] {
            assert_eq!(without_inserted(whole), whole);
        }
    }
}
