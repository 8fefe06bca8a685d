//! What one session is doing: its phase, the files it touched, the state of its build, and what fails in it.

use prost::Message;

use super::command::{Run, line_of};
use super::failing::{FILES_MAX, Failing, remember};
use crate::model::Timestamp;

/// Failed commands that are remembered until they succeed, the newest.
const FAILING_MAX: usize = 8;

/// Topics that are remembered of a session.
const TOPICS_MAX: usize = 64;

/// Topics that count as a session's focus.
const FOCUS_MAX: usize = 3;

/// Variables by which a run only tells more, less or otherwise: they mend nothing.
const TELLING_VARIABLES: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CI",
    "DEBUG",
    "FORCE_COLOR",
    "LOG_LEVEL",
    "NO_COLOR",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "VERBOSE",
];

/// What a session is busy with.
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
    /// Whether it succeeded.
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

/// What one session is doing, as it is persisted.
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
    /// What fails, oldest first.
    #[prost(message, repeated, tag = "5")]
    pub failing: Vec<Failing>,
    #[prost(message, repeated, tag = "6")]
    topics: Vec<TopicUse>,
    /// Failures that were mended.
    #[prost(uint32, tag = "7")]
    pub mended: u32,
    /// Whether the session was reminded to store what it found.
    #[prost(bool, tag = "8")]
    pub is_reminded: bool,
    /// How often that failed in a row which was mended and failed most often.
    #[prost(uint32, tag = "9")]
    pub most_failures: u32,
}

impl Activity {
    /// What it is busy with.
    #[must_use]
    pub fn current_phase(&self) -> Phase {
        Phase::try_from(self.phase).unwrap_or(Phase::Research)
    }

    /// The topics that were of most use, most first.
    #[must_use]
    pub fn focus(&self) -> Vec<&str> {
        let mut topics: Vec<&TopicUse> = self.topics.iter().filter(|used| used.times > 1).collect();
        topics.sort_by_key(|used| std::cmp::Reverse(used.times));
        topics.into_iter().take(FOCUS_MAX).map(|used| used.topic.as_str()).collect()
    }

    /// A file was read, or looked into by a search.
    pub fn read(&mut self, file: &str) {
        remember(&mut self.touched, file);
    }

    /// A file was changed.
    pub fn edit(&mut self, file: &str) {
        remember(&mut self.touched, file);
        remember(&mut self.edited, file);
        for failing in &mut self.failing {
            failing.edit(file);
        }
        self.phase = Phase::Build.into();
    }

    /// Any command was run.
    pub fn command(&mut self) {
        if self.current_phase() == Phase::Build {
            self.phase = Phase::Verify.into();
        }
    }

    /// A command changed what a build stands on.
    pub fn changed_by(&mut self, command: &str) {
        for failing in &mut self.failing {
            failing.change(command);
        }
    }

    /// A command formatted files. Where anything else was changed, that is what mends.
    pub fn formatted_by(&mut self, command: &str) {
        for failing in self.failing.iter_mut().filter(|failing| failing.is_untouched()) {
            failing.change(command);
        }
    }

    /// A script of the project ran that makes or changes something. Where files were changed, those mend.
    pub fn ran_script(&mut self, command: &str) {
        let may_mend = |failing: &&mut Failing| failing.changed.is_empty() && !failing.is_run_by(command);
        for failing in self.failing.iter_mut().filter(may_mend) {
            failing.change(command);
        }
    }

    /// A memory of a topic was given.
    pub fn use_topic(&mut self, topic: &str) {
        if let Some(used) = self.topics.iter_mut().find(|used| used.topic == topic) {
            used.times = used.times.saturating_add(1);
        } else if self.topics.len() < TOPICS_MAX {
            self.topics.push(TopicUse { topic: topic.to_owned(), times: 1 });
        }
    }

    /// A build or test failed. Returns those of its fingerprints that did not fail already: they are back, or new.
    pub fn failed(&mut self, run: &Run, fingerprints: Vec<String>, at: Timestamp) -> Vec<String> {
        self.phase = Phase::Debug.into();
        self.last_run = Some(LastRun { tool: run.tool.clone(), has_succeeded: false, at_us: at.as_micros() });
        let is_known = |print: &String| self.failing.iter().any(|failing| failing.knows(print));
        let fresh: Vec<String> = fingerprints.iter().filter(|print| !is_known(print)).cloned().collect();
        let same = self.failing.iter().position(|failing| failing.words == run.words);
        let new = || Failing { tool: run.tool.clone(), words: run.words.clone(), ..Failing::default() };
        let mut failing = same.map_or_else(new, |at| self.failing.remove(at));
        failing.again(fingerprints);
        failing.variables.clone_from(&run.variables);
        failing.called.clone_from(&run.called);
        self.failing.push(failing);
        if self.failing.len() > FAILING_MAX {
            self.failing.remove(0);
        }
        fresh
    }

