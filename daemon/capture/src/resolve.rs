//! Makes a statement stand alone: puts names in the place of "it" and "this file", or gives up.

mod pointers;

use std::sync::LazyLock;

use regex::Regex;

use crate::entities::{Class, Entity, entities};
use crate::language::{is_han, word_count};
use crate::patterns::{Patterns, compile};
use crate::wording::{WORDING, has};

/// Words before a pronoun that say enough for it to stand for them.
const CONTENT_WORDS_MIN: usize = 2;

/// Words from which a text may name something: "ok" and "go ahead" do not.
const TELLING_WORDS_MIN: usize = 3;

/// Words before a name in prose behind which it is no longer what the text is about.
const SUBJECT_WORDS_MAX: usize = 3;

/// Names that were mentioned before a statement: nearest texts first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    mentioned: Vec<Mentioned>,
}

/// The names of one text.
#[derive(Clone, Debug)]
struct Mentioned {
    names: Vec<Entity>,
    /// Where a name in prose must begin so that "it" may stand for it, in bytes.
    subject_end: usize,
    /// It asks, or gives a choice: any of them may be meant, or something without a name.
    is_choice: bool,
}

impl Context {
    /// Takes texts, the nearest first.
    pub(crate) fn new<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        let telling = texts
            .into_iter()
            .filter(|text| word_count(text.as_ref()) >= TELLING_WORDS_MIN);
        let mentioned = telling.map(|text| Mentioned {
            names: entities(text.as_ref()),
            subject_end: subject_end(text.as_ref()),
            is_choice: CHOICE
                .as_ref()
                .is_some_and(|choice| choice.is_match(text.as_ref())),
        });
        Self {
            mentioned: mentioned.collect(),
        }
    }

    /// The name that something of a class stands for: the only one in the nearest text that has
    /// any. Without a class, code is meant rather than a name in the prose, and only the nearest
    /// text of all is looked at.
    fn antecedent(&self, class: Option<Class>) -> Option<&Entity> {
        let reach = match class {
            Some(_) => self.mentioned.len(),
            None => 1,
        };
        for mentioned in self.mentioned.iter().take(reach) {
            let Mentioned {
                names, is_choice, ..
            } = mentioned;
            if *is_choice && class.is_none() {
                return None;
            }
            let has_code = names.iter().any(|name| name.class != Class::Name);
            let fits = |name: &&Entity| match class {
                Some(class) => is_such(name, class),
                None if name.class == Class::Name => !has_code && name.at < mentioned.subject_end,
                None => true,
            };
            let mut fitting = names.iter().filter(fits);
            if let Some(first) = fitting.next() {
                return fitting.next().is_none().then_some(first);
            }
        }
        None
    }
}

/// Where the words end among which the subject of a text stands, in bytes.
fn subject_end(text: &str) -> usize {
    let mut starts = text
        .char_indices()
        .zip(std::iter::once(' ').chain(text.chars()))
        .filter(|((_, now), before)| !now.is_whitespace() && before.is_whitespace());
    let behind = starts.nth(SUBJECT_WORDS_MAX);
    behind.map_or(text.len(), |((at, _), _)| at)
}

/// Whether a name may be of a class: a command's name looks like a symbol.
fn is_such(name: &Entity, class: Class) -> bool {
    name.class == class || (class == Class::Command && name.class == Class::Symbol)
}

static EXPLETIVES: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&WORDING.expletives));
static UNRESOLVABLE: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&WORDING.unresolvable));

static POINTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(
        r"\b(this|that|these|those|diese[nrsm]?|这个|那个|该)[ ]?([a-zäöü]+|文件|函数|脚本|命令|模块|接口|服务|测试)",
    )
});
static SUBJECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compile(
        r"^(?:(it|they|this one|that one|es|sie|它们?|这个|那个)|(this|that|these|those|das|dies))('s|'re)?([ ,]|$|[^\x00-\x7f])(\S*)",
    )
});
static PRONOUN: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.pronoun));
static POSSESSIVE: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.possessive));
static DEMONSTRATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.demonstrative));
static CHOICE: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.choice));
static CLAUSE: LazyLock<Option<Regex>> = LazyLock::new(|| compile(&WORDING.clause));

