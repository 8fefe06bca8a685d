//! A call on its way: who makes it, which thread works on it, and its answer or refusal.

use std::sync::Arc;

use helix_app::ports::Hold;
use helix_app::threads::{long_off_thread, off_thread};
use helix_app::{App, Asker, Refusal};
use helix_proto::v1;
use tonic::{Request, Response, Status};

use super::Service;
use crate::runtime::Runtime;
use crate::wire;
use crate::work::Long;

/// A request that says where it comes from.
pub(super) trait Called: Send + 'static {
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
    ConflictsRequest,
    SettleRequest,
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
    RelateRequest,
    UnrelateRequest,
    TraverseRequest,
    PathRequest,
    LogRequest,
    DiffRequest,
    RevertRequest,
    WhyRequest,
    LifecycleRequest,
    ReviewRequest,
    JudgeRequest,
    PurgeRequest,
    CaptureRequest,
    CaptureImportRequest,
    EventRequest,
    ConsolidateRequest,
    ProviderRequest,
);

/// Sends what a use case came to.
pub(super) fn reply<T>(outcome: Result<T, Refusal>) -> Result<Response<T>, Status> {
    outcome.map(Response::new).map_err(refused)
}

/// Sends a refusal.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands it over")]
pub(super) fn refused(refusal: Refusal) -> Status {
    wire::refused(&refusal)
}

/// Begins what may take minutes, where there is a place for it.
pub(super) fn begin_long(runtime: &Runtime, kind: Long) -> Result<Hold, Refusal> {
    match runtime.work.begin_long(kind) {
        Ok(going) => Ok(Arc::new(going)),
        Err(error) => Err(Refusal::unavailable(error.to_string())),
    }
}

impl Service {
    /// Takes a request once it is known which project it comes from.
    pub(super) async fn met<R: Called>(&self, request: Request<R>) -> Result<R, Status> {
        let request = request.into_inner();
        self.runtime.meet(request.caller()).await.map_err(refused)?;
        Ok(request)
    }

    /// Finds out who makes a call that was met, which may look at the disk.
    pub(super) fn who(
        &self,
        caller: Option<v1::Caller>,
    ) -> impl FnOnce() -> Asker + Send + use<> + 'static {
        let runtime = Arc::clone(&self.runtime);
        move || runtime.asker(caller.as_ref())
    }

    /// The same, on a thread that may look at the disk.
    pub(super) async fn asker(&self, caller: Option<v1::Caller>) -> Result<Asker, Status> {
        let who = self.who(caller);
        off_thread(&self.runtime.app, move |_| Ok(who()))
            .await
            .map_err(refused)
    }

    /// Finds out who makes a call that was not met yet.
    pub(super) async fn met_asker(&self, caller: Option<v1::Caller>) -> Result<Asker, Refusal> {
        self.runtime.meet(caller.as_ref()).await?;
        let who = self.who(caller);
        off_thread(&self.runtime.app, move |_| Ok(who())).await
    }

    /// Has a thread answer a request.
    pub(super) async fn ask<R: Called, T: Send + 'static>(
        &self,
        request: Request<R>,
        answer: impl FnOnce(&App, &Asker, R) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<Response<T>, Status> {
        let request = self.met(request).await?;
        let who = self.who(request.caller().cloned());
        reply(off_thread(&self.runtime.app, move |app| answer(app, &who(), request)).await)
    }

    /// Has a thread answer a request, which may take minutes.
    pub(super) async fn ask_long<R: Called, T: Send + 'static>(
        &self,
        request: Request<R>,
        kind: Long,
        answer: impl FnOnce(&App, &Asker, R) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<Response<T>, Status> {
        let request = self.met(request).await?;
        let going = begin_long(&self.runtime, kind).map_err(refused)?;
        let who = self.who(request.caller().cloned());
        let answered = long_off_thread(&self.runtime.app, &going, move |app| {
            answer(app, &who(), request)
        });
        reply(answered.await)
    }
}
