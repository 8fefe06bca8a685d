//! A mistake over time: how often it came, what was done before it went away, how often that
//! helped, and whether it held.
//!
//! What was done is told when the mistake comes back with all that was said of it then, values
//! included: the same test that fails with another value fails for another reason. What came back
//! the same day did not hold, and is not told.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use helix_memory::Timestamp;
use helix_redact::{Redact, Secrets, redacted};
use helix_terminal::command::concerns;
use helix_terminal::fault::{Fault, Sighting};
use jiff::tz::TimeZone;
use prost::Message;

/// Fixes that are kept of one mistake, the newest.
const FIXES_MAX: usize = 8;

/// Files and commands that are kept of one fix.
const FILES_MAX: usize = 8;
const COMMANDS_MAX: usize = 4;

/// Files and commands that a reader is told of.
const FILES_SHOWN_MAX: usize = 3;
const COMMANDS_SHOWN_MAX: usize = 2;

/// Lines that are kept of what is said of a mistake.
const SAID_MAX: usize = 32;

/// Ways in which one mistake is told until it goes away that are kept, the newest: its values
/// change as somebody works on it.
const ACCOUNTS_MAX: usize = 3;

/// What no build reads, unless the failure says so.
const PROSE: &[&str] = &["adoc", "markdown", "md", "mdx", "rst"];

/// Time for which a mistake must stay away for what was done to count as having held: until another
/// day's work.
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
    /// How it was told since it came.
    #[prost(message, repeated, tag = "11")]
    accounts: Vec<Account>,
}

/// All that was said of a mistake at one time.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Account {
    /// As in [`Sighting`].
    #[prost(fixed64, repeated, tag = "1")]
    said: Vec<u64>,
    /// The files that it was said of, as in [`Visit`].
    #[prost(string, repeated, tag = "2")]
    files: Vec<String>,
}

/// What was done before a mistake went away.
#[derive(Clone, PartialEq, Message)]
pub struct Fix {
    #[prost(sint64, tag = "1")]
    at_us: i64,
    #[prost(string, repeated, tag = "2")]
    files: Vec<String>,
    /// True if the mistake came back after the last time.
    #[prost(bool, tag = "3")]
    is_over: bool,
    #[prost(string, repeated, tag = "4")]
    commands: Vec<String>,
    /// How often the mistake came back after this and went away by it again; and how often it had
    /// stayed away.
    #[prost(uint32, tag = "5")]
    again: u32,
    #[prost(uint32, tag = "6")]
    held: u32,
    /// Files that were changed and are not kept.
    #[prost(uint32, tag = "7")]
    more_files: u32,
    /// How the mistake was told until then.
    #[prost(message, repeated, tag = "8")]
    accounts: Vec<Account>,
    /// The session that did it, as a hash.
    #[prost(fixed64, tag = "9")]
    session: u64,
    /// True if the mistake came back to that session the same day.
    #[prost(bool, tag = "10")]
    is_undone: bool,
    /// How often it did.
    #[prost(uint32, tag = "11")]
    undone: u32,
}

/// A failure, as far as it says which remedies are for it.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'a> {
    /// All that its output says, as hashes.
    pub lines: &'a HashSet<u64>,
    /// Its output.
    pub output: &'a str,
    /// The program and its subcommand.
    pub tool: &'a str,
    /// The files that it is about, as in [`Visit`].
    pub files: &'a [String],
}

/// What was done between a failure and the success that followed.
#[derive(Clone, Copy, Debug)]
pub struct Remedy<'a> {
    /// The session that did it, as a hash.
    pub session: u64,
    /// Files changed.
    pub files: &'a [String],
    /// Commands run that change what a build stands on.
    pub commands: &'a [String],
}

impl Redact for Incident {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            version: _,
            code,
            symbol,
            file,
            message,
            tool,
            occurrences: _,
            first_at_us: _,
            last_at_us: _,
            fixes,
            accounts,
        } = self;
        secrets.all_said([code, symbol, file, message, tool]);
        fixes.redact(secrets);
        accounts.redact(secrets);
    }
}

impl Redact for Fix {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            at_us: _,
            files,
            is_over: _,
            commands,
            again: _,
            held: _,
            more_files: _,
            accounts,
            session: _,
            is_undone: _,
            undone: _,
        } = self;
        secrets.all_said(files);
        secrets.all_said(commands);
        accounts.redact(secrets);
    }
}

impl Redact for Account {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self { said: _, files } = self;
        secrets.all_said(files);
    }
}

/// A mistake's coming to a session.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The program and its subcommand.
    pub tool: &'a str,
    /// The files that the output says mistakes are in: below the project where they are there.
    pub files: &'a [String],
    /// The session, as a hash.
    pub session: u64,
    /// When.
    pub at: Timestamp,
    /// True if it was gone before, as far as the session knows.
    pub is_back: bool,
}

