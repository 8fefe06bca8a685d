//! The command line over the real daemon: what people type, what they read, what scripts get.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

use helix_proto::{SCRATCH_SCOPE, exit, v1};
use helix_tests::{Binary, Daemon, Home, Project, Rpc};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

/// A daemon with one project.
struct World {
    daemon: Daemon,
    home: Home,
    project: Project,
}

impl World {
    fn new() -> Self {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        let project = Project::new(&home, "billing").unwrap();
        Self { daemon, home, project }
    }

    /// Runs a command in the project, with nothing on stdin.
    fn run(&self, arguments: &[&str]) -> Output {
        self.run_with(arguments, "")
    }

    fn run_with(&self, arguments: &[&str], stdin: &str) -> Output {
        let mut command = self.home.command(Binary::Ctl);
        command.args(arguments).current_dir(&self.project.root).env("TZ", "UTC");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not read its stdin may have ended already.
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).ok();
        let output = child.wait_with_output().unwrap();
        assert!(!output.stdout.contains(&0x1b) && !output.stderr.contains(&0x1b), "escape codes in a pipe: {output:?}");
        output
    }

    /// Runs a command that must do what was asked; returns what it printed.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(code(&output), Some(exit::OK), "{arguments:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.done(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// Stores a text; returns its handle.
    fn add(&self, topic: &str, text: &str, more: &[&str]) -> String {
        let printed = self.done(&[&["add", text, "--topic", topic, "--force"], more].concat());
        printed.strip_prefix("stored\t").unwrap().trim_end().to_owned()
    }

    /// Searches; returns the handles found, best first.
    fn found(&self, arguments: &[&str]) -> Vec<String> {
        handles(&self.json(&[&["search"], arguments].concat())["hits"])
    }

    /// Runs a command that must be refused; returns what it complained of.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(code(&output), Some(exit::USAGE), "{arguments:?}: {output:?}");
        let said = stderr(&output);
        assert!(said.starts_with("helixctl: ") && said.lines().count() == 1, "{said}");
        said
    }
}

