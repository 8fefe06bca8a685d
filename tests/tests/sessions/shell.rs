//! Files and searches that an agent reads by its shell, and files that it patches: it is told of
//! them as of those that it has tools for.

use helix_proto::v1::ReceiptsRequest;
use helix_tests::fixtures::hook_samples;
use helix_tests::{HookClient, HookRun, Rpc};
use serde_json::{Value, json};

use crate::{World, mentions};

const FILE: &str = "src/ledger.rs";
const SOURCE: &str = "fn post_entry() {}\n";

/// A command of Codex's shell, as one of its samples has it.
fn of_codex(world: &World, sample: &str, session: &str, command: &str) -> Value {
    let samples = hook_samples().unwrap();
    let sample = samples
        .into_iter()
        .find(|known| known.name == format!("codex-0.169.0/{sample}"));
    let mut input = sample.unwrap().input;
    input["session_id"] = session.into();
    input["tool_use_id"] = format!("{session} {command}").into();
    input["cwd"] = world.project.root.to_string_lossy().into();
    input["tool_input"]["command"] = command.into();
    input
}

/// Returns what Codex is told before a command.
fn warned_codex(world: &World, session: &str, command: &str) -> Option<String> {
    let input = of_codex(world, "PreToolUse-Bash", session, command);
    let run = HookRun::by(
        &world.home,
        HookClient::Codex,
        "ambient",
        input.to_string().as_bytes(),
    )
    .unwrap();
    run.check_taken_by(HookClient::Codex, "PreToolUse").unwrap()
}

/// Returns what Codex is told after a command that wrote something.
fn told_codex(world: &World, session: &str, command: &str, output: &str) -> Option<String> {
    let mut input = of_codex(world, "PostToolUse-Bash", session, command);
    input["tool_response"] = output.into();
    let run = HookRun::by(
        &world.home,
        HookClient::Codex,
        "post-build",
        input.to_string().as_bytes(),
    )
    .unwrap();
    run.check_taken_by(HookClient::Codex, "PostToolUse")
        .unwrap()
}

#[test]
fn a_file_that_a_shell_shows_is_told_of_once() {
    let world = World::new();
    world.project.write(FILE, SOURCE).unwrap();
    let handle = world.remember_of("ledger", "Postings are written in one transaction.", FILE);
    let session = world.session("one");
    let context = session.ran("sed -n '1,80p' src/ledger.rs", SOURCE).unwrap();
    assert!(
        mentions(context.as_ref(), &handle) && context.unwrap().contains("About src/ledger.rs:")
    );
    assert_eq!(
        session.ran("cat src/ledger.rs | head -5", SOURCE).unwrap(),
        None,
        "it knows by now"
    );
    assert_eq!(session.read(FILE).unwrap(), None);
    world.await_fates(["unknown"]);
    let mut rpc = Rpc::connect(&world.home).unwrap();
    let receipts = rpc
        .call(async |client| client.receipts(ReceiptsRequest::default()).await)
        .unwrap()
        .receipts;
    assert_eq!(
        receipts
            .iter()
            .map(|receipt| receipt.event.as_str())
            .collect::<Vec<_>>(),
        ["ambient"]
    );
    let lines = world.activity("one");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("Files: 1 touched")),
        "{lines:?}"
    );
    let others = [
        "nl -ba src/ledger.rs | sed -n '1,9p'",
        "cd src && cat ledger.rs",
    ];
    for (at, line) in others.into_iter().enumerate() {
        assert!(
            mentions(
                told_codex(&world, &format!("c{at}"), line, SOURCE).as_ref(),
                &handle
            ),
            "{line}"
        );
    }
}

