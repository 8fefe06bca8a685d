//! `capture import`: what lies on the machine, once, and without what is private.

use std::fs;

use serde_json::{Value, json};

use super::world::World;

/// A decision, a convention and a trap, among what people say all day.
const SESSION: &[(&str, &str)] = &[
    ("user", "hi, can you look at the ledger service?"),
    ("assistant", "Sure, let me read the code first."),
    (
        "user",
        "we decided to go with Postgres instead of Mongo because we need transactions across tenants",
    ),
    ("assistant", "Got it."),
    (
        "user",
        "Please always run `make lint` before you commit, CI rejects anything that isn't formatted.",
    ),
    ("user", "thanks, looks good"),
];

/// A shape that is surely a secret.
fn secret() -> String {
    format!("{}_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8", "ghp")
}

fn has(texts: &[String], words: &str) -> bool {
    texts.iter().any(|text| text.contains(words))
}

#[test]
fn an_import_says_what_it_would_do_and_then_does_it_once() {
    let world = World::new();
    world.write("s-1", SESSION);
    let refused = world.refused(&["capture", "import"]);
    assert!(refused.contains("--yes"), "{refused}");
    let foreseen = world.done(&["capture", "import", "--dry-run"]);
    assert!(foreseen.contains("billing"), "{foreseen}");
    assert!(foreseen.contains("would be kept for review"), "{foreseen}");
    assert_eq!(world.waiting_count(), 0);
    let done = world.done(&["capture", "import", "--yes"]);
    assert!(done.contains("1 session, "), "{done}");
    assert!(done.contains("look at them: helixctl review"), "{done}");
    let waiting = world.waiting();
    assert!(has(&waiting, "Postgres"), "{waiting:?}");
    assert!(has(&waiting, "make lint"), "{waiting:?}");
    assert!(!has(&waiting, "looks good"), "{waiting:?}");

    let again = world.import();
    assert_eq!(again["total"]["kept"], json!({}));
    assert_eq!(world.waiting(), waiting);
}

#[test]
fn what_waits_is_found_by_nobody_until_somebody_approves_it() {
    let world = World::new();
    world.write("s-1", SESSION);
    world.import();
    let is_found = |world: &World| {
        let found = world.json(&["search", "Postgres Mongo transactions"]);
        !found["hits"].as_array().unwrap().is_empty()
    };
    assert!(!is_found(&world));
    let listed = world.json(&["review"]);
    let items = listed["items"].as_array().unwrap();
    let decision = items
        .iter()
        .find(|item| {
            item["memory"]["text"]
                .as_str()
                .unwrap()
                .contains("Postgres")
        })
        .unwrap();
    assert_eq!(decision["memory"]["origin"], "agent");
    assert_eq!(decision["memory"]["kind"], "decision");
    let handle = decision["memory"]["handle"].as_str().unwrap();
    let why = world.json(&["why", handle]);
    assert!(why.to_string().contains("s-1"), "{why}");
    world.done(&["review", "approve", handle]);
    assert!(is_found(&world));
}

#[test]
fn secrets_and_private_blocks_appear_nowhere() {
    let world = World::new();
    let secret = secret();
    let leaking = format!("always deploy with the token {secret}, never with your own account");
    let private =
        "<private>we decided to fire the walrus vendor because their lawyers are slow</private>";
    let unclosed = "<private>never tell anybody about the ocelot merger";
    let kept = "we decided to go with Postgres instead of Mongo because we need transactions";
    world.write(
        "s-1",
        &[
            ("user", leaking.as_str()),
            ("user", private),
            ("assistant", private),
            ("user", kept),
            ("user", unclosed),
        ],
    );
    world.import();
    let waiting = world.waiting();
    assert!(has(&waiting, "Postgres"), "{waiting:?}");
    for word in [secret.as_str(), "walrus", "ocelot"] {
        assert!(!has(&waiting, word), "{word}: {waiting:?}");
        let found = world.home().holding(word).unwrap();
        // The transcript itself is the client's.
        assert_eq!(found, None, "{word}");
    }
}

#[test]
fn a_forgotten_fact_does_not_come_back() {
    let world = World::new();
    let said = "we decided to go with Postgres instead of Mongo because we need transactions across tenants";
    world.write("s-1", &[("user", said)]);
    world.import();
    let handle = world.only_handle();
    world.done(&["review", "reject", &handle]);
    let again = "we decided to go with Postgres, instead of Mongo, because we need the transactions across tenants";
    world.write("s-2", &[("user", said)]);
    world.write("s-3", &[("user", again)]);
    let done = world.import();
    assert_eq!(world.waiting(), Vec::<String>::new());
    assert_eq!(done["total"]["kept"], json!({}));
    assert!(done["total"]["forgotten"].as_u64().unwrap() > 0, "{done}");
}

