//! Sources that change under their memories, checkpoints that outlive the daemon, and what a
//! session did.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;

use helix_client::caller;
use helix_proto::v1::checkpoint_request::Action;
use helix_proto::v1::edit_request::Action as Change;
use helix_proto::v1::{self, Program, SourceState};
use helix_tests::hook::Session;
use helix_tests::rpc::draft;
use helix_tests::{Project, Served};

const SOURCE: &str = "fn main() {\n    let lists = sorted();\n    fuse(lists);\n}\n";

/// A daemon with one project.
struct World {
    served: Served,
    project: Project,
}

impl World {
    fn new() -> Self {
        let served = Served::new().unwrap();
        let project = Project::new(&served.home, "billing").unwrap();
        Self { served, project }
    }

    fn restarted(self) -> Self {
        let Self { served, project } = self;
        Self {
            served: served.restarted().unwrap(),
            project,
        }
    }

    fn remember(&mut self, text: &str, source: &str) -> v1::Memory {
        self.served
            .rpc
            .store(
                Program::Mcp,
                &self.project.root,
                draft("kernels", text, source),
            )
            .unwrap()
    }

    fn caller(&self, session: &str) -> v1::Caller {
        caller(Program::Mcp, &self.project.root, "tests", session)
    }

    fn stale(&mut self) -> v1::StaleReply {
        self.stale_of("").unwrap()
    }

    fn stale_of(&mut self, topic: &str) -> Result<v1::StaleReply, tonic::Status> {
        let (caller, topic) = (Some(self.caller("")), topic.to_owned());
        let request = v1::StaleRequest {
            caller,
            topic,
            refresh: true,
            ..v1::StaleRequest::default()
        };
        self.served
            .rpc
            .call(async |rpc| rpc.stale(request.clone()).await)
    }

    fn read(&mut self, reference: &str) -> SourceState {
        self.memory(reference).source_state()
    }

    fn memory(&mut self, reference: &str) -> v1::Memory {
        let rpc = &mut self.served.rpc;
        rpc.read(&self.project.root, reference).unwrap()
    }

    fn checkpoint(&mut self, action: Action) -> Result<v1::CheckpointReply, tonic::Status> {
        let request = v1::CheckpointRequest {
            caller: Some(self.caller("")),
            action: Some(action),
        };
        self.served
            .rpc
            .call(async |rpc| rpc.checkpoint(request.clone()).await)
    }
}

