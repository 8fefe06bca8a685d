//! Places where a secret stands, and what decides whether the value there is one.

use std::ops::Range;

use regex::{Captures, Regex};
use serde::Deserialize;

use super::found::Found;
use super::{By, RuleError, compiled};
use crate::named::{Names, WordIn};
use crate::value::{
    Values, is_file, is_id, is_odd, is_pair, is_path, is_placeholder, is_port, is_word,
};

/// A value without quotation marks, first character and then. A bracket, which begins what stands
/// for a secret, does not begin one.
pub(crate) const BARE: &str = r#"[^\s'"`,;&|<>()\[\]{}$%*\\-][^\s'"`,;&|<>()\[\]{}\\]*"#;

/// Entities of HTML, which stand for the end of a value.
const ENTITIES: [&str; 8] = ["amp", "quot", "apos", "lt", "gt", "nbsp", "#39", "#34"];

/// Groups that hold secrets.
const SECRETS: [&str; 4] = ["secret", "secret2", "secret3", "token"];

/// A place as the table has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceRow {
    pub(super) name: String,
    pub(super) keys: Vec<String>,
    said: Judge,
    written: Judge,
    /// The pattern is tried only where a telling name stands as well.
    #[serde(default)]
    beside_name: bool,
    /// The pattern is tried only in the lines that have a key, and does not go beyond one.
    #[serde(default)]
    one_line: bool,
    pattern: String,
    pub(super) canary: String,
    pub(super) innocent: Vec<String>,
}

/// The file of places.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlacesTable {
    pub(super) places: Vec<PlaceRow>,
}

/// Decides whether a value in a secret's usual place is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Judge {
    /// Everything is one.
    Any,
    /// The placeholder of no other value.
    Given,
    /// The same, and is neither a word nor what everybody knows.
    Told,
    /// The same, and may be a word.
    Unknown,
    /// Letters and digits.
    Mixed,
    /// Many of them.
    Long,
    /// Base64 of a user and a password.
    Pair,
    /// The password or the token of an address.
    Address,
    /// The same, and not one that everybody knows.
    TellingAddress,
    /// Told by the group `name`.
    Named,
    /// The same, in an element of XML.
    Element,
    /// Letters and digits before the word that says what they are.
    Inverse,
    /// The second of a pair: `admin/hunter2`.
    Second,
    /// A word that says nothing of a password.
    Spoken,
}

/// A compiled place.
pub(super) struct Place {
    name: String,
    pattern: Regex,
    said: Judge,
    written: Judge,
    is_beside_name: bool,
    is_of_line: bool,
}

/// The context by which a place's values are judged.
#[derive(Clone, Copy)]
pub(super) struct Context<'r> {
    pub(super) names: &'r Names,
    pub(super) values: &'r Values,
    pub(super) by: By,
}

impl Place {
    pub(super) fn of(row: PlaceRow) -> Result<Self, RuleError> {
        let pattern = compiled(&row.name, &row.pattern.replace("{BARE}", BARE), true)?;
        let has_secret = pattern
            .capture_names()
            .flatten()
            .any(|name| SECRETS.contains(&name));
        if !has_secret {
            return Err(RuleError::Useless {
                rule: row.name,
                lacks: "group for the secret",
            });
        }
        Ok(Self {
            name: row.name,
            pattern,
            said: row.said,
            written: row.written,
            is_beside_name: row.beside_name,
            is_of_line: row.one_line,
        })
    }