impl Incident {
    /// Reads what was persisted; `None` when it is of another version or damaged.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        Self::decode(bytes)
            .ok()
            .filter(|incident| incident.version == VERSION)
    }

    /// The mistake came to a session: for the first time, again, or again after it was gone.
    #[must_use]
    pub fn occurred(known: Option<Self>, seen: &Sighting, visit: Visit<'_>) -> Self {
        let Visit {
            tool,
            files,
            session,
            at,
            is_back,
        } = visit;
        let fault = &seen.fault;
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
        if is_back {
            incident.accounts.clear();
            incident.came_back(session, at);
        }
        let account = Account {
            said: seen.said.iter().take(SAID_MAX).copied().collect(),
            files: files.iter().take(FILES_MAX).cloned().collect(),
        };
        incident.accounts.retain(|known| *known != account);
        incident.accounts.push(account);
        if incident.accounts.len() > ACCOUNTS_MAX {
            incident.accounts.remove(0);
        }
        incident
    }

    /// What was done last is over, having held or not.
    fn came_back(&mut self, session: u64, at: Timestamp) {
        let Some(last) = self.fixes.last_mut().filter(|last| !last.is_over) else {
            return;
        };
        last.is_over = true;
        let away_us = u128::try_from(at.as_micros().saturating_sub(last.at_us)).unwrap_or_default();
        let has_held = away_us >= HELD_AFTER.as_micros();
        last.held = last.held.saturating_add(u32::from(has_held));
        last.is_undone = !has_held && last.session == session;
        last.undone = last.undone.saturating_add(u32::from(last.is_undone));
    }

    /// The mistake went away after this was done.
    pub fn mended(&mut self, remedy: Remedy<'_>, at: Timestamp) {
        let files: Vec<String> = remedy.files.iter().take(FILES_MAX).cloned().collect();
        let more_files = u32::try_from(remedy.files.len() - files.len()).unwrap_or(u32::MAX);
        let commands: Vec<String> = remedy
            .commands
            .iter()
            .rev()
            .take(COMMANDS_MAX)
            .rev()
            .cloned()
            .collect();
        let is_same = |fix: &Fix| {
            fix.files == files && fix.commands == commands && fix.more_files == more_files
        };
        let known = self.fixes.iter().position(is_same);
        let (at_us, session, accounts) = (at.as_micros(), remedy.session, self.accounts.clone());
        let fix = match known.map(|place| self.fixes.remove(place)) {
            Some(fix) => Fix {
                at_us,
                session,
                accounts,
                is_over: false,
                again: fix.again.saturating_add(1),
                ..fix
            },
            None => Fix {
                at_us,
                files,
                commands,
                more_files,
                accounts,
                session,
                ..Fix::default()
            },
        };
        self.fixes.push(fix);
        if self.fixes.len() > FIXES_MAX {
            self.fixes.remove(0);
        }
    }

    /// Returns whether anything was ever done before it went away.
    #[must_use]
    pub fn has_fixes(&self) -> bool {
        !self.fixes.is_empty()
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

    /// The mistake and the remedy that helped most often, as a statement, once that helped so often:
    /// the mistake went away by it, and did not come back to the same session that day. Paths are
    /// those below `root`. The statement is the same however often the remedy helped since.
    #[must_use]
    pub fn proven(&self, helped_min: u32, root: &str) -> Option<String> {
        let best = self.fixes.iter().max_by_key(|fix| (fix.helped(), fix.held));
        let fix = best.filter(|fix| fix.helped() >= helped_min)?;
        let told = Told {
            fix,
            files: fix.files.iter().map(String::as_str).collect(),
            commands: fix.commands.iter().map(String::as_str).collect(),
        };
        let (line, deeds) = (self.fault().line(root), told.deeds());
        let is_whole = !deeds.is_empty() && !self.message.is_empty();
        is_whole.then(|| {
            format!(
                "`{}` fails with \u{201c}{line}\u{201d}: fixed by {deeds}.",
                self.tool
            )
        })
    }

    /// What helped before against this very failure, which the mistake came back with: what held
    /// most often first, then what helped most often, then the newest. `None` when nothing is
    /// known to have helped, or what did came back the same day.
    #[must_use]
    pub fn remedy(&self, failure: Failure<'_>) -> Option<Told<'_>> {
        let last = self.fixes.len().saturating_sub(1);
        let fixes = self.fixes.iter().enumerate();
        let holding = fixes.filter(|(at, fix)| fix.held > 0 || *at == last && fix.is_untried());
        let told = holding.filter_map(|(_, fix)| fix.for_failure(failure));
        let told: Vec<Told<'_>> = told.collect();
        // To change the file that the mistake is in says least.
        let is_telling = |told: &&Told<'_>| {
            !told.commands.is_empty()
                || told
                    .files
                    .iter()
                    .any(|file| !is_same_file(file, &self.file))
        };
        let best = |told: &&Told<'_>| (told.fix.held, told.fix.again, told.fix.at_us);
        told.iter()
            .filter(is_telling)
            .max_by_key(best)
            .or_else(|| told.iter().max_by_key(best))
            .cloned()
    }
}

