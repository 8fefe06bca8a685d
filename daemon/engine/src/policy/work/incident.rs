//! A mistake over time: how often it came, what was changed before it went away, and whether that held.

use jiff::tz::TimeZone;
use prost::Message;

use super::fault::Fault;
use crate::model::Timestamp;

/// Fixes that are kept of one mistake, the newest.
const FIXES_MAX: usize = 8;

/// Files and commands that are kept of one fix.
const FILES_MAX: usize = 8;
const COMMANDS_MAX: usize = 4;

/// Files and commands that a reader is told of.
const FILES_SHOWN_MAX: usize = 3;
const COMMANDS_SHOWN_MAX: usize = 2;

/// Version of the persisted form.
const VERSION: u32 = 1;

/// A mistake over time, as it is persisted.
#[derive(Clone, PartialEq, Message)]
pub struct Incident {
    #[prost(uint32, tag = "1")]
    version: u32,
    #[prost(string, tag = "2")]
    code: String,
    #[prost(string, tag = "3")]
    symbol: String,
    #[prost(string, tag = "4")]
    file: String,
    #[prost(string, tag = "5")]
    message: String,
    #[prost(string, tag = "6")]
    tool: String,
    #[prost(uint32, tag = "7")]
    occurrences: u32,
    #[prost(sint64, tag = "8")]
    first_at_us: i64,
    #[prost(sint64, tag = "9")]
    last_at_us: i64,
    #[prost(message, repeated, tag = "10")]
    fixes: Vec<Fix>,
    #[prost(uint32, tag = "11")]
    fixed: u32,
    #[prost(uint32, tag = "12")]
    held: u32,
}

/// What was changed before a mistake went away.
#[derive(Clone, PartialEq, Message)]
pub struct Fix {
    #[prost(sint64, tag = "1")]
    at_us: i64,
    #[prost(string, repeated, tag = "2")]
    files: Vec<String>,
    #[prost(bool, tag = "3")]
    has_failed: bool,
    #[prost(string, repeated, tag = "4")]
    commands: Vec<String>,
}

/// What was done between a failure and the success that followed.
#[derive(Clone, Copy, Debug)]
pub struct Remedy<'a> {
    /// Files changed.
    pub files: &'a [String],
    /// Commands run that change what a build stands on.
    pub commands: &'a [String],
}

impl Incident {
    /// Reads what was persisted; `None` when it is of another version or damaged.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        Self::decode(bytes).ok().filter(|incident| incident.version == VERSION)
    }

    /// The mistake came: for the first time, again, or again after it was gone.
    #[must_use]
    pub fn occurred(known: Option<Self>, fault: &Fault, tool: &str, at: Timestamp, is_back: bool) -> Self {
        let mut incident = known.unwrap_or_else(|| Self {
            version: VERSION,
            code: fault.code.clone(),
            symbol: fault.symbol.clone(),
            file: fault.file.clone(),
            message: fault.message.clone(),
            tool: tool.to_owned(),
            first_at_us: at.as_micros(),
            ..Self::default()
        });
        incident.occurrences = incident.occurrences.saturating_add(1);
        incident.last_at_us = at.as_micros();
        if is_back && let Some(last) = incident.fixes.last_mut().filter(|last| !last.has_failed) {
            last.has_failed = true;
            incident.held = incident.held.saturating_sub(1);
        }
        incident
    }

    /// The mistake went away after this was done.
    pub fn mended(&mut self, remedy: Remedy<'_>, at: Timestamp) {
        let files: Vec<String> = remedy.files.iter().take(FILES_MAX).cloned().collect();
        let commands: Vec<String> = remedy.commands.iter().rev().take(COMMANDS_MAX).rev().cloned().collect();
        self.fixed = self.fixed.saturating_add(1);
        self.held = self.held.saturating_add(1);
        self.fixes.push(Fix { at_us: at.as_micros(), files, commands, has_failed: false });
        if self.fixes.len() > FIXES_MAX {
            self.fixes.remove(0);
        }
    }

    /// How often it came.
    #[must_use]
    pub fn occurrences(&self) -> u32 {
        self.occurrences
    }

    /// The mistake itself.
    #[must_use]
    pub fn fault(&self) -> Fault {
        Fault {
            code: self.code.clone(),
            symbol: self.symbol.clone(),
            file: self.file.clone(),
            message: self.message.clone(),
        }
    }

    /// What helped before, for a reader: `fixed before by changing a.rs (2026-11-03), held 1 of 2`, or that it never held.
    /// `None` when nothing is known to have helped. Days are those of `zone`.
    #[must_use]
    pub fn remedy(&self, zone: &TimeZone) -> Option<String> {
        // To change the file that the mistake is in says least.
        let is_telling =
            |fix: &&Fix| !fix.commands.is_empty() || fix.files.iter().any(|file| !is_same_file(file, &self.file));
        let newest_first = || self.fixes.iter().rev();
        let held = newest_first().filter(is_telling).find(|fix| !fix.has_failed);
        let fix = held.or_else(|| newest_first().find(is_telling)).or_else(|| newest_first().next())?;
        let day = Timestamp::from_micros(fix.at_us).day(zone);
        Some(format!("fixed before by {} ({day}), {}", fix.deeds(), self.record()))
    }

    /// How the remedies fared.
    fn record(&self) -> String {
        match (self.held, self.fixed) {
            (0, 0 | 1) => "which did not hold (it came back)".to_owned(),
            (0, fixed) => format!("which did not hold (it came back {fixed} times)"),
            (held, fixed) => format!("held {held} of {fixed}"),
        }
    }
}

