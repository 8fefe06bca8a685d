//! Writing a topic's file.

use std::io::{self, Write};

use helix_memory::Topic;

use super::marker::{self, CLOSE};
use super::{FORMAT, RULE, VERSION};
use crate::Portable;

/// Writes one topic's file, one memory after the other. Give it a buffered stream.
pub struct Writer<W> {
    output: W,
}

impl<W: Write> Writer<W> {
    /// Writes the front matter; `count` is how many memories will follow.
    ///
    /// # Errors
    /// When the stream fails.
    pub fn new(mut output: W, topic: &Topic, count: u64) -> io::Result<Self> {
        write!(
            output,
            "{RULE}\ntopic: {topic}\nformat: {FORMAT}\nversion: {VERSION}\ncount: {count}\n{RULE}\n"
        )?;
        Ok(Self { output })
    }

    /// Appends a memory, whatever topic it names.
    ///
    /// # Errors
    /// When the stream fails; the file is then incomplete.
    pub fn write(&mut self, memory: &Portable) -> io::Result<()> {
        let text = marker::escape(&memory.text);
        write!(
            self.output,
            "\n{}\n{text}\n{CLOSE}\n",
            marker::open(memory)?
        )
    }

    /// Flushes and returns the stream.
    ///
    /// # Errors
    /// When the stream fails; the file is then incomplete.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }
}
