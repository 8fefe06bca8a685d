//! Episodes that were told again and again.

use helix_client::v1;
use serde::Serialize;

use super::memory::MemoryDocument;

/// Proposals that wait in the review now, or would.
#[derive(Debug, Serialize)]
pub(crate) struct ConsolidateDocument<'a> {
    repeated: Vec<DistilledDocument<'a>>,
    compared: u64,
    alike: u64,
}

#[derive(Debug, Serialize)]
struct DistilledDocument<'a> {
    handle: Option<&'a str>,
    text: &'a str,
    kind: &'a str,
    occasions: u32,
    episodes: Vec<MemoryDocument<'a>>,
}

impl<'a> From<&'a v1::ConsolidateReply> for ConsolidateDocument<'a> {
    fn from(reply: &'a v1::ConsolidateReply) -> Self {
        let distilled = |distilled: &'a v1::Distilled| DistilledDocument {
            handle: Some(distilled.handle.as_str()).filter(|handle| !handle.is_empty()),
            text: &distilled.text,
            kind: &distilled.kind,
            occasions: distilled.occasions,
            episodes: distilled
                .episodes
                .iter()
                .map(MemoryDocument::from)
                .collect(),
        };
        Self {
            repeated: reply.distilled.iter().map(distilled).collect(),
            compared: reply.compared,
            alike: reply.alike,
        }
    }
}
