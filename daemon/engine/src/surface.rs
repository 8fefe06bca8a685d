//! Text for readers: what a session starts with, and what a hook puts in front of an agent.
//!
//! Stored text is data. It is neutralised, framed and quoted with its handle, and never longer than
//! the caps.

pub mod checkpoint;
pub(crate) mod frame;
pub mod inject;
pub mod prompt;
pub mod session;
pub mod work;
