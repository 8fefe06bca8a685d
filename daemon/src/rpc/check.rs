//! `Check`: looks at every part and says what is wrong.

use std::fmt::Display;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use helix_engine::model::Sequence;
use helix_engine::neutral::quoted;
use helix_engine::store::{Damage, DirectoryStorage, Examined, STORE_FILE, damaged_copy};
use helix_engine::strand::Request;
use helix_proto::holder::Holder;
use helix_proto::v1;

use super::{advice, stats, status};
use crate::runtime::Runtime;

/// How findings about damaged records are called.
const DAMAGE: &str = "damage";

/// Largest store whose pages every check compares with their checksums, in bytes: some 0.2 s, for
/// which writes wait.
const EXAMINED_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Memories that a finding names.
const SHOWN_MAX: usize = 20;

/// Checks every part; `deep` also walks the whole history and every record.
pub(super) fn check(runtime: &Runtime, deep: bool) -> v1::CheckReply {
    let mut results = vec![
        store(runtime),
        store_file(runtime, deep),
        words(runtime),
        embedder(runtime),
    ];
    results.extend(private_places(runtime));
    results.push(upkeep(runtime));
    results.extend(hanging(runtime));
    if deep {
        results.push(history(runtime));
        results.push(agreement(runtime));
    }
    // Last, because reading everything meets what is damaged.
    results.extend(damage(runtime));
    v1::CheckReply { results }
}

fn result(name: &str, level: v1::CheckLevel, detail: impl Into<String>) -> v1::CheckResult {
    v1::CheckResult {
        name: name.to_owned(),
        level: level.into(),
        detail: detail.into(),
    }
}

fn store(runtime: &Runtime) -> v1::CheckResult {
    let read = runtime
        .app
        .memory
        .strand
        .snapshot()
        .and_then(|snapshot| Ok((snapshot.memory_count()?, snapshot.sequence()?)));
    match read {
        Ok((memories, sequence)) => result(
            "store",
            v1::CheckLevel::Ok,
            format!(
                "{}, sequence {sequence}",
                count_of(memories, "memory", "memories")
            ),
        ),
        Err(error) => result("store", v1::CheckLevel::Failure, error.to_string()),
    }
}

