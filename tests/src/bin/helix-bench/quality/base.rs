//! Sets whose documents are stored and have their vectors, kept between runs: to embed them takes
//! longer than to ask every question of a set.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, DirBuilder};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use anyhow::{Context, Result};
use helix_engine::Store;
use helix_proto::v1;
use helix_tests::{Daemon, Home};

use super::data::{Document, Query, Set};
use super::levers::Lever;
use super::metrics::RANKS_MAX;
use crate::fixture::Connection;
use crate::kept::{self, STRANDS, copy, keep};
use crate::report::announce;

/// The attribute that carries a document's id.
const DOCUMENT_ATTRIBUTE: &str = "document";

/// The ids found for a query, best first, with their scores.
pub(super) type Ranking = Vec<(String, f32)>;

/// A home with the documents of a set.
pub(super) struct Base {
    home: Home,
    /// The ids behind each handle: texts that occur twice are one memory with several.
    documents: BTreeMap<String, Vec<String>>,
    /// True if there is a model.
    pub(super) has_meaning: bool,
}

impl Base {
    /// Stores the documents of a set, or takes what an earlier run kept.
    pub(super) fn of(set: &Set) -> Result<Self> {
        let Some((place, model)) = kept::place()? else {
            return Self::new(set, Home::new()?, false);
        };
        let home = Home::with_embedder()?.context("the model was removed meanwhile")?;
        let kept = place.join("quality").join(key(set, &model));
        let index = kept.with_extension("json");
        if !index.is_file() {
            announce(&format!("embedding {}, once", set.name));
            let base = Self::new(set, home, true)?;
            keep(&base.strands(), &kept)?;
            fs::write(&index, serde_json::to_string(&base.documents)?)?;
            return Ok(base);
        }
        // A daemon refuses a home that others may read.
        let mut directory = DirBuilder::new();
        directory.mode(0o700).recursive(true);
        directory.create(&home.paths.home)?;
        copy(&kept, &home.paths.home.join(STRANDS))?;
        Ok(Self {
            home,
            documents: serde_json::from_str(&fs::read_to_string(&index)?)?,
            has_meaning: true,
        })
    }

    fn new(set: &Set, home: Home, has_meaning: bool) -> Result<Self> {
        let daemon = Daemon::start(&home)?;
        let mut connection = Connection::open(&home)?;
        let documents = load(&mut connection, &set.documents)?;
        if has_meaning {
            connection.await_embedder(true)?;
        }
        daemon.stop()?;
        Ok(Self {
            home,
            documents,
            has_meaning,
        })
    }

    fn strands(&self) -> PathBuf {
        self.home.paths.home.join(STRANDS)
    }

    /// Asks every question of the set, by a lever.
    pub(super) fn rank(&mut self, set: &Set, lever: &Lever) -> Result<Vec<Ranking>> {
        self.home.ablate(lever.ablated);
        let daemon = Daemon::start(&self.home)?;
        let mut connection = Connection::open(&self.home)?;
        if self.has_meaning {
            connection.await_embedder(true)?;
        }
        let mut ranked = Vec::with_capacity(set.queries.len());
        for query in &set.queries {
            ranked.push(self.ask(&mut connection, query, lever.retriever)?);
        }
        daemon.stop()?;
        Ok(ranked)
    }

    fn ask(
        &self,
        connection: &mut Connection,
        query: &Query,
        retriever: v1::Retriever,
    ) -> Result<Ranking> {
        let limit = u32::try_from(RANKS_MAX)?;
        let reply = connection.search(&query.text, retriever, limit)?;
        let mut ranking = Vec::new();
        for hit in reply.hits {
            let handle = hit.memory.unwrap_or_default().handle;
            for id in self.documents.get(&handle).into_iter().flatten() {
                ranking.push((id.clone(), hit.score));
            }
        }
        ranking.truncate(RANKS_MAX);
        Ok(ranking)
    }
}

/// Names what a kept set is made from.
fn key(set: &Set, model: &str) -> String {
    let mut hasher = DefaultHasher::new();
    format!("{:?}", set.documents).hash(&mut hasher);
    let documents = hasher.finish();
    format!(
        "{}-{documents:016x}-format-{format}-{model}",
        set.name,
        format = Store::FORMAT
    )
}

/// Stores the documents, each under its topic, else under one of its own.
fn load(
    connection: &mut Connection,
    documents: &[Document],
) -> Result<BTreeMap<String, Vec<String>>> {
    let drafts = documents
        .iter()
        .enumerate()
        .map(|(number, document)| v1::Draft {
            topic: document.topic.clone().unwrap_or_else(|| topic(number)),
            text: document.text.clone(),
            kind: "fact".to_owned(),
            scope: "global".to_owned(),
            attributes: HashMap::from([(DOCUMENT_ATTRIBUTE.to_owned(), document.id.clone())]),
            valid_from_us: document.timestamp_us,
            ..v1::Draft::default()
        });
    let replies = connection.store_all(drafts)?;
    let mut ids: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (document, reply) in documents.iter().zip(replies) {
        let handle = reply.memory.unwrap_or_default().handle;
        ids.entry(handle).or_default().push(document.id.clone());
    }
    Ok(ids)
}

/// A topic for one document, of letters that no query has, so that it neither matches nor shares a
/// cap with others.
fn topic(number: usize) -> String {
    let letter = |place: u32| {
        char::from(b'a' + u8::try_from(number / 26_usize.pow(place) % 26).unwrap_or_default())
    };
    ['z', 'q', letter(3), letter(2), letter(1), letter(0)]
        .iter()
        .collect()
}
