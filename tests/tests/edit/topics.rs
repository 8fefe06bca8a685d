//! Changes of whole topics, and memories of other projects.

use std::path::PathBuf;

use helix_client::caller;
use helix_client::v1::edit_request::Action;
use helix_client::v1::{ForgetRequest, MergeTopic, Program, RenameTopic, RestoreMemory};
use tonic::Code;

use super::{World, append, delete, only, target};

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