fn code(output: &Output) -> Option<u8> {
    output.status.code().and_then(|code| u8::try_from(code).ok())
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn handles(hits: &Value) -> Vec<String> {
    hits.as_array().unwrap().iter().map(|hit| hit["memory"]["handle"].as_str().unwrap().to_owned()).collect()
}

fn sorted(mut handles: Vec<String>) -> Vec<String> {
    handles.sort();
    handles
}

#[test]
fn what_is_added_is_found_read_and_forgotten() {
    let world = World::new();
    let text = "The release needs arm64: x86 fails at link time.";
    let handle =
        world.add("build-gotchas", text, &["--kind", "gotcha", "--tags", "build,ci", "--source", "build.rs:12"]);
    let read = world.json(&["read", &handle]);
    let memory = &read["memories"][0];
    assert_eq!(memory["text"], text);
    assert_eq!(
        (&memory["kind"], &memory["origin"], &memory["status"]),
        (&json!("gotcha"), &json!("user"), &json!("active"))
    );
    assert_eq!((&memory["source"]["path"], &memory["source"]["line"]), (&json!("build.rs"), &json!(12)));
    assert_eq!(
        sorted(memory["tags"].as_array().unwrap().iter().map(Value::to_string).collect()),
        ["\"build\"", "\"ci\""]
    );
    assert!(memory["scope"].as_str().unwrap().starts_with("project:"), "{memory}");

    assert_eq!(world.found(&["arm64 link"]), std::slice::from_ref(&handle));
    assert!(world.done(&["search", "arm64"]).contains(&handle));
    assert!(world.done(&["read", &handle]).contains(text));
    assert_eq!(world.done(&["forget", &handle]), format!("forgot\t{handle}\n"));
    assert_eq!(world.found(&["arm64 link"]), Vec::<String>::new());
    let nothing = world.run(&["search", "arm64 link"]);
    assert_eq!((code(&nothing), nothing.stdout.as_slice()), (Some(exit::OK), &b""[..]));
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
    assert_eq!(world.done(&["add", text, "--topic", "build"]), format!("reinforced\t{handle}\n"));
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
    let first = world.add("build-gotchas", "Clean the cache after a toolchain change.", &[]);
    let second = world.add("build-gotchas", "Clean the disk before a release.", &[]);
    let id = world.json(&["read", &first])["memories"][0]["id"].as_str().unwrap().to_owned();
    let read = |reference: &str| handles_of(&world.json(&["read", reference]));
    assert_eq!(read(&id), std::slice::from_ref(&first));
    assert_eq!(read("build-gotchas:0"), std::slice::from_ref(&first));
    assert_eq!(read("build-gotchas:1"), std::slice::from_ref(&second));
    assert_eq!(read("build-gotchas"), [first.clone(), second.clone()]);
    assert_eq!(handles_of(&world.json(&["read", "build-gotchas", "--index", "1"])), std::slice::from_ref(&second));
    let shared = first.chars().zip(second.chars()).take_while(|(a, b)| a == b).count();
    let prefix: String = first.chars().take(shared + 1).collect();
    assert_eq!(read(&prefix), std::slice::from_ref(&first));
    let said = world.refused(&["read", "build-gotchas/clean-"]);
    assert!(said.contains(&first) && said.contains(&second), "{said}");
    world.refused(&["read", "build-gotchas:2"]);
    world.refused(&["read", "no-such-thing"]);
}

fn handles_of(read: &Value) -> Vec<String> {
    read["memories"].as_array().unwrap().iter().map(|memory| memory["handle"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn forgetting_never_guesses() {
    let world = World::new();
    let first = world.add("build", "Clean the cache after a toolchain change.", &[]);
    let second = world.add("deploy", "The cache survives a deployment.", &[]);
    for words in ["cache", "toolchain cache"] {
        let output = world.run(&["forget", words]);
        assert_eq!(code(&output), Some(exit::USAGE), "{output:?}");
        assert!(stderr(&output).contains("nothing was forgotten"), "{}", stderr(&output));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains(&first), "{words}: {printed}");
        assert_eq!(printed.contains(&second), words == "cache", "{words}: {printed}");
    }
    let said = world.refused(&["forget", "toolchain cache"]);
    assert!(said.contains("one memory matches") && said.contains(&format!("by its handle: {first}")), "{said}");
    let listed = world.run(&["forget", "cache", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["forgotten"], Value::Null);
    assert_eq!(listed["candidates"].as_array().unwrap().len(), 2);
    world.refused(&["forget", "zebra"]);
    assert_eq!(sorted(world.found(&["cache"])), sorted(vec![first.clone(), second]));
}

#[test]
fn forgetting_by_place_is_confirmed() {
    let world = World::new();
    let first = world.add("build", "Clean the cache after a toolchain change.", &[]);
    let second = world.add("build", "Signing needs the new key.", &[]);
    let said = world.refused(&["forget", "build:0"]);
    assert!(said.contains(&format!("build:0 is {first}: Clean the cache")), "{said}");
    assert!(said.contains(&format!("helixctl forget {first}, or --yes")), "{said}");
    assert_eq!(world.found(&["cache"]), std::slice::from_ref(&first));

    let output = world.run(&["forget", "build:0", "--yes"]);
    assert_eq!(output.stdout, format!("forgot\t{first}\n").into_bytes());
    assert!(stderr(&output).contains("one place further up"), "{}", stderr(&output));
    // The same line again means the other memory now, and says so before anything is done.
    let said = world.refused(&["forget", "build:0"]);
    assert!(said.contains(&format!("build:0 is {second}")), "{said}");
    assert_eq!(world.found(&["signing"]), [second]);
    world.refused(&["forget", "build:1", "--yes"]);
}

#[test]
fn a_topic_that_was_forgotten_says_so() {
    let world = World::new();
    let texts = ["Clean the cache after a toolchain change.", "Signing needs the new key."];
    let handles = texts.map(|text| world.add("build", text, &[]));
    world.add("build-hosts", "The second host is slow.", &[]);
    for handle in &handles {
        world.done(&["forget", handle]);
    }
    let said = world.refused(&["read", "build"]);
    assert!(said.contains("topic build is forgotten") && handles.iter().all(|handle| said.contains(handle)), "{said}");
    assert!(world.done(&["read", &handles[0]]).contains(texts[0]));
}

#[test]
fn filters_narrow_a_search() {
    let world = World::new();
    let gotcha =
        world.add("build", "Cache needs cleaning.", &["--kind", "gotcha", "--tags", "ci", "--source", "ci/run.sh:3"]);
    let decision = world.add("deploy", "Cache lives on its own disk.", &["--kind", "decision", "--tags", "ops"]);
    let global = world.add("habits", "Cache is spelt cache.", &["--scope", "global"]);
    let all = sorted(vec![gotcha.clone(), decision.clone(), global.clone()]);
    let both = sorted(vec![gotcha.clone(), decision.clone()]);
    let table: [(&[&str], Vec<&String>); 19] = [
        (&["cache"], all.iter().collect()),
        (&["cache tag:ci"], vec![&gotcha]),
        (&["cache topic:deploy"], vec![&decision]),
        (&["cache kind:gotcha"], vec![&gotcha]),
        (&["cache source:ci/run"], vec![&gotcha]),
        (&["cache scope:global"], vec![&global]),
        (&["cache scope:project"], both.iter().collect()),
        (&["cache after:2020-01-01"], all.iter().collect()),
        (&["cache before:2020-01-01"], vec![]),
        (&["cache tag:ci kind:decision"], vec![]),
        (&["cache", "--tag", "ops"], vec![&decision]),
        (&["cache", "--topic", "build"], vec![&gotcha]),
        (&["cache", "--kind", "decision"], vec![&decision]),
        (&["cache", "--source", "run.sh"], vec![&gotcha]),
        (&["cache", "--scope", "global"], vec![&global]),
        (&["cache", "--after", "2020-01-01"], all.iter().collect()),
        (&["cache", "--before", "2020-01-01"], vec![]),
        (&["tag:ops"], vec![&decision]),
        (&["cache disk", "--all"], vec![&decision]),
    ];
    for (arguments, expected) in table {
        let expected: Vec<String> = expected.into_iter().cloned().collect();
        assert_eq!(sorted(world.found(arguments)), expected, "{arguments:?}");
    }
    assert_eq!(world.found(&["cache", "--limit", "1"]).len(), 1);
    assert_eq!(world.found(&["disk zebra", "--any"]), [decision]);
    assert_eq!(world.found(&["disk zebra", "--all"]), Vec::<String>::new());
    for wrong in ["cache after:someday", "cache tag:"] {
        world.refused(&["search", wrong]);
    }
    for wrong in [&["search", "cache kind:nosuch"][..], &["search", "cache", "-k", "nosuch"]] {
        let said = world.refused(wrong);
        assert!(said.contains("\"nosuch\" is not known") && said.contains("gotcha"), "{said}");
    }
}

#[test]
fn a_day_in_a_query_is_the_askers_day() {
    let world = World::new();
    // The tenth in Greenwich, and still the ninth in California.
    let memory = json!([{"topic": "days", "text": "Moved to the new disks.", "valid_from": "2026-11-10T02:00:00Z"}]);
    let imported = world.run_with(&["import", "-"], &memory.to_string());
    assert_eq!(code(&imported), Some(exit::OK), "{}", stderr(&imported));
    let found = |zone: &str, query: &str| {
        let mut command = world.home.command(Binary::Ctl);
        command.args(["search", query, "--json"]).current_dir(&world.project.root).env("TZ", zone);
        let printed = command.output().unwrap().stdout;
        handles(&serde_json::from_slice::<Value>(&printed).unwrap()["hits"]).len()
    };
    assert_eq!(found("UTC", "disks after:2026-11-10"), 1);
    assert_eq!(found("America/Los_Angeles", "disks after:2026-11-10"), 0);
    assert_eq!(found("America/Los_Angeles", "disks after:2026-11-09"), 1);
}

#[test]
fn a_search_explains_itself() {
    let world = World::new();
    world.add("build", "Cache needs cleaning.", &[]);
    let reply = world.json(&["search", "cache", "--explain"]);
    let why = &reply["hits"][0]["explanation"];
    assert_eq!((&why["lexical_rank"], &why["semantic_rank"]), (&json!(1), &Value::Null), "{why}");
    assert!(!why["matched_terms"].as_array().unwrap().is_empty(), "{why}");
    assert!(reply["notes"][0].as_str().unwrap().contains("words only"), "{reply}");
    let meaning = world.run(&["search", "cache", "--meaning"]);
    assert_eq!(code(&meaning), Some(exit::UNAVAILABLE), "{meaning:?}");
    assert!(stderr(&meaning).contains("switched off"), "{}", stderr(&meaning));
}

#[test]
fn other_projects_are_left_out() {
    let world = World::new();
    let handle = world.add("build", "Cache needs cleaning.", &[]);
    let other = Project::new(&world.home, "other").unwrap();
    let search = |more: &[&str]| {
        let mut command = world.home.command(Binary::Ctl);
        let output = command.args(["search", "cache", "--json"]).args(more).current_dir(&other.root).output().unwrap();
        handles(&serde_json::from_slice::<Value>(&output.stdout).unwrap()["hits"])
    };
    assert_eq!(search(&[]), Vec::<String>::new());
    assert_eq!(search(&["--scope", "all"]), [handle]);
}

#[test]
fn status_describes_the_daemon() {
    let world = World::new();
    world.add("build", "Cache needs cleaning.", &[]);
    let status = world.json(&["status"]);
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(status["socket"].as_str().unwrap(), world.home.paths.socket.to_str().unwrap());
    assert_eq!(status["home"].as_str().unwrap(), world.home.paths.home.to_str().unwrap());
    assert_eq!(status["memories_by_status"]["active"], 1);
    assert_eq!((&status["topics"], &status["projects"]), (&json!(1), &json!(1)));
    assert!(status["resident_bytes"].as_u64().unwrap() > 1_000_000 && status["store_bytes"].as_u64().unwrap() > 0);
    let names: Vec<&str> = status["indexes"].as_array().unwrap().iter().map(|i| i["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["lexical", "vectors"]);
    assert!(world.done(&["status"]).contains(status["socket"].as_str().unwrap()));
}

#[test]
fn doctor_finds_a_new_home_in_order_and_leaves_nothing_in_it() {
    let world = World::new();
    world.add("build", "Cache needs cleaning.", &[]);
    for arguments in [&["doctor"][..], &["doctor", "--deep"]] {
        let findings = world.json(arguments);
        let results = findings["results"].as_array().unwrap();
        let failed: Vec<&Value> = results.iter().filter(|result| result["level"] == "failure").collect();
        assert!(failed.is_empty(), "{failed:?}");
        assert!(results.len() > 8, "{results:?}");
    }
    let said = world.done(&["doctor"]);
    assert!(said.lines().all(|line| line.split('\t').count() == 3), "{said}");
    let status = world.json(&["status"]);
    assert_eq!(status["memories_by_status"], json!({"active": 1}));
    assert_eq!((&status["topics"], &status["projects"]), (&json!(1), &json!(1)));
    let said = world.refused(&["read", "helix-doctor"]);
    assert!(said.contains("nothing is called"), "{said}");
    assert_eq!(world.found(&["doctor", "--scope", "all"]), Vec::<String>::new());

    // Three examinations wrote into one memory.
    let filter = v1::Filter {
        scopes: vec![SCRATCH_SCOPE.to_owned()],
        statuses: ["active", "forgotten"].map(str::to_owned).to_vec(),
        ..v1::Filter::default()
    };
    let request = v1::SearchRequest { filter: Some(filter), ..v1::SearchRequest::default() };
    let mut rpc = Rpc::connect(&world.home).unwrap();
    let left = rpc.call(async |rpc| rpc.search(request.clone()).await).unwrap();
    let left: Vec<String> = left.hits.into_iter().filter_map(|hit| hit.memory).map(|memory| memory.status).collect();
    assert_eq!(left, ["forgotten"]);
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
fn a_hook_is_shown_and_not_recorded() {
    let world = World::new();
    let handle = world.add("kernels", "Kernels assume sorted input.", &["--source", "src/kernels.rs:42"]);
    for _ in 0..2 {
        for arguments in [&["hook", "session"][..], &["hook", "ambient", "--file", "src/kernels.rs"]] {
            let printed = world.done(arguments);
            assert!(printed.ends_with("}\n"), "{printed}");
            let answer: Value = serde_json::from_str(&printed).unwrap();
            let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
            assert!(context.contains(&handle), "{context}");
        }
    }
    let nothing = world.run(&["hook", "ambient", "--file", "docs/tides.md"]);
    assert_eq!((code(&nothing), nothing.stdout.len()), (Some(exit::OK), 0));
    assert!(stderr(&nothing).starts_with("(nothing: no memory"), "{nothing:?}");
    assert_eq!(world.json(&["status"])["injected_tokens"], 0);
    let input = json!({
        "session_id": "s", "cwd": world.project.root, "hook_event_name": "PreToolUse", "tool_name": "Edit",
        "tool_input": {"file_path": world.project.root.join("src/kernels.rs")},
    });
    let given = world.run_with(&["hook", "ambient"], &input.to_string());
    assert!(String::from_utf8(given.stdout).unwrap().contains(&handle));
}

#[test]
fn a_hook_that_cannot_be_shown_says_why() {
    let world = World::new();
    let said = world.refused(&["hook", "bogus"]);
    assert!(said.contains("session, ambient"), "{said}");
    let no_json = world.run_with(&["hook", "ambient"], "not json");
    assert_eq!(code(&no_json), Some(exit::USAGE), "{no_json:?}");
    assert!(stderr(&no_json).contains("not the JSON object"), "{no_json:?}");
    let empty = world.run(&["hook", "session"]);
    assert_eq!((code(&empty), empty.stdout.len()), (Some(exit::OK), 0));
    assert!(stderr(&empty).contains("no memories in the scopes"), "{empty:?}");
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
    assert!(said.contains(&format!("`kill -9 {pid}`")) && !said.contains("helixctl down"), "{said}");
}

#[test]
fn hooks_go_in_and_come_out_without_a_trace() {
    let world = World::new();
    let originals: [Option<&str>; 5] = [
        None,
        Some("{}"),
        Some("{\n  // mine\n  \"model\": \"opus\", // this one\n}\n"),
        Some(
            "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
        ),
        Some("{\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": []\r\n\t}\r\n}"),
    ];
    let settings = world.project.root.join(".claude").join("settings.json");
    for original in originals {
        if let Some(text) = original {
            world.project.write(".claude/settings.json", text).unwrap();
        }
        world.done(&["hooks", "install"]);
        let installed: Value = serde_json::from_str(&uncommented(&fs::read_to_string(&settings).unwrap())).unwrap();
        let groups = installed["hooks"]["PreToolUse"].as_array().unwrap();
        let handler = &groups.last().unwrap()["hooks"][0];
        assert_eq!(handler["command"].as_str().unwrap(), Binary::Hook.path().canonicalize().unwrap().to_str().unwrap());
        assert_eq!(handler["args"], json!(["ambient"]), "without a shell");
        let before = fs::read(&settings).unwrap();
        world.done(&["hooks", "install"]);
        assert_eq!(fs::read(&settings).unwrap(), before, "installing twice changes nothing");
        let status = world.json(&["hooks", "status"]);
        assert_eq!((&status["files"][0]["scope"], &status["files"][0]["complete"]), (&json!("project"), &json!(true)));
        world.done(&["hooks", "uninstall"]);
        assert_eq!(fs::read_to_string(&settings).ok().as_deref(), original);
    }
}

/// Takes out the one kind of comment, and the one trailing comma, that the samples above have.
fn uncommented(text: &str) -> String {
    text.lines().map(|line| line.split(" //").next().unwrap()).collect::<String>().replace(",}", "}")
}

#[test]
fn claude_is_connected_and_disconnected() {
    let world = World::new();
    world.done(&["connect", "claude"]);
    let servers: Value =
        serde_json::from_str(&fs::read_to_string(world.project.root.join(".mcp.json")).unwrap()).unwrap();
    let server = &servers["mcpServers"]["helix"];
    assert_eq!(server["command"].as_str().unwrap(), Binary::Mcp.path().canonicalize().unwrap().to_str().unwrap());
    assert!(world.project.root.join(".claude/settings.json").exists());
    world.done(&["disconnect", "claude"]);
    let left: Vec<_> = fs::read_dir(&world.project.root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".git"]);
}

#[test]
fn what_was_installed_works_when_it_is_run() {
    let world = World::new();
    let handle = world.add("kernels", "Kernels assume sorted input.", &["--source", "src/kernels.rs:42"]);
    world.done(&["hooks", "install"]);
    let text = fs::read_to_string(world.project.root.join(".claude/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&text).unwrap();
    let handler = &settings["hooks"]["SessionStart"][0]["hooks"][0];
    let input =
        json!({"session_id": "s", "cwd": world.project.root, "hook_event_name": "SessionStart", "source": "startup"});
    let mut command = world.home.command(Binary::Hook);
    assert_eq!(command.get_program(), handler["command"].as_str().unwrap());
    let arguments = handler["args"].as_array().unwrap().iter().map(|argument| argument.as_str().unwrap());
    let mut child = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains(&handle));
}
