//! The gRPC services: each call is converted, decided by the engine on the blocking pool, and
//! converted back.
//!
//! What an answer or an error says is read by agents and by people at a shell alike. So it names
//! what both have, as `tag`, `set` and `topics`, and neither's way to write it; whoever passes it
//! on adds that.

mod call;
mod capture;
mod consolidate;
mod examine;
mod export;
mod history;
mod import;
mod life;
mod models;
mod provider;
mod purge;
mod relations;
mod review;
mod status;
mod upgrade;

use std::process;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use call::{begin_long, refused, reply};
use helix_app::check::check;
use helix_app::status::overview;
use helix_app::threads::{long_off_thread, off_thread};
use helix_app::{
    App, brief, checkpoint, compact, conflicts, context, edit, event, find, forget, receipts,
    search, session_log, stale, statistics, store, topics,
};
use helix_memory::Timestamp;
use helix_proto::v1::helix_server::Helix;
use helix_proto::{PROTOCOL, v1};
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status, Streaming};

use crate::hook;
use crate::peer::Peer;
use crate::runtime::Runtime;
use crate::wire;
use crate::work::Long;

/// Answers `helix.v1`.
pub(crate) struct Service {
    runtime: Arc<Runtime>,
}

impl Service {
    pub(crate) fn new(runtime: Arc<Runtime>) -> Self {
        Self { runtime }
    }
}

impl Service {
    /// Counts in place of searching.
    async fn count(
        &self,
        mut request: v1::SearchRequest,
        started: Instant,
    ) -> Result<Response<v1::SearchReply>, Status> {
        let who = self.who(request.caller.take());
        let counted = off_thread(&self.runtime.app, move |app| {
            search::count(app, who(), &wire::search::wanted(request))
        });
        let counted = counted.await;
        reply(counted.map(|counts| wire::search::counts(counts, started.elapsed())))
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
        let v1::StoreRequest {
            caller,
            draft,
            force,
        } = self.met(request).await?;
        let new = wire::store::only(draft).map_err(refused)?;
        let stored = store::one(&self.runtime.app, self.who(caller), new, force);
        reply(stored.await.map(|stored| wire::store::stored(&stored)))
    }

    async fn store_batch(
        &self,
        request: Request<v1::StoreBatchRequest>,
    ) -> Result<Response<v1::StoreBatchReply>, Status> {
        let v1::StoreBatchRequest {
            caller,
            drafts,
            force,
        } = self.met(request).await?;
        let batch = wire::store::batch(drafts);
        let items = store::batch(&self.runtime.app, self.who(caller), batch, force);
        reply(items.await.map(|items| wire::store::items(&items)))
    }

    async fn search(
        &self,
        request: Request<v1::SearchRequest>,
    ) -> Result<Response<v1::SearchReply>, Status> {
        let started = Instant::now();
        if request.get_ref().count_only {
            return self.count(self.met(request).await?, started).await;
        }
        if !request.get_ref().why_not.is_empty() {
            let mut request = self.met(request).await?;
            let asker = self.asker(request.caller.take()).await?;
            return self.why_not(asker, request).await;
        }
        let mut request = request.into_inner();
        let asker = self.met_asker(request.caller.take());
        let found = search::search(&self.runtime.app, asker, wire::search::wanted(request));
        let found = found.await;
        let app = &self.runtime.app;
        app.metrics.recalled(app.memory.now(), started.elapsed());
        reply(found.map(|found| wire::search::found(found, started.elapsed())))
    }

    async fn read(
        &self,
        request: Request<v1::ReadRequest>,
    ) -> Result<Response<v1::ReadReply>, Status> {
        self.ask(request, |app, asker, wire| {
            let read = find::read(app, asker, &wire::wanted(wire))?;
            Ok(wire::read(&read))
        })
        .await
    }

    async fn edit(
        &self,
        request: Request<v1::EditRequest>,
    ) -> Result<Response<v1::EditReply>, Status> {
        let mut request = self.met(request).await?;
        let who = self.who(request.caller.take());
        let wanted = wire::edit::wanted(request).map_err(refused)?;
        let edited = edit::edit(&self.runtime.app, who, wanted).await;
        reply(edited.map(wire::edit::answer))
    }

    async fn compact(
        &self,
        request: Request<v1::CompactRequest>,
    ) -> Result<Response<v1::CompactReply>, Status> {
        let mut request = self.met(request).await?;
        let going = begin_long(&self.runtime, Long::Compact).map_err(refused)?;
        let who = self.who(request.caller.take());
        let wanted = wire::compact::wanted(request, self.runtime.config.compact_work);
        let compacted = compact::compact(&self.runtime.app, &going, who, wanted).await;
        reply(compacted.map(|answer| wire::compact::answer(&answer)))
    }

