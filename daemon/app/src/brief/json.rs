//! A briefing as JSON, for programs. Written as it is read, since that of a large topic is some
//! hundred kilobytes.

use helix_memory::Handle;
use helix_surface::brief::meta::Meta;
use helix_surface::brief::{Brief, Item, Mention, Section, Selected};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// The briefing of a topic or a query.
pub(super) fn brief(brief: &Brief<'_>) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Document::new(brief))
}

#[derive(Serialize)]
struct Document<'a> {
    total: usize,
    merged: usize,
    superseded: usize,
    stale: usize,
    out_of_focus: usize,
    left_out: usize,
    beyond: usize,
    topics: Vec<Topic<'a>>,
    categories: Vec<Category<'a>>,
    hot: Vec<&'a str>,
    gaps: Vec<&'a str>,
    chains: Vec<Chain<'a>>,
    linked: Vec<Linked<'a>>,
}

#[derive(Serialize)]
struct Topic<'a> {
    name: &'a str,
    memories: usize,
    left_out: usize,
    out_of_focus: usize,
}

#[derive(Serialize)]
struct Category<'a> {
    category: &'static str,
    #[serde(serialize_with = "memories")]
    memories: &'a [Item<'a>],
}

#[derive(Serialize)]
struct Entry<'a> {
    handle: &'a str,
    topic: &'a str,
    text: &'a str,
    tags: &'a [String],
    heat: f64,
    confidence: f32,
    is_stale: bool,
    is_superseded: bool,
    is_disputed: bool,
    also_in: Vec<&'a str>,
    superseded_by: Option<&'a str>,
    supersedes: Vec<&'a str>,
}

#[derive(Serialize)]
struct Chain<'a> {
    topic: &'a str,
    keyword: &'a str,
    handles: Vec<&'a str>,
}

#[derive(Serialize)]
struct Linked<'a> {
    handle: &'a str,
    from: Vec<&'a str>,
}

impl<'a> Document<'a> {
    fn new(brief: &'a Brief<'a>) -> Self {
        Self {
            total: brief.total,
            merged: brief.merged,
            superseded: brief.superseded,
            stale: brief.stale,
            out_of_focus: brief.out_of_focus,
            left_out: brief.left_out,
            beyond: brief.beyond,
            topics: brief
                .topics
                .iter()
                .map(|topic| Topic {
                    name: topic.name,
                    memories: topic.count,
                    left_out: topic.left_out,
                    out_of_focus: topic.out_of_focus,
                })
                .collect(),
            categories: brief.sections.iter().map(Category::new).collect(),
            hot: handles(&brief.hot),
            gaps: handles(&brief.gaps),
            chains: brief
                .chains
                .iter()
                .map(|chain| Chain {
                    topic: chain.topic,
                    keyword: &chain.keyword,
                    handles: handles(&chain.links),
                })
                .collect(),
            linked: brief
                .linked
                .iter()
                .map(|linked| Linked {
                    handle: linked.memory.handle.as_str(),
                    from: linked.from.iter().map(|handle| handle.as_str()).collect(),
                })
                .collect(),
        }
    }
}

impl<'a> Category<'a> {
    fn new(section: &'a Section<'a>) -> Self {
        Self {
            category: section.category.name(),
            memories: &section.items,
        }
    }
}

impl<'a> Entry<'a> {
    fn new(item: &'a Item<'a>) -> Self {
        let Mention {
            memory,
            heat,
            is_stale,
            is_superseded,
            is_disputed,
            ..
        } = item.mention;
        Self {
            handle: memory.handle.as_str(),
            topic: memory.topic.as_str(),
            text: &memory.text,
            tags: &memory.tags,
            heat: f64::from(heat),
            confidence: item.mention.confidence(),
            is_stale,
            is_superseded,
            is_disputed,
            also_in: item
                .also_in
                .iter()
                .map(|memory| memory.topic.as_str())
                .collect(),
            superseded_by: item.superseded_by.map(Handle::as_str),
            supersedes: item
                .supersedes
                .iter()
                .map(|handle| handle.as_str())
                .collect(),
        }
    }
}

fn memories<S: Serializer>(items: &[Item<'_>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(items.iter().map(Entry::new))
}

fn handles<'a>(mentions: &[Mention<'a>]) -> Vec<&'a str> {
    mentions
        .iter()
        .map(|mention| mention.memory.handle.as_str())
        .collect()
}

/// The briefing of everything.
pub(super) fn meta(meta: &Meta, hot: &[Selected<'_>]) -> Value {
    let topics = meta.top_topics.iter().map(|topic| {
        json!({ "name": topic.name, "memories": topic.count, "last_7_days": topic.recent, "newest_us": topic.newest.as_micros() })
    });
    let themes: Vec<Value> = meta
        .themes
        .iter()
        .map(|theme| json!({ "name": theme.name, "topics": theme.topics, "memories": theme.memories }))
        .collect();
    let handles = |hot: &mut dyn Iterator<Item = &Selected<'_>>| -> Vec<String> {
        hot.map(|hot| hot.memory.handle.as_str().to_owned())
            .collect()
    };
    json!({
        "memories": meta.memories,
        "topics": meta.topics,
        "top_topics": topics.collect::<Vec<_>>(),
        "velocity": {
            "last_24_hours": meta.velocity.last_day,
            "last_7_days": meta.velocity.last_week,
            "last_30_days": meta.velocity.last_month,
            "per_day": meta.velocity.per_day,
        },
        "themes": themes,
        "hot": handles(&mut hot.iter()),
        "hot_stale": handles(&mut hot.iter().filter(|hot| hot.is_stale)),
    })
}
