//! Values that went through the redaction, by type.

use std::collections::BTreeMap;
use std::ops::Deref;

use prost::Message;

use super::private::without;
use super::{redact_attributes, redact_prose, redacted};

/// Takes the secrets out of the texts of a value, and counts them.
#[derive(Debug, Default)]
pub struct Secrets {
    count: usize,
    /// Those of them that their author marked as private.
    private: usize,
}

impl Secrets {
    /// How many were taken out so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Says what was taken out, and what to give instead; `None` where nothing was.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let private = "what you marked as private";
        let secrets = match self.count - self.private {
            0 if self.private == 0 => return None,
            0 => {
                return Some(format!(
                    "{private} was taken out: [redacted:private] stands there"
                ));
            }
            1 => "a secret was".to_owned(),
            count => format!("{count} secrets were"),
        };
        let and_private = match self.private {
            0 => String::new(),
            _ => format!(", and {private}"),
        };
        Some(format!(
            "{secrets} taken out{and_private}: [redacted:…] stands there; write down where it is kept, not what it is"
        ))
    }

    /// Of what somebody wrote down.
    pub fn written(&mut self, text: &mut String) {
        self.private += private_parts(text);
        self.count += redact_prose(text);
    }

    /// Of what programs take or say, and of names that they give.
    pub fn said(&mut self, text: &mut String) {
        if let std::borrow::Cow::Owned(plain) = redacted(text) {
            *text = plain;
            self.count += 1;
        }
    }

    /// Of a list of what somebody wrote down.
    pub fn all_written<'t>(&mut self, texts: impl IntoIterator<Item = &'t mut String>) {
        texts.into_iter().for_each(|text| self.written(text));
    }

    /// Of a list of what programs say.
    pub fn all_said<'t>(&mut self, texts: impl IntoIterator<Item = &'t mut String>) {
        texts.into_iter().for_each(|text| self.said(text));
    }

    /// Of values under names.
    pub fn attributes(&mut self, attributes: &mut BTreeMap<String, String>) {
        let values = attributes.values().map(|value| private_parts(value));
        self.private += values.sum::<usize>();
        self.count += redact_attributes(attributes);
    }
}

fn private_parts(text: &str) -> usize {
    without(text).map_or(0, |(_, parts)| parts)
}

/// A value whose texts may hold secrets. It names each of its fields, so that one that is new is
/// not forgotten.
pub trait Redact {
    /// Hands every text to `secrets`.
    fn redact(&mut self, secrets: &mut Secrets);
}

/// A value without secrets. Only the redaction makes one of what comes from outside; what is stored
/// is made of these alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Redacted<T>(T);

impl<T: Redact> Redacted<T> {
    /// Takes the secrets out of a value and counts them.
    pub fn of(mut value: T, secrets: &mut Secrets) -> Self {
        value.redact(secrets);
        Self(value)
    }
}

impl<T> Redacted<T> {
    /// Returns the value.
    pub fn into_inner(self) -> T {
        self.0
    }

    /// Makes another value out of this one alone: a function that captures nothing brings no secret
    /// back.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn try_map<U, E>(self, make: fn(T) -> Result<U, E>) -> Result<Redacted<U>, E> {
        make(self.0).map(Redacted)
    }
}

impl<T> Deref for Redacted<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Redact> From<T> for Redacted<T> {
    /// Takes the secrets out without counting them.
    fn from(value: T) -> Self {
        Self::of(value, &mut Secrets::default())
    }
}

impl<T: PartialEq> PartialEq<T> for Redacted<T> {
    fn eq(&self, other: &T) -> bool {
        self.0 == *other
    }
}

impl<T: std::fmt::Display> std::fmt::Display for Redacted<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A state as it is persisted, which the store does not look into. The default, of no bytes,
/// removes what is there.
pub type State = Redacted<Vec<u8>>;

impl State {
    /// Writes a message without its secrets.
    pub fn of_message(message: impl Message + Redact) -> Self {
        Self(Redacted::from(message).0.encode_to_vec())
    }

    /// Numbers, which hold none.
    #[must_use]
    pub fn of_numbers<const N: usize>(numbers: [u8; N]) -> Self {
        Self(numbers.to_vec())
    }
}

impl Redact for String {
    fn redact(&mut self, secrets: &mut Secrets) {
        secrets.written(self);
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn redact(&mut self, secrets: &mut Secrets) {
        for one in self.iter_mut() {
            one.redact(secrets);
        }
    }
}

impl<T: Redact> Redact for Box<T> {
    fn redact(&mut self, secrets: &mut Secrets) {
        self.as_mut().redact(secrets);
    }
}

impl<T: Redact> Redact for Option<T> {
    fn redact(&mut self, secrets: &mut Secrets) {
        for one in self.iter_mut() {
            one.redact(secrets);
        }
    }
}

impl Redact for BTreeMap<String, String> {
    fn redact(&mut self, secrets: &mut Secrets) {
        secrets.attributes(self);
    }
}