    async fn list_topics(
        &self,
        request: Request<v1::ListTopicsRequest>,
    ) -> Result<Response<v1::ListTopicsReply>, Status> {
        self.ask(request, |app, asker, wire| {
            let listed = topics::list(app, asker, &wire.scopes, &wire.pattern)?;
            Ok(wire::topics::listed(listed))
        })
        .await
    }

    async fn recent(
        &self,
        request: Request<v1::RecentRequest>,
    ) -> Result<Response<v1::RecentReply>, Status> {
        self.ask(request, |app, asker, wire| {
            let after = Timestamp::from_micros(wire.after_us);
            let (memories, total) = topics::recent(app, asker, &wire.scopes, after, wire.limit)?;
            Ok(wire::topics::recent(&memories, total))
        })
        .await
    }

    async fn conflicts(
        &self,
        request: Request<v1::ConflictsRequest>,
    ) -> Result<Response<v1::ConflictsReply>, Status> {
        self.ask(request, |app, asker, _| {
            let found = conflicts::list(app, asker)?;
            Ok(wire::conflicts::conflicts(&found))
        })
        .await
    }

    async fn settle(
        &self,
        request: Request<v1::SettleRequest>,
    ) -> Result<Response<v1::SettleReply>, Status> {
        let mut request = self.met(request).await?;
        let settlement = wire::conflicts::settlement(request.settlement()).map_err(refused)?;
        let asker = self.asker(request.caller.take()).await?;
        let (first, second) = (&request.first, &request.second);
        let settled = conflicts::settle(&self.runtime.app, &asker, first, second, settlement);
        reply(settled.await.map(|told| wire::conflicts::settled(&told)))
    }

    async fn stats(
        &self,
        request: Request<v1::StatsRequest>,
    ) -> Result<Response<v1::StatsReply>, Status> {
        self.ask(request, |app, asker, wire| {
            let held = statistics::statistics(app, asker, &wire.scopes)?;
            Ok(wire::health::statistics(held))
        })
        .await
    }

    async fn cross_references(
        &self,
        request: Request<v1::CrossReferencesRequest>,
    ) -> Result<Response<v1::CrossReferencesReply>, Status> {
        self.ask(request, |app, asker, wire| {
            let found = topics::cross_references(app, asker, &wire.scopes, &wire.topic)?;
            Ok(wire::topics::cross_references(&found))
        })
        .await
    }

    async fn graph(
        &self,
        request: Request<v1::GraphRequest>,
    ) -> Result<Response<v1::GraphReply>, Status> {
        self.ask(request, |app, asker, wire| {
            let graph = topics::graph(app, asker, &wire.scopes, &wire.focus)?;
            Ok(wire::topics::graph(graph))
        })
        .await
    }

    async fn prune(
        &self,
        request: Request<v1::PruneRequest>,
    ) -> Result<Response<v1::PruneReply>, Status> {
        self.ask(request, |app, asker, wire| {
            let (idle, days) = topics::prune(app, asker, &wire.scopes, wire.days)?;
            Ok(wire::topics::idle(idle, days))
        })
        .await
    }

    async fn reindex(
        &self,
        _: Request<v1::ReindexRequest>,
    ) -> Result<Response<v1::ReindexReply>, Status> {
        let going = begin_long(&self.runtime, Long::Reindex).map_err(refused)?;
        let reindexed = statistics::reindex(&self.runtime.app, &going).await;
        reply(reindexed.map(wire::health::reindexed))
    }

    async fn forget(
        &self,
        request: Request<v1::ForgetRequest>,
    ) -> Result<Response<v1::ForgetReply>, Status> {
        let v1::ForgetRequest { caller, reference } = self.met(request).await?;
        let forgotten = forget::forget(&self.runtime.app, self.who(caller), reference).await;
        reply(forgotten.map(|answer| wire::edit::forgotten(&answer)))
    }

    async fn stale(
        &self,
        request: Request<v1::StaleRequest>,
    ) -> Result<Response<v1::StaleReply>, Status> {
        self.ask_long(request, Long::Stale, |app, asker, wire| {
            let wanted = wire::stale_wanted(wire);
            let found = stale::stale(app, asker, &wanted, wire::stale_bytes)?;
            Ok(wire::stale(found))
        })
        .await
    }

