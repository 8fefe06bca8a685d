//! Tells what deeds teach.

use helix_terminal::command::Purpose;
use helix_terminal::fault::Fault;

use super::attempt::Attempt;
use super::{Change, What};

/// Characters of a command that are shown.
const COMMAND_MAX_CHARS: usize = 120;

/// Characters of a changed line that are shown.
const LINE_MAX_CHARS: usize = 100;

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
        .map(|change| told(change))
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

fn told(change: &Change) -> String {
    match &change.what {
        What::Command(command) => format!("running `{command}`"),
        What::Edit(lines) => {
            let files: Vec<String> = change
                .files
                .iter()
                .map(|file| format!("`{file}`"))
                .collect();
            let files = files.join(", ");
            match shown(lines) {
                Some(shown) => format!("changing {files}: {shown}"),
                None => format!("changing {files}"),
            }
        }
    }
}

/// The first line that a change took away and the first that it put in.
fn shown(change: &str) -> Option<String> {
    let removed = first_of(change, '-');
    let added = first_of(change, '+');
    match (removed, added) {
        (Some(removed), Some(added)) => Some(format!("`{removed}` became `{added}`")),
        (None, Some(added)) => Some(format!("added `{added}`")),
        (Some(removed), None) => Some(format!("removed `{removed}`")),
        (None, None) => None,
    }
}

fn first_of(change: &str, mark: char) -> Option<String> {
    let lines = change.lines().filter_map(|line| line.strip_prefix(mark));
    let mut telling = lines.map(str::trim).filter(|line| {
        line.chars().any(char::is_alphanumeric) && !line.starts_with([mark, '/', '#'])
    });
    let line = telling.next()?.replace('`', "'");
    Some(line.chars().take(LINE_MAX_CHARS).collect())
}
