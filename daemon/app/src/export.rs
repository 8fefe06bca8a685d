//! Exporting: the memories of the asker's scopes in an exchange format, in pieces as they are made.
//!
//! It reads topic by topic from one snapshot of the store, so that an export of any size takes
//! little memory and goes no faster than its reader.

mod formats;
mod outlet;
mod selection;

use std::cell::Cell;
use std::io;

use helix_engine::StoreError;
use helix_memory::{Scope, Status as Life, TopicPattern};

use self::formats::{as_amrl, as_json, as_markdown};
use self::outlet::Outlet;
use self::selection::Selection;
use crate::exchange::{Format, Pieces};
use crate::{App, Asker, Refusal, scopes};

/// Notes on what a format could not hold.
const NOTES_MAX: usize = 100;

/// Note about fields that the log has no place for.
const WITHOUT_FIELDS: &str = "an AMRL log has no place for kind, importance, pin and project, which were left out; json keeps every field";

/// An export that somebody wants.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How it travels.
    pub format: Format,
    /// The scopes; empty for those that the asker sees.
    pub scopes: Vec<String>,
    /// Patterns of topics; empty for all.
    pub topics: Vec<String>,
}

/// Why an export did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum Cut {
    /// It was not carried out.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Nobody took more of it.
    #[error(transparent)]
    Unread(#[from] io::Error),
}

impl From<StoreError> for Cut {
    fn from(error: StoreError) -> Self {
        Self::Refused(error.into())
    }
}

/// Exports what is wanted. Blocks while `pieces` has no room.
///
/// # Errors
/// [`Cut`]: what was handed over is not all.
pub fn export(
    app: &App,
    asker: &Asker,
    wanted: &Wanted,
    pieces: &mut dyn Pieces,
) -> Result<(), Cut> {
    let scopes = scopes::listed(app, asker, &wanted.scopes)?;
    let selection = Selection::new(app, &scopes, &wanted.topics)?;
    let snapshot = app.memory.strand.snapshot()?;
    let mut outlet = Outlet::new(pieces);
    outlet.total = selection
        .topics
        .iter()
        .map(|(_, members)| members.len() as u64)
        .sum();
    let lost_links = Cell::new(0);
    let report = match wanted.format {
        Format::Json => as_json(&selection, &snapshot, &mut outlet)?,
        Format::Markdown => as_markdown(&selection, &snapshot, &mut outlet)?,
        Format::Amrl => as_amrl(&selection, &snapshot, &mut outlet, &lost_links)?,
    };
    let flaws = report.flaws.iter().take(NOTES_MAX);
    let mut notes: Vec<String> = flaws.map(ToString::to_string).collect();
    if wanted.format == Format::Amrl && outlet.total > 0 {
        notes.push(WITHOUT_FIELDS.to_owned());
    }
    notes.extend(derived(selection.derived));
    notes.extend(without_links(lost_links.get()));
    notes.extend(replaced(app, &scopes, &wanted.topics));
    Ok(outlet.send(notes)?)
}

/// Says how many memories were read from files, which are read again where the files are.
fn derived(count: usize) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{count} read from agents' own files left out: they are read again where these files are, and exported once approved"
        )
    })
}

/// Says how many links lead to memories that are there and not exported. An AMRL log names a memory
/// by its place, which means another one elsewhere.
fn without_links(count: usize) -> Option<String> {
    let said = match count {
        0 => return None,
        1 => "1 link leads to a memory that is not exported; the log leaves it out".to_owned(),
        count => {
            format!("{count} links lead to memories that are not exported; the log leaves them out")
        }
    };
    Some(format!(
        "{said}: export their topics too, or json, which keeps them"
    ))
}

/// Says how many memories of the scopes and topics are not exported because others took their place
/// or they were put away.
fn replaced(app: &App, scopes: &[Scope], patterns: &[String]) -> Option<String> {
    let patterns: Vec<TopicPattern> = patterns
        .iter()
        .filter_map(|pattern| TopicPattern::parse(pattern).ok())
        .collect();
    let catalog = app.memory.strand.catalog();
    let known = catalog.scope_numbers(scopes);
    let is_wanted =
        |topic: &str| patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(topic));
    let count = |status| {
        let rows = catalog
            .rows()
            .filter(|(_, row)| row.status == status && row.is_in(&known));
        rows.filter(|(_, row)| is_wanted(catalog.topic_of(row)))
            .count()
    };
    let (superseded, archived) = (count(Life::Superseded), count(Life::Archived));
    let parts = [(superseded, "superseded"), (archived, "archived")];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "only active memories are exported: {} left out",
            parts.join(" and ")
        )
    })
}
