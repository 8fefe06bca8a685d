//! What a shell line merely reads: a file, or what it searches for. Some agents have no other tool
//! for either.
//!
//! Only what is certain counts: no variable, no pattern of files, and nothing that might not have
//! run. Which programs read is in `tools.toml`.

use serde::Deserialize;

use super::super::shell::{Line, Simple};
use super::changes::rewritten;
use super::names::basename;
use super::tools::{has, known, tool};
use super::{DEPTH_MAX, is_number, joined, read, script, without_starters};

/// Bytes of a line that merely reads; a longer one does more.
const LINE_MAX_BYTES: usize = 2 * 1024;

/// Files and searches of one line that are looked at.
const READINGS_MAX: usize = 4;

/// What makes a word another one than it is, or several: variables, substitutions, patterns of
/// files, homes.
const EXPANDED: [char; 9] = ['$', '`', '*', '?', '{', '}', '~', '<', '>'];

/// What a program shows of the files that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reads {
    /// The files.
    Files,
    /// What its script prints of them.
    Script,
    /// Lines that match, in the files that it is given.
    Matches,
    /// Lines that match, in the directory unless it is given another place.
    MatchesHere,
}

/// What a line reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The file, or what is searched for.
    pub what: Read,
    /// Where the line goes before; `None` when it stays.
    pub directory: Option<String>,
}

/// A file or a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// A file.
    File(String),
    /// A search for an expression, in one place if it names one.
    Search {
        /// As an extended expression.
        pattern: String,
        /// The file or the directory.
        path: Option<String>,
    },
}

/// Finds what a line reads, in its order: the first few.
#[must_use]
pub fn readings(line: &str) -> Vec<Reading> {
    if line.len() > LINE_MAX_BYTES {
        return Vec::new();
    }
    let found = readings_within(line, 0).unwrap_or_default();
    if found.is_empty() || !rewritten(line).is_empty() {
        return Vec::new();
    }
    found.into_iter().take(READINGS_MAX).collect()
}

/// Returns what a line reads, until it goes somewhere that nobody knows; `None` where it does more
/// than to read.
fn readings_within(text: &str, depth: usize) -> Option<Vec<Reading>> {
    let line = read(text);
    let mut directory: Option<String> = None;
    let mut readings = Vec::new();
    for (at, command) in line.commands.iter().enumerate() {
        let words = without_starters(&command.words);
        if !is_idle(&words) {
            return None;
        }
        if let [cd, to] = words.as_slice()
            && (cd == "cd" || cd == "pushd")
        {
            if to.starts_with('-') || to.contains(EXPANDED) {
                break;
            }
            directory = Some(joined(directory.as_deref(), to));
        } else if let Some(script) = script(&words).filter(|_| depth < DEPTH_MAX) {
            let inner = readings_within(script, depth + 1)?;
            readings.extend(
                inner
                    .into_iter()
                    .map(|found| found.within(directory.as_deref())),
            );
        } else if is_shown(&line, at) {
            let read = read_by(&words).into_iter();
            readings.extend(read.map(|what| Reading {
                what,
                directory: directory.clone(),
            }));
        }
    }
    Some(readings)
}

impl Reading {
    /// The same of a script that a line starts in a directory.
    fn within(self, outer: Option<&str>) -> Self {
        let directory = match self.directory {
            Some(inner) => Some(joined(outer, &inner)),
            None => outer.map(str::to_owned),
        };
        Self { directory, ..self }
    }
}

/// Returns whether a command only reads and shows: a line in which another one runs does more.
fn is_idle(words: &[String]) -> bool {
    let Some(program) = words.first().map(|word| basename(word)) else {
        return true;
    };
    tool(program).reads.is_some()
        || has(&known().reading.filters, program)
        || has(&known().reading.idle, program)
        || script(words).is_some()
}

