//! What stands around the line that tells of a mistake: where it is, what it is about, and what
//! else the tool says of it.

use regex::Captures;

use super::Fault;
use super::forms::{FORMS, Place};
use super::patterns::PATTERNS;
use crate::pattern::Pattern;

/// What stands before each line of a message: npm's, and pytest's.
const BEFORE: &[&str] = &["npm error", "npm ERR!", "E  "];

/// Lines that a message of several has at most.
const BLOCK_MAX_LINES: usize = 3;

/// Lines above a mistake in which its file is looked for.
const ABOVE_MAX_LINES: usize = 60;

/// Lines below `cannot find symbol` in which the symbol is: the source's line, the mark under it,
/// and it.
const SYMBOL_MAX_LINES: usize = 4;

/// Lines between a message and the label under the source that it is about.
const LABEL_MAX_LINES: usize = 12;

/// Lines between the title of a mistake and its place.
const SECTION_MAX_LINES: usize = 5;

/// The place that an arrow points to, and the lint.
pub(super) fn look_below(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/below") {
        return;
    }
    fault.file = found_in(below.iter().take(4), &PATTERNS.arrow, "file").unwrap_or_default();
    if fault.code.is_empty() && !fault.file.is_empty() {
        let mut own = below.iter().take_while(|line| !line.is_empty());
        fault.code = own.find_map(|line| lint(line)).unwrap_or_default();
    }
}

/// `clippy::unwrap_used` of `` `-D clippy::unwrap-used` ``.
fn lint(line: &str) -> Option<String> {
    let captures = PATTERNS.lint.captures(line)?;
    let name = group(&captures, "lint").replace('-', "_");
    let is_clippys = captures.name("tool").is_some() || captures.name("address").is_some();
    let is_group = matches!(name.as_str(), "warnings" | "all" | "pedantic" | "clippy");
    (!is_group).then(|| {
        if is_clippys {
            format!("clippy::{name}")
        } else {
            name
        }
    })
}

/// The lines up to an empty one; of causes below each other, as Gradle lists them, the last.
pub(super) fn block(below: &[&str]) -> String {
    let lines: Vec<&str> = below
        .iter()
        .map(|line| line.trim())
        .take_while(|line| !line.is_empty())
        .collect();
    let last_cause = lines.iter().rposition(|line| line.starts_with("> "));
    let end = last_cause.map_or(0, |at| at + 1).max(BLOCK_MAX_LINES);
    let told = lines.iter().take(end).skip(end - BLOCK_MAX_LINES);
    let told: Vec<&str> = told.map(|line| line.trim_start_matches("> ")).collect();
    told.join(" ")
}

/// A traceback's last frame, or the file under whose name a linter lists.
pub(super) fn look_above(fault: &mut Fault, lines: &[&str], at: usize) {
    if helix_ablation::is_off("fault/above") {
        return;
    }
    let above = || {
        lines
            .get(at.saturating_sub(ABOVE_MAX_LINES)..at)
            .unwrap_or_default()
            .iter()
            .rev()
    };
    for frame in [&PATTERNS.frame, &PATTERNS.short_frame] {
        let Some(file) = found_in(above(), frame, "file") else {
            continue;
        };
        let symbol = found_in(above(), frame, "symbol").filter(|name| !name.starts_with('<'));
        fault.symbol = symbol.unwrap_or_default();
        fault.file = file;
        return;
    }
    fault.file = found_in(above(), &PATTERNS.heading, "file").unwrap_or_default();
}

pub(super) fn found_in<'a>(
    mut lines: impl Iterator<Item = &'a &'a str>,
    pattern: &Pattern,
    name: &str,
) -> Option<String> {
    lines
        .find_map(|line| pattern.captures(line))
        .map(|captures| group(&captures, name))
}

/// The line below that says it, where the one that names the mistake does not: a panic's, a failed
/// test's.
pub(super) fn next_line(below: &[&str]) -> String {
    if helix_ablation::is_off("fault/next-line") {
        return String::new();
    }
    let is_said =
        |line: &&str| !matches!(*line, "" | "E" | "Error Message:") && !BEFORE.contains(line);
    let next = below
        .iter()
        .map(|line| line.trim())
        .find(is_said)
        .unwrap_or_default();
    let said = BEFORE.iter().find_map(|before| next.strip_prefix(before));
    said.unwrap_or(next).trim_start().to_owned()
}

/// What the compiler writes under the source, where the message alone is that of many mistakes:
/// `mismatched types` are of two types.
pub(super) fn add_label(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/label") {
        return;
    }
    let own = below
        .iter()
        .take(LABEL_MAX_LINES)
        .take_while(|line| !line.is_empty());
    if let Some(label) = found_in(own, &PATTERNS.label, "message") {
        fault.message = format!("{}: {label}", fault.message);
    }
}

/// Terraform's place of a mistake, and the paragraph behind the source, without which a title is
/// that of many mistakes.
pub(super) fn take_detail(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/detail") {
        return;
    }
    let is_place = |line: &&str| PATTERNS.section.is_match(line);
    let Some(at) = below.iter().take(SECTION_MAX_LINES).position(is_place) else {
        return;
    };
    fault.file = found_in(below.iter().skip(at), &PATTERNS.section, "file").unwrap_or_default();
    let behind = below
        .iter()
        .skip(at)
        .map(|line| line.trim())
        .skip_while(|line| !line.is_empty());
    let paragraph = behind
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty());
    let detail = paragraph
        .take(BLOCK_MAX_LINES)
        .collect::<Vec<_>>()
        .join(" ");
    if !detail.is_empty() && !detail.starts_with("Error") {
        fault.message = format!("{}: {detail}", fault.message);
    }
}

/// Calls a warning that counts as an error as it is switched on: `-Wconversion` of
/// `-Werror=conversion`.
pub(super) fn name_flag(fault: &mut Fault) {
    if helix_ablation::is_off("fault/flag") {
        return;
    }
    if let Some(name) = fault.code.strip_prefix("-Werror=") {
        fault.code = format!("-W{name}");
    }
}

/// The symbol that a Java compiler does not find, which it names below.
pub(super) fn take_symbol(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/java-symbol") {
        return;
    }
    if fault.message != "cannot find symbol" {
        return;
    }
    let found = below
        .iter()
        .take(SYMBOL_MAX_LINES)
        .find_map(|line| PATTERNS.java_symbol.captures(line));
    if let Some(captures) = found {
        fault.symbol = group(&captures, "symbol");
        fault.message = format!("cannot find symbol: {}", group(&captures, "message"));
    }
}

/// The line under a heading that says what is wrong; `None` when it is told by itself.
pub(super) fn of_heading(below: &[&str]) -> Option<String> {
    if helix_ablation::is_off("fault/heading") {
        return None;
    }
    let said = below.iter().find(|line| !line.is_empty())?;
    (!is_told(said)).then(|| said.trim().to_owned())
}

/// Returns whether a line is of a form that says by itself what is wrong.
fn is_told(line: &str) -> bool {
    let tells = |place: Place| place != Place::Heading;
    FORMS
        .iter()
        .any(|form| tells(form.place) && form.pattern.is_match(line))
}

pub(super) fn group(captures: &Captures<'_>, name: &str) -> String {
    captures
        .name(name)
        .map_or("", |found| found.as_str())
        .trim()
        .to_owned()
}
