//! Answers of `search` and `read`: pages, queries, matches and scores.

use helix_tests::Daemon;
use serde_json::{Value, json};

use super::World;

/// Returns the text behind `cursor=` in an answer.
fn cursor_of(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once("cursor=")?;
    Some(
        rest.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
            .collect(),
    )
}

#[test]
fn a_long_topic_is_read_in_pages_and_exactly() {
    const MEMORIES: usize = 45;
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    let line = |at: usize| {
        format!(
            "Fact {at} of the long topic.\n\tindented  \n\n{}",
            "word ".repeat(200).trim_end()
        )
    };
    let entries: Vec<Value> = (0..MEMORIES)
        .map(|at| json!({"topic": "long", "text": line(at)}))
        .collect();
    bridge
        .text("batch", &json!({"entries": entries, "force": true}))
        .unwrap();
    let (mut read, mut cursor) = (String::new(), String::new());
    for page in 1.. {
        let text = bridge
            .text("read", &json!({"topic": "long", "cursor": cursor}))
            .unwrap();
        assert!(
            text.chars().count() <= 20_500,
            "page {page} has {} characters",
            text.chars().count()
        );
        assert!(page < 10, "the pages never end");
        let next = cursor_of(&text);
        read.push_str(&text);
        match next {
            Some(next) => cursor = next,
            None => break,
        }
        assert!(cursor.len() <= 12, "{cursor} is long");
    }
    for at in 0..MEMORIES {
        let stored = line(at);
        let shown = stored.lines().map(|line| {
            if line.is_empty() {
                String::new()
            } else {
                format!("  {line}")
            }
        });
        let shown = shown.collect::<Vec<_>>().join("\n");
        assert_eq!(read.matches(&shown).count(), 1, "memory {at}");
    }
    let few = bridge
        .text("read", &json!({"topic": "long", "limit": 2}))
        .unwrap();
    assert!(
        few.contains("Fact 1 of") && !few.contains("Fact 2 of"),
        "{few}"
    );
    let other = bridge
        .call(
            "read",
            &json!({"topic": "other", "cursor": cursor_of(&few).unwrap()}),
        )
        .unwrap();
    assert!(other.is_error, "{other:?}");
    let export = bridge
        .call("topics", &json!({"action": "export", "topic": "long"}))
        .unwrap();
    assert!(
        export.is_error && export.text.contains("does not fit into an answer"),
        "{export:?}"
    );
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_query_means_what_it_says() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    for (topic, text, source) in [
        (
            "net",
            "The connection was refused by the walrus proxy.",
            "src/arrow.rs:7",
        ),
        (
            "net",
            "A refused walrus connection is tried again.",
            "src/row.rs:88",
        ),
        (
            "net",
            "Connection refused: the walrus daemon is down.",
            "src/row.rs:9",
        ),
        ("plan", "Phase 2 moves the walrus tables.", "docs/row.rs.md"),
        ("plan", "Phase 3 moves the walrus files.", ""),
    ] {
        bridge
            .text(
                "store",
                &json!({"topic": topic, "text": text, "source": source, "force": true}),
            )
            .unwrap();
    }
    let mut found = |arguments: Value| {
        let text = bridge.text("search", &arguments).unwrap();
        let texts = ["refused by", "tried again", "is down", "Phase 2", "Phase 3"];
        (
            texts
                .into_iter()
                .filter(|part| text.contains(part))
                .collect::<Vec<_>>()
                .join(", "),
            text,
        )
    };
    for (query, expected) in [
        (
            json!({"query": "walrus connection", "mode": "and"}),
            "refused by, tried again, is down",
        ),
        (json!({"query": "walrus phase 3", "mode": "and"}), "Phase 3"),
        (json!({"query": "walrus zebra", "mode": "and"}), ""),
        (json!({"query": "\"connection refused\""}), "is down"),
        (json!({"query": "walrus -connection"}), "Phase 2, Phase 3"),
        (
            json!({"query": "walrus -\"connection refused\" topic:net"}),
            "refused by, tried again",
        ),
        (json!({"query": "-connection"}), "Phase 2, Phase 3"),
        (
            json!({"query": "walrus source:row.rs"}),
            "tried again, is down",
        ),
        (
            json!({"query": "walrus source:src/row.rs:88"}),
            "tried again",
        ),
        (
            json!({"query": "source:src"}),
            "refused by, tried again, is down",
        ),
        (json!({"query": "walrus source:ow.rs"}), ""),
    ] {
        let (texts, text) = found(query.clone());
        assert_eq!(texts, expected, "{query}: {text}");
    }
    let (texts, text) = found(json!({"query": "\"walrus connection proxy\""}));
    assert!(
        texts.contains("refused by") && text.contains("no memory has the phrase"),
        "{text}"
    );
    let (_, text) = found(json!({"query": "walrus topic:nett"}));
    assert!(
        text.contains("no topic here is called nett; near: net"),
        "{text}"
    );
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_match_is_shown_and_its_score_explained() {
    let world = World::new();
    let _daemon = Daemon::start(&world.home).unwrap();
    let mut bridge = world.bridge();
    let text = format!(
        "A long story.\n{}\nIt ends with the zebras of Aachen.",
        "nothing to see here\n".repeat(400)
    );
    bridge
        .text("store", &json!({"topic": "story", "text": text}))
        .unwrap();
    let found = bridge
        .text(
            "search",
            &json!({"query": "zebra", "detail": "full", "explain": true}),
        )
        .unwrap();
    assert!(
        found.contains("> It ends with the zebras of Aachen."),
        "{found}"
    );
    let (score, parts) = found.split_once(" = relevance ").unwrap();
    let number = |text: &str| -> f64 {
        text.chars()
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect::<String>()
            .parse()
            .unwrap()
    };
    let (_, score) = score.rsplit_once("score ").unwrap();
    let (relevance, factors) = parts.split_once(" × ").unwrap_or((parts, ""));
    let (factors, _) = factors.split_once(';').unwrap_or((factors, ""));
    let named = factors
        .split(" × ")
        .filter_map(|factor| factor.rsplit_once(' '));
    let product = number(relevance) * named.map(|(_, factor)| number(factor)).product::<f64>();
    assert!(
        (product - number(score)).abs() < 0.003,
        "{product} in {found}"
    );
    bridge.finish_cleanly().unwrap();
}
