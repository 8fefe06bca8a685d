//! Finding and reading the files. Each is asked for by a thread that may hang, no link is followed
//! out of its folder, and only regular Markdown files of bearable size are read.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use helix_capture::memories::{Found, Place, Whose, find, imports};
use helix_capture::read::places::{Entry, Home, Tree};

use super::shown;
use super::watch::{Look, look_at};
use crate::App;
use crate::capture::import::disk::Disk;
use crate::plain_file;
use crate::project::plain;
use crate::reach::Reach;

/// How long one question to the file system may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(3);

/// Largest file that is read, in bytes: more than a model is ever shown of one.
const FILE_MAX_BYTES: u64 = 256 * 1024;

/// What is read from one root at most, in bytes, and files of it.
const ROOT_MAX_BYTES: usize = 8 * 1024 * 1024;
const FILES_MAX: usize = 200;

/// How far imports of imports are followed, as Claude Code does.
const IMPORT_DEPTH_MAX: usize = 5;

/// The only files that are read.
const EXTENSION: &str = "md";

/// A file that was read.
pub(super) struct File {
    /// Its path, as it was found.
    pub(super) path: PathBuf,
    pub(super) place: &'static Place,
    /// It is part of another file, which names it.
    pub(super) is_import: bool,
    pub(super) bytes: Vec<u8>,
}

/// The files of one root.
#[derive(Default)]
pub(super) struct Files {
    pub(super) files: Vec<File>,
    /// What was not read, and why.
    pub(super) notes: Vec<String>,
    /// Files that may be there: nothing answered, or there was no room for them.
    pub(super) unknown: HashSet<PathBuf>,
    /// Files that are there and are not read: refused, or the same as another.
    pub(super) left_out: HashSet<PathBuf>,
    /// How files and folders looked before they were read.
    pub(super) seen: Vec<(PathBuf, Look)>,
}

/// What became of reading a file.
enum Read {
    /// Its real path and what it holds.
    Text(PathBuf, Vec<u8>),
    Gone,
    Refused(&'static str),
    Silent,
}

/// Whether something stands at a path; `None` where nothing answers.
pub(super) fn is_there(reach: &Reach, path: &Path) -> Option<bool> {
    let asked = path.to_owned();
    reach.ask(path, PATIENCE, move || match fs::symlink_metadata(asked) {
        Ok(_) => Some(true),
        Err(error) if is_gone(&error) => Some(false),
        Err(_) => None,
    })?
}

/// Reads the files of a root.
pub(super) fn read_all(app: &App, whose: &Whose, home: &Home) -> Files {
    let reach = &app.memory.reach;
    let noting = Noting {
        disk: Disk { reach },
        seen: RefCell::default(),
    };
    let found = find(whose, home, &noting);
    let mut reading = Reading {
        reach,
        home,
        files: Files {
            seen: noting.seen.into_inner(),
            ..Files::default()
        },
        real: HashSet::new(),
        bytes: 0,
    };
    for found in found {
        reading.take(&found, 0);
    }
    reading.files
}

/// The disk, and how each folder looked before it was listed.
struct Noting<'a> {
    disk: Disk<'a>,
    seen: RefCell<Vec<(PathBuf, Look)>>,
}

impl Tree for Noting<'_> {
    fn list(&self, folder: &Path) -> Vec<Entry> {
        let asked = folder.to_owned();
        let look = self
            .disk
            .reach
            .ask(folder, PATIENCE, move || look_at(&asked));
        if let Some(look) = look {
            self.seen.borrow_mut().push((folder.to_owned(), look));
        }
        self.disk.list(folder)
    }

    fn read(&self, file: &Path, most_bytes: usize) -> Option<Vec<u8>> {
        self.disk.read(file, most_bytes)
    }
}

struct Reading<'a> {
    reach: &'a Reach,
    home: &'a Home,
    files: Files,
    /// Real paths of what was read: a link beside its file says nothing new.
    real: HashSet<PathBuf>,
    bytes: usize,
}

