//! Keeps memories and finds them.
//!
//! What a memory is, and every rule that needs nothing but memories, is `helix-memory`. Here data
//! moves one way: `store` (redb, the truth) → `index` (derived, may be deleted while the daemon is
//! off) → `recall` (parse, search, fuse, rank). `strand` ties store and indexes together.
//! What everybody may use stands beside these and imports nothing: `ports`, `lock_order`, and
//! `derived`, files that can be made anew.
//!
//! Absent on purpose: tokio, tonic, ort, environment variables, home directories and clocks. Time,
//! randomness, storage and embeddings come in through `ports` or as arguments.
//!
//! # Example
//!
//! A strand in memory: store one memory, find it.
//!
//! ```
//! use helix_engine::{
//!     Filter, MemoryStorage, Mode, Outcome, Request, Retriever, Search, Strand, Vantage,
//! };
//! use helix_memory::{Actor, Admitted, Draft, Kinds, Scope, Timestamp};
//!
//! let (strand, mut writer, _) = Strand::open(&MemoryStorage, None, Kinds::default())?;
//! let now = Timestamp::from_micros(1_790_000_000_000_000);
//!
//! let draft = Draft {
//!     topic: "deploys".to_owned(),
//!     text: "The staging cluster is rebuilt every Monday.".to_owned(),
//!     ..Draft::default()
//! };
//! let admitted = Box::new(Admitted::of(draft, &Scope::Global, strand.kinds())?);
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
//!     vantage: Vantage::default(),
//! })?;
//! assert_eq!(found.hits[0].memory.topic.as_str(), "deploys");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![allow(
    unreachable_pub,
    reason = "what is public is listed below; within, `pub` is what a module shows to the others"
)]

mod derived;
mod index;
mod lock_order;
mod ports;
mod recall;
mod store;
mod strand;

// What is stored beside memories, and the file they are in.
pub use store::{
    Damage, DirectoryStorage, Examined, MemoryStorage, Operation, OperationKind, Payload, Shrunk,
    Snapshot, Stamps, States, Store, StoreError, Verified, Write, WriteError, Writer,
};

// The knowledge base: opening, reading and changing it.
pub use strand::Returned;
pub use strand::past::{Between, EdgeVersions, Versions};
pub use strand::{
    Correction, Corrects, Counted, CrossReference, Distil, DuplicatePair, Duplicates, Edited, Fate,
    Latest as LatestTexts, MeaningStatus, MergePair, OpenError, Outcome, Part as SplitPart,
    Pending as PendingVectors, ReadError, Repeated, Request, Resolution, Restored, Since,
    SpaceError, SpaceRole, Split, Statistics, Step, StepChange, Strand, StrandWriter, TopicEdge,
    TopicEdit, TopicGraph,
};

// Indexes: columns of all memories in RAM, the graph, words and vectors.
pub use index::catalog::{Catalog, Row, TopicEntry};
pub use index::filter::{Cut as FilterCut, Demands, Filter};
pub use index::graph::{Arc as GraphArc, Step as WalkStep, Walk};
pub use index::lexical::{
    LexicalQuery, Mode as WordsMode, Prepared, Restriction as WordsRestriction,
};
pub use index::vectors::{TextVectors, TokenVector};

// Questions and their answers.
pub use recall::parse::Slip;
pub use recall::relevance::{Occasion, Weigher};
pub use recall::{
    Behind, Calendar, Cursor, Evidence, Factors, Fate as HitFate, Hit, Leaf as QueryLeaf, Mode,
    Narrowed, ParsedQuery, Place as HitPlace, Recalled, Retriever, Search, Standing as HitStanding,
    Vantage, WhyNot, WordsFound,
};

// What the engine asks of the world.
pub use ports::{FileIdentity, Storage};
