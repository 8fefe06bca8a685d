//! One file's way through a plan: read and edited in memory, then shown, then written with its
//! record.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::apply::{Change, Report};
use super::diff::diff;
use super::error::WiringError;
use super::file;
use super::hooks::VERSION;
use super::plan::{plan_install, plan_uninstall};
use super::prune::Original;
use super::record::{Record, Standing, together, without};
use super::spec::Programs;
use super::status::plan_status;
use super::target::{Syntax, Target};
use super::undo::Undo;
use super::verify::{holds, read_as};

/// A checked edit of one file.
#[derive(Debug)]
pub(super) struct Step {
    /// The file as the client names it.
    shown: PathBuf,
    /// The file that is really meant.
    real: PathBuf,
    before: Option<String>,
    after: Option<String>,
    change: Change,
    notes: Vec<String>,
    new_mode: u32,
    /// The fate of the file's record.
    pub(super) kept: Kept,
    /// True if the present text becomes the one that the file goes back to.
    is_first: bool,
    /// Directories that go with the file, deepest first.
    made_dirs: Vec<PathBuf>,
}

/// The fate of a file's record.
#[derive(Debug)]
pub(super) enum Kept {
    /// It stays as it is.
    Untouched,
    /// It becomes this.
    Saved(Record),
    /// It goes.
    Forgotten,
}

impl Step {
    /// Plans to merge our entries into a file.
    pub(super) fn install(
        target: &Target,
        programs: &Programs,
        undo: &Undo,
    ) -> Result<Self, WiringError> {
        let real = file::resolve(&target.path)?;
        let before = file::read(&real)?;
        let planned = plan_install(before.as_deref(), target, programs)
            .map_err(|error| error.within(&real))?;
        let seen = plan_status(Some(&planned.text), target, programs, &|program| {
            programs.is_there(program)
        })?;
        let missing = seen
            .stale
            .iter()
            .map(|program| format!("`{}` does not exist", program.display()));
        let notes = missing.chain(seen.notes).collect();
        let mut step = Self::new(target, real, before);
        step.notes = notes;
        if planned.changed {
            file::check_writable(&step.real)?;
            step.change = if step.before.is_none() {
                Change::Created
            } else {
                Change::Updated
            };
            step.note_install(&planned.text, target, undo)?;
        }
        step.after = Some(planned.text);
        Ok(step)
    }

    /// Plans to take our entries out of a file.
    pub(super) fn uninstall(target: &Target, undo: &Undo) -> Result<Self, WiringError> {
        let real = file::resolve(&target.path)?;
        let before = file::read(&real)?;
        let record = undo.load(&real, target)?;
        let mut step = Self::new(target, real, before);
        step.kept = Kept::Forgotten;
        let Some(text) = step.before.clone() else {
            step.made_dirs = record.map(|record| record.made_dirs).unwrap_or_default();
            return Ok(step);
        };
        match record {
            Some(record) => step.go_back(&text, record, target, undo),
            None => step.take_out(&text, target),
        }
        .map_err(|error| error.within(&step.real))?;
        if step.change != Change::Unchanged {
            file::check_writable(&step.real)?;
        }
        Ok(step)
    }

    fn new(target: &Target, real: PathBuf, before: Option<String>) -> Self {
        Self {
            shown: target.path.clone(),
            real,
            after: before.clone(),
            before,
            change: Change::Unchanged,
            notes: Vec::new(),
            new_mode: target.new_mode,
            kept: Kept::Untouched,
            is_first: false,
            made_dirs: Vec::new(),
        }
    }

    /// Finds the record to keep with an installation. An earlier record's original stays the
    /// original while anything that was put there since is in the file. Entries without a
    /// record were put there by hand, or came with a colleague's commit: they were there
    /// before.
    fn note_install(
        &mut self,
        after: &str,
        target: &Target,
        undo: &Undo,
    ) -> Result<(), WiringError> {
        let earlier = undo.load(&self.real, target)?;
        let goes_on = self
            .before
            .as_deref()
            .zip(earlier)
            .and_then(|(before, record)| {
                let standing = record.standing(before, target.syntax);
                (!standing.entries.is_empty()).then_some((record, standing))
            });
        self.is_first = goes_on.is_none();
        let (record, standing) = goes_on.unwrap_or_else(|| {
            let record = Record::new(&self.real, self.before.clone(), self.dirs_to_make(undo));
            (
                record,
                Standing {
                    entries: Vec::new(),
                    is_exact: true,
                },
            )
        });
        let entries = together(standing.entries, target.entries());
        let record = record.with_made_for(self.before.as_deref(), target);
        self.kept = Kept::Saved(record.next(after, entries, standing.is_exact));
        Ok(())
    }

