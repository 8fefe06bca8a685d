//! Takes out of a text what is surely a secret, before it is kept or shown: keys and tokens by
//! their shapes, private keys, and what stands where passwords stand: behind a telling name, in an
//! address, in a header, behind an option.
//!
//! What nobody named and has no known shape stays, as do hashes, ids and paths: they are what a
//! mistake is known by. A text that went through this once stays as it is. What people write down
//! is read more carefully than what programs say: it talks of passwords more often than it gives
//! them.
//!
//! What is stored can only be made from [`Redacted`] values, which only this makes: a field that is
//! kept and was forgotten here does not compile.

mod columns;
mod kept;
mod named;
mod rules;
mod value;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use self::kept::{Redact, Redacted, Secrets, State};
pub use self::rules::RuleError;
use self::rules::{By, rules};

/// What stands for a secret.
pub const REDACTED: &str = "[redacted]";

/// Compiles every rule. Nothing may be served before this: without its rules redaction takes every
/// text for a secret.
///
/// # Errors
/// [`RuleError`] names the rule that cannot be used.
pub fn check() -> Result<(), &'static RuleError> {
    rules().map(|_| ())
}

/// What programs take or say, with [`REDACTED`] in the place of everything that is surely a secret.
#[must_use]
pub fn redacted(text: &str) -> Cow<'_, str> {
    match without_secrets(text, By::Program) {
        Some((text, _)) => Cow::Owned(text),
        None => Cow::Borrowed(text),
    }
}

/// Puts [`REDACTED`] in the place of everything in what somebody wrote down that is surely a
/// secret; returns how many there were.
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

/// Says that secrets were taken out of what somebody gave, and what to give instead; `None` when
/// there were none.
#[must_use]
pub fn redaction_note(count: usize) -> Option<String> {
    let what = match count {
        0 => return None,
        1 => "a secret was".to_owned(),
        count => format!("{count} secrets were"),
    };
    Some(format!(
        "{what} taken out: {REDACTED} stands there; write down where it is kept, not what it is"
    ))
}

/// The text without its secrets, and how many there were; `None` when there are none. Without rules
/// all of it is taken for one.
fn without_secrets(text: &str, by: By) -> Option<(String, usize)> {
    let Ok(rules) = rules() else {
        return (!text.is_empty()).then(|| (REDACTED.to_owned(), 1));
    };
    let secrets = rules.secrets(text, by);
    if secrets.is_empty() {
        return None;
    }
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for secret in &secrets {
        kept.push_str(text.get(from..secret.start)?);
        kept.push_str(REDACTED);
        from = secret.end;
    }
    kept.push_str(text.get(from..)?);
    Some((kept, secrets.len()))
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod sets_tests;
