//! `Edit` and `Compact` over the socket: which memory is meant, what is refused, and what the
//! caller is told.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use helix_client::caller;
use helix_client::v1::edit_request::Action;
use helix_client::v1::{
    AppendText, ChangeTags, CompactReply, CompactRequest, DeleteMemories, Draft, EditReply,
    EditRequest, ForgetRequest, Memory, MergeTopic, Program, ReadRequest, RenameTopic,
    RestoreMemory, ReviseText, SetFields, StoreReply, StoreRequest, Target,
};
use helix_tests::rpc::draft;
use helix_tests::{Project, Served};
use tonic::{Code, Status};

struct World {
    served: Served,
    cwd: PathBuf,
    elsewhere: PathBuf,
}

impl World {
    fn new() -> Self {
        let served = Served::new().unwrap();
        let cwd = Project::new(&served.home, "billing").unwrap().root;
        let elsewhere = Project::new(&served.home, "other").unwrap().root;
        Self {
            served,
            cwd,
            elsewhere,
        }
    }

    fn store(&mut self, topic: &str, text: &str) -> Memory {
        self.store_draft(draft(topic, text, ""))
    }

    fn store_draft(&mut self, draft: Draft) -> Memory {
        self.served
            .rpc
            .store(Program::Mcp, &self.cwd, draft)
            .unwrap()
    }

    fn edit(&mut self, action: Action) -> Result<EditReply, Status> {
        self.edit_expecting(action, None)
    }

    fn edit_expecting(
        &mut self,
        action: Action,
        expected_sequence: Option<u64>,
    ) -> Result<EditReply, Status> {
        let caller = Some(caller(Program::Mcp, &self.cwd, "tests", ""));
        let request = EditRequest {
            caller,
            action: Some(action),
            expected_sequence,
        };
        self.served
            .rpc
            .call(async |rpc| rpc.edit(request.clone()).await)
    }

    /// Stores and returns the whole answer.
    fn try_store(&mut self, draft: Draft) -> StoreReply {
        let caller = Some(caller(Program::Mcp, &self.cwd, "tests", ""));
        let request = StoreRequest {
            caller,
            draft: Some(draft),
            force: true,
        };
        self.served
            .rpc
            .call(async |rpc| rpc.store(request.clone()).await)
            .unwrap()
    }

    fn read(&mut self, reference: &str) -> Memory {
        self.try_read(reference).unwrap()
    }

    fn try_read(&mut self, reference: &str) -> Result<Memory, Status> {
        let caller = Some(caller(Program::Mcp, &self.cwd, "tests", ""));
        let request = ReadRequest {
            caller,
            reference: reference.to_owned(),
            ..ReadRequest::default()
        };
        Ok(self
            .served
            .rpc
            .call(async |rpc| rpc.read(request.clone()).await)?
            .memories
            .remove(0))
    }

    fn compact(&mut self, request: CompactRequest) -> CompactReply {
        let caller = Some(caller(Program::Ctl, &self.cwd, "tests", ""));
        let request = CompactRequest { caller, ..request };
        self.served
            .rpc
            .call(async |rpc| rpc.compact(request.clone()).await)
            .unwrap()
    }
}

fn target(reference: &str) -> Target {
    Target {
        reference: reference.to_owned(),
        ..Target::default()
    }
}

fn append(target: Target, text: &str) -> Action {
    Action::Append(AppendText {
        target: Some(target),
        text: text.to_owned(),
    })
}

fn revise(target: Target, text: &str) -> Action {
    Action::Revise(ReviseText {
        target: Some(target),
        text: text.to_owned(),
    })
}

fn delete(target: Target, all: bool) -> Action {
    Action::Delete(DeleteMemories {
        target: Some(target),
        all,
        scopes: Vec::new(),
    })
}

fn only(reply: &EditReply) -> &Memory {
    assert_eq!(reply.memories.len(), 1, "{reply:?}");
    reply.memories.first().unwrap()
}