#[test]
fn a_source_is_followed_by_its_content() {
    let mut world = World::new();
    world.project.write("src/kernels.rs", SOURCE).unwrap();
    world.project.write("src/other.rs", SOURCE).unwrap();
    let about_line = world
        .remember(
            "The lists must be sorted before they are fused.",
            "src/kernels.rs:3",
        )
        .handle;
    let about_file = world
        .remember("These kernels were ported from C by hand.", "src/other.rs")
        .handle;
    world.remember("Nobody has ever seen this file.", "src/absent.rs");
    let forged = v1::Draft {
        attributes: [("helix.line".to_owned(), "00".to_owned())].into(),
        ..draft("kernels", "forged", "src/kernels.rs:1")
    };
    assert!(
        world
            .served
            .rpc
            .store(Program::Mcp, &world.project.root, forged)
            .is_err()
    );

    let fresh = world.stale();
    assert_eq!((fresh.stale.len(), fresh.checked, fresh.unknown), (0, 2, 1));
    let checked = world.stale_of("kern*").unwrap().checked;
    assert_eq!(
        (checked, world.stale_of("kernels").unwrap().checked),
        (2, 2)
    );
    for (topic, said) in [
        ("kernels:0", "names a memory"),
        ("x*", "no topic here fits"),
        ("kernel", "near: kernels"),
    ] {
        let refused = world.stale_of(topic).unwrap_err();
        assert!(refused.message().contains(said), "{refused:?}");
    }
    assert_eq!(world.read(&about_line), SourceState::Fresh);

    // The line moves in one file, the other is written again as it was.
    world
        .project
        .write(
            "src/kernels.rs",
            &format!("//! New.\n\n{}", SOURCE.replace("    ", "\t")),
        )
        .unwrap();
    world.project.write("src/other.rs", SOURCE).unwrap();
    assert_eq!(world.stale().stale, []);
    let line = world.memory(&about_line);
    assert_eq!(
        (line.source_state(), line.moved_to_line),
        (SourceState::Fresh, Some(5))
    );
    assert_eq!(world.memory(&about_file).moved_to_line, None);

    world
        .project
        .write(
            "src/kernels.rs",
            &SOURCE.replace("fuse(lists)", "fuse_sorted(lists)"),
        )
        .unwrap();
    fs::remove_file(world.project.root.join("src/other.rs")).unwrap();
    let stale = world.stale();
    let found: Vec<_> = stale
        .stale
        .iter()
        .map(|stale| (stale.memory.as_ref().unwrap(), &stale.current))
        .collect();
    let [(line, current), (file, gone)] = found.as_slice() else {
        unreachable!("{stale:?}")
    };
    assert_eq!(
        (line.handle.as_str(), line.source_state()),
        (about_line.as_str(), SourceState::Changed)
    );
    assert!(
        current.contains("fuse_sorted(lists);") && current.lines().count() == 4,
        "{current}"
    );
    assert_eq!(
        (file.handle.as_str(), file.source_state()),
        (about_file.as_str(), SourceState::Deleted)
    );
    assert_eq!(gone.as_str(), "");
    assert_eq!(world.read(&about_file), SourceState::Deleted);
    assert!(
        (line.confidence - 1.0).abs() < f32::EPSILON,
        "nothing is written back"
    );
    assert_eq!(line.doubted_confidence, Some(0.7), "and it is less trusted");
}

#[test]
fn a_source_above_the_working_directory_is_watched() {
    let mut world = World::new();
    world.project.write("src/kernels.rs", SOURCE).unwrap();
    world.project.write("src/deep/x.rs", "").unwrap();
    let deep = world.project.root.join("src/deep");
    for (text, source) in [
        (
            "The lists must be sorted before they are fused.",
            "../kernels.rs:3",
        ),
        (
            "Fusing takes what sorting gave and nothing else.",
            "../deep/../kernels.rs:3",
        ),
        (
            "Kernels here were ported from C by hand.",
            "src/deep/../kernels.rs:3",
        ),
    ] {
        let stored = world
            .served
            .rpc
            .store(Program::Mcp, &deep, draft("kernels", text, source))
            .unwrap();
        assert_eq!(stored.source.unwrap().path, "src/kernels.rs", "{source}");
    }
    assert_eq!((world.stale().stale.len(), world.stale().checked), (0, 3));
    let session = Session::new(&world.served.home, &world.project, "s");
    let context = session.read("src/deep/../kernels.rs").unwrap().unwrap();
    assert!(
        context.contains("must be sorted before they are fused"),
        "{context}"
    );
    world
        .project
        .write(
            "src/kernels.rs",
            &SOURCE.replace("fuse(lists)", "fuse_sorted(lists)"),
        )
        .unwrap();
    assert_eq!(world.stale().stale.len(), 3);
}

