//! Answers as people read them, and as `--json` has them.
#![allow(clippy::unwrap_used)]

use helix_client::text::hits::Detail;
use helix_client::v1::{
    Backup, CheckLevel, CheckResult, EmbedderState, EmbedderStatus, Explanation, Fate, FoundBy,
    Hit, IndexStatus, JobRun, Memory, MetricsDay, MetricsReply, NamedCount, Provenance, ReadReply,
    SearchReply, SourceRef, SourceState, StatusReply,
};
use insta::assert_snapshot;

use super::*;
use crate::document::{ReadDocument, SearchDocument, StatusDocument};
use crate::finding::{Finding, Findings};
use crate::screen::Look;

const PIPE: Look = Look {
    table_width: None,
    color: false,
};
const TERMINAL: Look = Look {
    table_width: Some(100),
    color: false,
};
const COLORS: Look = Look {
    table_width: Some(100),
    color: true,
};

/// A day in November 2026, in microseconds.
const NOW_US: i64 = 1_795_255_200_000_000;
const DAY_US: i64 = 86_400_000_000;

fn json(document: &impl serde::Serialize) -> String {
    crate::text::neutral_json(&serde_json::to_string_pretty(document).unwrap())
}

fn decision() -> Memory {
    Memory {
        id: (0..16).collect(),
        handle: "storage/redb-is-truth".to_owned(),
        topic: "storage".to_owned(),
        text: "redb is the truth;\nindexes are derived".to_owned(),
        kind: "decision".to_owned(),
        tags: vec!["storage".to_owned(), "design".to_owned()],
        scope: "project:example.org/helix".to_owned(),
        source: Some(SourceRef {
            path: "src/store.rs".to_owned(),
            line: 12,
            content_hash: vec![0xab; 4],
            git_blob: Vec::new(),
        }),
        links: vec!["storage/fsync".to_owned()],
        importance: 0.8,
        confidence: 1.0,
        effective_confidence: 1.0,
        pinned: true,
        origin: "user".to_owned(),
        provenance: vec![Provenance {
            agent: "helixctl".to_owned(),
            origin: "user".to_owned(),
            at_us: NOW_US,
            ..Provenance::default()
        }],
        attributes: [
            ("a".to_owned(), "1".to_owned()),
            ("b".to_owned(), "2".to_owned()),
        ]
        .into(),
        valid_from_us: NOW_US - DAY_US,
        valid_to_us: Some(NOW_US),
        recorded_at_us: NOW_US - DAY_US,
        last_seen_at_us: NOW_US,
        access_count: 3,
        status: "superseded".to_owned(),
        sequence: 7,
        ..Memory::default()
    }
}

/// A text that tries to clear the screen, to write backwards and to hide.
fn hostile() -> Memory {
    Memory {
        handle: "traps/hostile".to_owned(),
        topic: "traps".to_owned(),
        text: "clear \u{1b}[2J and\u{202e} turn\u{200b}\ttab\nand end".to_owned(),
        kind: "gotcha".to_owned(),
        scope: "global".to_owned(),
        status: "active".to_owned(),
        origin: "tool".to_owned(),
        recorded_at_us: NOW_US,
        id: vec![0xff; 16],
        ..Memory::default()
    }
}

fn found(explained: bool) -> SearchReply {
    let explanation = Explanation {
        lexical_rank: 1,
        lexical_score: 7.25,
        semantic_rank: 0,
        fused: 0.703,
        confidence_factor: 1.0,
        recency_factor: 0.97,
        importance_factor: 1.1,
        scope_factor: 1.0,
        diversity_factor: 1.0,
        topic_factor: 1.0,
        branch_factor: 1.0,
        matched_terms: vec!["redb".to_owned()],
        ..Explanation::default()
    };
    let hit = |memory, score| Hit {
        memory: Some(memory),
        score,
        explanation: explained.then(|| explanation.clone()),
        found_by: if score > 0.5 {
            FoundBy::Both.into()
        } else {
            FoundBy::Meaning.into()
        },
        is_cut: false,
        ..Hit::default()
    };
    SearchReply {
        hits: vec![hit(decision(), 0.75), hit(hostile(), 0.25)],
        fell_back_to_any: true,
        notes: vec!["meaning was not searched".to_owned()],
        embed_us: 7_000,
        search_us: 300,
        ..SearchReply::default()
    }
}

