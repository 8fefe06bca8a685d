//! Install, uninstall and status on real files: plan everything first, then write.

use std::fs;
use std::path::{Path, PathBuf};

use super::diff::diff;
use super::error::WiringError;
use super::file;
use super::plan::{plan_install, plan_uninstall};
use super::spec::Spec;
use super::status::{WiringStatus, plan_status};
use super::target::Target;
use super::undo::{Record, Undo, hash};

/// Whether to write or only to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// Write.
    Write,
    /// Make every check and show the difference, but write nothing.
    Preview,
}

/// What happened, or would happen, to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// It was made.
    Created,
    /// Our entries were added or moved.
    Updated,
    /// It is as it was before the installation, to the byte.
    Restored,
    /// Our entries were taken out of a file that was edited since.
    Cleaned,
    /// It is gone, as before the installation.
    Deleted,
    /// Nothing had to be done.
    Unchanged,
}

/// The outcome for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// The file as the client names it.
    pub(crate) path: PathBuf,
    /// What happened to it.
    pub(crate) change: Change,
    /// A unified diff; empty when nothing changed.
    pub(crate) diff: String,
    /// What else the user should know, each a lowercase fragment.
    pub(crate) notes: Vec<String>,
}

/// A checked plan for one file.
struct Step {
    shown: PathBuf,
    real: PathBuf,
    /// What its undo record is filed under.
    key: PathBuf,
    before: Option<String>,
    after: Option<String>,
    change: Change,
    notes: Vec<String>,
}

/// Merges our entries into each file. Every file is planned and checked before the first is written, so a
/// conflict in one leaves all untouched.
///
/// # Errors
/// See [`WiringError`].
pub(crate) fn install(edits: &[(Target, Spec)], helix_home: &Path, run: Run) -> Result<Vec<Report>, WiringError> {
    let undo = Undo::new(helix_home);
    let steps: Vec<Step> =
        edits.iter().map(|(target, spec)| plan_file_install(target, spec)).collect::<Result<_, _>>()?;
    for (step, (target, _)) in steps.iter().zip(edits) {
        let record = next_record(step, target, &undo)?;
        if let (Run::Write, Some(after), Some(record)) = (run, &step.after, record) {
            write_installed(step, after, &record, target, &undo)?;
        }
    }
    Ok(steps.into_iter().map(Step::report).collect())
}

/// Takes our entries out of each file, restoring it to the byte where nobody edited it since.
///
/// # Errors
/// See [`WiringError`].
pub(crate) fn uninstall(targets: &[Target], helix_home: &Path, run: Run) -> Result<Vec<Report>, WiringError> {
    let undo = Undo::new(helix_home);
    let steps: Vec<(Step, Option<Record>)> =
        targets.iter().map(|target| plan_file_uninstall(target, &undo)).collect::<Result<_, _>>()?;
    if run == Run::Write {
        for ((step, record), target) in steps.iter().zip(targets) {
            write_uninstalled(step, record.as_ref(), target, &undo)?;
        }
    }
    Ok(steps.into_iter().map(|(step, _)| step.report()).collect())
}

/// Compares one file with what it should hold.
///
/// # Errors
/// When the file cannot be read or understood.
pub(crate) fn status(target: &Target, spec: &Spec) -> Result<WiringStatus, WiringError> {
    let real = file::resolve(&target.path)?;
    let text = file::read(&real)?;
    let exists = |program: &Path| program.is_file();
    plan_status(text.as_deref(), spec, &target.level, &exists).map_err(|error| error.within(&real))
}

fn plan_file_install(target: &Target, spec: &Spec) -> Result<Step, WiringError> {
    let real = file::resolve(&target.path)?;
    let before = file::read(&real)?;
    let planned = plan_install(before.as_deref(), spec, &target.level).map_err(|error| error.within(&real))?;
    let change = match (planned.changed, &before) {
        (false, _) => Change::Unchanged,
        (true, None) => Change::Created,
        (true, Some(_)) => Change::Updated,
    };
    if planned.changed {
        file::check_writable(&real)?;
    }
    let seen = plan_status(Some(&planned.text), spec, &target.level, &|program| program.is_file())?;
    let missing = seen.stale.iter().map(|program| format!("`{}` does not exist", program.display()));
    let notes = missing.chain(seen.notes).collect();
    let key = target.record_key(&real);
    Ok(Step { shown: target.path.clone(), real, key, before, after: Some(planned.text), change, notes })
}