#[test]
fn texts_are_appended_to_and_revised() {
    let mut world = World::new();
    world.store("cache", "the walrus cache warms slowly");
    let newest = world.store("cache", "the kestrel cache is cold");
    let reply = world.edit(append(target("Cache"), "since Monday")).unwrap();
    assert_eq!(only(&reply).text, "the kestrel cache is cold\nsince Monday");
    assert_eq!(
        (
            reply.changed,
            reply.topic.as_str(),
            only(&reply).id.as_slice()
        ),
        (1, "cache", newest.id.as_slice())
    );
    assert!(
        reply
            .warnings
            .iter()
            .any(|warning| warning.contains("newest")),
        "{reply:?}"
    );

    let unclear = world
        .edit(revise(target("cache"), "gotcha: anything"))
        .unwrap();
    assert_eq!((unclear.changed, unclear.candidates.len()), (0, 2));
    let walrus = Target {
        match_text: "WALRUS".to_owned(),
        ..target("cache")
    };
    let reply = world
        .edit(revise(walrus, "gotcha: the ocelot cache"))
        .unwrap();
    assert_eq!(
        (only(&reply).text.as_str(), only(&reply).tags.as_slice()),
        ("gotcha: the ocelot cache", ["gotcha".to_owned()].as_slice())
    );
    assert!(only(&reply).attributes.contains_key("helix.modified"));
    let both = Target {
        match_text: "cache".to_owned(),
        ..target("cache")
    };
    let two = world.edit(delete(both, false)).unwrap();
    assert_eq!((two.candidates.len(), two.candidates_total), (2, 0));
    for n in 0..12 {
        world.store("dogs", &format!("the {n} dogs of {}", "word ".repeat(n)));
    }
    let dogs = Target {
        match_text: "dogs".to_owned(),
        ..target("dogs")
    };
    for unclear in [delete(dogs, false), revise(target("dogs"), "anything")] {
        let unclear = world.edit(unclear).unwrap();
        assert_eq!(
            (
                unclear.changed,
                unclear.candidates.len(),
                unclear.candidates_total
            ),
            (0, 10, 12)
        );
    }

    let long = world
        .edit(append(target("cache:0"), &"x".repeat(70_000)))
        .unwrap_err();
    assert_eq!(long.code(), Code::ResourceExhausted);
    assert!(long.message().contains("65536"), "{long:?}");
    let missing = Target {
        index: Some(7),
        ..target("cache")
    };
    assert_eq!(
        world.edit(append(missing, "y")).unwrap_err().code(),
        Code::NotFound
    );
}

#[test]
fn an_edit_of_an_older_version_is_aborted() {
    let mut world = World::new();
    let memory = world.store("cache", "the walrus cache");
    let handle = memory.handle.as_str();
    let first = world
        .edit_expecting(append(target(handle), "one"), Some(memory.sequence))
        .unwrap();
    let stale = world
        .edit_expecting(revise(target(handle), "two"), Some(memory.sequence))
        .unwrap_err();
    assert_eq!(stale.code(), Code::Aborted);
    assert!(
        stale.message().contains(handle) && stale.message().contains("read it again"),
        "{stale:?}"
    );
    let second = world
        .edit_expecting(revise(target(handle), "two"), Some(only(&first).sequence))
        .unwrap();
    assert_eq!(only(&second).text, "two");
    // What is so already is no change, and the version stays.
    let same = world
        .edit_expecting(revise(target(handle), "two"), Some(only(&second).sequence))
        .unwrap();
    assert_eq!(
        (same.changed, only(&same).sequence),
        (0, only(&second).sequence)
    );
    let whole = world
        .edit_expecting(delete(target("cache"), true), Some(1))
        .unwrap_err();
    assert_eq!(whole.code(), Code::InvalidArgument);
}

