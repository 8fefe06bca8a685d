//! The installed models and the runtime library: where they are, and whether they are what they
//! claim.
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

use super::slot::{SLOT_FILE, SLOT_MAX_BYTES, Slot};

/// Folder of the model that Helix installs, inside the models directory.
pub(crate) const BUILT_IN_FOLDER: &str = "all-minilm-l6-v2-int8";

/// Folder of the runtime library inside the models directory.
const RUNTIME_FOLDER: &str = "onnxruntime-1.31.1";

/// The list of an installed folder's files.
pub(super) const MANIFEST: &str = "manifest.json";

/// Largest manifest, in bytes: it names a few files.
const MANIFEST_MAX_BYTES: u64 = 1024 * 1024;

/// Checked files, by size and modification time.
const STAMPS: &str = ".helixd-verified.json";

/// Most files whose hashes are remembered: a few for each of the models that a person tries.
const STAMPS_MAX: usize = 256;

/// Hexadecimal digits of the hash in a model's id.
const ID_HASH_CHARS: usize = 12;

/// Most models that are listed.
const MODELS_MAX: usize = 64;

/// A verified model and the library that runs it.
#[derive(Clone, Debug)]
pub(crate) struct Installation {
    /// The runtime library.
    pub(crate) library: PathBuf,
    /// The model.
    pub(crate) model: Installed,
}

/// A verified model.
#[derive(Clone, Debug)]
pub(crate) struct Installed {
    /// Its folder's name inside the models directory.
    pub(crate) folder: String,
    /// How it is used.
    pub(crate) slot: Slot,
    /// The ONNX graph.
    pub(crate) graph: PathBuf,
    /// The tokenizer.
    pub(crate) tokenizer: PathBuf,
    /// Name and hash, by which vectors of different models are kept apart.
    pub(crate) id: String,
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
    /// A model of the user's own that cannot be used.
    #[error(
        "{path} cannot be used: {why}; mend it, or choose another model with `helixctl model use`"
    )]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Cannot be read.
    #[error("reading {path}: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) name: String,
    #[serde(default)]
    pub(super) variant: String,
    #[serde(default)]
    pub(super) model: String,
    #[serde(default)]
    pub(super) tokenizer: String,
    #[serde(default)]
    pub(super) library: String,
    pub(super) files: Vec<ManifestFile>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ManifestFile {
    pub(super) name: String,
    pub(super) sha256: String,
}