#[test]
fn a_forgotten_fact_does_not_come_back_in_other_words() {
    let Some(mut world) = World::with_embedder() else {
        return;
    };
    let known =
        "We decided to go with Postgres instead of Mongo because the ledger needs transactions.";
    let added = world.done(&["add", known, "--topic", "ledger"]);
    let added = added.strip_prefix("stored\t").unwrap();
    let handle = added.lines().next().unwrap().to_owned();
    world.settle();
    world.done(&["forget", &handle, "--yes"]);
    world.settle();
    let again = "we decided that the ledger is going to use Postgres instead of Mongo, as transactions are needed there";
    world.write("s-1", &[("user", again)]);
    let done = world.import();
    assert_eq!(done["total"]["forgotten"], 1, "{done}");
    assert_eq!(world.waiting(), Vec::<String>::new());
    let found = world.json(&["search", "Postgres ledger transactions"]);
    assert_eq!(found["hits"], json!([]), "{found}");
}

#[test]
fn what_is_known_is_not_proposed_and_a_growing_session_is_read_on() {
    let world = World::new();
    world.done(&[
        "add",
        "Remember that the staging database is wiped every Sunday night.",
        "--topic",
        "staging",
    ]);
    world.write(
        "s-1",
        &[(
            "user",
            "remember that the staging database is wiped every Sunday night",
        )],
    );
    world.import();
    assert_eq!(world.waiting(), Vec::<String>::new());
    world.write(
        "s-1",
        &[(
            "user",
            "from now on never log the customer's IBAN, not even masked",
        )],
    );
    let done = world.import();
    let waiting = world.waiting();
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert!(has(&waiting, "IBAN"), "{waiting:?}");
    assert_eq!(done["total"]["sessions"], 1);
}

#[test]
fn clients_projects_and_days_narrow_an_import() {
    let world = World::new();
    world.write("s-1", SESSION);
    let nothing = |arguments: &[&str]| {
        let foreseen = world.json(&[&["capture", "import", "--dry-run"], arguments].concat());
        foreseen["total"]["kept"] == json!({})
    };
    assert!(nothing(&["--agent", "codex"]));
    assert!(nothing(&["--project", "heron"]));
    assert!(nothing(&["--since", "2100-01-01"]));
    assert!(!nothing(&["--agent", "claude", "--project", "billing"]));
    assert!(!nothing(&["--project", "."]));
    let refused = world.refused(&["capture", "import", "--yes", "--agent", "emacs"]);
    assert!(refused.contains("claude-code"), "{refused}");
}

#[test]
fn a_repositorys_history_is_a_source_of_its_own() {
    let world = World::new();
    world.project.write("ledger.rs", "fn round() {}\n").unwrap();
    world.project.commit().unwrap();
    let message = "Fix rounding of ledger totals\n\nTotals were rounded half up because Decimal::round does so \
                   by default, which the auditors reject. Always round half to even in the ledger.";
    let git = |arguments: &[&str]| {
        let ran = std::process::Command::new("git")
            .args(arguments)
            .current_dir(&world.project.root)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    fs::write(world.project.root.join("ledger.rs"), "fn round_even() {}\n").unwrap();
    git(&["add", "-A"]);
    let author = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    git(&[&author[..], &["commit", "-qm", message]].concat());
    let bare = "Fix crash in SessionPool::close when two workers drain";
    for message in [bare, "Bump the version"] {
        let empty = ["commit", "-q", "--allow-empty", "-m", message];
        git(&[&author[..], &empty].concat());
    }
    let told = world.done(&["capture", "import", "--git", "--dry-run"]);
    assert!(told.contains("2 of 5 commits tell why"), "{told}");
    assert!(told.contains("5 commits, 2 fixes would be kept"), "{told}");
    let done = world.json(&["capture", "import", "--git", "--yes"]);
    let read: &Value = &done["projects"][0];
    assert_eq!(read["name"], "billing", "{done}");
    let kept = world.waiting();
    assert!(has(&kept, "round"), "{done} {kept:?}");
    let again = world.json(&["capture", "import", "--git", "--yes"]);
    assert_eq!(again["total"]["kept"], json!({}));
    assert_eq!(world.waiting(), kept);
}

/// Writes another text of the same length, as if nobody had touched the file.
fn exchange(path: &std::path::Path, one: &str, other: &str) {
    assert_eq!(one.len(), other.len());
    let changed = fs::metadata(path).unwrap().modified().unwrap();
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(one), "{text}");
    fs::write(path, text.replace(one, other)).unwrap();
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_modified(changed).unwrap();
}

#[test]
fn what_was_previewed_is_not_read_again() {
    let world = World::new();
    let path = world.write("s-1", SESSION);
    world.done(&["capture", "import", "--dry-run"]);
    exchange(&path, "Postgres", "Cassandr");
    let done = world.import();
    let waiting = world.waiting();
    assert!(has(&waiting, "Postgres"), "{waiting:?}");
    assert!(!has(&waiting, "Cassandr"), "{waiting:?}");
    assert_eq!(done["total"]["sessions"], 1, "{done}");
    assert_eq!(world.import()["total"]["sessions"], 0);
    assert_eq!(world.waiting(), waiting);
}

#[test]
fn what_changed_since_the_preview_is_read() {
    let world = World::new();
    world.write("s-1", SESSION);
    world.done(&["capture", "import", "--dry-run"]);
    let iban = "from now on never log the customer's IBAN, not even masked";
    world.write("s-1", &[("user", iban)]);
    world.import();
    let waiting = world.waiting();
    assert!(has(&waiting, "Postgres"), "{waiting:?}");
    assert!(has(&waiting, "IBAN"), "{waiting:?}");
}