    fn dirs_to_make(&self, undo: &Undo) -> Vec<PathBuf> {
        let missing = file::missing_parents(&self.real);
        let shared = undo
            .made_dirs_above(&self.real)
            .into_iter()
            .filter(|dir| !missing.contains(dir));
        missing.iter().cloned().chain(shared).collect()
    }

    /// Takes our entries out by what the record says: to the byte what it was, when they are the
    /// last of ours and nobody else edited the file.
    fn go_back(
        &mut self,
        text: &str,
        record: Record,
        target: &Target,
        undo: &Undo,
    ) -> Result<(), WiringError> {
        let Standing { entries, is_exact } = record.standing(text, target.syntax);
        let left = without(&entries, &target.entries());
        self.made_dirs.clone_from(&record.made_dirs);
        // What the record does not know of was put there by somebody else.
        let is_exact = is_exact && left.len() < entries.len();
        if is_exact && left.is_empty() {
            self.change = if record.original.is_some() {
                Change::Restored
            } else {
                Change::Deleted
            };
            self.after.clone_from(&record.original);
            let original = record.original.as_deref();
            self.notes.extend(
                original.and_then(|original| remark_there_again(original, &record, target)),
            );
            return Ok(());
        }
        let original = Original::Recorded {
            text: record.original.as_deref(),
            made: &record.made,
        };
        let planned = plan_uninstall(text, original, target)?;
        let is_bare = record.original.is_none() && planned.bare;
        self.change = match (
            planned.changed,
            is_bare,
            is_exact && record.was(&planned.text, &left),
        ) {
            // Others may have taken ours out: what is bare is the file that was made for them.
            (_, true, _) => Change::Deleted,
            (false, ..) => Change::Unchanged,
            (true, false, true) => Change::Restored,
            (true, false, false) => Change::Cleaned,
        };
        if let (Change::Cleaned, false, Some(copy)) = (self.change, is_exact, undo.copy(&self.real))
        {
            let copy = copy.display();
            self.notes.push(format!(
                "the file was edited since; what it was before Helix is kept in `{copy}`"
            ));
        }
        self.after = Some(planned.text).filter(|_| self.change != Change::Deleted);
        self.kept = match (&self.after, left.is_empty(), planned.changed) {
            (None, ..) | (_, true, _) => Kept::Forgotten,
            (Some(_), false, false) => Kept::Untouched,
            (Some(after), false, true) => Kept::Saved(
                record
                    .next(after, left, is_exact)
                    .with_made_in(after, target.syntax),
            ),
        };
        Ok(())
    }

    /// Takes exactly our entries out where no record says what was there before.
    fn take_out(&mut self, text: &str, target: &Target) -> Result<(), WiringError> {
        let planned = plan_uninstall(text, Original::Unknown, target)?;
        if planned.changed {
            self.change = Change::Cleaned;
            self.notes.extend(remark_left(&planned.text, target));
            self.after = Some(planned.text);
        }
        Ok(())
    }

    /// Describes the step, for people.
    pub(super) fn report(&self, undo: &Undo) -> Report {
        let diff = diff(&self.shown, self.before.as_deref(), self.after.as_deref());
        let copy = (self.is_first && self.before.is_some()).then(|| undo.copy_path(&self.real));
        Report {
            path: self.shown.clone(),
            change: self.change,
            diff,
            notes: self.notes.clone(),
            copy,
        }
    }

    /// Refuses a file that is to be changed and says something else by now.
    pub(super) fn check(&self) -> Result<(), WiringError> {
        if self.change == Change::Unchanged {
            Ok(())
        } else {
            self.check_unchanged()
        }
    }

    fn check_unchanged(&self) -> Result<(), WiringError> {
        file::check_unchanged(&self.real, self.before.as_deref())
    }