#[test]
fn who_revises_a_memory_has_looked_at_its_source() {
    let mut world = World::new();
    world.project.write("src/kernels.rs", SOURCE).unwrap();
    let handle = world
        .remember(
            "The lists must be sorted before they are fused.",
            "src/kernels.rs:3",
        )
        .handle;
    let change = |world: &mut World, action: Change| {
        let request = v1::EditRequest {
            caller: Some(world.caller("")),
            action: Some(action),
            ..v1::EditRequest::default()
        };
        world
            .served
            .rpc
            .call(async |rpc| rpc.edit(request.clone()).await)
            .unwrap()
    };
    let target = || {
        Some(v1::Target {
            reference: handle.clone(),
            ..v1::Target::default()
        })
    };
    let revise = |text: &str| {
        Change::Revise(v1::ReviseText {
            target: target(),
            text: text.to_owned(),
        })
    };

    // The line changes and moves down by one.
    let changed = format!(
        "//! New.\n{}",
        SOURCE.replace("fuse(lists)", "fuse_sorted(lists)")
    );
    world.project.write("src/kernels.rs", &changed).unwrap();
    let add = vec!["fusion".to_owned()];
    change(
        &mut world,
        Change::Tag(v1::ChangeTags {
            target: target(),
            add,
            remove: Vec::new(),
        }),
    );
    change(
        &mut world,
        Change::Append(v1::AppendText {
            target: target(),
            text: "So says the paper.".to_owned(),
        }),
    );
    assert_eq!(
        world.stale().stale.len(),
        1,
        "a tag or a line more says nothing about the source"
    );

    let reply = change(&mut world, revise("Only sorted lists are fused."));
    assert_eq!(
        reply.warnings,
        ["its source src/kernels.rs:3 counts as seen as it is now"]
    );
    assert_eq!(world.stale().stale, []);
    world
        .project
        .write("src/kernels.rs", &changed.replace("sorted()", "read()"))
        .unwrap();
    assert_eq!(
        world.stale().stale.len(),
        1,
        "the line that stands there now is watched"
    );

    // The same text again is a confirmation; a line that only moved is followed.
    let reply = change(&mut world, revise("Only sorted lists are fused."));
    assert_eq!((reply.changed, world.stale().stale.len()), (1, 0));
    world
        .project
        .write(
            "src/kernels.rs",
            &format!("\n\n{}", changed.replace("sorted()", "read()")),
        )
        .unwrap();
    let reply = change(&mut world, revise("Sorted lists are fused."));
    let memory = reply.memories.first().unwrap();
    assert_eq!(
        (memory.source.as_ref().unwrap().line, reply.warnings.len()),
        (5, 0)
    );

    fs::remove_file(world.project.root.join("src/kernels.rs")).unwrap();
    let reply = change(&mut world, revise("Lists were fused."));
    assert!(
        reply
            .warnings
            .first()
            .unwrap()
            .contains("src/kernels.rs:5 is gone; `set`"),
        "{reply:?}"
    );
    assert_eq!(world.stale().stale.len(), 1);
}

#[test]
fn a_changed_source_costs_rank_and_is_shown() {
    let mut world = World::new();
    world.project.write("src/kernels.rs", SOURCE).unwrap();
    world.project.write("src/other.rs", SOURCE).unwrap();
    let first = world
        .remember("Walrus lists are sorted once.", "src/kernels.rs:3")
        .handle;
    let second = world
        .remember("Walrus lists are sorted twice.", "src/other.rs:3")
        .handle;
    let confidence = |world: &mut World, handle: &str| {
        let request = v1::SearchRequest {
            caller: Some(world.caller("")),
            query: "walrus lists sorted".to_owned(),
            explain: true,
            ..v1::SearchRequest::default()
        };
        let found = world
            .served
            .rpc
            .call(async |rpc| rpc.search(request.clone()).await)
            .unwrap();
        let hit = found.hits.into_iter().find(|hit| {
            hit.memory
                .as_ref()
                .is_some_and(|found| found.handle == handle)
        });
        let hit = hit.unwrap();
        (
            hit.memory.unwrap().source_state(),
            hit.explanation.unwrap().confidence_factor,
        )
    };
    let (state, before) = confidence(&mut world, &first);
    assert_eq!(state, SourceState::Fresh);
    world
        .project
        .write("src/kernels.rs", "// nothing is left\n")
        .unwrap();
    let (state, after) = confidence(&mut world, &first);
    assert_eq!(state, SourceState::Changed);
    assert!(after < before, "{after} {before}");
    assert_eq!(
        confidence(&mut world, &second),
        (SourceState::Fresh, before)
    );

    let session = Session::new(&world.served.home, &world.project, "s");
    let context = session.read("src/kernels.rs").unwrap().unwrap();
    assert!(
        context.contains("(src/kernels.rs:3) (source changed): Walrus lists are sorted once."),
        "{context}"
    );
}

