//! Wiring and unwiring on real files: everything is planned and checked before the first file is written, and what is
//! written is what was shown.

use std::fs;
use std::path::{Path, PathBuf};

use super::diff::diff;
use super::error::WiringError;
use super::file;
use super::plan::{plan_install, plan_uninstall};
use super::spec::Programs;
use super::status::{WiringStatus, plan_status};
use super::target::Target;
use super::undo::{Record, Undo, hash};

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is made.
    Created,
    /// Our entries are added or moved.
    Updated,
    /// It becomes what it was before the installation, to the byte.
    Restored,
    /// Our entries are taken out of a file that was edited since.
    Cleaned,
    /// It goes, as before the installation.
    Deleted,
    /// Nothing has to be done.
    Unchanged,
}

/// The outcome for one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// The file as the client names it.
    pub(crate) path: PathBuf,
    /// What happens to it.
    pub(crate) change: Change,
    /// A unified diff; empty when nothing changes.
    pub(crate) diff: String,
    /// What else the user should know, each a lowercase fragment.
    pub(crate) notes: Vec<String>,
}

/// Edits of several files, planned and checked together.
#[derive(Debug)]
pub(crate) struct Plan {
    direction: Direction,
    steps: Vec<Step>,
    undo: Undo,
}

/// Which way a plan goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Install,
    Uninstall,
}

/// A checked edit of one file.
#[derive(Debug)]
struct Step {
    shown: PathBuf,
    real: PathBuf,
    /// What its undo record is filed under.
    key: PathBuf,
    before: Option<String>,
    after: Option<String>,
    change: Change,
    notes: Vec<String>,
    new_mode: u32,
    /// The record to keep with an installation; the one that an uninstallation went by.
    record: Option<Record>,
}

impl Plan {
    /// Plans to merge our entries into each file. A conflict in one leaves all untouched.
    ///
    /// # Errors
    /// See [`WiringError`].
    pub(crate) fn install(targets: &[Target], programs: &Programs, helix_home: &Path) -> Result<Self, WiringError> {
        let undo = Undo::new(helix_home);
        let plan = |target| plan_file_install(target, programs, &undo);
        let steps = targets.iter().map(plan).collect::<Result<_, _>>()?;
        Ok(Self { direction: Direction::Install, steps, undo })
    }

    /// Plans to take our entries out of each file, restoring it to the byte where nobody edited it since.
    ///
    /// # Errors
    /// See [`WiringError`].
    pub(crate) fn uninstall(targets: &[Target], helix_home: &Path) -> Result<Self, WiringError> {
        let undo = Undo::new(helix_home);
        let plan = |target| plan_file_uninstall(target, &undo);
        let steps = targets.iter().map(plan).collect::<Result<_, _>>()?;
        Ok(Self { direction: Direction::Uninstall, steps, undo })
    }

    /// What it does to each file.
    pub(crate) fn reports(&self) -> Vec<Report> {
        self.steps.iter().map(Step::report).collect()
    }

    /// Whether it changes any file.
    pub(crate) fn changes_anything(&self) -> bool {
        self.steps.iter().any(|step| step.change != Change::Unchanged)
    }

    /// Carries it out.
    ///
    /// # Errors
    /// When a file cannot be written or says something else by now; the files before it are done then.
    pub(crate) fn write(&self) -> Result<(), WiringError> {
        self.steps.iter().try_for_each(|step| match self.direction {
            Direction::Install => write_installed(step, &self.undo),
            // Even where nothing changes: a record of what is not there any more goes.
            Direction::Uninstall => write_uninstalled(step, &self.undo),
        })
    }
}

/// Compares one file with what it should hold.
///
/// # Errors
/// When the file cannot be read or understood.
pub(crate) fn status(target: &Target, programs: &Programs) -> Result<WiringStatus, WiringError> {
    let real = file::resolve(&target.path)?;
    let text = file::read(&real)?;
    plan_status(text.as_deref(), target, programs, &|program| program.is_file()).map_err(|error| error.within(&real))
}

