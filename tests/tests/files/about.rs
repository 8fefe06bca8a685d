//! Knowledge of a file, of what is about to be written into it, and of the directory that is
//! searched.

use serde_json::json;

use crate::world::{World, mentions};

fn world() -> World {
    World::of("billing", "ledger")
}

#[test]
fn what_a_change_adds_brings_up_what_is_known_of_it() {
    let world = world();
    let money = world.remember(
        "formatMoney takes minor units; JPY has none.",
        "web/src/money.ts",
    );
    let bucket = world.remember(
        "A TokenBucket must be shared: each holds a timer.",
        "auth/bucket.go",
    );
    let lock = world.remember(
        "Never hold pg_advisory_lock over a request: the pool runs dry.",
        "",
    );
    let postings = world.remember(
        "The exporter reads postings by column order.",
        "export/main.go",
    );
    let file = |path: &str, text: &str| world.project.write(path, text).unwrap();
    file("web/src/cart.ts", "total.toFixed(2)\n");
    let cart = world
        .session("ts")
        .edit(
            "web/src/cart.ts",
            "total.toFixed(2)",
            "formatMoney(100, \"JPY\")",
        )
        .unwrap();
    assert!(mentions(cart.as_ref(), &money), "{cart:?}");
    let again = world
        .session("kept")
        .edit("web/src/cart.ts", "formatMoney(100)", "formatMoney(200)")
        .unwrap();
    assert_eq!(again, None, "it was there before");
    let server = file("api/server.go", "package api\n");
    let edits = json!([{"old_string": "x", "new_string": "y"}, {"old_string": "", "new_string": "b := &auth.TokenBucket{}"}]);
    let multi = json!({"file_path": server, "edits": edits});
    assert!(mentions(
        world
            .session("go")
            .tool("MultiEdit", &multi)
            .unwrap()
            .as_ref(),
        &bucket
    ));
    let edit = world
        .session("py")
        .edit(
            "jobs/run.py",
            "pass",
            "db.execute('SELECT pg_advisory_lock(1)')",
        )
        .unwrap();
    assert!(mentions(edit.as_ref(), &lock), "{edit:?}");
    let migration = json!({
        "file_path": world.project.root.join("db/0007_rename.sql"),
        "content": "ALTER TABLE postings RENAME COLUMN amount TO cents;\n",
    });
    assert!(mentions(
        world
            .session("sql")
            .tool("Write", &migration)
            .unwrap()
            .as_ref(),
        &postings
    ));
    let plain = world
        .session("plain")
        .edit(
            "jobs/run.py",
            "pass",
            "# The column order is by money and token.",
        )
        .unwrap();
    assert_eq!(plain, None, "ordinary words are no names");
}

#[test]
fn a_name_that_many_memories_have_is_no_sign() {
    let world = world();
    (0..12).for_each(|n| {
        drop(world.remember(
            &format!("useLedger is called by part {n} of the screen."),
            "web/a.tsx",
        ));
    });
    assert_eq!(
        world
            .session("one")
            .edit("web/b.tsx", "x", "const it = useLedger(1)")
            .unwrap(),
        None
    );
}

#[test]
fn removing_what_a_memory_mentions_is_said_with_it_once() {
    let world = world();
    let source = "package auth\n\nfunc parseClaims(raw string) error {\n\treturn nil\n}\n";
    world.project.write("auth/token.go", source).unwrap();
    let text = "The audit exporter calls parseClaims by reflection.";
    world.remember(text, "auth/export.go");
    let removed = "func parseClaims(raw string) error {\n\treturn nil\n}\n";
    let rename = removed.replace("parseClaims", "readClaims");
    let edit = || {
        world
            .session("one")
            .edit("auth/token.go", removed, &rename)
            .unwrap()
    };
    let first = edit().unwrap();
    assert!(
        first.contains("removes parseClaims, which is mentioned below"),
        "{first}"
    );
    assert!(first.contains(text), "{first}");
    assert_eq!(edit(), None);
}

#[test]
fn a_rename_by_the_name_alone_is_a_removal() {
    let world = world();
    let file = world
        .project
        .write("src/amount.py", "class AmountParser:\n    pass\n")
        .unwrap();
    let handle = world.remember(
        "The importer finds AmountParser by its name in the configuration.",
        "",
    );
    let edit = |old: &str| {
        let edit = json!({"file_path": file, "old_string": old, "new_string": "MoneyParser", "replace_all": true});
        world.session(old).tool("Edit", &edit).unwrap()
    };
    let warned = edit("AmountParser");
    assert!(mentions(warned.as_ref(), &handle), "{warned:?}");
    assert!(warned.unwrap().contains("this change removes AmountParser"));
    let other = edit("pass");
    assert!(!other.is_some_and(|told| told.contains("removes AmountParser")));
}