    async fn session_log(
        &self,
        request: Request<v1::SessionLogRequest>,
    ) -> Result<Response<v1::SessionLogReply>, Status> {
        self.ask(request, |app, asker, wire| {
            if wire.list {
                return session_log::list(app, wire.limit).map(wire::sessions::known);
            }
            let log = session_log::session_log(app, asker, &wire.session, wire.limit)?;
            Ok(wire::sessions::log(log))
        })
        .await
    }

    async fn receipts(
        &self,
        request: Request<v1::ReceiptsRequest>,
    ) -> Result<Response<v1::ReceiptsReply>, Status> {
        let v1::ReceiptsRequest { session, limit, .. } = request.into_inner();
        let listed = off_thread(&self.runtime.app, move |app| {
            let (receipts, counts) = receipts::receipts(app, &session, limit)?;
            Ok(wire::sessions::receipts(receipts, counts))
        });
        reply(listed.await)
    }

    async fn checkpoint(
        &self,
        request: Request<v1::CheckpointRequest>,
    ) -> Result<Response<v1::CheckpointReply>, Status> {
        let v1::CheckpointRequest { caller, action } = self.met(request).await?;
        let action = wire::checkpoint::action(action).map_err(refused)?;
        let done = checkpoint::checkpoint(&self.runtime.app, self.who(caller), action).await;
        reply(done.map(wire::checkpoint::answer))
    }

    async fn hook(
        &self,
        request: Request<v1::HookRequest>,
    ) -> Result<Response<v1::HookReply>, Status> {
        let answer = hook::answer(
            Arc::clone(&self.runtime),
            request.into_inner(),
            Peer::default(),
        )
        .await;
        Ok(Response::new(wire::hook(answer)))
    }

    async fn status(
        &self,
        _: Request<v1::StatusRequest>,
    ) -> Result<Response<v1::StatusReply>, Status> {
        let runtime = Arc::clone(&self.runtime);
        let described = off_thread(&self.runtime.app, move |app| {
            Ok(status::status(&runtime, overview(app)?))
        });
        reply(described.await)
    }

    async fn check(
        &self,
        request: Request<v1::CheckRequest>,
    ) -> Result<Response<v1::CheckReply>, Status> {
        let deep = request.into_inner().deep;
        let check = move |app: &App| Ok(wire::health::checked(check(app, deep)));
        if !deep {
            return reply(off_thread(&self.runtime.app, check).await);
        }
        let going = begin_long(&self.runtime, Long::Check).map_err(refused)?;
        reply(long_off_thread(&self.runtime.app, &going, check).await)
    }

    async fn brief(
        &self,
        request: Request<v1::BriefRequest>,
    ) -> Result<Response<v1::BriefReply>, Status> {
        self.ask(request, |app, asker, wire| {
            brief::brief(app, asker, &wire::brief(wire)).map(wire::briefing)
        })
        .await
    }

    async fn export(
        &self,
        request: Request<v1::ExportRequest>,
    ) -> Result<Response<BoxStream<v1::ExportPiece>>, Status> {
        let pieces = export::export(&self.runtime, self.met(request).await?).map_err(refused)?;
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
        let mut request = self.met(request).await?;
        let asker = self.asker(request.caller.take()).await?;
        let block = context::context(&self.runtime.app, asker, wire::context(request));
        reply(block.await.map(wire::block))
    }

    async fn lifecycle(
        &self,
        request: Request<v1::LifecycleRequest>,
    ) -> Result<Response<v1::LifecycleReply>, Status> {
        self.ask_long(request, Long::Lifecycle, life::lifecycle)
            .await
    }

    async fn backup(
        &self,
        request: Request<v1::BackupRequest>,
    ) -> Result<Response<v1::BackupReply>, Status> {
        let action = request.into_inner().action;
        let going = begin_long(&self.runtime, Long::Backup).map_err(refused)?;
        let answered = long_off_thread(&self.runtime.app, &going, move |app| {
            life::backup(app, action)
        });
        reply(answered.await)
    }

    async fn metrics(
        &self,
        request: Request<v1::MetricsRequest>,
    ) -> Result<Response<v1::MetricsReply>, Status> {
        let days = request.into_inner().days;
        let counted = off_thread(&self.runtime.app, move |app| life::metrics(app, days));
        reply(counted.await)
    }

    async fn capture(
        &self,
        request: Request<v1::CaptureRequest>,
    ) -> Result<Response<v1::CaptureReply>, Status> {
        self.ask_long(request, Long::Capture, capture::capture)
            .await
    }

    async fn capture_import(
        &self,
        request: Request<v1::CaptureImportRequest>,
    ) -> Result<Response<BoxStream<v1::CaptureProgress>>, Status> {
        let wanted = self.met(request).await?;
        let reports = capture::import(&self.runtime, wanted).map_err(refused)?;
        Ok(Response::new(Box::pin(reports)))
    }

