//! What becomes of a container that held only what was taken out.

use jsonc_parser::cst::{CstInputValue, CstNode, CstObjectProp};
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

/// Brings an emptied container back to what it was. One that somebody has written a comment into meanwhile stays with it.
pub(super) fn prune(document: &mut Document, emptied: CstObjectProp, before: Before) -> Result<(), WiringError> {
    if emptied.value().is_some_and(|container| is_commented(&container)) {
        return Ok(());
    }
    restore(document, emptied, before)
}

/// Whether a comment stands in a container, and not within one of its parts.
pub(super) fn is_commented(container: &CstNode) -> bool {
    container.children().iter().any(CstNode::is_comment)
}

/// Brings a member back to what it was.
pub(super) fn restore(document: &mut Document, member: CstObjectProp, before: Before) -> Result<(), WiringError> {
    match before {
        Before::Absent => document.remove(&member.into())?,
        Before::Null => member.set_value(CstInputValue::Null),
        Before::Present => {}
    }
    Ok(())
}
