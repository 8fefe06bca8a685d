//! Activity of one session: its phase, the files it touched, the state of its build, and what fails
//! in it.

use std::collections::HashSet;

use helix_memory::Timestamp;
use helix_redact::{Redact, Secrets};
use helix_terminal::command::Run;
use prost::Message;

use super::failing::{FILES_MAX, Failing, remember};

/// Failed commands that are remembered until they succeed, the newest.
const FAILING_MAX: usize = 8;

/// Edits whose calls are remembered, the newest.
const CALLS_MAX: usize = 64;

/// Topics that are remembered of a session.
const TOPICS_MAX: usize = 64;

/// Topics that count as a session's focus.
const FOCUS_MAX: usize = 3;

/// The phase of a session's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum Phase {
    /// Reading, before anything was changed.
    Research = 0,
    /// Changing files.
    Build = 1,
    /// Running something after a change.
    Verify = 2,
    /// Looking for the reason of a failure.
    Debug = 3,
}

impl Phase {
    /// Its name for readers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Research => "research",
            Self::Build => "build",
            Self::Verify => "verify",
            Self::Debug => "debug",
        }
    }
}

/// How the last command that builds or tests went.
#[derive(Clone, PartialEq, Message)]
pub struct LastRun {
    /// The program and its subcommand.
    #[prost(string, tag = "1")]
    pub tool: String,
    /// True if it succeeded.
    #[prost(bool, tag = "2")]
    pub has_succeeded: bool,
    /// When, in microseconds since the epoch.
    #[prost(sint64, tag = "3")]
    pub at_us: i64,
}

/// How often a topic was of use.
#[derive(Clone, PartialEq, Message)]
pub struct TopicUse {
    /// The topic.
    #[prost(string, tag = "1")]
    pub topic: String,
    /// How many of its memories were given.
    #[prost(uint32, tag = "2")]
    pub times: u32,
}

/// A file that was changed, and by which call of a tool: clients tell of it before the call is
/// carried out.
#[derive(Clone, PartialEq, Message)]
pub struct EditCall {
    /// The file, relative to the project.
    #[prost(string, tag = "1")]
    pub file: String,
    /// The client's id of the call; empty for a change that was surely made.
    #[prost(string, tag = "2")]
    pub call: String,
}

/// The activity of one session, as it is persisted.
#[derive(Clone, PartialEq, Message)]
pub struct Activity {
    #[prost(enumeration = "Phase", tag = "1")]
    phase: i32,
    /// The last build or test.
    #[prost(message, optional, tag = "2")]
    pub last_run: Option<LastRun>,
    /// Files read, searched or changed, relative to the project, in the order of their last use.
    #[prost(string, repeated, tag = "3")]
    pub touched: Vec<String>,
    /// Files changed, in the order of their last change.
    #[prost(string, repeated, tag = "4")]
    pub edited: Vec<String>,
    /// Failing commands and tests, oldest first.
    #[prost(message, repeated, tag = "5")]
    pub failing: Vec<Failing>,
    #[prost(message, repeated, tag = "6")]
    topics: Vec<TopicUse>,
    /// Failures that were mended.
    #[prost(uint32, tag = "7")]
    pub mended: u32,
    /// True if the session was reminded to store what it found.
    #[prost(bool, tag = "8")]
    pub is_reminded: bool,
    /// How often that failed in a row which was mended and failed most often.
    #[prost(uint32, tag = "9")]
    pub most_failures: u32,
    /// By which calls files were changed, oldest first.
    #[prost(message, repeated, tag = "10")]
    calls: Vec<EditCall>,
}

impl Redact for Activity {
    fn redact(&mut self, secrets: &mut Secrets) {
        let Self {
            phase: _,
            last_run,
            touched,
            edited,
            failing,
            topics,
            mended: _,
            is_reminded: _,
            most_failures: _,
            calls,
        } = self;
        for EditCall { file, call } in calls {
            secrets.all_said([file, call]);
        }
        if let Some(LastRun {
            tool,
            has_succeeded: _,
            at_us: _,
        }) = last_run
        {
            secrets.said(tool);
        }
        secrets.all_said(touched);
        secrets.all_said(edited);
        failing.redact(secrets);
        for TopicUse { topic, times: _ } in topics {
            secrets.said(topic);
        }
    }
}

impl Activity {
    /// Returns its present phase.
    #[must_use]
    pub fn current_phase(&self) -> Phase {
        Phase::try_from(self.phase).unwrap_or(Phase::Research)
    }

    /// The topics that were of most use, most first.
    #[must_use]
    pub fn focus(&self) -> Vec<&str> {
        let mut topics: Vec<&TopicUse> = self.topics.iter().filter(|used| used.times > 1).collect();
        topics.sort_by_key(|used| std::cmp::Reverse(used.times));
        topics
            .into_iter()
            .take(FOCUS_MAX)
            .map(|used| used.topic.as_str())
            .collect()
    }

