//! `Check`: looks at every part and says what is wrong.

use std::fmt::Display;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use helix_engine::model::Sequence;
use helix_proto::v1;

use super::status;
use crate::runtime::Runtime;

/// Checks every part; `deep` also walks the whole history and every record.
pub(super) fn check(runtime: &Runtime, deep: bool) -> v1::CheckReply {
    let mut results = vec![store(runtime), words(runtime), embedder(runtime)];
    results.extend(private_places(runtime));
    if deep {
        results.push(history(runtime));
        results.push(agreement(runtime));
    }
    v1::CheckReply { results }
}

fn result(name: &str, level: v1::CheckLevel, detail: impl Into<String>) -> v1::CheckResult {
    v1::CheckResult { name: name.to_owned(), level: level.into(), detail: detail.into() }
}

fn store(runtime: &Runtime) -> v1::CheckResult {
    let read = runtime.strand.snapshot().and_then(|snapshot| Ok((snapshot.memory_count()?, snapshot.sequence()?)));
    match read {
        Ok((memories, sequence)) => result(
            "store",
            v1::CheckLevel::Ok,
            format!("{}, sequence {sequence}", count_of(memories, "memory", "memories")),
        ),
        Err(error) => result("store", v1::CheckLevel::Failure, error.to_string()),
    }
}

fn words(runtime: &Runtime) -> v1::CheckResult {
    let lexical = runtime.strand.lexical();
    match lexical.document_count() {
        Ok(documents) => {
            let detail = format!(
                "{}, {} in the tail, durable up to sequence {}",
                count_of(documents, "document", "documents"),
                lexical.tail_len(),
                lexical.watermark()
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
            format!("{}, {}", found.model, count_of(found.pending, "memory waits", "memories wait")),
        ),
        v1::EmbedderState::Failed => result("embedder", v1::CheckLevel::Failure, found.detail),
        v1::EmbedderState::Absent
        | v1::EmbedderState::Loading
        | v1::EmbedderState::Off
        | v1::EmbedderState::Unspecified => result("embedder", v1::CheckLevel::Warning, found.detail),
    }
}

fn private_places(runtime: &Runtime) -> Vec<v1::CheckResult> {
    let paths = &runtime.config.paths;
    let strand = paths.strand(&runtime.config.strand);
    let places: [(&str, &Path); 3] = [("home", &paths.home), ("socket", &paths.socket), ("strand", &strand)];
    let check_one = |(name, path): (&str, &Path)| match fs::metadata(path) {
        Ok(found) if found.permissions().mode() & 0o077 == 0 => {
            result(name, v1::CheckLevel::Ok, format!("{} is private", path.display()))
        }
        Ok(found) => {
            let mode = found.permissions().mode() & 0o777;
            let detail = format!("{} has mode {mode:o}; run `chmod go-rwx {}`", path.display(), path.display());
            result(name, v1::CheckLevel::Failure, detail)
        }
        Err(error) => result(name, v1::CheckLevel::Failure, format!("{}: {error}", path.display())),
    };
    places.into_iter().map(check_one).collect()
}

fn history(runtime: &Runtime) -> v1::CheckResult {
    match runtime.strand.snapshot().and_then(|snapshot| snapshot.verify_history()) {
        Ok(Ok(sequence)) => result("history", v1::CheckLevel::Ok, format!("unbroken up to sequence {sequence}")),
        Ok(Err(broken)) => result("history", v1::CheckLevel::Failure, broken.to_string()),
        Err(error) => result("history", v1::CheckLevel::Failure, error.to_string()),
    }
}

/// Compares the indexes with the store.
fn agreement(runtime: &Runtime) -> v1::CheckResult {
    match runtime.strand.verify_indexes() {
        Ok(disagreements) if disagreements.is_empty() => result("indexes", v1::CheckLevel::Ok, "agree with the store"),
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
fn count_of<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str, several: &str) -> String {
    format!("{count} {}", if count == N::from(1) { one } else { several })
}

fn newest(runtime: &Runtime) -> Sequence {
    runtime.strand.snapshot().and_then(|snapshot| snapshot.sequence()).unwrap_or_default()
}
