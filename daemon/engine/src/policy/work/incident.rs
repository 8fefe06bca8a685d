//! A mistake over time: how often it came, what was done before it went away, how often that helped, and whether it held.

use std::time::Duration;

use jiff::tz::TimeZone;
use prost::Message;

use super::fault::Fault;
use crate::model::Timestamp;
use crate::policy::redact::redacted;

/// Fixes that are kept of one mistake, the newest.
const FIXES_MAX: usize = 8;

/// Files and commands that are kept of one fix.
const FILES_MAX: usize = 8;
const COMMANDS_MAX: usize = 4;

/// Files and commands that a reader is told of.
const FILES_SHOWN_MAX: usize = 3;
const COMMANDS_SHOWN_MAX: usize = 2;

/// Time for which a mistake must stay away for what was done to count as having held: until another day's work.
const HELD_AFTER: Duration = Duration::from_hours(12);

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
}

/// What was done before a mistake went away.
#[derive(Clone, PartialEq, Message)]
pub struct Fix {
    #[prost(sint64, tag = "1")]
    at_us: i64,
    #[prost(string, repeated, tag = "2")]
    files: Vec<String>,
    /// Whether the mistake came back after the last time.
    #[prost(bool, tag = "3")]
    is_over: bool,
    #[prost(string, repeated, tag = "4")]
    commands: Vec<String>,
    /// How often the mistake came back after this and went away by it again; and how often it had stayed away.
    #[prost(uint32, tag = "5")]
    again: u32,
    #[prost(uint32, tag = "6")]
    held: u32,
    /// Files that were changed and are not kept.
    #[prost(uint32, tag = "7")]
    more_files: u32,
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
        if is_back && let Some(last) = incident.fixes.last_mut().filter(|last| !last.is_over) {
            last.is_over = true;
            let away_us = u128::try_from(at.as_micros().saturating_sub(last.at_us)).unwrap_or_default();
            last.held = last.held.saturating_add(u32::from(away_us >= HELD_AFTER.as_micros()));
        }
        incident
    }

    /// The mistake went away after this was done.
    pub fn mended(&mut self, remedy: Remedy<'_>, at: Timestamp) {
        let files: Vec<String> = remedy.files.iter().take(FILES_MAX).cloned().collect();
        let more_files = u32::try_from(remedy.files.len() - files.len()).unwrap_or(u32::MAX);
        let commands: Vec<String> = remedy.commands.iter().rev().take(COMMANDS_MAX).rev().cloned().collect();
        let is_same = |fix: &Fix| fix.files == files && fix.commands == commands && fix.more_files == more_files;
        let known = self.fixes.iter().position(is_same);
        let fix = match known.map(|place| self.fixes.remove(place)) {
            Some(fix) => Fix { at_us: at.as_micros(), is_over: false, again: fix.again.saturating_add(1), ..fix },
            None => Fix { at_us: at.as_micros(), files, commands, more_files, ..Fix::default() },
        };
        self.fixes.push(fix);
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

    /// What helped before, for a reader: `fixed before by changing a.rs (2026-11-03), held 1 of 2`, or that it came back soon.
    /// `None` when nothing is known to have helped. What held most often comes first, then what helped most often, then the newest.
    /// Days are those of `zone`.
    #[must_use]
    pub fn remedy(&self, zone: &TimeZone) -> Option<String> {
        // To change the file that the mistake is in says least.
        let is_telling =
            |fix: &&Fix| !fix.commands.is_empty() || fix.files.iter().any(|file| !is_same_file(file, &self.file));
        let best = |fix: &&Fix| (fix.held_so_far(), fix.again, fix.at_us);
        let fix =
            self.fixes.iter().filter(is_telling).max_by_key(best).or_else(|| self.fixes.iter().max_by_key(best))?;
        let day = Timestamp::from_micros(fix.at_us).day(zone);
        // What was kept before secrets were taken out is shown without them as well.
        Some(redacted(&format!("fixed before by {} ({day}), {}", fix.deeds(), fix.record())).into_owned())
    }
}

impl Fix {
    /// How often the mistake stayed away, the last time included while it does.
    fn held_so_far(&self) -> u32 {
        self.held.saturating_add(u32::from(!self.is_over))
    }

