//! `Purge`.

use helix_app::purge;
use helix_proto::v1;
use tonic::{Request, Response, Status};

use super::Service;
use super::call::{begin_long, refused, reply};
use crate::wire;
use crate::work::Long;

/// Removes memories and every trace of their text, or shows what would go.
pub(super) async fn purge(
    service: &Service,
    request: Request<v1::PurgeRequest>,
) -> Result<Response<v1::PurgeReply>, Status> {
    let mut request = service.met(request).await?;
    let going = begin_long(&service.runtime, Long::Compact).map_err(refused)?;
    let who = service.who(request.caller.take());
    let wanted = wire::purge::wanted(request).map_err(refused)?;
    let purged = purge::purge(&service.runtime.app, &going, who, wanted).await;
    reply(purged.map(wire::purge::answer))
}
