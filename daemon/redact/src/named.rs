//! Secrets behind the names that tell of them: `password: …`, `DB_PASS=…`, `| token | … |`, "the
//! password for the admin is …".
//!
//! Each telling word of a text is looked at by itself: what follows it is read by expressions that
//! begin at its end, so that one name before another (`Secret: password: …`) hides nothing.

mod word;

use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::{Captures, Regex};
use serde::Deserialize;

use super::rules::{BARE, By, Found, RuleError, automaton, compiled, set, whole_value};
use super::value::{
    Values, WORD_MIN_CHARS, is_call, is_code, is_id, is_odd, is_path, is_placeholder, is_word,
};

/// Between the words of a name: `api key`, `api_key`, `apiKey`.
const JOINTS: [&str; 5] = ["", " ", "_", "-", "."];

/// Shortest token, and shortest one that is the whole value of its name: a quoted one, or the rest
/// of the line.
const TOKEN_MIN_CHARS: usize = 8;
const WHOLE_TOKEN_MIN_CHARS: usize = 6;

/// Shortest secret other than a password that stands beside its name without anything between them,
/// and shortest one where that is the name of a key.
const BESIDE_MIN_CHARS: usize = 12;
const BESIDE_KEY_MIN_CHARS: usize = 6;

/// Longest number that lets somebody in.
const CODE_MAX_CHARS: usize = 10;

/// Digits of a number that makes a password of a name: `password2024`.
const NUMBERED_MIN_DIGITS: usize = 3;

/// Behind a name: an index, and quotation marks, brackets and emphasis that end with it.
const CLOSE: &str =
    r#"(?:\[["']?[\w.-]{1,40}["']?\])?(?<close>(?:\\*["'`’”»]|\*{1,3}|__|\]|\)|</?[a-z]+>)*)"#;

/// A value: in quotation marks of any kind, emphasised, or bare, behind a tag of HTML or YAML.
const VALUE: &str = concat!(
    r#"(?:<[a-z]+>|!{1,2}[a-z]+[ \t]+)?(?:\\+["'](?<escaped>[^"'\\\n]+)|[brfuBN]?"(?<double>(?:[^"\\\n]|\\.)+)|[brfuBN]?'(?<single>(?:[^'\\\n]|\\.)+)|"#,
    r#"`(?<back>[^`\n]+)|\*{2,3}(?<strong>[^*\n]+)\*{2,3}|[“«„‘](?<curly>[^”»“’\n]+){BARE})"#
);

/// A bare value behind a script without blanks, which ends where that goes on.
const BARE_ASCII: &str = r"[!#-&*-+\-./0-9=?-Z^-z~]{4,}";

/// Groups of [`VALUE`] in quotation marks, and emphasised.
const QUOTED: [&str; 6] = ["escaped", "double", "single", "back", "curly", "strong"];

/// How much a word says of what stands behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Says {
    /// A password.
    Password,
    /// A number to let somebody in.
    Code,
    /// A secret of another kind.
    Secret,
    /// A token, which parsers have as well.
    Token,
}

/// A class of telling words as the table has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NameRow {
    pub(super) name: Says,
    words: Vec<String>,
    whole_words: Vec<String>,
    pub(super) canary: String,
    pub(super) innocent: Vec<String>,
}

/// How sentences give values, as the table has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    copulas: Vec<String>,
    joined: Vec<String>,
    adverbs: Vec<String>,
    about: Vec<String>,
    phrase_copulas: Vec<String>,
}

impl Said {
    /// A phrase without quotation marks up to the end of a line or of a sentence, which is assigned
    /// or said.
    fn phrase(&self) -> String {
        let (filler, copulas, adverbs) = (
            self.filler(),
            either(&self.phrase_copulas),
            either(&self.adverbs),
        );
        format!(
            r#"\A[0-9]*(?:(?:["'`]|\*{{1,3}})*[ \t]*[:=]|(?<said>{filler}[ \t]+(?:{copulas})(?:[ \t]+(?:{adverbs}))?[ \t]*:?[ \t]))[ \t]*(?<phrase>\p{{Ll}}+(?:[ \t]+\p{{Ll}}+)+)[ \t]*(?:[.,;!)(]|\r?\n|$)"#
        )
    }

