//! A call's arguments: the form that a tool's type gives them, and the values that models write.
//!
//! A tool's parameters are one type with `Deserialize` and `JsonSchema`. Its fields are what a call
//! may say, and their comments are what the model reads about them.

mod actions;
mod fields;
mod form;
mod value;

pub(crate) use form::{Form, Parameters};
pub(crate) use value::{
    Choice, Document, Flag, Fraction, Given, Handles, Index, Parts, Steps, Text, Whole, Words,
};

/// Most characters of a wrong value that an error repeats.
const SHOWN_MAX_CHARS: usize = 40;

/// Why a call's arguments cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    /// Not an argument of this tool.
    #[error("unknown argument {unknown}; {tool} takes: {known}")]
    Unknown {
        /// The tool.
        tool: &'static str,
        /// The value that was given.
        unknown: String,
        /// The names that exist.
        known: String,
    },
    /// Not given.
    #[error("{0}: required; give it and call again")]
    Missing(String),
    /// No action, and the tool has none by default.
    #[error("action: required; give one of {0}")]
    NoAction(String),
    /// Not given, and this action needs it.
    #[error("action={action} needs {name}; give it and call again")]
    MissingFor {
        /// The action.
        action: String,
        /// What it needs.
        name: String,
    },
    /// This action has no use for it.
    #[error("action={action} does not take {unexpected}{elsewhere}; it takes {known}")]
    NotFor {
        /// The action.
        action: String,
        /// The value that was given.
        unexpected: String,
        /// Which actions take it: `, which action=entries|xref takes`.
        elsewhere: String,
        /// What it takes.
        known: String,
    },
    /// Two arguments that say the same thing differently.
    #[error("{one} and {other} both say which memory is meant; give one of them")]
    Together {
        /// The first.
        one: &'static str,
        /// The second.
        other: &'static str,
    },
    /// Too many or too much.
    #[error("{name}: {got} are more than the limit of {limit}; split the call")]
    TooMany {
        /// The argument.
        name: &'static str,
        /// The value that was given.
        got: usize,
        /// What is allowed.
        limit: usize,
    },
    /// Not what it should be; the text names the argument.
    #[error("{0}")]
    Wrong(String),
}

impl ArgumentError {
    /// An error about the value of an argument, given as JSON.
    pub(crate) fn wrong(name: &str, expected: &str, got: &str) -> Self {
        Self::Wrong(format!("{name}: expected {expected}, got {}", shown(got)))
    }

    /// An action that lacks an argument.
    pub(crate) fn missing_for(action: &str, name: &str) -> Self {
        Self::MissingFor {
            action: action.to_owned(),
            name: name.to_owned(),
        }
    }
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_MAX_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