/// Rewrites a statement so that a stranger knows what it is about; `None` where it cannot be told.
pub(crate) fn resolve(statement: &str, context: &Context) -> Option<String> {
    if is_unresolvable(statement)
        || pointers::is_tangled(statement)
        || pointers::is_elsewhere(statement)
    {
        return None;
    }
    let statement = subject(statement, context)?;
    let statement = pointed(&statement, context)?;
    let statement = possessive(&statement, context)?;
    pronouns(&statement, context)
}

/// Whether a sentence may stand behind a text that says what it is about.
pub(crate) fn explains(before: &str, sentence: &str) -> bool {
    !is_unresolvable(sentence) && pointers::explains(before, sentence)
}

/// Whether a sentence points at something by words that no text can replace.
pub(crate) fn is_unresolvable(sentence: &str) -> bool {
    UNRESOLVABLE.is_match(sentence) && !is_that_one(sentence)
}

/// "That one is vendored" stands for something that was named before.
fn is_that_one(statement: &str) -> bool {
    let start = statement.get(..9).unwrap_or_default().to_lowercase();
    start.starts_with("that one") || start.starts_with("this one")
}

/// Puts a name in the place of a pronoun that begins the statement.
fn subject(statement: &str, context: &Context) -> Option<String> {
    let found = SUBJECT
        .as_ref()
        .and_then(|subject| subject.captures(statement));
    let Some(found) = found else {
        return Some(statement.to_owned());
    };
    if EXPLETIVES.is_match(statement) {
        return Some(statement.to_owned());
    }
    let is_sure = found.get(1).is_some();
    let contracted = found.get(3).map_or("", |contracted| contracted.as_str());
    let next = found.get(5).map_or("", |next| next.as_str()).to_lowercase();
    if !is_sure && contracted.is_empty() && !has(&WORDING.pronoun_verbs, &next) {
        return Some(statement.to_owned());
    }
    let name = context.antecedent(None)?;
    let is_many = found
        .get(1)
        .is_some_and(|word| word.as_str().eq_ignore_ascii_case("they"));
    if is_many && (name.class == Class::File || !name.text.ends_with('s')) {
        return None;
    }
    let verb = match contracted.to_lowercase().as_str() {
        "'s" => " is",
        "'re" => " are",
        _ => "",
    };
    let end = found.get(4).map_or(0, |gap| gap.start());
    Some(format!("{}{verb}{}", quoted(name), statement.get(end..)?))
}

/// Puts a name in the place of "its" where nothing before it may be meant.
fn possessive(statement: &str, context: &Context) -> Option<String> {
    let found = POSSESSIVE
        .as_ref()
        .and_then(|possessive| possessive.find(statement));
    let Some(found) = found else {
        return Some(statement.to_owned());
    };
    let before = statement.get(..found.start())?;
    if has_content(before) {
        return Some(statement.to_owned());
    }
    if !found.as_str().eq_ignore_ascii_case("its") {
        return None;
    }
    let name = quoted(context.antecedent(None)?);
    Some(format!("{before}{name}'s{}", statement.get(found.end()..)?))
}

/// Puts names in the places of "this file" and the like.
fn pointed(statement: &str, context: &Context) -> Option<String> {
    let Some(pattern) = POINTED.as_ref() else {
        return Some(statement.to_owned());
    };
    let mut resolved = String::new();
    let mut end = 0;
    for found in pattern.captures_iter(statement) {
        let (Some(whole), Some(noun)) = (found.get(0), found.get(2)) else {
            continue;
        };
        let noun = noun.as_str().to_lowercase();
        let Some(class) = class_of(&noun) else {
            if is_near(whole.as_str()) && !is_named_anywhere(statement.get(..whole.start())?, &noun)
            {
                return None;
            }
            continue;
        };
        let own = Context::new([statement.get(..whole.start())?]);
        let name = own
            .antecedent(class)
            .or_else(|| context.antecedent(class))?;
        resolved.push_str(statement.get(end..whole.start())?);
        resolved.push_str(&named(name, &noun));
        end = whole.end();
    }
    resolved.push_str(statement.get(end..)?);
    Some(resolved)
}

/// Whether a demonstrative can only point: "that" joins clauses as well.
fn is_near(pointed: &str) -> bool {
    let pointed = pointed.to_lowercase();
    ["this ", "these ", "those ", "diese"]
        .iter()
        .any(|start| pointed.starts_with(start))
}