    /// Between a name and what gives its value: whose it is.
    fn filler(&self) -> String {
        let about = either(&self.about);
        format!(
            r"(?:['’]s)?(?:[ \t]*\([^()\n]{{1,40}}\))?(?:[ \t]+(?:{about})[ \t]+(?:[^\n=:;|,.]|\.[a-z0-9]){{1,60}}?)?"
        )
    }
}

/// An expression for any of these words.
fn either(words: &[String]) -> String {
    let escaped = words.iter().map(|word| regex::escape(word));
    let spaced = escaped.map(|word| word.replace(' ', r"[ \t]+"));
    spaced.collect::<Vec<_>>().join("|")
}

/// A word that tells of secrets.
#[derive(Clone, Copy, Debug)]
struct Word {
    says: Says,
    /// True if it counts only where no letter stands before it.
    is_whole: bool,
}

/// A telling word's place in a text.
#[derive(Clone, Debug)]
pub(super) struct WordIn {
    word: Word,
    pub(super) range: Range<usize>,
}

/// A way in which a value follows a name.
struct Form {
    pattern: Regex,
    way: Way,
}

/// How a value follows its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// With an operator.
    Assigned,
    /// Behind a type and an operator.
    Typed,
    /// As the next argument of a call, or the next cell of a row.
    Beside,
    /// With a verb.
    Said,
    /// In the next line.
    Below,
    /// With nothing between.
    Adjacent,
}

/// A telling name in a text.
struct Telling<'t> {
    name: &'t str,
    says: Says,
    /// The character before it.
    opened: Option<char>,
    /// True if that opens a quotation, and this a list: `["token", …`.
    is_first: bool,
}

/// The same, and what follows it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is read of a value by itself"
)]
struct Named<'t> {
    name: &'t str,
    says: Says,
    way: Way,
    /// True if the name is quoted, as in JSON.
    is_key: bool,
    /// With the blanks around it.
    operator: &'t str,
    is_quoted: bool,
    /// True if the value is quoted, or the rest of its line.
    is_whole: bool,
    /// True if nothing of a program or a sentence goes on at its end.
    is_apart: bool,
}

/// The words that names end in, and how values follow them.
pub(super) struct Names {
    spellings: Vec<String>,
    automaton: AhoCorasick,
    words: Vec<Word>,
    never: HashSet<String>,
    forms: Vec<Form>,
    phrase: Regex,
}

impl Names {
    pub(super) fn of(rows: Vec<NameRow>, never: &[String], said: &Said) -> Result<Self, RuleError> {
        let (mut spellings, mut words) = (Vec::new(), Vec::new());
        for row in rows {
            let says = row.name;
            for (class, is_whole) in [(row.words, false), (row.whole_words, true)] {
                for spelling in class.iter().flat_map(|word| spelled(word)) {
                    spellings.push(spelling);
                    words.push(Word { says, is_whole });
                }
            }
        }
        Ok(Self {
            automaton: automaton(&spellings, MatchKind::LeftmostLongest)?,
            spellings,
            words,
            never: set(never.to_vec()),
            forms: forms(said)?,
            phrase: compiled("phrase", &said.phrase(), true)?,
        })
    }

    /// The spellings of all telling words.
    pub(super) fn spellings(&self) -> impl Iterator<Item = String> {
        self.spellings.iter().cloned()
    }

    /// Those of a text's spellings that tell of a secret where they stand.
    pub(super) fn words_of(
        &self,
        text: &str,
        spellings: Vec<(usize, Range<usize>)>,
    ) -> Vec<WordIn> {
        let word_of = |(at, range): (usize, Range<usize>)| {
            let word = *self.words.get(at)?;
            let is_part = word.is_whole && !is_whole_word(text, range.start);
            let tells = !is_part && !self.is_never(name_at(text, range.clone()));
            tells.then_some(WordIn { word, range })
        };
        spellings.into_iter().filter_map(word_of).collect()
    }