#[test]
fn deleting_by_index_names_the_memory_and_says_that_indexes_moved() {
    let mut world = World::new();
    let [first, second, third] =
        ["the walrus", "the kestrel", "the ocelot"].map(|text| world.store("cache", text));
    for (index, gone, behind) in [
        (0, first, "2 behind it in topic cache"),
        (0, second, "1 behind it"),
    ] {
        let reply = world
            .edit(delete(
                Target {
                    index: Some(index),
                    ..target("cache")
                },
                false,
            ))
            .unwrap();
        assert_eq!(only(&reply).handle, gone.handle);
        assert!(
            reply
                .warnings
                .iter()
                .any(|warning| warning.contains(behind)),
            "{reply:?}"
        );
    }
    let reply = world.edit(delete(target("cache:0"), false)).unwrap();
    assert_eq!(
        (only(&reply).handle.as_str(), reply.warnings.len()),
        (third.handle.as_str(), 0)
    );
}

#[test]
fn tags_and_fields_change() {
    let mut world = World::new();
    let first = world.store("cache", "gotcha: the walrus cache");
    let second = world.store("cache", "the kestrel cache");
    let tags = |add: &[&str], remove: &[&str]| ChangeTags {
        target: Some(Target {
            tag: "gotcha".to_owned(),
            ..target("cache")
        }),
        add: add.iter().map(|&tag| tag.to_owned()).collect(),
        remove: remove.iter().map(|&tag| tag.to_owned()).collect(),
    };
    let reply = world
        .edit(Action::Tag(tags(&["Perf"], &["nothing"])))
        .unwrap();
    assert_eq!(
        (only(&reply).handle.as_str(), only(&reply).tags.len()),
        (first.handle.as_str(), 2)
    );
    assert!(
        reply
            .warnings
            .iter()
            .any(|warning| warning.contains("had no tag nothing")),
        "{reply:?}"
    );
    assert!(
        world
            .edit(Action::Tag(tags(&["perf"], &[])))
            .unwrap()
            .warnings
            .iter()
            .any(|it| it.contains("nothing changed"))
    );

    let fields = SetFields {
        target: Some(target(&second.handle)),
        kind: Some("Bug-Fix".to_owned()),
        confidence: Some(0.5),
        links: vec![first.handle.clone(), "nobody/knows".to_owned()],
        ..SetFields::default()
    };
    let reply = world.edit(Action::Set(fields.clone())).unwrap();
    assert_eq!(
        (only(&reply).kind.as_str(), only(&reply).links.as_slice()),
        ("bug_fix", [first.handle].as_slice())
    );
    assert_eq!(reply.warnings.len(), 1, "{reply:?}");
    let wrong = SetFields {
        confidence: Some(2.0),
        ..fields.clone()
    };
    assert_eq!(
        world.edit(Action::Set(wrong)).unwrap_err().code(),
        Code::InvalidArgument
    );
    let empty = SetFields {
        target: fields.target,
        ..SetFields::default()
    };
    assert_eq!(
        world.edit(Action::Set(empty)).unwrap_err().code(),
        Code::InvalidArgument
    );
}

