//! The gRPC services: each call is converted, decided by the engine on the blocking pool, and
//! converted back.
//!
//! What an answer or an error says is read by agents and by people at a shell alike. So it names
//! what both have, as `tag`, `set` and `topics`, and neither's way to write it; whoever passes it
//! on adds that.

mod advice;
mod check;
mod checkpoint;
mod compact;
mod convert;
mod edit;
mod export;
mod forget;
mod import;
mod stats;
mod status;
mod store;
mod upgrade;

use std::process;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use helix_app::pool::Pool;
use helix_app::{Refusal, brief, context, find, receipts, search, session_log, stale, topics};
use helix_engine::model::Timestamp;
use helix_proto::v1::helix_server::Helix;
use helix_proto::{PROTOCOL, v1};
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status, Streaming};

use crate::hook;
use crate::runtime::{Asker, Runtime};
use crate::serve::Peer;
use crate::work::{Going, Long};

pub(crate) use compact::Uncompared;

/// Answers `helix.v1`.
pub(crate) struct Service {
    runtime: Arc<Runtime>,
}

impl Service {
    pub(crate) fn new(runtime: Arc<Runtime>) -> Self {
        Self { runtime }
    }
}

/// Runs work that reads the disk or burns the processor off the async threads. It is queued at
/// once, before it is awaited, and left out when its caller gives up before its turn.
fn off_thread<T: Send + 'static, W>(
    runtime: &Arc<Runtime>,
    work: W,
) -> impl Future<Output = Result<T, Refusal>> + use<T, W>
where
    W: FnOnce(&Runtime) -> Result<T, Refusal> + Send + 'static,
{
    let (runtime, going) = (Arc::clone(runtime), runtime.work.begin());
    on_thread(&Arc::clone(&runtime).pools.quick, move || {
        let _going = going;
        work(&runtime)
    })
}

/// The same for a step of what may take minutes.
fn long_off_thread<T: Send + 'static, W>(
    runtime: &Arc<Runtime>,
    going: &Arc<Going>,
    work: W,
) -> impl Future<Output = Result<T, Refusal>> + use<T, W>
where
    W: FnOnce(&Runtime) -> Result<T, Refusal> + Send + 'static,
{
    let (runtime, going) = (Arc::clone(runtime), Arc::clone(going));
    on_thread(&Arc::clone(&runtime).pools.long, move || {
        let _going = going;
        work(&runtime)
    })
}

fn on_thread<T: Send + 'static, W>(
    pool: &Pool,
    work: W,
) -> impl Future<Output = Result<T, Refusal>> + use<T, W>
where
    W: FnOnce() -> Result<T, Refusal> + Send + 'static,
{
    let done = crate::pool::ask(pool, work);
    async move {
        let done = done.map_err(|error| Refusal::exhausted(error.to_string()))?;
        done.await
            .map_err(|_| Refusal::internal("the request failed inside the daemon; see its log"))?
    }
}

/// Begins what may take minutes, where there is a place for it.
fn begin_long(runtime: &Runtime, kind: Long) -> Result<Arc<Going>, Refusal> {
    runtime
        .work
        .begin_long(kind)
        .map(Arc::new)
        .map_err(|error| Refusal::exhausted(error.to_string()))
}

/// Finds out who asks, which may look at the disk.
async fn asker(runtime: &Arc<Runtime>, caller: Option<v1::Caller>) -> Result<Asker, Refusal> {
    off_thread(runtime, move |runtime| Ok(runtime.asker(caller.as_ref()))).await
}

/// Searches, or counts.
async fn searched(
    runtime: &Arc<Runtime>,
    mut request: v1::SearchRequest,
) -> Result<v1::SearchReply, Refusal> {
    let started = Instant::now();
    let caller = request.caller.take();
    if request.count_only {
        let counted = off_thread(runtime, move |runtime| {
            search::count(
                &runtime.app,
                runtime.asker(caller.as_ref()),
                &convert::search::wanted(request),
            )
        });
        return counted
            .await
            .map(|counts| convert::search::counts(counts, started.elapsed()));
    }
    let asker = asker(runtime, caller).await?;
    let found = search::search(&runtime.app, asker, convert::search::wanted(request)).await?;
    Ok(convert::search::found(found, started.elapsed()))
}

