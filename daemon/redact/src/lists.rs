//! Secrets that stand one behind the other: `recovery codes: a, b and c`, `logins: x:a, y:b`. Rules
//! find the first, and what follows it has its form.

use std::ops::Range;

use regex::Regex;
use serde::Deserialize;

use super::rules::{Found, RuleError, compiled};

/// Bytes before the first secret of a list in which its name stands.
const LEAD_MAX_BYTES: usize = 64;

/// How lists of secrets are told, as the table has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListsTable {
    /// Words for more than one secret.
    names: Vec<String>,
    /// Words between two of a list.
    joints: Vec<String>,
}

/// The expressions that find them.
pub(super) struct Lists {
    lead: Regex,
    item: Regex,
}

impl Lists {
    pub(super) fn of(table: &ListsTable) -> Result<Self, RuleError> {
        let (names, joints) = (table.names.join("|"), table.joints.join("|"));
        // The value ends where the list goes on, or its line or sentence ends.
        let between = format!(r"(?:[,;|][ \t]*(?:(?:{joints})[ \t]+)?|(?:{joints})[ \t]+)");
        let end = format!(r"(?:[ \t]*[,;|]|[ \t]+(?:{joints})\b|[ \t]*(?:\n|$)|\.[ \t])");
        let value = r#"(?:[\w.@-]{1,32}[:/])?(?<value>[^\s"'`,;|()]{6,64})"#;
        let item = format!(r#"\A["'`]?[ \t]*{between}["'`]?{value}["'`]?{end}"#);
        Ok(Self {
            lead: compiled("lists", &format!(r"\b(?:{names})\b[^\n.]*\z"), true)?,
            item: compiled("lists", &item, true)?,
        })
    }

    /// Adds to the secrets that were found what follows them in their lists, of letters and digits
    /// both: by these alone a word is told from a secret here.
    pub(super) fn find(&self, text: &str, found: &mut Vec<Found<'_>>) {
        let mut others = Vec::new();
        for first in found.iter().filter(|first| self.begins(text, first)) {
            let mut end = first.range.end;
            while let Some(range) = self.next(text, end) {
                end = range.end;
                others.push(Found::new(range, first.rule));
            }
        }
        found.extend(others);
    }

    /// Returns whether a secret stands behind the name of a list.
    fn begins(&self, text: &str, first: &Found<'_>) -> bool {
        let start = first.range.start;
        let lead = text.floor_char_boundary(start.saturating_sub(LEAD_MAX_BYTES));
        let lead = text.get(lead..start);
        lead.is_some_and(|lead| self.lead.is_match(lead))
    }

    /// The next secret of a list of which one ends there.
    fn next(&self, text: &str, end: usize) -> Option<Range<usize>> {
        let item = self.item.captures(text.get(end..)?)?;
        let value = item.name("value")?;
        is_mixed(value.as_str()).then(|| end + value.start()..end + value.end())
    }
}

fn is_mixed(value: &str) -> bool {
    value.contains(char::is_alphabetic) && value.contains(char::is_numeric)
}
