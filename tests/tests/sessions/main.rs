//! What hooks tell a session as it works: its prompts, builds, mistakes, subagents, compactions and
//! its end.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod asked;
mod branches;
mod compacted;
mod dated;
mod elsewhere;
mod failing;
mod forked;
mod framed;
mod heeded;
mod mended;
mod named;
mod permitted;
mod persisted;
mod proven;
mod receipts;
mod reminded;
mod secrets;
mod shell;
mod twice;
mod unread;
mod world;

use std::fmt::Write as _;

use helix_proto::v1::HookRequest;
use helix_tests::hook::Session;
use helix_tests::text::{without_days, without_noise};
use helix_tests::{HookRun, Rpc};
use serde_json::{Value, json};

use world::World;

/// A compiler's message about a mistake.
const MISTAKE: &str = "error[E0382]: borrow of moved value: `rows`\n  --> src/load.rs:12:5\n\nerror: could not compile `billing` (lib)\n";

/// The same mistake on another day.
const MISTAKE_AGAIN: &str = "error[E0382]: borrow of moved value: `rows`\n  --> src/load.rs:44:9\n\nerror: could not compile `billing` (lib)\n";

fn mentions(context: Option<&String>, handle: &str) -> bool {
    context.is_some_and(|context| context.contains(&format!("[{handle}]")))
}

#[test]
fn a_prompt_brings_up_what_bears_on_it_once() {
    let world = World::new();
    let handle = world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.",
    );
    world.remember(
        "exchange",
        "The nightly job deletes drafts older than ninety days.",
    );
    let session = world.session("one");
    let context = session
        .prompt("why are invoices exported as semicolon CSV?")
        .unwrap();
    assert!(mentions(context.as_ref(), &handle), "{context:?}");
    assert!(!context.unwrap().contains("nightly"));
    assert_eq!(
        session
            .prompt("why are invoices exported as semicolon CSV?")
            .unwrap(),
        None,
        "it knows by now"
    );
}

#[test]
fn small_talk_and_other_subjects_bring_nothing_up() {
    let world = World::new();
    world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.",
    );
    let session = world.session("one");
    for prompt in [
        "ok",
        "yes, please continue",
        "/compact keep invoices exported semicolon",
        "write a haiku about the sea and the moon",
        "add a button to the settings page that toggles dark mode",
        "<helix-memory note=\"x\">Invoices are exported as semicolon CSV</helix-memory> thanks",
    ] {
        assert_eq!(session.prompt(prompt).unwrap(), None, "{prompt}");
    }
}

#[test]
fn a_mistake_that_was_mended_before_says_how() {
    let mut world = World::new();
    let one = world.session("one");
    assert_eq!(
        one.failed("cargo build", MISTAKE).unwrap(),
        None,
        "nothing is known the first time"
    );
    one.edit("src/load.rs", "a", "b").unwrap();
    assert_eq!(
        one.failed("cargo build", MISTAKE).unwrap(),
        None,
        "still the same mistake"
    );
    one.edit("src/rows.rs", "a", "b").unwrap();
    assert_eq!(one.ran("cargo build", "Finished").unwrap(), None);
    world.restart();
    let two = world.session("two");
    let context = two.failed("cargo build", MISTAKE_AGAIN).unwrap().unwrap();
    insta::assert_snapshot!(readable(&context));
    assert_eq!(
        two.failed("cargo build", MISTAKE_AGAIN).unwrap(),
        None,
        "said once for as long as it lasts"
    );
    two.edit("src/other.rs", "a", "b").unwrap();
    two.ran(
        "cargo build 2>&1 | tail -3",
        "    Finished `dev` profile [unoptimized] target(s) in 0.52s",
    )
    .unwrap();
    let three = world.told("three", "cargo build --all", MISTAKE).unwrap();
    assert!(
        three.contains("fixed before by changing src/other.rs ("),
        "{three}"
    );
    assert!(!three.contains("src/rows.rs"), "{three}");
}

#[test]
fn a_failure_brings_up_memories_about_it() {
    let world = World::new();
    let handle = world.remember(
        "build",
        "gotcha: `borrow of moved value: rows` in the loader: clone the rows before the cache takes them.",
    );
    for (id, context) in [
        ("one", world.told("one", "cargo build", MISTAKE)),
        // A pipe hides the exit code.
        (
            "two",
            world
                .session("two")
                .ran("cargo build 2>&1 | tail -5", MISTAKE)
                .unwrap(),
        ),
    ] {
        assert!(mentions(context.as_ref(), &handle), "{id}: {context:?}");
    }
    assert_eq!(
        world
            .session("three")
            .ran("cargo build", "Finished")
            .unwrap(),
        None
    );
    assert_eq!(
        world.told(
            "four",
            "cat notes.txt",
            "cat: notes.txt: No such file or directory"
        ),
        None
    );
}