    /// What failed last named these files.
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
        self.last_run = Some(LastRun { tool: run.tool.clone(), has_succeeded: true, at_us: at.as_micros() });
        let (mended, left) =
            std::mem::take(&mut self.failing).into_iter().partition(|failing| failing.is_mended_by(run));
        self.failing = left;
        let mut mended: Vec<Failing> = mended;
        for failing in &mut mended {
            if let Some(command) = mending(failing, run) {
                failing.change(&command);
            }
        }
        self.most_failures = mended.iter().map(|failing| failing.times).chain([self.most_failures]).max().unwrap_or(0);
        self.mended = self.mended.saturating_add(u32::try_from(mended.len()).unwrap_or(u32::MAX));
        mended
    }
}

/// The command of a success where it had variables or options that the failure had not: all of it, for parts of it may
/// not run. What the variables are set to is not told.
fn mending(failing: &Failing, run: &Run) -> Option<String> {
    let is_new = |name: &&String| !failing.variables.contains(name) && !TELLING_VARIABLES.contains(&name.as_str());
    let set: Vec<String> = run.variables.iter().filter(is_new).map(|name| format!("{name}=… ")).collect();
    (!set.is_empty() || failing.adds_options(run)).then(|| format!("{}{}", set.concat(), line_of(&run.line())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::command::run_of;
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1);

    #[test]
    fn phases_follow_the_tools() {
        let mut activity = Activity::default();
        activity.read("a.rs");
        activity.command();
        assert_eq!(activity.current_phase(), Phase::Research);
        activity.edit("a.rs");
        activity.read("b.rs");
        assert_eq!(activity.current_phase(), Phase::Build);
        activity.command();
        assert_eq!(activity.current_phase(), Phase::Verify);
        let run = run_of("cargo test").unwrap();
        activity.failed(&run, vec!["x".into()], NOW);
        assert_eq!(activity.current_phase(), Phase::Debug);
        activity.succeeded(&run, NOW);
        assert_eq!(activity.current_phase(), Phase::Verify);
        assert_eq!((activity.touched.len(), activity.edited.len(), activity.mended), (2, 1, 1));
    }

    #[test]
    fn what_was_changed_between_failure_and_success_is_the_fix() {
        let mut activity = Activity::default();
        let (narrow, wide) = (run_of("cargo test -p a").unwrap(), run_of("cargo test").unwrap());
        activity.edit("before.rs");
        assert_eq!(activity.failed(&narrow, vec!["x".into(), "y".into()], NOW), ["x", "y"]);
        activity.edit("a.rs");
        assert_eq!(activity.failed(&narrow, vec!["y".into(), "z".into()], NOW), ["z"]);
        activity.edit("b.rs");
        activity.changed_by("cargo update");
        assert!(activity.succeeded(&run_of("cargo build").unwrap(), NOW).is_empty());
        let mended = activity.succeeded(&wide, NOW);
        assert_eq!(mended.len(), 1);
        assert_eq!(
            (mended[0].changed.as_slice(), mended[0].times),
            (["a.rs".to_owned(), "b.rs".to_owned()].as_slice(), 2)
        );
        assert_eq!(mended[0].commands, ["cargo update"]);
        assert_eq!(mended[0].fingerprints, ["y", "z"]);
        assert!(activity.failing.is_empty());
    }

    #[test]
    fn a_variable_that_only_the_success_had_is_the_fix() {
        let mut activity = Activity::default();
        activity.failed(&run_of("CI=1 cargo test -p a").unwrap(), vec!["x".into()], NOW);
        let mended = activity.succeeded(&run_of("CI=1 FIXTURES=../f cargo test -p a").unwrap(), NOW);
        assert_eq!(mended[0].commands, ["FIXTURES=… cargo test -p a"]);
        activity.failed(&run_of("cargo test").unwrap(), vec!["x".into()], NOW);
        let mended = activity.succeeded(&run_of("RUST_BACKTRACE=1 NO_COLOR=1 CI=1 cargo test").unwrap(), NOW);
        assert_eq!(mended[0].commands, Vec::<String>::new(), "it only tells otherwise");
    }

    #[test]
    fn options_that_only_the_success_had_are_the_fix() {
        let mended = |failed: &str, succeeded: &str| {
            let mut activity = Activity::default();
            activity.failed(&run_of(failed).unwrap(), vec!["x".into()], NOW);
            let mended = activity.succeeded(&run_of(succeeded).unwrap(), NOW);
            mended.first().map(|failing| failing.commands.join(", "))
        };
        let with = |command: &str| Some(command.to_owned());
        assert_eq!(mended("cargo test", "cargo test --features async"), with("cargo test --features async"));
        assert_eq!(
            mended("cargo test -p a", "cargo test -p a -- --test-threads=1"),
            with("cargo test -p a -- --test-threads=1")
        );
        assert_eq!(mended("cargo test -p a", "cargo test -- --test-threads=1"), with("cargo test -- --test-threads=1"));
        assert_eq!(mended("npm test", "npm test -- --pool=forks"), with("npm test -- --pool=forks"));
        assert_eq!(mended("npx vitest run", "npx vitest run --pool=forks"), with("npx vitest run --pool=forks"));
        assert_eq!(mended("make", "A=1 B=2 make -j1"), with("A=… B=… make -j1"));
        assert_eq!(mended("npm install", "npm install --legacy-peer-deps"), with("npm install --legacy-peer-deps"));
        assert_eq!(mended("go test ./...", "go test -tags integration ./..."), with("go test -tags integration ./..."));
        assert_eq!(mended("make -j8", "make -j1"), with("make -j1"));
        assert_eq!(mended("make -j 8 all", "make -j 1 all"), with("make -j 1 all"));
        assert_eq!(mended("cargo test", "cargo test"), with(""));
        for less in ["cargo test --lib", "cargo test -p a", "cargo test --features async one_test"] {
            assert_eq!(mended("cargo test", less), None, "{less}");
        }
        assert_eq!(mended("cargo test -p b", "cargo test -p a --features a"), None, "one value is not the other");
    }

    #[test]
    fn what_fails_is_told_as_it_was_run() {
        for line in ["npx tsc --noEmit", "python -m pytest x", "poetry run pytest", "docker-compose build"] {
            let mut activity = Activity::default();
            activity.failed(&run_of(line).unwrap(), vec!["x".into()], NOW);
            assert_eq!(activity.failing[0].command(), line);
        }
    }

    #[test]
    fn a_formatter_is_the_fix_only_by_itself() {
        let run = run_of("cargo fmt --check").unwrap();
        let mut activity = Activity::default();
        activity.failed(&run, vec!["x".into()], NOW);
        activity.formatted_by("cargo fmt");
        assert_eq!(activity.succeeded(&run, NOW)[0].commands, ["cargo fmt"]);
        activity.failed(&run, vec!["x".into()], NOW);
        activity.edit("a.rs");
        activity.formatted_by("cargo fmt");
        assert!(activity.succeeded(&run, NOW)[0].commands.is_empty());
    }

    #[test]
    fn a_script_mends_what_no_file_was_changed_for_and_not_itself() {
        let (build, proto) = (run_of("make").unwrap(), run_of("make proto").unwrap());
        let mut activity = Activity::default();
        activity.failed(&build, vec!["x".into()], NOW);
        activity.failed(&proto, vec!["y".into()], NOW);
        activity.ran_script("make proto");
        assert!(activity.succeeded(&proto, NOW)[0].commands.is_empty());
        assert_eq!(activity.succeeded(&build, NOW)[0].commands, ["make proto"]);
        activity.failed(&build, vec!["x".into()], NOW);
        activity.edit("a.proto");
        activity.ran_script("make proto");
        assert!(activity.succeeded(&build, NOW)[0].commands.is_empty());
    }

    #[test]
    fn what_was_gone_earlier_was_mended_by_nothing_later() {
        let mut activity = Activity::default();
        let run = run_of("cargo build").unwrap();
        activity.failed(&run, vec!["x".into(), "y".into(), "z".into()], NOW);
        activity.edit("a.rs");
        assert!(activity.failed(&run, vec!["y".into(), "z".into()], NOW).is_empty());
        activity.edit("b.rs");
        activity.failed(&run, vec!["y".into()], NOW);
        assert!(activity.failed(&run, vec!["z".into()], NOW).is_empty(), "it is back, and was seen");
        activity.edit("c.rs");
        let mended = activity.succeeded(&run, NOW);
        let said: Vec<(String, String)> =
            mended[0].mended().into_iter().map(|one| (one.fingerprints.join(" "), one.changed.join(" "))).collect();
        let expected = [("z", "c.rs"), ("x", "a.rs"), ("y", "a.rs b.rs")];
        assert_eq!(said, expected.map(|(print, files)| (print.to_owned(), files.to_owned())));
    }

    #[test]
    fn focus_is_what_is_used_most() {
        let mut activity = Activity::default();
        for topic in ["a", "b", "b", "c", "c", "c"] {
            activity.use_topic(topic);
        }
        assert_eq!(activity.focus(), ["c", "b"]);
    }

    #[test]
    fn lists_are_bounded() {
        let mut activity = Activity::default();
        for n in 0..FILES_MAX + 9 {
            activity.edit(&format!("f{n}"));
        }
        for n in 0..FAILING_MAX + 9 {
            activity.failed(&run_of(&format!("cargo test t{n}")).unwrap(), Vec::new(), NOW);
        }
        assert_eq!(
            (activity.touched.len(), activity.edited.len(), activity.failing.len()),
            (FILES_MAX, FILES_MAX, FAILING_MAX)
        );
        assert_eq!(activity.edited.last().unwrap(), &format!("f{}", FILES_MAX + 8));
    }
}
