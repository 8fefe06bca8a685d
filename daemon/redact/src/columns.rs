//! Secrets in the columns of tables whose heads tell of them: Markdown, CSV and what is between
//! tabs.

use std::ops::Range;

use super::named::WordIn;
use super::rules::{Found, line_at};

/// Most columns that are looked at.
const COLUMNS_MAX: usize = 64;

/// Characters between cells.
const SEPARATORS: [char; 4] = ['|', '\t', ',', ';'];

/// Around what a cell says.
const AROUND: [char; 6] = [' ', '\t', '"', '\'', '`', '*'];

/// Finds the cells that are secrets by the head of their column, which has a telling word, and their
/// value; `rule_of` says by which rule.
pub(super) fn find(
    text: &str,
    words: &[WordIn],
    rule_of: impl Fn(&str, &str) -> Option<&'static str>,
    found: &mut Vec<Found<'_>>,
) {
    if !text.contains('\n') {
        return;
    }
    for separator in SEPARATORS {
        let mut looked_at = 0;
        for word in words {
            if word.range.start < looked_at {
                continue;
            }
            let head = line_at(text, word.range.start);
            looked_at = head.end;
            below(text, head, separator, &rule_of, found);
        }
    }
}

/// Finds those below a line that is the head of a table: the first line of those that have as many
/// cells.
fn below(
    text: &str,
    head: Range<usize>,
    separator: char,
    rule_of: &impl Fn(&str, &str) -> Option<&'static str>,
    found: &mut Vec<Found<'_>>,
) {
    let names = cells(text, head.clone(), separator);
    let is_row = |line: &Range<usize>| cells(text, line.clone(), separator).len() == names.len();
    let before = (head.start > 0).then(|| line_at(text, head.start - 1));
    if names.len() < 2 || before.is_some_and(|before| is_row(&before)) {
        return;
    }
    let mut at = head.end;
    while at < text.len() {
        let line = line_at(text, at);
        at = line.end;
        let cells = cells(text, line.clone(), separator);
        if cells.len() != names.len() {
            return;
        }
        let mut from = line.start;
        for (name, cell) in names.iter().zip(&cells) {
            let behind = cell.trim_start_matches(AROUND);
            let start = from + cell.len() - behind.len();
            let (name, value) = (name.trim_matches(AROUND), behind.trim_end_matches(AROUND));
            if !value.is_empty()
                && !name.is_empty()
                && let Some(rule) = rule_of(name, value)
            {
                found.push(Found::new(start..start + value.len(), rule));
            }
            from += cell.len() + separator.len_utf8();
        }
    }
}

fn cells(text: &str, line: Range<usize>, separator: char) -> Vec<&str> {
    let line = text.get(line).unwrap_or_default();
    let cells = line.trim_end_matches(['\r', '\n']).split(separator);
    cells.take(COLUMNS_MAX).collect()
}