fn running() -> StatusReply {
    let count = |name: &str, count| NamedCount {
        name: name.to_owned(),
        count,
    };
    let index = |name: &str, problem: &str| IndexStatus {
        name: name.to_owned(),
        watermark: 42,
        entries: 40,
        problem: problem.to_owned(),
    };
    StatusReply {
        version: "0.1.0".to_owned(),
        pid: 4242,
        socket: "/home/dev/.local/share/helix/run/helixd.sock".to_owned(),
        home: "/home/dev/.local/share/helix".to_owned(),
        started_at_us: NOW_US - 2 * DAY_US,
        strand: "default".to_owned(),
        sequence: 42,
        memories_by_status: vec![count("active", 40), count("forgotten", 2)],
        topics: 9,
        projects: 3,
        indexes: vec![index("lexical", ""), index("vectors", "rebuilding")],
        embedder: Some(EmbedderStatus {
            state: EmbedderState::Absent.into(),
            model: String::new(),
            detail: "no model is installed; run `helixctl model install`".to_owned(),
            pending: 40,
            uncompared: 0,
        }),
        resident_bytes: 41 * 1024 * 1024 + 512 * 1024,
        store_bytes: 1024 * 1024,
        open_connections: 2,
        hooks_answered: 17,
        injected_tokens: 1_234,
        injections_delivered: 3,
        injections_cut: 0,
        injections_unknown: 1,
        late_hooks: Vec::new(),
        store_format: 4,
        jobs: jobs(),
        lifecycle_mode: "propose".to_owned(),
        lifecycle_auto_from_us: NOW_US + 12 * DAY_US,
    }
}

fn jobs() -> Vec<JobRun> {
    let job = |name: &str, outcome: &str, has_failed: bool| JobRun {
        job: name.to_owned(),
        at_us: NOW_US - DAY_US / 8,
        took_us: 12_345,
        outcome: outcome.to_owned(),
        has_failed,
    };
    vec![
        job("backup", "making the backup in /backups: no space", true),
        job("lifecycle", "archived 3, expired 1, pruned 0", false),
    ]
}

#[test]
fn what_is_due_is_readable() {
    let fate = Fate {
        handle: "build/arch-arm64".to_owned(),
        kind: "gotcha".to_owned(),
        scope: "global".to_owned(),
        step: "archive".to_owned(),
        since_us: NOW_US - 20 * DAY_US,
        due_us: NOW_US - 6 * DAY_US,
        confidence: 0.21,
        reason: "confidence 0.21, below 0.3 for more than 14 days".to_owned(),
    };
    let fates = [fate];
    assert_snapshot!("fates_pipe", super::fates(PIPE, &fates));
    assert_snapshot!("fates_terminal", super::fates(TERMINAL, &fates));
}

#[test]
fn backups_are_readable() {
    let listed = Backup {
        path: "/home/dev/backups/default-daily-20261123T000000Z.redb".to_owned(),
        bytes: 3 * 1024 * 1024,
        made_at_us: NOW_US - DAY_US,
        is_daily: true,
        ..Backup::default()
    };
    let verified = Backup {
        is_daily: false,
        sequence: 42,
        memories: 40,
        newer_operations: Some(3),
        ..listed.clone()
    };
    let foreign = Backup {
        newer_operations: None,
        ..verified.clone()
    };
    let all = [listed, verified, foreign];
    assert_snapshot!("backups_pipe", super::backups(PIPE, &all));
    assert_snapshot!("backups_terminal", super::backups(TERMINAL, &all));
}

#[test]
fn metrics_are_readable() {
    let count = |name: &str, count| NamedCount {
        name: name.to_owned(),
        count,
    };
    let day = MetricsDay {
        date: "2026-11-24".to_owned(),
        recalls: 31,
        recall_bars: Vec::new(),
        recall_p50_us: 512,
        recall_p95_us: 2_048,
        recall_p99_us: 4_096,
        counts: vec![
            count("injections", 4),
            count("slices-dropped", 970),
            count("slices-judged", 1_000),
            count("stores-new", 12),
        ],
    };
    let reply = MetricsReply {
        days: vec![day],
        conflicts_open: 1,
        indexes: running().indexes,
        embedder: running().embedder,
        jobs: jobs(),
        store_bytes: 1024 * 1024,
        sequence: 42,
    };
    assert_snapshot!("metrics_pipe", super::metrics(PIPE, &reply, NOW_US));
    assert_snapshot!("metrics_terminal", super::metrics(TERMINAL, &reply, NOW_US));
}

fn examined() -> Findings {
    let server = CheckResult {
        name: "history".to_owned(),
        level: CheckLevel::Failure.into(),
        detail: "broken at 7".to_owned(),
    };
    Findings::new(vec![
        Finding::ok("home", "/home/dev/.local/share/helix, mode 0700"),
        Finding::warning("model files", "not installed; run `helixctl model install`"),
        Finding::from(&server),
    ])
}

#[test]
fn status_is_readable() {
    assert_snapshot!("status_pipe", status(PIPE, &running(), NOW_US));
    assert_snapshot!("status_terminal", status(TERMINAL, &running(), NOW_US));
    assert_snapshot!(
        "status_json",
        json(&StatusDocument::new(&running(), NOW_US))
    );
}

