//! A command that fails: its mistakes, and what was changed since each of them came.

use prost::Message;

use helix_redact::{Redact, Secrets};

use helix_terminal::command::{Run, line, line_of, named_place, run_in, shown};
use helix_terminal::does_alike;

/// Files that are remembered of a session or a failure, the newest.
pub(super) const FILES_MAX: usize = 256;

/// Mistakes of one command that are remembered.
const MISTAKES_MAX: usize = 32;

/// A command that failed and has not succeeded since.
#[derive(Clone, PartialEq, Message)]
pub struct Failing {
    /// The program and its subcommand.
    #[prost(string, tag = "1")]
    pub tool: String,
    /// The command's words.
    #[prost(string, repeated, tag = "2")]
    pub words: Vec<String>,
    /// The fingerprints of what goes wrong in it.
    #[prost(string, repeated, tag = "3")]
    pub fingerprints: Vec<String>,
    /// Files changed since it failed first.
    #[prost(string, repeated, tag = "4")]
    pub changed: Vec<String>,
    /// Commands run since then that change what a build stands on.
    #[prost(string, repeated, tag = "6")]
    pub commands: Vec<String>,
    /// How often it failed in a row.
    #[prost(uint32, tag = "5")]
    pub times: u32,
    /// Mistakes that are gone, with the changes until then.
    #[prost(message, repeated, tag = "7")]
    pub gone: Vec<Mended>,
    /// Mistakes that came with a later failure, with the changes before they came and none since.
    #[prost(message, repeated, tag = "9")]
    pub late: Vec<Mended>,
    /// Files that it named when it failed last, relative to the project.
    #[prost(string, repeated, tag = "10")]
    pub files: Vec<String>,
    /// The words that start it, and its program, as they were written.
    #[prost(string, repeated, tag = "11")]
    pub called: Vec<String>,
    /// The environment that it runs under: with another one it is another command.
    #[prost(string, repeated, tag = "12")]
    pub environment: Vec<String>,
}

/// Mistakes, by their fingerprints, and what was changed.
#[derive(Clone, PartialEq, Message)]
pub struct Mended {
    /// Which mistakes.
    #[prost(string, repeated, tag = "1")]
    pub fingerprints: Vec<String>,
    /// As in [`Failing`].
    #[prost(string, repeated, tag = "2")]
    pub changed: Vec<String>,
    /// As in [`Failing`].
    #[prost(string, repeated, tag = "3")]
    pub commands: Vec<String>,
}

impl Redact for Failing {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            tool,
            words,
            fingerprints,
            changed,
            commands,
            times: _,
            gone,
            late,
            files,
            called,
            environment,
        } = self;
        secrets.said(tool);
        for texts in [
            words,
            fingerprints,
            changed,
            commands,
            files,
            called,
            environment,
        ] {
            secrets.all_said(texts);
        }
        gone.redact(secrets);
        late.redact(secrets);
    }
}

impl Redact for Mended {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            fingerprints,
            changed,
            commands,
        } = self;
        for texts in [fingerprints, changed, commands] {
            secrets.all_said(texts);
        }
    }
}

impl Failing {
    /// Lists the mistakes that its success mended, and by what: a mistake by nothing that changed
    /// before it came or after it was gone.
    #[must_use]
    pub fn mended(&self) -> Vec<Mended> {
        let is_late = |print: &&String| {
            self.late
                .iter()
                .any(|late| late.fingerprints.contains(print))
        };
        let early = self
            .fingerprints
            .iter()
            .filter(|print| !is_late(print))
            .cloned()
            .collect();
        let first = Mended {
            fingerprints: early,
            changed: self.changed.clone(),
            commands: self.commands.clone(),
        };
        let late = self
            .late
            .iter()
            .flat_map(|late| &late.fingerprints)
            .map(|print| self.changed_since(print));
        let all = std::iter::once(first)
            .chain(late)
            .chain(self.gone.iter().cloned());
        let is_empty = |one: &Mended| one.changed.is_empty() && one.commands.is_empty();
        let says = |one: &Mended| !(one.fingerprints.is_empty() || is_empty(one));
        all.filter(says).collect()
    }

    /// Returns whether it is this command itself, as it is shown.
    pub(super) fn is_run_by(&self, command: &str) -> bool {
        self.command() == command
    }

    /// The command as it was run.
    #[must_use]
    pub fn command(&self) -> String {
        // What was kept before that was known has none of it.
        let program = self
            .tool
            .split(' ')
            .next()
            .filter(|_| self.called.is_empty())
            .map(str::to_owned);
        let called: Vec<String> = program
            .into_iter()
            .chain(self.called.iter().cloned())
            .collect();
        line_of(&line(&called, &self.words))
    }

