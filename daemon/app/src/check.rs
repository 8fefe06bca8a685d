//! Looks at every part and says what is wrong.

mod damage;

use std::fmt::Display;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use helix_engine::{DirectoryStorage, Examined, Store};
use helix_neutral::quoted;

use crate::capture::memories;
use crate::indexes::{Embedding, newest};
use crate::ports::EmbedderState;
use crate::{App, Layout, upkeep};

/// Largest store whose pages every check compares with their checksums, in bytes: some 0.2 s, for
/// which writes wait.
const EXAMINED_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Memories that a finding names.
const SHOWN_MAX: usize = 20;

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// All is well.
    Ok,
    /// It works, and not as it might.
    Warning,
    /// It does not work.
    Failure,
}

/// The finding about one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The part.
    pub name: String,
    /// How bad it is.
    pub level: Level,
    /// The finding, and its remedy.
    pub detail: String,
}

/// Checks every part; `deep` also walks the whole history and every record.
#[must_use]
pub fn check(app: &App, deep: bool) -> Vec<Finding> {
    let mut results = vec![store(app), store_file(app, deep), words(app), embedder(app)];
    results.extend(private_places(app));
    results.push(upkeep(app));
    results.extend(agents_files(app));
    results.extend(hanging(app));
    if deep {
        results.push(history(app));
        results.push(agreement(app));
    }
    // Last, because reading everything meets what is damaged.
    results.extend(damage::damage(app));
    results
}

fn result(name: &str, level: Level, detail: impl Into<String>) -> Finding {
    Finding {
        name: name.to_owned(),
        level,
        detail: detail.into(),
    }
}

fn store(app: &App) -> Finding {
    let read = app
        .memory
        .strand
        .snapshot()
        .and_then(|snapshot| Ok((snapshot.memory_count()?, snapshot.sequence()?)));
    match read {
        Ok((memories, sequence)) => result(
            "store",
            Level::Ok,
            format!(
                "{}, sequence {sequence}",
                count_of(memories, "memory", "memories")
            ),
        ),
        Err(error) => result("store", Level::Failure, error.to_string()),
    }
}

/// Returns whether the store's file is there, and as it was written.
fn store_file(app: &App, deep: bool) -> Finding {
    let directory = app.layout.directory();
    let file = directory.join(Store::FILE);
    let file = file.display();
    let max_bytes = if deep { u64::MAX } else { EXAMINED_MAX_BYTES };
    let failure = |detail: String| result(Store::FILE, Level::Failure, detail);
    match app
        .memory
        .strand
        .examine_file(&DirectoryStorage::new(directory.clone()), max_bytes)
    {
        Ok(Examined::Whole) => result(Store::FILE, Level::Ok, "every page matches its checksum"),
        Ok(Examined::TooLarge) => result(
            Store::FILE,
            Level::Ok,
            "its pages are examined with `helixctl doctor --deep` alone, it is large",
        ),
        Ok(Examined::Missing) => failure(format!(
            "{file} is gone: the daemon can still read its memories and loses them when it ends; run `helixctl export` now, \
             then `helixctl down`, and put a copy of the file back or import the export"
        )),
        Ok(Examined::Replaced) => failure(format!(
            "{file} is not the one that the daemon opened, which goes on with its own; run `helixctl down`, and the next start \
             takes the one that is there"
        )),
        Ok(Examined::Damaged(detail)) => failure(format!(
            "{file} is damaged ({detail}); run `helixctl down`: the next start makes it anew from what is whole, and takes what \
             is not from the history"
        )),
        Err(error) => failure(error.to_string()),
    }
}

/// The files of agents' own that are read.
fn agents_files(app: &App) -> Option<Finding> {
    const NAME: &str = "agents' files";
    match memories::overview(app) {
        Ok(None) => None,
        Ok(Some((said, true))) => Some(result(NAME, Level::Warning, said)),
        Ok(Some((said, false))) => Some(result(NAME, Level::Ok, said)),
        Err(refusal) => Some(result(NAME, Level::Failure, refusal.message())),
    }
}

/// Places that projects, sources or transcripts are in and that do not answer: who works there is
/// told nothing meanwhile.
fn hanging(app: &App) -> Option<Finding> {
    let hanging = app.memory.reach.hanging();
    let shown: Vec<String> = hanging
        .iter()
        .take(SHOWN_MAX)
        .map(|hanging| {
            format!(
                "{} for {} s",
                quoted(&hanging.place.to_string_lossy()),
                hanging.since.as_secs()
            )
        })
        .collect();
    let advice = "hooks that touch them say nothing; look whether they are mounted from what is gone, and unmount them";
    let detail = format!("these do not answer: {}; {advice}", shown.join(", "));
    (!hanging.is_empty()).then(|| result("places", Level::Warning, detail))
}