    async fn event(
        &self,
        request: Request<v1::EventRequest>,
    ) -> Result<Response<v1::EventReply>, Status> {
        let mut request = self.met(request).await?;
        let who = self.who(request.caller.take());
        let wanted = wire::capture::event(request).map_err(refused)?;
        let taken = event::event(&self.runtime.app, who, wanted).await;
        reply(taken.map(|taken| wire::capture::taken(&taken)))
    }

    async fn consolidate(
        &self,
        request: Request<v1::ConsolidateRequest>,
    ) -> Result<Response<v1::ConsolidateReply>, Status> {
        self.ask_long(request, Long::Consolidate, consolidate::consolidate)
            .await
    }

    async fn models(
        &self,
        request: Request<v1::ModelsRequest>,
    ) -> Result<Response<v1::ModelsReply>, Status> {
        let (runtime, request) = (Arc::clone(&self.runtime), request.into_inner());
        let going = begin_long(&self.runtime, Long::Models).map_err(refused)?;
        let answered = long_off_thread(&self.runtime.app, &going, move |_| {
            models::models(&runtime, &request)
        });
        reply(answered.await)
    }

    async fn bench_models(
        &self,
        _: Request<v1::BenchModelsRequest>,
    ) -> Result<Response<v1::BenchModelsReply>, Status> {
        let runtime = Arc::clone(&self.runtime);
        let going = begin_long(&self.runtime, Long::Models).map_err(refused)?;
        let answered = long_off_thread(&self.runtime.app, &going, move |_| models::bench(&runtime));
        reply(answered.await)
    }

    async fn provider(
        &self,
        request: Request<v1::ProviderRequest>,
    ) -> Result<Response<v1::ProviderReply>, Status> {
        self.ask_long(request, Long::Provider, provider::provider)
            .await
    }

    async fn upgrade(
        &self,
        request: Request<v1::UpgradeRequest>,
    ) -> Result<Response<v1::UpgradeReply>, Status> {
        let (runtime, request) = (Arc::clone(&self.runtime), request.into_inner());
        let upgraded = off_thread(&self.runtime.app, move |_| {
            upgrade::upgrade(&runtime, &request)
        });
        reply(upgraded.await)
    }

    async fn review(
        &self,
        request: Request<v1::ReviewRequest>,
    ) -> Result<Response<v1::ReviewReply>, Status> {
        review::review(self, request).await
    }

    async fn judge(
        &self,
        request: Request<v1::JudgeRequest>,
    ) -> Result<Response<v1::JudgeReply>, Status> {
        review::judge(self, request).await
    }

    async fn purge(
        &self,
        request: Request<v1::PurgeRequest>,
    ) -> Result<Response<v1::PurgeReply>, Status> {
        purge::purge(self, request).await
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

    async fn relate(
        &self,
        request: Request<v1::RelateRequest>,
    ) -> Result<Response<v1::RelateReply>, Status> {
        relations::relate(self, request).await
    }

    async fn unrelate(
        &self,
        request: Request<v1::UnrelateRequest>,
    ) -> Result<Response<v1::UnrelateReply>, Status> {
        relations::unrelate(self, request).await
    }

    async fn traverse(
        &self,
        request: Request<v1::TraverseRequest>,
    ) -> Result<Response<v1::TraverseReply>, Status> {
        relations::traverse(self, request).await
    }

    async fn path(
        &self,
        request: Request<v1::PathRequest>,
    ) -> Result<Response<v1::PathReply>, Status> {
        relations::path(self, request).await
    }

    async fn log(
        &self,
        request: Request<v1::LogRequest>,
    ) -> Result<Response<v1::LogReply>, Status> {
        history::log(self, request).await
    }

    async fn diff(
        &self,
        request: Request<v1::DiffRequest>,
    ) -> Result<Response<v1::DiffReply>, Status> {
        history::diff(self, request).await
    }

    async fn revert(
        &self,
        request: Request<v1::RevertRequest>,
    ) -> Result<Response<v1::RevertReply>, Status> {
        history::revert(self, request).await
    }

    async fn examine(
        &self,
        request: Request<v1::ExamineRequest>,
    ) -> Result<Response<v1::ExamineReply>, Status> {
        examine::examine(self, request.into_inner()).await
    }

    async fn why(
        &self,
        request: Request<v1::WhyRequest>,
    ) -> Result<Response<v1::WhyReply>, Status> {
        history::why(self, request).await
    }
}