    /// The command as a line that runs it from the project's directory.
    #[must_use]
    pub fn line(&self) -> String {
        let command = self.command();
        self.place().map_or_else(
            || command.clone(),
            |place| format!("{} && {command}", shown("cd", &[place.to_owned()])),
        )
    }

    /// The directory that it was run in; `None` for the project's.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        run_in(&self.words)
    }

    /// A command that has not failed yet.
    pub(super) fn of(run: &Run) -> Self {
        let (tool, words, environment) =
            (run.tool.clone(), run.words.clone(), run.environment.clone());
        Self {
            tool,
            words,
            environment,
            ..Self::default()
        }
    }

    /// Returns whether a run is of this command. It may tell more or less.
    pub(super) fn is_of(&self, run: &Run) -> bool {
        let is_alike = || {
            does_alike(
                &Run {
                    words: self.words.clone(),
                    ..run.clone()
                },
                run,
            )
        };
        self.environment == run.environment && (self.words == run.words || is_alike())
    }

    /// Returns whether the success of this run says that it is mended.
    pub(super) fn is_mended_by(&self, run: &Run) -> bool {
        let is_there = run.named_place() == named_place(&self.called, &self.words);
        is_there && self.environment == run.environment && run.covers(&self.words)
    }

    /// A file was changed.
    pub(super) fn edit(&mut self, file: &str) {
        remember(&mut self.changed, file);
        for late in &mut self.late {
            late.changed.retain(|before| before != file);
        }
    }

    /// A file was not changed after all.
    pub(super) fn unedit(&mut self, file: &str) {
        self.changed.retain(|changed| changed != file);
        for mended in &mut self.gone {
            mended.changed.retain(|changed| changed != file);
        }
    }

    /// A command changed what a build stands on.
    pub(super) fn change(&mut self, command: &str) {
        remember(&mut self.commands, command);
        for late in &mut self.late {
            late.commands.retain(|before| before != command);
        }
    }

    /// A run of it failed, with these mistakes.
    pub(super) fn fails(&mut self, run: &Run, mut fingerprints: Vec<String>) {
        if self.words != run.words {
            // What it told less of, or ended before, may be there still.
            let mut known = self.fingerprints.clone();
            known.retain(|known| !fingerprints.contains(known));
            fingerprints.extend(known);
        }
        self.again(fingerprints);
        self.called.clone_from(&run.called);
    }

    /// It failed again, with these mistakes.
    fn again(&mut self, fingerprints: Vec<String>) {
        self.times = self.times.saturating_add(1);
        let (left, gone): (Vec<String>, Vec<String>) = std::mem::take(&mut self.fingerprints)
            .into_iter()
            .partition(|print| fingerprints.contains(print));
        let gone: Vec<Mended> = gone.iter().map(|print| self.changed_since(print)).collect();
        self.fingerprints = left;
        let is_there = |one: &Mended| {
            one.fingerprints
                .iter()
                .any(|print| fingerprints.contains(print))
        };
        self.gone.retain(|gone| !is_there(gone));
        self.late.retain(is_there);
        self.gone.extend(gone);
        self.gone.truncate(MISTAKES_MAX);
        for print in fingerprints {
            if self.fingerprints.contains(&print) || self.fingerprints.len() >= MISTAKES_MAX {
                continue;
            }
            if self.times > 1 {
                let (changed, commands) = (self.changed.clone(), self.commands.clone());
                self.late.push(Mended {
                    fingerprints: vec![print.clone()],
                    changed,
                    commands,
                });
            }
            self.fingerprints.push(print);
        }
    }

    /// Returns whether it makes or made a mistake.
    pub(super) fn knows(&self, fingerprint: &String) -> bool {
        let has_gone = |gone: &Mended| gone.fingerprints.contains(fingerprint);
        self.fingerprints.contains(fingerprint) || self.gone.iter().any(has_gone)
    }

    /// Lists the changes since a mistake came.
    fn changed_since(&self, fingerprint: &String) -> Mended {
        let late = self
            .late
            .iter()
            .find(|late| late.fingerprints.contains(fingerprint));
        let since = |all: &[String], before: fn(&Mended) -> &[String]| {
            let is_new = |one: &&String| late.is_none_or(|late| !before(late).contains(one));
            all.iter().filter(is_new).cloned().collect()
        };
        Mended {
            fingerprints: vec![fingerprint.clone()],
            changed: since(&self.changed, |late| &late.changed),
            commands: since(&self.commands, |late| &late.commands),
        }
    }
}

/// Puts a file at the end of a bounded list, once.
pub(super) fn remember(files: &mut Vec<String>, file: &str) {
    if let Some(at) = files.iter().position(|known| known == file) {
        files.remove(at);
    } else if files.len() >= FILES_MAX {
        files.remove(0);
    }
    files.push(file.to_owned());
}