#[test]
fn topics_are_renamed_merged_and_deleted() {
    let mut world = World::new();
    let walrus = world.store("cache", "the walrus cache");
    world.store("disk", "the kestrel disk");
    let rename = |topic: &str, new_name: &str| {
        Action::Rename(RenameTopic {
            topic: topic.to_owned(),
            new_name: new_name.to_owned(),
        })
    };
    let taken = world.edit(rename("cache", "disk")).unwrap_err();
    assert!(
        taken.code() == Code::AlreadyExists && taken.message().contains("merge"),
        "{taken:?}"
    );
    assert_eq!(
        world.edit(rename("nothing", "x")).unwrap_err().code(),
        Code::NotFound
    );
    let reply = world.edit(rename("cache", "Warm Cache")).unwrap();
    assert_eq!(
        (reply.changed, only(&reply).handle.as_str()),
        (1, "warm-cache/walrus-cache")
    );

    let merge = MergeTopic {
        topic: "warm-cache".to_owned(),
        into: "disk".to_owned(),
    };
    assert_eq!((world.edit(Action::Merge(merge)).unwrap().changed), 1);
    for (topic, is_told) in [
        ("cache:0", true),
        ("warm-cache:0", true),
        ("nothing:0", false),
    ] {
        let refused = world.try_read(topic).unwrap_err();
        let told = refused
            .message()
            .ends_with("has no memory any more: they are in disk now");
        assert_eq!(
            (refused.code(), told),
            (Code::NotFound, is_told),
            "{refused:?}"
        );
    }
    let gone = world.edit(rename("warm-cache", "x")).unwrap_err();
    assert!(gone.message().ends_with("they are in disk now"), "{gone:?}");
    let by_first_handle = world
        .edit(append(target(&walrus.handle), "is warm"))
        .unwrap();
    assert_eq!(only(&by_first_handle).handle, "disk/walrus-cache");

    let reply = world.edit(delete(target("disk"), true)).unwrap();
    assert_eq!(reply.changed, 2);
    assert_eq!(
        world.edit(delete(target("disk"), true)).unwrap_err().code(),
        Code::NotFound
    );
    let refused = world
        .edit(append(target("disk/walrus-cache"), "more"))
        .unwrap_err();
    assert!(refused.message().contains("restore"), "{refused:?}");
    let restored = world
        .edit(Action::Restore(RestoreMemory {
            reference: walrus.handle,
            ..RestoreMemory::default()
        }))
        .unwrap();
    assert_eq!(
        (only(&restored).status.as_str(), restored.changed),
        ("active", 1)
    );
}

#[test]
fn memories_of_other_projects_are_left_alone() {
    let mut world = World::new();
    let memory = world.store("cache", "the walrus cache");
    world.cwd = world.elsewhere.clone();
    assert_eq!(
        world
            .edit(append(target(&memory.handle), "x"))
            .unwrap_err()
            .code(),
        Code::PermissionDenied
    );
    assert_eq!(
        world
            .edit(delete(target("cache"), true))
            .unwrap_err()
            .code(),
        Code::NotFound
    );
    assert_eq!(
        world
            .edit(delete(target("cache"), false))
            .unwrap_err()
            .code(),
        Code::NotFound
    );
}

