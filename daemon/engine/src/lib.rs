//! Helix's functional core and its storage.
//!
//! Data moves one way: `model` (values) → `policy` (pure decisions) → `store` (redb, the truth) →
//! `index` (derived, may be deleted while the daemon is off) → `recall` (parse, search, fuse, rank)
//! → `brief` (compress what was selected) and `surface` (text for readers). [`strand`] ties store
//! and indexes together; [`exchange`] is how memories travel between strands.
//! What everybody may use stands beside these and imports nothing: [`error`], [`ports`],
//! [`lock_order`], [`neutral`], text that is safe to show, and [`derived`], files that can be made
//! anew.
//!
//! Absent on purpose: tokio, tonic, ort, environment variables, home directories and clocks. Time,
//! randomness, storage and embeddings come in through [`ports`] or as arguments.
//!
//! # Example
//!
//! A strand in memory: store one memory, find it.
//!
//! ```
//! use helix_engine::index::filter::Filter;
//! use helix_engine::model::{Actor, Draft, Kinds, Scope, Timestamp};
//! use helix_engine::policy::admit::admit;
//! use helix_engine::recall::{Mode, Retriever, Search};
//! use helix_engine::store::MemoryStorage;
//! use helix_engine::strand::{Outcome, Request, Strand};
//!
//! let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default())?;
//! let now = Timestamp::from_micros(1_790_000_000_000_000);
//!
//! let draft = Draft {
//!     topic: "deploys".to_owned(),
//!     text: "The staging cluster is rebuilt every Monday.".to_owned(),
//!     ..Draft::default()
//! };
//! let admitted = Box::new(admit(draft, &Scope::Global, strand.kinds())?);
//! let outcomes = writer.commit(vec![Request::Store {
//!     words: Box::new(Strand::read_words(&admitted)),
//!     admitted,
//!     links: Vec::new(),
//!     stamps: None,
//!     force: false,
//!     corrects: Vec::new(),
//!     entropy: [7; 10],
//!     actor: Actor::default(),
//!     at: now,
//! }])?;
//! assert!(matches!(outcomes[0], Ok(Outcome::Stored(_))));
//!
//! let found = strand.search(&Search {
//!     words: "staging".to_owned(),
//!     vector: None,
//!     filter: Filter::default(),
//!     limit: 5,
//!     mode: Mode::Auto,
//!     retriever: Retriever::Words,
//!     now,
//!     branch: String::new(),
//! })?;
//! assert_eq!(found.hits[0].memory.topic.as_str(), "deploys");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod brief;
pub mod derived;
pub mod error;
pub mod exchange;
pub mod index;
pub mod lock_order;
pub mod model;
pub mod neutral;
pub mod policy;
pub mod ports;
pub mod recall;
pub mod store;
pub mod strand;
pub mod surface;