impl Account {
    /// Returns whether a failure says all of it, and of the same files.
    fn is_of(&self, failure: Failure<'_>) -> bool {
        let is_elsewhere = |file: &String| is_elsewhere(file, failure.files);
        self.said.iter().all(|line| failure.lines.contains(line))
            && !self.files.iter().any(is_elsewhere)
    }
}

impl Fix {
    /// How often the mistake went away by this and stayed away from the session that did it.
    fn helped(&self) -> u32 {
        self.again.saturating_add(1).saturating_sub(self.undone)
    }

    /// Whether it was done once only and nobody knows yet whether it holds: it is gone since, but
    /// for this time.
    fn is_untried(&self) -> bool {
        if helix_ablation::is_off("remedy/untried") {
            return true;
        }
        self.again == 0 && !self.is_undone
    }

    /// The fix as one of a failure: the mistake was told as it is now, and the commands are about
    /// it.
    fn for_failure(&self, failure: Failure<'_>) -> Option<Told<'_>> {
        let is_told = |account: &Account| account.is_of(failure);
        let commands = self
            .commands
            .iter()
            .filter(|command| concerns(command, failure.output, failure.tool));
        let commands: Vec<&str> = commands.map(String::as_str).collect();
        let is_read = |file: &&String| !is_prose(file) || failure.output.contains(file_name(file));
        let files: Vec<&str> = self
            .files
            .iter()
            .filter(is_read)
            .map(String::as_str)
            .collect();
        let is_for_it =
            self.accounts.iter().any(is_told) && !(files.is_empty() && commands.is_empty());
        is_for_it.then_some(Told {
            fix: self,
            files,
            commands,
        })
    }
}

/// What helped before against a failure.
#[derive(Clone, Debug)]
pub struct Told<'a> {
    fix: &'a Fix,
    /// Those of its files and commands that are about the failure.
    files: Vec<&'a str>,
    commands: Vec<&'a str>,
}

impl Told<'_> {
    /// For a reader: `fixed before by changing a.rs (2026-11-03), held 1 of 2`. Days are those of
    /// `zone`.
    #[must_use]
    pub fn shown(&self, zone: &TimeZone) -> String {
        let day = Timestamp::from_micros(self.fix.at_us).day(zone);
        let record = match self.fix.held {
            0 => String::new(),
            held => format!(", held {held} of {}", self.fix.again.saturating_add(1)),
        };
        // What was kept before secrets were taken out is shown without them as well.
        redacted(&format!("fixed before by {} ({day}){record}", self.deeds())).into_owned()
    }

    /// What was done: ``running `npm install` and changing a.js``.
    #[must_use]
    pub fn deeds(&self) -> String {
        let mut deeds = Vec::new();
        if !self.commands.is_empty() {
            let commands = self
                .commands
                .iter()
                .rev()
                .take(COMMANDS_SHOWN_MAX)
                .rev()
                .map(|command| format!("`{command}`"));
            deeds.push(format!(
                "running {}",
                commands.collect::<Vec<_>>().join(", ")
            ));
        }
        if !self.files.is_empty() {
            let shown = self
                .files
                .iter()
                .take(FILES_SHOWN_MAX)
                .copied()
                .collect::<Vec<_>>()
                .join(", ");
            let more = match self.files.len().saturating_sub(FILES_SHOWN_MAX)
                + self.fix.more_files as usize
            {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            deeds.push(format!("changing {shown}{more}"));
        }
        deeds.join(" and ")
    }
}

fn file_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// Returns whether others have the name of a file, in another directory each. A path may lack the
/// directories above it, and one outside of the project is that of some checkout.
fn is_elsewhere(file: &str, others: &[String]) -> bool {
    let file = Path::new(file);
    let named = others.iter().map(Path::new);
    let mut named = named.filter(|other| other.file_name() == file.file_name());
    let is_other = |other: &Path| {
        !file.has_root() && !other.has_root() && !file.ends_with(other) && !other.ends_with(file)
    };
    let first = named.next();
    first.is_some_and(is_other) && named.all(is_other)
}

fn is_prose(file: &str) -> bool {
    if helix_ablation::is_off("remedy/prose") {
        return false;
    }
    file.rsplit_once('.')
        .is_some_and(|(_, ending)| PROSE.contains(&ending.to_lowercase().as_str()))
}

/// Returns whether a project's file is the one that a tool named: whole, or by its end.
fn is_same_file(file: &str, named: &str) -> bool {
    !named.is_empty() && (file.ends_with(named.trim_start_matches("./")) || named.ends_with(file))
}

#[cfg(test)]
mod tests;