impl Fix {
    /// What was done: ``running `npm install` and changing a.js``.
    fn deeds(&self) -> String {
        let mut deeds = Vec::new();
        if !self.commands.is_empty() {
            let commands =
                self.commands.iter().rev().take(COMMANDS_SHOWN_MAX).rev().map(|command| format!("`{command}`"));
            deeds.push(format!("running {}", commands.collect::<Vec<_>>().join(", ")));
        }
        if !self.files.is_empty() {
            let files = self.files.iter().take(FILES_SHOWN_MAX).cloned().collect::<Vec<_>>().join(", ");
            let more = match self.files.len().saturating_sub(FILES_SHOWN_MAX) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            deeds.push(format!("changing {files}{more}"));
        }
        deeds.join(" and ")
    }
}

/// Whether a project's file is the one that a tool named: whole, or by its end.
fn is_same_file(file: &str, named: &str) -> bool {
    !named.is_empty() && (file.ends_with(named.trim_start_matches("./")) || named.ends_with(file))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_micros(1_793_000_000_000_000 + day * 86_400_000_000)
    }

    #[test]
    fn a_remedy_says_whether_it_held() {
        let fault = Fault { code: "E0382".into(), message: "moved".into(), ..Fault::default() };
        let mut incident = Incident::occurred(None, &fault, "cargo build", at(0), true);
        assert_eq!(incident.remedy(&TimeZone::UTC), None);
        incident.mended(Remedy { files: &["src/a.rs".into()], commands: &[] }, at(0));
        assert!(incident.remedy(&TimeZone::UTC).unwrap().ends_with("by changing src/a.rs (2026-10-26), held 1 of 1"));
        let own = Incident { file: "./src/a.rs".into(), ..incident.clone() };
        assert!(own.remedy(&TimeZone::UTC).unwrap().contains("src/a.rs"), "better than nothing");
        let again = Incident::occurred(Incident::read(&incident.encode_to_vec()), &fault, "cargo build", at(1), true);
        assert!(
            again.remedy(&TimeZone::UTC).unwrap().ends_with("src/a.rs (2026-10-26), which did not hold (it came back)"),
            "{:?}",
            again.remedy(&TimeZone::UTC)
        );
        let twice = Incident { fixed: 2, ..again.clone() };
        assert!(twice.remedy(&TimeZone::UTC).unwrap().ends_with("which did not hold (it came back 2 times)"));
        let mut again = Incident::occurred(Some(again), &fault, "cargo build", at(1), false);
        again.mended(Remedy { files: &["b", "c", "d", "e"].map(String::from), commands: &[] }, at(2));
        assert!(
            again.remedy(&TimeZone::UTC).unwrap().ends_with("changing b, c, d and 1 more (2026-10-28), held 1 of 2")
        );
        again.mended(Remedy { files: &["b".into()], commands: &["npm install".into()] }, at(3));
        assert!(
            again.remedy(&TimeZone::UTC).unwrap().starts_with("fixed before by running `npm install` and changing b (")
        );
        assert_eq!((again.occurrences(), again.fault()), (3, fault));
    }

    #[test]
    fn damaged_and_newer_forms_are_none() {
        assert!(Incident::read(b"\xff\xff").is_none());
        assert!(Incident::read(&Incident { version: 2, ..Incident::default() }.encode_to_vec()).is_none());
    }
}
