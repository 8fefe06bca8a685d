//! Shell commands that build, test or check.

mod asked;
mod changes;
mod concerns;
mod environment;
mod menders;
mod names;
mod patches;
mod place;
mod reads;
mod scripts;
mod shown;
mod started;
mod starts;
mod tools;
mod whole;

use self::asked::{Extent, extent, own_end};
pub use self::changes::rewritten;
pub use self::concerns::concerns;
use self::environment::Switched;
pub use self::menders::menders;
use self::menders::{is_idle_option, mender};
use self::names::{as_called, basename};
pub use self::patches::{Patch, patches, was_applied};
use self::place::goes_to;
pub use self::place::named_place;
pub use self::place::{ends_in, workplace};
pub use self::reads::{Read, Reading, readings};
use self::scripts::{Script, file_purpose, script_of, script_purpose};
pub use self::shown::shown;
pub use self::started::joined as line_of;
use self::started::{as_written, is_assignment, starters, without_starters};
pub use self::starts::starts;
use self::tools::tool;
pub(crate) use self::tools::{has, options, parts};
pub use self::whole::{PLACE, line, run_in};
use super::options::free;
use super::shell::{Line, Simple, Vouched};
use helix_redact::redacted;
use serde::Deserialize;

/// Words of a command that are kept; the rest is a list of files or a script.
const WORDS_MAX: usize = 24;

/// Bytes of a shell line that are looked at.
const LINE_MAX_BYTES: usize = 8 * 1024;

/// Shells inside of shells that are looked into.
const DEPTH_MAX: usize = 3;

/// Programs that run the script they are given.
const INTERPRETERS: &[&str] = &[
    "python", "python3", "node", "ruby", "perl", "php", "lua", "Rscript",
];

/// Programs that run the line they are given.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash"];

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// It compiles or packs.
    Build,
    /// It runs tests.
    Test,
    /// It looks for mistakes without running anything.
    Check,
    /// It builds a program and runs it.
    Run,
    /// It fetches what a build stands on.
    Install,
}

/// A command that builds, tests, checks or installs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The program and, where there is one, its subcommand: `cargo test`, `tsc`.
    pub tool: String,
    /// What it is for.
    pub purpose: Purpose,
    /// What it needs to start, and the program, as they were written: `npx tsc`.
    pub called: Vec<String>,
    /// All its words, without what merely starts it and without redirections.
    pub words: Vec<String>,
    /// What makes it another command than one of the same words: toolchain, interpreter, target.
    pub environment: Vec<String>,
    /// What the exit status of the whole line says of it.
    pub vouched: Vouched,
    /// True if its output goes through something that may leave failures out and keep successes.
    pub is_filtered: bool,
    /// Where the line goes before it runs this; `None` when it stays.
    pub directory: Option<String>,
    /// True if it does only a part of what its name says: its success is none of that.
    pub is_partial: bool,
    /// Those before it in the line that succeeded if this one ran at all.
    pub earlier: Vec<Self>,
}

/// What a shell line runs that builds, tests, checks or installs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    /// The one that counts: the last that is no installation, or else the last.
    pub main: Run,
    /// All others, in their order.
    pub others: Vec<Run>,
}

impl Run {
    /// `None` where the program is merely asked for something.
    fn new(called: &str, tool: String, purpose: Purpose, words: Vec<String>) -> Option<Self> {
        let is_partial = match extent(&words, purpose) {
            Extent::Whole => false,
            Extent::Part => true,
            Extent::Nothing => return None,
        };
        let (vouched, is_filtered) = (
            Vouched {
                success: true,
                failure: true,
            },
            false,
        );
        let (environment, earlier) = (Vec::new(), Vec::new());
        let called = vec![as_written(called).to_owned()];
        Some(Self {
            tool,
            purpose,
            called,
            words,
            environment,
            vouched,
            is_filtered,
            directory: None,
            is_partial,
            earlier,
        })
    }