    /// Finds the secrets behind the telling words of a text.
    pub(super) fn find<'r>(
        &'r self,
        text: &str,
        words: &[WordIn],
        by: By,
        values: &Values,
        found: &mut Vec<Found<'r>>,
    ) {
        for WordIn { word, range } in words {
            let name = name_at(text, range.clone());
            let before = text.get(..range.end - name.len()).unwrap_or_default();
            let opened = before.chars().next_back();
            let is_first = before
                .strip_suffix(['"', '\''])
                .is_some_and(|before| before.ends_with(['[', '(']));
            let Some(rest) = text.get(range.end..) else {
                continue;
            };
            let says = word.says;
            let telling = Telling {
                name,
                says,
                opened,
                is_first,
            };
            let value = self
                .forms
                .iter()
                .find_map(|form| form.value(rest, &telling, by, values))
                .or_else(|| self.bare_phrase(rest, says, values));
            if let Some(value) = value {
                let end = whole_value(text, range.end + value.end);
                found.push(Found::new(range.end + value.start..end, says.rule()));
            }
        }
    }

    /// Returns whether a value that is assigned to a name is one of its secrets.
    pub(super) fn tells(&self, name: &str, value: &str, by: By, values: &Values) -> bool {
        self.tells_by(Way::Assigned, name, value, by, values)
            .is_some()
    }

    /// The rule by which a cell below a name is one of its secrets.
    pub(super) fn rule_of_cell(
        &self,
        name: &str,
        cell: &str,
        by: By,
        values: &Values,
    ) -> Option<&'static str> {
        if cell.contains(char::is_whitespace) {
            return None;
        }
        let says = self.tells_by(Way::Beside, name, cell, by, values)?;
        Some(says.rule())
    }

    fn tells_by(&self, way: Way, name: &str, value: &str, by: By, values: &Values) -> Option<Says> {
        let name = name.trim();
        let last = self.automaton.find_iter(name).last()?;
        if name.len() - last.end() > trailing_digits(name) {
            return None;
        }
        let Word { says, is_whole } = *self.words.get(last.pattern().as_usize())?;
        let named = Named {
            name,
            says,
            way,
            is_key: true,
            operator: "=",
            is_quoted: true,
            is_whole: true,
            is_apart: true,
        };
        let is_told = !is_whole || is_whole_word(name, last.start());
        let is_secret = is_told && !self.is_never(name) && named.is_secret(value, by, values);
        is_secret.then_some(says)
    }

    fn is_never(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        let last = lower.rsplit('.').next().unwrap_or_default();
        self.never.contains(last)
    }

    /// Words without quotation marks behind the name of a password, up to the end of the line, or of
    /// the sentence that says them.
    fn bare_phrase(&self, rest: &str, says: Says, values: &Values) -> Option<Range<usize>> {
        if says != Says::Password {
            return None;
        }
        let captures = self.phrase.captures(rest)?;
        let phrase = captures.name("phrase")?;
        let behind = rest.get(phrase.end()..).unwrap_or_default();
        let is_last = ends_line(behind, &[' ', '\t']);
        let is_given = match captures.name("said") {
            None => is_last,
            Some(_) => values.is_no_sentence(phrase.as_str()),
        };
        (is_given && values.is_phrase(phrase.as_str(), false)).then(|| phrase.range())
    }
}

/// A word with everything that stands between its parts; in capitals as well, where these are no
/// letters of ASCII and so not found by themselves.
fn spelled(word: &str) -> Vec<String> {
    let mut spellings = vec![word.to_owned()];
    if word.contains(' ') {
        spellings = JOINTS
            .iter()
            .map(|joint| word.replace(' ', joint))
            .collect();
    }
    let first = word.chars().next().unwrap_or_default();
    if first.is_ascii() || !first.is_lowercase() {
        return spellings;
    }
    let capital = |word: &String| {
        let rest = word.get(first.len_utf8()..).unwrap_or_default();
        first.to_uppercase().chain(rest.chars()).collect()
    };
    let capitals: Vec<String> = spellings.iter().map(capital).collect();
    let upper: Vec<String> = spellings.iter().map(|word| word.to_uppercase()).collect();
    spellings.extend(capitals);
    spellings.extend(upper);
    spellings
}

