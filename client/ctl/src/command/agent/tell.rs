//! Reports the changes to a client's files, made or planned, for people and scripts.

use std::path::Path;

use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::screen::{self, Paint};
use crate::text::{neutral, one_line};
use crate::wiring::{Change, Report};

#[derive(Serialize)]
struct EditsDocument<'a> {
    dry_run: bool,
    files: Vec<EditDocument<'a>>,
}

#[derive(Serialize)]
struct EditDocument<'a> {
    path: &'a Path,
    change: &'static str,
    diff: &'a str,
    notes: &'a [String],
    copy: Option<&'a Path>,
}

impl<'a> From<&'a Report> for EditDocument<'a> {
    fn from(report: &'a Report) -> Self {
        let Report {
            path,
            change,
            diff,
            notes,
            copy,
        } = report;
        Self {
            path,
            change: change_name(*change),
            diff,
            notes,
            copy: copy.as_deref(),
        }
    }
}

/// Prints everything as JSON.
pub(super) fn json(reports: &[Report], dry_run: bool) -> Result<(), Failure> {
    screen::json(&EditsDocument {
        dry_run,
        files: reports.iter().map(EditDocument::from).collect(),
    })
}

/// Prints a line for each file; a preview has its differences as well.
pub(super) fn results(context: &Context, reports: &[Report], dry_run: bool) -> Result<(), Failure> {
    for report in reports {
        let would = if dry_run { "would be " } else { "" };
        let path = one_line(&report.path.display().to_string());
        screen::print(&format!("{would}{}\t{path}\n", change_name(report.change)))?;
        if dry_run {
            screen::print(&colored(context, &report.diff))?;
        }
    }
    Ok(())
}

/// The differences of all files.
pub(super) fn differences(context: &Context, reports: &[Report]) -> String {
    reports
        .iter()
        .map(|report| colored(context, &report.diff))
        .collect()
}

/// Says what else is to be known.
pub(super) fn notes(reports: &[Report]) {
    for note in reports.iter().flat_map(|report| &report.notes) {
        screen::remark(&format!("helixctl: {}", one_line(note)));
    }
}

/// Says where the files are kept as they were.
pub(super) fn copies(reports: &[Report], dry_run: bool) {
    let is_kept = if dry_run { "would be kept" } else { "is kept" };
    for (report, copy) in reports
        .iter()
        .filter_map(|report| Some((report, report.copy.as_ref()?)))
    {
        let line = format!(
            "`{}` as it was {is_kept} in `{}`",
            report.path.display(),
            copy.display()
        );
        screen::remark(&format!("helixctl: {}", one_line(&line)));
    }
}

fn colored(context: &Context, diff: &str) -> String {
    let look = context.screen.look;
    let line = |line: &str| {
        let line = neutral(line);
        match line.chars().next() {
            Some('+') => look.paint(Paint::Good, &line),
            Some('-') => look.paint(Paint::Bad, &line),
            Some('@') => look.paint(Paint::Faint, &line),
            _ => line,
        }
    };
    diff.lines().map(|text| line(text) + "\n").collect()
}

fn change_name(change: Change) -> &'static str {
    match change {
        Change::Created => "created",
        Change::Updated => "updated",
        Change::Restored => "restored",
        Change::Cleaned => "cleaned",
        Change::Deleted => "deleted",
        Change::Unchanged => "unchanged",
    }
}