impl Manifest {
    fn sha256(&self, name: &str) -> Option<&str> {
        let file = self.files.iter().find(|file| file.name == name)?;
        Some(&file.sha256)
    }
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

/// Finds a model and the library, and verifies every file of both.
pub(crate) fn find(models: &Path, folder: &str) -> Result<Installation, InstallationError> {
    let runtime = models.join(RUNTIME_FOLDER);
    // Read first: without a library nobody has to wait for a model's hash.
    let manifest = read_manifest(&runtime)?;
    let model = model(models, folder)?;
    let library = library(models, &runtime, &manifest)?;
    Ok(Installation { library, model })
}

/// The folders of a models directory that hold a model, in the order of their names.
pub(crate) fn folders(models: &Path) -> Vec<String> {
    let entries = fs::read_dir(models).into_iter().flatten().flatten();
    let mut folders: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .filter(|name| name == BUILT_IN_FOLDER || models.join(name).join(SLOT_FILE).exists())
        .collect();
    folders.sort();
    folders.truncate(MODELS_MAX);
    folders
}

/// Finds a model and verifies its files.
pub(crate) fn model(models: &Path, folder: &str) -> Result<Installed, InstallationError> {
    let place = models.join(folder);
    let mut checker = Checker::new(models);
    let found = if place.join(SLOT_FILE).exists() {
        own(&place, folder, &mut checker)
    } else if folder == BUILT_IN_FOLDER {
        built_in(&place, &mut checker)
    } else {
        Err(unusable(&place, format!("it has no {SLOT_FILE}")))
    };
    checker.keep();
    found
}

/// The model that `helixctl model install` has put there.
fn built_in(place: &Path, checker: &mut Checker) -> Result<Installed, InstallationError> {
    let manifest = read_manifest(place)?;
    checker.verify_all(place, &manifest)?;
    let slot = Slot::built_in().map_err(|why| unusable(place, why))?;
    let short_hash = short(manifest.sha256(&manifest.model).unwrap_or_default());
    Ok(Installed {
        folder: BUILT_IN_FOLDER.to_owned(),
        graph: member(place, &manifest, &manifest.model)?,
        tokenizer: member(place, &manifest, &manifest.tokenizer)?,
        id: format!(
            "{}/{}@{short_hash}{}",
            manifest.name,
            manifest.variant,
            slot.arithmetic.suffix()
        ),
        slot,
    })
}

/// A model of the user's own, described by its [`SLOT_FILE`].
fn own(place: &Path, folder: &str, checker: &mut Checker) -> Result<Installed, InstallationError> {
    let slot = read_slot(place)?;
    if let Ok(manifest) = read_manifest(place) {
        checker
            .verify_all(place, &manifest)
            .map_err(|error| unusable(place, words(&error)))?;
    }
    let graph = place.join(&slot.graph);
    let tokenizer = place.join(&slot.tokenizer);
    let mut hasher = blake3::Hasher::new();
    hasher.update(slot.hash().as_bytes());
    let mut files = vec![graph.clone(), tokenizer.clone()];
    files.extend(weights(place, &slot.graph).map_err(|error| unusable(place, error.to_string()))?);
    for file in &files {
        let hash = checker
            .hash(file)
            .map_err(|error| unusable(file, words(&error)))?;
        hasher.update(hash.as_bytes());
    }
    let short_hash = short(&hasher.finalize().to_hex());
    Ok(Installed {
        folder: folder.to_owned(),
        id: format!("{}@{short_hash}", slot.name),
        slot,
        graph,
        tokenizer,
    })
}

/// The files beside a graph that hold its weights, e.g. `model.onnx_data` or `model.onnx.data`, by
/// name.
fn weights(place: &Path, graph: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(place)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name != graph && name.starts_with(graph)) {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Reads the description in a folder.
pub(super) fn read_slot(place: &Path) -> Result<Slot, InstallationError> {
    let path = place.join(SLOT_FILE);
    let bytes = plain_file::read(&path, SLOT_MAX_BYTES)
        .map_err(|error| unusable(&path, error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|error| unusable(&path, error.to_string()))?;
    Slot::parse(&text).map_err(|why| unusable(&path, why))
}

pub(super) fn unusable(path: &Path, why: String) -> InstallationError {
    InstallationError::Unusable {
        path: path.to_owned(),
        why,
    }
}

/// Returns what is wrong with a model that `helixctl model install` knows nothing of.
fn words(error: &InstallationError) -> String {
    match error {
        InstallationError::Missing(path) => format!("{} is missing", path.display()),
        InstallationError::Damaged(path) => format!("{} is damaged", path.display()),
        InstallationError::Unusable { .. } | InstallationError::Io { .. } => error.to_string(),
    }
}

fn library(models: &Path, place: &Path, manifest: &Manifest) -> Result<PathBuf, InstallationError> {
    let mut checker = Checker::new(models);
    let verified = checker.verify_all(place, manifest);
    checker.keep();
    verified?;
    member(place, manifest, &manifest.library)
}

fn short(hash: &str) -> String {
    hash.chars().take(ID_HASH_CHARS).collect()
}

/// A file that the manifest names and vouches for.
fn member(folder: &Path, manifest: &Manifest, name: &str) -> Result<PathBuf, InstallationError> {
    let is_listed = !name.is_empty() && manifest.sha256(name).is_some();
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

/// Verifies files, and remembers which it has verified.
struct Checker {
    models: PathBuf,
    before: Stamps,
    stamps: Stamps,
}

impl Checker {
    fn new(models: &Path) -> Self {
        let stamps = read_stamps(models);
        Self {
            models: models.to_owned(),
            before: stamps.clone(),
            stamps,
        }
    }

    fn verify_all(&mut self, folder: &Path, manifest: &Manifest) -> Result<(), InstallationError> {
        for file in &manifest.files {
            let path = folder.join(&file.name);
            if !self.hash(&path)?.eq_ignore_ascii_case(&file.sha256) {
                return Err(InstallationError::Damaged(path));
            }
        }
        Ok(())
    }

    /// The hash of a file, read only where it may have changed.
    fn hash(&mut self, path: &Path) -> Result<String, InstallationError> {
        let (opened, found) = match plain_file::open(path) {
            Ok(opened) => opened,
            Err(error) if is_no_such_file(&error) => {
                return Err(InstallationError::Damaged(path.to_owned()));
            }
            Err(_) => return Err(InstallationError::Missing(path.to_owned())),
        };
        let modified = found
            .modified()
            .ok()
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let bytes = found.len();
        let modified_ns = modified.map_or(0, |since| since.as_nanos());
        let known = self.stamps.files.iter().find(|known| {
            known.path == path && known.bytes == bytes && known.modified_ns == modified_ns
        });
        if let Some(known) = known {
            return Ok(known.sha256.clone());
        }
        let sha256 = hash(opened).map_err(|source| InstallationError::Io {
            path: path.to_owned(),
            source,
        })?;
        self.stamps.files.retain(|known| known.path != path);
        self.stamps.files.push(Stamp {
            path: path.to_owned(),
            bytes,
            modified_ns,
            sha256: sha256.clone(),
        });
        Ok(sha256)
    }

    /// Keeps what was found out.
    fn keep(mut self) {
        let excess = self.stamps.files.len().saturating_sub(STAMPS_MAX);
        self.stamps.files.drain(..excess);
        if self.stamps != self.before {
            write_stamps(&self.models, &self.stamps);
        }
    }
}

/// Returns whether something stands there that is no file of ours, such as a pipe.
fn is_no_such_file(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::FileTooLarge
    )
}

pub(super) fn hash(mut file: File) -> io::Result<String> {
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
            models.path().join(BUILT_IN_FOLDER),
            models.path().join(RUNTIME_FOLDER),
        );
        for folder in [&model, &runtime] {
            fs::create_dir(folder).unwrap();
            let manifest = r#"{"name": "m", "files": [{"name": "weights", "sha256": "00"}]}"#;
            fs::write(folder.join(MANIFEST), manifest).unwrap();
        }
        let damaged = |path: PathBuf| {
            let found = find(models.path(), BUILT_IN_FOLDER).unwrap_err();
            assert!(
                matches!(&found, InstallationError::Damaged(known) if *known == path),
                "{found}"
            );
        };
        assert!(matches!(
            find(models.path(), BUILT_IN_FOLDER),
            Err(InstallationError::Missing(_))
        ));
        mkfifo(&model.join("weights"), Mode::S_IRWXU).unwrap();
        damaged(model.join("weights"));
        fs::remove_file(runtime.join(MANIFEST)).unwrap();
        mkfifo(&runtime.join(MANIFEST), Mode::S_IRWXU).unwrap();
        mkfifo(&models.path().join(STAMPS), Mode::S_IRWXU).unwrap();
        damaged(runtime.join(MANIFEST));
    }
    fn own_model(place: &Path) {
        fs::create_dir_all(place).unwrap();
        fs::write(place.join("model.onnx"), "weights").unwrap();
        fs::write(place.join("tokenizer.json"), "{}").unwrap();
        let slot = "name = 'mine'\npooling = 'cls'\ndimensions = 8\n";
        fs::write(place.join(SLOT_FILE), slot).unwrap();
    }

    #[test]
    fn a_model_of_ones_own_is_known_by_all_that_its_vectors_depend_on() {
        let models = tempfile::tempdir().unwrap();
        let place = models.path().join("mine");
        own_model(&place);
        assert_eq!(folders(models.path()), ["mine"]);
        let id = || model(models.path(), "mine").unwrap().id;
        let first = id();
        assert!(first.starts_with("mine@"), "{first}");
        assert_eq!(id(), first);
        fs::write(place.join("model.onnx"), "other weights").unwrap();
        let reweighted = id();
        assert_ne!(reweighted, first);
        let slot = "name = 'mine'\npooling = 'mean'\ndimensions = 8\n";
        fs::write(place.join(SLOT_FILE), slot).unwrap();
        assert_ne!(id(), reweighted);
    }

    #[test]
    fn a_broken_model_says_what_is_wrong() {
        let models = tempfile::tempdir().unwrap();
        let place = models.path().join("mine");
        let said = || model(models.path(), "mine").unwrap_err().to_string();
        fs::create_dir(&place).unwrap();
        assert!(said().contains("has no model.toml"), "{}", said());
        own_model(&place);
        fs::remove_file(place.join("tokenizer.json")).unwrap();
        assert!(said().contains("tokenizer.json"), "{}", said());
        own_model(&place);
        fs::write(place.join(SLOT_FILE), "name = 'mine'").unwrap();
        assert!(said().contains("model.toml cannot be used"), "{}", said());
        own_model(&place);
        let manifest = r#"{"name": "mine", "files": [{"name": "model.onnx", "sha256": "00"}]}"#;
        fs::write(place.join(MANIFEST), manifest).unwrap();
        assert!(said().contains("model.onnx is damaged"), "{}", said());
    }
}
