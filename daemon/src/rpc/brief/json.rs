//! A briefing as JSON, for programs.

use helix_engine::brief::meta::Meta;
use helix_engine::brief::{Brief, Mention, Selected};
use serde_json::{Value, json};

/// The briefing of a topic or a query.
pub(super) fn brief(brief: &Brief<'_>) -> Value {
    let sections = brief.sections.iter().map(|section| {
        let items = section.items.iter().map(|item| {
            let mut value = mention(&item.mention);
            if let Some(fields) = value.as_object_mut() {
                let also_in: Vec<&str> = item.also_in.iter().map(|memory| memory.topic.as_str()).collect();
                let supersedes: Vec<&str> = item.supersedes.iter().map(|handle| handle.as_str()).collect();
                fields.insert("also_in".to_owned(), json!(also_in));
                fields.insert(
                    "superseded_by".to_owned(),
                    json!(item.superseded_by.map(helix_engine::model::Handle::as_str)),
                );
                fields.insert("supersedes".to_owned(), json!(supersedes));
            }
            value
        });
        json!({ "category": section.category.name(), "memories": items.collect::<Vec<_>>() })
    });
    let chains = brief.chains.iter().map(|chain| {
        let handles: Vec<&str> = chain.links.iter().map(|link| link.memory.handle.as_str()).collect();
        json!({ "topic": chain.topic, "keyword": chain.keyword, "handles": handles })
    });
    let linked = brief.linked.iter().map(|linked| {
        let from: Vec<&str> = linked.from.iter().map(|handle| handle.as_str()).collect();
        json!({ "handle": linked.memory.handle.as_str(), "from": from })
    });
    let topics = brief
        .topics
        .iter()
        .map(|topic| json!({ "name": topic.name, "memories": topic.count, "left_out": topic.left_out }));
    json!({
        "total": brief.total,
        "merged": brief.merged,
        "superseded": brief.superseded,
        "stale": brief.stale,
        "out_of_focus": brief.out_of_focus,
        "left_out": brief.left_out,
        "topics": topics.collect::<Vec<_>>(),
        "categories": sections.collect::<Vec<_>>(),
        "hot": handles(&brief.hot),
        "gaps": handles(&brief.gaps),
        "chains": chains.collect::<Vec<_>>(),
        "linked": linked.collect::<Vec<_>>(),
    })
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
        hot.map(|hot| hot.memory.handle.as_str().to_owned()).collect()
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

fn mention(mention: &Mention<'_>) -> Value {
    json!({
        "handle": mention.memory.handle.as_str(),
        "topic": mention.memory.topic.as_str(),
        "text": mention.memory.text,
        "tags": mention.memory.tags,
        "heat": mention.heat,
        "confidence": mention.confidence(),
        "is_stale": mention.is_stale,
        "is_superseded": mention.is_superseded,
    })
}

fn handles(mentions: &[Mention<'_>]) -> Vec<String> {
    mentions.iter().map(|mention| mention.memory.handle.as_str().to_owned()).collect()
}
