//! How memories are related and which of them holds.

use helix_client::v1::{Caller, RelateRequest, SettleRequest, Settlement, UnrelateRequest};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Merge;
use crate::arguments::{Choice, Fraction, Text};

/// What a handle or `topic:index` has and a topic's name has not.
const IN_REFERENCES: [char; 2] = ['/', ':'];

#[expect(clippy::doc_markdown, reason = "the model reads it as it stands")]
#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Relate {
    topic: Text,
    /// from topic: works_on, owns, depends_on, has_decision, has_convention, prefers,
    /// uses, supersedes, contradicts, relates_to, decided_by, derived_from, exemplifies, refines,
    /// source_of
    relation: Text,
    /// the other memory
    to: Text,
    /// 0-1
    strength: Option<Fraction>,
    /// why
    #[serde(default)]
    reason: Text,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Unrelate {
    topic: Text,
    relation: Text,
    to: Text,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Settle {
    topic: Text,
    /// the other memory
    other: Text,
    /// keep (topic holds, other is superseded), both (hold), merge (topic takes over other)
    how: Choice<How>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::tools) enum How {
    Keep,
    Both,
    Merge,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(in crate::tools) struct Supersede {
    topic: Text,
    /// the memory that holds now
    by: Text,
}

impl Relate {
    pub(super) fn request(self, caller: Caller) -> RelateRequest {
        RelateRequest {
            caller: Some(caller),
            from: self.topic.trimmed(),
            relation: self.relation.trimmed(),
            to: self.to.trimmed(),
            strength: self.strength.map(|strength| strength.0),
            reason: self.reason.0,
            ..RelateRequest::default()
        }
    }
}

impl Unrelate {
    pub(super) fn request(self, caller: Caller) -> UnrelateRequest {
        UnrelateRequest {
            caller: Some(caller),
            from: self.topic.trimmed(),
            relation: self.relation.trimmed(),
            to: self.to.trimmed(),
        }
    }
}

impl Settle {
    pub(super) fn request(self, caller: Caller) -> SettleRequest {
        let settlement = match self.how.0 {
            How::Keep => Settlement::KeepFirst,
            How::Both => Settlement::Both,
            How::Merge => Settlement::Merge,
        };
        settled(caller, &self.topic, &self.other, settlement)
    }
}

impl Supersede {
    pub(super) fn request(self, caller: Caller) -> SettleRequest {
        settled(caller, &self.by, &self.topic, Settlement::KeepFirst)
    }
}

impl Merge {
    /// Returns whether it merges two memories; else two topics.
    pub(super) fn is_of_memories(&self) -> bool {
        self.into.0.contains(IN_REFERENCES)
    }

    pub(super) fn request(&self, caller: Caller) -> SettleRequest {
        settled(caller, &self.into, &self.topic, Settlement::Merge)
    }
}

fn settled(caller: Caller, first: &Text, second: &Text, settlement: Settlement) -> SettleRequest {
    SettleRequest {
        caller: Some(caller),
        first: first.trimmed(),
        second: second.trimmed(),
        settlement: settlement.into(),
    }
}
