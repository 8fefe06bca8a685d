//! What an examination found: one line a part, and a sum.

use crate::finding::{Finding, Findings, Level};
use crate::screen::{Look, Paint};
use crate::text::one_line;

/// Writes every finding and how many there are of each level.
pub(crate) fn findings(look: Look, findings: &Findings) -> String {
    let name_chars = findings.results.iter().map(|finding| finding.name.chars().count()).max().unwrap_or_default();
    let mut text: String = findings.results.iter().map(|finding| line(look, finding, name_chars)).collect();
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
    if look.table_width.is_some() {
        format!("{} {name:name_chars$}  {detail}\n", look.paint(paint, &format!("{word:7}")))
    } else {
        format!("{}\t{name}\t{detail}\n", look.paint(paint, word))
    }
}

fn sum(look: Look, findings: &Findings) -> String {
    let [ok, warnings, failures] = [Level::Ok, Level::Warning, Level::Failure].map(|level| findings.count(level));
    let paint = match findings.level {
        Level::Ok => Paint::Good,
        Level::Warning => Paint::Warning,
        Level::Failure => Paint::Bad,
    };
    look.paint(paint, &format!("{ok} ok, {warnings} to look at, {failures} failed")) + "\n"
}