#[test]
fn every_file_that_a_line_shows_is_told_of() {
    let world = World::new();
    world.project.write(FILE, SOURCE).unwrap();
    world
        .project
        .write("src/report.rs", "fn print_report() {}\n")
        .unwrap();
    let ledger = world.remember_of("ledger", "Postings are written in one transaction.", FILE);
    let report = world.remember_of("paper", "Printed in landscape.", "src/report.rs");
    for (at, line) in [
        "cat src/ledger.rs src/report.rs",
        "cat src/ledger.rs && cat src/report.rs",
        "sed -n 1,9p src/ledger.rs; sed -n 1,9p src/report.rs",
        "head -20 src/ledger.rs src/report.rs",
    ]
    .into_iter()
    .enumerate()
    {
        let (claude, codex) = (format!("s{at}"), format!("c{at}"));
        for context in [
            world.session(&claude).ran(line, SOURCE).unwrap(),
            told_codex(&world, &codex, line, SOURCE),
        ] {
            assert!(
                mentions(context.as_ref(), &ledger) && mentions(context.as_ref(), &report),
                "{line}: {context:?}"
            );
            assert!(
                context
                    .unwrap()
                    .contains("About src/ledger.rs, src/report.rs:"),
                "{line}"
            );
        }
    }
}

#[test]
fn every_file_of_a_patch_is_told_of() {
    let world = World::new();
    world.project.write("README.md", "a\n").unwrap();
    world.project.write(FILE, SOURCE).unwrap();
    world
        .project
        .write("src/report.rs", "fn print_report() {}\n")
        .unwrap();
    let ledger = world.remember_of(
        "ledger",
        "post_entry writes postings in one transaction.",
        FILE,
    );
    let report = world.remember_of("paper", "Printed in landscape.", "src/report.rs");
    let patch = "*** Begin Patch\n*** Update File: README.md\n@@\n-a\n+b\n*** Update File: src/ledger.rs\n@@\n\
                 -fn post_entry() {}\n+fn write_entry() {}\n*** Delete File: src/report.rs\n*** End Patch";
    let session = world.session("one");
    let context = session
        .tool("apply_patch", &json!({ "input": patch }))
        .unwrap();
    assert!(
        mentions(context.as_ref(), &ledger) && mentions(context.as_ref(), &report),
        "{context:?}"
    );
    let context = context.unwrap();
    assert!(
        context.contains("About src/ledger.rs, src/report.rs:"),
        "{context}"
    );
    assert!(
        context
            .contains("this change removes post_entry of src/ledger.rs, which is mentioned below"),
        "{context}"
    );
    let lines = world.activity("one");
    assert!(
        lines
            .iter()
            .any(|line| line == "Files: 3 touched, 3 edited"),
        "{lines:?}"
    );
}