/// Packs what matters.
async fn packed(
    runtime: &Arc<Runtime>,
    mut request: v1::ContextRequest,
) -> Result<v1::ContextReply, Refusal> {
    let asker = asker(runtime, request.caller.take()).await?;
    context::context(&runtime.app, asker, convert::context(request))
        .await
        .map(convert::block)
}

/// A request that says where it comes from.
trait Called {
    fn caller(&self) -> Option<&v1::Caller>;
}

macro_rules! called {
    ($($request:ident),+ $(,)?) => {
        $(impl Called for v1::$request {
            fn caller(&self) -> Option<&v1::Caller> {
                self.caller.as_ref()
            }
        })+
    };
}

called!(
    StoreRequest,
    StoreBatchRequest,
    SearchRequest,
    ReadRequest,
    ForgetRequest,
    EditRequest,
    ListTopicsRequest,
    RecentRequest,
    StatsRequest,
    CrossReferencesRequest,
    GraphRequest,
    StaleRequest,
    PruneRequest,
    CompactRequest,
    SessionLogRequest,
    CheckpointRequest,
    BriefRequest,
    ContextRequest,
    ExportRequest,
);

impl Service {
    /// Takes a request once it is known which project it comes from.
    async fn met<R: Called>(&self, request: Request<R>) -> Result<R, Status> {
        let request = request.into_inner();
        self.runtime
            .meet(request.caller())
            .await
            .map_err(|refusal| convert::refused(&refusal))?;
        Ok(request)
    }
}

#[tonic::async_trait]
impl Helix for Service {
    async fn hello(
        &self,
        request: Request<v1::HelloRequest>,
    ) -> Result<Response<v1::HelloReply>, Status> {
        let hello = request.into_inner();
        let version = env!("CARGO_PKG_VERSION");
        if hello.protocol != PROTOCOL {
            return Err(Status::failed_precondition(format!(
                "{version} (protocol {PROTOCOL}; {} {} speaks {})",
                hello.program, hello.version, hello.protocol
            )));
        }
        Ok(Response::new(v1::HelloReply {
            protocol: PROTOCOL,
            version: version.to_owned(),
            pid: process::id(),
        }))
    }