#[test]
fn search_is_readable() {
    assert_snapshot!("search_pipe", search(PIPE, &found(false)));
    assert_snapshot!("search_terminal", search(TERMINAL, &found(false)));
    assert_snapshot!("search_explained", search(PIPE, &found(true)));
    let counts = vec![NamedCount {
        name: "bad\u{1b}[2J".to_owned(),
        count: 2,
    }];
    let counted = SearchReply {
        total: 2,
        topic_counts: counts,
        next_cursor: "c".to_owned(),
        ..SearchReply::default()
    };
    assert_eq!(matches(PIPE, &counted), "bad\\u{1b}[2J\t2\n");
    assert_snapshot!(
        "search_count_json",
        json(&SearchDocument::new(&counted, true))
    );
    assert_snapshot!(
        "search_json",
        json(&SearchDocument::new(&found(true), false))
    );
}

#[test]
fn a_long_text_takes_a_few_lines_of_any_terminal() {
    let memory = Memory {
        handle: "build-gotchas/pass-arch-arm64-without-xcodebuild".to_owned(),
        scope: "project:path:/home/dev/src/a-project-without-a-remote".to_owned(),
        text: "a text of many words ".repeat(50),
        ..decision()
    };
    let reply = SearchReply {
        hits: vec![Hit {
            memory: Some(memory.clone()),
            score: 0.5,
            ..Hit::default()
        }],
        ..SearchReply::default()
    };
    for width in [40, 60, 80, 100, 140] {
        let look = Look {
            table_width: Some(width),
            color: false,
        };
        let memories = std::slice::from_ref(&memory);
        for shown in [search(look, &reply), candidates(look, memories)] {
            // Four lines around the row, or names on lines of their own.
            assert!(shown.lines().count() <= 4 + 6, "{width}:\n{shown}");
            let fits =
                |line: &str| line.chars().count() <= usize::from(width) || line == memory.handle;
            assert!(
                shown.contains(&memory.handle) && shown.lines().all(fits),
                "{width}:\n{shown}"
            );
            assert!(
                shown.contains('…') && !shown.contains("path:"),
                "{width}:\n{shown}"
            );
        }
    }
    let piped = search(PIPE, &reply);
    assert!(
        piped.contains(&memory.scope) && piped.contains(memory.text.trim_end()),
        "{piped}"
    );
    assert_snapshot!(
        "search_narrow",
        search(
            Look {
                table_width: Some(60),
                color: false
            },
            &reply
        )
    );
    assert_snapshot!(
        "search_80_columns",
        search(
            Look {
                table_width: Some(80),
                color: false
            },
            &reply
        )
    );
}

#[test]
fn blocks_are_wrapped_where_a_person_looks() {
    let memory = Memory {
        text: "a text of many words ".repeat(20),
        ..decision()
    };
    let reply = SearchReply {
        hits: vec![Hit {
            memory: Some(memory),
            ..Hit::default()
        }],
        ..SearchReply::default()
    };
    let view = helix_client::text::View {
        zone: jiff::tz::TimeZone::UTC,
    };
    for detail in [Detail::Full, Detail::Medium, Detail::Brief, Detail::Grouped] {
        let look = Look {
            table_width: Some(80),
            color: false,
        };
        let shown = blocks(look, &reply, detail, false, &view);
        assert!(
            shown.lines().all(|line| line.chars().count() <= 80),
            "{shown}"
        );
        let piped = blocks(PIPE, &reply, detail, false, &view);
        assert!(
            piped.lines().any(|line| line.chars().count() > 200),
            "{piped}"
        );
    }
}

#[test]
fn read_is_readable() {
    let one = ReadReply {
        memories: vec![decision()],
        total: 1,
        ..ReadReply::default()
    };
    let both = [decision(), hostile()];
    assert_snapshot!("read_one", in_full(PIPE, &one.memories));
    assert_snapshot!("read_topic_pipe", in_full(PIPE, &both));
    assert_snapshot!("read_topic_terminal", in_full(TERMINAL, &both));
    assert_snapshot!("read_json", json(&ReadDocument::from(&one)));
}