fn plan_file_install(target: &Target, programs: &Programs, undo: &Undo) -> Result<Step, WiringError> {
    let real = file::resolve(&target.path)?;
    let before = file::read(&real)?;
    let planned = plan_install(before.as_deref(), target, programs).map_err(|error| error.within(&real))?;
    let change = match (planned.changed, &before) {
        (false, _) => Change::Unchanged,
        (true, None) => Change::Created,
        (true, Some(_)) => Change::Updated,
    };
    if planned.changed {
        file::check_writable(&real)?;
    }
    let seen = plan_status(Some(&planned.text), target, programs, &|program| program.is_file())?;
    let missing = seen.stale.iter().map(|program| format!("`{}` does not exist", program.display()));
    let notes = missing.chain(seen.notes).collect();
    let key = target.record_key(&real);
    let (shown, new_mode) = (target.path.clone(), target.new_mode);
    let mut step = Step { shown, real, key, before, after: Some(planned.text), change, notes, new_mode, record: None };
    step.record = next_record(&step, target, undo)?;
    Ok(step)
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
    let without = plan_uninstall(before, original, target).map_err(|error| error.within(&step.real))?;
    Ok(Some(match earlier {
        Some(record) if without.changed => {
            let current = hash(before.as_bytes());
            // A file that was edited since may never go back to the bytes it had before: the edits would be lost.
            let ours = if record.ours.contains(&current) { vec![current, written] } else { Vec::new() };
            record.with_ours(ours)
        }
        // Entries of ours without a record were put there by hand, or came with a colleague's commit: they were there before.
        _ => Record::new(&step.real, Some(before.clone()), vec![written], made_dirs(step, undo)),
    }))
}

fn made_dirs(step: &Step, undo: &Undo) -> Vec<PathBuf> {
    let missing = file::missing_parents(&step.real);
    let shared = undo.made_dirs_above(&step.real).into_iter().filter(|dir| !missing.contains(dir));
    missing.iter().cloned().chain(shared).collect()
}

fn write_installed(step: &Step, undo: &Undo) -> Result<(), WiringError> {
    let (Some(after), Some(record)) = (&step.after, &step.record) else {
        return Ok(());
    };
    let is_first = undo.load(&step.key)?.is_none_or(|earlier| earlier.original != record.original);
    match &step.before {
        Some(before) if is_first => undo.back_up(&step.key, before)?,
        Some(_) => {}
        None => undo.discard_copy(&step.key)?,
    }
    undo.save(&step.key, record)?;
    file::make_parents(&step.real)?;
    file::replace(&step.real, step.before.as_deref(), after, step.new_mode)
}

fn plan_file_uninstall(target: &Target, undo: &Undo) -> Result<Step, WiringError> {
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
    if let (Change::Restored, Some(text)) = (change, &after)
        && plan_uninstall(text, None, target).is_ok_and(|left| left.changed)
    {
        notes.push(
            "entries of Helix were there before it was connected, and are again; repeat this to take them out".into(),
        );
    }
    let (shown, new_mode) = (target.path.clone(), target.new_mode);
    Ok(Step { shown, real, key, before, after, change, notes, new_mode, record })
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
    let planned = plan_uninstall(text, record.and_then(|record| record.original.as_deref()), target)?;
    let made_by_us = record.is_some_and(|record| record.original.is_none());
    Ok(match (planned.changed, made_by_us && planned.bare) {
        (false, _) => (Some(planned.text), Change::Unchanged),
        (true, true) => (None, Change::Deleted),
        (true, false) => (Some(planned.text), Change::Cleaned),
    })
}

fn write_uninstalled(step: &Step, undo: &Undo) -> Result<(), WiringError> {
    match (step.change, &step.before, &step.after) {
        (Change::Unchanged, ..) | (_, None, _) => {}
        (_, Some(before), None) => file::remove(&step.real, before)?,
        (_, before, Some(after)) => {
            file::replace(&step.real, before.as_deref(), after, step.new_mode)?;
        }
    }
    if !step.real.exists() {
        remove_empty(step.record.as_ref().map(|record| record.made_dirs.as_slice()).unwrap_or_default());
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
    fn report(&self) -> Report {
        let diff = diff(&self.shown, self.before.as_deref(), self.after.as_deref());
        Report { path: self.shown.clone(), change: self.change, diff, notes: self.notes.clone() }
    }
}
