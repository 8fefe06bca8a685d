//! `Brief`: selects the memories that a briefing is made of, and has it composed.

mod json;

use std::collections::BTreeMap;

use helix_engine::brief::{self, Category, Detail, Input, Selected, Standing, consider, meta};
use helix_engine::index::catalog::{Catalog, Row};
use helix_engine::index::filter::Filter;
use helix_engine::model::{Memory, MemoryNumber, Scope, Status as Life, Timestamp, Topic, TopicPattern};
use helix_engine::ports::Sources;
use helix_engine::recall::{Mode, Retriever, Search};
use helix_proto::limits::{QUERY_MAX_BYTES, SEARCH_LIMIT_MAX};
use helix_proto::v1;
use tonic::Status;

use super::{convert, scopes};
use crate::runtime::Runtime;
use crate::sources::{Look, SEARCH_READ_MAX_BYTES};

/// Microseconds of an hour.
const HOUR_US: i64 = 3_600_000_000;

/// Composes a briefing.
pub(super) fn brief(runtime: &Runtime, request: &v1::BriefRequest) -> Result<v1::BriefReply, Status> {
    if request.query.len() > QUERY_MAX_BYTES {
        let message = format!("the query has {} bytes, the limit is {QUERY_MAX_BYTES}", request.query.len());
        return Err(Status::resource_exhausted(message));
    }
    let asker = runtime.asker(request.caller.as_ref());
    let view = View {
        runtime,
        scopes: scopes::listed(runtime, &asker, &request.scopes)?,
        look: runtime.sources.look(&asker.project, SEARCH_READ_MAX_BYTES),
        after: after(request.since_hours, runtime.now()),
        now: runtime.now(),
    };
    let query = request.query.trim();
    if query.is_empty() { view.everything(request.compact) } else { view.about(query, request) }
}

fn after(since_hours: u32, now: Timestamp) -> Option<Timestamp> {
    (since_hours > 0).then(|| Timestamp::from_micros(now.as_micros() - i64::from(since_hours) * HOUR_US))
}

/// What may be in the briefing.
struct View<'r> {
    runtime: &'r Runtime,
    scopes: Vec<Scope>,
    /// Says whose source changed.
    look: Look<'r>,
    after: Option<Timestamp>,
    now: Timestamp,
}

/// The memories of a briefing, and those that there was no room for, by topic.
#[derive(Default)]
struct Chosen {
    numbers: Vec<MemoryNumber>,
    left_out: BTreeMap<String, usize>,
}

