//! The findings of an examination: one line a part, and a sum.

use crate::finding::{Finding, Findings, Level};
use crate::screen::{Look, Paint};
use crate::text::{one_line, wrapped_prose};

/// Columns of the longest level.
const LEVEL_COLUMNS: usize = 7;

/// Fewest columns in which a detail can be read beside its part's name; it stands below it
/// otherwise.
const DETAIL_MIN_COLUMNS: usize = 24;

/// Writes every finding and how many there are of each level.
pub(crate) fn findings(look: Look, findings: &Findings) -> String {
    let name_chars = findings
        .results
        .iter()
        .map(|finding| finding.name.chars().count())
        .max()
        .unwrap_or_default();
    let mut text: String = findings
        .results
        .iter()
        .map(|finding| line(look, finding, name_chars))
        .collect();
    if look.table_width.is_some() {
        text.push_str(&sum(look, findings));
    }
    text
}

fn line(look: Look, finding: &Finding, name_chars: usize) -> String {
    let (name, detail) = (one_line(&finding.name), one_line(&finding.detail));
    let (paint, word) = match finding.level {
        Level::Ok => (Paint::Good, "ok"),
        Level::Warning => (Paint::Warning, "warning"),
        Level::Failure => (Paint::Bad, "failure"),
    };
    let Some(width) = look.table_width else {
        return format!("{}\t{name}\t{detail}\n", look.paint(paint, word));
    };
    let level = look.paint(paint, &format!("{word:LEVEL_COLUMNS$}"));
    let indent = LEVEL_COLUMNS + 1 + name_chars + 2;
    match usize::from(width)
        .checked_sub(indent)
        .filter(|room| *room >= DETAIL_MIN_COLUMNS)
    {
        Some(room) => {
            let detail = wrapped_prose(&detail, room).replace('\n', &format!("\n{:indent$}", ""));
            format!("{level} {name:name_chars$}  {detail}\n")
        }
        None => look.wrapped(&format!("{level} {name}  {detail}")) + "\n",
    }
}

fn sum(look: Look, findings: &Findings) -> String {
    let [ok, warnings, failures] =
        [Level::Ok, Level::Warning, Level::Failure].map(|level| findings.count(level));
    let paint = match findings.level {
        Level::Ok => Paint::Good,
        Level::Warning => Paint::Warning,
        Level::Failure => Paint::Bad,
    };
    look.paint(
        paint,
        &format!("{ok} ok, {warnings} to look at, {failures} failed"),
    ) + "\n"
}
