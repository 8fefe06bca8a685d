//! The installed model and runtime library: where they are, and whether they are what they claim.
//!
//! A truncated library kills the process when it is loaded, so its hash is checked first; the
//! result is remembered by size and modification time, because hashing 29 MB costs 0.2 s.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use helix_app::plain_file;

/// Folder of the model inside the models directory.
const MODEL_FOLDER: &str = "all-minilm-l6-v2-int8";

/// Folder of the runtime library inside the models directory.
const RUNTIME_FOLDER: &str = "onnxruntime-1.31.1";

/// The description in an installed folder.
const MANIFEST: &str = "manifest.json";

/// Largest manifest, in bytes: it names a few files.
const MANIFEST_MAX_BYTES: u64 = 1024 * 1024;

/// Checked files, by size and modification time.
const STAMPS: &str = ".helixd-verified.json";

/// A verified installation.
#[derive(Clone, Debug)]
pub(crate) struct Installation {
    /// The runtime library.
    pub(crate) library: PathBuf,
    /// The ONNX graph.
    pub(crate) graph: PathBuf,
    /// The tokenizer.
    pub(crate) tokenizer: PathBuf,
    /// Name, variant and hash, by which vectors of different models are kept apart.
    pub(crate) name: String,
    /// Length of a vector.
    pub(crate) dimensions: usize,
}

/// Why there is no usable installation.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallationError {
    /// Not installed.
    #[error("{0} is not installed; run `helixctl model install`")]
    Missing(PathBuf),
    /// Not what was installed.
    #[error("{0} is damaged; run `helixctl model install` to install it again")]
    Damaged(PathBuf),
    /// Cannot be read.
    #[error("reading {path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

#[derive(Debug, Deserialize)]
struct Manifest {
    name: String,
    #[serde(default)]
    variant: String,
    #[serde(default)]
    dimensions: usize,
    #[serde(default)]
    model: String,
    #[serde(default)]
    tokenizer: String,
    #[serde(default)]
    library: String,
    files: Vec<ManifestFile>,
}

#[derive(Debug, Deserialize)]
struct ManifestFile {
    name: String,
    sha256: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Stamps {
    files: Vec<Stamp>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    path: PathBuf,
    bytes: u64,
    modified_ns: u128,
    sha256: String,
}

/// Finds the installation and verifies every file of it.
pub(crate) fn find(models: &Path) -> Result<Installation, InstallationError> {
    let model = models.join(MODEL_FOLDER);
    let runtime = models.join(RUNTIME_FOLDER);
    let model_manifest = read_manifest(&model)?;
    let runtime_manifest = read_manifest(&runtime)?;
    let mut stamps = read_stamps(models);
    let before = stamps.clone();
    verify(&model, &model_manifest, &mut stamps)?;
    verify(&runtime, &runtime_manifest, &mut stamps)?;
    if stamps != before {
        write_stamps(models, &stamps);
    }
    let graph_hash = model_manifest
        .files
        .iter()
        .find(|file| file.name == model_manifest.model);
    let short_hash: String = graph_hash
        .map(|file| file.sha256.chars().take(12).collect())
        .unwrap_or_default();
    Ok(Installation {
        library: member(&runtime, &runtime_manifest, &runtime_manifest.library)?,
        graph: member(&model, &model_manifest, &model_manifest.model)?,
        tokenizer: member(&model, &model_manifest, &model_manifest.tokenizer)?,
        name: format!(
            "{}/{}@{short_hash}",
            model_manifest.name, model_manifest.variant
        ),
        dimensions: model_manifest.dimensions,
    })
}

/// A file that the manifest names and vouches for.
fn member(folder: &Path, manifest: &Manifest, name: &str) -> Result<PathBuf, InstallationError> {
    let is_listed = !name.is_empty() && manifest.files.iter().any(|file| file.name == name);
    is_listed
        .then(|| folder.join(name))
        .ok_or_else(|| InstallationError::Damaged(folder.join(MANIFEST)))
}

fn read_manifest(folder: &Path) -> Result<Manifest, InstallationError> {
    let path = folder.join(MANIFEST);
    match plain_file::read(&path, MANIFEST_MAX_BYTES) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| InstallationError::Damaged(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(InstallationError::Missing(folder.to_owned()))
        }
        Err(error) if is_no_such_file(&error) => Err(InstallationError::Damaged(path)),
        Err(source) => Err(InstallationError::Io { path, source }),
    }
}

