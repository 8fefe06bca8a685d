//! Changes of a whole topic over the socket: which topic is meant, what is everybody's, and what is
//! deleted already.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use helix_client::v1::edit_request::Action;
use helix_client::v1::{
    AppendText, BriefRequest, Caller, ChangeTags, CrossReferencesRequest, DeleteMemories,
    EditReply, EditRequest, ForgetRequest, Memory, MergeTopic, Program, ReadRequest, RenameTopic,
    RestoreMemory, Target,
};
use helix_client::{caller, v1};
use helix_tests::rpc::draft;
use helix_tests::{Project, Served};
use tonic::{Code, Status};

struct World {
    served: Served,
    cwd: PathBuf,
}

impl World {
    fn new() -> Self {
        let served = Served::new().unwrap();
        let cwd = Project::new(&served.home, "billing").unwrap().root;
        Self { served, cwd }
    }

    fn me(&self) -> Caller {
        caller(Program::Mcp, &self.cwd, "tests", "")
    }

    fn store(&mut self, topic: &str, text: &str, scope: &str) -> Memory {
        let draft = v1::Draft {
            scope: scope.to_owned(),
            ..draft(topic, text, "")
        };
        self.served
            .rpc
            .store(Program::Mcp, &self.cwd, draft)
            .unwrap()
    }

    fn edit(&mut self, action: Action) -> Result<EditReply, Status> {
        let request = EditRequest {
            caller: Some(self.me()),
            action: Some(action),
            ..EditRequest::default()
        };
        self.served
            .rpc
            .call(async |rpc| rpc.edit(request.clone()).await)
    }

    fn read(&mut self, reference: &str) -> Result<usize, Status> {
        let request = ReadRequest {
            caller: Some(self.me()),
            reference: reference.to_owned(),
            ..ReadRequest::default()
        };
        self.served
            .rpc
            .call(async |rpc| rpc.read(request.clone()).await)
            .map(|reply| reply.memories.len())
    }
}

fn target(reference: &str) -> Target {
    Target {
        reference: reference.to_owned(),
        ..Target::default()
    }
}

fn append(target: Target) -> Action {
    Action::Append(AppendText {
        target: Some(target),
        text: "more".to_owned(),
    })
}

fn tag(reference: &str) -> Action {
    Action::Tag(ChangeTags {
        target: Some(target(reference)),
        add: vec!["perf".to_owned()],
        remove: Vec::new(),
    })
}

fn delete_all(topic: &str, scopes: &[&str]) -> Action {
    let scopes = scopes.iter().map(ToString::to_string).collect();
    Action::Delete(DeleteMemories {
        target: Some(target(topic)),
        all: true,
        scopes,
    })
}

fn rename(topic: &str, new_name: &str) -> Action {
    Action::Rename(RenameTopic {
        topic: topic.to_owned(),
        new_name: new_name.to_owned(),
    })
}

fn merge(topic: &str, into: &str) -> Action {
    Action::Merge(MergeTopic {
        topic: topic.to_owned(),
        into: into.to_owned(),
    })
}

fn restore_all(topic: &str) -> Action {
    Action::Restore(RestoreMemory {
        reference: topic.to_owned(),
        all: true,
        ..RestoreMemory::default()
    })
}

fn says(reply: &EditReply, words: &str) -> bool {
    reply.warnings.iter().any(|warning| warning.contains(words))
}

#[test]
fn a_pattern_is_no_topic() {
    let mut world = World::new();
    for topic in ["iris", "iris-a", "iris-b"] {
        world.store(topic, &format!("the {topic} scanner"), "");
    }
    let edits = [
        append(target("iris-*")),
        append(Target {
            index: Some(0),
            ..target("iris-*")
        }),
        append(target("iris-*:0")),
        tag("iris*"),
        delete_all("iris-*", &[]),
        rename("iris-*", "lens"),
        rename("iris-a", "iris-?"),
        merge("iris-a", "iris-*"),
        restore_all("iris-*"),
    ];
    for edit in edits {
        let refused = world.edit(edit.clone()).unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{edit:?}: {refused}");
        assert!(
            refused
                .message()
                .contains("is a pattern, and this edit takes one topic"),
            "{edit:?}: {refused}"
        );
    }
    let refused = world.edit(delete_all("iris-*", &[])).unwrap_err();
    assert!(
        refused
            .message()
            .ends_with("name one of those that it fits: iris-a, iris-b"),
        "{refused}"
    );
    assert!(
        world
            .read("iris-*")
            .unwrap_err()
            .message()
            .contains("reading takes one topic")
    );
    let xref = CrossReferencesRequest {
        caller: Some(world.me()),
        topic: "iris*".to_owned(),
        scopes: Vec::new(),
    };
    let refused = world
        .served
        .rpc
        .call(async |rpc| rpc.cross_references(xref.clone()).await)
        .unwrap_err();
    assert!(
        refused.message().contains("xref takes one topic"),
        "{refused}"
    );
    let forget = ForgetRequest {
        caller: Some(world.me()),
        reference: "iris-*".to_owned(),
    };
    let refused = world
        .served
        .rpc
        .call(async |rpc| rpc.forget(forget.clone()).await)
        .unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(world.read("iris").unwrap(), 1);
}

