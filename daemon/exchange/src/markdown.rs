//! Markdown: one file a topic, to be read, edited and kept in a repository by people.
//!
//! ```text
//! ---
//! topic: build-gotchas
//! format: helix-markdown
//! version: 1
//! count: 2
//! ---
//!
//! <!-- helix: {"id":"…","tags":["build"],…,"text_hash":"…","fields_hash":"…"} -->
//! The text, as it is.
//! <!-- /helix -->
//! ```
//!
//! A memory stands between two markers, which are invisible when rendered; its text comes back to
//! the byte, whatever it holds: a text line that looks like a marker gets a backslash before it,
//! and loses it again when read.
//!
//! **Editing.** The marker carries hashes of the text and of the fields that people edit (kind,
//! tags, importance, confidence, pinned), so the reader knows a [revised](super::Change::Revised)
//! memory from an untouched one, and the [`Base`](super::Base) that the edit started from, whatever
//! the strand says meanwhile; a third one tells which of the other fields somebody changed. A file
//! that ends in the middle of a memory gives the whole ones before it, and the report says what is
//! lost. What stands outside of the markers is [new](super::Change::New): a `## ` heading or a line
//! `---` starts the next memory, a `# ` heading alone is the page's title, and the metadata lines
//! of AMRL (`[tags: a, b]`) are understood. So any Markdown file can be imported; one without front
//! matter takes its topic from its name, and what the front matter says (kind, tags, source, links,
//! confidence, importance, pin, scope and times) holds for every new memory that does not say it
//! itself. A file whose line ends became CRLF is read as if they had not.

mod front_matter;
mod lines;
mod marker;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::{ReadError, Reader, Section};
pub use write::Writer;

use helix_memory::Topic;

/// The front matter's name for the format.
const FORMAT: &str = "helix-markdown";

/// The version that is written, and the last one that is read.
const VERSION: u64 = 1;

/// The line around the front matter, and between new memories.
const RULE: &str = "---";

/// Longest line and longest section that is kept, in bytes: the longest text, escaped, or the
/// metadata of one memory.
const SECTION_MAX_BYTES: usize = 1024 * 1024;

/// Longest file name that file systems take, in bytes.
const FILE_NAME_MAX_BYTES: usize = 255;

const EXTENSION: &str = ".md";

/// Bytes of a hash that keeps cut file names apart.
const NAME_HASH_BYTES: usize = 8;

/// Returns the name of a topic's file: `<topic>.md`, cut and made unique where the topic is too
/// long for a file system.
#[must_use]
pub fn file_name(topic: &Topic) -> String {
    let name = topic.as_str();
    if name.len() + EXTENSION.len() <= FILE_NAME_MAX_BYTES {
        return format!("{name}{EXTENSION}");
    }
    let hash = blake3::hash(name.as_bytes());
    let hash = hex::encode(hash.as_bytes().get(..NAME_HASH_BYTES).unwrap_or_default());
    let room = FILE_NAME_MAX_BYTES - EXTENSION.len() - hash.len() - 1;
    let cut = name.floor_char_boundary(room);
    format!("{}-{hash}{EXTENSION}", name.get(..cut).unwrap_or_default())
}
