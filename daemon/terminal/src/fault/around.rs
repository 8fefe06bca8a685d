//! What stands around the line that tells of a mistake: where it is, what it is about, and what
//! else the tool says of it.

use regex::{Captures, Regex};

use super::Fault;
use super::forms::{FORMS, Place};
use super::patterns::{
    ARROW, FRAME, GO_FRAME, GO_LOG, HEADING, JAVA_SYMBOL, LABEL, LINT, RULE, SECTION, SHORT_FRAME,
};

/// What stands before each line of a message: npm's, and pytest's.
const BEFORE: &[&str] = &["npm error", "npm ERR!", "E  "];

/// Lines that a message of several has at most.
const BLOCK_MAX_LINES: usize = 3;

/// Lines above a mistake in which its file is looked for.
const ABOVE_MAX_LINES: usize = 60;

/// Lines below `cannot find symbol` in which the symbol is: the source's line, the mark under it,
/// and it.
const SYMBOL_MAX_LINES: usize = 4;

/// Lines of a frame of Python's: its place, its source, and the marks under that.
const FRAME_MAX_LINES: usize = 3;

/// Lines between the title of a mistake and its place.
const SECTION_MAX_LINES: usize = 5;

/// Lines between a message and the label under the source that it is about.
const LABEL_MAX_LINES: usize = 12;

/// The place that an arrow points to, and the lint.
pub(super) fn look_below(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/below") {
        return;
    }
    fault.file = found_in(below.iter().take(4), ARROW.as_ref(), "file").unwrap_or_default();
    if fault.code.is_empty() && !fault.file.is_empty() {
        let mut own = below.iter().take_while(|line| !line.is_empty());
        fault.code = own.find_map(|line| lint(line)).unwrap_or_default();
    }
}

/// `clippy::unwrap_used` of `` `-D clippy::unwrap-used` ``.
fn lint(line: &str) -> Option<String> {
    let captures = LINT.as_ref()?.captures(line)?;
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

/// The first function of the program's own in a stack of Go's: `Queue.Push` of `q.(*Queue).Push()`.
pub(super) fn look_into_stack(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/go-stack") {
        return;
    }
    let is_own = |line: &&&str| {
        !line.trim_start().starts_with("runtime.") && !line.contains("/usr/local/go/")
    };
    fault.symbol = found_in(
        below
            .iter()
            .filter(is_own)
            .filter(|line| line.ends_with("()")),
        GO_FRAME.as_ref(),
        "symbol",
    )
    .unwrap_or_default()
    .replace(['(', '*', ')'], "");
    let places = below
        .iter()
        .filter(is_own)
        .filter(|line| line.contains(".go:"));
    fault.file = found_in(places, GO_FRAME.as_ref(), "file").unwrap_or_default();
}

/// The lines up to an empty one.
pub(super) fn block(below: &[&str]) -> String {
    let lines = below
        .iter()
        .map(|line| line.trim().trim_start_matches("> "))
        .take_while(|line| !line.is_empty());
    lines.take(BLOCK_MAX_LINES).collect::<Vec<_>>().join(" ")
}

/// Whether a line ends a traceback: the frame stands above it, with its source and the marks under
/// that.
pub(super) fn is_raised(lines: &[&str], at: usize) -> bool {
    let above = lines
        .get(at.saturating_sub(FRAME_MAX_LINES)..at)
        .unwrap_or_default();
    above
        .iter()
        .any(|line| FRAME.as_ref().is_some_and(|frame| frame.is_match(line)))
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
    for frame in [FRAME.as_ref(), SHORT_FRAME.as_ref()] {
        let Some(file) = found_in(above(), frame, "file") else {
            continue;
        };
        let symbol = found_in(above(), frame, "symbol").filter(|name| !name.starts_with('<'));
        fault.symbol = symbol.unwrap_or_default();
        fault.file = file;
        return;
    }
    fault.file = found_in(above(), HEADING.as_ref(), "file").unwrap_or_default();
}

pub(super) fn found_in<'a>(
    mut lines: impl Iterator<Item = &'a &'a str>,
    pattern: Option<&Regex>,
    name: &str,
) -> Option<String> {
    let pattern = pattern?;
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
    if let Some(label) = found_in(own, LABEL.as_ref(), "message") {
        fault.message = format!("{}: {label}", fault.message);
    }
}

/// Terraform's place of a mistake, and the paragraph behind the source, without which a title is
/// that of many mistakes.
pub(super) fn take_detail(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/detail") {
        return;
    }
    let is_place = |line: &&str| {
        SECTION
            .as_ref()
            .is_some_and(|section| section.is_match(line))
    };
    let Some(at) = below.iter().take(SECTION_MAX_LINES).position(is_place) else {
        return;
    };
    fault.file = found_in(below.iter().skip(at), SECTION.as_ref(), "file").unwrap_or_default();
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

