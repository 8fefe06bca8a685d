//! `Edit` and `Compact` over the socket: which memory is meant, what is refused, and what the
//! caller is told.

#![allow(clippy::unwrap_used)]

mod compact;
mod topics;

use std::path::PathBuf;

use helix_client::caller;
use helix_client::v1::edit_request::Action;
use helix_client::v1::{
    AppendText, ChangeTags, CompactReply, CompactRequest, DeleteMemories, Draft, EditReply,
    EditRequest, Memory, Program, ReviseText, SetFields, StoreReply, StoreRequest, Target,
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
        self.served.rpc.read(&self.cwd, reference)
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