#[test]
fn compacting_merges_duplicates_and_repairs_times() {
    let mut world = World::new();
    let older = world.store(
        "cache",
        "gotcha: the walrus cache needs two warm rounds before every single release",
    );
    let newer = world.store_draft(Draft {
        links: vec![older.handle.clone()],
        ..draft(
            "disk",
            "Gotcha: the walrus cache needs **two** warm rounds before every single release.",
            "",
        )
    });
    let linking = world.store_draft(Draft {
        links: vec![older.handle.clone()],
        ..draft("links", "see the cache", "")
    });
    let pinned = SetFields {
        target: Some(target(&older.handle)),
        pinned: Some(true),
        ..SetFields::default()
    };
    world.edit(Action::Set(pinned)).unwrap();
    // Facts of one form, which differ in what they are about.
    world.store(
        "zoo",
        "okapi enclosure needs checking on Mondays before noon",
    );
    world.store(
        "zoo",
        "gharial enclosure needs checking on Mondays before noon",
    );
    let dry = world.compact(CompactRequest {
        log: true,
        ..CompactRequest::default()
    });
    let pair = dry.pairs.first().unwrap();
    assert_eq!(
        (
            pair.kept.clone().unwrap().id,
            pair.duplicate.clone().unwrap().id
        ),
        (newer.id.clone(), older.id.clone())
    );
    assert_eq!((dry.pairs.len(), dry.similar.len()), (1, 0));
    assert!(
        dry.merged == 0 && dry.bytes_before > 0 && dry.bytes_after == 0,
        "{dry:?}"
    );
    let done = world.compact(CompactRequest {
        apply: true,
        log: true,
        ..CompactRequest::default()
    });
    assert_eq!(done.notes, Vec::<String>::new());
    assert!(done.merged == 1 && done.bytes_after > 0, "{done:?}");
    let again = world.compact(CompactRequest::default());
    assert_eq!((again.pairs.len(), again.similar.len()), (0, 0));
    let dropped = world.read(&older.handle);
    assert_eq!(
        (dropped.status.as_str(), &dropped.superseded_by),
        ("superseded", &newer.handle)
    );
    let kept = world.read(&newer.handle);
    assert!(
        kept.pinned && kept.links.is_empty() && kept.superseded_by.is_empty(),
        "{kept:?}"
    );
    assert_eq!(
        world.read(&linking.handle).links,
        std::slice::from_ref(&newer.handle)
    );
    let link = world.try_store(Draft {
        links: vec![older.handle.clone()],
        ..draft("links", "see it once more", "")
    });
    assert_eq!(
        link.memory.unwrap().links,
        std::slice::from_ref(&newer.handle)
    );
    assert!(
        link.warnings
            .iter()
            .any(|warning| warning.contains("took its place")),
        "{:?}",
        link.warnings
    );
    let kept = world
        .edit(append(target(&newer.handle), "and again"))
        .unwrap();
    assert_eq!(only(&kept).tags, ["gotcha"]);
    let restored = world
        .edit(Action::Restore(RestoreMemory {
            reference: older.handle,
            ..RestoreMemory::default()
        }))
        .unwrap();
    assert_eq!(
        (only(&restored).status.as_str(), restored.changed),
        ("active", 1)
    );

    let valid_from_us = Some(5);
    let wrong = world.store_draft(Draft {
        valid_from_us,
        ..draft("cache", "from before time", "")
    });
    let migrate = CompactRequest {
        migrate: true,
        ..CompactRequest::default()
    };
    let dry = world.compact(migrate.clone());
    assert_eq!(dry.repaired, 1);
    assert!(
        dry.notes
            .concat()
            .ends_with(&format!("are missing: {}", wrong.handle)),
        "{dry:?}"
    );
    assert_eq!(
        world
            .compact(CompactRequest {
                apply: true,
                ..migrate.clone()
            })
            .repaired,
        1
    );
    assert_eq!(world.compact(migrate).repaired, 0);
}

#[test]
fn compacting_goes_on_where_it_stopped() {
    let mut world = World::new();
    // Each shares a word with each other one, which is worth a look, and none is like another.
    let names: Vec<char> = ('a'..='j').collect();
    for name in &names {
        let others = names.iter().filter(|other| *other != name);
        let shared = others.map(|other| format!("{0}{1}olo", name.min(other), name.max(other)));
        world.store("cache", &shared.collect::<Vec<_>>().join(" "));
    }
    let whole = world.compact(CompactRequest::default());
    assert!(
        whole.notes.is_empty() && whole.similar.is_empty(),
        "nothing is left out: {whole:?}"
    );
    // So little work that each run compares one memory.
    fs::write(world.served.home.paths.config(), "[compact]\nwork = 1\n").unwrap();
    world.served = world.served.restarted().unwrap();
    let apply = CompactRequest {
        apply: true,
        ..CompactRequest::default()
    };
    let first = world.compact(CompactRequest::default());
    let noted = |reply: &CompactReply| reply.notes.join("; ");
    let newest = "compared the newest one with all older ones; 9 older ones are not compared with each other yet";
    assert!(noted(&first).starts_with(newest), "{first:?}");
    assert_eq!(
        noted(&world.compact(apply.clone())),
        noted(&first),
        "a report moves nothing on"
    );
    world.served = world.served.restarted().unwrap();
    let second = world.compact(apply.clone());
    assert!(
        noted(&second).starts_with("compared the next one"),
        "after a restart: {second:?}"
    );
    world.served = world.served.restarted().unwrap();
    let last = world.compact(apply.clone());
    let finished = "which earlier runs had left; the next run begins with the newest again";
    assert!(noted(&last).ends_with(finished), "{last:?}");
    assert!(noted(&world.compact(apply)).starts_with(newest));
}

