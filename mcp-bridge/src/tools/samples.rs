//! Calls and requests as snapshots show them.

use std::fmt::Debug;

use helix_client::v1::Caller;
use serde_json::Value;

use super::Call;
use crate::arguments::{ArgumentError, Form};

/// Reads a call's arguments as its tool does.
pub(super) fn read<T: Call>(given: &Value) -> Result<T, ArgumentError> {
    let description = T::DESCRIPTION;
    Form::of::<T>(description.name, description.default_action).read(given.as_object().cloned())
}

/// A request on one line, without the caller, who is the same in all of them.
pub(super) fn shown(request: &impl Debug) -> String {
    format!("{request:?}").replace(&format!("caller: {:?}, ", Some(Caller::default())), "")
}
