//! Files that are links, lead nowhere, are no files, may not be written, or belong to several
//! scopes at once.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use helix_proto::exit;

use crate::world::{World, clients, files_of, put};

/// The clients that have settings of a project and of the user.
const BOTH_SCOPES: [&str; 6] = ["claude", "codex", "cursor", "gemini", "opencode", "vscode"];

/// Makes every file of a client a link to one among the user's dotfiles, with this text if any.
fn link(world: &World, client: &str, text: Option<&str>) {
    for (at, file) in files_of(client).enumerate() {
        let real = world.own().join(format!("dotfiles/{client}-{at}"));
        fs::create_dir_all(real.parent().unwrap()).unwrap();
        if let Some(text) = text {
            put(&real, text);
        }
        let path = world.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(real, path).unwrap();
    }
}

fn check_links(world: &World, client: &str) {
    let before = world.files();
    world.done(&["connect", client]);
    for file in files_of(client) {
        assert!(
            world.path(file).is_symlink(),
            "{client}: {file} is no link any more"
        );
        assert!(world.text(file).contains("helix-"), "{client}: {file}");
    }
    world.done(&["connect", client]);
    world.done(&["disconnect", client]);
    assert_eq!(world.files(), before, "{client}");
}

#[test]
fn a_link_stays_and_its_target_comes_back_to_the_byte() {
    for client in clients() {
        let world = World::new();
        link(&world, client, Some("\n"));
        check_links(&world, client);
    }
}

#[test]
fn a_link_that_leads_nowhere_leads_nowhere_again() {
    for client in clients() {
        let world = World::new();
        link(&world, client, None);
        check_links(&world, client);
    }
}

#[test]
fn a_link_by_a_relative_path_over_another_link_is_followed() {
    let world = World::new();
    let path = world.path("project:.mcp.json");
    put(&world.own().join("dotfiles/mcp.json"), "{ }");
    symlink(world.own(), world.project.root.join("elsewhere")).unwrap();
    symlink("elsewhere/dotfiles/mcp.json", &path).unwrap();
    let before = world.files();
    world.done(&["connect", "claude"]);
    assert_eq!(
        fs::read_link(&path).unwrap().to_str(),
        Some("elsewhere/dotfiles/mcp.json")
    );
    assert!(
        fs::read_to_string(world.own().join("dotfiles/mcp.json"))
            .unwrap()
            .contains("helix-mcp")
    );
    world.done(&["disconnect", "claude"]);
    assert_eq!(world.files(), before);
}

#[test]
fn of_two_files_that_a_client_reads_the_wired_one_is_meant() {
    let world = World::new();
    world.put("project:opencode.jsonc", "{} // mine\n");
    world.done(&["connect", "opencode"]);
    assert!(world.text("project:opencode.jsonc").contains("helix-mcp"));
    world.put("project:opencode.json", "{}");
    let (said, _) = world.done(&["connect", "opencode"]);
    assert!(
        said.starts_with("unchanged\t") && said.trim_end().ends_with("opencode.jsonc"),
        "{said}"
    );
    let (said, _) = world.done(&["disconnect", "opencode"]);
    assert!(said.starts_with("restored\t"), "{said}");
    assert_eq!(world.text("project:opencode.jsonc"), "{} // mine\n");
    assert_eq!(world.text("project:opencode.json"), "{}");
}

#[test]
fn a_directory_in_a_files_place_is_refused() {
    for client in clients() {
        for file in files_of(client) {
            let world = World::new();
            fs::create_dir_all(world.path(file)).unwrap();
            let said = world.refused(&["connect", client], exit::USAGE);
            assert!(said.contains("not a regular file"), "{client}: {said}");
            world.refused(&["disconnect", client], exit::USAGE);
        }
    }
}

#[test]
fn a_file_in_a_directorys_place_is_refused_and_does_not_hinder_disconnecting() {
    let world = World::new();
    world.done(&["connect", "claude"]);
    fs::remove_dir_all(world.project.root.join(".claude")).unwrap();
    world.put("project:.claude", "mine");
    let said = world.refused(&["connect", "claude"], exit::USAGE);
    assert!(
        said.contains("as a directory") && said.contains("move it away"),
        "{said}"
    );
    world.done(&["disconnect", "claude"]);
    assert_eq!(world.text("project:.claude"), "mine");
    assert!(!world.path("project:.mcp.json").exists());
}