#[test]
fn a_brief_doubts_what_its_source_no_longer_says() {
    let mut world = World::new();
    world.project.write("src/kernels.rs", SOURCE).unwrap();
    let first = world
        .remember("Walrus lists are sorted once.", "src/kernels.rs:3")
        .handle;
    let second = world.remember("Ocelots never wait for anybody.", "").handle;
    let brief = |world: &mut World, query: &str, detail: v1::BriefDetail| {
        let request = v1::BriefRequest {
            caller: Some(world.caller("")),
            query: query.to_owned(),
            detail: detail.into(),
            ..v1::BriefRequest::default()
        };
        let reply = world
            .served
            .rpc
            .call(async |rpc| rpc.brief(request.clone()).await)
            .unwrap();
        (
            reply.text,
            serde_json::from_str::<serde_json::Value>(&reply.json).unwrap(),
        )
    };
    let (text, json) = brief(&mut world, "kernels", v1::BriefDetail::Full);
    assert!(!text.contains("STALE") && json["stale"] == 0, "{text}");

    world
        .project
        .write("src/kernels.rs", "// nothing is left\n")
        .unwrap();
    let (text, json) = brief(&mut world, "kernels", v1::BriefDetail::Full);
    assert!(
        text.contains(&format!("[{first}] [STALE, confidence 0.70] ")),
        "{text}"
    );
    assert!(
        text.ends_with("OF 2 MEMORIES: 1 stale (source changed)\n"),
        "{text}"
    );
    assert_eq!(
        (&json["stale"], &json["hot"]),
        (&1.into(), &serde_json::json!([second, first]))
    );
    let shown = json["categories"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|section| section["memories"].as_array().unwrap());
    let doubted: Vec<_> = shown.filter(|memory| memory["is_stale"] == true).collect();
    assert_eq!(doubted.len(), 1);
    assert!(
        (doubted[0]["confidence"].as_f64().unwrap() - 0.7).abs() < 1e-6,
        "{doubted:?}"
    );

    let (text, _) = brief(&mut world, "kernels", v1::BriefDetail::Summary);
    assert!(
        text.contains(&format!("[{first}] [STALE] Walrus lists")),
        "{text}"
    );
    let (text, json) = brief(&mut world, "", v1::BriefDetail::Summary);
    assert!(
        text.contains(&format!("[{first}] [STALE] Walrus lists")),
        "{text}"
    );
    assert_eq!(json["hot_stale"], serde_json::json!([first]));
}

fn task(task: &str) -> v1::TaskCheckpoint {
    let next = ["Debug RMSNorm output", " ", "Compare against llama.cpp"]
        .map(str::to_owned)
        .to_vec();
    v1::TaskCheckpoint {
        task: task.to_owned(),
        next,
        ..v1::TaskCheckpoint::default()
    }
}

#[test]
fn a_checkpoint_outlives_a_killed_daemon_until_it_is_cleared() {
    let mut world = World::new();
    let none = world
        .checkpoint(Action::Load(v1::LoadCheckpoint::default()))
        .unwrap();
    assert_eq!(none.checkpoint, None);
    assert!(
        none.text
            .starts_with("No checkpoint is saved for project billing; save one"),
        "{}",
        none.text
    );
    assert!(world.checkpoint(Action::Save(task(" "))).is_err());

    let saved = world
        .checkpoint(Action::Save(task("Port the kernels")))
        .unwrap();
    assert_eq!(
        saved.text,
        "Checkpoint saved for project billing: Port the kernels"
    );
    let replaced = world
        .checkpoint(Action::Save(task("Implement the kernel")))
        .unwrap();
    assert!(
        replaced
            .text
            .contains("\nIt replaced Port the kernels (saved "),
        "{}",
        replaced.text
    );

    let mut world = world.restarted();
    let loaded = world
        .checkpoint(Action::Load(v1::LoadCheckpoint::default()))
        .unwrap();
    let (heading, rest) = loaded.text.split_once("\n_saved ").unwrap();
    assert_eq!(heading, "## Checkpoint: Implement the kernel");
    assert!(
        rest.ends_with(
            " ago_\n\nNext:\n  [ ] Debug RMSNorm output\n  [ ] Compare against llama.cpp"
        ),
        "{rest}"
    );
    let loaded = loaded.checkpoint.unwrap();
    assert_eq!((loaded.agent.as_str(), loaded.next.len()), ("tests", 2));

    let cleared = world
        .checkpoint(Action::Clear(v1::ClearCheckpoint {}))
        .unwrap();
    assert!(
        cleared
            .text
            .starts_with("Checkpoint cleared for project billing: Implement"),
        "{}",
        cleared.text
    );
    let again = world
        .checkpoint(Action::Clear(v1::ClearCheckpoint {}))
        .unwrap();
    assert_eq!(
        (again.checkpoint, again.text.contains("nothing to clear")),
        (None, true)
    );
}