/// Whether the store's file is there, and as it was written.
fn store_file(runtime: &Runtime, deep: bool) -> v1::CheckResult {
    let directory = runtime.config.paths.strand(&runtime.config.strand);
    let file = directory.join(STORE_FILE);
    let file = file.display();
    let max_bytes = if deep { u64::MAX } else { EXAMINED_MAX_BYTES };
    let failure = |detail: String| result(STORE_FILE, v1::CheckLevel::Failure, detail);
    match runtime
        .app
        .memory
        .strand
        .examine_file(&DirectoryStorage::new(directory.clone()), max_bytes)
    {
        Ok(Examined::Whole) => result(
            STORE_FILE,
            v1::CheckLevel::Ok,
            "every page matches its checksum",
        ),
        Ok(Examined::TooLarge) => result(
            STORE_FILE,
            v1::CheckLevel::Ok,
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

/// Places that projects, sources or transcripts are in and that do not answer: who works there is
/// told nothing meanwhile.
fn hanging(runtime: &Runtime) -> Option<v1::CheckResult> {
    let hanging = runtime.app.memory.reach.hanging();
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
    (!hanging.is_empty()).then(|| result("places", v1::CheckLevel::Warning, detail))
}

/// Records that do not match their hashes, after the attempt to take them from the history, and
/// what was lost for good.
fn damage(runtime: &Runtime) -> Vec<v1::CheckResult> {
    let read = || {
        runtime
            .app
            .memory
            .strand
            .snapshot()
            .and_then(|snapshot| snapshot.damage())
    };
    let found = read().and_then(|found| {
        if found.memories.is_empty() {
            return Ok((found, 0));
        }
        let mends = found.memories.iter().copied().map(Request::Mend).collect();
        // Where it was not done, they are still in the list.
        drop(
            runtime
                .writer
                .submit(mends)
                .ok()
                .and_then(|answer| answer.blocking_recv().ok()),
        );
        let left = read()?;
        let mended = found.memories.len().saturating_sub(left.memories.len());
        Ok((left, mended))
    });
    let (damage, mended) = match found {
        Ok(found) => found,
        Err(error) => return vec![result(DAMAGE, v1::CheckLevel::Failure, error.to_string())],
    };
    let mut results = Vec::new();
    if mended > 0 {
        let detail = format!(
            "{} taken from the history",
            count_of(mended, "damaged record was", "damaged records were")
        );
        results.push(result(DAMAGE, v1::CheckLevel::Warning, detail));
    }
    if !damage.memories.is_empty() {
        let numbers: Vec<String> = damage
            .memories
            .iter()
            .take(SHOWN_MAX)
            .map(|number| number.0.to_string())
            .collect();
        let count = count_of(
            damage.memories.len(),
            "memory is damaged and is",
            "memories are damaged and are",
        );
        let detail = format!(
            "{count} not shown: number {}; put a copy of the store back",
            numbers.join(", ")
        );
        results.push(result(DAMAGE, v1::CheckLevel::Failure, detail));
    }
    if !damage.operations.is_empty() {
        let count = count_of(damage.operations.len(), "operation", "operations");
        let detail = format!(
            "{count} of the history cannot be read; run `helixctl down`, and the next start mends what it can"
        );
        results.push(result(DAMAGE, v1::CheckLevel::Failure, detail));
    }
    results.extend(lost(runtime, &damage));
    results
}

/// What a damaged store lost when it was made anew, for as long as a copy of it is kept.
fn lost(runtime: &Runtime, damage: &Damage) -> Option<v1::CheckResult> {
    let directory = runtime.config.paths.strand(&runtime.config.strand);
    let copy = (1..=u32::MAX)
        .map(damaged_copy)
        .take_while(|name| directory.join(name).exists())
        .last()?;
    let names = damage
        .lost_memories
        .iter()
        .take(SHOWN_MAX)
        .map(|(number, handle)| {
            if handle.is_empty() {
                format!("number {number}")
            } else {
                handle.clone()
            }
        });
    let names: Vec<String> = names.collect();
    let lost = match damage.lost_memories.len() {
        0 => "no memory was lost".to_owned(),
        count => format!(
            "{} lost ({})",
            count_of(count, "memory was", "memories were"),
            names.join(", ")
        ),
    };
    let operations = match damage.lost_operations {
        0 => String::new(),
        count => format!(
            ", {} of the history",
            count_of(count, "operation", "operations")
        ),
    };
    let detail = format!(
        "{STORE_FILE} was damaged and was made anew: {lost}{operations}; the damaged file is kept as {}, delete it when it is \
         not needed",
        directory.join(copy).display()
    );
    let level = if damage.lost_memories.is_empty() {
        v1::CheckLevel::Warning
    } else {
        v1::CheckLevel::Failure
    };
    Some(result(DAMAGE, level, detail))
}

fn words(runtime: &Runtime) -> v1::CheckResult {
    let lexical = runtime.app.memory.strand.lexical();
    match lexical.document_count() {
        Ok(documents) => {
            let detail = format!(
                "{}, all found; {} of them not in a segment yet",
                count_of(documents, "document", "documents"),
                lexical.tail_len(),
            );
            result("word index", v1::CheckLevel::Ok, detail)
        }
        Err(error) => result("word index", v1::CheckLevel::Failure, error.to_string()),
    }
}

fn embedder(runtime: &Runtime) -> v1::CheckResult {
    let newest = newest(runtime);
    let found = status::embedder(runtime, newest);
    match found.state() {
        v1::EmbedderState::Ready => result(
            "embedder",
            v1::CheckLevel::Ok,
            format!(
                "{}, {}",
                found.model,
                count_of(found.pending, "memory waits", "memories wait")
            ),
        ),
        v1::EmbedderState::Failed => result("embedder", v1::CheckLevel::Failure, found.detail),
        v1::EmbedderState::Absent
        | v1::EmbedderState::Loading
        | v1::EmbedderState::Off
        | v1::EmbedderState::Unspecified => {
            result("embedder", v1::CheckLevel::Warning, found.detail)
        }
    }
}

/// Says what would pay; nothing of it is urgent.
fn upkeep(runtime: &Runtime) -> v1::CheckResult {
    let advice = advice::advice(runtime, &[], stats::store_bytes(runtime), newest(runtime).0);
    let detail = if advice.is_empty() {
        "nothing to do".to_owned()
    } else {
        advice.join("; ")
    };
    let level = if advice.is_empty() {
        v1::CheckLevel::Ok
    } else {
        v1::CheckLevel::Warning
    };
    result("upkeep", level, detail)
}

fn private_places(runtime: &Runtime) -> Vec<v1::CheckResult> {
    let paths = &runtime.config.paths;
    let strand = paths.strand(&runtime.config.strand);
    let socket = Holder::elsewhere(paths).unwrap_or_else(|| paths.socket.clone());
    let places: [(&str, &Path); 3] = [
        ("home", &paths.home),
        ("socket", &socket),
        ("strand", &strand),
    ];
    let check_one = |(name, path): (&str, &Path)| match fs::metadata(path) {
        Ok(found) if found.permissions().mode() & 0o077 == 0 => result(
            name,
            v1::CheckLevel::Ok,
            format!("{} is private", path.display()),
        ),
        Ok(found) => {
            let mode = found.permissions().mode() & 0o777;
            let detail = format!(
                "{} has mode {mode:o}; run `chmod go-rwx {}`",
                path.display(),
                path.display()
            );
            result(name, v1::CheckLevel::Failure, detail)
        }
        Err(error) => result(
            name,
            v1::CheckLevel::Failure,
            format!("{}: {error}", path.display()),
        ),
    };
    places.into_iter().map(check_one).collect()
}

fn history(runtime: &Runtime) -> v1::CheckResult {
    match runtime
        .app
        .memory
        .strand
        .snapshot()
        .and_then(|snapshot| snapshot.verify_history())
    {
        Ok(Ok(sequence)) => result(
            "history",
            v1::CheckLevel::Ok,
            format!("unbroken up to sequence {sequence}"),
        ),
        Ok(Err(broken)) => result("history", v1::CheckLevel::Failure, broken.to_string()),
        Err(error) => result("history", v1::CheckLevel::Failure, error.to_string()),
    }
}

/// Compares the indexes with the store.
fn agreement(runtime: &Runtime) -> v1::CheckResult {
    match runtime.app.memory.strand.verify_indexes() {
        Ok(disagreements) if disagreements.is_empty() => {
            result("indexes", v1::CheckLevel::Ok, "agree with the store")
        }
        Ok(disagreements) => {
            let shown: Vec<&str> = disagreements.iter().take(5).map(String::as_str).collect();
            let detail = format!(
                "{}: {}; stop the daemon, delete the strand's `index` directory, start again",
                count_of(disagreements.len(), "disagreement", "disagreements"),
                shown.join("; ")
            );
            result("indexes", v1::CheckLevel::Failure, detail)
        }
        Err(error) => result("indexes", v1::CheckLevel::Failure, error.to_string()),
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

fn newest(runtime: &Runtime) -> Sequence {
    runtime
        .app
        .memory
        .strand
        .snapshot()
        .and_then(|snapshot| snapshot.sequence())
        .unwrap_or_default()
}