    /// A file was read, or looked into by a search.
    pub fn read(&mut self, file: &str) {
        remember(&mut self.touched, file);
    }

    /// A file was changed.
    pub fn edit(&mut self, file: &str) {
        self.edit_by(file, "");
    }

    /// A file is changed by a call that may still be refused.
    pub fn edit_by(&mut self, file: &str, call: &str) {
        if self.calls.len() >= CALLS_MAX {
            self.calls.remove(0);
        }
        self.calls.push(EditCall {
            file: file.to_owned(),
            call: call.to_owned(),
        });
        remember(&mut self.touched, file);
        remember(&mut self.edited, file);
        for failing in &mut self.failing {
            failing.edit(file);
        }
        self.phase = Phase::Build.into();
    }

    /// Returns whether it may have counted a change that was refused.
    #[must_use]
    pub fn has_calls(&self) -> bool {
        self.calls.iter().any(|edit| !edit.call.is_empty())
    }

    /// Calls that were refused or failed changed nothing.
    pub fn refuse(&mut self, calls: &HashSet<String>) {
        let (refused, made): (Vec<EditCall>, Vec<EditCall>) = std::mem::take(&mut self.calls)
            .into_iter()
            .partition(|edit| calls.contains(&edit.call));
        self.calls = made;
        for EditCall { file, .. } in refused {
            if self.calls.iter().all(|made| made.file != file) {
                self.edited.retain(|known| *known != file);
                self.failing
                    .iter_mut()
                    .for_each(|failing| failing.unedit(&file));
            }
        }
    }

    /// Any command was run.
    pub fn command(&mut self) {
        if self.current_phase() == Phase::Build {
            self.phase = Phase::Verify.into();
        }
    }

    /// A command changed what a build stands on. What fails is not mended by itself.
    pub fn changed_by(&mut self, command: &str) {
        for failing in self
            .failing
            .iter_mut()
            .filter(|failing| !failing.is_run_by(command))
        {
            failing.change(command);
        }
    }

    /// A memory of a topic was given.
    pub fn use_topic(&mut self, topic: &str) {
        if let Some(used) = self.topics.iter_mut().find(|used| used.topic == topic) {
            used.times = used.times.saturating_add(1);
        } else if self.topics.len() < TOPICS_MAX {
            self.topics.push(TopicUse {
                topic: topic.to_owned(),
                times: 1,
            });
        }
    }

    /// A build or test failed. Returns those of its fingerprints that did not fail already: they
    /// are back, or new.
    pub fn failed(&mut self, run: &Run, fingerprints: Vec<String>, at: Timestamp) -> Vec<String> {
        self.phase = Phase::Debug.into();
        self.last_run = Some(LastRun {
            tool: run.tool.clone(),
            has_succeeded: false,
            at_us: at.as_micros(),
        });
        let is_known = |print: &String| self.failing.iter().any(|failing| failing.knows(print));
        let fresh: Vec<String> = fingerprints
            .iter()
            .filter(|print| !is_known(print))
            .cloned()
            .collect();
        let same = self.failing.iter().position(|failing| failing.is_of(run));
        let mut failing = same.map_or_else(|| Failing::of(run), |at| self.failing.remove(at));
        failing.fails(run, fingerprints);
        self.failing.push(failing);
        if self.failing.len() > FAILING_MAX {
            self.failing.remove(0);
        }
        fresh
    }

    /// Notes the files that the last failure named.
    pub fn failed_in(&mut self, mut files: Vec<String>) {
        if let Some(failing) = self.failing.last_mut() {
            files.truncate(FILES_MAX);
            failing.files = files;
        }
    }

    /// A build or test succeeded. Returns what it says is mended.
    pub fn succeeded(&mut self, run: &Run, at: Timestamp) -> Vec<Failing> {
        self.command();
        if self.current_phase() == Phase::Debug {
            self.phase = Phase::Verify.into();
        }
        let (mended, left): (Vec<Failing>, Vec<Failing>) = std::mem::take(&mut self.failing)
            .into_iter()
            .partition(|failing| failing.is_mended_by(run));
        self.failing = left;
        // A part of what failed may succeed while the rest does not.
        let is_whole =
            !run.is_partial && !self.failing.iter().any(|failing| failing.tool == run.tool);
        if is_whole {
            self.last_run = Some(LastRun {
                tool: run.tool.clone(),
                has_succeeded: true,
                at_us: at.as_micros(),
            });
        }
        self.most_failures = mended
            .iter()
            .map(|failing| failing.times)
            .chain([self.most_failures])
            .max()
            .unwrap_or(0);
        self.mended = self
            .mended
            .saturating_add(u32::try_from(mended.len()).unwrap_or(u32::MAX));
        mended
    }
}

#[cfg(test)]
#[path = "activity_tests.rs"]
mod tests;
