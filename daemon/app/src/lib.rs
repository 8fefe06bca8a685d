//! The use cases: what is done with memories when somebody asks, and what hooks decide to say
//! unasked.
//!
//! It stands between the engine, which keeps and finds memories, and the daemon, which serves.
//! Absent on purpose: tonic, the messages of the wire, tokio, and a clock of its own. What it needs
//! of the world comes in through [`ports`]; what lies in other people's files is asked for through
//! [`reach`], which gives up in time.
//!
//! Two owners: [`Memory`], the knowledge base and how to reach it, and [`Hooks`], what is known of
//! the sessions that go on.
//!
//! # Example
//!
//! A project says which scopes are searched from it and how its files are named. What cannot be done
//! is a [`Refusal`] with a class and a message for whoever asked.
//!
//! ```
//! use std::path::Path;
//!
//! use helix_app::Refusal;
//! use helix_app::project::Project;
//! use helix_memory::ErrorKind;
//! use helix_memory::Scope;
//!
//! let project = Project {
//!     scope: Scope::Project("github.com/acme/shop".to_owned()),
//!     ..Project::outside(Path::new("/work/shop"))
//! };
//! assert_eq!(project.scopes(), [project.scope.clone(), Scope::Global]);
//! assert_eq!(project.relative(Path::new("/work/shop/src/../README.md")), Path::new("README.md"));
//!
//! let refusal = Refusal::not_found("no memory is called `shop-7`; search for its words");
//! assert_eq!(refusal.kind(), ErrorKind::NotFound);
//! ```

pub mod asker;
pub mod backup;
pub mod brief;
pub mod capture;
pub mod check;
pub mod checkpoint;
pub mod compact;
pub mod conflicts;
pub mod consolidate;
pub mod context;
mod disputes;
pub mod edit;
pub mod event;
pub mod examine;
pub mod exchange;
pub mod export;
pub mod find;
pub mod forget;
pub mod forgotten;
pub mod git_head;
pub mod history;
pub mod hook;
pub mod import;
pub mod indexes;
pub mod jobs;
pub mod language;
pub mod layout;
pub mod lifecycle;
pub mod limit;
pub mod located;
pub mod memory;
pub mod metrics;
pub mod model_bench;
pub mod moment;
pub mod note;
pub mod outbox;
pub mod overseen;
mod own_lines;
pub mod patterns;
pub mod plain_file;
pub mod pool;
pub mod ports;
pub mod project;
pub mod purge;
pub mod reach;
pub mod receipts;
pub mod refusal;
pub mod relations;
pub mod review;
pub mod scopes;
pub mod search;
mod session_id;
pub mod session_log;
pub mod settings;
pub mod shown;
pub mod sources;
pub mod stale;
pub mod statistics;
pub mod status;
pub mod store;
mod suspicion;
pub mod sweep;
pub mod threads;
pub mod told;
pub mod topics;
pub mod uncompared;
mod upkeep;
mod veil;
pub mod work;

use std::sync::Arc;

pub use asker::Asker;
pub use hook::Hooks;
pub use language::Language;
pub use layout::Layout;
pub use memory::Memory;
pub use metrics::Metrics;
pub use refusal::Refusal;
pub use settings::Settings;

/// Everything that a use case may need.
pub struct App {
    /// The knowledge base.
    pub memory: Memory,
    /// What hooks know.
    pub hooks: Arc<Hooks>,
    /// What was done, counted day by day.
    pub metrics: Arc<Metrics>,
    /// What the user set for the upkeep.
    pub settings: Settings,
    /// Language models, where the user configured any.
    pub language: Language,
    /// Where all of it lies.
    pub layout: Layout,
    /// The only way to change the knowledge base.
    pub writer: Arc<dyn ports::Writer>,
    /// Threads that may block.
    pub threads: Arc<dyn ports::Threads>,
    /// The program that this is a part of.
    pub life: Arc<dyn ports::Life>,
}