#[test]
fn a_directory_that_is_searched_brings_up_what_is_known_of_its_files() {
    let world = world();
    let old = world.remember(
        "Every migration must be reversible.",
        "migrations/0001_init.sql",
    );
    let shell = world.remember(
        "Backfills run outside of the transaction.",
        "migrations/backfill.sh",
    );
    let spoken = world.remember("Reports are written in plain SQL.", "reports/all.py");
    world
        .project
        .write("migrations/0001_init.sql", "SELECT 1;\n")
        .unwrap();
    let glob = world
        .session("glob")
        .tool("Glob", &json!({"pattern": "migrations/*.sql"}))
        .unwrap();
    assert!(
        mentions(glob.as_ref(), &old) && !mentions(glob.as_ref(), &spoken),
        "{glob:?}"
    );
    assert!(!mentions(glob.as_ref(), &shell), "another ending");
    let everywhere = json!({"pattern": "**/*.sql", "path": world.project.root.join("migrations")});
    let below = world.session("ending").tool("Glob", &everywhere).unwrap();
    assert!(mentions(below.as_ref(), &old), "{below:?}");
    let grep =
        |pattern: &str| json!({"pattern": pattern, "path": world.project.root.join("migrations")});
    let found = world
        .session("grep")
        .tool("Grep", &grep("reversible"))
        .unwrap();
    assert!(
        mentions(found.as_ref(), &old) && !mentions(found.as_ref(), &shell),
        "{found:?}"
    );
    let other = world.session("grep").tool("Grep", &grep("amount")).unwrap();
    assert_eq!(other, None, "what is known there is about something else");
    let root = json!({"pattern": "amount", "path": world.project.root});
    assert_eq!(
        world.session("root").tool("Grep", &root).unwrap(),
        None,
        "the root is everything"
    );
    (0..60).for_each(|n| {
        drop(world.remember(
            &format!("Part {n} of the vendored tree is patched."),
            &format!("vendor/{n}.c"),
        ));
    });
    let vendor = world
        .session("many")
        .tool("Glob", &json!({"pattern": "vendor/*.c"}))
        .unwrap();
    assert_eq!(vendor, None, "too many to be about anything");
}

#[test]
fn three_of_a_directory_are_given_and_no_others_follow() {
    let world = world();
    let handles: Vec<String> = (0..6)
        .map(|n| {
            world.remember(
                &format!("Ledger part {n} is locked while it runs."),
                &format!("ledger/p{n}.rs"),
            )
        })
        .collect();
    let session = world.session("one");
    std::fs::create_dir_all(world.project.root.join("ledger")).unwrap();
    let glob = json!({"pattern": "ledger/*.rs"});
    let found = session.tool("Glob", &glob).unwrap();
    let given: Vec<bool> = handles
        .iter()
        .map(|handle| mentions(found.as_ref(), handle))
        .collect();
    assert_eq!(given, [false, false, false, true, true, true], "the newest");
    assert_eq!(session.tool("Glob", &glob).unwrap(), None);
}

#[test]
fn a_memory_about_a_directory_is_given_for_the_files_below() {
    let world = world();
    world
        .project
        .write("crates/ledger/src/posting.rs", "// nothing\n")
        .unwrap();
    world
        .project
        .write("crates/ledgers/a.rs", "// nothing\n")
        .unwrap();
    let handle = world.remember(
        "Amounts here are cents of the booking currency.",
        "crates/ledger",
    );
    assert!(mentions(
        world
            .session("one")
            .read("crates/ledger/src/posting.rs")
            .unwrap()
            .as_ref(),
        &handle
    ));
    assert_eq!(
        world.session("two").read("crates/ledgers/a.rs").unwrap(),
        None
    );
}

#[test]
fn a_keyword_that_is_searched_for_brings_nothing_up() {
    let world = world();
    world.remember(
        "An import of the report raises ImportError: set the path first.",
        "",
    );
    assert_eq!(
        world
            .session("one")
            .tool("Grep", &json!({"pattern": "import"}))
            .unwrap(),
        None
    );
    assert_eq!(
        world
            .session("two")
            .tool("Grep", &json!({"pattern": "return"}))
            .unwrap(),
        None
    );
    assert!(
        world
            .session("three")
            .tool("Grep", &json!({"pattern": "ImportError"}))
            .unwrap()
            .is_some()
    );
}

#[test]
fn an_expression_brings_up_what_its_matches_name() {
    let world = world();
    let symbol = world.remember("parse_header trusts the length field of old peers.", "");
    for (pattern, handle) in [
        (r"\bparse_header\b", &symbol),
        (r"fn\s+parse_header\(", &symbol),
        (r"read_footer|parse_header", &symbol),
    ] {
        let context = world
            .session(pattern)
            .tool("Grep", &json!({ "pattern": pattern }))
            .unwrap();
        assert!(mentions(context.as_ref(), handle), "{pattern}: {context:?}");
    }
    for pattern in [
        r"parse_\w+",
        r"\w+_header",
        r"[a-z]+_weight",
        r"pub fn new\(",
        ".*",
    ] {
        assert_eq!(
            world
                .session(pattern)
                .tool("Grep", &json!({ "pattern": pattern }))
                .unwrap(),
            None,
            "{pattern}"
        );
    }
}

