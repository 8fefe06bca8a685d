//! Form of a request: about this project, about anything, or neither said.
//!
//! Knowledge and errands that any project could ask for ("what is a dead letter queue?", "translate
//! this mail") share rare words with memories that merely use the technology. Their wording gives
//! them away: they speak of nothing definite. Requests about the project speak of *the* deadline,
//! *our* branch, *this* test, or of a code. Measured by leaving one project's prompts out:
//! at 95 % silence the sign is worth 7 points of coverage.

use super::lists::{has, lists};

/// Form of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Asks for what has nothing to do with the project.
    pub is_general: bool,
    /// Says that it is about what the speakers share.
    pub is_ours: bool,
    /// Asks how something is done.
    pub is_how: bool,
}

/// Digits of the shortest code: `E0432`, `PH-401`, `40P01`.
const CODE_MIN_DIGITS: usize = 3;

impl Request {
    /// Reads the form of a request from its words.
    #[must_use]
    pub fn of(text: &str) -> Self {
        if helix_ablation::is_off("factor/request") {
            return Self::default();
        }
        let lists = lists();
        let text = text.to_lowercase().replace('’', "'");
        let words: Vec<&str> = text
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-')))
            .map(|word| word.trim_matches(['\'', '-']))
            .filter(|word| !word.is_empty())
            .collect();
        let asked = words
            .iter()
            .position(|word| !has(&lists.polite, word))
            .and_then(|first| words.get(first..));
        let asked = asked.unwrap_or_default().join(" ");
        let padded = format!(" {asked} ");
        let says = |phrases: &[String]| {
            phrases
                .iter()
                .any(|phrase| padded.contains(&format!(" {phrase} ")))
        };
        let begins = |forms: &[String]| forms.iter().any(|form| has_beginning(&asked, form));
        let is_ours = words.iter().any(|word| has(&lists.ours, word));
        let is_definite = is_ours || words.iter().any(|word| has(&lists.definite, word));
        let is_vague = !is_definite && (begins(&lists.asking) || begins(&lists.making));
        let is_general = begins(&lists.errands) || says(&lists.general) || is_vague;
        let is_how = says(&lists.how);
        Self {
            is_general: is_general && !names_code(&text),
            is_ours,
            is_how,
        }
    }
}

fn has_beginning(text: &str, beginning: &str) -> bool {
    text.strip_prefix(beginning)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Returns whether a text has a code or an identifier, which mean one thing only.
fn names_code(text: &str) -> bool {
    if helix_ablation::is_off("factor/request-code") {
        return false;
    }
    text.contains('_')
        || text
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
            .any(is_code)
}

/// Returns whether a word has letters before a number, or between digits.
fn is_code(word: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let digits = word.chars().filter(|c| is_digit(*c)).count();
    let number = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_behind_letters =
        number.len() < word.len() && number.strip_prefix('-').unwrap_or(number).len() == digits;
    let has_inner_letters = digits < word.len()
        && !word.contains('-')
        && word.starts_with(is_digit)
        && word.ends_with(is_digit);
    digits >= CODE_MIN_DIGITS && (is_behind_letters || has_inner_letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn general_requests_speak_of_nothing_definite() {
        for text in [
            "what is a dead letter queue?",
            "Explain how consumer groups work",
            "could you please explain goroutines",
            "is Kafka written in Java?",
            "difference between tabs and spaces, and when do we care",
            "translate this mail into Dutch",
            "git: how do I drop the last commit",
            "generate ten fake names",
            "what is 300ms in seconds",
            "explain ISO 2024-05-01",
        ] {
            assert!(Request::of(text).is_general, "{text}");
        }
        for text in [
            "what is the deadline of hooks?",
            "what's our branch naming",
            "which queue do we use for imports?",
            "what does E0432 mean?",
            "what does PH-4012 mean?",
            "what does 40P01 mean?",
            "is load_rows called twice?",
            "How do I deploy to production?",
            "raise the hook deadline to 300 ms",
            "compare the two parsers",
            "generated files are gone",
            "",
        ] {
            assert!(!Request::of(text).is_general, "{text}");
        }
    }

    #[test]
    fn who_asks_how_wants_a_procedure() {
        assert!(
            Request::of("How do I deploy to production?").is_how
                && Request::of("hi, how can we roll back").is_how
        );
        assert!(!Request::of("show today's steps of the build").is_how);
    }

    #[test]
    fn what_is_shared_is_said_to_be_ours() {
        assert!(
            Request::of("What's our branch naming?").is_ours
                && Request::of("do we ship it HERE").is_ours
        );
        assert!(!Request::of("the west wing is where?").is_ours);
    }
}
