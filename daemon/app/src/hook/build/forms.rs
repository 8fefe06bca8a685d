//! Whether a note is about the same error of another thing, by the forms of messages that name one:
//! `command not found: protoc` is no help where `flex` is missing. Pure; the forms are data.

use std::sync::LazyLock;

use super::case::{QUOTES, is_name};
use crate::hook::exact::has_word;

/// The forms, an error a line.
const FORMS: &str = include_str!("forms.txt");

/// What stands for a thing in a form, by whether it may be any word.
const ANY: &str = "{}";
const NAMED: &str = "{name}";

/// What sets a thing apart from the message around it.
const AROUND: [char; 14] = [
    '`', '\'', '"', '‘', '’', '“', '”', '(', ')', '[', ']', ',', ';', ':',
];

/// One way to say an error.
#[derive(Debug)]
struct Form {
    before: &'static str,
    after: &'static str,
    /// Whether the thing may be any word.
    is_any: bool,
}

/// All ways to say each error.
static ERRORS: LazyLock<Vec<Vec<Form>>> = LazyLock::new(|| {
    let lines = FORMS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| line.split(" | ").filter_map(Form::of).collect())
        .collect()
});

/// Whether a text names other things alone in an error that a failure has. What the failure says is
/// in lower case here.
pub(super) fn names_another(text: &str, said: &str) -> bool {
    if helix_ablation::is_off("failure/names-another") {
        return false;
    }
    let lower = text.to_lowercase();
    let is_of_another = |forms: &Vec<Form>| {
        let here: Vec<String> = things(forms, said).collect();
        if here.is_empty() || here.iter().any(|thing| has_word(&lower, thing)) {
            return false;
        }
        let mut there = things(forms, text).peekable();
        there.peek().is_some()
            && there
                .all(|thing| !is_any_thing(&thing) && !here.iter().any(|own| is_same(own, &thing)))
    };
    ERRORS.iter().any(is_of_another)
}

/// The things that a text names in one of these forms, in lower case.
fn things<'t>(forms: &'t [Form], text: &'t str) -> impl Iterator<Item = String> + 't {
    forms
        .iter()
        .flat_map(move |form| text.lines().flat_map(move |line| form.things(line)))
}

/// Whether a thing stands for any: `<name>`, `…`.
fn is_any_thing(thing: &str) -> bool {
    thing.contains(['<', '…', '*', '$', '{']) || thing.contains("...")
}

/// Whether two names are of one thing, or one is a part of the other: `left-pad/index` is of
/// `left-pad`.
fn is_same(one: &str, other: &str) -> bool {
    has_word(one, other) || has_word(other, one)
}

impl Form {
    fn of(form: &'static str) -> Option<Self> {
        let of = |mark: &str| form.split_once(mark);
        let (before, after) = of(ANY).or_else(|| of(NAMED))?;
        Some(Self {
            before: before.trim(),
            after: after.trim_start(),
            is_any: form.contains(ANY),
        })
    }

    /// The things that a line names so.
    fn things<'l>(&'l self, line: &'l str) -> impl Iterator<Item = String> + 'l {
        let lower = line.to_ascii_lowercase();
        let anchor = if self.before.is_empty() {
            self.after
        } else {
            self.before
        };
        let ends: Vec<usize> = lower.match_indices(anchor).map(|(at, _)| at).collect();
        ends.into_iter().filter_map(move |at| {
            let (before, rest) = (line.get(..at)?, line.get(at + anchor.len()..)?);
            let word = if self.before.is_empty() {
                before.split_whitespace().next_back()?
            } else {
                self.behind(rest)?
            };
            self.thing(word)
        })
    }

    /// The word behind the form's beginning, where what follows is as the form says.
    fn behind<'l>(&self, rest: &'l str) -> Option<&'l str> {
        let rest = rest.trim_start_matches([' ', ':']);
        let word = rest.split_whitespace().next()?;
        let follows = rest.get(word.len()..)?.trim_start();
        follows
            .to_ascii_lowercase()
            .starts_with(self.after)
            .then_some(word)
    }

    /// The name of a word that stands for a thing.
    fn thing(&self, word: &str) -> Option<String> {
        let is_quoted = word.starts_with(QUOTES);
        let bare = word.trim_matches(AROUND).trim_end_matches('.');
        let name = bare.trim_start_matches('_');
        let is_thing =
            name.chars().any(char::is_alphanumeric) && (self.is_any || is_quoted || is_name(bare));
        is_thing.then(|| name.to_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_names_a_thing() {
        let lines = FORMS
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        for (line, forms) in lines.zip(ERRORS.iter()) {
            assert_eq!(line.split(" | ").count(), forms.len(), "{line}");
            assert_eq!(line, line.to_lowercase());
            for form in forms {
                assert!(
                    form.before.len() + form.after.len() > 6,
                    "{form:?} is said by chance"
                );
            }
        }
    }

    #[test]
    fn the_same_message_of_another_thing_is_another_case() {
        let npm = "Cannot find module 'left-pad': run npm ci in packages/web";
        let tool = "command not found: protoc, install it with apt";
        let name = "ImportError: cannot import name Foo from bar: bar was renamed to baz in 2.0";
        let link = "undefined symbol _zstd_init: link with -lzstd";
        for (text, said, is_another) in [
            (
                npm,
                "error: cannot find module 'express'\nrequire stack:",
                true,
            ),
            (
                npm,
                "error: cannot find module 'left-pad'\nrequire stack:",
                false,
            ),
            (npm, "error: cannot find module 'left-pad/index'", false),
            (
                tool,
                "sh: flex: command not found\nmake: *** [gen] error 127",
                true,
            ),
            (tool, "sh: 1: flex: not found", true),
            (tool, "sh: protoc: command not found", false),
            (
                name,
                "importerror: cannot import name 'quux' from 'corge' (corge.py)",
                true,
            ),
            (
                name,
                "importerror: cannot import name 'foo' from 'bar' (bar.py)",
                false,
            ),
            (link, "rust-lld: error: undefined symbol: _lz4_init", true),
            (link, "rust-lld: error: undefined symbol: _zstd_init", false),
            (link, "a.c:1: undefined reference to `_lz4_init'", true),
            (link, "  \"_zstd_init\", referenced from:", false),
            (
                "Cannot find module '<name>' means: run npm ci",
                "error: cannot find module 'express'",
                false,
            ),
            (
                "undefined symbol errors mean an old archive",
                "undefined symbol: _lz4_init",
                false,
            ),
            (
                "cannot find module errors: run npm ci",
                "error: cannot find module 'express'",
                false,
            ),
            (
                "Cannot find module 'a-b' or express: run npm ci",
                "error: cannot find module 'express'",
                false,
            ),
            (npm, "sh: flex: command not found", false),
        ] {
            assert_eq!(names_another(text, said), is_another, "{text} on {said}");
        }
    }
}