/// The ways in which values follow, the more telling first.
fn forms(said: &Said) -> Result<Vec<Form>, RuleError> {
    let value_or = |bare: &str| VALUE.replace("{BARE}", &format!("|(?<bare>{bare})"));
    let (value, ascii) = (value_or(BARE), value_or(BARE_ASCII));
    let quoted = VALUE.replace("{BARE}", "");
    let filler = said.filler();
    let (copulas, joined) = (either(&said.copulas), either(&said.joined));
    let adverbs = either(&said.adverbs);
    let form_of = |way: Way, between: &str, value: &str| -> Result<Form, RuleError> {
        let pattern = format!(r"\A[0-9]*{between}{value}");
        Ok(Form {
            pattern: compiled(&format!("{way:?}"), &pattern, true)?,
            way,
        })
    };
    let form = |way: Way, between: &str| form_of(way, between, &value);
    Ok(vec![
        form(
            Way::Assigned,
            &format!(
                r"{CLOSE}{filler}\*{{0,3}}(?<operator>[ \t]*(?:=>|[:?!+|]{{0,2}}={{1,3}}>?|[:：]{{1,2}}|->|→|%3d)[ \t]*)(?:\*{{1,3}}|__)?[ \t]*"
            ),
        )?,
        form(
            Way::Typed,
            &format!(
                r"{CLOSE}(?<operator>[ \t]*:[ \t]*&?(?:'[a-z]+[ \t]+)?[a-z_][a-z0-9_<>\[\]. ?]{{0,40}}=[ \t]*|[ \t]+string[ \t]*=[ \t]*)"
            ),
        )?,
        // What stands in for a variable that is not set.
        form_of(
            Way::Beside,
            &format!(
                r"{CLOSE}(?<operator>[ \t]*(?:\|\||\?\?|\?:|\bor\b|\{{|\.unwrap_or(?:_else)?\((?:\|_?\|)?)[ \t]*)"
            ),
            &quoted,
        )?,
        form(
            Way::Beside,
            &format!(
                r"{CLOSE}(?<operator>[ \t]*,[ \t]*|[ \t]*\|[ \t]*|[ \t]*\([ \t]*|[ \t]*\[[ \t]*|\t+)"
            ),
        )?,
        form(
            Way::Said,
            &format!(
                r"{CLOSE}{filler}(?<operator>[ \t]+(?:{copulas})(?:[ \t]+(?:{adverbs}))?[ \t]*:?[ \t]+)"
            ),
        )?,
        form_of(
            Way::Said,
            &format!(r"{CLOSE}(?<operator>[ \t]*(?:{joined})[ \t]*[:：]?[ \t]*)"),
            &ascii,
        )?,
        form(
            Way::Below,
            &format!(
                r"{CLOSE}(?<operator>[ \t]*[:：=]?\*{{0,3}}[ \t]*(?:[|>][+-]?)?[ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t]*(?:[-*][ \t]+|```[a-z]*\r?\n[ \t]*)?)"
            ),
        )?,
        form(
            Way::Adjacent,
            &format!(r"(?:['’]s)?{CLOSE}(?<operator>[ \t]+)"),
        )?,
    ])
}

impl Says {
    pub(super) const ALL: [Self; 4] = [Self::Password, Self::Code, Self::Secret, Self::Token];

    /// The rule's name, as the table has it.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Code => "code",
            Self::Secret => "secret",
            Self::Token => "token",
        }
    }
}