    /// Returns whether success of this run says that what failed in `failed` is mended: it did at
    /// least as much.
    #[must_use]
    pub fn covers(&self, failed: &[String]) -> bool {
        let counts = |word: &&String| {
            *word != "--" && !(self.purpose == Purpose::Install && self.gets_by(word))
        };
        let mut words = self.telling_words(&self.words).into_iter().filter(counts);
        let is_chosen = |word: &str| !word.starts_with('-') && !word.starts_with(PLACE);
        let chosen = |words: &[String]| {
            let telling = self.telling_words(words);
            let behind = telling.iter().zip(telling.iter().skip(1));
            let own = behind
                .filter(|(before, word)| !before.starts_with('-') && is_chosen(word))
                .map(|(_, word)| *word);
            own.cloned().collect::<Vec<_>>()
        };
        let (own, others) = (chosen(&self.words), chosen(failed));
        // Of several files or tests it may have run fewer.
        let is_narrower =
            own.len() > self.named_words() && others.iter().any(|other| !own.contains(other));
        words.all(|word| failed.contains(word)) && !is_narrower
    }

    /// How many words behind the program its name has: `run build`.
    fn named_words(&self) -> usize {
        self.tool.split_whitespace().count().saturating_sub(1)
    }

    /// The words of such a run without the options with which it does as much as without them.
    fn telling_words<'w>(&self, words: &'w [String]) -> Vec<&'w String> {
        let run = Self {
            words: words.to_vec(),
            ..self.clone()
        };
        let free = free(&run);
        let is_free = |at: usize| free.iter().any(|free| free.at.contains(&at));
        words
            .iter()
            .enumerate()
            .filter(|(at, _)| !is_free(*at))
            .map(|(_, word)| word)
            .collect()
    }

    /// Returns whether a word is an option with which an installation may get by what it failed at.
    /// By some it installs nothing.
    pub(crate) fn gets_by(&self, word: &str) -> bool {
        word.starts_with('-')
            && !is_idle_option(self.words.first().map_or("", String::as_str), word)
    }

    /// Its words without those that belong to the program which it builds and runs.
    pub(crate) fn own_words(&self) -> &[String] {
        let end = if self.purpose == Purpose::Run {
            own_end(&self.words)
        } else {
            self.words.len()
        };
        self.words.get(..end).unwrap_or(&self.words)
    }

    /// How it changes what builds stand on, as [`menders`] has it; `None` when it does not.
    #[must_use]
    pub fn mender(&self) -> Option<String> {
        mender(&self.line())
    }

    /// The words of its line, as somebody would run it again.
    pub(crate) fn line(&self) -> Vec<String> {
        line(&self.called, &self.words)
    }
}

/// Reads a line without its secrets: what is told of its commands is kept and shown.
fn read(line: &str) -> Line {
    let end = line.floor_char_boundary(LINE_MAX_BYTES);
    Line::read(&redacted(line.get(..end).unwrap_or_default()))
}

/// Finds the last command of a shell line that builds, tests or checks, or else the last that
/// installs.
#[must_use]
pub fn run_of(line: &str) -> Option<Run> {
    runs_of(line).map(|runs| runs.main)
}

/// Finds the commands of a shell line that build, test, check or install; `None` when it has none.
#[must_use]
pub fn runs_of(line: &str) -> Option<Runs> {
    let mut others = runs_in(line, 0);
    let at = others
        .iter()
        .rposition(|run| run.purpose != Purpose::Install)
        .or(others.len().checked_sub(1))?;
    let main = others.remove(at);
    Some(Runs { main, others })
}

