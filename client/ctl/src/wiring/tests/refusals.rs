//! Files that must not be touched, and what the user is told.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::wiring::{Change, WiringError};

fn refuse(world: &World, target: &Target) -> WiringError {
    let error = Plan::install(
        std::slice::from_ref(target),
        &programs(),
        &world.path("helix"),
    )
    .unwrap_err();
    assert!(!world.path("helix").exists());
    error
}

fn refuse_text(text: &[u8], target: impl Fn(&World) -> Target) -> (String, u8) {
    let world = World::new();
    let target = target(&world);
    put(&target, text);
    let error = refuse(&world, &target);
    assert_eq!(fs::read(&target.path).unwrap(), text);
    (error.to_string(), error.exit_code())
}

#[test]
fn texts_that_cannot_be_merged_are_named_by_line_and_column() {
    let cases: &[(&[u8], &str)] = &[
        (b"{\n  \"a\": oops\n}", "line 2, column 8"),
        (b"{\"a\": 1", "line 1, column 1"),
        (b"{'a': 1}", "line 1, column 2"),
        (
            b"{\"a\": 1e400}",
            "number is out of range at line 1, column 7",
        ),
        (b"{} {}", "line 1, column 4"),
        (
            b"[1]",
            "`the root` must be an object, found an array at line 1, column 1",
        ),
        (
            b"\n  7",
            "`the root` must be an object, found a number at line 2, column 3",
        ),
        (
            b"null\n",
            "`the root` must be an object, found null at line 1, column 1",
        ),
        (
            b"{\n  \"hooks\": []\n}",
            "`hooks` must be an object, found an array at line 2, column 12",
        ),
        (
            "{\"é\": 1, \"hooks\": {\"PreToolUse\": {}}}".as_bytes(),
            "`hooks.PreToolUse` must be an array, found an object at line 1, column 34",
        ),
        (b"{\n\"a\": \"\xff\"}", "not UTF-8 at line 2, column 7"),
    ];
    for (text, expected) in cases {
        let (message, code) = refuse_text(text, |world| world.hooks(Scope::Project));
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("settings.json"), "{message}");
        assert_eq!(code, 64);
    }
}

#[test]
fn a_file_that_is_too_large_is_left_to_its_owner() {
    let world = World::new();
    let target = world.server(Scope::User);
    fs::File::create(&target.path)
        .unwrap()
        .set_len(33 * 1024 * 1024)
        .unwrap();
    let error = refuse(&world, &target);
    assert!(error.to_string().contains("by hand"), "{error}");
    assert_eq!(error.exit_code(), 64);
}

#[test]
fn a_foreign_server_of_our_name_is_left_alone() {
    let (message, code) = refuse_text(
        b"{\"mcpServers\": {\n \"helix\": {\"command\": \"biology\"}}}",
        |world| world.server(Scope::Project),
    );
    assert!(
        message.contains("line 2, column 11") && message.contains("rename or remove"),
        "{message}"
    );
    assert_eq!(code, 64);
}

#[test]
fn a_conflict_in_one_file_leaves_both_untouched() {
    let world = World::new();
    let (hooks, server) = (world.hooks(Scope::Project), world.server(Scope::Project));
    put(
        &server,
        br#"{"mcpServers": {"helix": {"url": "https://example.org"}}}"#,
    );
    Plan::install(&[hooks.clone(), server], &programs(), &world.path("helix")).unwrap_err();
    assert!(!hooks.path.exists());
}

#[test]
fn a_file_that_changes_meanwhile_leaves_both_untouched() {
    let world = World::new();
    let targets = [world.hooks(Scope::Project), world.server(Scope::Project)];
    let plan = Plan::install(&targets, &programs(), &world.path("helix")).unwrap();
    put(&targets[1], b"{}");
    plan.write().unwrap_err();
    assert!(!targets[0].path.exists());
}

#[test]
fn a_record_that_came_meanwhile_is_not_forgotten() {
    let world = World::new();
    let target = world.server(Scope::User);
    let early = Plan::uninstall(std::slice::from_ref(&target), &world.path("helix")).unwrap();
    world.install(&target);
    early.write().unwrap();
    assert_eq!(world.uninstall(&target).change, Change::Deleted);
}

#[test]
fn a_read_only_file_or_directory_is_respected() {
    for (protected, mode) in [
        ("project/.claude/settings.json", 0o444),
        ("project/.claude", 0o555),
    ] {
        let world = World::new();
        let target = world.hooks(Scope::Project);
        put(&target, b"{}");
        fs::set_permissions(world.path(protected), fs::Permissions::from_mode(mode)).unwrap();
        let error = refuse(&world, &target);
        assert!(error.to_string().contains("read-only"), "{error}");
        assert_eq!(error.exit_code(), 77);
        assert_eq!(fs::read(&target.path).unwrap(), b"{}");
        fs::set_permissions(world.path(protected), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn something_else_in_the_way_is_refused() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    fs::create_dir_all(&target.path).unwrap();
    let error = refuse(&world, &target);
    assert!(matches!(error, WiringError::NotAFile { .. }));
    assert_eq!(error.exit_code(), 64);

    let ways: [fn(&Path); 3] = [
        |way| fs::write(way, "a file").unwrap(),
        |way| symlink("nowhere", way).unwrap(),
        |way| symlink(way, way).unwrap(),
    ];
    for block in ways {
        let world = World::new();
        let target = world.hooks(Scope::Project);
        block(&world.path("project/.claude"));
        let error = refuse(&world, &target);
        assert!(
            matches!(error, WiringError::NotADirectory { .. }),
            "{error}"
        );
        assert_eq!(error.exit_code(), 64, "{error}");
        assert_eq!(
            world.uninstall(&target).change,
            Change::Unchanged,
            "nothing of ours can be there"
        );
        assert!(fs::symlink_metadata(world.path("project/.claude")).is_ok());
    }
}

#[test]
fn links_in_a_circle_are_refused() {
    let world = World::new();
    let target = world.server(Scope::Project);
    symlink(&target.path, &target.path).unwrap();
    assert!(matches!(refuse(&world, &target), WiringError::Links { .. }));
}

#[test]
fn a_damaged_record_is_reported_before_anything_is_written() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    world.install(&target);
    let written = fs::read(&target.path).unwrap();
    for entry in fs::read_dir(world.path("helix/wiring")).unwrap() {
        fs::write(entry.unwrap().path(), "{").unwrap();
    }
    let error = Plan::uninstall(std::slice::from_ref(&target), &world.path("helix")).unwrap_err();
    assert_eq!(error.exit_code(), 74, "{error}");
    assert_eq!(fs::read(&target.path).unwrap(), written);
}

#[test]
fn commands_must_be_absolute() {
    let error = Programs::new(Path::new("helix-hook"), Path::new(BRIDGE), Vec::new()).unwrap_err();
    assert_eq!(error.exit_code(), 64);
}