    /// How it fared.
    fn record(&self) -> String {
        match (self.held_so_far(), self.again.saturating_add(1)) {
            (0, 1) => "which helped, though it came back the same day".to_owned(),
            (0, times) => format!("which helped {times} times, though it came back the same day each time"),
            (held, times) => format!("held {held} of {times}"),
        }
    }

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
            let more = match self.files.len().saturating_sub(FILES_SHOWN_MAX) + self.more_files as usize {
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
        let hours = |hours: i64| Timestamp::from_micros(at(0).as_micros() + hours * 3_600_000_000);
        let ends = |incident: &Incident, end: &str| incident.remedy(&TimeZone::UTC).unwrap().ends_with(end);
        let fault = Fault { code: "E0382".into(), message: "moved".into(), ..Fault::default() };
        let mut incident = Incident::occurred(None, &fault, "cargo build", at(0), true);
        assert_eq!(incident.remedy(&TimeZone::UTC), None);
        incident.mended(Remedy { files: &["src/a.rs".into()], commands: &[] }, at(0));
        assert!(incident.remedy(&TimeZone::UTC).unwrap().ends_with("by changing src/a.rs (2026-10-26), held 1 of 1"));
        let own = Incident { file: "./src/a.rs".into(), ..incident.clone() };
        assert!(own.remedy(&TimeZone::UTC).unwrap().contains("src/a.rs"), "better than nothing");
        let again =
            Incident::occurred(Incident::read(&incident.encode_to_vec()), &fault, "cargo build", hours(1), true);
        assert!(ends(&again, "src/a.rs (2026-10-26), which helped, though it came back the same day"));
        let mut again = Incident::occurred(Some(again), &fault, "cargo build", hours(1), false);
        again.mended(Remedy { files: &["src/a.rs".into()], commands: &[] }, hours(2));
        assert!(ends(&again, "src/a.rs (2026-10-26), held 1 of 2"), "so far");
        let mut later = Incident::occurred(Some(again.clone()), &fault, "cargo build", hours(30), true);
        assert!(ends(&later, "held 1 of 2"), "a day is long enough");
        let back = Incident::occurred(Some(again), &fault, "cargo build", hours(3), true);
        assert!(ends(&back, "which helped 2 times, though it came back the same day each time"));
        later.mended(Remedy { files: &["b", "c", "d", "e"].map(String::from), commands: &[] }, hours(48));
        let other = Incident::occurred(Some(later), &fault, "cargo build", hours(49), true);
        assert!(ends(&other, "src/a.rs (2026-10-26), held 1 of 2"), "each remedy has its own record");
        let mut first = Incident::occurred(None, &fault, "cargo build", at(0), true);
        first.mended(Remedy { files: &["b", "c", "d", "e"].map(String::from), commands: &[] }, hours(48));
        assert!(ends(&first, "changing b, c, d and 1 more (2026-10-28), held 1 of 1"));
        first.mended(Remedy { files: &["b".into()], commands: &["npm install".into()] }, hours(72));
        let newest = "fixed before by running `npm install` and changing b (2026-10-29), held 1 of 1";
        assert!(ends(&first, newest), "the newest of equals");
        assert_eq!((other.occurrences(), other.fault()), (5, fault));
    }

    #[test]
    fn files_that_are_not_kept_are_counted() {
        let fault = Fault { code: "E0382".into(), message: "moved".into(), ..Fault::default() };
        let mut incident = Incident::occurred(None, &fault, "cargo build", at(0), true);
        let files: Vec<String> = (0..12).map(|n| format!("src/{n}.rs")).collect();
        incident.mended(Remedy { files: &files, commands: &[] }, at(0));
        let incident = Incident::read(&incident.encode_to_vec()).unwrap();
        let told = incident.remedy(&TimeZone::UTC).unwrap();
        assert!(told.contains("changing src/0.rs, src/1.rs, src/2.rs and 9 more ("), "{told}");
    }

    #[test]
    fn damaged_and_newer_forms_are_none() {
        assert!(Incident::read(b"\xff\xff").is_none());
        assert!(Incident::read(&Incident { version: 2, ..Incident::default() }.encode_to_vec()).is_none());
    }
}