fn runs_in(text: &str, depth: usize) -> Vec<Run> {
    let line = read(text);
    let found = found_in(&line, depth);
    let with_line = |(at, run): &(usize, Run)| {
        let led = found
            .iter()
            .filter(|(before, other)| line.leads(*before, *at) && other.vouched.success);
        let earlier = run
            .earlier
            .iter()
            .chain(led.map(|(_, other)| other))
            .cloned()
            .collect();
        Run {
            vouched: run.vouched.and(line.vouched(*at)),
            earlier,
            ..run.clone()
        }
    };
    found.iter().map(with_line).collect()
}

/// The runs of a line, each with the place of its command, as if the command were all of it.
fn found_in(line: &Line, depth: usize) -> Vec<(usize, Run)> {
    let mut directory: Option<String> = None;
    let mut switched = Switched::default();
    let mut runs = Vec::new();
    for (at, command) in line.commands.iter().enumerate() {
        let words = without_starters(&command.words);
        if let Some(to) = goes_to(&words) {
            directory = Some(joined(directory.as_deref(), to));
            continue;
        }
        switched.follow(&words);
        let inner = script(&words)
            .filter(|_| depth < DEPTH_MAX)
            .map(|script| runs_in(script, depth + 1));
        let found = inner.unwrap_or_else(|| classify(words).into_iter().collect());
        let is_filtered = line.filters(at).iter().any(may_hide);
        let starters = starters(&command.words);
        runs.extend(found.into_iter().map(|mut run| {
            run.called.splice(0..0, starters.iter().cloned());
            switched.surround(&mut run, &command.words);
            (at, within(run, directory.as_deref(), is_filtered))
        }));
    }
    runs
}

/// A run of a script as one of the line that starts the script, in a directory.
fn within(run: Run, directory: Option<&str>, is_filtered: bool) -> Run {
    let earlier = run
        .earlier
        .into_iter()
        .map(|earlier| within(earlier, directory, is_filtered))
        .collect();
    Run {
        is_filtered: run.is_filtered || is_filtered,
        directory: match &run.directory {
            Some(inner) => Some(joined(directory, inner)),
            None => directory.map(str::to_owned),
        },
        earlier,
        ..run
    }
}

fn joined(directory: Option<&str>, to: &str) -> String {
    match directory {
        Some(directory) if !to.starts_with(['/', '~']) => format!("{directory}/{to}"),
        _ => to.to_owned(),
    }
}

/// The line that a shell is given: `bash -lc "cargo build"`.
fn script(words: &[String]) -> Option<&str> {
    let (program, arguments) = words.split_first()?;
    if !SHELLS.contains(&basename(program)) {
        return None;
    }
    let at = arguments
        .iter()
        .position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    arguments.get(at + 1).map(String::as_str)
}

/// Returns whether a filter may let through that something succeeded and not that something failed.
fn may_hide(filter: &Simple) -> bool {
    if helix_ablation::is_off("command/filters") {
        return false;
    }
    let program = filter
        .words
        .first()
        .map(|word| basename(word))
        .unwrap_or_default();
    let arguments = || filter.words.iter().skip(1).map(|word| word.to_lowercase());
    let says = |words: &[&str]| {
        arguments().any(|argument| words.iter().any(|word| argument.contains(word)))
    };
    match program {
        "head" => true,
        "grep" | "rg" | "egrep" | "awk" | "sed" => {
            says(&["ok", "pass", "succe", "finish", "done"]) && !says(&["fail", "err", "panic"])
        }
        _ => false,
    }
}

fn classify(mut words: Vec<String>) -> Option<Run> {
    words.truncate(WORDS_MAX);
    let called = words.first()?.clone();
    let program = basename(&called).to_owned();
    if let Some(first) = words.first_mut() {
        first.clone_from(&program);
    }
    let (name, purpose) = if tool(&program).runs_scripts {
        let written = words.clone();
        match script_of(&mut words)? {
            Script::Named(name, purpose) => (name, purpose),
            Script::Program(at) => return classify_started(&written, words.split_off(at)),
        }
    } else if let Some(found) = purpose_of(&program, &words) {
        found
    } else {
        return classify_file(&called, words);
    };
    let shown = as_called(&called);
    let tool = if name.is_empty() {
        shown.to_owned()
    } else {
        format!("{shown} {name}")
    };
    Run::new(&called, tool, purpose, words)
}

