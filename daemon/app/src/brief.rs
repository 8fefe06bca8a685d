//! `Brief`: selects the memories that a briefing is made of, and has it composed.

mod json;
mod named;
mod narrowed;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use helix_engine::{Catalog, Filter, Mode, Retriever, Row, Search, Strand, Vantage};
use helix_memory::{
    Memory, MemoryId, MemoryNumber, Scope, Sources, Status as Life, Timestamp, TopicPattern,
};
use helix_neutral::quoted;
use helix_proto::limits::{ANSWER_MAX_CHARS, QUERY_MAX_BYTES};
use helix_surface::brief::{
    self, CONSIDERED_MAX, Category, Detail, Input, Selected, Standing, Stated, consider,
    consider_each, meta, stated_in,
};
use jiff::tz::TimeZone;

use crate::moment::{self, At};
use crate::search::slips;
use crate::sources::{Look, SEARCH_READ_MAX_BYTES};
use crate::{App, Asker, Refusal};
use crate::{disputes, scopes, shown, topics};

/// Microseconds of an hour.
const HOUR_US: i64 = 3_600_000_000;

/// A request for a briefing.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// A topic, a pattern, a memory, or words and filters; empty for everything.
    pub query: String,
    /// How much is told.
    pub detail: Detail,
    /// How many hours back; 0 for ever.
    pub since_hours: u32,
    /// Names of the categories to show; empty for all.
    pub focus: Vec<String>,
    /// True if it is to be short.
    pub is_compact: bool,
    /// The scopes; empty for those that the asker sees.
    pub scopes: Vec<String>,
    /// Nobody reads the JSON, which of many memories takes as long as their reading.
    pub is_text_only: bool,
    /// The moment that is looked at.
    pub at: At,
}

/// A briefing.
#[derive(Clone, Debug, Default)]
pub struct Briefing {
    /// For readers.
    pub text: String,
    /// For programs; empty where nobody reads it.
    pub json: String,
    /// How many memories there are.
    pub memories: usize,
}

/// Composes a briefing.
///
/// # Errors
/// When the request cannot be read, there is nothing to brief about, or the disk fails.
pub fn brief(app: &App, asker: &Asker, wanted: &Wanted) -> Result<Briefing, Refusal> {
    if wanted.query.len() > QUERY_MAX_BYTES {
        let message = format!(
            "the query has {} bytes, the limit is {QUERY_MAX_BYTES}",
            wanted.query.len()
        );
        return Err(Refusal::exhausted(message));
    }
    let then = moment::seen(app, wanted.at)?;
    let app = then.as_ref().unwrap_or(app);
    let focus = wanted
        .focus
        .iter()
        .map(|name| Category::parse(name))
        .collect::<Result<Vec<_>, _>>();
    let view = View {
        app,
        asker,
        focus: focus.map_err(|error| Refusal::invalid(error.to_string()))?,
        detail: wanted.detail,
        is_compact: wanted.is_compact,
        is_text_only: wanted.is_text_only,
        zone: asker.zone.clone(),
        scopes: scopes::listed(app, asker, &wanted.scopes)?,
        look: app
            .memory
            .sources
            .look(&asker.project, SEARCH_READ_MAX_BYTES),
        after: after(wanted.since_hours, app.memory.now()),
        now: app.memory.now(),
    };
    let query = wanted.query.trim();
    if query.is_empty() {
        view.everything()
    } else {
        view.about(query)
    }
}

fn after(since_hours: u32, now: Timestamp) -> Option<Timestamp> {
    (since_hours > 0)
        .then(|| Timestamp::from_micros(now.as_micros() - i64::from(since_hours) * HOUR_US))
}

/// What may be in the briefing, and how it is to be shown.
struct View<'r> {
    app: &'r App,
    asker: &'r Asker,
    /// Categories to show; empty for all.
    focus: Vec<Category>,
    detail: Detail,
    is_compact: bool,
    /// Nobody reads the JSON, which of many memories takes as long as their reading.
    is_text_only: bool,
    /// Whose days are shown.
    zone: TimeZone,
    scopes: Vec<Scope>,
    /// Says whose source changed.
    look: Look<'r>,
    after: Option<Timestamp>,
    now: Timestamp,
}

