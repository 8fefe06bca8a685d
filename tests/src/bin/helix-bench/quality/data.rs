//! The labelled sets as they are on disk: `docs.jsonl` and `queries.jsonl` in one directory a set.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde_json::Value;

/// A document to be found.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) id: String,
    pub(super) text: String,
    /// The topic that it is filed under, where the set says so.
    pub(super) topic: Option<String>,
    /// When it came to be, in microseconds, where the set says so.
    pub(super) timestamp_us: Option<i64>,
}

/// A query and the documents that answer it.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) id: String,
    pub(super) text: String,
    pub(super) relevant: Vec<String>,
}

/// One labelled set.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) name: String,
    pub(super) documents: Vec<Document>,
    pub(super) queries: Vec<Query>,
}

impl Set {
    /// Reads every set in a directory, by name. A directory that is not there has none.
    pub(super) fn all_in(directory: &Path) -> Result<Vec<Self>> {
        let Ok(entries) = fs::read_dir(directory) else {
            return Ok(Vec::new());
        };
        let mut paths: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        paths.retain(|path| {
            path.join("docs.jsonl").is_file() && path.join("queries.jsonl").is_file()
        });
        paths.sort();
        paths
            .iter()
            .map(|path| Self::read(path).with_context(|| format!("reading {}", path.display())))
            .collect()
    }

    fn read(path: &Path) -> Result<Self> {
        Ok(Self {
            name: path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            documents: lines(&path.join("docs.jsonl"), document)?,
            queries: lines(&path.join("queries.jsonl"), query)?,
        })
    }
}

fn lines<T>(path: &Path, read: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>> {
    let text = fs::read_to_string(path)?;
    let filled = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let parse = |(number, line): (usize, &str)| {
        let value: Value =
            serde_json::from_str(line).with_context(|| format!("line {}", number + 1))?;
        read(&value).with_context(|| format!("line {} lacks a field", number + 1))
    };
    filled.map(parse).collect()
}

fn document(value: &Value) -> Option<Document> {
    let timestamp = value.get("timestamp").and_then(Value::as_str);
    Some(Document {
        id: string(value, "id")?,
        text: string(value, "text")?,
        topic: string(value, "topic"),
        timestamp_us: timestamp
            .and_then(|time| time.parse::<Timestamp>().ok())
            .map(Timestamp::as_microsecond),
    })
}

fn query(value: &Value) -> Option<Query> {
    let relevant = value.get("relevant")?.as_array()?;
    Some(Query {
        id: string(value, "id")?,
        text: string(value, "text")?,
        relevant: relevant
            .iter()
            .filter_map(|id| id.as_str().map(str::to_owned))
            .collect(),
    })
}

fn string(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_set_is_read_and_what_lacks_fields_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let set = directory.path().join("some-set");
        fs::create_dir(&set).unwrap();
        fs::write(
            set.join("docs.jsonl"),
            "{\"id\":\"a\",\"text\":\"t\",\"timestamp\":\"1970-01-01T00:00:01Z\"}\n\n",
        )
        .unwrap();
        fs::write(
            set.join("queries.jsonl"),
            r#"{"id":"q","text":"t","relevant":["a"]}"#,
        )
        .unwrap();
        let sets = Set::all_in(directory.path()).unwrap();
        assert_eq!(sets[0].name, "some-set");
        assert_eq!(sets[0].documents[0].timestamp_us, Some(1_000_000));
        assert_eq!(sets[0].queries[0].relevant, ["a"]);
        fs::write(set.join("queries.jsonl"), r#"{"id":"q","text":"t"}"#).unwrap();
        assert!(
            format!("{:#}", Set::all_in(directory.path()).unwrap_err())
                .contains("line 1 lacks a field")
        );
    }
}