#[test]
fn what_was_forgotten_since_the_preview_is_not_kept() {
    let world = World::new();
    world.write("s-1", SESSION);
    world.done(&["capture", "import", "--dry-run"]);
    let decision = SESSION[2].1;
    let added = world.json(&["add", decision, "--topic", "storage"]);
    let handle = added["memory"]["handle"].as_str().unwrap();
    world.done(&["forget", handle]);
    let done = world.import();
    let waiting = world.waiting();
    assert!(!has(&waiting, "Postgres"), "{waiting:?}");
    assert!(has(&waiting, "make lint"), "{waiting:?}");
    assert_eq!(done["total"]["forgotten"], 1, "{done}");
}

#[test]
fn a_preview_of_other_sessions_serves_nothing_else() {
    let world = World::new();
    world.write("s-1", SESSION);
    let foreseen = world.json(&["capture", "import", "--dry-run", "--project", "heron"]);
    assert_eq!(foreseen["total"]["kept"], json!({}));
    world.import();
    assert!(has(&world.waiting(), "Postgres"));
}

#[test]
fn the_share_that_the_gate_drops_is_told() {
    let world = World::new();
    world.write("s-1", SESSION);
    world.done(&["capture", "import", "--dry-run"]);
    let counted = |world: &World, name: &str| {
        let metrics = world.json(&["stats", "--metrics"]);
        let days = metrics["days"].as_array().unwrap();
        days.iter()
            .filter_map(|day| day["counts"][name].as_u64())
            .sum::<u64>()
    };
    assert_eq!(counted(&world, "slices-judged"), 0);
    let done = world.import();
    let (slices, dropped) = (&done["total"]["slices"], &done["total"]["dropped"]);
    assert_eq!(*slices, SESSION.len());
    assert_eq!(counted(&world, "slices-judged"), slices.as_u64().unwrap());
    assert_eq!(counted(&world, "slices-dropped"), dropped.as_u64().unwrap());
    let share = format!("the gate dropped 66.7 % of {slices} slices");
    let status = world.done(&["capture", "status"]);
    assert!(status.contains(&share), "{status}");
    let metrics = world.done(&["stats", "--metrics"]);
    assert!(metrics.contains("dropped 66.7 % of 6 slices"), "{metrics}");
}

#[test]
fn a_secret_alone_is_no_fact_and_a_fact_says_where_it_was_said() {
    let world = World::new();
    let key = format!("ghp_{}", "a1B2".repeat(9));
    world.write(
        "s-1",
        &[
            ("user", &format!("remember that the deploy key is {key}")),
            ("user", &format!("always use {key}")),
            (
                "user",
                "never log the IBAN of a customer, legal was clear about that",
            ),
        ],
    );
    world.import();
    assert_eq!(world.waiting().len(), 1, "{:?}", world.waiting());
    let handle = world.only_handle();
    world.json(&["review", "approve", &handle]);
    let found = world.done(&["search", "IBAN customer"]);
    assert!(found.contains("(from s-1.jsonl:3)"), "{found}");
    let whole = world.done(&["search", "IBAN customer", "--detail", "full"]);
    assert!(whole.contains("s-1.jsonl:3]"), "{whole}");
}

#[test]
fn facts_of_one_form_about_different_things_are_all_kept() {
    let world = World::new();
    let said = |at: usize| {
        format!(
            "remember that the worker queue-{at} of the billing service listens on port {}",
            8081 + at
        )
    };
    for session in 0..10 {
        let lines: Vec<String> = (0..3).map(|line| said(session * 3 + line)).collect();
        let lines: Vec<(&str, &str)> = lines.iter().map(|line| ("user", line.as_str())).collect();
        world.write(&format!("s-{session}"), &lines);
    }
    let done = world.import();
    assert_eq!(done["total"]["kept"]["fact"], 30, "{done}");
}

#[test]
fn a_pause_of_another_session_says_what_holds_for_it() {
    let world = World::new();
    world.done(&["capture", "on"]);
    let paused = world.done(&["capture", "pause", "--session", "s-9"]);
    assert!(paused.starts_with("session s-9 is paused"), "{paused}");
    let named = world.done(&["capture", "pause", "s-8"]);
    assert!(named.starts_with("session s-8 is paused"), "{named}");
}

#[test]
fn an_import_leaves_out_a_session_that_was_paused() {
    let world = World::new();
    world.write(
        "s-1",
        &[(
            "user",
            "We decided to keep invoices in Postgres because the auditors need joins.",
        )],
    );
    world.write(
        "s-9",
        &[(
            "user",
            "From now on never log the customer's IBAN, not even masked.",
        )],
    );
    world.done(&["capture", "pause", "--session", "s-9"]);
    let done = world.import();
    assert_eq!(done["total"]["sessions"], 1, "{done}");
    assert!(done["notes"].to_string().contains("was paused"), "{done}");
    assert_eq!(world.waiting().len(), 1);
}
