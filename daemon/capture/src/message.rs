//! The message of a commit.

use std::sync::LazyLock;

use regex::Regex;

use crate::entities::entities;
use crate::language::word_count;
use crate::passage::sentences;
use crate::patterns::compile;
use crate::resolve::{Context, resolve};
use crate::wording::WORDING;

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

/// Words of a subject that tells by itself what was mended.
const SUBJECT_WORDS_MIN: usize = 5;

static TELLS: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.repair_tells));
static DULL: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.repair_dull));

/// The sentence that git writes into a revert.
static REVERTED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"This reverts commit [0-9a-f]+\.\s*").ok());

impl Message {
    /// Reads a message; `None` where no body explains the subject, unless that tells by itself what
    /// was mended or taken back.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (subject, rest) = text.split_once('\n').unwrap_or((text, ""));
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
        if words >= BODY_WORDS_MIN {
            return Some(Self { subject, body });
        }
        let bare = Self {
            subject,
            body: Vec::new(),
        };
        (bare.is_revert() || bare.tells_repair()).then_some(bare)
    }

    /// Whether the subject alone tells what was wrong: it names something or says when, and needs
    /// nothing else to be understood.
    fn tells_repair(&self) -> bool {
        let Some(repair) = self.repair() else {
            return false;
        };
        let said = self.subject.get(repair.len()..).unwrap_or_default();
        let said = said.trim_start_matches([':', ' ']);
        let is_match = |pattern: &LazyLock<Option<Regex>>| {
            pattern
                .as_ref()
                .is_some_and(|pattern| pattern.is_match(said))
        };
        let is_telling = is_match(&TELLS) || !entities(&self.subject).is_empty();
        word_count(said) >= SUBJECT_WORDS_MIN
            && is_telling
            && !is_match(&DULL)
            && resolve(said, &Context::default()).is_some_and(|resolved| resolved == said)
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
        let subject = match label {
            // The label says that something is mended, and is left out.
            Some(_) if self.body.is_empty() && !self.is_revert() => format!("Fixed: {subject}"),
            _ => subject,
        };
        let body = self.body.join(" ");
        format!("{subject}. {body}").trim_end().to_owned()
    }
}

/// Why a commit is worth keeping, for a person.
pub(crate) fn reason(text: &str) -> &'static str {
    match Message::read(text) {
        Some(message) if message.is_revert() => "a commit that takes something back",
        Some(message) if message.body.is_empty() => "a commit that mends something",
        _ => "a commit that says why",
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
    fn repairs_and_reverts_that_tell_enough_need_no_body() {
        for (text, statement, of_kind) in [
            (
                "Fix crash in SessionPool::close when two workers drain",
                "Fix crash in SessionPool::close when two workers drain.",
                "bug_fix",
            ),
            (
                "fix(upload): retry on 429 because S3 throttles",
                "Fixed: Retry on 429 because S3 throttles.",
                "bug_fix",
            ),
            (
                "Revert \"Use mmap for the index\"\n\nThis reverts commit 0123abc.",
                "Revert \"Use mmap for the index\".",
                "decision",
            ),
        ] {
            let message = Message::read(text).expect("it tells enough");
            assert_eq!(message.statement(), statement);
            assert_eq!(kind(text, "fact"), of_kind);
        }
        for text in [
            "Fix typo in the docs of SessionPool",
            "Fix it when they call this from there",
            "fix tests",
            "fix: clippy warnings in src/main.rs on nightly",
            "Retry uploads when the gateway is slow",
        ] {
            assert_eq!(Message::read(text), None, "{text}");
        }
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