#[test]
fn a_link_to_itself_is_refused() {
    for client in clients() {
        for file in files_of(client) {
            let world = World::new();
            let path = world.path(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            symlink(&path, &path).unwrap();
            world.refused(&["connect", client], exit::USAGE);
        }
    }
}

#[test]
fn what_became_read_only_since_is_left_until_it_may_be_written() {
    for client in clients() {
        let world = World::new();
        files_of(client).for_each(|file| world.put(file, "\n"));
        let before = world.files();
        world.done(&["connect", client]);
        for file in files_of(client) {
            let path = world.path(file);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
            let said = world.refused(&["disconnect", client], exit::PERMISSION);
            assert!(said.contains("read-only"), "{client}: {said}");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        }
        world.done(&["disconnect", client]);
        assert_eq!(world.files(), before, "{client}");
        for file in files_of(client) {
            let mode = fs::metadata(world.path(file)).unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, 0o640, "{client}: {file}");
        }
    }
}

#[test]
fn scopes_are_connected_and_disconnected_on_their_own() {
    for client in BOTH_SCOPES {
        let world = World::new();
        files_of(client).for_each(|file| world.put(file, "\n"));
        let before = world.files();
        for (first, second) in [("--user", "--project"), ("--project", "--user")] {
            world.done(&["connect", client, first]);
            let one = world.files();
            world.done(&["connect", client, second]);
            assert_ne!(world.files(), one, "{client} {second}");
            world.done(&["disconnect", client, second]);
            assert_eq!(world.files(), one, "{client}: {second} went alone");
            world.done(&["connect", client, second]);
            world.done(&["disconnect", client, first]);
            world.done(&["disconnect", client, second]);
            assert_eq!(world.files(), before, "{client} {first} {second}");
        }
    }
}

#[test]
fn who_disconnects_the_wrong_scope_is_told_the_right_one() {
    let world = World::new();
    world.done(&["connect", "claude", "--local"]);
    let (said, notes) = world.done(&["disconnect", "claude"]);
    assert!(
        said.lines().all(|line| line.starts_with("unchanged\t")),
        "{said}"
    );
    assert!(
        notes.contains("`helixctl disconnect claude --local`") && notes.lines().count() == 1,
        "{notes}"
    );
    let (_, notes) = world.done(&["hooks", "uninstall"]);
    assert!(
        notes.contains("`helixctl hooks uninstall --local`"),
        "{notes}"
    );
    let (_, notes) = world.done(&["disconnect", "claude", "--local"]);
    assert!(!notes.contains("nothing was to be undone"), "{notes}");
    let (_, notes) = world.done(&["disconnect", "claude"]);
    assert_eq!(notes, "");
}

#[test]
fn all_three_scopes_of_claude_are_their_own() {
    let world = World::new();
    // As Claude Code writes it.
    put(
        &world.own().join(".claude.json"),
        "{\n  \"numStartups\": 3,\n  \"projects\": {}\n}\n",
    );
    let before = world.files();
    let scopes = ["--project", "--local", "--user"];
    for first in 0..scopes.len() {
        for scope in scopes {
            world.done(&["connect", "claude", scope]);
        }
        for at in 0..scopes.len() {
            world.done(&["disconnect", "claude", scopes[(first + at) % scopes.len()]]);
        }
        assert_eq!(
            world.files(),
            before,
            "disconnected from {} on",
            scopes[first]
        );
    }
}

#[test]
fn all_clients_at_once_come_and_go_in_any_order() {
    let world = World::new();
    for client in clients() {
        files_of(client).for_each(|file| world.put(file, "\n"));
    }
    let before = world.files();
    let mut order = clients();
    for _ in 0..order.len() {
        for client in clients() {
            world.done(&["connect", client]);
        }
        for client in &order {
            world.done(&["disconnect", client]);
        }
        assert_eq!(world.files(), before, "{order:?}");
        order.rotate_left(1);
    }
}
