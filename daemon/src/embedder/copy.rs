//! Takes a copy of a model that lies elsewhere into the models directory, so that it is still there
//! when its download is not.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use helix_app::plain_file;

use super::files::{self, InstallationError, MANIFEST, Manifest, ManifestFile, unusable};

/// Most files of a model: graph, weights beside it, tokenizer, licences.
const FILES_MAX: usize = 64;

/// Bytes of a model: more than one that embeds a question while somebody waits.
const BYTES_MAX: u64 = 4 << 30;

/// Begins the name of a folder under construction.
const STAGING_PREFIX: &str = ".copying-";

/// A model in the models directory.
#[derive(Debug)]
pub(crate) struct Copied {
    /// Its folder's name.
    pub(crate) folder: String,
    /// True if it was not there before.
    pub(crate) is_new: bool,
}

/// Copies a model's folder, with a manifest of its files. The same model is copied once.
///
/// # Errors
/// When the folder holds no usable model, another one of its name is installed, or the disk fails.
pub(crate) fn copy(from: &Path, models: &Path) -> Result<Copied, InstallationError> {
    let name = files::read_slot(from)?.name;
    let target = models.join(&name);
    if let Ok(own) = from.canonicalize()
        && own.parent().map(Path::to_owned) == models.canonicalize().ok()
        && let Some(folder) = own.file_name().and_then(|name| name.to_str())
    {
        return Ok(Copied {
            folder: folder.to_owned(),
            is_new: false,
        });
    }
    let staging = Staging::create(models, &name)?;
    copy_files(from, &staging.path, &name)?;
    let staged = staging.folder_name();
    let made = files::model(models, &staged)?;
    if target.exists() {
        return same_or_refused(models, &name, &made.id);
    }
    fs::rename(&staging.path, &target).map_err(io_error(&target))?;
    Ok(Copied {
        folder: name,
        is_new: true,
    })
}

/// Removes a copy that turned out to be unusable.
pub(crate) fn remove(models: &Path, copied: &Copied) {
    if copied.is_new
        && let Err(error) = fs::remove_dir_all(models.join(&copied.folder))
    {
        tracing::warn!(%error, folder = copied.folder, "an unusable copy of a model stays");
    }
}

fn same_or_refused(models: &Path, name: &str, id: &str) -> Result<Copied, InstallationError> {
    let is_same = files::model(models, name).is_ok_and(|found| found.id == id);
    if is_same {
        return Ok(Copied {
            folder: name.to_owned(),
            is_new: false,
        });
    }
    let why = format!("another model is called {name}; give this one another name");
    Err(unusable(&models.join(name), why))
}

fn copy_files(from: &Path, to: &Path, name: &str) -> Result<(), InstallationError> {
    let mut listed = Vec::new();
    let mut room = BYTES_MAX;
    for (file, path) in files_of(from)? {
        let copied = copy_file(&path, &to.join(&file), room);
        let (sha256, bytes) = copied.map_err(io_error(&path))?;
        room = room.checked_sub(bytes).ok_or_else(|| too_large(from))?;
        listed.push(ManifestFile { name: file, sha256 });
    }
    let manifest = Manifest {
        name: name.to_owned(),
        variant: String::new(),
        model: String::new(),
        tokenizer: String::new(),
        library: String::new(),
        files: listed,
    };
    let path = to.join(MANIFEST);
    let written = serde_json::to_vec_pretty(&manifest)
        .map_err(io::Error::other)
        .and_then(|bytes| fs::write(&path, bytes));
    written.map_err(io_error(&path))
}

/// The names and paths of a model's files, unless they are too many or too large.
fn files_of(from: &Path) -> Result<Vec<(String, PathBuf)>, InstallationError> {
    let mut files = Vec::new();
    let mut bytes = 0_u64;
    for entry in fs::read_dir(from).map_err(io_error(from))? {
        let path = entry.map_err(io_error(from))?.path();
        let Some(file) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if !path.is_file() || file.starts_with('.') || file == MANIFEST {
            continue;
        }
        if files.len() == FILES_MAX {
            let why = format!("it has more than {FILES_MAX} files");
            return Err(unusable(from, why));
        }
        let found = fs::metadata(&path).map_err(io_error(&path))?;
        bytes = bytes.saturating_add(found.len());
        files.push((file.to_owned(), path));
    }
    if bytes > BYTES_MAX {
        return Err(too_large(from));
    }
    Ok(files)
}