fn words(app: &App) -> Finding {
    let lexical = app.memory.strand.lexical();
    if let Some(lost) = lexical.lost() {
        let detail = format!(
            "{lost} was removed or replaced; everything is still found, and nothing more is kept for the next start: run \
             `helixctl reindex`"
        );
        return result("word index", Level::Failure, detail);
    }
    match lexical.document_count() {
        Ok(documents) => {
            let detail = format!(
                "{}, all found; {} of them not in a segment yet",
                count_of(documents, "document", "documents"),
                lexical.tail_len(),
            );
            result("word index", Level::Ok, detail)
        }
        Err(error) => result("word index", Level::Failure, error.to_string()),
    }
}

fn embedder(app: &App) -> Finding {
    let found = Embedding::of(app, newest(app).unwrap_or_default());
    let (level, detail) = match &found.state {
        EmbedderState::Ready(model) => {
            let waiting = count_of(found.pending, "memory waits", "memories wait");
            (Level::Ok, format!("{model}, {waiting}"))
        }
        EmbedderState::Failed(_) => (Level::Failure, found.detail()),
        EmbedderState::Absent(_) | EmbedderState::Loading | EmbedderState::Off => {
            (Level::Warning, found.detail())
        }
    };
    result("embedder", level, detail)
}

/// Says what would pay; nothing of it is urgent.
fn upkeep(app: &App) -> Finding {
    let advice = upkeep::advice(
        app,
        &[],
        app.layout.store_bytes(),
        newest(app).unwrap_or_default(),
    );
    let detail = if advice.is_empty() {
        "nothing to do".to_owned()
    } else {
        advice.join("; ")
    };
    let level = if advice.is_empty() {
        Level::Ok
    } else {
        Level::Warning
    };
    result("upkeep", level, detail)
}

fn private_places(app: &App) -> Vec<Finding> {
    let Layout { paths, .. } = &app.layout;
    let (strand, socket) = (app.layout.directory(), app.layout.socket());
    let places: [(&str, &Path); 3] = [
        ("home", &paths.home),
        ("socket", &socket),
        ("strand", &strand),
    ];
    let check_one = |(name, path): (&str, &Path)| match fs::metadata(path) {
        Ok(found) if found.permissions().mode() & 0o077 == 0 => {
            result(name, Level::Ok, format!("{} is private", path.display()))
        }
        Ok(found) => {
            let mode = found.permissions().mode() & 0o777;
            let detail = format!(
                "{} has mode {mode:o}; run `chmod go-rwx {}`",
                path.display(),
                path.display()
            );
            result(name, Level::Failure, detail)
        }
        Err(error) => result(name, Level::Failure, format!("{}: {error}", path.display())),
    };
    places.into_iter().map(check_one).collect()
}

fn history(app: &App) -> Finding {
    match app
        .memory
        .strand
        .snapshot()
        .and_then(|snapshot| snapshot.verify_history())
    {
        Ok(Ok(sequence)) => result(
            "history",
            Level::Ok,
            format!("unbroken up to sequence {sequence}"),
        ),
        Ok(Err(broken)) => result("history", Level::Failure, broken.to_string()),
        Err(error) => result("history", Level::Failure, error.to_string()),
    }
}

/// Compares the indexes with the store.
fn agreement(app: &App) -> Finding {
    match app.memory.strand.verify_indexes() {
        Ok(disagreements) if disagreements.is_empty() => {
            result("indexes", Level::Ok, "agree with the store")
        }
        Ok(disagreements) => {
            let shown: Vec<&str> = disagreements.iter().take(5).map(String::as_str).collect();
            let detail = format!(
                "{}: {}; stop the daemon, delete the strand's `index` directory, start again",
                count_of(disagreements.len(), "disagreement", "disagreements"),
                shown.join("; ")
            );
            result("indexes", Level::Failure, detail)
        }
        Err(error) => result("indexes", Level::Failure, error.to_string()),
    }
}

/// `1 memory`, `2 memories`.
fn count_of<N: Copy + Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    several: &str,
) -> String {
    format!(
        "{count} {}",
        if count == N::from(1) { one } else { several }
    )
}
