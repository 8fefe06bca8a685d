//! `Log`, `Diff`, `Revert` and `Why`.

use helix_app::history;
use helix_proto::v1;
use tonic::{Request, Response, Status};

use super::Service;
use super::call::{refused, reply};
use crate::wire::history as wire;

pub(super) async fn log(
    service: &Service,
    request: Request<v1::LogRequest>,
) -> Result<Response<v1::LogReply>, Status> {
    service
        .ask(request, |app, asker, wire| {
            let log = history::log::log(app, asker, &wire::log_wanted(wire))?;
            Ok(wire::log(log))
        })
        .await
}

pub(super) async fn diff(
    service: &Service,
    request: Request<v1::DiffRequest>,
) -> Result<Response<v1::DiffReply>, Status> {
    service
        .ask(request, |app, asker, wire| {
            let difference = history::diff::diff(app, asker, wire::diff_wanted(wire))?;
            Ok(wire::difference(&difference))
        })
        .await
}

pub(super) async fn revert(
    service: &Service,
    request: Request<v1::RevertRequest>,
) -> Result<Response<v1::RevertReply>, Status> {
    let mut request = service.met(request).await?;
    let who = service.who(request.caller.take());
    let wanted = wire::revert_wanted(&request).map_err(refused)?;
    let reverted = history::revert::revert(&service.runtime.app, who, wanted).await;
    reply(reverted.map(wire::reverted))
}

pub(super) async fn why(
    service: &Service,
    request: Request<v1::WhyRequest>,
) -> Result<Response<v1::WhyReply>, Status> {
    service
        .ask(request, |app, asker, wire| {
            let life = history::why::why(app, asker, &wire.reference)?;
            Ok(wire::life(life))
        })
        .await
}
