//! Topics, entries, counts and references as people read them.
#![allow(clippy::unwrap_used)]

use helix_client::v1::{
    CrossReference, CrossReferencesReply, GraphReply, ListTopicsReply, RecentReply, StatsReply,
    TopicEdge, TopicEntry,
};
use insta::assert_snapshot;

use super::*;
use crate::document::{
    CrossReferencesDocument, GraphDocument, RecentDocument, StatsDocument, TopicsDocument,
};

fn topic_entry(name: &str) -> TopicEntry {
    TopicEntry {
        name: name.to_owned(),
        memories: 12,
        first_recorded_at_us: NOW_US - 30 * DAY_US,
        last_recorded_at_us: NOW_US,
    }
}

fn listed() -> ListTopicsReply {
    ListTopicsReply {
        topics: vec![
            topic_entry("storage"),
            topic_entry("bad\u{1b}[2J\nname\"\\"),
        ],
    }
}

fn indexed() -> Vec<Memory> {
    vec![
        Memory {
            index: Some(3),
            ..decision()
        },
        Memory {
            index: Some(14),
            tags: vec!["a\u{1b}".to_owned()],
            ..hostile()
        },
    ]
}

fn counted() -> StatsReply {
    let count = |name: &str, count| NamedCount {
        name: name.to_owned(),
        count,
    };
    let tags = (0..14)
        .map(|at| count(&format!("tag-{at}"), 20 - at))
        .chain([count("bad\u{202e}", 1)]);
    StatsReply {
        memories: 40,
        topics: 9,
        first_recorded_at_us: NOW_US - 30 * DAY_US,
        last_recorded_at_us: NOW_US,
        tags: tags.collect(),
        kinds: vec![count("gotcha", 25), count("decision", 15)],
        scopes: vec![count("project:example.org/helix", 30), count("global", 10)],
        statuses: vec![count("active", 40)],
        origins: vec![count("agent", 40)],
        indexes: running().indexes,
        store_bytes: 3 * 1024 * 1024 / 2,
        sequence: 42,
        index_segments: 2,
        index_tail: 5,
        links: 7,
        advice: vec!["3 memories repeat another's text: compact lists and merges them".to_owned()],
        models: None,
    }
}

fn referred() -> CrossReferencesReply {
    let reference = |memory, mentions, links| CrossReference {
        memory: Some(memory),
        mentions,
        links,
    };
    CrossReferencesReply {
        references: vec![
            reference(decision(), true, true),
            reference(hostile(), true, false),
        ],
    }
}

fn related() -> GraphReply {
    let edge = |from: &str, to: &str, mentions, links| TopicEdge {
        from: from.to_owned(),
        to: to.to_owned(),
        mentions,
        links,
    };
    GraphReply {
        edges: vec![
            edge("storage", "build", 3, 1),
            edge("bad\u{1b}[2J\nname\"\\", "storage", 1, 0),
        ],
        topics: listed().topics,
    }
}

#[test]
fn topics_are_readable() {
    assert_snapshot!("topics_pipe", topics(PIPE, &listed().topics));
    assert_snapshot!("topics_terminal", topics(TERMINAL, &listed().topics));
    assert_snapshot!("topics_json", json(&TopicsDocument::from(&listed())));
}

#[test]
fn entries_are_readable() {
    assert_snapshot!("entries_pipe", entries(PIPE, &indexed()));
    assert_snapshot!("entries_terminal", entries(TERMINAL, &indexed()));
    assert_eq!(entries(PIPE, &[]), "");
}

#[test]
fn newest_memories_are_readable() {
    // The minute is the local one; its shape is tested beside its code.
    let shown = recent(PIPE, &[decision(), hostile()]);
    let rows: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(_, rest)| rest)
        .collect();
    assert_snapshot!("recent_pipe", rows.join("\n"));
    let reply = RecentReply {
        memories: indexed(),
        total: 9,
    };
    let value: serde_json::Value =
        serde_json::from_str(&json(&RecentDocument::from(&reply))).unwrap();
    assert_eq!(
        (&value["total"], &value["memories"][1]["index"]),
        (&9.into(), &14.into())
    );
}

#[test]
fn counts_are_readable() {
    assert_snapshot!("stats_pipe", stats(PIPE, &counted()));
    assert_snapshot!("stats_terminal", stats(TERMINAL, &counted()));
    assert_snapshot!("stats_json", json(&StatsDocument::from(&counted())));
    assert_snapshot!("stats_indexes", index_detail(TERMINAL, &counted()));
    assert_snapshot!("stats_tags", tag_counts(PIPE, &counted().tags));
    assert_snapshot!("stats_empty", stats(PIPE, &StatsReply::default()));
}

#[test]
fn references_are_readable() {
    assert_snapshot!("xref_pipe", cross_references(PIPE, &referred().references));
    assert_snapshot!(
        "xref_terminal",
        cross_references(TERMINAL, &referred().references)
    );
    let value: serde_json::Value =
        serde_json::from_str(&json(&CrossReferencesDocument::from(&referred()))).unwrap();
    assert_eq!(value["references"][0]["links"], true);
}

#[test]
fn a_graph_is_readable_and_drawable() {
    assert_snapshot!("graph_pipe", graph(PIPE, &related().edges));
    assert_snapshot!("graph_dot", graph_dot(&related()));
    assert_snapshot!("graph_json", json(&GraphDocument::from(&related())));
}