impl Reading<'_> {
    /// Reads a file and what it imports.
    fn take(&mut self, found: &Found, depth: usize) {
        if self.files.files.len() >= FILES_MAX || self.bytes >= ROOT_MAX_BYTES {
            self.files.unknown.insert(found.file.clone());
            self.note(&found.file, "there are too many files");
            return;
        }
        let (look, content) = read(self.reach, &found.file, &found.within);
        if let Some(look) = look {
            self.files.seen.push((found.file.clone(), look));
        }
        let bytes = match content {
            Read::Text(real, _) if !self.real.insert(real.clone()) => {
                self.leave_out(&found.file);
                return;
            }
            Read::Text(_, bytes) => bytes,
            Read::Gone => return,
            Read::Refused(why) => {
                self.leave_out(&found.file);
                return self.note(&found.file, why);
            }
            Read::Silent => {
                self.files.unknown.insert(found.file.clone());
                return self.note(&found.file, "nothing answers there");
            }
        };
        self.bytes += bytes.len();
        let named = if found.place.imports && depth < IMPORT_DEPTH_MAX {
            self.imported(found, &String::from_utf8_lossy(&bytes))
        } else {
            Vec::new()
        };
        self.files.files.push(File {
            path: found.file.clone(),
            place: found.place,
            is_import: depth > 0,
            bytes,
        });
        for import in named {
            self.take(&import, depth + 1);
        }
    }

    /// The files that a file names and that lie within its folder.
    fn imported(&self, found: &Found, text: &str) -> Vec<Found> {
        let folder = found.file.parent().unwrap_or(&found.within);
        let full = |named: &str| match named.strip_prefix("~/") {
            Some(below) => self.home.directory.join(below),
            None => folder.join(named),
        };
        let files = imports(text).into_iter().map(|named| plain(&full(named)));
        let own = files.filter(|file| file.starts_with(&found.within) && is_markdown(file));
        own.map(|file| Found {
            file,
            within: found.within.clone(),
            place: found.place,
        })
        .collect()
    }

    /// Notes that a file is there and is not read, unless it was read already.
    fn leave_out(&mut self, file: &Path) {
        if !self.files.files.iter().any(|read| read.path == file) {
            self.files.left_out.insert(file.to_owned());
        }
    }

    fn note(&mut self, file: &Path, why: &str) {
        let note = format!("{} was not read: {why}", shown(file));
        self.files.notes.push(note);
    }
}

fn is_markdown(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == EXTENSION)
}

fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Reads a file; says first how it looked, unless nothing answers.
fn read(reach: &Reach, file: &Path, within: &Path) -> (Option<Look>, Read) {
    let (asked, within) = (file.to_owned(), within.to_owned());
    let answer = reach.ask(file, PATIENCE, move || {
        (look_at(&asked), read_within(&asked, &within))
    });
    match answer {
        Some((look, read)) => (Some(look), read),
        None => (None, Read::Silent),
    }
}

fn read_within(file: &Path, within: &Path) -> Read {
    let real = fs::canonicalize(file).and_then(|real| Ok((real, fs::canonicalize(within)?)));
    let (real, within) = match real {
        Ok(both) => both,
        Err(error) if is_gone(&error) => return Read::Gone,
        Err(_) => return Read::Refused("its path leads nowhere that can be read"),
    };
    if !real.starts_with(&within) {
        return Read::Refused("it is a link that leads out of its folder");
    }
    if !is_markdown(&real) {
        return Read::Refused("it is a link to what is no Markdown file");
    }
    match plain_file::read(&real, FILE_MAX_BYTES) {
        Ok(bytes) => Read::Text(real, bytes),
        Err(error) if is_gone(&error) => Read::Gone,
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            Read::Refused("it is larger than 256 KB")
        }
        Err(_) => Read::Refused("it cannot be opened as a regular file"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_regular_files_within_the_folder_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let (inside, outside) = (directory.path().join("in"), directory.path().join("out"));
        fs::create_dir(&inside).unwrap();
        fs::create_dir(&outside).unwrap();
        let path = |name: &str| inside.join(name);
        fs::write(path("a.md"), "a").unwrap();
        fs::write(path("key.pem"), "k").unwrap();
        fs::write(outside.join("b.md"), "b").unwrap();
        fs::write(path("large.md"), vec![b'x'; 256 * 1024 + 1]).unwrap();
        symlink(path("a.md"), path("link.md")).unwrap();
        symlink(outside.join("b.md"), path("out.md")).unwrap();
        symlink(path("key.pem"), path("key.md")).unwrap();
        symlink(path("nowhere.md"), path("lost.md")).unwrap();
        nix::unistd::mkfifo(&path("pipe.md"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let said = |name: &str| match read(&Reach::default(), &path(name), &inside).1 {
            Read::Text(_, bytes) => String::from_utf8(bytes).unwrap(),
            Read::Gone => "gone".to_owned(),
            Read::Refused(why) => why.to_owned(),
            Read::Silent => "silent".to_owned(),
        };
        assert_eq!(said("a.md"), "a");
        assert_eq!(said("link.md"), "a");
        assert_eq!(said("none.md"), "gone");
        assert_eq!(said("lost.md"), "gone");
        assert_eq!(said("out.md"), "it is a link that leads out of its folder");
        assert_eq!(said("key.md"), "it is a link to what is no Markdown file");
        assert_eq!(said("large.md"), "it is larger than 256 KB");
        assert_eq!(said("pipe.md"), "it cannot be opened as a regular file");
        let reach = Reach::default();
        assert_eq!(is_there(&reach, &path("lost.md")), Some(true));
        assert_eq!(is_there(&reach, &path("none.md")), Some(false));
    }
}
