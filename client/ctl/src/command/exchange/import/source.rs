//! The source of an import: a file, a directory of Markdown files, or stdin, in pieces.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use helix_client::text::memory::count_of;
use helix_client::v1::ImportPiece;
use nix::fcntl::OFlag;
use tokio::sync::mpsc::Sender;

use crate::command::exchange::format::Format;
use crate::failure::Failure;
use crate::progress::Transfer;
use crate::screen;

/// Bytes of one piece: some hundred memories, far below the largest message.
const PIECE_BYTES: usize = 256 * 1024;

/// First bytes that tell a format.
const PEEK_BYTES: u64 = 64;

/// Name of stdin, and the topic of its Markdown that names none.
const STDIN_NAME: &str = "stdin";

/// Something to read, and its format.
pub(super) struct Source {
    /// Its format.
    pub(super) format: Format,
    /// How much there is to read, in bytes, where that is known.
    pub(super) bytes: Option<u64>,
    inputs: Inputs,
}

enum Inputs {
    /// Bytes of one file, and its name.
    One(String, Box<dyn Read + Send>),
    /// Files that are opened one after the other.
    Many(Vec<PathBuf>),
}

impl Source {
    /// Opens the input and decides its format. `None` is stdin.
    pub(super) fn open(path: Option<PathBuf>, format: Option<Format>) -> Result<Self, Failure> {
        let Some(path) = path else {
            return Self::stream(STDIN_NAME.to_owned(), Box::new(io::stdin()), None, format);
        };
        if path.is_dir() {
            return Self::directory(&path, format);
        }
        let file = named(&path)?;
        Self::stream(name(&path), Box::new(file), Some(&path), format)
    }

    fn directory(path: &Path, format: Option<Format>) -> Result<Self, Failure> {
        let shown = path.display();
        if format.is_some_and(|format| format != Format::Markdown) {
            return Err(Failure::Usage(format!(
                "{shown} is a directory, which only markdown can be; name a file"
            )));
        }
        let listed = || -> io::Result<Vec<PathBuf>> {
            fs::read_dir(path)?
                .map(|entry| entry.map(|entry| entry.path()))
                .collect()
        };
        let listed = listed().map_err(Failure::io(format!("listing {shown}")))?;
        // A link may lead anywhere, and a directory may be somebody else's work.
        let is_file =
            |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        let markdown =
            |path: &PathBuf| is_file(path) && Format::of_name(path) == Some(Format::Markdown);
        let (mut files, others): (Vec<_>, Vec<_>) = listed.into_iter().partition(markdown);
        if files.is_empty() {
            return Err(Failure::Usage(format!(
                "{shown} holds no Markdown file; name a directory with files named *.md"
            )));
        }
        files.sort();
        let left_out = count_of(others.len(), "other file", "other files");
        let are = if others.len() == 1 { "is" } else { "are" };
        screen::remark_if(
            !others.is_empty(),
            &format!("{left_out} in {shown} {are} left out"),
        );
        Ok(Self {
            format: Format::Markdown,
            bytes: files.iter().map(|file| size(file)).sum(),
            inputs: Inputs::Many(files),
        })
    }

    /// Looks at the first bytes, which are read again afterwards.
    fn stream(
        name: String,
        mut input: Box<dyn Read + Send>,
        path: Option<&Path>,
        said: Option<Format>,
    ) -> Result<Self, Failure> {
        let mut first = Vec::new();
        input
            .by_ref()
            .take(PEEK_BYTES)
            .read_to_end(&mut first)
            .map_err(Failure::io(format!("reading {name}")))?;
        let named = path.is_some().then(|| Path::new(&name));
        let format = said.or_else(|| Format::of(named, &first)).ok_or_else(|| {
            Failure::Usage(format!(
                "{name} tells no format; say --format json, markdown or amrl"
            ))
        })?;
        let input = Box::new(Cursor::new(first).chain(input));
        Ok(Self {
            format,
            bytes: path.and_then(size),
            inputs: Inputs::One(name, input),
        })
    }
}

/// Sends everything in pieces, the first of them with what `first` says. Nobody taking them any
/// more is no failure here: whoever took them knows why.
pub(super) fn send(
    source: Source,
    first: ImportPiece,
    pieces: &Sender<ImportPiece>,
    transfer: &Transfer,
) -> Result<(), Failure> {
    let mut sending = Sending {
        pieces,
        next: first,
        transfer,
    };
    let markdown = source.format == Format::Markdown;
    let told = match source.inputs {
        Inputs::One(name, input) => {
            sending.file(if markdown { &name } else { "" }, input, &name)?
        }
        Inputs::Many(files) => sending.files(&files)?,
    };
    // An empty input still says what it would have been.
    if told && sending.next.caller.is_some() {
        sending.piece("", Vec::new());
    }
    Ok(())
}

struct Sending<'a> {
    pieces: &'a Sender<ImportPiece>,
    /// What the next piece says besides its bytes: everything for the first, nothing afterwards.
    next: ImportPiece,
    /// The part that every piece repeats.
    transfer: &'a Transfer,
}

impl Sending<'_> {
    fn files(&mut self, files: &[PathBuf]) -> Result<bool, Failure> {
        for path in files {
            let shown = path.display().to_string();
            let file = open_in_place(path).map_err(Failure::io(format!("opening {shown}")))?;
            if !self.file(&name(path), Box::new(file), &shown)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sends one file; false when nobody takes pieces any more.
    fn file(
        &mut self,
        name: &str,
        mut input: Box<dyn Read + Send>,
        shown: &str,
    ) -> Result<bool, Failure> {
        let limit = u64::try_from(PIECE_BYTES).unwrap_or(u64::MAX);
        loop {
            let mut data = Vec::with_capacity(PIECE_BYTES);
            let read = input.by_ref().take(limit).read_to_end(&mut data);
            let read = read.map_err(Failure::io(format!("reading {shown}")))?;
            if read == 0 {
                return Ok(true);
            }
            if !self.piece(name, data) {
                return Ok(false);
            }
        }
    }

    fn piece(&mut self, name: &str, data: Vec<u8>) -> bool {
        let next = std::mem::take(&mut self.next);
        let bytes = u64::try_from(data.len()).unwrap_or(u64::MAX);
        let is_taken = self
            .pieces
            .blocking_send(ImportPiece {
                file: name.to_owned(),
                data,
                ..next
            })
            .is_ok();
        self.transfer.sent(bytes);
        is_taken
    }
}

/// Opens what somebody named: a plain file, or what the shell makes of `<(…)`. A pipe that lies about
/// may wait for a writer for ever.
fn named(path: &Path) -> Result<File, Failure> {
    let shown = path.display();
    let opening = || Failure::io(format!("opening {shown}"));
    let found = fs::metadata(path).map_err(opening())?;
    if !found.is_file() && !path.starts_with("/dev") {
        return Err(Failure::Usage(format!(
            "{shown} is no plain file; to read from it all the same, say `helixctl import - < {shown}`"
        )));
    }
    File::open(path).map_err(opening())
}

/// Opens a file of a directory that was listed, unless it has become a link or waits for a writer.
fn open_in_place(path: &Path) -> io::Result<File> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    File::options()
        .read(true)
        .custom_flags(flags.bits())
        .open(path)
}

fn name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Bytes of a file; unknown of a pipe.
fn size(path: &Path) -> Option<u64> {
    fs::metadata(path)
        .ok()
        .filter(fs::Metadata::is_file)
        .map(|file| file.len())
}
