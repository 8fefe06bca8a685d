//! The message of a commit.

use std::sync::LazyLock;

use regex::Regex;

use crate::language::word_count;
use crate::passage::sentences;

/// Words of a body that explains something.
const BODY_WORDS_MIN: usize = 6;

/// Sentences of the body that a fact takes over.
const BODY_SENTENCES_MAX: usize = 2;

/// A message that explains its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// Its first line.
    pub(crate) subject: String,
    /// The first sentences of the rest, without trailers.
    pub(crate) body: Vec<String>,
}

/// How the subject of a commit begins that mends or takes back something.
static REPAIR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:revert\b|(?:bug ?|hot)?fix(?:es|ed)?\b(?:\([^)]*\))?|behebe?\b|repariere\b|修复|回滚|撤销)").ok()
});

/// The label of a conventional commit: `fix(sync): `.
static LABEL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^[a-z]+(?:\([^)]*\))?!?: +").ok());

/// The sentence that git writes into a revert.
static REVERTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"This reverts commit [0-9a-f]+\.\s*").ok());

impl Message {
    /// Reads a message; `None` where no body explains the subject.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (subject, rest) = text.trim().split_once('\n')?;
        let subject = subject.trim().to_owned();
        if subject.starts_with("Merge ") {
            return None;
        }
        let rest = match REVERTED.as_ref() {
            Some(reverted) => reverted.replace(rest, ""),
            None => rest.into(),
        };
        let body: Vec<String> = sentences(&rest)
            .into_iter()
            .map(|sentence| sentence.text)
            .take(BODY_SENTENCES_MAX)
            .collect();
        let words: usize = body.iter().map(|sentence| word_count(sentence)).sum();
        (words >= BODY_WORDS_MIN).then_some(Self { subject, body })
    }

    /// The words that say that the commit mends or takes back something.
    pub(crate) fn repair(&self) -> Option<&str> {
        let repair = REPAIR.as_ref()?.find(&self.subject)?;
        Some(repair.as_str())
    }

    pub(crate) fn is_revert(&self) -> bool {
        self.repair().is_some_and(|repair| {
            repair.eq_ignore_ascii_case("revert") || matches!(repair, "回滚" | "撤销")
        })
    }

    /// Subject and reason as one text.
    pub(crate) fn statement(&self) -> String {
        let label = LABEL.as_ref().and_then(|label| label.find(&self.subject));
        let end = label.map_or(0, |label| label.end());
        let subject = self.subject.get(end..).unwrap_or(&self.subject);
        let subject = crate::statement::capitalised(subject.trim_end_matches('.'));
        format!("{subject}. {}", self.body.join(" "))
    }
}

/// The kind of what a commit says: a revert and a change with reasons are decisions, whatever trap
/// the reasons tell of; a repair is a fix.
pub(crate) fn kind(text: &str, of_cues: &'static str) -> &'static str {
    let Some(message) = Message::read(text) else {
        return of_cues;
    };
    if message.is_revert() {
        return "decision";
    }
    match (message.repair(), of_cues) {
        (Some(_), _) => "bug_fix",
        (None, "convention" | "procedure") => of_cues,
        (None, _) => "decision",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_explains_is_read() {
        let text = "fix(sync): ignore our own events\n\nThe server echoes every event back, so each edit\nwas applied twice.\n\nSigned-off-by: A";
        let message = Message::read(text).expect("it explains");
        assert_eq!(message.repair(), Some("fix(sync)"));
        assert_eq!(
            message.statement(),
            "Ignore our own events. The server echoes every event back, so each edit was applied twice."
        );
    }

    #[test]
    fn messages_without_a_reason_are_not() {
        for text in [
            "wip",
            "Bump version",
            "Merge branch 'main'\n\nConflicts in a file that we had to solve by hand",
            "Fix it\n\nSigned-off-by: A B <a@b>",
        ] {
            assert_eq!(Message::read(text), None, "{text}");
        }
    }
}