/// Pyright's rule behind the last line of a message.
pub(super) fn take_rule(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/rule") {
        return;
    }
    if fault.code.is_empty() {
        let own = below.iter().take_while(|line| line.starts_with("    "));
        fault.code = found_in(own, RULE.as_ref(), "code").unwrap_or_default();
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
    let pattern = JAVA_SYMBOL.as_ref();
    let found = below
        .iter()
        .take(SYMBOL_MAX_LINES)
        .find_map(|line| pattern?.captures(line));
    if let Some(captures) = found {
        fault.symbol = group(&captures, "symbol");
        fault.message = format!("cannot find symbol: {}", group(&captures, "message"));
    }
}

/// What a test of Go's logged: below its name, or above it where all is told. `None` for a test
/// that failed by one within it.
pub(super) fn take_log(fault: &mut Fault, lines: &[&str], at: usize) -> Option<()> {
    if helix_ablation::is_off("fault/go-log") {
        return Some(());
    }
    let below = lines.get(at + 1..).unwrap_or_default();
    let next = below.first().map(|line| line.trim()).unwrap_or_default();
    let within = next
        .strip_prefix("--- FAIL: ")
        .and_then(|name| name.strip_prefix(&fault.symbol));
    if within.is_some_and(|rest| rest.starts_with('/')) {
        return None;
    }
    let above = lines.get(..at).unwrap_or_default();
    let Some(captures) = logged(next).or_else(|| logged(logged_above(&fault.symbol, above)?))
    else {
        return Some(());
    };
    (fault.file, fault.message) = (group(&captures, "file"), group(&captures, "message"));
    if fault.message.is_empty() {
        // Testify says it in lines of its own.
        let mut own = below.iter().take(ABOVE_MAX_LINES).map(|line| line.trim());
        let error = own
            .find_map(|line| line.strip_prefix("Error:"))
            .unwrap_or_default();
        error.trim().clone_into(&mut fault.message);
    }
    Some(())
}

fn logged(line: &str) -> Option<Captures<'_>> {
    GO_LOG.as_ref()?.captures(line)
}

/// The first line that a test logged last among these, in which each test is announced.
fn logged_above<'a>(test: &str, above: &[&'a str]) -> Option<&'a str> {
    let is_start =
        |line: &&str| line.starts_with("=== ") && line.split_whitespace().last() == Some(test);
    let start = above.iter().rposition(is_start)?;
    let mut own = above
        .iter()
        .skip(start + 1)
        .take_while(|line| !line.starts_with("==="))
        .copied();
    own.find(|line| logged(line).is_some())
}

/// What made a target of a build fail, which stands behind the command that should have made it;
/// `None` when a compiler names it.
pub(super) fn of_target(below: &[&str]) -> Option<String> {
    if helix_ablation::is_off("fault/target") {
        return None;
    }
    let own = || {
        below
            .iter()
            .skip(1)
            .take_while(|line| !line.starts_with("FAILED: ") && !line.starts_with("ninja: "))
    };
    if own().any(|line| is_told(line)) {
        return None;
    }
    let said = own()
        .map(|line| line.trim())
        .find(|line| !line.is_empty() && !line.starts_with('['));
    Some(said.unwrap_or_default().to_owned())
}

/// The line under a heading that says what is wrong; `None` when it is told by itself.
pub(super) fn of_heading(below: &[&str]) -> Option<String> {
    if helix_ablation::is_off("fault/heading") {
        return None;
    }
    let said = below.iter().find(|line| !line.is_empty())?;
    (!is_told(said)).then(|| said.trim().to_owned())
}

/// Whether a line is of a form that says by itself what is wrong.
fn is_told(line: &str) -> bool {
    let tells = |place: Place| !matches!(place, Place::Target | Place::Raised | Place::Heading);
    FORMS
        .iter()
        .any(|form| tells(form.place) && form.pattern.is_match(line))
}

/// Adds the reason that stands below a message which leads to it.
pub(super) fn take_reason(fault: &mut Fault, below: &[&str]) {
    if helix_ablation::is_off("fault/reason") {
        return;
    }
    if fault.message.ends_with(':') {
        fault.message = format!("{} {}", fault.message, block(below));
    }
}

pub(super) fn group(captures: &Captures<'_>, name: &str) -> String {
    captures
        .name(name)
        .map_or("", |found| found.as_str())
        .trim()
        .to_owned()
}
