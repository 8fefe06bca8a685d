//! What becomes of a container that held only what was taken out.

use jsonc_parser::cst::{CstInputValue, CstObjectProp};
use serde_json::Value;

use super::document::Document;
use super::error::WiringError;

/// What stood at a place in the original file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing: the container is ours and goes.
    Absent,
    /// Null, which comes back.
    Null,
    /// A container, which stays, empty as it was.
    Present,
}

impl Before {
    /// Looks up a path of keys; an unknown original counts as an empty one.
    pub(super) fn of(original: Option<&Value>, keys: &[&str]) -> Self {
        match original.and_then(|root| keys.iter().try_fold(root, |value, key| value.get(key))) {
            None => Self::Absent,
            Some(Value::Null) => Self::Null,
            Some(_) => Self::Present,
        }
    }
}

/// Brings an emptied member back to what it was.
pub(super) fn prune(document: &mut Document, emptied: CstObjectProp, before: Before) -> Result<(), WiringError> {
    match before {
        Before::Absent => document.remove(&emptied.into())?,
        Before::Null => emptied.set_value(CstInputValue::Null),
        Before::Present => {}
    }
    Ok(())
}
