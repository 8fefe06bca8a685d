//! Takes out of a text what is surely a secret, before it is kept or shown: keys and tokens by
//! their shapes, private keys, and what stands where passwords stand: behind a telling name, in an
//! address, in a header, behind an option.
//!
//! Before anything else goes what an author put between `<private>` and `</private>`.
//!
//! What nobody named and has no known shape stays, as do hashes, ids and paths: they are what a
//! mistake is known by. A text that went through this once stays as it is. What people write down
//! is read more carefully than what programs say: it talks of passwords more often than it gives
//! them.
//!
//! What stands for a secret names the rule that found it: `[redacted:github-token]`.
//!
//! What is stored can only be made from [`Redacted`] values, which only this makes: a field that is
//! kept and was forgotten here does not compile.
//!
//! # Example
//!
//! ```
//! use helix_redact::{redact_prose, redacted};
//!
//! let token = format!("ghp_{}", "a1B2".repeat(9));
//! let mut text = format!("CI pushes with {token}; the runner is called atlas.");
//! assert_eq!(redact_prose(&mut text), 1);
//! assert_eq!(text, "CI pushes with [redacted:github-token]; the runner is called atlas.");
//!
//! // A hash is no secret.
//! let line = "fixed in 9f2c1e7d0b6a4853";
//! assert_eq!(redacted(line), line);
//! ```

mod cleared;
mod columns;
mod entropy;
mod kept;
mod lists;
mod named;
mod private;
mod rules;
mod unseen;
mod value;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;

pub use self::cleared::Cleared;
pub use self::entropy::Entropy;
pub use self::kept::{Redact, Redacted, Secrets, State};
pub use self::private::Public;
use self::rules::{By, rules};
pub use self::rules::{RuleError, Specimen, specimens};

/// Placeholder for everything while there are no rules; it stood for a secret before the rules were
/// named.
const REDACTED: &str = "[redacted]";

/// How what stands for a secret begins, before the name of a rule and a bracket. It has no blank,
/// so that it is one word of a command.
const PLACEHOLDER_START: &str = "[redacted:";

/// The name of what takes out private parts.
const RULE_OF_PRIVATE: &str = "private";

/// Returns the placeholder for a secret that a rule found.
fn placeholder(rule: &str) -> String {
    format!("{PLACEHOLDER_START}{rule}]")
}

/// Finds the placeholders in a text that went through redaction, in their order.
#[must_use]
pub fn placeholders(text: &str) -> Vec<Range<usize>> {
    let start = REDACTED.trim_end_matches(']');
    let end = |at: usize| Some(at + text.get(at..)?.find(']')? + 1);
    let found = text.match_indices(start);
    found
        .filter_map(|(at, _)| Some(at..end(at)?))
        .filter(|found| is_placeholder(text.get(found.clone()).unwrap_or_default()))
        .collect()
}

fn is_placeholder(word: &str) -> bool {
    let rule = word.strip_prefix(PLACEHOLDER_START);
    let rule = rule.and_then(|rule| rule.strip_suffix(']'));
    word == REDACTED
        || rule.is_some_and(|rule| rule.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
}

/// Compiles every rule. Nothing may be served before this: without its rules redaction takes every
/// text for a secret.
///
/// # Errors
/// [`RuleError`] names the rule that cannot be used.
pub fn check() -> Result<(), &'static RuleError> {
    rules().map(|_| ())
}

/// Returns a program's text with a placeholder for everything that is surely a secret.
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    match without_secrets(text, By::Program) {
        Some((text, _)) => Cow::Owned(text),
        None => Cow::Borrowed(text),
    }
}

/// Puts a placeholder for everything in what somebody wrote down that is surely a secret; returns
/// how many there were.
pub fn redact_prose(text: &mut String) -> usize {
    match without_secrets(text, By::Author) {
        Some((changed, count)) => {
            *text = changed;
            count
        }
        None => 0,
    }
}

/// As [`redact_prose`], of what stands under names, which tell secrets as well, and of the names.
pub fn redact_attributes(attributes: &mut BTreeMap<String, String>) -> usize {
    let mut count = 0;
    for (name, value) in attributes.iter_mut() {
        let start = format!("{name}=");
        let mut line = format!("{start}{value}");
        let found = redact_prose(&mut line);
        if found > 0 {
            let mut alone = std::mem::take(value);
            redact_prose(&mut alone);
            *value = line.strip_prefix(&start).map_or(alone, str::to_owned);
            count += found;
        }
    }
    // Counted above, with their values.
    let without =
        |name: &String| without_secrets(name, By::Author).map(|(plain, _)| (name.clone(), plain));
    let names: Vec<(String, String)> = attributes.keys().filter_map(without).collect();
    for (name, plain) in names {
        let value = attributes.remove(&name).unwrap_or_default();
        attributes.insert(plain, value);
    }
    count
}

thread_local! {
    /// Texts without private parts and secrets.
    static OF_PROGRAMS: RefCell<Cleared> = RefCell::default();
    static OF_AUTHORS: RefCell<Cleared> = RefCell::default();
}

/// The text without private parts and secrets, and how many there were; `None` when there are none.
fn without_secrets(text: &str, by: By) -> Option<(String, usize)> {
    let cleared = match by {
        By::Program => &OF_PROGRAMS,
        By::Author => &OF_AUTHORS,
    };
    if cleared.with_borrow(|cleared| cleared.has(text)) {
        return None;
    }
    let found = look_for_secrets(text, by);
    if found.is_none() {
        cleared.with_borrow_mut(|cleared| cleared.add(text));
    }
    found
}

fn look_for_secrets(text: &str, by: By) -> Option<(String, usize)> {
    match private::without(text) {
        None => without_known_secrets(text, by),
        Some((public, parts)) => match without_known_secrets(&public, by) {
            None => Some((public, parts)),
            Some((kept, secrets)) => Some((kept, parts + secrets)),
        },
    }
}

/// The text without what the rules find, and how many there were. Without rules all of it is taken
/// for a secret.
fn without_known_secrets(text: &str, by: By) -> Option<(String, usize)> {
    let Ok(rules) = rules() else {
        return (!text.is_empty()).then(|| (REDACTED.to_owned(), 1));
    };
    let secrets = rules.secrets(text, by, Entropy::of_process());
    if secrets.is_empty() {
        return None;
    }
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for secret in &secrets {
        kept.push_str(text.get(from..secret.range.start)?);
        kept.push_str(&placeholder(secret.rule));
        from = secret.range.end;
    }
    kept.push_str(text.get(from..)?);
    Some((kept, secrets.len()))
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod sets_tests;
