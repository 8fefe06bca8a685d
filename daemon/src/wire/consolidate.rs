//! `Consolidate` as the wire has it.

use helix_app::consolidate::Proposal;
use helix_app::sweep::Done;
use helix_proto::v1;

use super::told;

/// Writes what was proposed, and what was compared.
pub(crate) fn answer(proposals: &[Proposal], swept: Done) -> v1::ConsolidateReply {
    v1::ConsolidateReply {
        distilled: proposals.iter().map(distilled).collect(),
        compared: u64::from(swept.compared),
        alike: swept.found as u64,
    }
}

fn distilled(proposal: &Proposal) -> v1::Distilled {
    v1::Distilled {
        handle: proposal.handle.clone(),
        text: proposal.text.clone(),
        kind: proposal.kind.to_owned(),
        occasions: u32::try_from(proposal.occasions).unwrap_or(u32::MAX),
        episodes: proposal.episodes.iter().map(told).collect(),
    }
}