#[test]
fn what_may_be_wrong_by_now_is_doubted_everywhere() {
    let stale = Memory {
        source_state: SourceState::Changed.into(),
        doubted_confidence: Some(0.7),
        effective_confidence: 0.7,
        ..decision()
    };
    let reply = SearchReply {
        hits: vec![Hit {
            memory: Some(stale.clone()),
            score: 0.5,
            ..Hit::default()
        }],
        ..SearchReply::default()
    };
    let memories = std::slice::from_ref(&stale);
    for look in [PIPE, TERMINAL] {
        for shown in [search(look, &reply), candidates(look, memories)] {
            assert!(shown.contains("(source changed) redb"), "{shown}");
        }
    }
    let shown = in_full(PIPE, memories);
    assert!(
        shown.contains("src/store.rs:12 (changed since)\n"),
        "{shown}"
    );
    assert!(
        shown.contains("confidence: 0.70 (stale; 1.00 as stored)\n"),
        "{shown}"
    );
    let reply = ReadReply {
        memories: vec![stale],
        ..ReadReply::default()
    };
    let value: serde_json::Value =
        serde_json::from_str(&json(&ReadDocument::from(&reply))).unwrap();
    let memory = &value["memories"][0];
    assert_eq!(
        (&memory["confidence"], &memory["stale"]),
        (&1.0.into(), &true.into())
    );
    assert!(
        memory["doubted_confidence"]
            .as_f64()
            .is_some_and(|doubted| doubted < 0.71),
        "{memory}"
    );
}

#[test]
fn an_examination_is_readable() {
    assert_snapshot!("doctor_pipe", findings(PIPE, &examined()));
    assert_snapshot!("doctor_terminal", findings(TERMINAL, &examined()));
    assert_snapshot!("doctor_json", json(&examined()));
    assert_eq!(examined().exit_code(), helix_proto::exit::UNAVAILABLE);
}

#[test]
fn a_long_finding_stays_within_the_width() {
    let detail = "the disk has room for 12 MiB; free some space, or move the home to another disk with HELIX_HOME";
    let long = Findings::new(vec![Finding::warning("home", detail)]);
    assert!(findings(PIPE, &long).contains(detail));
    let shown = findings(
        Look {
            table_width: Some(50),
            color: false,
        },
        &long,
    );
    assert_snapshot!(shown, @r"
    warning home  the disk has room for 12 MiB; free
                  some space, or move the home to
                  another disk with HELIX_HOME
    0 ok, 1 to look at, 0 failed
    ");
    let named = Findings::new(vec![Finding::warning("the settings of a client's", detail)]);
    let narrow = findings(
        Look {
            table_width: Some(50),
            color: true,
        },
        &named,
    );
    assert!(
        narrow
            .lines()
            .all(|line| dialoguer::console::measure_text_width(line) <= 50),
        "{narrow}"
    );
}

#[test]
fn a_memory_is_read_within_the_width() {
    let text = "The linker needs arm64 on every machine that builds a release.\n\n```\ncargo build --target aarch64-apple-darwin --release\n```";
    let memory = Memory {
        text: text.to_owned(),
        ..decision()
    };
    assert!(in_full(PIPE, std::slice::from_ref(&memory)).ends_with(&format!("\n\n{text}\n")));
    let shown = in_full(
        Look {
            table_width: Some(40),
            color: false,
        },
        &[memory],
    );
    let body = "\n\nThe linker needs arm64 on every machine\nthat builds a release.\n\n```\n\
                cargo build --target aarch64-apple-darwin --release\n```\n";
    assert!(shown.ends_with(body), "{shown}");
    assert!(
        shown
            .split("```")
            .next()
            .unwrap()
            .lines()
            .all(|line| line.len() <= 40),
        "{shown}"
    );
}

#[test]
fn candidates_are_readable() {
    assert_snapshot!("candidates", candidates(PIPE, &[decision(), hostile()]));
    assert_eq!(candidates(TERMINAL, &[]), "");
}

#[test]
fn colours_are_ours_and_nothing_else_is_active() {
    let shown = search(COLORS, &found(true)) + &in_full(COLORS, &[hostile()]);
    assert!(shown.contains("\u{1b}["), "{shown:?}");
    for forbidden in ["\u{1b}[2J", "\u{202e}", "\u{200b}"] {
        assert!(!shown.contains(forbidden), "{shown:?}");
    }
    assert!(!search(TERMINAL, &found(true)).contains('\u{1b}'));
}

#[test]
fn json_keeps_texts_exact() {
    let reply = ReadReply {
        memories: vec![hostile()],
        ..ReadReply::default()
    };
    let value: serde_json::Value =
        serde_json::from_str(&json(&ReadDocument::from(&reply))).unwrap();
    assert_eq!(value["memories"][0]["text"], hostile().text);
    assert_eq!(
        value["memories"][0]["id"],
        "ffffffff-ffff-ffff-ffff-ffffffffffff"
    );
}

mod models;
mod topics;
mod work;

#[test]
fn a_session_without_an_id_has_a_first_column() {
    let shown = sessions(PIPE, &[helix_client::v1::KnownSession::default()]);
    assert!(shown.starts_with("-\t"), "{shown:?}");
}