    /// Returns its change to the file.
    pub(super) fn change(&self) -> Change {
        self.change
    }

    /// Carries it out: the record before the file when it is to be kept, after it when it goes.
    pub(super) fn write(&self, undo: &Undo) -> Result<(), WiringError> {
        match (self.check_unchanged(), self.change) {
            // A record that is of no use by what the file said may be of use by now.
            (Err(_), Change::Unchanged) => return Ok(()),
            (checked, _) => checked?,
        }
        if let Kept::Saved(record) = &self.kept {
            self.back_up(undo)?;
            undo.save(&self.real, record)?;
        }
        self.write_file()?;
        if !matches!(self.kept, Kept::Forgotten) {
            return Ok(());
        }
        if !self.real.exists() {
            remove_empty(&self.made_dirs);
        }
        if self.change == Change::Restored {
            undo.discard_copy(&self.real)?;
        }
        undo.forget(&self.real)
    }

    fn back_up(&self, undo: &Undo) -> Result<(), WiringError> {
        match &self.before {
            Some(before) if self.is_first => undo.back_up(&self.real, before),
            Some(_) => Ok(()),
            None => undo.discard_copy(&self.real),
        }
    }

    fn write_file(&self) -> Result<(), WiringError> {
        match (self.change, &self.before, &self.after) {
            (Change::Unchanged, ..) | (_, None, None) => Ok(()),
            (_, Some(before), None) => file::remove(&self.real, before),
            (_, before, Some(after)) => {
                file::make_parents(&self.real)?;
                file::replace(&self.real, before.as_deref(), after, self.new_mode)
            }
        }
    }
}

/// Says that a file's original has entries of Helix itself.
fn remark_there_again(original: &str, record: &Record, target: &Target) -> Option<String> {
    let value = read_as(target.syntax, original).ok().flatten()?;
    let own = target.entries();
    let found: Vec<_> = record.ever().filter(|entry| holds(&value, entry)).collect();
    let order = if found.iter().any(|entry| own.contains(entry)) {
        "repeat this to take them out"
    } else {
        "they are of other settings than these: disconnect those to take them out"
    };
    (!found.is_empty()).then(|| {
        format!("entries of Helix were there before it was connected, and are again; {order}")
    })
}

/// Says that nothing but empty containers is left in a file, or an empty one in which ours were:
/// they may have been there or not.
fn remark_left(text: &str, target: &Target) -> Option<String> {
    let value = read_as(target.syntax, text).ok().flatten()?;
    let left = match target.syntax {
        Syntax::Toml if text.trim().is_empty() => "empty".to_owned(),
        // Its table would have a line of its own, which Helix never writes.
        Syntax::Toml => return None,
        Syntax::Json if is_hollow(&value, target, &[]) => format!("as `{value}`"),
        Syntax::Json => format!("with an empty `{}`", hollow_part(&value, target)?),
    };
    let path = target.path.display();
    Some(format!(
        "no record is here of what `{path}` was before Helix: it is left {left}, which may have been there"
    ))
}

/// The outermost container of ours in which nothing is left.
fn hollow_part(root: &Value, target: &Target) -> Option<String> {
    let found = target.containers().into_iter().find(|keys| {
        let held = keys.iter().try_fold(root, |at, key| at.get(key));
        held.is_some_and(|held| is_hollow(held, target, keys))
    });
    found.map(|keys| keys.join("."))
}

/// Returns whether a value says nothing but what connecting may have made: containers on the way to
/// our entries, and a version.
fn is_hollow(value: &Value, target: &Target, keys: &[&str]) -> bool {
    let is_ours = |keys: &[&str]| {
        target.containers().iter().any(|known| known == keys)
            || (keys == [VERSION] && target.holds_hooks())
    };
    let Value::Object(members) = value else {
        return keys == [VERSION];
    };
    members.iter().all(|(key, value)| {
        let deeper: Vec<&str> = keys.iter().copied().chain([key.as_str()]).collect();
        is_ours(&deeper) && is_hollow(value, target, &deeper)
    })
}

/// Removes directories that were made for a file, up to the first that holds anything else.
fn remove_empty(dirs: &[PathBuf]) {
    for dir in dirs {
        if fs::remove_dir(dir).is_err() {
            return;
        }
    }
}
