//! The command line over the real daemon: what people type, what they read, what scripts get.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod as_of;
mod corrections;
mod episodes;
mod history;
mod life;
mod search;
mod wiring;
mod world;

use std::fs;

use helix_proto::{SCRATCH_SCOPE, exit, v1};
use helix_tests::Rpc;
use helix_tests::hook::Session;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use world::{World, code, sorted, stderr};

#[test]
fn what_is_added_is_found_read_and_forgotten() {
    let world = World::new();
    let text = "The release needs arm64: x86 fails at link time.";
    let handle = world.add(
        "build-gotchas",
        text,
        &[
            "--kind",
            "gotcha",
            "--tags",
            "build,ci",
            "--source",
            "build.rs:12",
        ],
    );
    let read = world.json(&["read", &handle]);
    let memory = &read["memories"][0];
    assert_eq!(memory["text"], text);
    assert_eq!(
        (&memory["kind"], &memory["origin"], &memory["status"]),
        (&json!("gotcha"), &json!("user"), &json!("active"))
    );
    assert_eq!(
        (&memory["source"]["path"], &memory["source"]["line"]),
        (&json!("build.rs"), &json!(12))
    );
    assert_eq!(
        sorted(
            memory["tags"]
                .as_array()
                .unwrap()
                .iter()
                .map(Value::to_string)
                .collect()
        ),
        ["\"build\"", "\"ci\""]
    );
    assert!(
        memory["scope"].as_str().unwrap().starts_with("project:"),
        "{memory}"
    );

    assert_eq!(world.found(&["arm64 link"]), std::slice::from_ref(&handle));
    assert!(world.done(&["search", "arm64"]).contains(&handle));
    assert!(world.done(&["read", &handle]).contains(text));
    assert_eq!(
        world.done(&["forget", &handle]),
        format!("forgot\t{handle}\n")
    );
    // There is nothing left to do, which is no fault.
    assert_eq!(
        world.done(&["forget", &handle]),
        format!("forgotten before\t{handle}\n")
    );
    assert_eq!(world.json(&["forget", &handle])["was_forgotten"], true);
    assert_eq!(world.found(&["arm64 link"]), Vec::<String>::new());
    let nothing = world.run(&["search", "arm64 link"]);
    assert_eq!(
        (code(&nothing), nothing.stdout.as_slice()),
        (Some(exit::OK), &b""[..])
    );
    assert!(stderr(&nothing).contains("nothing found"));
    let counts = &world.json(&["status"])["memories_by_status"];
    assert_eq!(counts["forgotten"], 1, "{counts}");
}

#[test]
fn text_comes_from_stdin_as_it_is() {
    let world = World::new();
    let text = "First line.\n\n\tindented \"quoted\" 日本語\n";
    let output = world.run_with(&["add", "-", "--topic", "notes", "--json"], text);
    let stored: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(stored["outcome"], "stored");
    let kept = stored["memory"]["text"].as_str().unwrap();
    assert_eq!(kept.trim_end(), text.trim_end());
}

#[test]
fn the_same_is_not_stored_twice() {
    let world = World::new();
    let text = "The release needs arm64 because x86 builds fail at link time.";
    let handle = world.add("build", text, &[]);
    assert_eq!(
        world.done(&["add", text, "--topic", "build"]),
        format!("reinforced\t{handle}\n")
    );
    let near = "The release needs arm64 because all x86 builds fail at link time.";
    let said = world.refused(&["add", near, "--topic", "build"]);
    assert!(said.contains(&handle) && said.contains("--force"), "{said}");
    let other = world.add("build", near, &[]);
    assert_ne!(other, handle);
    assert_eq!(sorted(world.found(&["arm64"])), sorted(vec![handle, other]));
}