/// Returns whether the command at a place surely ran, on files and not on what another one wrote,
/// and its output is seen.
fn is_shown(line: &Line, at: usize) -> bool {
    let shows = |filter: &Simple| {
        let program = filter.words.first().map(|word| basename(word));
        let is_filter = program.is_some_and(|program| {
            tool(program).reads.is_some() || has(&known().reading.filters, program)
        });
        is_filter && filter.outputs.is_empty()
    };
    let goes_elsewhere = line
        .commands
        .get(at)
        .is_some_and(|command| !command.outputs.is_empty());
    !goes_elsewhere
        && line.runs_in_any_case(at)
        && !line.is_piped_to(at)
        && line.filters(at).iter().all(shows)
}

fn read_by(words: &[String]) -> Vec<Read> {
    let Some(reads) = words.first().and_then(|word| tool(basename(word)).reads) else {
        return Vec::new();
    };
    let mut operands = operands(words);
    match reads {
        Reads::Files => {}
        Reads::Script => {
            let prints = words.get(1).is_some_and(|option| option == "-n")
                && operands.first().is_some_and(|script| script.ends_with('p'));
            if !prints {
                return Vec::new();
            }
            operands.remove(0);
        }
        Reads::Matches | Reads::MatchesHere => {
            return searched(reads, words, &operands).into_iter().collect();
        }
    }
    operands
        .into_iter()
        .filter(|word| is_plain(word))
        .map(|word| Read::File(word.to_owned()))
        .collect()
}

/// The words that are no options and no values of them.
fn operands(words: &[String]) -> Vec<&str> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let valued = &tool(basename(program)).valued;
    let mut operands = Vec::new();
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        if word == "--" {
            operands.extend(rest);
            break;
        }
        let is_option = word.starts_with('-') && word.len() > 1;
        if has(valued, word) {
            rest.next();
        } else if !is_option && !is_number(word) {
            operands.push(word);
        }
    }
    operands
}

fn is_plain(word: &str) -> bool {
    word != "-" && !word.contains(EXPANDED)
}

/// A search for what is there: not for lines or files without it, and not for what stands in a
/// file.
fn searched(reads: Reads, words: &[String], operands: &[&str]) -> Option<Read> {
    let own = || words.iter().skip(1).take_while(|word| *word != "--");
    let options = || own().filter(|word| word.starts_with('-'));
    let has_letter =
        |letter: char| options().any(|option| !option.starts_with("--") && option.contains(letter));
    let other = &known().reading.other_searches;
    let is_other = ['v', 'e', 'f'].into_iter().any(has_letter)
        || options().any(|option| has(other, option.split('=').next().unwrap_or_default()));
    let (pattern, paths) = operands.split_first()?;
    let is_here = reads == Reads::MatchesHere || has_letter('r') || has_letter('R');
    if is_other || expands(pattern) || (!is_here && paths.is_empty()) {
        return None;
    }
    let path = match paths {
        [path] if is_plain(path) => Some((*path).to_owned()),
        _ => None,
    };
    let is_basic = reads == Reads::Matches && !has_letter('E') && !has_letter('P');
    let pattern = if is_basic {
        extended(pattern)
    } else {
        (*pattern).to_owned()
    };
    Some(Read::Search { pattern, path })
}

/// Returns whether a pattern holds what a shell may replace. A dollar sign in front of no name is
/// an anchor.
fn expands(pattern: &str) -> bool {
    let is_named = |rest: &str| {
        rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '{' | '('))
    };
    pattern.contains('`') || pattern.split('$').skip(1).any(is_named)
}

/// A basic expression as an extended one: what is escaped in one is not in the other.
fn extended(basic: &str) -> String {
    let mut extended = String::with_capacity(basic.len());
    let mut rest = basic.chars().peekable();
    while let Some(next) = rest.next() {
        let swaps = |c: &char| matches!(c, '|' | '(' | ')' | '{' | '}' | '+' | '?');
        if next == '\\' {
            match rest.next_if(swaps) {
                Some(operator) => extended.push(operator),
                None => extended.extend([Some('\\'), rest.next()].into_iter().flatten()),
            }
        } else {
            extended.extend(swaps(&next).then_some('\\'));
            extended.push(next);
        }
    }
    extended
}

#[cfg(test)]
#[path = "reads_tests.rs"]
mod tests;