impl Form {
    /// The secret that follows a name in this way.
    fn value(
        &self,
        rest: &str,
        telling: &Telling<'_>,
        by: By,
        values: &Values,
    ) -> Option<Range<usize>> {
        let Telling {
            name,
            says,
            opened,
            is_first,
        } = *telling;
        let captures = self.pattern.captures(rest)?;
        let quoted = QUOTED.iter().find_map(|group| captures.name(group));
        let value = quoted.or_else(|| captures.name("bare"))?;
        let close = group(&captures, "close");
        let operator = group(&captures, "operator");
        let behind = rest.get(value.end()..).unwrap_or_default();
        let is_line = ends_line(behind, &[' ', '`']);
        // A quotation that ends in the name is no key, and in backquotes is what a sentence is about.
        let is_key =
            opened.is_some_and(|opened| matches!(opened, '"' | '\'') && close.ends_with(opened));
        // A list of nothing but a name and a value.
        let is_pair = is_first
            && is_key
            && quoted.is_some()
            && operator.trim() == ","
            && behind
                .trim_start_matches(['"', '\'', ' '])
                .starts_with([']', ')']);
        let mut named = Named {
            name,
            says,
            way: if is_pair { Way::Assigned } else { self.way },
            is_key,
            operator,
            is_quoted: quoted.is_some(),
            is_whole: is_line || quoted.is_some(),
            is_apart: quoted.is_some(),
        };
        named.is_apart |= named.is_apart_from(behind, opened) && !close.contains([')', ']']);
        let is_one = |value: &str| named.is_secret(value, by, values);
        let is_in_address = matches!(opened, Some('?' | '&'));
        let longer = || {
            let end = whole_value(rest, value.end());
            let is_longer = quoted.is_none() && end > value.end() && !is_in_address;
            is_longer && rest.get(value.start()..end).is_some_and(is_one)
        };
        let is_secret = (is_one(value.as_str()) || longer()) && (self.way != Way::Below || is_line);
        is_secret.then(|| value.range())
    }
}

/// Returns whether nothing but these characters stands before the next line.
fn ends_line(behind: &str, skipped: &[char]) -> bool {
    behind.trim_start_matches(skipped).starts_with(['\r', '\n']) || behind.trim().is_empty()
}

fn group<'t>(captures: &Captures<'t>, name: &str) -> &'t str {
    captures.name(name).map_or("", |found| found.as_str())
}

