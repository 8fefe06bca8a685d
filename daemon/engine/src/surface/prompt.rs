//! Whether a prompt asks something that memories could answer.

use crate::index::lexical::stop_words::is_stop_word;
use crate::index::lexical::{LexicalQuery, Mode};

/// Shortest and longest prompt that is looked at, in characters: a shorter one says nothing, a longer one is a document.
const PROMPT_CHARS: std::ops::RangeInclusive<usize> = 10..=500;

/// Distinct words that a prompt needs beside those that every prompt has.
const TERMS_MIN: usize = 2;

/// Words with which people keep a conversation going.
const SMALL_TALK: &[&str] = &[
    "again", "ahead", "alright", "awesome", "bye", "cheers", "continue", "cool", "done", "exactly", "fine", "go",
    "good", "great", "hello", "hey", "hi", "keep", "lgtm", "let", "lets", "looks", "more", "need", "next", "nice",
    "no", "now", "ok", "okay", "one", "perfect", "please", "proceed", "right", "same", "sounds", "sure", "thank",
    "thanks", "thing", "things", "thx", "try", "want", "way", "well", "yeah", "yep", "yes", "yet",
];

/// What starts text that was put into a prompt by programs, and what ends it.
const INSERTED: &[(&str, &str)] = &[
    ("<helix-memory", "</helix-memory>"),
    ("<system-reminder", "</system-reminder>"),
    ("<command-message", "</command-message>"),
    ("<local-command-stdout", "</local-command-stdout>"),
];

/// The words to look for; `None` for small talk, commands, and what is too short or too long.
#[must_use]
pub fn question(prompt: &str) -> Option<String> {
    let own = without_inserted(prompt);
    let words = own.trim();
    if words.starts_with('/') || !PROMPT_CHARS.contains(&words.chars().count()) {
        return None;
    }
    let query = LexicalQuery::parse(words, Mode::Any);
    let is_content = |word: &&str| word.chars().count() > 1 && !is_stop_word(word) && !SMALL_TALK.contains(word);
    let mut content: Vec<&str> =
        query.terms().iter().filter(|term| term.required).map(|term| term.word.as_str()).filter(is_content).collect();
    content.sort_unstable();
    content.dedup();
    (content.len() >= TERMS_MIN).then(|| words.to_owned())
}

/// The files that a prompt attaches, as it names them: `@src/main.rs`. The agent reads them without using a tool.
#[must_use]
pub fn attached(prompt: &str) -> Vec<String> {
    let own = without_inserted(prompt);
    let names = own.split_whitespace().filter_map(|word| word.strip_prefix('@'));
    let names = names.map(|name| name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']).trim_matches('"'));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Takes away what programs, Helix among them, have put in.
fn without_inserted(prompt: &str) -> String {
    let mut own = prompt.to_owned();
    for (start, end) in INSERTED {
        while let Some(from) = own.find(start) {
            let to = own.get(from..).and_then(|rest| rest.find(end)).map_or(own.len(), |at| from + at + end.len());
            own.replace_range(from..to, " ");
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(question(&"reopen the store ".repeat(40)), None, "a document");
    }

    #[test]
    fn files_are_attached_by_their_names() {
        let prompt = "<system-reminder>@x.rs</system-reminder>@src/a.rs explain; compare @\"src/b.rs\", (me@host) and @";
        assert_eq!(attached(prompt), ["src/a.rs", "src/b.rs"]);
        assert!(attached("mail me@host.example").is_empty());
    }

    #[test]
    fn a_question_is_the_persons_own_words() {
        let prompt = "<system-reminder>use tools</system-reminder>why does the store reopen slowly?";
        assert_eq!(question(prompt).as_deref(), Some("why does the store reopen slowly?"));
        assert!(question("fix the flaky socket test").is_some());
    }
}
