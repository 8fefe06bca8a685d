//! Writing the document.

use std::io::{self, Write};

use super::{FORMAT, VERSION};
use crate::Portable;
use crate::entry::{Carries, Line};

/// Writes a document, one memory after the other. Give it a buffered stream, and memories grouped
/// by topic.
///
/// A document that was not [finished](Self::finish) is not valid JSON.
pub struct Writer<W> {
    output: W,
    topic: Option<String>,
    written: u64,
}

impl<W: Write> Writer<W> {
    /// Writes the start.
    ///
    /// # Errors
    /// When the stream fails.
    pub fn new(mut output: W) -> io::Result<Self> {
        write!(
            output,
            "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"topics\":["
        )?;
        Ok(Self {
            output,
            topic: None,
            written: 0,
        })
    }

    /// Appends a memory.
    ///
    /// # Errors
    /// When the stream fails; the document is then incomplete.
    pub fn write(&mut self, memory: &Portable) -> io::Result<()> {
        if self.topic.as_ref() == Some(&memory.topic) {
            self.output.write_all(b",\n")?;
        } else {
            let before: &[u8] = if self.topic.is_some() {
                b"\n]},\n"
            } else {
                b"\n"
            };
            self.output.write_all(before)?;
            self.output.write_all(b"{\"topic\":")?;
            serde_json::to_writer(&mut self.output, &memory.topic)?;
            self.output.write_all(b",\"entries\":[\n")?;
            self.topic = Some(memory.topic.clone());
        }
        serde_json::to_writer(&mut self.output, &Line::new(memory, Carries::Text))?;
        self.written += 1;
        Ok(())
    }

    /// Memories written so far.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes the end, flushes and returns the stream.
    ///
    /// # Errors
    /// When the stream fails; the document is then incomplete.
    pub fn finish(mut self) -> io::Result<W> {
        let end: &[u8] = if self.topic.is_some() {
            b"\n]}\n]}\n"
        } else {
            b"]}\n"
        };
        self.output.write_all(end)?;
        self.output.flush()?;
        Ok(self.output)
    }
}