#[test]
fn a_file_brings_up_the_topic_that_is_called_so() {
    let world = world();
    let ledger = world.remember_as("ledger", "Nobody posts on the last day of a quarter.", "");
    world.remember_as(
        "pagers",
        "They are answered from the second floor.",
        "runbook/pager.md",
    );
    for path in ["src/ledger.py", "src/pagers.rs", "src/ledger_client.py"] {
        world.project.write(path, "nothing\n").unwrap();
    }
    let told = world.session("one").read("src/ledger.py").unwrap();
    assert!(mentions(told.as_ref(), &ledger), "{told:?}");
    for path in ["src/pagers.rs", "src/ledger_client.py"] {
        assert_eq!(world.session(path).read(path).unwrap(), None, "{path}");
    }
}

#[test]
fn a_topic_called_as_a_file_is_found_among_many_memories_of_the_same_word() {
    let world = world();
    let ours = world.remember_as("order", "Sorted by weekday, Sundays first.", "");
    for n in 0..30 {
        world.remember_as(
            &format!("shop-order-{n}"),
            &format!("An order of order number {n} is an order of shop {n}."),
            "",
        );
    }
    world.project.write("src/order.rs", "nothing\n").unwrap();
    let context = world.session("one").read("src/order.rs").unwrap();
    assert!(mentions(context.as_ref(), &ours) && !context.unwrap().contains("shop"));
}

#[test]
fn a_name_with_accents_is_the_same_joined_and_apart() {
    let world = world();
    let (joined, apart) = ("men\u{fc}", "menu\u{308}");
    let of_joined = world.remember_as(
        "dishes",
        "Prices are net of tax.",
        &format!("src/{joined}.rs"),
    );
    let of_apart = world.remember_as(
        "dishes",
        "Courses come in threes.",
        &format!("src/{apart}s.rs"),
    );
    let named = world.remember_as(
        "kitchen",
        &format!("{joined}_card.rs is written by hand."),
        "",
    );
    let cases = [
        (format!("src/{apart}.rs"), &of_joined),
        (format!("src/{joined}s.rs"), &of_apart),
        (format!("src/{apart}_card.rs"), &named),
    ];
    for (at, (path, handle)) in cases.iter().enumerate() {
        world.project.write(path, "nothing\n").unwrap();
        let context = world.session(&format!("s{at}")).read(path).unwrap();
        assert!(mentions(context.as_ref(), handle), "{path}: {context:?}");
    }
}

#[test]
fn of_a_long_topic_a_file_brings_up_the_newest_once() {
    let world = world();
    let handles = [
        "Partners send their segments in Latin-1.",
        "The clearing house closes at noon.",
        "Acknowledgements are signed by hand.",
        "Retries wait for an hour.",
        "An empty envelope is legal.",
        "Dates have two digits for the year.",
    ]
    .map(|text| world.remember_as("invoices", text, ""));
    world.project.write("src/invoices.py", "nothing\n").unwrap();
    let session = world.session("one");
    let found = session.read("src/invoices.py").unwrap();
    let given = handles.map(|handle| mentions(found.as_ref(), &handle));
    assert_eq!(given, [false, false, false, true, true, true], "the newest");
    assert_eq!(session.read("src/invoices.py").unwrap(), None);
}

#[test]
fn a_further_look_at_a_file_brings_up_nothing_further() {
    let world = world();
    world
        .project
        .write("src/dispatcher.rs", "nothing\n")
        .unwrap();
    let about = [
        "Late hooks are dropped, not queued.",
        "Merchants answer slowly on Mondays.",
        "Bodies are signed before they are packed.",
        "Nobody may block the reactor here.",
        "Headers go out in lower case.",
        "Twelve workers are enough for a shard.",
        "Connections are kept for a minute.",
        "Redirects are never followed.",
    ]
    .map(|text| world.remember(text, "src/dispatcher.rs"));
    for text in [
        "dispatcher.rs is Mira's.",
        "Ask before dispatcher.rs changes.",
        "See dispatcher.rs first.",
        "No unwrap in dispatcher.rs.",
    ] {
        world.remember(text, "");
    }
    let session = world.session("one");
    let told = session.read("src/dispatcher.rs").unwrap();
    assert_eq!(
        about
            .iter()
            .filter(|handle| mentions(told.as_ref(), handle))
            .count(),
        5,
        "{told:?}"
    );
    assert_eq!(session.read("src/dispatcher.rs").unwrap(), None);
    assert_eq!(
        session
            .edit("src/dispatcher.rs", "nothing", "anything")
            .unwrap(),
        None
    );
    let new = world.remember("Timeouts count from the first byte.", "src/dispatcher.rs");
    let told = session.read("src/dispatcher.rs").unwrap();
    assert!(mentions(told.as_ref(), &new) && told.unwrap().matches("[ledger/").count() == 1);
}
