//! The answers of `--json`: stable names, times as RFC 3339 in UTC, ids as hyphenated hexadecimal,
//! texts exact.
//!
//! These structs are a format of their own. They are made from the wire's messages here and nowhere
//! else.

mod capture;
mod care;
mod conflicts;
mod consolidate;
mod exchange;
mod history;
mod life;
mod memory;
mod models;
mod provider;
mod relations;
mod review;
mod search;
mod status;
mod topics;
mod work;

pub(crate) use capture::{
    CaptureDocument, CaptureFilesDocument, CaptureImportDocument, EventDocument,
};
pub(crate) use care::{CompactDocument, PruneDocument, ReindexDocument, StaleDocument};
pub(crate) use conflicts::{ConflictsDocument, SettledDocument};
pub(crate) use consolidate::ConsolidateDocument;
pub(crate) use exchange::{BatchLine, EditDocument, ExportDocument, ImportDocument};
pub(crate) use history::{DiffDocument, LogDocument, RevertDocument, WhyDocument};
pub(crate) use life::{BackupsDocument, LifecycleDocument, MetricsDocument};
pub(crate) use memory::{ForgetDocument, ReadDocument, StoreDocument, hyphenated, source_state};
pub(crate) use models::{ModelFiguresDocument, ModelsDocument, model_state};
pub(crate) use provider::ProviderDocument;
pub(crate) use relations::{RelateDocument, UnrelateDocument, WalkDocument, unrelated_how};
pub(crate) use review::{JudgeDocument, PurgeDocument, ReviewDocument, review_kind};
pub(crate) use search::{SearchDocument, WhyNotDocument, found_by};
pub(crate) use status::{StatusDocument, embedder_state};
pub(crate) use topics::{
    CrossReferencesDocument, GraphDocument, RecentDocument, StatsDocument, TopicsDocument,
};
pub(crate) use work::{
    BriefDocument, CheckpointDocument, ContextDocument, ReceiptsDocument, SessionDocument,
    SessionsDocument, UpgradeDocument,
};