#[test]
fn a_compacted_session_gets_back_what_it_was_doing() {
    let world = World::new();
    let handle = world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.",
    );
    let session = world.session("one");
    session.start("startup").unwrap();
    assert!(mentions(
        session
            .prompt("why are invoices exported as semicolon CSV?")
            .unwrap()
            .as_ref(),
        &handle
    ));
    session.edit("src/export.rs", "a", "b").unwrap();
    session.failed("cargo test -p export", MISTAKE).unwrap();
    let silent = session
        .hook("pre-compact", "PreCompact-auto", |_| ())
        .unwrap();
    assert_eq!(silent, None, "a compaction takes no text");
    let context = session.start("compact").unwrap().unwrap();
    insta::assert_snapshot!(readable(&context));
    assert_eq!(
        session.start("resume").unwrap(),
        None,
        "a resumed session has everything still"
    );
}

#[test]
fn a_subagent_is_told_what_bears_on_its_task() {
    let world = World::new();
    let handle = world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.",
    );
    let session = world.session("one");
    let prompt = session
        .spawn("Find out why invoices are exported as semicolon CSV.")
        .unwrap()
        .unwrap();
    assert!(
        prompt.starts_with("Find out why invoices are exported as semicolon CSV.\n\n<helix-memory"),
        "{prompt}"
    );
    assert!(prompt.contains(&format!("[{handle}]")));
    assert_eq!(
        session.spawn("Write a haiku about the moon.").unwrap(),
        None
    );
    let twice = session
        .spawn("Find out why invoices are exported as semicolon CSV.")
        .unwrap();
    assert!(twice.is_some(), "another agent knows nothing of it");
    let start = session
        .subagent("a1")
        .hook("subagent", "SubagentStart", |_| ())
        .unwrap();
    assert!(
        start
            .as_ref()
            .is_some_and(|text| text.contains("exchange (1)")),
        "{start:?}"
    );
}

#[test]
fn everything_else_of_a_spawning_tools_input_stays() {
    let world = World::new();
    world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office's reader splits at commas.",
    );
    let task = "Find out why invoices are exported as semicolon CSV.";
    let input = world
        .session("one")
        .input("PreToolUse-Agent", |input| {
            input["tool_input"]["prompt"] = task.into();
        })
        .unwrap();
    let run = HookRun::of(&world.home, "subagent", input.to_string().as_bytes()).unwrap();
    let answer: Value = serde_json::from_slice(&run.stdout).unwrap();
    let mut updated = answer["hookSpecificOutput"]["updatedInput"].clone();
    assert_ne!(updated, input["tool_input"]);
    updated["prompt"] = task.into();
    assert_eq!(updated, input["tool_input"]);
}

#[test]
fn a_tool_that_is_no_shell_is_told_of_known_mistakes_alone() {
    let world = World::new();
    world.remember(
        "github",
        "gotcha: API rate limit exceeded: search for issues by label, with the bot's token.",
    );
    let fails = |session: &Session<'_>, tool: &str, error: &str| {
        let change = |input: &mut Value| {
            input["tool_name"] = tool.into();
            input["tool_input"] = json!({"query": "rate limit exceeded"});
            input["error"] = error.into();
        };
        session
            .hook("error-context", "PostToolUseFailure-Bash", change)
            .unwrap()
    };
    let one = world.session("one");
    let limited = "API rate limit exceeded: search for issues by label failed, use the bot's token";
    assert_eq!(fails(&one, "mcp__github__search_issues", limited), None);
    assert_eq!(
        fails(
            &one,
            "WebFetch",
            "error[E0382]: borrow of moved value: `rows`"
        ),
        None,
        "nothing is known of it"
    );
    one.failed("cargo build", MISTAKE).unwrap();
    one.edit("src/rows.rs", "a", "b").unwrap();
    one.ran("cargo build", "Finished").unwrap();
    let two = world.session("two");
    let told = fails(&two, "mcp__ide__build", MISTAKE).unwrap();
    assert!(
        told.contains("fixed before by changing src/rows.rs"),
        "{told}"
    );
    assert_eq!(fails(&two, "mcp__ide__build", MISTAKE), None, "said once");
}

#[test]
fn own_tools_are_never_searched_back() {
    let world = World::new();
    world.remember(
        "build",
        "gotcha: `borrow of moved value: rows` in the loader: clone the rows before the cache takes them.",
    );
    let own = world
        .session("one")
        .hook("error-context", "PostToolUseFailure-Bash", |input| {
            input["tool_name"] = "mcp__helix__store".into();
            input["error"] = MISTAKE.into();
        });
    assert_eq!(own.unwrap(), None);
}