/// Whether a noun means where the work goes on, or something that was named before it.
fn is_named_anywhere(before: &str, noun: &str) -> bool {
    has(&WORDING.scopes, noun) || has_content(before)
}

/// The class of names that a noun behind "this" stands for: `None` for a noun that is none such,
/// `Some(None)` for one that may stand for any.
fn class_of(noun: &str) -> Option<Option<Class>> {
    if has(&WORDING.scopes, noun) {
        return None;
    }
    if has(&WORDING.file_nouns, noun) || matches!(noun, "datei" | "文件") {
        return Some(Some(Class::File));
    }
    if has(&WORDING.symbol_nouns, noun)
        || matches!(noun, "funktion" | "methode" | "klasse" | "函数" | "接口")
    {
        return Some(Some(Class::Symbol));
    }
    if has(&WORDING.command_nouns, noun) || matches!(noun, "befehl" | "skript" | "脚本" | "命令")
    {
        return Some(Some(Class::Command));
    }
    let is_other = has(&WORDING.other_nouns, noun) || matches!(noun, "模块" | "服务" | "测试");
    is_other.then_some(None)
}

/// Looks after pronouns within the statement. What they mean stands in a clause before theirs;
/// else the name that was mentioned last takes the place of the first one.
fn pronouns(statement: &str, context: &Context) -> Option<String> {
    if points_outside(statement) {
        return None;
    }
    let Some(pronoun) = PRONOUN.as_ref() else {
        return Some(statement.to_owned());
    };
    let expletive_end = EXPLETIVES.end(statement).unwrap_or_default();
    let outside = pronoun
        .find_iter(statement)
        .filter(|found| found.start() >= expletive_end)
        .find(|found| !is_named_before(statement, found.start()));
    let Some(found) = outside else {
        return Some(statement.to_owned());
    };
    if !matches!(found.as_str().to_lowercase().as_str(), "it" | "它") {
        return None;
    }
    let name = context.antecedent(None)?;
    let before = statement.get(..found.start())?;
    let rest = statement.get(found.end()..)?;
    Some(format!("{before}{}{rest}", quoted(name)))
}

/// Whether a "that" or "those" without a noun stands for something outside of the statement.
fn points_outside(statement: &str) -> bool {
    let Some(demonstrative) = DEMONSTRATIVE.as_ref() else {
        return false;
    };
    demonstrative
        .find_iter(statement)
        .any(|found| !is_named_before(statement, found.start()))
}

/// Whether a clause before this place names something.
fn is_named_before(statement: &str, at: usize) -> bool {
    let before = statement.get(..at).unwrap_or_default();
    let clauses = CLAUSE
        .as_ref()
        .and_then(|clause| clause.find_iter(before).last());
    let end = clauses.map_or(0, |boundary| boundary.start());
    let before = before.get(..end).unwrap_or_default();
    has_content(before) || (is_of_many(statement, at) && names_many(before))
}

/// Whether the pronoun at a place stands for several things.
fn is_of_many(statement: &str, at: usize) -> bool {
    let pronoun = statement.get(at..at + 4).unwrap_or_default();
    pronoun.eq_ignore_ascii_case("they") || pronoun.eq_ignore_ascii_case("them")
}

/// Whether a text names several things by one word: "tabs".
fn names_many(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word.ends_with('s') && is_content(&word.to_lowercase()))
}

/// Whether the words before a pronoun name something.
fn has_content(before: &str) -> bool {
    !entities(before).is_empty() || content_words(before) >= CONTENT_WORDS_MIN
}

/// Words of a text that carry content; two characters of Chinese are one.
pub(crate) fn content_words(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let content = words.filter(|word| is_content(&word.to_lowercase()));
    content.count() + text.chars().filter(|c| is_han(*c)).count() / 2
}

/// Whether a text begins by pointing at something, or points at what it does not name.
pub(crate) fn points(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_alphanumeric()).next();
    let first = first.unwrap_or_default().to_lowercase();
    has(&WORDING.pointing, &first) || resolve(text, &Context::default()).is_none()
}

pub(crate) fn is_content(word: &str) -> bool {
    word.chars().count() > 2 && !has(&WORDING.form, word)
}