    /// Finds the values at this place that are secrets, in a text with these keys of it, in their
    /// order, and these telling words.
    pub(super) fn find<'r>(
        &'r self,
        text: &str,
        keys: impl Iterator<Item = usize>,
        words: &[WordIn],
        context: Context<'_>,
        found: &mut Vec<Found<'r>>,
    ) {
        let is_tried = |part: &Range<usize>| {
            let is_within = |word: &WordIn| part.contains(&word.range.start);
            !self.is_beside_name || words.iter().any(is_within)
        };
        let mut end = 0;
        for key in keys {
            let part = if self.is_of_line {
                line_at(text, key)
            } else {
                0..text.len()
            };
            if part.end > end && is_tried(&part) {
                self.find_in(text, part.clone(), context, found);
            }
            end = end.max(part.end);
        }
    }

    /// The same in a part of a text.
    fn find_in<'r>(
        &'r self,
        text: &str,
        part: Range<usize>,
        context: Context<'_>,
        found: &mut Vec<Found<'r>>,
    ) {
        let start = part.start;
        let Some(text) = text.get(part) else { return };
        let judge = match context.by {
            By::Program => self.said,
            By::Author => self.written,
        };
        let mut from = 0;
        while let Some(captures) = self.pattern.captures_at(text, from) {
            let Some(whole) = captures.get(0) else { return };
            let before = found.len();
            let mut first = whole.end();
            for secret in SECRETS.iter().filter_map(|group| captures.name(group)) {
                first = first.min(secret.start());
                let end = whole_value(text, secret.end());
                // The end of a parameter of an address may be a part of a password elsewhere.
                let longer = (end > secret.end() && !whole.as_str().starts_with(['?', '&']))
                    .then(|| text.get(secret.start()..end))
                    .flatten();
                let is_one = |value: &str| judge.is_secret(&captures, value, context);
                if is_one(secret.as_str()) || longer.is_some_and(is_one) {
                    found.push(Found::new(start + secret.start()..start + end, &self.name));
                }
            }
            // A value that was passed over may stand before another one.
            let next = if found.len() > before {
                whole.end()
            } else {
                first
            };
            from = text.ceil_char_boundary(next.max(whole.start() + 1));
            if from > text.len() {
                return;
            }
        }
    }
}

/// The line with a byte, and its end.
pub(crate) fn line_at(text: &str, at: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let before = bytes.get(..at).unwrap_or_default();
    let behind = bytes.get(at..).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let end = memchr::memchr(b'\n', behind).map_or(bytes.len(), |newline| at + newline + 1);
    start..end
}

impl Judge {
    fn is_secret(self, captures: &Captures<'_>, secret: &str, context: Context<'_>) -> bool {
        let Context { names, values, by } = context;
        let group = |name: &str| captures.name(name).map_or("", |found| found.as_str());
        match self {
            Self::Any => true,
            Self::Given => !is_placeholder(secret),
            Self::Told => is_told(secret, values),
            Self::Unknown => !is_placeholder(secret) && !values.is_known(secret),
            Self::Mixed => Values::is_mixed(secret) && !values.is_method(secret),
            Self::Long => Values::is_long(secret),
            Self::Pair => is_pair(secret),
            Self::Address | Self::TellingAddress => {
                let is_one = match captures.name("token") {
                    Some(token) => Values::is_long(token.as_str()),
                    None => !is_placeholder(secret),
                };
                let is_everybodys = secret == group("user") || values.is_known(secret);
                is_one && (self == Self::Address || !is_everybodys)
            }
            Self::Named => names.tells(group("name"), secret, by, values),
            Self::Element => {
                is_told(secret, values) && names.tells(group("name"), secret, by, values)
            }
            Self::Inverse => values.is_said(secret) && !is_id(secret),
            Self::Spoken => !is_placeholder(secret) && !values.stands_in(secret),
            Self::Second => values.is_said(secret) && !is_file(secret) && !is_id(secret),
        }
    }
}

fn is_told(secret: &str, values: &Values) -> bool {
    !is_placeholder(secret) && !is_word(secret) && !values.is_known(secret) && !is_port(secret)
}

/// Where a value ends that a pattern found up to `end`: an `&` belongs to it unless a further
/// parameter or an entity of HTML follows, and a `;` before what only a password looks like.
pub(crate) fn whole_value(text: &str, mut end: usize) -> usize {
    while let Some(rest) = text.get(end..)
        && let Some(part) = part_of_value(rest)
    {
        end += part.len();
    }
    end
}

/// The next part of a value, with the character before it that ends values elsewhere.
fn part_of_value(rest: &str) -> Option<&str> {
    let inner = rest.strip_prefix(['&', ';'])?;
    let length = inner.find([
        ' ', '\t', '\r', '\n', '"', '\'', '`', '<', '>', '|', ',', ';', ')', ']', '}',
    ]);
    let length = length.unwrap_or(inner.len());
    let (part, behind) = inner.split_at_checked(length)?;
    let is_more = !part.is_empty() && !part.starts_with(['&', '[']) && !part.contains('=');
    let belongs = if rest.starts_with('&') {
        !(behind.starts_with(';') && ENTITIES.contains(&part))
    } else {
        let is_last = !behind.starts_with([' ', '\t']);
        let has_upper = part.contains(|next: char| next.is_uppercase());
        !is_path(part)
            && !part.contains(['$', '{', '(', '&'])
            && (Values::is_mixed(part) && (has_upper || is_last) || is_odd(part))
    };
    (is_more && belongs)
        .then(|| rest.get(..1 + length))
        .flatten()
}