#[test]
fn a_session_says_what_it_is_doing_and_survives_a_restart() {
    let mut world = World::new();
    let session = world.session("one");
    session.read("src/a.rs").unwrap();
    session.edit("src/b.rs", "a", "b").unwrap();
    session.failed("cargo test", MISTAKE).unwrap();
    let before = world.activity("one");
    assert_eq!(before.first().unwrap(), "Phase: debug");
    assert!(
        before.contains(&"Files: 2 touched, 1 edited".to_owned()),
        "{before:?}"
    );
    assert!(
        before.contains(&"Failing: `cargo test` (once)".to_owned()),
        "{before:?}"
    );
    world.restart();
    let phase = |lines: &[String]| {
        lines
            .iter()
            .filter(|line| !line.starts_with("Build:"))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(phase(&world.activity("one")), phase(&before));
    assert!(
        world
            .log("another")
            .is_err_and(|error| error.message().contains("list the sessions"))
    );
}

#[test]
fn two_hundred_hooks_at_once_are_bounded_and_nothing_is_given_twice() {
    let world = World::new();
    let handles: Vec<String> = (0..20)
        .map(|n| {
            world.remember(
                "kernels",
                &format!("Kernel {n} assumes sorted input for file{n}."),
            )
        })
        .collect();
    let answer = |n: usize| {
        let file = world.project.root.join(format!("src/file{}.rs", n % 20));
        let input = world.session("one").input("PreToolUse-Read", |input| {
            input["tool_input"]["file_path"] = json!(file);
        });
        let stdin = input.unwrap().to_string().into_bytes();
        let request = HookRequest {
            event: "ambient".to_owned(),
            stdin,
            ..HookRequest::default()
        };
        let mut rpc = Rpc::connect(&world.home).unwrap();
        let reply = rpc
            .call(async |client| client.hook(request.clone()).await)
            .unwrap();
        Some(String::from_utf8(reply.stdout).unwrap())
    };
    let contexts: Vec<Option<String>> = std::thread::scope(|scope| {
        let answer = &answer;
        // One process may have so many connections that have not asked yet, and not two hundred.
        let both = |n: usize| move || [answer(n), answer(n + 100)];
        let spawned: Vec<_> = (0..100).map(|n| scope.spawn(both(n))).collect();
        spawned
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(
        contexts.iter().flatten().any(|context| !context.is_empty()),
        "none was answered"
    );
    for handle in &handles {
        let times = contexts
            .iter()
            .filter(|context| mentions(context.as_ref(), handle))
            .count();
        assert!(times <= 1, "{handle} was given {times} times");
    }
    let status = Rpc::connect(&world.home).unwrap().status().unwrap();
    assert_eq!(status.hooks_answered, 200);
}

/// A text as it reads on every day.
fn readable(text: &str) -> String {
    without_days(&without_noise(text))
}

/// Plays an event and writes down what the model would read.
fn told(log: &mut String, what: &str, context: Option<String>) {
    let said = context.map_or_else(|| "(nothing)".to_owned(), |context| readable(&context));
    writeln!(log, "# {what}\n{said}\n").unwrap();
}

#[test]
fn a_session_of_forty_events_as_a_person_would_read_it() {
    let world = World::with_corpus();
    for (path, text) in [
        (
            "hookshim/src/hook.rs",
            "pub fn run_hook() {}\npub struct Deadline;\n",
        ),
        (
            "daemon/src/writer.rs",
            "pub struct WriterHandle;\nfn group_commits() {}\n",
        ),
        ("daemon/src/serve.rs", "pub async fn serve() {}\n"),
        ("README.md", "# Helix\n"),
    ] {
        world.project.write(path, text).unwrap();
    }
    let session = world.session("forty");
    let mut log = String::new();
    let log = &mut log;
    told(log, "the session starts", session.start("startup").unwrap());
    told(
        log,
        "user: hi there",
        session.prompt("hi there, good morning").unwrap(),
    );
    told(
        log,
        "user: how long may a hook take?",
        session
            .prompt("how long may a hook take before the shim gives up?")
            .unwrap(),
    );
    told(
        log,
        "reads the shim",
        session.read("hookshim/src/hook.rs").unwrap(),
    );
    told(
        log,
        "reads it again",
        session.read("hookshim/src/hook.rs").unwrap(),
    );
    told(
        log,
        "greps",
        session
            .tool("Grep", &json!({"pattern": "WriterHandle"}))
            .unwrap(),
    );
    told(
        log,
        "globs",
        session
            .tool("Glob", &json!({"pattern": "**/*.toml"}))
            .unwrap(),
    );
    told(
        log,
        "reads the writer",
        session.read("daemon/src/writer.rs").unwrap(),
    );
    told(
        log,
        "user: go on",
        session.prompt("ok, go on please").unwrap(),
    );
    told(
        log,
        "edits the writer",
        session
            .edit(
                "daemon/src/writer.rs",
                "fn group_commits() {}",
                "fn commit_groups() {}",
            )
            .unwrap(),
    );
    told(log, "lists", session.ran("ls -la", "total 8").unwrap());
    told(
        log,
        "builds",
        session.failed("cargo build", MISTAKE).unwrap(),
    );
    told(
        log,
        "reads the manifest",
        session.read("Cargo.toml").unwrap(),
    );
    told(
        log,
        "edits the writer again",
        session.edit("daemon/src/writer.rs", "x", "y").unwrap(),
    );
    told(
        log,
        "builds again",
        session.failed("cargo build", MISTAKE).unwrap(),
    );
    told(
        log,
        "edits the server",
        session.edit("daemon/src/serve.rs", "x", "y").unwrap(),
    );
    told(
        log,
        "builds successfully",
        session.ran("cargo build", "Finished").unwrap(),
    );
    told(
        log,
        "tests",
        session
            .ran("cargo test", "test result: ok. 3 passed")
            .unwrap(),
    );
    told(
        log,
        "user: what about vectors?",
        session
            .prompt("which vectors are searched when filters leave few candidates?")
            .unwrap(),
    );
    told(
        log,
        "spawns an agent",
        session
            .spawn("Find how the store survives a power loss and report.")
            .unwrap(),
    );
    let agent = session.subagent("a1");
    told(
        log,
        "the agent starts",
        agent.hook("subagent", "SubagentStart", |_| ()).unwrap(),
    );
    told(
        log,
        "the agent reads the writer",
        agent.read("daemon/src/writer.rs").unwrap(),
    );
    told(
        log,
        "the agent greps",
        agent.tool("Grep", &json!({"pattern": "fsync"})).unwrap(),
    );
    told(
        log,
        "stores through its tool",
        session
            .hook("post-build", "PostToolUse-mcp__toy__recall", |input| {
                input["tool_name"] = "mcp__helix__store".into();
            })
            .unwrap(),
    );
    told(
        log,
        "is asked to permit storing",
        session
            .hook(
                "approve-mcp",
                "PermissionRequest-mcp__toy__recall",
                |input| {
                    input["tool_name"] = "mcp__helix__store".into();
                },
            )
            .unwrap(),
    );
    told(log, "reads the readme", session.read("README.md").unwrap());
    told(
        log,
        "user: thanks",
        session.prompt("thanks, that looks good").unwrap(),
    );
    told(
        log,
        "is compacted",
        session
            .hook("pre-compact", "PreCompact-auto", |_| ())
            .unwrap(),
    );
    told(
        log,
        "goes on after the compaction",
        session.start("compact").unwrap(),
    );
    told(
        log,
        "reads the writer once more",
        session.read("daemon/src/writer.rs").unwrap(),
    );
    told(
        log,
        "builds with the same mistake in another place",
        session.failed("cargo build", MISTAKE_AGAIN).unwrap(),
    );
    told(
        log,
        "edits the loader",
        session.edit("src/load.rs", "x", "y").unwrap(),
    );
    told(
        log,
        "builds successfully",
        session.ran("cargo build", "Finished").unwrap(),
    );
    told(
        log,
        "fails at something else",
        session
            .failed(
                "cat nothing.txt",
                "cat: nothing.txt: No such file or directory",
            )
            .unwrap(),
    );
    told(
        log,
        "edits the readme",
        session.edit("README.md", "x", "y").unwrap(),
    );
    told(
        log,
        "checks",
        session
            .ran("cargo clippy -- -D warnings", "Finished")
            .unwrap(),
    );
    told(
        log,
        "user: commit",
        session.prompt("commit this with a good message").unwrap(),
    );
    told(
        log,
        "commits",
        session.ran("git commit -am 'x'", "1 file changed").unwrap(),
    );
    told(log, "stops", session.stop().unwrap());
    told(
        log,
        "ends",
        session
            .hook("session-end", "SessionEnd-other", |_| ())
            .unwrap(),
    );
    insta::assert_snapshot!(log);
}

#[test]
fn a_resumed_session_is_not_given_the_next_best() {
    let world = World::with_corpus();
    let session = world.session("one");
    assert!(session.start("startup").unwrap().is_some());
    for _ in 0..3 {
        assert_eq!(session.start("resume").unwrap(), None);
    }
}