#[test]
fn a_patch_by_a_shell_is_an_edit() {
    let world = World::new();
    world.project.write(FILE, SOURCE).unwrap();
    let ledger = world.remember_of(
        "ledger",
        "post_entry writes postings in one transaction.",
        FILE,
    );
    let document = "<<'EOF'\n*** Begin Patch\n*** Update File: src/ledger.rs\n@@\n-fn post_entry() {}\n\
                    +fn write_entry() {}\n*** End Patch\nEOF\n";
    let success = "Success. Updated the following files:\nM src/ledger.rs\n";
    for (at, line) in [
        format!("apply_patch {document}"),
        format!("bash -lc \"apply_patch {document}\""),
        format!(
            "cd {} && apply_patch {document}",
            world.project.root.display()
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let session = format!("c{at}");
        let told = told_codex(&world, &session, &line, success);
        assert!(mentions(told.as_ref(), &ledger), "{line}: {told:?}");
        assert!(
            told.unwrap()
                .contains("this change removes post_entry, which is mentioned below"),
            "{line}"
        );
        let lines = world.activity(&session);
        assert!(
            lines
                .iter()
                .any(|line| line == "Files: 1 touched, 1 edited"),
            "{lines:?}"
        );
    }
    let refused = told_codex(
        &world,
        "refused",
        &format!("apply_patch {document}"),
        "Failed to find expected lines",
    );
    assert_eq!(refused, None);
    assert!(
        world
            .activity("refused")
            .iter()
            .any(|line| line == "Files: 0 touched, 0 edited")
    );
}

#[test]
fn a_patch_that_codex_carries_out_itself_is_an_edit() {
    let world = World::new();
    world.project.write(FILE, SOURCE).unwrap();
    let ledger = world.remember_of(
        "ledger",
        "post_entry writes postings in one transaction.",
        FILE,
    );
    let line = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/ledger.rs\n@@\n-fn post_entry() {}\n\
                +fn write_entry() {}\n*** End Patch\nEOF\n";
    // It tells of such a line before and never after.
    let told = warned_codex(&world, "one", line);
    assert!(mentions(told.as_ref(), &ledger), "{told:?}");
    assert!(
        told.unwrap()
            .contains("this change removes post_entry, which is mentioned below")
    );
    let lines = world.activity("one");
    assert!(
        lines
            .iter()
            .any(|line| line == "Files: 1 touched, 1 edited"),
        "{lines:?}"
    );
    // One that it leaves to the shell comes twice.
    assert_eq!(
        told_codex(
            &world,
            "one",
            line,
            "Success. Updated the following files:\nM src/ledger.rs\n"
        ),
        None
    );
    assert!(
        world
            .activity("one")
            .iter()
            .any(|line| line == "Files: 1 touched, 1 edited")
    );
    for other in ["cat src/ledger.rs", "cargo test", "echo apply_patch"] {
        assert_eq!(warned_codex(&world, "two", other), None, "{other}");
    }
}

#[test]
fn a_deleted_file_loses_what_it_declares() {
    let world = World::new();
    world.project.write(FILE, SOURCE).unwrap();
    let named = world.remember("exchange", "The exporter calls post_entry by its name.");
    let patch = |patch: &str| json!({ "input": format!("*** Begin Patch\n{patch}*** End Patch") });
    let deleted = world
        .session("one")
        .tool("apply_patch", &patch("*** Delete File: src/ledger.rs\n"))
        .unwrap();
    assert!(mentions(deleted.as_ref(), &named), "{deleted:?}");
    assert!(
        deleted
            .unwrap()
            .contains("this change removes post_entry, which is mentioned below")
    );
    let moved = "*** Delete File: src/ledger.rs\n*** Add File: src/book.rs\n+fn post_entry() {}\n";
    let moved = world
        .session("two")
        .tool("apply_patch", &patch(moved))
        .unwrap();
    assert!(!moved.is_some_and(|told| told.contains("removes")));
}

#[test]
fn a_search_by_a_shell_is_told_of_as_a_search() {
    let world = World::new();
    world.project.write(FILE, SOURCE).unwrap();
    let named = world.remember("exchange", "post_entry is called twice for a reversal.");
    let searches = [
        "rg -n post_entry",
        "grep -rn 'post_entry(' src",
        "rg post_entry | head -3",
    ];
    for (at, line) in searches.into_iter().enumerate() {
        let (claude, codex) = (format!("s{at}"), format!("c{at}"));
        let output = "src/ledger.rs:1:fn post_entry() {}";
        assert!(
            mentions(
                world.session(&claude).ran(line, output).unwrap().as_ref(),
                &named
            ),
            "{line}"
        );
        assert!(
            mentions(told_codex(&world, &codex, line, output).as_ref(), &named),
            "{line}"
        );
    }
}

#[test]
fn other_commands_are_told_of_nothing() {
    let world = World::new();
    world.project.write(FILE, SOURCE).unwrap();
    world.remember_of(
        "ledger",
        "post_entry writes postings in one transaction.",
        FILE,
    );
    for (at, line) in [
        "ls src",
        "wc -l src/ledger.rs",
        "git log --oneline | grep post_entry",
        "cat src/*.rs",
        "cat src/missing.rs",
        "cat src/ledger.rs | wc -l",
        "cat > src/ledger.rs <<'EOF'\nfn a() {}\nEOF",
        "cp src/ledger.rs /tmp/ledger.rs",
        "helixctl search post_entry | head -3",
        "cargo build && cat src/ledger.rs",
        "awk '{print > \"b.rs\"}' src/ledger.rs",
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(
            world.session(&format!("s{at}")).ran(line, "").unwrap(),
            None,
            "{line}"
        );
        assert_eq!(
            told_codex(&world, &format!("c{at}"), line, ""),
            None,
            "{line}"
        );
    }
}