impl Named<'_> {
    fn is_secret(&self, value: &str, by: By, values: &Values) -> bool {
        let is_short = value.chars().count() < WORD_MIN_CHARS;
        if is_short
            || is_placeholder(value)
            || values.is_no_value(value)
            || is_path(value)
            || value.eq_ignore_ascii_case(self.name)
        {
            return false;
        }
        if value.contains(char::is_whitespace) {
            // A sentence about it, or a phrase.
            let is_given = matches!(self.way, Way::Assigned | Way::Typed) && self.is_quoted;
            return is_given && self.says == Says::Password && values.is_phrase(value, true);
        }
        let gives_word = is_word(value) && self.gives_word(value, values);
        let is_plain_word =
            || by == By::Author && (values.is_known(value) || is_word(value) && !gives_word);
        let is_one = gives_word && by == By::Author
            || match self.way {
                Way::Assigned | Way::Typed => self.is_assigned_secret(value, values),
                Way::Said | Way::Beside | Way::Below | Way::Adjacent => {
                    self.is_told_secret(value, values)
                }
            };
        is_one && !is_plain_word() && !self.is_reference(value, values)
    }

    fn is_assigned_secret(&self, value: &str, values: &Values) -> bool {
        let is_number = value.chars().all(|next| next.is_ascii_digit());
        if self.says == Says::Code {
            return is_number && value.len() <= CODE_MAX_CHARS;
        }
        if is_number && self.is_mere_token() {
            return false;
        }
        if self.is_variable() {
            return !is_call(value);
        }
        let is_assigned = self.operator == "=" || self.is_quoted || self.is_key;
        if self.is_mere_token() {
            let min = if self.is_whole {
                WHOLE_TOKEN_MIN_CHARS
            } else {
                TOKEN_MIN_CHARS
            };
            return Values::is_mixed(value)
                && !values.is_method(value)
                && (is_assigned || !is_id(value))
                && value.chars().count() >= min;
        }
        let is_password = self.says == Says::Password
            && self.name.len() > WORD_MIN_CHARS
            && (is_number || is_odd(value));
        (Values::is_mixed(value) && !values.is_method(value))
            || is_password
            || (self.says == Says::Password && is_odd(value))
            || (is_assigned && !is_code(value))
    }

    fn is_told_secret(&self, value: &str, values: &Values) -> bool {
        let chars = value.chars().count();
        if self.says == Says::Code {
            let is_number = value
                .trim_end_matches('.')
                .chars()
                .all(|next| next.is_ascii_digit());
            return self.way == Way::Said && is_number && chars <= CODE_MAX_CHARS;
        }
        let is_password = self.says == Says::Password;
        if self.way == Way::Adjacent && self.name.eq_ignore_ascii_case("pass") {
            return false;
        }
        let min = match self.way {
            _ if is_password => WORD_MIN_CHARS,
            Way::Adjacent if self.is_of_key() => BESIDE_KEY_MIN_CHARS,
            Way::Adjacent | Way::Beside => BESIDE_MIN_CHARS,
            _ if self.is_mere_token() => TOKEN_MIN_CHARS,
            Way::Assigned | Way::Typed | Way::Said | Way::Below => WORD_MIN_CHARS,
        };
        if chars < min {
            return false;
        }
        let is_odd = is_password && is_odd(value) && (self.way != Way::Adjacent || self.is_quoted);
        (values.is_said(value) && !is_id(value)) || is_odd
    }

    /// Returns whether the value is the name of something that holds a secret: `password1`,
    /// `db-credentials-v2`.
    fn is_reference(&self, value: &str, values: &Values) -> bool {
        let digits = value.bytes().rev().take_while(u8::is_ascii_digit).count();
        let stem = value
            .get(..value.len() - digits)
            .unwrap_or(value)
            .trim_end_matches(['_', '-']);
        let lower = stem.to_lowercase();
        let is_name = |part: &str| {
            values.is_no_value(part) || matches!(part, "credentials" | "creds" | "pwd" | "pass")
        };
        if is_name(&lower) || lower.split('_').next_back().is_some_and(is_name) {
            return digits < NUMBERED_MIN_DIGITS && !self.is_quoted;
        }
        let parts: Vec<&str> = value.split(['-', '_']).collect();
        let is_plain = |part: &&str| {
            let part = part.trim_start_matches('v');
            part.bytes().all(|byte| byte.is_ascii_digit())
                || part.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        let names_one = parts
            .iter()
            .any(|part| is_name(part) || matches!(*part, "key" | "secrets" | "tokens" | "auth"));
        self.says != Says::Password && parts.len() > 1 && names_one && parts.iter().all(is_plain)
    }

    /// Returns whether the name is that of a key: `api key`, `apikey`.
    fn is_of_key(&self) -> bool {
        self.says == Says::Secret && self.name.to_lowercase().ends_with("key")
    }

    /// Returns whether the name says no more than that it is a token, which parsers have as well, or
    /// about letting somebody in.
    fn is_mere_token(&self) -> bool {
        let lower = self.name.to_lowercase();
        if lower.ends_with("auth") {
            return true;
        }
        let says_more = [
            "auth", "access", "api", "refresh", "bearer", "session", "secret", "private", "csrf",
            "password",
        ];
        self.says == Says::Token && !says_more.iter().any(|word| lower.contains(word))
    }

    /// Returns whether it is written as a variable of the environment is.
    fn is_variable(&self) -> bool {
        self.operator == "=" && !self.name.chars().any(|next| next.is_ascii_lowercase())
    }
}

/// The whole name that ends in a word.
fn name_at(text: &str, word: Range<usize>) -> &str {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let before = bytes
        .get(..word.start)
        .unwrap_or_default()
        .iter()
        .rev()
        .take_while(|byte| is_part(byte))
        .count();
    text.get(word.start - before..word.end).unwrap_or_default()
}

/// Returns whether no letter stands before a word, or a hump does: `dbPass`.
fn is_whole_word(text: &str, start: usize) -> bool {
    let before = text
        .get(..start)
        .and_then(|before| before.chars().next_back());
    let is_hump = || {
        text.get(start..)
            .is_some_and(|word| word.starts_with(|first: char| first.is_ascii_uppercase()))
    };
    before.is_none_or(|before| {
        !before.is_alphanumeric() || (before.is_ascii_lowercase() && is_hump())
    })
}

fn trailing_digits(name: &str) -> usize {
    name.bytes().rev().take_while(u8::is_ascii_digit).count()
}