#[test]
fn references_may_be_short() {
    let world = World::new();
    let first = world.add(
        "build-gotchas",
        "Clean the cache after a toolchain change.",
        &[],
    );
    let second = world.add("build-gotchas", "Clean the disk before a release.", &[]);
    let id = world.json(&["read", &first])["memories"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let read = |reference: &str| handles_of(&world.json(&["read", reference]));
    assert_eq!(read(&id), std::slice::from_ref(&first));
    assert_eq!(read("build-gotchas:0"), std::slice::from_ref(&first));
    assert_eq!(read("build-gotchas:1"), std::slice::from_ref(&second));
    assert_eq!(read("build-gotchas"), [first.clone(), second.clone()]);
    assert_eq!(
        handles_of(&world.json(&["read", "build-gotchas", "--index", "1"])),
        std::slice::from_ref(&second)
    );
    let shared = first
        .chars()
        .zip(second.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let prefix: String = first.chars().take(shared + 1).collect();
    assert_eq!(read(&prefix), std::slice::from_ref(&first));
    let said = world.refused(&["read", "build-gotchas/clean-"]);
    assert!(said.contains(&first) && said.contains(&second), "{said}");
    world.refused(&["read", "build-gotchas:2"]);
    world.refused(&["read", "no-such-thing"]);
}

fn handles_of(read: &Value) -> Vec<String> {
    read["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["handle"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_session_that_nobody_knows_is_refused() {
    let world = World::new();
    for line in [
        &["session", "nobody"][..],
        &["receipts", "--session", "nobody"],
    ] {
        let said = world.refused(line);
        assert!(
            said.contains("no session \"nobody\" is known")
                && said.contains("helixctl session --list"),
            "{said}"
        );
    }
}

#[test]
fn what_the_daemon_advises_is_true_on_the_command_line() {
    let world = World::new();
    let text = "Clean the cache after a toolchain change.";
    let handle = world.add("build", text, &[]);
    let known = world.run(&[
        "add",
        text,
        "--topic",
        "build",
        "--tags",
        "cache",
        "--kind",
        "convention",
    ]);
    let lines = world.run(&["append", &handle, "[tags: disk]"]);
    let said = stderr(&known) + &stderr(&lines);
    assert!(
        said.contains("the tags cache were not taken (`tag` adds them)"),
        "{said}"
    );
    assert!(
        said.contains("kind was not taken (`set` changes what is known)"),
        "{said}"
    );
    assert!(said.contains("tags came from lines of the text"), "{said}");
    assert!(!said.contains("action="), "{said}");
}

#[test]
fn forgetting_never_guesses() {
    let world = World::new();
    let first = world.add("build", "Clean the cache after a toolchain change.", &[]);
    let second = world.add("deploy", "The cache survives a deployment.", &[]);
    for words in ["cache", "toolchain cache"] {
        let output = world.run(&["forget", words]);
        assert_eq!(code(&output), Some(exit::USAGE), "{output:?}");
        assert!(
            stderr(&output).contains("nothing was forgotten"),
            "{}",
            stderr(&output)
        );
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains(&first), "{words}: {printed}");
        assert_eq!(
            printed.contains(&second),
            words == "cache",
            "{words}: {printed}"
        );
    }
    let said = world.refused(&["forget", "toolchain cache"]);
    assert!(
        said.contains("one memory matches") && said.contains(&format!("by its handle: {first}")),
        "{said}"
    );
    let listed = world.run(&["forget", "cache", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["forgotten"], Value::Null);
    assert_eq!(listed["candidates"].as_array().unwrap().len(), 2);
    world.refused(&["forget", "zebra"]);
    assert_eq!(
        sorted(world.found(&["cache"])),
        sorted(vec![first.clone(), second])
    );
}

#[test]
fn forgetting_by_place_is_confirmed() {
    let world = World::new();
    let first = world.add("build", "Clean the cache after a toolchain change.", &[]);
    let second = world.add("build", "Signing needs the new key.", &[]);
    let said = world.refused(&["forget", "build:0"]);
    assert!(
        said.contains(&format!("build:0 is {first}: Clean the cache")),
        "{said}"
    );
    assert!(
        said.contains(&format!("helixctl forget {first}, or --yes")),
        "{said}"
    );
    assert_eq!(world.found(&["cache"]), std::slice::from_ref(&first));

    let output = world.run(&["forget", "build:0", "--yes"]);
    assert_eq!(output.stdout, format!("forgot\t{first}\n").into_bytes());
    assert!(
        stderr(&output).contains("one place further up"),
        "{}",
        stderr(&output)
    );
    // The same line again means the other memory now, and says so before anything is done.
    let said = world.refused(&["forget", "build:0"]);
    assert!(said.contains(&format!("build:0 is {second}")), "{said}");
    assert_eq!(world.found(&["signing"]), [second]);
    world.refused(&["forget", "build:1", "--yes"]);
}

#[test]
fn a_topic_or_a_beginning_is_confirmed_although_it_means_one_memory() {
    let world = World::new();
    let handle = world.add("deploy", "The host is slow.", &[]);
    let memory = &world.json(&["read", &handle])["memories"][0];
    let id = memory["id"].as_str().unwrap().to_owned();
    let beginning: String = id.chars().take(13).collect();
    for reference in ["deploy", "deploy/ho", &beginning] {
        let said = world.refused(&["forget", reference]);
        assert!(
            said.contains(&format!("{reference} is {handle}: The host")) && said.contains("--yes"),
            "{said}"
        );
    }
    assert_eq!(world.done(&["forget", &id]), format!("forgot\t{handle}\n"));
    let again = world.add("deploy", "The other host is fast.", &[]);
    assert_eq!(
        world.done(&["forget", "deploy", "--yes"]),
        format!("forgot\t{again}\n")
    );
}

#[test]
fn a_topic_that_was_forgotten_says_so() {
    let world = World::new();
    let texts = [
        "Clean the cache after a toolchain change.",
        "Signing needs the new key.",
    ];
    let handles = texts.map(|text| world.add("build", text, &[]));
    world.add("build-hosts", "The second host is slow.", &[]);
    for handle in &handles {
        world.done(&["forget", handle]);
    }
    let said = world.refused(&["read", "build"]);
    assert!(
        said.contains("topic build is forgotten")
            && handles.iter().all(|handle| said.contains(handle)),
        "{said}"
    );
    assert!(world.done(&["read", &handles[0]]).contains(texts[0]));
}

#[test]
fn status_describes_the_daemon() {
    let world = World::new();
    world.add("build", "Cache needs cleaning.", &[]);
    let status = world.json(&["status"]);
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        status["socket"].as_str().unwrap(),
        world.home.paths.socket.to_str().unwrap()
    );
    assert_eq!(
        status["home"].as_str().unwrap(),
        world.home.paths.home.to_str().unwrap()
    );
    assert_eq!(status["memories_by_status"]["active"], 1);
    assert_eq!(
        (&status["topics"], &status["projects"]),
        (&json!(1), &json!(1))
    );
    assert!(
        status["resident_bytes"].as_u64().unwrap() > 1_000_000
            && status["store_bytes"].as_u64().unwrap() > 0
    );
    let names: Vec<&str> = status["indexes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["lexical", "vectors"]);
    assert!(
        world
            .done(&["status"])
            .contains(status["socket"].as_str().unwrap())
    );
}

#[test]
fn doctor_finds_a_new_home_in_order_and_leaves_nothing_in_it() {
    let world = World::new();
    world.add("build", "Cache needs cleaning.", &[]);
    // What every session is given, also the one that is played.
    let everywhere = world.add(
        "style",
        "Commit messages say why.",
        &["--scope", "global", "--kind", "preference"],
    );
    for arguments in [&["doctor"][..], &["doctor", "--deep"]] {
        let findings = world.json(arguments);
        let results = findings["results"].as_array().unwrap();
        let failed: Vec<&Value> = results
            .iter()
            .filter(|result| result["level"] == "failure")
            .collect();
        assert!(failed.is_empty(), "{failed:?}");
        assert!(results.len() > 8, "{results:?}");
        let hook = results
            .iter()
            .find(|result| result["name"] == "hook")
            .unwrap();
        assert!(
            hook["detail"].as_str().unwrap().contains("answered text"),
            "{hook}"
        );
    }
    assert_eq!(world.json(&["session", "--list"])["sessions"], json!([]));
    assert_eq!(world.json(&["receipts"])["receipts"], json!([]));
    world.done(&["forget", &everywhere]);
    let said = world.done(&["doctor"]);
    assert!(
        said.lines().all(|line| line.split('\t').count() == 3),
        "{said}"
    );
    let status = world.json(&["status"]);
    assert_eq!(
        status["memories_by_status"],
        json!({"active": 1, "forgotten": 1})
    );
    assert_eq!(
        (&status["topics"], &status["projects"]),
        (&json!(2), &json!(1))
    );
    let said = world.refused(&["read", "helix-doctor"]);
    assert!(said.contains("nothing is called"), "{said}");
    assert_eq!(
        world.found(&["doctor", "--scope", "all"]),
        Vec::<String>::new()
    );

    // Three examinations wrote into one memory.
    let filter = v1::Filter {
        scopes: vec![SCRATCH_SCOPE.to_owned()],
        statuses: ["active", "forgotten"].map(str::to_owned).to_vec(),
        ..v1::Filter::default()
    };
    let request = v1::SearchRequest {
        filter: Some(filter),
        ..v1::SearchRequest::default()
    };
    let mut rpc = Rpc::connect(&world.home).unwrap();
    let left = rpc
        .call(async |rpc| rpc.search(request.clone()).await)
        .unwrap();
    let left: Vec<String> = left
        .hits
        .into_iter()
        .filter_map(|hit| hit.memory)
        .map(|memory| memory.status)
        .collect();
    assert_eq!(left, ["forgotten"]);
}

#[test]
fn in_a_shell_of_no_session_the_projects_changes_are_listed() {
    let world = World::new();
    let nothing = world.run(&["session"]);
    assert_eq!(code(&nothing), Some(exit::OK), "{nothing:?}");
    assert!(
        stderr(&nothing).contains("nobody changed anything"),
        "{}",
        stderr(&nothing)
    );
    let handle = world.add("build", "Pass -arch arm64.", &[]);
    let output = world.run(&["session"]);
    let said = stderr(&output);
    assert!(
        said.contains("no agent's session: all changes seen from here in the last 4 hours"),
        "{said}"
    );
    assert!(
        String::from_utf8_lossy(&output.stdout).contains(&handle),
        "{output:?}"
    );
    let document = world.json(&["session"]);
    assert_eq!(
        (&document["session"], &document["recent_hours"]),
        (&json!(""), &json!(4))
    );
}

#[test]
fn sessions_and_receipts_say_where_and_whose() {
    let world = World::new();
    // It is given nothing and changes nothing.
    let quiet = Session::new(&world.home, &world.project, "quiet");
    assert_eq!(quiet.start("startup").unwrap(), None);
    assert_eq!(quiet.prompt("what is new?").unwrap(), None);
    let listed = &world.json(&["session", "--list"])["sessions"][0];
    assert_eq!(
        (&listed["session"], &listed["project_name"]),
        (&json!("quiet"), &json!("billing"))
    );
    assert!(
        listed["project"].as_str().unwrap().starts_with("project:"),
        "{listed}"
    );
    assert!(world.done(&["session", "--list"]).ends_with("\tbilling\n"));

    // Nobody told of its start.
    assert_eq!(
        Session::new(&world.home, &world.project, "taken-up")
            .prompt("what is new?")
            .unwrap(),
        None
    );
    assert_eq!(
        world.json(&["session", "--list"])["sessions"][0]["session"],
        json!("taken-up")
    );
    assert!(
        world
            .done(&["session", "taken-up"])
            .contains("Injected: 0 memories")
    );

    let handle = world.add(
        "build",
        "The cache needs cleaning after a toolchain change.",
        &[],
    );
    assert!(
        Session::new(&world.home, &world.project, "told")
            .start("startup")
            .unwrap()
            .is_some()
    );
    // The receipt is written behind the answer, and before what is written after it.
    world.add("notes", "Something else.", &[]);
    let said = world.done(&["receipts"]);
    let fields: Vec<&str> = said.trim_end().split('\t').collect();
    assert_eq!(
        (fields[1], fields[2], *fields.last().unwrap()),
        ("told", "session", handle.as_str())
    );
}

#[test]
fn the_beginning_of_a_sessions_id_is_enough() {
    let world = World::new();
    let handle = world.add(
        "build",
        "The cache needs cleaning after a toolchain change.",
        &[],
    );
    for id in ["5e55-one", "5e55-two", "0ther"] {
        assert!(
            Session::new(&world.home, &world.project, id)
                .start("startup")
                .unwrap()
                .is_some()
        );
    }
    // Receipts are written behind the answer, and before what is written after it.
    world.add("notes", "Something else.", &[]);
    assert_eq!(world.json(&["session", "5e55-t"])["session"], "5e55-two");
    let said = world.done(&["receipts", "--session", "0the"]);
    assert!(
        said.lines().count() == 1 && said.contains("\t0ther\t") && said.contains(&handle),
        "{said}"
    );
    for arguments in [&["session", "5e55"][..], &["receipts", "--session", "5e55"]] {
        let said = world.refused(arguments);
        assert!(
            said.contains("several sessions: 5e55-one, 5e55-two;"),
            "{said}"
        );
    }
    assert_eq!(
        code(&world.run(&["session", "5e5"])),
        code(&world.run(&["session", "nowhere"]))
    );
}

#[test]
fn doctor_names_a_place_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    fs::set_permissions(&world.home.paths.home, fs::Permissions::from_mode(0o755)).unwrap();
    let output = world.run(&["doctor"]);
    assert_eq!(code(&output), Some(exit::UNAVAILABLE), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("chmod"), "{said}");
}

#[test]
fn a_daemon_that_hangs_is_named_with_what_ends_it() {
    let world = World::new();
    let pid = world.daemon.pid();
    world.daemon.signal(Signal::SIGSTOP).unwrap();
    let output = world.run(&["status"]);
    world.daemon.signal(Signal::SIGCONT).unwrap();
    assert_eq!(code(&output), Some(exit::UNAVAILABLE), "{output:?}");
    let said = stderr(&output);
    assert!(
        said.contains(&format!("`kill -9 {pid}`")) && !said.contains("helixctl down"),
        "{said}"
    );
}

#[test]
fn forgetting_one_of_a_topic_by_its_text() {
    let world = World::new();
    let first = world.add("build", "Clean the cache after a toolchain change.", &[]);
    let second = world.add("build", "Signing needs the new key.", &[]);
    let said = world.refused(&["forget", "build", "--index", "0"]);
    assert!(said.contains(&format!("build:0 is {first}")), "{said}");
    world.refused(&["forget", "build", "--match", "zebra"]);
    let said = world.refused(&["forget", "build", "--match", "e"]);
    assert!(said.contains("2 memories"), "{said}");
    let said = world.refused(&["forget", "build", "--match", "Toolchain"]);
    assert!(
        said.contains(&format!("with \"Toolchain\" is {first}")) && said.contains("--yes"),
        "{said}"
    );
    assert_eq!(
        world.done(&["forget", "build", "--match", "Toolchain", "--yes"]),
        format!("forgot\t{first}\n")
    );
    assert_eq!(world.found(&["signing"]), [second]);
}

#[test]
fn a_topic_is_read_as_texts_in_pages() {
    let world = World::new();
    for at in 0..5 {
        world.add(
            "story",
            &format!("Part {at} of the story.\n\n  with  blanks  "),
            &[],
        );
    }
    let whole = world.done(&["read", "story"]);
    assert!(
        (0..5).all(|at| whole.contains(&format!("Part {at} of the story.\n\n  with  blanks"))),
        "{whole}"
    );
    let page = world.json(&["read", "story", "--limit", "2"]);
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = world.json(&["read", "story", "--limit", "2", "--cursor", cursor]);
    let texts = |page: &Value| -> Vec<String> {
        page["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|memory| memory["text"].to_string())
            .collect()
    };
    let read: Vec<String> = [texts(&page), texts(&next)].concat();
    assert!(
        read.len() == 4 && (0..4).all(|at| read[at].contains(&format!("Part {at} "))),
        "{read:?}"
    );
    let exact = page["memories"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(world.done(&["read", "story:0", "--raw"]), exact);
}

#[test]
fn a_wrong_memory_of_a_batch_costs_only_itself() {
    let world = World::new();
    let lines = "{\"topic\":\"a\",\"text\":\"The first fact.\"}\n{\"topic\": nonsense}\n{\"topic\":\"a\"}\n\
                 {\"topic\":\"a\",\"text\":\"The last fact.\"}\n";
    let output = world.run_with(&["batch"], lines);
    let said = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
    assert_ne!(code(&output), Some(exit::OK));
    assert!(
        said.contains("2 stored")
            && said.contains("2 refused")
            && said.contains("line 2 is no JSON"),
        "{said}"
    );
    assert!(said.contains("missing field `text`"), "{said}");
    assert_eq!(world.found(&["fact"]).len(), 2);
}

#[test]
fn a_batch_of_which_nothing_is_stored_says_why() {
    let world = World::new();
    world.add("a", "Gnus graze near pump station four every dawn.", &[]);
    let alike = "{\"topic\":\"a\",\"text\":\"Gnus graze near the pump station four every dawn.\"}";
    for (line, expected) in [
        ("{\"topic\":\"a\",\"text\":\"\"}", "1 refused"),
        (alike, "1 near duplicate"),
    ] {
        let output = world.run_with(&["batch"], line);
        let said = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(expected), "{line}: {said}");
        assert!(!said.contains("stopping"), "{said}");
    }
}

#[test]
fn an_earlier_checkpoint_comes_back() {
    let world = World::new();
    world.done(&["checkpoint", "save", "--task", "The first task"]);
    let saved = world.done(&["checkpoint", "save", "--task", "The second task"]);
    assert!(saved.contains("It replaced The first task"), "{saved}");
    assert!(
        world
            .done(&["checkpoint", "show", "--earlier", "1"])
            .contains("The first task")
    );
    world.done(&["checkpoint", "clear"]);
    world.done(&["checkpoint", "restore", "2"]);
    assert!(
        world
            .done(&["checkpoint", "show"])
            .contains("The first task")
    );
}
