//! Tells what deeds teach.

use helix_terminal::command::Purpose;
use helix_terminal::fault::Fault;

use super::attempt::Attempt;
use super::{Change, What};

/// Characters of a command that are shown.
const COMMAND_MAX_CHARS: usize = 120;

/// Characters of a changed line that are shown.
const LINE_MAX_CHARS: usize = 100;

/// Bytes of a word that names something: shorter ones stand in every line.
const WORD_MIN_BYTES: usize = 4;

/// Failed variants that are named.
const VARIANTS_MAX: usize = 2;

/// "`cargo test` failed with …; fixed by changing `src/a.rs`: …"
pub(super) fn fix(failed: &Attempt, fault: &Fault, changes: &[&Change]) -> String {
    let root = failed.directory.as_deref().unwrap_or_default();
    let what = fault.line(root);
    let how: Vec<String> = changes
        .iter()
        .rev()
        .take(2)
        .rev()
        .map(|change| told(change, fault))
        .collect();
    format!(
        "`{}` failed with {what}; fixed by {}.",
        command(&failed.line),
        how.join(" and ")
    )
}

pub(super) fn fix_attributes(
    failed: &Attempt,
    fault: &Fault,
    files: &[&str],
) -> Vec<(String, String)> {
    let mut attributes = vec![("command".to_owned(), command(&failed.line))];
    if !fault.code.is_empty() {
        attributes.push(("error".to_owned(), fault.code.clone()));
    }
    attributes.push(("fingerprint".to_owned(), fault.fingerprint()));
    let changed = files
        .iter()
        .map(|file| ("file".to_owned(), (*file).to_owned()));
    attributes.extend(changed);
    attributes
}

/// "To run the tests use `pnpm --filter web test`; `npm test` fails: …"
pub(super) fn procedure(passed: &Attempt, failed: &[&Attempt]) -> String {
    let aim = match passed.run.as_ref().map(|run| run.purpose) {
        Some(Purpose::Build) => "build",
        Some(Purpose::Test) => "run the tests",
        Some(Purpose::Check) => "run the checks",
        Some(Purpose::Run) => "run the program",
        Some(Purpose::Install) => "install the dependencies",
        None => "do this",
    };
    let mut names: Vec<String> = Vec::new();
    for attempt in failed {
        let name = format!("`{}`", command(&attempt.line));
        if !names.contains(&name) && names.len() < VARIANTS_MAX {
            names.push(name);
        }
    }
    let complaint = failed
        .last()
        .map_or("", |attempt| attempt.complaint.as_str());
    let verb = if names.len() == 1 { "fails" } else { "fail" };
    let lead = match passed.run {
        Some(_) => format!("To {aim} here, use `{}`", command(&passed.line)),
        None => format!("`{}` works here", command(&passed.line)),
    };
    format!("{lead}; {} {verb}: {complaint}", names.join(" and "))
}

/// A command in one line.
pub(super) fn command(line: &str) -> String {
    let first = line.trim().lines().next().unwrap_or_default();
    first.chars().take(COMMAND_MAX_CHARS).collect()
}

fn told(change: &Change, fault: &Fault) -> String {
    match &change.what {
        What::Command(command) => format!("running `{command}`"),
        What::Edit(lines) => {
            let files: Vec<String> = change
                .files
                .iter()
                .map(|file| format!("`{file}`"))
                .collect();
            let files = files.join(", ");
            match shown(lines, fault) {
                Some(shown) => format!("changing {files}: {shown}"),
                None => format!("changing {files}"),
            }
        }
    }
}

/// The line that a change put in for what failed, with the one in whose place it stands.
fn shown(change: &str, fault: &Fault) -> Option<String> {
    let (removed, added) = (lines_of(change, '-'), lines_of(change, '+'));
    let gone = telling(&removed, &added);
    let new = telling(&added, &removed);
    let named = new.iter().position(|line| is_named_in(fault, line));
    let at = named.unwrap_or_default();
    match (gone.get(at), new.get(at)) {
        (Some(gone), Some(new)) => Some(format!("`{}` became `{}`", short(gone), short(new))),
        (None, Some(new)) => Some(format!("added `{}`", short(new))),
        (Some(gone), None) => Some(format!("removed `{}`", short(gone))),
        (None, None) => None,
    }
}

fn lines_of(change: &str, mark: char) -> Vec<&str> {
    let lines = change.lines().filter_map(|line| line.strip_prefix(mark));
    lines.map(str::trim).collect()
}

/// The lines of one side that the other has not: without comments and heads of sections, unless
/// there is nothing else.
fn telling<'l>(lines: &[&'l str], others: &[&str]) -> Vec<&'l str> {
    let is_own = |line: &&&str| line.chars().any(char::is_alphanumeric) && !others.contains(*line);
    let own: Vec<&str> = lines.iter().filter(is_own).copied().collect();
    let is_plain = |line: &&str| !line.starts_with(['/', '#', '-', '+', '[']);
    let plain: Vec<&str> = own.iter().copied().filter(is_plain).collect();
    if plain.is_empty() { own } else { plain }
}

/// Whether a changed line has a word of what failed.
fn is_named_in(fault: &Fault, line: &str) -> bool {
    let said = format!("{} {}", fault.symbol, fault.message);
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut words = said.split(|c: char| !is_part(c));
    words.any(|word| word.len() >= WORD_MIN_BYTES && line.contains(word))
}

fn short(line: &str) -> String {
    let line = line.replace('`', "'");
    line.chars().take(LINE_MAX_CHARS).collect()
}
