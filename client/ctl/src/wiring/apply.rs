//! Wiring and unwiring on real files: everything is planned and checked before the first file is
//! written, and what is written is what was shown.

use std::path::{Path, PathBuf};

use super::error::WiringError;
use super::file;
use super::spec::Programs;
use super::status::{WiringStatus, plan_status};
use super::step::{Kept, Step};
use super::target::Target;
use super::undo::Undo;

/// The change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is made.
    Created,
    /// Our entries are added or moved.
    Updated,
    /// It becomes what it was before the installation, to the byte.
    Restored,
    /// Our entries are taken out, and the rest stays: what others edited since, and what of ours
    /// belongs to other settings.
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
    /// Its change.
    pub(crate) change: Change,
    /// A unified diff; empty when nothing changes.
    pub(crate) diff: String,
    /// Further notes for the user, each a lowercase fragment.
    pub(crate) notes: Vec<String>,
    /// Where a copy is put of the file as it is before Helix.
    pub(crate) copy: Option<PathBuf>,
}

/// Edits of several files, planned and checked together.
#[derive(Debug)]
pub(crate) struct Plan {
    steps: Vec<Step>,
    undo: Undo,
}

impl Plan {
    /// Plans to merge our entries into each file. A conflict in one leaves all untouched.
    ///
    /// # Errors
    /// See [`WiringError`].
    pub(crate) fn install(
        targets: &[Target],
        programs: &Programs,
        helix_home: &Path,
    ) -> Result<Self, WiringError> {
        let undo = Undo::new(helix_home);
        let plan = |target| Step::install(target, programs, &undo);
        let steps = targets.iter().map(plan).collect::<Result<_, _>>()?;
        Ok(Self { steps, undo })
    }

    /// Plans to take our entries out of each file, restoring it to the byte where nobody edited it
    /// since.
    ///
    /// # Errors
    /// See [`WiringError`].
    pub(crate) fn uninstall(targets: &[Target], helix_home: &Path) -> Result<Self, WiringError> {
        let undo = Undo::new(helix_home);
        let plan = |target| Step::uninstall(target, &undo);
        let steps = targets.iter().map(plan).collect::<Result<_, _>>()?;
        Ok(Self { steps, undo })
    }

    /// Reports its change to each file.
    pub(crate) fn reports(&self) -> Vec<Report> {
        self.steps
            .iter()
            .map(|step| step.report(&self.undo))
            .collect()
    }

    /// Returns whether it changes any file.
    pub(crate) fn changes_anything(&self) -> bool {
        self.steps
            .iter()
            .any(|step| step.change() != Change::Unchanged)
    }

    /// Carries it out.
    ///
    /// # Errors
    /// When a file says something else by now: none is written. When one cannot be written: those
    /// before it are done then.
    pub(crate) fn write(&self) -> Result<(), WiringError> {
        if self
            .steps
            .iter()
            .any(|step| matches!(step.kept, Kept::Saved(_)))
        {
            self.undo.make_dir()?;
        }
        let _others_wait = self.undo.lock();
        self.steps.iter().try_for_each(Step::check)?;
        self.steps
            .iter()
            .try_for_each(|step| step.write(&self.undo))
    }
}

/// Compares one file with what it should hold.
///
/// # Errors
/// When the file cannot be read or understood.
pub(crate) fn status(target: &Target, programs: &Programs) -> Result<WiringStatus, WiringError> {
    let real = file::resolve(&target.path)?;
    let text = file::read(&real)?;
    plan_status(text.as_deref(), target, programs, &|program| {
        programs.is_there(program)
    })
    .map_err(|error| error.within(&real))
}
