//! `Review` and `Judge`.

use helix_app::review;
use helix_proto::v1;
use tonic::{Request, Response, Status};

use super::Service;
use super::call::reply;
use crate::wire;

/// Lists what waits for somebody's word.
pub(super) async fn review(
    service: &Service,
    request: Request<v1::ReviewRequest>,
) -> Result<Response<v1::ReviewReply>, Status> {
    let listed = service.ask(request, |app, asker, wire| {
        let listed = review::review(app, asker, &wire::review::wanted(wire))?;
        Ok(wire::review::listed(&listed))
    });
    listed.await
}

/// Approves or rejects what waits.
pub(super) async fn judge(
    service: &Service,
    request: Request<v1::JudgeRequest>,
) -> Result<Response<v1::JudgeReply>, Status> {
    let mut request = service.met(request).await?;
    let who = service.who(request.caller.take());
    let verdict = wire::review::verdict(request);
    let settled = review::judge(&service.runtime.app, who, verdict).await;
    reply(settled.map(wire::review::settled))
}
