//! Text for readers: what a session starts with, what a hook puts in front of an agent, briefs, and
//! hits fitted into a budget of tokens.
//!
//! Stored text is data. It is neutralised, framed and quoted with its handle, and never longer than
//! the caps. Nothing here reads a store, a clock or a file: the caller selects what is shown.
//!
//! # Example
//!
//! The part of a long text that has the words which were asked for:
//!
//! ```
//! use helix_engine::{LexicalQuery, WordsMode};
//! use helix_surface::snippet::snippet;
//!
//! let text = "The linker needs a flag. The walrus rests on the ice. Ships are built in Trieste.";
//! let part = snippet(text, Some(&LexicalQuery::parse("walrus", WordsMode::Any)), 40);
//! assert!(part.text.contains("walrus"));
//! assert!(!part.is_whole);
//! ```

pub mod brief;
pub mod budget;
pub mod checkpoint;
mod frame;
pub mod inject;
pub mod pack;
pub mod prompt;
pub mod session;
pub mod snippet;
