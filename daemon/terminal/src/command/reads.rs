//! What a shell line merely reads: a file, or what it searches for. Some agents have no other tool
//! for either.
//!
//! Only what is certain counts: no variable, no pattern of files, and nothing that might not have
//! run.

mod given;

use std::borrow::Cow;

use self::given::{Does, Given, PROGRAMS, Program};
use super::super::shell::{Line, Simple};
use super::changes::{Changes, rewritten};
use super::names::basename;
use super::{DEPTH_MAX, joined, read, script, without_starters};

/// Bytes of a line that merely reads; a longer one does more.
const LINE_MAX_BYTES: usize = 2 * 1024;

/// Files and searches of one line that are looked at.
const READINGS_MAX: usize = 4;

/// Programs through which a reader's output may go that show it still.
const FILTERS: &[&str] = &[
    "awk", "bat", "batcat", "cat", "column", "cut", "egrep", "gawk", "grep", "head", "less",
    "more", "nl", "rg", "sed", "sort", "tail", "tr", "uniq",
];

/// Programs beside readers and filters that change nothing.
const IDLE: &[&str] = &[
    "cd", "pushd", "popd", "pwd", "ls", "echo", "printf", "true", "find", "fd", "tree", "stat",
    "file", "wc", "which", "date", "test", "[",
];

/// Subcommands of git that change nothing.
const IDLE_GIT: &[&str] = &[
    "blame",
    "diff",
    "grep",
    "log",
    "ls-files",
    "rev-parse",
    "show",
    "status",
];

/// Options by which what is not there is searched for, what stands in a file, or something else is
/// done.
const OTHER_SEARCHES: &[&str] = &[
    "invert-match",
    "files-without-match",
    "file",
    "files",
    "type-list",
    "and",
    "not",
    "open-files-in-pager",
];

/// What makes a word another one than it is, or several: variables, substitutions, patterns of
/// files, homes.
const EXPANDED: [char; 9] = ['$', '`', '*', '?', '{', '}', '~', '<', '>'];

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
    // Almost no line is one, and reading one takes longer than looking.
    let may_be =
        line.len() <= LINE_MAX_BYTES && PROGRAMS.iter().any(|program| line.contains(program.name));
    let found = if may_be {
        readings_within(line, 0).unwrap_or_default()
    } else {
        Vec::new()
    };
    if found.is_empty() || rewritten(line) != Changes::default() {
        return Vec::new();
    }
    found.into_iter().take(READINGS_MAX).collect()
}

/// Whether a command only reads and shows: a line in which another one runs does more.
fn is_idle(words: &[String]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return true;
    };
    match basename(program) {
        "awk" | "gawk" => !arguments.iter().any(|word| does_more(word)),
        "git" => arguments
            .first()
            .is_some_and(|word| IDLE_GIT.contains(&word.as_str())),
        name => {
            let is_reader = PROGRAMS.iter().any(|program| program.name == name);
            is_reader || FILTERS.contains(&name) || IDLE.contains(&name) || script(words).is_some()
        }
    }
}

/// Whether a script of awk may do more than to show: what it prints goes elsewhere, or it starts a
/// program.
fn does_more(script: &str) -> bool {
    let goes_elsewhere = script
        .split_once("print")
        .is_some_and(|(_, rest)| rest.contains(['>', '|']));
    goes_elsewhere || script.contains("system") || script.contains("getline")
}

/// What stands in braces, where that is all of a line.
fn ungrouped(text: &str) -> &str {
    let inner = text
        .trim()
        .strip_prefix("{ ")
        .and_then(|rest| rest.strip_suffix('}'))
        .map(str::trim_end);
    inner.filter(|inner| inner.ends_with(';')).unwrap_or(text)
}

/// What a line reads, until it goes somewhere that nobody knows; `None` where it does more than to
/// read.
fn readings_within(text: &str, depth: usize) -> Option<Vec<Reading>> {
    let line = read(ungrouped(text));
    let mut directory: Option<String> = None;
    let mut readings = Vec::new();
    if !line
        .commands
        .iter()
        .all(|command| is_idle(&without_starters(&command.words)))
    {
        return None;
    }
    for (at, command) in line.commands.iter().enumerate() {
        let words = without_starters(&command.words);
        if let [cd, to] = words.as_slice()
            && (cd == "cd" || cd == "pushd")
        {
            if to.starts_with('-') || to.contains(EXPANDED) {
                break;
            }
            directory = Some(joined(directory.as_deref(), to));
        } else if let Some(script) = script(&words).filter(|_| depth < DEPTH_MAX) {
            let outer = directory.as_deref();
            readings.extend(
                readings_within(script, depth + 1)?
                    .into_iter()
                    .map(|found| {
                        let inner = found.directory.map(|inner| joined(outer, &inner));
                        Reading {
                            directory: inner.or_else(|| directory.clone()),
                            ..found
                        }
                    }),
            );
        } else if is_shown(&line, at) {
            let what = read_by(&words).into_iter();
            readings.extend(what.map(|what| Reading {
                what,
                directory: directory.clone(),
            }));
        }
    }
    Some(readings)
}

