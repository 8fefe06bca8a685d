//! `Examine`, and what `Search` says of one memory.

use std::time::Instant;

use helix_app::{Asker, examine, search};
use helix_proto::v1;
use tonic::{Response, Status};

use super::Service;
use super::call::reply;
use crate::wire;

/// Asks for the next memories by their own questions.
pub(super) async fn examine(
    service: &Service,
    request: v1::ExamineRequest,
) -> Result<Response<v1::ExamineReply>, Status> {
    let below = (request.below > 0).then_some(request.below);
    let step = examine::examine(&service.runtime.app, below).await;
    reply(step.map(wire::examine::step))
}

impl Service {
    /// Says why a search does not find a memory.
    pub(super) async fn why_not(
        &self,
        asker: Asker,
        mut request: v1::SearchRequest,
    ) -> Result<Response<v1::SearchReply>, Status> {
        let started = Instant::now();
        let reference = std::mem::take(&mut request.why_not);
        let wanted = wire::search::wanted(request);
        let outcome = search::why_not(&self.runtime.app, asker, reference, wanted).await;
        reply(outcome.map(|outcome| wire::examine::why_not(&outcome, started.elapsed())))
    }
}