impl View<'_> {
    /// The briefing of everything.
    fn everything(&self, is_compact: bool) -> Result<v1::BriefReply, Status> {
        let strand = &self.runtime.strand;
        let meta = {
            let catalog = strand.catalog();
            let visible = self.visible(&catalog);
            let rows = catalog.rows().filter(|(_, row)| visible(row));
            meta::compose(rows.map(|(number, row)| meta::row(&catalog, number, row)), is_compact, self.now)
        };
        let hot = strand.memories(&meta.hot).map_err(|error| convert::status(error.kind(), &error))?;
        let hot: Vec<Selected<'_>> = hot.iter().map(|memory| self.selected(memory)).collect();
        Ok(v1::BriefReply {
            text: meta::render(&meta, &hot),
            json: json::meta(&meta, &hot).to_string(),
            memories: u32::try_from(meta.memories).unwrap_or(u32::MAX),
        })
    }

    /// The briefing of a topic, of the topics that fit a pattern, or of what a search finds.
    fn about(&self, query: &str, request: &v1::BriefRequest) -> Result<v1::BriefReply, Status> {
        let focus = request.focus.iter().map(|name| Category::parse(name)).collect::<Result<Vec<_>, _>>();
        let focus = focus.map_err(|error| Status::invalid_argument(error.to_string()))?;
        let (chosen, words) = self.choose(query)?;
        let memories = self.read(&chosen.numbers)?;
        let linked = self.linked(&memories)?;
        let selected: Vec<Selected<'_>> = memories.iter().map(|memory| self.selected(memory)).collect();
        let left_out: Vec<(&str, usize)> =
            chosen.left_out.iter().map(|(topic, count)| (topic.as_str(), *count)).collect();
        let composed = brief::compose(&Input {
            selected: &selected,
            linked: &linked,
            left_out: &left_out,
            query: words,
            focus: &focus,
            is_compact: request.compact,
            now: self.now,
        });
        let detail = match request.detail() {
            v1::BriefDetail::Summary => Detail::Summary,
            v1::BriefDetail::Scan => Detail::Scan,
            v1::BriefDetail::Full => Detail::Full,
        };
        Ok(v1::BriefReply {
            text: brief::render(&composed, detail),
            json: json::brief(&composed).map_err(|error| Status::internal(error.to_string()))?,
            memories: u32::try_from(composed.total).unwrap_or(u32::MAX),
        })
    }

    /// The memories, and the words by which they were found; none when a topic or a pattern was named.
    fn choose<'q>(&self, query: &'q str) -> Result<(Chosen, &'q str), Status> {
        if TopicPattern::is_glob(query) {
            let pattern = TopicPattern::parse(query).map_err(|error| Status::invalid_argument(error.to_string()))?;
            let chosen = self.of_topics(|topic| pattern.matches(topic));
            return if chosen.numbers.is_empty() { Err(nothing(query)) } else { Ok((chosen, "")) };
        }
        if let Ok(topic) = Topic::parse(query) {
            let chosen = self.of_topics(|name| name == topic.as_str());
            if !chosen.numbers.is_empty() {
                return Ok((chosen, ""));
            }
        }
        let found = self.search(query)?;
        if found.numbers.is_empty() { Err(nothing(query)) } else { Ok((found, query)) }
    }

    /// The members of topics, the hottest of them if there are very many.
    fn of_topics(&self, is_wanted: impl Fn(&str) -> bool) -> Chosen {
        let catalog = self.runtime.strand.catalog();
        let visible = self.visible(&catalog);
        let members = catalog.topic_names(is_wanted).into_iter().flat_map(|name| catalog.of_topic(name));
        let rows = members.filter_map(|number| Some((number, catalog.row(number)?)));
        let standing = rows.filter(|(_, row)| visible(row)).map(|(number, row)| (number, Standing::of_row(row, 1.0)));
        let (numbers, others) = consider(standing, self.now);
        let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
        for row in others.into_iter().filter_map(|number| catalog.row(number)) {
            *left_out.entry(catalog.topic_of(row).to_owned()).or_default() += 1;
        }
        Chosen { numbers, left_out }
    }

    fn search(&self, words: &str) -> Result<Chosen, Status> {
        let search = Search {
            words: words.to_owned(),
            vector: None,
            filter: Filter { scopes: self.scopes.clone(), after: self.after, ..Filter::default() },
            limit: SEARCH_LIMIT_MAX as usize,
            mode: Mode::Auto,
            retriever: Retriever::Words,
            now: self.now,
        };
        let found = self.runtime.strand.search(&search).map_err(|error| convert::status(error.kind(), &error))?;
        let numbers = found.hits.into_iter().map(|hit| hit.memory.number).collect();
        Ok(Chosen { numbers, ..Chosen::default() })
    }

    /// A memory, and whether its source changed, as far as it can be told from here.
    fn selected<'a>(&self, memory: &'a Memory) -> Selected<'a> {
        Selected { is_stale: self.look.state(memory).is_stale(), ..Selected::of(memory) }
    }

    /// The memories that these link to and that are not among them.
    fn linked(&self, memories: &[Memory]) -> Result<Vec<Memory>, Status> {
        let mut ids: Vec<_> = memories.iter().flat_map(|memory| &memory.links).copied().collect();
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| memories.iter().all(|memory| memory.id != *id));
        let linked = self.runtime.strand.memories_of(&ids).map_err(|error| convert::status(error.kind(), &error))?;
        Ok(linked
            .into_iter()
            .filter(|memory| memory.status == Life::Active && self.scopes.contains(&memory.scope))
            .collect())
    }

    fn read(&self, numbers: &[MemoryNumber]) -> Result<Vec<Memory>, Status> {
        self.runtime.strand.memories(numbers).map_err(|error| convert::status(error.kind(), &error))
    }

    /// Tells which rows may be in the briefing.
    fn visible<'c>(&'c self, catalog: &'c Catalog) -> impl Fn(&Row) -> bool + 'c {
        let scopes: Vec<String> = self.scopes.iter().map(ToString::to_string).collect();
        move |row| {
            row.status == Life::Active
                && scopes.iter().any(|scope| scope == catalog.scope_of(row))
                && self.after.is_none_or(|after| row.recorded_at >= after)
        }
    }
}

fn nothing(query: &str) -> Status {
    let query: String = query.chars().take(80).collect();
    Status::not_found(format!(
        "nothing to brief about {query:?} here; `topics` lists what there is, and without a query everything is briefed"
    ))
}
