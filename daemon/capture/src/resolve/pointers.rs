//! Words that point at something: "it", "they", "this file", "there".
//!
//! A statement may need one name from outside. Where it points in several ways, one name is not
//! enough, and which word stands for it is a guess.

use std::sync::LazyLock;

use regex::Regex;

use super::{EXPLETIVES, class_of, has_content, is_named_before};
use crate::patterns::compile;
use crate::wording::WORDING;

/// Ways of pointing in a sentence that explains the one before it, at most.
const EXPLAINING_FORMS_MAX: usize = 2;

/// A way of pointing: two words of one form may point at one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    It,
    They,
    Person,
    /// "This" and "that" by themselves.
    Demonstrative,
    /// "This file": with the noun.
    Noun(String),
    /// "There".
    Place,
}

/// A word that points, and whether the statement names before it what it may point at.
struct Pointer {
    at: usize,
    form: Form,
    is_inside: bool,
}

static PRONOUN: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.pronoun));
static POSSESSIVE: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.possessive));
static DEMONSTRATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.demonstrative));
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.place));

/// Whether a statement points in several ways, and outside of itself by one of them.
pub(super) fn is_tangled(statement: &str) -> bool {
    let found = pointers(statement);
    found.iter().any(|pointer| !pointer.is_inside) && forms(&found) > 1
}

/// Whether a statement points at a place that it does not name.
pub(super) fn is_elsewhere(statement: &str) -> bool {
    let mut found = pointers(statement).into_iter();
    found.any(|pointer| pointer.form == Form::Place && !pointer.is_inside)
}

/// Whether a sentence may stand behind others that name what it points at.
pub(super) fn explains(before: &str, sentence: &str) -> bool {
    if forms(&pointers(sentence)) > EXPLAINING_FORMS_MAX {
        return false;
    }
    let whole = format!("{before} {sentence}");
    nouns(&whole).all(|pointer| pointer.is_inside)
}

/// Ways of pointing. "It" behind "this file" means that file, and "that" behind what was said
/// means what was said.
fn forms(found: &[Pointer]) -> usize {
    let is_noun = |pointer: &Pointer| matches!(pointer.form, Form::Noun(_));
    let first_noun = found
        .iter()
        .filter(|pointer| is_noun(pointer))
        .map(|noun| noun.at);
    let first_noun = first_noun.min().unwrap_or(usize::MAX);
    let mut distinct: Vec<&Form> = Vec::new();
    for pointer in found {
        let is_taken_up = match pointer.form {
            Form::It => pointer.at > first_noun,
            Form::Demonstrative => pointer.is_inside,
            Form::They | Form::Person | Form::Noun(_) | Form::Place => false,
        };
        if !is_taken_up && !distinct.contains(&&pointer.form) {
            distinct.push(&pointer.form);
        }
    }
    distinct.len()
}

fn pointers(statement: &str) -> Vec<Pointer> {
    let skipped = EXPLETIVES.end(statement).unwrap_or_default();
    let mut found: Vec<Pointer> = nouns(statement).collect();
    let sorts = [
        (&PRONOUN, None),
        (&POSSESSIVE, None),
        (&DEMONSTRATIVE, Some(Form::Demonstrative)),
        (&PLACE, Some(Form::Place)),
    ];
    for (pattern, form) in sorts {
        let matches = pattern
            .iter()
            .flat_map(|pattern| pattern.find_iter(statement));
        for word in matches.filter(|word| word.start() >= skipped) {
            let is_possessive = std::ptr::eq(pattern, &raw const POSSESSIVE);
            found.push(Pointer {
                at: word.start(),
                form: form.clone().unwrap_or_else(|| of_pronoun(word.as_str())),
                // What somebody has may stand in the clause that names who has it.
                is_inside: if is_possessive {
                    has_content(statement.get(..word.start()).unwrap_or_default())
                } else {
                    is_named_before(statement, word.start())
                },
            });
        }
    }
    found
}

/// "This file" and the like, where the noun is of a class that names may be of.
fn nouns(statement: &str) -> impl Iterator<Item = Pointer> {
    let matches = super::POINTED
        .iter()
        .flat_map(|pattern| pattern.captures_iter(statement));
    matches.filter_map(|found| {
        let (start, noun) = (found.get(0)?.start(), found.get(2)?.as_str().to_lowercase());
        let own = super::Context::new([statement.get(..start)?]);
        Some(Pointer {
            at: start,
            is_inside: own.antecedent(class_of(&noun)?).is_some(),
            form: Form::Noun(noun),
        })
    })
}

fn of_pronoun(word: &str) -> Form {
    match word.to_lowercase().as_str() {
        "they" | "them" | "their" => Form::They,
        "he" | "she" | "him" | "his" | "her" => Form::Person,
        _ => Form::It,
    }
}
