//! Requests as snapshots show them.

use std::fmt::Debug;

use helix_client::v1::Caller;

/// A request on one line, without the caller, who is the same in all of them.
pub(super) fn shown(request: &impl Debug) -> String {
    format!("{request:?}").replace(&format!("caller: {:?}, ", Some(Caller::default())), "")
}