/// A program with its arguments that the words before them start.
fn classify_started(written: &[String], started: Vec<String>) -> Option<Run> {
    let before = written.get(..written.len().checked_sub(started.len())?)?;
    let mut run = classify(started)?;
    run.called.splice(0..0, before.iter().cloned());
    Some(run)
}

/// A script of the project that is run as a file: `./build.sh`, `sh ci/run-tests.sh`, `python3
/// test_rows.py`.
fn classify_file(called: &str, mut words: Vec<String>) -> Option<Run> {
    let program = words.first_mut()?;
    if !SHELLS.contains(&program.as_str()) && !INTERPRETERS.contains(&program.as_str()) {
        called.clone_into(program);
        let purpose = file_purpose(called).filter(|_| called.contains('/'))?;
        return Run::new(called, called.to_owned(), purpose, words);
    }
    let shell = program.clone();
    let path = words.get(after_options(&words, 1))?;
    let (tool, purpose) = (format!("{shell} {path}"), file_purpose(path)?);
    Run::new(&shell, tool, purpose, words)
}

/// Returns what a program with these words is for, and the word that tells.
fn purpose_of(program: &str, words: &[String]) -> Option<(String, Purpose)> {
    let at = after_options(words, 1);
    let subcommand = words.get(at).map(String::as_str);
    let known = tool(program);
    if let Some(purpose) = known.is {
        if !known.needs.is_empty() {
            let flag = words.iter().find(|word| has(&known.needs, word))?;
            return Some((flag.clone(), purpose));
        }
        let names_test = subcommand.is_some_and(|word| word.contains("test"));
        let purpose = match purpose {
            Purpose::Build if names_test => Purpose::Test,
            purpose => purpose,
        };
        return Some((String::new(), purpose));
    }
    let Some(subcommand) = subcommand else {
        return Some((String::new(), known.bare?));
    };
    let mut arguments = words
        .iter()
        .skip(at)
        .map(String::as_str)
        .filter(|word| !word.starts_with('-'));
    match program {
        "gradle" => arguments.find_map(|task| Some((task.to_owned(), gradle_task(task)?))),
        "mvn" => arguments.find_map(|goal| Some((goal.to_owned(), known.purpose_of(goal)?))),
        _ => {
            if has(&known.next, subcommand) {
                let next = words.get(after_options(words, at + 1))?;
                let purpose = known.purpose_of(next).or_else(|| script_purpose(next))?;
                return Some((format!("{subcommand} {next}"), purpose));
            }
            let installs = has(&known.install, subcommand).then_some(Purpose::Install);
            let purpose = known.purpose_of(subcommand).or(installs)?;
            Some((subcommand.to_owned(), purpose))
        }
    }
}

/// Gradle's tasks carry the path of their module, and the variant that they are for:
/// `:app:testDebug`.
fn gradle_task(task: &str) -> Option<Purpose> {
    let task = task.rsplit(':').next().unwrap_or(task);
    tools::known()
        .gradle_tasks
        .find(|start| task.starts_with(start))
}

/// The place of the first word from `from` on that is no option of the program that stands first,
/// nor the value of one.
fn after_options(words: &[String], from: usize) -> usize {
    let program = words.first().map(|word| basename(word)).unwrap_or_default();
    let valued = &tool(program).valued;
    let mut at = from;
    while let Some(option) = words.get(at).filter(|word| word.starts_with(['-', '+'])) {
        // Its first word is a number.
        let takes_number =
            program != "timeout" && words.get(at + 1).is_some_and(|next| is_number(next));
        at += 1 + usize::from(takes_number || has(valued, option));
    }
    at
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|next| next.is_ascii_digit())
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
