//! The models that are installed, as people see them.

use std::fs;
use std::path::Path;

use super::files::{self, BUILT_IN_FOLDER};
use super::load::space_of;
use super::slot::Slot;

/// A folder of the models directory.
#[derive(Debug)]
pub(crate) struct Found {
    /// Its name.
    pub(crate) folder: String,
    /// The name of its vectors; empty where it cannot be used.
    pub(crate) space: String,
    /// The model's description, where that can be read.
    pub(crate) slot: Option<Slot>,
    /// Bytes of its files.
    pub(crate) bytes: u64,
    /// Why it cannot be used; empty where it can.
    pub(crate) problem: String,
}

/// Lists the models of a directory, the broken ones among them.
pub(crate) fn list(models: &Path) -> Vec<Found> {
    let folders = files::folders(models);
    folders.iter().map(|folder| one(models, folder)).collect()
}

fn one(models: &Path, folder: &str) -> Found {
    let place = models.join(folder);
    let (slot, space, problem) = match files::model(models, folder) {
        Ok(model) => (Some(model.slot), space_of(&model.id), String::new()),
        Err(error) => (described(&place, folder), String::new(), error.to_string()),
    };
    Found {
        folder: folder.to_owned(),
        space,
        slot,
        bytes: bytes(&place),
        problem,
    }
}

/// The description of a model whose files are not sound.
fn described(place: &Path, folder: &str) -> Option<Slot> {
    if folder == BUILT_IN_FOLDER {
        return Slot::built_in().ok();
    }
    files::read_slot(place).ok()
}

fn bytes(place: &Path) -> u64 {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| entry.metadata().ok());
    sizes.map(|found| found.len()).sum()
}
