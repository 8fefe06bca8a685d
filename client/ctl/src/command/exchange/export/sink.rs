//! Where an export goes: a file or a directory that appears when it is whole, or stdout.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

use crate::failure::Failure;
use crate::screen;

/// Begins the names of what is not whole yet.
const PREFIX: &str = ".helix-export-";

/// Mode of directories that are made, and of the files in them: memories are their owner's.
const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Where pieces go.
#[derive(Debug)]
pub(super) enum Sink {
    /// As they come.
    Stdout,
    /// Into a file beside its target, renamed at the end.
    File {
        /// The target.
        path: PathBuf,
        /// The file that is written.
        temporary: NamedTempFile,
        /// True if it may take the place of a file.
        replaces: bool,
    },
    /// Into a directory beside its target, which takes its place or whose files move into it at the
    /// end.
    Directory {
        /// The target.
        path: PathBuf,
        /// The file that is written.
        temporary: TempDir,
        /// The file that was written last, and its name.
        current: Option<(String, File)>,
        /// How many files there are.
        files: usize,
    },
}

impl Sink {
    /// Makes a file beside its target, which is new unless it may be replaced.
    pub(super) fn file(path: &Path, replaces: bool) -> Result<Self, Failure> {
        if path.is_dir() {
            return Err(Failure::Usage(format!(
                "{} is a directory; name a file",
                path.display()
            )));
        }
        // What a link leads to is replaced, and not the link.
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            let shown = path.display();
            return Err(Failure::Usage(format!(
                "{shown} is no regular file; redirect stdout instead: helixctl export > {shown}"
            )));
        }
        let temporary = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempfile_in(parent(path));
        let temporary = temporary.map_err(Failure::io(format!(
            "making a file beside {}",
            path.display()
        )))?;
        Ok(Self::File {
            path: path.to_owned(),
            temporary,
            replaces,
        })
    }

    /// Makes a directory beside its target, which is new or empty unless its files may be replaced.
    pub(super) fn directory(path: &Path, replaces: bool) -> Result<Self, Failure> {
        let shown = path.display();
        if path.exists() && !path.is_dir() {
            return Err(Failure::Usage(format!(
                "{shown} is a file; markdown needs a directory"
            )));
        }
        if !replaces && !is_empty(path)? {
            return Err(Failure::Usage(format!(
                "{shown} holds files; name another directory, or add --force"
            )));
        }
        // Beside the target, so that renaming stays within one file system.
        let temporary = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(parent(path));
        let temporary =
            temporary.map_err(Failure::io(format!("making a directory beside {shown}")))?;
        Ok(Self::Directory {
            path: path.to_owned(),
            temporary,
            current: None,
            files: 0,
        })
    }

    /// Writes bytes of the file that they belong to.
    pub(super) fn write(&mut self, name: &str, data: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Stdout => screen::write(data),
            Self::File {
                path, temporary, ..
            } => temporary
                .write_all(data)
                .map_err(Failure::io(format!("writing {}", path.display()))),
            // A last piece may bring notes and no bytes.
            Self::Directory { .. } if name.is_empty() && data.is_empty() => Ok(()),
            Self::Directory {
                path,
                temporary,
                current,
                files,
            } => {
                let at = format!("writing {}", path.join(name).display());
                if current.as_ref().is_none_or(|(open, _)| open != name) {
                    let file =
                        open(temporary.path(), name, files).map_err(Failure::io(at.clone()))?;
                    finish(current.replace((name.to_owned(), file)))
                        .map_err(Failure::io(at.clone()))?;
                }
                let written = current
                    .as_mut()
                    .map_or(Ok(()), |(_, file)| file.write_all(data));
                written.map_err(Failure::io(at))
            }
        }
    }

    /// Puts everything into place and says how many files there are.
    pub(super) fn finish(self) -> Result<usize, Failure> {
        match self {
            Self::Stdout => Ok(0),
            Self::File {
                path,
                temporary,
                replaces,
            } => {
                // A file that came meanwhile is nobody's to replace.
                let put = if replaces {
                    NamedTempFile::persist
                } else {
                    NamedTempFile::persist_noclobber
                };
                let placed = temporary
                    .as_file()
                    .sync_all()
                    .and_then(|()| Ok(put(temporary, &path)?));
                placed.map_err(Failure::io(format!("writing {}", path.display())))?;
                Ok(1)
            }
            Self::Directory {
                path,
                temporary,
                current,
                files,
            } => {
                let placed = finish(current).and_then(|()| place(temporary, &path));
                placed.map_err(Failure::io(format!("writing {}", path.display())))?;
                Ok(files)
            }
        }
    }
}

/// Opens a file of the directory, anew or to go on. The daemon's names are checked like anybody's.
fn open(directory: &Path, name: &str, files: &mut usize) -> io::Result<File> {
    let mut parts = Path::new(name).components();
    let plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name);
    if !plain {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the daemon named a file outside of the directory",
        ));
    }
    let path = directory.join(name);
    *files += usize::from(!path.exists());
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(FILE_MODE)
        .open(path)
}

fn finish(file: Option<(String, File)>) -> io::Result<()> {
    file.map_or(Ok(()), |(_, file)| file.sync_all())
}

/// Renames the whole directory, or its files where there is one: that stays the user's, with its
/// mode and whoever stands in it.
fn place(temporary: TempDir, path: &Path) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(temporary.path())? {
            let entry = entry?;
            fs::rename(entry.path(), path.join(entry.file_name()))?;
        }
        return temporary.close();
    }
    fs::set_permissions(temporary.path(), Permissions::from_mode(DIRECTORY_MODE))?;
    fs::rename(temporary.path(), path)?;
    // Nothing is there to remove any more.
    drop(temporary.keep());
    Ok(())
}

fn is_empty(path: &Path) -> Result<bool, Failure> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Failure::io(format!("looking at {}", path.display()))(error)),
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

#[cfg(test)]
mod tests;
