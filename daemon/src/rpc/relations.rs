//! `Relate`, `Unrelate`, `Traverse` and `Path`.

use helix_app::relations;
use helix_proto::v1;
use tonic::{Request, Response, Status};

use super::Service;
use super::call::reply;
use crate::wire::relations as wire;

pub(super) async fn relate(
    service: &Service,
    request: Request<v1::RelateRequest>,
) -> Result<Response<v1::RelateReply>, Status> {
    let mut request = service.met(request).await?;
    let who = service.who(request.caller.take());
    let related = relations::relate(&service.runtime.app, who, wire::relating(request));
    reply(related.await.map(|related| wire::related(&related)))
}

pub(super) async fn unrelate(
    service: &Service,
    request: Request<v1::UnrelateRequest>,
) -> Result<Response<v1::UnrelateReply>, Status> {
    let mut request = service.met(request).await?;
    let who = service.who(request.caller.take());
    let unrelated = relations::unrelate(&service.runtime.app, who, wire::unrelating(request));
    reply(unrelated.await.map(|answer| wire::unrelated(&answer)))
}

pub(super) async fn traverse(
    service: &Service,
    request: Request<v1::TraverseRequest>,
) -> Result<Response<v1::TraverseReply>, Status> {
    service
        .ask(request, |app, asker, wire| {
            let walked = relations::traverse(app, asker, &wire::walk(wire))?;
            Ok(wire::walked(&walked))
        })
        .await
}

pub(super) async fn path(
    service: &Service,
    request: Request<v1::PathRequest>,
) -> Result<Response<v1::PathReply>, Status> {
    service
        .ask(request, |app, asker, wire| {
            let connected = relations::path(app, asker, &wire::path(wire))?;
            Ok(wire::connected(&connected))
        })
        .await
}
