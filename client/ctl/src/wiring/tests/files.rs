//! Missing files, directories, links, modes, and several at once.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::wiring::Change;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_missing_file_and_its_directory_come_and_go() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    assert_eq!(world.install(&target).change, Change::Created);
    assert_wired(&read(&target.path), SHIM);
    assert_eq!(mode(&world.path("project/.claude")), 0o755);
    assert_eq!(mode(&target.path), 0o644);
    assert_eq!(world.uninstall(&target).change, Change::Deleted);
    assert!(!world.path("project/.claude").exists());
}

#[test]
fn a_directory_with_other_files_stays() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    world.install(&target);
    fs::write(world.path("project/.claude/agents.md"), "mine").unwrap();
    world.uninstall(&target);
    assert!(!target.path.exists());
    assert!(world.path("project/.claude/agents.md").exists());
}

#[test]
fn the_last_of_two_files_takes_the_directory_along() {
    let world = World::new();
    let (shared, local) = (world.hooks(Scope::Project), world.hooks(Scope::Local));
    world.install(&shared);
    world.install(&local);
    world.uninstall(&shared);
    assert!(local.path.exists());
    world.uninstall(&local);
    assert!(!world.path("project/.claude").exists());
}

#[test]
fn a_missing_configuration_directory_is_made_and_removed_whole() {
    let world = World::new();
    let config = world.path("a/b");
    let place = Place {
        claude_config_dir: Some(config.clone()),
        ..world.place()
    };
    let [target, server] = Client::Claude
        .targets(Scope::User, &place)
        .try_into()
        .unwrap();
    assert_eq!(target.path, config.join("settings.json"));
    assert_eq!(server.path, config.join(".claude.json"));
    world.install(&target);
    assert_eq!(mode(&target.path), 0o600);
    world.uninstall(&target);
    assert!(!world.path("a").exists());
}

#[test]
fn a_link_stays_a_link() {
    let world = World::new();
    let target = world.hooks(Scope::User);
    fs::create_dir(world.path("dotfiles")).unwrap();
    fs::create_dir(world.path("home/.claude")).unwrap();
    fs::write(world.path("dotfiles/claude.json"), "{\"a\":1}").unwrap();
    symlink("../../dotfiles/claude.json", &target.path).unwrap();
    world.install(&target);
    assert!(fs::symlink_metadata(&target.path).unwrap().is_symlink());
    assert_wired(&read(&world.path("dotfiles/claude.json")), SHIM);
    assert_eq!(world.uninstall(&target).change, Change::Restored);
    assert!(fs::symlink_metadata(&target.path).unwrap().is_symlink());
    assert_eq!(
        fs::read(world.path("dotfiles/claude.json")).unwrap(),
        b"{\"a\":1}"
    );
}

#[test]
fn a_link_to_nothing_gets_its_file_and_loses_it() {
    let world = World::new();
    let target = world.server(Scope::Project);
    symlink(world.path("later.json"), &target.path).unwrap();
    world.install(&target);
    assert_server(&read(&world.path("later.json")), BRIDGE);
    assert_eq!(world.uninstall(&target).change, Change::Deleted);
    assert!(!world.path("later.json").exists());
    assert!(fs::symlink_metadata(&target.path).unwrap().is_symlink());
}

#[test]
fn a_file_keeps_its_mode_and_records_are_private() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    put(&target, b"{}");
    fs::set_permissions(&target.path, fs::Permissions::from_mode(0o640)).unwrap();
    world.install(&target);
    assert_eq!(mode(&target.path), 0o640);
    assert_eq!(mode(&world.path("helix/wiring")), 0o700);
    let kept: Vec<PathBuf> = fs::read_dir(world.path("helix/wiring"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(kept.len(), 2);
    assert!(kept.iter().all(|path| mode(path) == 0o600));
    let copy = kept
        .iter()
        .find(|path| path.extension().unwrap() == "original")
        .unwrap();
    assert_eq!(fs::read(copy).unwrap(), b"{}");
    world.uninstall(&target);
    assert_eq!(mode(&target.path), 0o640);
}

#[test]
fn projects_are_independent() {
    let (world, other) = (World::new(), World::new());
    let (first, second) = (world.hooks(Scope::Project), other.hooks(Scope::Project));
    put(&first, b"{ }");
    put(&second, b"{\"b\":2}");
    world.install(&first);
    world.install(&second);
    world.uninstall(&first);
    assert_eq!(fs::read(&first.path).unwrap(), b"{ }");
    assert_wired(&read(&second.path), SHIM);
    world.uninstall(&second);
    assert_eq!(fs::read(&second.path).unwrap(), b"{\"b\":2}");
}

#[test]
fn a_preview_writes_nothing() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    let shown = world.plan(&target, &programs()).reports();
    assert!(shown[0].diff.contains("+  \"hooks\": {"));
    assert!(!world.path("project/.claude").exists());
    assert!(!world.path("helix").exists());

    world.install(&target);
    let written = fs::read(&target.path).unwrap();
    let shown = Plan::uninstall(std::slice::from_ref(&target), &world.path("helix"))
        .unwrap()
        .reports();
    assert_eq!(shown[0].change, Change::Deleted);
    assert_eq!(fs::read(&target.path).unwrap(), written);
}

#[test]
fn a_file_that_changes_while_it_is_looked_at_is_left_alone() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    put(&target, b"{}");
    let plan = world.plan(&target, &programs());
    fs::write(&target.path, "{\"a\": 1}").unwrap();
    assert_eq!(plan.write().unwrap_err().exit_code(), 74);
    assert_eq!(fs::read(&target.path).unwrap(), b"{\"a\": 1}");
}

#[test]
fn a_record_of_what_somebody_took_out_by_hand_goes() {
    let world = World::new();
    let target = world.hooks(Scope::Project);
    put(&target, b"{}");
    world.install(&target);
    fs::write(&target.path, "{}").unwrap();
    assert_eq!(world.uninstall(&target).change, Change::Unchanged);
    assert!(
        fs::read_dir(world.path("helix/wiring"))
            .unwrap()
            .all(|entry| { entry.unwrap().path().extension().unwrap() == "original" })
    );
}
