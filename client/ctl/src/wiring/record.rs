//! The record of a file that Helix is wired into: what it was before, what of ours is in it, and
//! which of its texts are exactly ours.
//!
//! One record stands for a whole file, however many scopes and projects have entries in it: the
//! last of them to go takes the file back to what it was before the first came, in whatever order
//! they come and go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::target::{Syntax, Target};
use super::undo::hash;
use super::verify::{holds, read_as};

/// The record's format. The first had one record for each level of a file.
pub(super) const RECORD_VERSION: u32 = 2;
/// How many texts are remembered as ours: the latest, far more than there are orders of connecting
/// by hand.
const STATES_MAX: usize = 64;

/// The keys that lead to something of ours: those of a server, or of all hooks.
pub(super) type Entry = Vec<String>;

/// How one file gets back to what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) version: u32,
    /// The canonical path, for people.
    path: String,
    /// The text before us; `None` when there was no file.
    pub(super) original: Option<String>,
    /// Our entries that were put into it and not taken out again.
    pub(super) entries: Vec<Entry>,
    /// The containers that were made for that, outer ones too: they go when they are empty. Others
    /// may have made more since.
    pub(super) made: Vec<Entry>,
    /// The texts that came from the original by our edits alone, oldest first; none once somebody
    /// else has edited it.
    states: Vec<State>,
    /// Directories that were made for the file, deepest first.
    pub(super) made_dirs: Vec<PathBuf>,
}

/// A text of the file that is exactly ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// The text's hash.
    text: String,
    /// Our entries in it.
    entries: Vec<Entry>,
}

/// A record's view of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Standing {
    /// Our entries in it.
    pub(super) entries: Vec<Entry>,
    /// True if nobody else edited it since the original.
    pub(super) is_exact: bool,
}

/// A record of the first format.
#[derive(Debug, Deserialize)]
pub(super) struct FirstRecord {
    path: String,
    original: Option<String>,
    ours: Vec<String>,
    made_dirs: Vec<PathBuf>,
}

impl Record {
    pub(super) fn new(path: &Path, original: Option<String>, made_dirs: Vec<PathBuf>) -> Self {
        let path = path.display().to_string();
        let (entries, made, states) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            version: RECORD_VERSION,
            path,
            original,
            entries,
            made,
            states,
            made_dirs,
        }
    }

    /// Returns our entries in a text of the file.
    pub(super) fn standing(&self, text: &str, syntax: Syntax) -> Standing {
        let known = hash(text.as_bytes());
        if let Some(state) = self.states.iter().find(|state| state.text == known) {
            return Standing {
                entries: state.entries.clone(),
                is_exact: true,
            };
        }
        let value = read_as(syntax, text).ok().flatten().unwrap_or_default();
        let entries = self
            .entries
            .iter()
            .filter(|entry| holds(&value, entry))
            .cloned()
            .collect();
        Standing {
            entries,
            is_exact: false,
        }
    }

    /// The record once the file has this text with these entries. An edit by others is never lost
    /// by going back to a text from before it: unless all of the text `is_exact`ly ours, none
    /// counts as ours any more.
    pub(super) fn next(self, text: &str, entries: Vec<Entry>, is_exact: bool) -> Self {
        let mut states = if is_exact { self.states } else { Vec::new() };
        if is_exact {
            let text = hash(text.as_bytes());
            states.retain(|state| state.text != text);
            states.push(State {
                text,
                entries: entries.clone(),
            });
            states.drain(..states.len().saturating_sub(STATES_MAX));
        }
        Self {
            entries,
            states,
            ..self
        }
    }

    /// The record once what the target wants was put into a file with this text.
    pub(super) fn with_made_for(self, before: Option<&str>, target: &Target) -> Self {
        let made = together(self.made, missing(before, target));
        Self { made, ..self }
    }

    /// The record without the containers that are not in the text any more: who makes them next is
    /// not known.
    pub(super) fn with_made_in(mut self, text: &str, syntax: Syntax) -> Self {
        let value = read_as(syntax, text).ok().flatten().unwrap_or_default();
        self.made.retain(|keys| is_container_at(&value, keys));
        self
    }

    /// Returns whether the file had exactly this text with exactly these entries before.
    pub(super) fn was(&self, text: &str, entries: &[Entry]) -> bool {
        let text = hash(text.as_bytes());
        self.states
            .iter()
            .any(|state| state.text == text && state.entries == entries)
    }

    /// Everything of ours that was in the file in any of these texts.
    pub(super) fn ever(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .chain(self.states.iter().flat_map(|state| &state.entries))
    }
}

impl FirstRecord {
    /// The same in today's format. Such a record was of the root of its file.
    pub(super) fn today(self, target: &Target) -> Record {
        let Self {
            path,
            original,
            ours,
            made_dirs,
        } = self;
        let entries = target.root_entries();
        let made = missing(original.as_deref(), target);
        let states = ours
            .into_iter()
            .map(|text| State {
                text,
                entries: entries.clone(),
            })
            .collect();
        Record {
            version: RECORD_VERSION,
            path,
            original,
            entries,
            made,
            states,
            made_dirs,
        }
    }
}

/// The containers that a target's entries need and that a text does not have.
pub(super) fn missing(text: Option<&str>, target: &Target) -> Vec<Entry> {
    let value = text
        .and_then(|text| read_as(target.syntax, text).ok().flatten())
        .unwrap_or_default();
    let paths = target.containers().into_iter();
    let paths = paths.map(|keys| keys.into_iter().map(str::to_owned).collect::<Entry>());
    paths
        .filter(|keys| !is_container_at(&value, keys))
        .collect()
}

fn is_container_at(root: &Value, keys: &[String]) -> bool {
    keys.iter()
        .try_fold(root, |at, key| at.get(key))
        .is_some_and(|found| found.is_object() || found.is_array())
}

/// Joins two lists, in an order that does not tell which came first.
pub(super) fn together(some: Vec<Entry>, more: Vec<Entry>) -> Vec<Entry> {
    some.into_iter()
        .chain(more)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

/// Returns the entries of the first list that are not in the other.
pub(super) fn without(all: &[Entry], gone: &[Entry]) -> Vec<Entry> {
    all.iter()
        .filter(|entry| !gone.contains(entry))
        .cloned()
        .collect()
}