/// Whether the command at a place surely ran, on files and not on what another one wrote, and its
/// output is seen.
fn is_shown(line: &Line, at: usize) -> bool {
    let is_filter = |filter: &Simple| {
        filter
            .words
            .first()
            .is_some_and(|word| FILTERS.contains(&basename(word)))
    };
    let goes_elsewhere = |command: &Simple| !command.outputs.is_empty();
    let is_seen = !line.commands.get(at).is_some_and(goes_elsewhere)
        && !line.filters(at).iter().any(goes_elsewhere);
    line.runs_in_any_case(at)
        && !line.is_piped_to(at)
        && is_seen
        && line.filters(at).iter().all(is_filter)
}

fn read_by(words: &[String]) -> Vec<Read> {
    let Some((program, arguments)) = program_of(words) else {
        return Vec::new();
    };
    let given = Given::of(program, arguments);
    let mut operands = given.operands.iter().copied();
    let is_shown = match program.does {
        Does::Show => true,
        Does::Page => !given.has("oO", &["log-file", "LOG-FILE"]),
        Does::Edit => {
            let script = given.value("e", "expression").or_else(|| operands.next());
            let prints = given.has("n", &["quiet", "silent"])
                && script.is_some_and(|script| script.ends_with(['p', 'q']));
            let writes = given.has("i", &["in-place"]) || given.has("f", &["file"]);
            prints && !writes
        }
        Does::Compute => {
            let is_other = given.has("fiel", &["file", "include", "source", "load"]);
            operands
                .next()
                .is_some_and(|script| !is_other && !does_more(script))
        }
        Does::Search | Does::SearchHere => return searched(program, &given).into_iter().collect(),
    };
    let is_no_file = |word: &&str| match program.does {
        Does::Page => word.starts_with('+'),
        Does::Compute => word.contains('='),
        Does::Show | Does::Edit | Does::Search | Does::SearchHere => false,
    };
    operands
        .filter(|word| is_shown && !is_no_file(word))
        .filter_map(file)
        .collect()
}

/// The program that these words start, and what it is given.
fn program_of(words: &[String]) -> Option<(&'static Program, &[String])> {
    let (first, mut arguments) = words.split_first()?;
    let mut name = Cow::Borrowed(basename(first));
    if name == "git" {
        let (subcommand, rest) = arguments.split_first()?;
        (name, arguments) = (format!("git {subcommand}").into(), rest);
    }
    let program = PROGRAMS.iter().find(|known| known.name == name)?;
    Some((program, arguments))
}

fn file(word: &str) -> Option<Read> {
    (!word.contains(EXPANDED) && word != "-").then(|| Read::File(word.to_owned()))
}

/// A search for what is there: not for lines or files without it, and not for what stands in a
/// file.
fn searched(program: &Program, given: &Given<'_>) -> Option<Read> {
    // One letter means another thing to each.
    let letters = match program.name {
        "rg" => "vf",
        "git grep" => "vfLO",
        _ => "vfL",
    };
    let is_other = given.has(letters, OTHER_SEARCHES);
    let mut operands = given.operands.iter().copied();
    let mut patterns: Vec<&str> = given.values("e", "regexp").collect();
    if patterns.is_empty() {
        patterns.extend(operands.next());
    }
    let is_here = program.does == Does::SearchHere
        || given.has("rR", &["recursive", "dereference-recursive"]);
    let paths: Vec<&str> = operands.collect();
    let is_certain = !is_other
        && !patterns.iter().any(|pattern| expands(pattern))
        && (is_here || !paths.is_empty());
    let path = match paths.as_slice() {
        [path] if !path.contains(EXPANDED) && *path != "-" => Some((*path).to_owned()),
        _ => None,
    };
    let is_extended = given.has("EPF", &["extended-regexp", "perl-regexp", "fixed-strings"]);
    let is_basic = matches!(program.name, "grep" | "git grep") && !is_extended;
    let as_extended = |pattern: &str| {
        if is_basic {
            extended(pattern)
        } else {
            pattern.to_owned()
        }
    };
    let pattern = patterns
        .into_iter()
        .map(as_extended)
        .collect::<Vec<_>>()
        .join("|");
    (is_certain && !pattern.is_empty()).then_some(Read::Search { pattern, path })
}

/// Whether a pattern holds what a shell may replace. A dollar sign in front of no name is an
/// anchor.
fn expands(pattern: &str) -> bool {
    let mut behind = pattern.split('$').skip(1);
    let is_named = |rest: &str| {
        rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '{' | '('))
    };
    pattern.contains('`') || behind.any(is_named)
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
