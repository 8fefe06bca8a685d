//! `memory.note`: a sentence worth keeping, without ceremony.

use helix_client::v1::{Caller, Draft, StoreRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{Call, Description, Nature, store};
use crate::arguments::Text;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::render;

/// A memory to store.
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Note {
    text: Text,
}

impl Call for Note {
    const DESCRIPTION: Description = Description {
        name: "memory.note",
        title: "Note",
        about: "Remember this: one sentence that a later session should know.",
        nature: Nature::Adds,
        default_action: None,
    };

    async fn run(self, daemon: &Daemon, caller: Caller) -> Result<String, Failure> {
        let request = StoreRequest {
            caller: Some(caller),
            draft: Some(Draft {
                text: self.text.0,
                ..Draft::default()
            }),
            force: false,
        };
        let reply = store::store(daemon, request).await?;
        Ok(render::written(&reply))
    }
}