/// Which memories there is room for, where there are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    /// The hottest of all.
    Hottest,
    /// As many of each topic, the hottest of it.
    OfEachTopic,
}

/// The memories of a briefing, and what is not in it.
#[derive(Default)]
struct Chosen {
    numbers: Vec<MemoryNumber>,
    /// Memories that found no room, by topic.
    left_out: BTreeMap<String, usize>,
    /// Those that were passed over because their tags or their kind say that they are not in
    /// focus.
    out_of_focus: usize,
    /// Notes for the caller.
    notes: Vec<String>,
}

impl Chosen {
    /// Returns whether nothing is there, in focus or not.
    fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.out_of_focus == 0
    }
}

impl View<'_> {
    /// The briefing of everything: an overview, or by category when more detail or some categories
    /// are asked for.
    fn everything(&self) -> Result<Briefing, Refusal> {
        if self.detail == Detail::Summary && self.focus.is_empty() {
            return self.overview();
        }
        let chosen = self.chosen(Share::OfEachTopic, |catalog| catalog.rows().collect());
        if chosen.is_empty() {
            self.overview()
        } else {
            self.composed(&chosen, "")
        }
    }

    fn overview(&self) -> Result<Briefing, Refusal> {
        let strand = &self.app.memory.strand;
        let meta = {
            let catalog = strand.catalog();
            let visible = self.visible(&catalog);
            let rows = catalog.rows().filter(|(_, row)| visible(row));
            meta::compose(
                rows.map(|(number, row)| meta::row(&catalog, number, row)),
                self.is_compact,
                self.now,
            )
        };
        if meta.memories == 0 && self.after.is_some() {
            return Err(Refusal::not_found(
                "nothing to brief about here that is so new",
            ));
        }
        let hot = strand.memories(&meta.hot)?;
        self.look.prepare(&mut hot.iter());
        let hot: Vec<Selected<'_>> = hot.iter().map(|memory| self.selected(memory)).collect();
        Ok(Briefing {
            text: meta::render(&meta, &hot, &self.zone),
            json: json::meta(&meta, &hot).to_string(),
            memories: meta.memories,
        })
    }

    /// The briefing of a topic, of the topics that fit a pattern, or of what a search finds.
    fn about(&self, query: &str) -> Result<Briefing, Refusal> {
        let (chosen, words) = match self.narrowed(query)? {
            Some(narrowed) => narrowed,
            None => self
                .choose(query)
                .map(|(chosen, words)| (chosen, words.to_owned()))?,
        };
        let mut reply = self.composed(&chosen, &words)?;
        let notes = chosen.notes.into_iter().chain(slips::of_all(&words));
        let told = notes
            .map(|note| format!("note: {note}"))
            .chain([std::mem::take(&mut reply.text)]);
        reply.text = told.collect::<Vec<_>>().join("\n");
        Ok(reply)
    }

    fn composed(&self, chosen: &Chosen, words: &str) -> Result<Briefing, Refusal> {
        let mut memories = self.read(&chosen.numbers)?;
        let linked = self.linked(&mut memories)?;
        self.look.prepare(&mut memories.iter());
        let selected: Vec<Selected<'_>> = memories
            .iter()
            .map(|memory| self.selected(memory))
            .collect();
        let left_out: Vec<(&str, usize)> = chosen
            .left_out
            .iter()
            .map(|(topic, count)| (topic.as_str(), *count))
            .collect();
        let mut composed = brief::compose(&Input {
            selected: &selected,
            linked: &linked,
            left_out: &left_out,
            query: words,
            focus: &self.focus,
            is_compact: self.is_compact,
            now: self.now,
        });
        composed.total += chosen.out_of_focus;
        composed.out_of_focus += chosen.out_of_focus;
        let text = brief::render(&composed, self.detail, &self.zone);
        // Nobody knows where a longer one is cut.
        if text.chars().count() <= ANSWER_MAX_CHARS {
            let whole: Vec<MemoryNumber> = brief::whole(&composed, self.detail, &self.zone)
                .map(|memory| memory.number)
                .collect();
            shown::note_known(self.app, self.asker, &whole);
        }
        let json = if self.is_text_only {
            Ok(String::new())
        } else {
            json::brief(&composed)
        };
        Ok(Briefing {
            text,
            json: json.map_err(|error| Refusal::internal(error.to_string()))?,
            memories: composed.total,
        })
    }

    /// The memories, and the words by which they were found; none when a topic or a pattern was
    /// named.
    fn choose<'q>(&self, query: &'q str) -> Result<(Chosen, &'q str), Refusal> {
        if let Some(chosen) = self.named(query)? {
            return Ok((chosen, ""));
        }
        if let Some(pattern) = topics_named(query)? {
            let is_it = |topic: &str| pattern.matches(topic);
            let chosen = self.of_topics(is_it);
            if !chosen.is_empty() {
                return Ok((chosen, ""));
            }
            if let Some(refusal) = self.nothing_so_new(query, is_it) {
                return Err(refusal);
            }
            if TopicPattern::is_glob(query) {
                return Err(nothing(query));
            }
        }
        // A search for the name would find some of them, as if these were all.
        if let Some(moved) = topics::moved_away(self.app, query, &self.scopes) {
            return Err(Refusal::not_found(moved));
        }
        let filter = Filter {
            scopes: self.scopes.clone(),
            after: self.after,
            ..Filter::default()
        };
        let found = self.search(query, filter)?;
        if found.is_empty() {
            Err(nothing(query))
        } else {
            Ok((found, query))
        }
    }

    /// Says that topics have memories, though none so new; `None` where they have none at all, or
    /// age does not matter.
    fn nothing_so_new(&self, query: &str, is_wanted: impl Fn(&str) -> bool) -> Option<Refusal> {
        self.after?;
        let catalog = self.app.memory.strand.catalog();
        let is_active = |row: &Row| row.status == Life::Active;
        let of = |name| catalog.members(name, &self.scopes, is_active).len();
        let older: usize = catalog.topic_names(is_wanted).into_iter().map(of).sum();
        (older > 0).then(|| {
            Refusal::not_found(format!(
                "nothing in {} is so new ({older} older)",
                quoted(query)
            ))
        })
    }

    /// The members of topics.
    fn of_topics(&self, is_wanted: impl Fn(&str) -> bool) -> Chosen {
        self.chosen(Share::OfEachTopic, |catalog| {
            let members = catalog
                .topic_names(is_wanted)
                .into_iter()
                .flat_map(|name| catalog.of_topic(name));
            members
                .filter_map(|number| Some((number, catalog.row(number)?)))
                .collect()
        })
    }

    /// The visible ones of some rows; if there are very many, the hottest, those first that are
    /// surely in focus.
    fn chosen(
        &self,
        share: Share,
        rows: impl for<'c> FnOnce(&'c Catalog) -> Vec<(MemoryNumber, &'c Row)>,
    ) -> Chosen {
        let catalog = self.app.memory.strand.catalog();
        let mut rows = rows(&catalog);
        let visible = self.visible(&catalog);
        rows.retain(|(_, row)| visible(row));
        // Of equals, as of one batch, the newest are hottest.
        rows.sort_by_key(|(number, _)| Reverse(*number));
        let all = rows.len();
        // Those that are surely in focus go before those that perhaps are.
        let tiers = if all > CONSIDERED_MAX && !self.focus.is_empty() {
            let mut tiers = [Vec::new(), Vec::new(), Vec::new()];
            let [sure, likely, open] = &mut tiers;
            for (number, row) in rows {
                match stated_in(&self.focus, catalog.tags_of(row), catalog.kind_of(row)) {
                    Stated::In => sure.push((number, row)),
                    Stated::Perhaps => likely.push((number, row)),
                    Stated::Open => open.push((number, row)),
                    Stated::Out => {}
                }
            }
            tiers
        } else {
            [rows, Vec::new(), Vec::new()]
        };
        let out_of_focus = all - tiers.iter().map(Vec::len).sum::<usize>();
        let hottest = |rows: Vec<(MemoryNumber, &Row)>| match share {
            Share::Hottest => consider(
                rows.into_iter()
                    .map(|(number, row)| (number, Standing::of_row(row, 1.0))),
                self.now,
            ),
            Share::OfEachTopic => {
                let ranked = |(number, row): (_, &Row)| {
                    (number, row.topic_number(), Standing::of_row(row, 1.0))
                };
                consider_each(rows.into_iter().map(ranked), self.now)
            }
        };
        let (mut numbers, mut others) = (Vec::new(), Vec::new());
        for (kept, rest) in tiers.map(hottest) {
            numbers.extend(kept);
            others.extend(rest);
        }
        others.extend(numbers.split_off(numbers.len().min(CONSIDERED_MAX)));
        Chosen {
            numbers,
            left_out: catalog.count_by_topic(&others),
            out_of_focus,
            notes: Vec::new(),
        }
    }

    /// Everything that has the words and passes the filter.
    fn search(&self, words: &str, filter: Filter) -> Result<Chosen, Refusal> {
        let search = Search {
            words: words.to_owned(),
            vector: None,
            filter,
            limit: 0,
            mode: Mode::Auto,
            retriever: Retriever::Words,
            now: self.now,
            vantage: Vantage::default(),
        };
        let (found, _) = self.app.memory.strand.all_with_words(&search)?;
        Ok(self.chosen(Share::Hottest, |catalog| {
            found
                .into_iter()
                .filter_map(|number| Some((number, catalog.row(number)?)))
                .collect()
        }))
    }

    /// A memory, and whether its source changed, as far as it can be told from here.
    fn selected<'a>(&self, memory: &'a Memory) -> Selected<'a> {
        let state = self.look.state(memory);
        Selected {
            is_stale: state.is_stale(),
            moved_to: state.moved_to(),
            confidence: self.app.memory.strand.confidence_of(memory, self.now),
            is_disputed: !disputes::against(self.app, memory.number).is_empty(),
            ..Selected::of(memory)
        }
    }

    /// The memories that these link to and that are not among them. Links to what was superseded
    /// become links to what took its place.
    fn linked(&self, memories: &mut [Memory]) -> Result<Vec<Memory>, Refusal> {
        let mut ids: Vec<_> = memories
            .iter()
            .flat_map(|memory| &memory.links)
            .copied()
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| memories.iter().all(|memory| memory.id != *id));
        let snapshot = self.app.memory.strand.snapshot()?;
        let (mut linked, mut moved): (Vec<Memory>, HashMap<MemoryId, MemoryId>) =
            (Vec::new(), HashMap::new());
        for id in ids {
            let Some(living) = Strand::living(&snapshot, &id)? else {
                continue;
            };
            if living.id != id {
                moved.insert(id, living.id);
            }
            linked.push(living);
        }
        if !moved.is_empty() {
            for link in memories.iter_mut().flat_map(|memory| &mut memory.links) {
                *link = moved.get(link).copied().unwrap_or(*link);
            }
        }
        Ok(linked
            .into_iter()
            .filter(|memory| memory.status == Life::Active && self.scopes.contains(&memory.scope))
            .collect())
    }

    fn read(&self, numbers: &[MemoryNumber]) -> Result<Vec<Memory>, Refusal> {
        Ok(self.app.memory.strand.memories(numbers)?)
    }

    /// Tells which rows may be in the briefing.
    fn visible<'c>(&'c self, catalog: &'c Catalog) -> impl Fn(&Row) -> bool + 'c {
        let scopes = catalog.scope_numbers(&self.scopes);
        move |row| {
            row.status == Life::Active
                && row.is_in(&scopes)
                && self.after.is_none_or(|after| row.recorded_at >= after)
        }
    }
}

/// What topics a name or a pattern means; `None` for what cannot be a topic's name.
fn topics_named(name: &str) -> Result<Option<TopicPattern>, Refusal> {
    match TopicPattern::parse(name) {
        Ok(pattern) => Ok(Some(pattern)),
        Err(error) if TopicPattern::is_glob(name) => Err(Refusal::invalid(error.to_string())),
        Err(_) => Ok(None),
    }
}

fn nothing(query: &str) -> Refusal {
    let slips = slips::of_all(query)
        .map(|note| format!("; {note}"))
        .unwrap_or_default();
    Refusal::not_found(format!(
        "nothing to brief about {} here; `topics` lists what there is, and without a query everything is briefed{slips}",
        quoted(query)
    ))
}