#[test]
fn what_is_everybodys_is_told_and_stays_unless_it_is_meant() {
    let mut world = World::new();
    world.store("shared", "the walrus cache", "");
    world.store("shared", "the kestrel cache", "global");
    let reply = world.edit(rename("shared", "mine")).unwrap();
    assert!(
        reply.changed == 2 && says(&reply, "1 of them is global: other projects see that too"),
        "{reply:?}"
    );
    let reply = world.edit(delete_all("mine", &[])).unwrap();
    assert!(
        reply.changed == 1 && says(&reply, "1 global memory of topic mine stays"),
        "{reply:?}"
    );
    assert!(!says(&reply, "of them is global"), "{reply:?}");
    let refused = world.edit(delete_all("mine", &[])).unwrap_err();
    assert!(
        refused
            .message()
            .contains("give scope global to delete it all the same"),
        "{refused}"
    );
    let elsewhere = world
        .edit(delete_all("mine", &["project:host/a/b"]))
        .unwrap_err();
    assert_eq!(elsewhere.code(), Code::PermissionDenied, "{elsewhere}");
    let reply = world.edit(delete_all("mine", &["all"])).unwrap();
    assert!(
        reply.changed == 1 && says(&reply, "it is global"),
        "{reply:?}"
    );
    let one = Action::Delete(DeleteMemories {
        target: Some(target("mine")),
        scopes: vec!["global".to_owned()],
        ..DeleteMemories::default()
    });
    assert_eq!(world.edit(one).unwrap_err().code(), Code::InvalidArgument);
    let reply = world.edit(restore_all("mine")).unwrap();
    assert!(
        reply.changed == 2 && says(&reply, "1 of them is global"),
        "{reply:?}"
    );
    // Outside of any project there is nothing else.
    world.cwd = PathBuf::from("/");
    let reply = world.edit(delete_all("mine", &[])).unwrap();
    assert!(reply.changed == 1 && reply.warnings.is_empty(), "{reply:?}");
}

#[test]
fn what_is_deleted_is_not_offered() {
    let mut world = World::new();
    let [one, other] =
        ["the walrus disk", "the kestrel disk"].map(|text| world.store("disks", text, ""));
    world.edit(delete_all("disks", &[])).unwrap();
    let with_index = Target {
        index: Some(0),
        ..target("disks")
    };
    let edits = [
        append(target("disks")),
        append(with_index),
        tag("disks"),
        delete_all("disks", &[]),
        rename("disks", "drives"),
        merge("disks", "drives"),
    ];
    for edit in edits {
        let refused = world.edit(edit.clone()).unwrap_err();
        assert_eq!(refused.code(), Code::NotFound, "{edit:?}: {refused}");
        let said = refused.message();
        assert!(
            said.starts_with("every memory of topic disks is deleted; restore"),
            "{edit:?}: {refused}"
        );
        assert!(
            said.contains(&one.handle) && said.contains(&other.handle),
            "{edit:?}: {refused}"
        );
    }
    let beginning = world.edit(tag("disks/")).unwrap_err();
    assert!(
        beginning
            .message()
            .starts_with("all that \"disks/\" fits is deleted"),
        "{beginning}"
    );
    assert_eq!(world.edit(restore_all("disks")).unwrap().changed, 2);
}

#[test]
fn a_memorys_name_is_no_topic() {
    let mut world = World::new();
    let memory = world.store("ts", "the walrus clock", "");
    for name in ["ts:0", memory.handle.as_str(), "ts:7"] {
        for edit in [rename(name, "clock"), merge("ts", name), restore_all(name)] {
            let refused = world.edit(edit.clone()).unwrap_err();
            assert!(
                refused
                    .message()
                    .contains("names a memory, and this changes a whole topic"),
                "{edit:?}: {refused}"
            );
        }
    }
    let refused = world.edit(merge("ts:0", "clock")).unwrap_err();
    assert!(
        refused
            .message()
            .contains("names a memory, and this changes a whole topic"),
        "places move: {refused}"
    );
    for name in ["ts:0", memory.handle.as_str()] {
        let picked = Target {
            index: Some(0),
            ..target(name)
        };
        let refused = world.edit(append(picked)).unwrap_err();
        assert!(
            refused.message().contains("names a memory already"),
            "{name}: {refused}"
        );
    }
    // A handle names one memory for good, so it is moved alone.
    world.store("ts", "the heron dial", "");
    let moved = world.edit(merge(memory.handle.as_str(), "clock")).unwrap();
    assert_eq!(moved.changed, 1);
    // What only looks so is a topic's name as ever.
    world.store("a-b", "the otter clock", "");
    assert_eq!(world.edit(rename("a/b", "c")).unwrap().topic, "c");
}

#[test]
fn a_brief_of_several_topics_names_those_that_are_not_there() {
    let mut world = World::new();
    world.store("disks", "Heads are cleaned on Mondays.", "");
    let mut brief = |query: &str| {
        let request = BriefRequest {
            caller: Some(world.me()),
            query: query.to_owned(),
            ..BriefRequest::default()
        };
        world
            .served
            .rpc
            .call(async |rpc| rpc.brief(request.clone()).await)
            .map(|reply| reply.text)
    };
    let several = brief("disks,tapes").unwrap();
    assert!(
        several.starts_with("note: no topic here is called \"tapes\"\n"),
        "{several}"
    );
    assert!(several.contains("Heads are cleaned"), "{several}");
    assert!(!brief("disks, disks").unwrap().contains("note:"));
    assert!(
        brief("disks, what is cleaned")
            .unwrap_or_default()
            .find("note: no topic")
            .is_none()
    );
}