/// A name in the place of a noun; the noun stays where the name alone would not tell.
fn named(name: &Entity, noun: &str) -> String {
    match name.class {
        Class::File | Class::Command => quoted(name),
        Class::Symbol | Class::Name => format!("the {noun} {}", quoted(name)),
    }
}

/// A name as it stands in a text: code in backticks.
fn quoted(name: &Entity) -> String {
    match name.class {
        Class::Name => name.text.clone(),
        Class::File | Class::Symbol | Class::Command => format!("`{}`", name.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(statement: &str, before: &[&str]) -> Option<String> {
        resolve(statement, &Context::new(before))
    }

    #[test]
    fn pronouns_become_names() {
        for (statement, before, expected) in [
            (
                "it must never be called twice",
                "`Embedder::encode` loads it",
                "`Embedder::encode` must never be called twice",
            ),
            (
                "this file is generated",
                "I'll edit proto/gen/user.pb.go.",
                "`proto/gen/user.pb.go` is generated",
            ),
            (
                "It's append-only",
                "see the `ledger` table",
                "`ledger` is append-only",
            ),
            (
                "that one is vendored",
                "I'll patch third_party/zlib.c",
                "`third_party/zlib.c` is vendored",
            ),
        ] {
            assert_eq!(resolved(statement, &[before]).as_deref(), Some(expected));
        }
    }

    #[test]
    fn pronouns_for_nothing_and_for_their_own_sentence_stay() {
        for statement in [
            "this repo uses tabs",
            "the staging database is wiped, so never rely on it",
            "it's important to pin the toolchain",
        ] {
            assert_eq!(resolved(statement, &[]).as_deref(), Some(statement));
        }
    }

    #[test]
    fn without_a_name_there_is_no_statement() {
        for statement in [
            "it must stay sorted",
            "this file is generated",
            "always take the second option",
            "don't touch it",
        ] {
            assert_eq!(resolved(statement, &[]), None, "{statement}");
        }
    }

    #[test]
    fn an_object_is_not_its_own_subject() {
        for statement in [
            "SQLite always does that",
            "the parser needs it",
            "never put those into the cache",
            "always like he showed it",
        ] {
            assert_eq!(resolved(statement, &[]), None, "{statement}");
        }
        for statement in [
            "fetch the token and cache it",
            "the billing worker restarts because it leaks",
        ] {
            assert_eq!(resolved(statement, &[]).as_deref(), Some(statement));
        }
    }

    #[test]
    fn what_points_in_several_ways_is_no_statement() {
        let before = ["I read src/parse.rs and the tests."];
        for statement in [
            "it fails when they call this file from there",
            "its timeout is 30 seconds, so their requests die",
            "the scheduler drops jobs when they call this function from there",
            "never import that from here, it breaks their build",
            "we always deploy from there, never from here",
            "they must be rotated every week",
        ] {
            assert_eq!(resolved(statement, &before), None, "{statement}");
        }
        for (statement, expected) in [
            (
                "this file is generated, never edit it by hand",
                "`src/parse.rs` is generated, never edit it by hand",
            ),
            (
                "its timeout is 30 seconds",
                "`src/parse.rs`'s timeout is 30 seconds",
            ),
            (
                "never run migrations from the web container, there is no lock there",
                "never run migrations from the web container, there is no lock there",
            ),
        ] {
            assert_eq!(resolved(statement, &before).as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_explains_points_at_what_was_said() {
        let before = "The cache is shared between workers.";
        assert!(!explains(before, "They call this file from there."));
        assert!(!explains(before, "This file is older."));
        assert!(explains(before, "They lock it."));
        assert!(explains("Never edit src/a.rs.", "This file is generated."));
    }

    #[test]
    fn of_two_names_none_is_guessed() {
        let before = "`a.rs` and `b.rs` were read";
        assert_eq!(resolved("it must stay sorted", &[before]), None);
        let far = ["what did you find there?", "`a.rs` was read"];
        assert_eq!(resolved("it must stay sorted", &far), None);
    }

    #[test]
    fn among_many_names_none_is_guessed() {
        let before = "`a.rs`, `b.rs` and `c.rs` were read";
        assert_eq!(resolved("it must stay sorted", &[before]), None);
    }
}