/// The record to keep with a change; `None` when nothing changes. An earlier record's original stays the original.
fn next_record(step: &Step, target: &Target, undo: &Undo) -> Result<Option<Record>, WiringError> {
    let (Some(after), true) = (&step.after, step.change != Change::Unchanged) else {
        return Ok(None);
    };
    let written = hash(after.as_bytes());
    let earlier = undo.load(&step.key)?;
    let Some(before) = &step.before else {
        return Ok(Some(Record::new(&step.real, None, vec![written], made_dirs(step, undo))));
    };
    let original = earlier.as_ref().and_then(|record| record.original.as_deref());
    let without = plan_uninstall(before, original, target.part, &target.level);
    let without = without.map_err(|error| error.within(&step.real))?;
    Ok(Some(match earlier {
        Some(record) if without.changed => {
            let current = hash(before.as_bytes());
            // A file that was edited since may never go back to the bytes it had before: the edits would be lost.
            let ours = if record.ours.contains(&current) { vec![current, written] } else { Vec::new() };
            record.with_ours(ours)
        }
        // Entries of ours without a record came from elsewhere, such as a colleague's commit; undoing leaves none.
        _ => Record::new(&step.real, Some(without.text), vec![written], made_dirs(step, undo)),
    }))
}

fn made_dirs(step: &Step, undo: &Undo) -> Vec<PathBuf> {
    let missing = file::missing_parents(&step.real);
    let shared = undo.made_dirs_above(&step.real).into_iter().filter(|dir| !missing.contains(dir));
    missing.iter().cloned().chain(shared).collect()
}

fn write_installed(step: &Step, after: &str, record: &Record, target: &Target, undo: &Undo) -> Result<(), WiringError> {
    let is_first = undo.load(&step.key)?.is_none_or(|earlier| earlier.original != record.original);
    match &step.before {
        Some(before) if is_first => undo.back_up(&step.key, before)?,
        Some(_) => {}
        None => undo.discard_copy(&step.key)?,
    }
    undo.save(&step.key, record)?;
    file::make_parents(&step.real)?;
    file::replace(&step.real, step.before.as_deref(), after, target.new_mode)
}

fn plan_file_uninstall(target: &Target, undo: &Undo) -> Result<(Step, Option<Record>), WiringError> {
    let real = file::resolve(&target.path)?;
    let before = file::read(&real)?;
    let key = target.record_key(&real);
    let record = undo.load(&key)?;
    let mut notes = Vec::new();
    let (after, change) = match &before {
        None => (None, Change::Unchanged),
        Some(text) => after_uninstall(text, record.as_ref(), target).map_err(|error| error.within(&real))?,
    };
    if change != Change::Unchanged {
        file::check_writable(&real)?;
    }
    if let (Change::Cleaned, Some(copy)) = (change, undo.copy(&key)) {
        notes.push(format!("the file was edited since; what it was before Helix is kept in `{}`", copy.display()));
    }
    Ok((Step { shown: target.path.clone(), real, key, before, after, change, notes }, record))
}

fn after_uninstall(
    text: &str,
    record: Option<&Record>,
    target: &Target,
) -> Result<(Option<String>, Change), WiringError> {
    if let Some(record) = record.filter(|record| record.ours.contains(&hash(text.as_bytes()))) {
        let change = if record.original.is_some() { Change::Restored } else { Change::Deleted };
        return Ok((record.original.clone(), change));
    }
    let planned =
        plan_uninstall(text, record.and_then(|record| record.original.as_deref()), target.part, &target.level)?;
    let made_by_us = record.is_some_and(|record| record.original.is_none());
    Ok(match (planned.changed, made_by_us && planned.bare) {
        (false, _) => (Some(planned.text), Change::Unchanged),
        (true, true) => (None, Change::Deleted),
        (true, false) => (Some(planned.text), Change::Cleaned),
    })
}

fn write_uninstalled(step: &Step, record: Option<&Record>, target: &Target, undo: &Undo) -> Result<(), WiringError> {
    match (step.change, &step.before, &step.after) {
        (Change::Unchanged, ..) | (_, None, _) => {}
        (_, Some(before), None) => file::remove(&step.real, before)?,
        (_, before, Some(after)) => {
            file::replace(&step.real, before.as_deref(), after, target.new_mode)?;
        }
    }
    if !step.real.exists() {
        remove_empty(record.map(|record| record.made_dirs.as_slice()).unwrap_or_default());
    }
    if step.change == Change::Restored {
        undo.discard_copy(&step.key)?;
    }
    undo.forget(&step.key)
}

/// Removes directories that were made for a file, up to the first that holds anything else.
fn remove_empty(dirs: &[PathBuf]) {
    for dir in dirs {
        if fs::remove_dir(dir).is_err() {
            return;
        }
    }
}

impl Step {
    fn report(self) -> Report {
        let diff = diff(&self.shown, self.before.as_deref(), self.after.as_deref());
        Report { path: self.shown, change: self.change, diff, notes: self.notes }
    }
}
