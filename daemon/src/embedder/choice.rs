//! Which model the user chose, in a file of the home: the models directory may be shared by several
//! homes.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use helix_app::plain_file;
use serde::{Deserialize, Serialize};

/// Name of the file in the home.
const CHOICE_FILE: &str = "model-choice.toml";

/// Most bytes of it.
const CHOICE_MAX_BYTES: u64 = 4 * 1024;

/// The file.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    path: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Chosen {
    /// The model's folder inside the models directory.
    folder: String,
}

impl Choice {
    /// The choice of a home.
    pub(crate) fn of(home: &Path) -> Self {
        Self {
            path: home.join(CHOICE_FILE),
        }
    }

    /// The chosen folder; `None` where nobody chose, or the file is not readable.
    pub(crate) fn read(&self) -> Option<String> {
        let bytes = match plain_file::read(&self.path, CHOICE_MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => return self.ignored(&error),
        };
        let text = String::from_utf8_lossy(&bytes);
        match toml::from_str::<Chosen>(&text) {
            Ok(chosen) => Some(chosen.folder).filter(|folder| !folder.contains('/')),
            Err(error) => self.ignored(&error),
        }
    }

    fn ignored(&self, error: &dyn std::error::Error) -> Option<String> {
        let path = self.path.display();
        tracing::warn!(%error, %path, "the choice of a model is ignored");
        None
    }

    /// Keeps a choice; durable when it returns.
    ///
    /// # Errors
    /// When the disk fails; the choice before is kept.
    pub(crate) fn write(&self, folder: &str) -> io::Result<()> {
        let chosen = Chosen {
            folder: folder.to_owned(),
        };
        let text = toml::to_string(&chosen).map_err(io::Error::other)?;
        let unfinished = self.path.with_extension("unfinished");
        let mut file = File::create(&unfinished)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, &self.path)?;
        match self.path.parent() {
            Some(home) => File::open(home)?.sync_all(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_choice_is_kept_and_a_damaged_one_ignored() {
        let home = tempfile::tempdir().unwrap();
        let choice = Choice::of(home.path());
        assert_eq!(choice.read(), None);
        choice.write("mine").unwrap();
        choice.write("other").unwrap();
        assert_eq!(choice.read().as_deref(), Some("other"));
        fs::write(home.path().join(CHOICE_FILE), "folder = '../x'").unwrap();
        assert_eq!(choice.read(), None);
        fs::write(home.path().join(CHOICE_FILE), "\u{0}").unwrap();
        assert_eq!(choice.read(), None);
    }
}