fn too_large(from: &Path) -> InstallationError {
    let why = format!("its files are larger than {} GiB together", BYTES_MAX >> 30);
    unusable(from, why)
}

/// Copies a file; returns its hash and its bytes. One that grew meanwhile is cut where it is known to
/// be too large.
fn copy_file(from: &Path, to: &Path, room: u64) -> io::Result<(String, u64)> {
    let (source, _) = plain_file::open(from)?;
    let mut target = File::create_new(to)?;
    let bytes = io::copy(&mut source.take(room + 1), &mut target)?;
    target.sync_all()?;
    Ok((files::hash(File::open(to)?)?, bytes))
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> InstallationError {
    let path = path.to_owned();
    move |source| InstallationError::Io { path, source }
}

/// A folder that is gone with the value, unless it was renamed.
struct Staging {
    path: PathBuf,
}

impl Staging {
    fn create(models: &Path, name: &str) -> Result<Self, InstallationError> {
        let path = models.join(format!("{STAGING_PREFIX}{name}"));
        if path.exists() {
            fs::remove_dir_all(&path).map_err(io_error(&path))?;
        }
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&path).map_err(io_error(&path))?;
        Ok(Self { path })
    }

    fn folder_name(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.path));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn model(place: &Path, weights: &str) {
        fs::create_dir_all(place).unwrap();
        fs::write(place.join("model.onnx"), weights).unwrap();
        fs::write(place.join("tokenizer.json"), "{}").unwrap();
        let slot = "name = 'mine'\npooling = 'cls'\ndimensions = 8\n";
        fs::write(place.join("model.toml"), slot).unwrap();
    }

    #[test]
    fn a_model_is_copied_once_and_never_over_another() {
        let directory = tempfile::tempdir().unwrap();
        let (from, models) = (
            directory.path().join("download"),
            directory.path().join("models"),
        );
        model(&from, "weights");
        let copied = copy(&from, &models).unwrap();
        assert_eq!((copied.folder.as_str(), copied.is_new), ("mine", true));
        assert!(models.join("mine").join(MANIFEST).is_file());
        assert!(!copy(&from, &models).unwrap().is_new);
        assert!(!copy(&models.join("mine"), &models).unwrap().is_new);
        model(&from, "other weights");
        let refused = copy(&from, &models).unwrap_err().to_string();
        assert!(
            refused.contains("another model is called mine"),
            "{refused}"
        );
        assert_eq!(files::folders(&models), ["mine"]);
        assert_eq!(
            fs::read(models.join("mine/model.onnx")).unwrap(),
            b"weights"
        );
    }

    #[test]
    fn a_model_that_would_fill_the_disk_is_not_copied() {
        let directory = tempfile::tempdir().unwrap();
        let (from, models) = (
            directory.path().join("download"),
            directory.path().join("models"),
        );
        model(&from, "weights");
        // It has no blocks on the disk.
        let sparse = File::create(from.join("weights.bin")).unwrap();
        sparse.set_len(BYTES_MAX).unwrap();
        let refused = copy(&from, &models).unwrap_err().to_string();
        assert!(refused.contains("larger than 4 GiB together"), "{refused}");
        assert!(files::folders(&models).is_empty());
        sparse.set_len(1_000).unwrap();
        assert!(copy(&from, &models).unwrap().is_new);
    }

    #[test]
    fn a_folder_without_a_description_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let models = directory.path().join("models");
        let refused = copy(directory.path(), &models).unwrap_err().to_string();
        assert!(refused.contains("model.toml"), "{refused}");
        assert!(!models.exists());
    }
}