fn verify(
    folder: &Path,
    manifest: &Manifest,
    stamps: &mut Stamps,
) -> Result<(), InstallationError> {
    for file in &manifest.files {
        let path = folder.join(&file.name);
        let (opened, found) = match plain_file::open(&path) {
            Ok(opened) => opened,
            Err(error) if is_no_such_file(&error) => return Err(InstallationError::Damaged(path)),
            Err(_) => return Err(InstallationError::Missing(path)),
        };
        let modified = found
            .modified()
            .ok()
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let stamp = Stamp {
            bytes: found.len(),
            modified_ns: modified.map_or(0, |since| since.as_nanos()),
            sha256: file.sha256.clone(),
            path: path.clone(),
        };
        if stamps.files.contains(&stamp) {
            continue;
        }
        let actual = hash(opened).map_err(|source| InstallationError::Io {
            path: path.clone(),
            source,
        })?;
        if !actual.eq_ignore_ascii_case(&file.sha256) {
            return Err(InstallationError::Damaged(path));
        }
        stamps.files.retain(|known| known.path != path);
        stamps.files.push(stamp);
    }
    Ok(())
}

/// Returns whether something stands there that is no file of ours, such as a pipe.
fn is_no_such_file(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge
    )
}

fn hash(mut file: File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hasher.update(buffer.get(..read).unwrap_or_default()),
        }
    }
    Ok(hex::encode(hasher.finalize()))
}

fn read_stamps(models: &Path) -> Stamps {
    let bytes = plain_file::read(&models.join(STAMPS), MANIFEST_MAX_BYTES).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Only saves time at the next start, so a failure (a read-only models directory) is no error.
fn write_stamps(models: &Path, stamps: &Stamps) {
    let written = serde_json::to_vec(stamps)
        .map_err(io::Error::other)
        .and_then(|bytes| {
            let unfinished = models.join(format!("{STAMPS}.{}", std::process::id()));
            fs::write(&unfinished, bytes)?;
            fs::rename(unfinished, models.join(STAMPS))
        });
    if let Err(error) = written {
        tracing::debug!(%error, "the verified hashes were not remembered");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    #[test]
    fn what_is_no_file_is_damage_and_holds_nobody_up() {
        let models = tempfile::tempdir().unwrap();
        let (model, runtime) = (
            models.path().join(MODEL_FOLDER),
            models.path().join(RUNTIME_FOLDER),
        );
        for folder in [&model, &runtime] {
            fs::create_dir(folder).unwrap();
            let manifest = r#"{"name": "m", "files": [{"name": "weights", "sha256": "00"}]}"#;
            fs::write(folder.join(MANIFEST), manifest).unwrap();
        }
        let damaged = |path: PathBuf| {
            let found = find(models.path()).unwrap_err();
            assert!(
                matches!(&found, InstallationError::Damaged(known) if *known == path),
                "{found}"
            );
        };
        assert!(matches!(
            find(models.path()),
            Err(InstallationError::Missing(_))
        ));
        mkfifo(&model.join("weights"), Mode::S_IRWXU).unwrap();
        damaged(model.join("weights"));
        fs::remove_file(runtime.join(MANIFEST)).unwrap();
        mkfifo(&runtime.join(MANIFEST), Mode::S_IRWXU).unwrap();
        mkfifo(&models.path().join(STAMPS), Mode::S_IRWXU).unwrap();
        damaged(runtime.join(MANIFEST));
    }
}