#[test]
fn a_session_starts_with_the_checkpoint_and_resumes_with_all_of_it() {
    let mut world = World::new();
    world
        .checkpoint(Action::Save(task("Implement the kernel")))
        .unwrap();
    let session = Session::new(&world.served.home, &world.project, "s");
    let start = session.start("startup").unwrap().unwrap();
    assert!(start.contains("Checkpoint, saved "), "{start}");
    assert!(
        start.contains("Next: Debug RMSNorm output; Compare against llama.cpp"),
        "{start}"
    );
    let resume = session.start("resume").unwrap().unwrap();
    assert!(
        resume.contains("## Checkpoint: Implement the kernel\n"),
        "{resume}"
    );
    assert_eq!(session.start("resume").unwrap(), None);
    // A compacted context holds nothing of it any more.
    assert!(
        session
            .start("compact")
            .unwrap()
            .unwrap()
            .contains("  [ ] Debug RMSNorm output\n")
    );
}

#[test]
fn a_session_log_has_what_the_session_did() {
    let mut world = World::new();
    for (session, text) in [
        ("one", "Ocelots sort lists."),
        ("two", "Tamarins fuse them."),
        ("one", "Kestrels wait.\nLong."),
    ] {
        let request = v1::StoreRequest {
            caller: Some(world.caller(session)),
            draft: Some(draft("animals", text, "")),
            force: true,
        };
        world
            .served
            .rpc
            .call(async |rpc| rpc.store(request.clone()).await)
            .unwrap();
    }
    let mut log = |own: &str, named: &str, limit| {
        let request = v1::SessionLogRequest {
            caller: Some(world.caller(own)),
            session: named.to_owned(),
            limit,
            list: false,
        };
        let reply = world
            .served
            .rpc
            .call(async |rpc| rpc.session_log(request.clone()).await)
            .unwrap();
        let lines = reply
            .operations
            .into_iter()
            .map(|found| format!("{} {}", found.kind, found.summary));
        (lines.collect::<Vec<_>>(), reply.total)
    };
    let of_one = vec![
        "store Ocelots sort lists.".to_owned(),
        "store Kestrels wait.".to_owned(),
    ];
    assert_eq!(log("", "one", 0), (of_one.clone(), 2));
    assert_eq!(log("one", "", 1), (of_one.get(1..).unwrap().to_vec(), 2));
    assert_eq!(log("", "", 0).0.len(), 3);
    // One's own session may have done nothing yet; one that is named is there or not.
    assert_eq!(log("three", "", 0), (Vec::new(), 0));
    let request = v1::SessionLogRequest {
        session: "three".to_owned(),
        ..v1::SessionLogRequest::default()
    };
    let refused = world
        .served
        .rpc
        .call(async |rpc| rpc.session_log(request.clone()).await)
        .unwrap_err();
    assert!(refused.to_string().contains("no session"), "{refused}");
    let request = v1::SessionLogRequest {
        list: true,
        ..v1::SessionLogRequest::default()
    };
    let listed = world
        .served
        .rpc
        .call(async |rpc| rpc.session_log(request.clone()).await)
        .unwrap();
    let names: Vec<&str> = listed
        .sessions
        .iter()
        .map(|session| session.session.as_str())
        .collect();
    assert_eq!((names, listed.total), (vec!["one", "two"], 2));
}