    async fn store(
        &self,
        request: Request<v1::StoreRequest>,
    ) -> Result<Response<v1::StoreReply>, Status> {
        store::one(&self.runtime, self.met(request).await?)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn store_batch(
        &self,
        request: Request<v1::StoreBatchRequest>,
    ) -> Result<Response<v1::StoreBatchReply>, Status> {
        store::batch(&self.runtime, self.met(request).await?)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn search(
        &self,
        request: Request<v1::SearchRequest>,
    ) -> Result<Response<v1::SearchReply>, Status> {
        let request = self.met(request).await?;
        searched(&self.runtime, request)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn read(
        &self,
        request: Request<v1::ReadRequest>,
    ) -> Result<Response<v1::ReadReply>, Status> {
        let request = self.met(request).await?;
        let read = off_thread(&self.runtime, move |runtime| {
            let asker = runtime.asker(request.caller.as_ref());
            find::read(&runtime.app, &asker, &convert::wanted(request))
                .map(|answer| convert::read(&answer))
        });
        read.await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn edit(
        &self,
        request: Request<v1::EditRequest>,
    ) -> Result<Response<v1::EditReply>, Status> {
        edit::edit(&self.runtime, self.met(request).await?)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn compact(
        &self,
        request: Request<v1::CompactRequest>,
    ) -> Result<Response<v1::CompactReply>, Status> {
        let request = self.met(request).await?;
        let going = begin_long(&self.runtime, Long::Compact)
            .map_err(|refusal| convert::refused(&refusal))?;
        compact::compact(&self.runtime, &going, request)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn list_topics(
        &self,
        request: Request<v1::ListTopicsRequest>,
    ) -> Result<Response<v1::ListTopicsReply>, Status> {
        let request = self.met(request).await?;
        let listed = off_thread(&self.runtime, move |runtime| {
            let asker = runtime.asker(request.caller.as_ref());
            let topics = topics::list(&runtime.app, &asker, &request.scopes, &request.pattern)?;
            Ok(v1::ListTopicsReply {
                topics: convert::topic_entries(topics),
            })
        });
        listed
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn recent(
        &self,
        request: Request<v1::RecentRequest>,
    ) -> Result<Response<v1::RecentReply>, Status> {
        let request = self.met(request).await?;
        let recent = off_thread(&self.runtime, move |runtime| {
            let asker = runtime.asker(request.caller.as_ref());
            let after = Timestamp::from_micros(request.after_us);
            let (memories, total) =
                topics::recent(&runtime.app, &asker, &request.scopes, after, request.limit)?;
            let total = u32::try_from(total).unwrap_or(u32::MAX);
            Ok(v1::RecentReply {
                memories: memories.iter().map(convert::told).collect(),
                total,
            })
        });
        recent
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn stats(
        &self,
        request: Request<v1::StatsRequest>,
    ) -> Result<Response<v1::StatsReply>, Status> {
        let request = self.met(request).await?;
        off_thread(&self.runtime, move |runtime| {
            stats::stats(runtime, &request)
        })
        .await
        .map(Response::new)
        .map_err(|refusal| convert::refused(&refusal))
    }

    async fn cross_references(
        &self,
        request: Request<v1::CrossReferencesRequest>,
    ) -> Result<Response<v1::CrossReferencesReply>, Status> {
        let request = self.met(request).await?;
        let referring = off_thread(&self.runtime, move |runtime| {
            let asker = runtime.asker(request.caller.as_ref());
            let found =
                topics::cross_references(&runtime.app, &asker, &request.scopes, &request.topic)?;
            Ok(v1::CrossReferencesReply {
                references: found.iter().map(convert::cross_reference).collect(),
            })
        });
        referring
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn graph(
        &self,
        request: Request<v1::GraphRequest>,
    ) -> Result<Response<v1::GraphReply>, Status> {
        let request = self.met(request).await?;
        let graph = off_thread(&self.runtime, move |runtime| {
            let asker = runtime.asker(request.caller.as_ref());
            topics::graph(&runtime.app, &asker, &request.scopes, &request.focus).map(convert::graph)
        });
        graph
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn prune(
        &self,
        request: Request<v1::PruneRequest>,
    ) -> Result<Response<v1::PruneReply>, Status> {
        let request = self.met(request).await?;
        let idle = off_thread(&self.runtime, move |runtime| {
            let asker = runtime.asker(request.caller.as_ref());
            let (topics, days) =
                topics::prune(&runtime.app, &asker, &request.scopes, request.days)?;
            Ok(v1::PruneReply {
                topics: convert::topic_entries(topics),
                days,
            })
        });
        idle.await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn reindex(
        &self,
        _: Request<v1::ReindexRequest>,
    ) -> Result<Response<v1::ReindexReply>, Status> {
        let going = begin_long(&self.runtime, Long::Reindex)
            .map_err(|refusal| convert::refused(&refusal))?;
        stats::reindex(&self.runtime, &going)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn forget(
        &self,
        request: Request<v1::ForgetRequest>,
    ) -> Result<Response<v1::ForgetReply>, Status> {
        forget::forget(&self.runtime, self.met(request).await?)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn stale(
        &self,
        request: Request<v1::StaleRequest>,
    ) -> Result<Response<v1::StaleReply>, Status> {
        let request = self.met(request).await?;
        let going =
            begin_long(&self.runtime, Long::Stale).map_err(|refusal| convert::refused(&refusal))?;
        let stale = long_off_thread(&self.runtime, &going, move |runtime| {
            let asker = runtime.asker(request.caller.as_ref());
            let found = stale::stale(
                &runtime.app,
                &asker,
                &convert::stale_wanted(request),
                convert::stale_bytes,
            );
            found.map(convert::stale)
        });
        stale
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn session_log(
        &self,
        request: Request<v1::SessionLogRequest>,
    ) -> Result<Response<v1::SessionLogReply>, Status> {
        let request = self.met(request).await?;
        let logged = off_thread(&self.runtime, move |runtime| {
            if request.list {
                return session_log::list(&runtime.app, request.limit)
                    .map(convert::sessions::known);
            }
            let asker = runtime.asker(request.caller.as_ref());
            let log =
                session_log::session_log(&runtime.app, &asker, &request.session, request.limit);
            log.map(convert::sessions::log)
        });
        logged
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn receipts(
        &self,
        request: Request<v1::ReceiptsRequest>,
    ) -> Result<Response<v1::ReceiptsReply>, Status> {
        let request = request.into_inner();
        let listed = off_thread(&self.runtime, move |runtime| {
            let (receipts, counts) =
                receipts::receipts(&runtime.app, &request.session, request.limit)?;
            Ok(convert::sessions::receipts(receipts, counts))
        });
        listed
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn checkpoint(
        &self,
        request: Request<v1::CheckpointRequest>,
    ) -> Result<Response<v1::CheckpointReply>, Status> {
        checkpoint::checkpoint(&self.runtime, self.met(request).await?)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn hook(
        &self,
        request: Request<v1::HookRequest>,
    ) -> Result<Response<v1::HookReply>, Status> {
        let stdout = hook::answer(
            Arc::clone(&self.runtime),
            request.into_inner(),
            Peer::default(),
        )
        .await;
        Ok(Response::new(v1::HookReply { stdout }))
    }

    async fn status(
        &self,
        _: Request<v1::StatusRequest>,
    ) -> Result<Response<v1::StatusReply>, Status> {
        off_thread(&self.runtime, status::status)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn check(
        &self,
        request: Request<v1::CheckRequest>,
    ) -> Result<Response<v1::CheckReply>, Status> {
        if !request.into_inner().deep {
            return off_thread(&self.runtime, |runtime| Ok(check::check(runtime, false)))
                .await
                .map(Response::new)
                .map_err(|refusal| convert::refused(&refusal));
        }
        let going =
            begin_long(&self.runtime, Long::Check).map_err(|refusal| convert::refused(&refusal))?;
        long_off_thread(&self.runtime, &going, |runtime| {
            Ok(check::check(runtime, true))
        })
        .await
        .map(Response::new)
        .map_err(|refusal| convert::refused(&refusal))
    }

    async fn brief(
        &self,
        request: Request<v1::BriefRequest>,
    ) -> Result<Response<v1::BriefReply>, Status> {
        let request = self.met(request).await?;
        let composed = off_thread(&self.runtime, move |runtime| {
            let asker = runtime.asker(request.caller.as_ref());
            brief::brief(&runtime.app, &asker, &convert::brief(request)).map(convert::briefing)
        });
        composed
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn export(
        &self,
        request: Request<v1::ExportRequest>,
    ) -> Result<Response<BoxStream<v1::ExportPiece>>, Status> {
        let pieces = export::export(&self.runtime, self.met(request).await?)
            .map_err(|refusal| convert::refused(&refusal))?;
        Ok(Response::new(Box::pin(pieces)))
    }

    async fn import(
        &self,
        request: Request<Streaming<v1::ImportPiece>>,
    ) -> Result<Response<BoxStream<v1::ImportProgress>>, Status> {
        let reports = import::import(&self.runtime, request.into_inner()).await?;
        Ok(Response::new(Box::pin(reports)))
    }

    async fn context(
        &self,
        request: Request<v1::ContextRequest>,
    ) -> Result<Response<v1::ContextReply>, Status> {
        let request = self.met(request).await?;
        packed(&self.runtime, request)
            .await
            .map(Response::new)
            .map_err(|refusal| convert::refused(&refusal))
    }

    async fn upgrade(
        &self,
        request: Request<v1::UpgradeRequest>,
    ) -> Result<Response<v1::UpgradeReply>, Status> {
        let request = request.into_inner();
        off_thread(&self.runtime, move |runtime| {
            upgrade::upgrade(runtime, &request)
        })
        .await
        .map(Response::new)
        .map_err(|refusal| convert::refused(&refusal))
    }

    async fn shutdown(
        &self,
        _: Request<v1::ShutdownRequest>,
    ) -> Result<Response<v1::ShutdownReply>, Status> {
        // Whoever asks to stop wants no successor.
        *self
            .runtime
            .successor
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = None;
        self.runtime.stop.notify_one();
        Ok(Response::new(v1::ShutdownReply { pid: process::id() }))
    }
}