#[test]
fn another_projects_memory_is_not_forgotten_from_here() {
    let mut world = World::new();
    let memory = world.store("build", "Pass -arch arm64.");
    let (elsewhere, here) = (world.elsewhere.clone(), world.cwd.clone());
    let mut forget = |cwd: &PathBuf| {
        let request = ForgetRequest {
            caller: Some(caller(Program::Ctl, cwd, "tests", "")),
            reference: memory.handle.clone(),
        };
        world
            .served
            .rpc
            .call(async |rpc| rpc.forget(request.clone()).await)
    };
    let refused = forget(&elsewhere).unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");
    assert!(forget(&here).unwrap().forgotten.is_some());
}

#[test]
fn what_is_deleted_of_a_topic_is_restored_by_its_name() {
    let mut world = World::new();
    for text in [
        "the walrus disk is full",
        "the kestrel disk is slow",
        "the ocelot disk is new",
        "the otter disk is old",
    ] {
        world.store("disks", text);
    }
    let restore = |restore: RestoreMemory| {
        Action::Restore(RestoreMemory {
            reference: "disks".to_owned(),
            ..restore
        })
    };
    let none = world.edit(restore(RestoreMemory::default())).unwrap_err();
    assert!(
        none.message()
            .contains("no memory of topic disks is deleted"),
        "{none}"
    );
    for _ in 0..3 {
        world.edit(delete(target("disks:0"), false)).unwrap();
    }
    let several = world.edit(restore(RestoreMemory::default())).unwrap();
    assert_eq!((several.changed, several.candidates.len()), (0, 3));
    assert!(
        several
            .candidates
            .iter()
            .all(|memory| memory.status == "forgotten"),
        "{several:?}"
    );
    let by_text = RestoreMemory {
        match_text: "KESTREL".to_owned(),
        ..RestoreMemory::default()
    };
    assert_eq!(
        only(&world.edit(restore(by_text)).unwrap()).text,
        "the kestrel disk is slow"
    );
    let by_index = RestoreMemory {
        index: Some(1),
        ..RestoreMemory::default()
    };
    assert_eq!(
        only(&world.edit(restore(by_index)).unwrap()).text,
        "the ocelot disk is new"
    );
    let alone = world.edit(restore(RestoreMemory::default())).unwrap();
    assert_eq!(
        (only(&alone).text.as_str(), only(&alone).status.as_str()),
        ("the walrus disk is full", "active")
    );
    world.edit(delete(target("disks"), true)).unwrap();
    let all = world
        .edit(restore(RestoreMemory {
            all: true,
            ..RestoreMemory::default()
        }))
        .unwrap();
    assert_eq!((all.changed, all.memories.len()), (4, 4));
    world
        .edit(restore(RestoreMemory {
            all: true,
            ..RestoreMemory::default()
        }))
        .unwrap_err();
}

#[test]
fn known_text_says_what_it_did_not_take_and_links_are_kept_once() {
    let mut world = World::new();
    let known = world.store("disks", "the walrus disk is full");
    let other = Draft {
        tags: vec!["Slow Things".to_owned()],
        source: "gone.rs:1-2".to_owned(),
        confidence: Some(0.5),
        ..draft("tapes", "the walrus disk is full", "")
    };
    let caller = Some(caller(Program::Mcp, &world.cwd, "tests", ""));
    let request = StoreRequest {
        caller,
        draft: Some(other),
        force: false,
    };
    let reply = world
        .served
        .rpc
        .call(async |rpc| rpc.store(request.clone()).await)
        .unwrap();
    assert_eq!(reply.memory.unwrap().id, known.id);
    let said = reply.warnings.join("\n");
    for words in [
        "slow-thing were not taken (`tag` adds",
        "source, confidence were not taken",
        "stays in topic disks",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(
        !said.contains("names several lines"),
        "of a source that is not taken nothing else is said: {said}"
    );
    let links = vec!["disks:0".to_owned(), "disks".to_owned()];
    let linked = world.try_store(Draft {
        links,
        ..draft("links", "see the disk", "")
    });
    assert_eq!(linked.memory.unwrap().links, [known.handle]);
}
