//! Reading the files of an import: a third of its work, so a thread of its own does it while what
//! was read before is merged with what is known.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

use helix_exchange::{
    Base, Flaw, OwnLines, Place, Portable, Problem, Report, amrl, json, markdown,
};
use helix_redact::Public;

use super::incoming::Incoming;
use super::spool::{Spool, SpoolError};
use crate::Refusal;
use crate::exchange::Format;

/// Memories that are handed over together.
const PART_MEMORIES: usize = 128;

/// Parts that wait to be merged.
const PARTS_AHEAD: usize = 2;

/// A part that is handed over.
pub(super) enum Part {
    /// Memories in their order.
    Memories(Vec<Incoming>),
    /// The end of a file, and the notes on it.
    End {
        /// Its name.
        file: String,
        /// Why it was not read to its end, or what was wrong with it.
        outcome: Result<Report, Refusal>,
    },
}

/// Starts the thread. It ends when everything was read, or nobody takes what it reads.
pub(super) fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    spool: &'scope Spool,
    format: Format,
) -> io::Result<Receiver<Part>> {
    let (parts, taken) = sync_channel(PARTS_AHEAD);
    let mut reading = Reading {
        spool,
        format,
        parts,
        gathered: Vec::new(),
    };
    let read = move || {
        for file in spool.files() {
            let outcome = match reading.read(file) {
                Ok(report) => Ok(report),
                Err(Ended::Failed(status)) => Err(status),
                Err(Ended::Unwanted) => return,
            };
            if reading
                .hand_over()
                .and_then(|()| {
                    reading.send(Part::End {
                        file: file.to_owned(),
                        outcome,
                    })
                })
                .is_err()
            {
                return;
            }
        }
    };
    thread::Builder::new()
        .name("files".to_owned())
        .spawn_scoped(scope, read)?;
    Ok(taken)
}

/// Why a file was not read to its end.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("{0}")]
    Failed(Refusal),
    #[error("nobody takes what is read")]
    Unwanted,
}

fn unread(error: io::Error) -> Ended {
    Ended::Failed(SpoolError::from(error).into())
}

struct Reading<'s> {
    spool: &'s Spool,
    format: Format,
    parts: SyncSender<Part>,
    gathered: Vec<Incoming>,
}

impl Reading<'_> {
    fn read(&mut self, file: &str) -> Result<Report, Ended> {
        match self.format {
            Format::Json => self.read_json(file),
            Format::Markdown => self.read_markdown(file),
            Format::Amrl => self.read_amrl(file),
        }
    }

    fn read_json(&mut self, file: &str) -> Result<Report, Ended> {
        let input = self.spool.open(file).map_err(unread)?;
        json::read_with_bases(input, |memory, base| self.push(memory, base)).map_err(|error| {
            match error {
                json::ReadError::Stopped(ended) => ended,
                other => Ended::Failed(match other.kind() {
                    Some(kind) => Refusal::of(kind, &other),
                    None => Refusal::internal(other.to_string()),
                }),
            }
        })
    }

    fn read_markdown(&mut self, file: &str) -> Result<Report, Ended> {
        let input = self.spool.open(file).map_err(unread)?;
        let topic = file
            .rsplit('/')
            .next()
            .unwrap_or(file)
            .trim_end_matches(".md");
        let failed = |error| Ended::Failed(Refusal::invalid(format!("{file}: {error}")));
        // Sections are read one by one, and a private part may begin in one and end in another.
        let mut reader = markdown::Reader::new(Public::new(input), topic).map_err(failed)?;
        for section in reader.by_ref() {
            let markdown::Section { memory, base, .. } = section.map_err(failed)?;
            self.push(memory, base)?;
        }
        Ok(reader.report().clone())
    }

    fn read_amrl(&mut self, file: &str) -> Result<Report, Ended> {
        let mut input = self.spool.open(file).map_err(unread)?;
        let deleted = amrl::deleted_offsets(&mut input).map_err(unread)?;
        let failed = |error: amrl::ReadError| Ended::Failed(Refusal::invalid(error.to_string()));
        let mut reader = amrl::Reader::new(input, deleted).map_err(failed)?;
        let mut first_inside = None;
        for entry in reader.by_ref() {
            let amrl::Entry { offset, memory } = entry.map_err(failed)?;
            // Said once: whoever writes such bodies writes many.
            if first_inside.is_none() && !OwnLines::inside(&memory.text).is_empty() {
                first_inside = Some(Flaw {
                    at: Place::Byte(offset),
                    problem: Problem::LineInside,
                });
            }
            self.push(memory, Base::default())?;
        }
        let mut report = reader.report().clone();
        report.flaws.extend(first_inside);
        Ok(report)
    }

    fn push(&mut self, memory: Portable, base: Base) -> Result<(), Ended> {
        self.gathered.push(Incoming::new(memory, base, self.format));
        if self.gathered.len() < PART_MEMORIES {
            Ok(())
        } else {
            self.hand_over()
        }
    }

    fn hand_over(&mut self) -> Result<(), Ended> {
        match std::mem::take(&mut self.gathered) {
            gathered if gathered.is_empty() => Ok(()),
            gathered => self.send(Part::Memories(gathered)),
        }
    }

    fn send(&self, part: Part) -> Result<(), Ended> {
        self.parts.send(part).map_err(|_| Ended::Unwanted)
    }
}
