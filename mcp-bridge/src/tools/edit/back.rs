//! Taking changes back: one request, or everything since a place in the history.

use helix_client::v1::revert_request::What;
use helix_client::v1::{Caller, RevertRequest};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::arguments::{ArgumentError, Flag, Text, Whole};
use crate::dates;
use crate::tools::moment::place;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(in crate::tools) struct Undo {
    /// of topics log; default the last change made here
    sequence: Option<Whole<1, { u32::MAX }>>,
    /// with later changes of the same memories
    force: Flag,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Rollback {
    /// sequence of log, day or time
    to: Text,
    /// do it; else it is shown
    #[serde(default)]
    apply: Flag,
}

impl Undo {
    pub(super) fn request(self, caller: Caller) -> RevertRequest {
        let sequence = self.sequence.map_or(0, |sequence| u64::from(sequence.0));
        RevertRequest {
            caller: Some(caller),
            what: Some(What::Undo(sequence)),
            preview: false,
            force: self.force.0,
        }
    }
}

impl Rollback {
    pub(super) fn request(
        self,
        caller: Caller,
        now: &Zoned,
    ) -> Result<RevertRequest, ArgumentError> {
        let to = place("to", &self.to, |text| dates::up_to(text, now))?;
        let to = to.ok_or_else(|| ArgumentError::Missing("to".to_owned()))?;
        Ok(RevertRequest {
            caller: Some(caller),
            what: Some(What::Rollback(to)),
            preview: !self.apply.0,
            force: false,
        })
    }
}
