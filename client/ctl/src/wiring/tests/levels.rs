//! Entries on several levels of one file: a user's own servers everywhere, and in one project.

use super::*;
use crate::wiring::Change;

/// Claude Code's file with a project, and another one.
const CLAUDE: &str = "{\n  \"numStartups\": 3,\n  \"projects\": {\n    \"/elsewhere\": {\n      \"mcpServers\": {}\n    }\n  }\n}\n";

fn project(world: &World) -> String {
    world.path("project").to_str().unwrap().to_owned()
}

#[test]
fn a_local_server_stands_below_its_project_alone() {
    for text in [None, Some(CLAUDE), Some("{}"), Some("{\"projects\": null}")] {
        let world = World::new();
        let target = world.server(Scope::Local);
        if let Some(text) = text {
            put(&target, text.as_bytes());
        }
        world.install(&target);
        let root = read(&world.path("home/.claude.json"));
        assert!(root.get("mcpServers").is_none(), "{root}");
        assert_server(&root["projects"][project(&world)], BRIDGE);
        assert_eq!(world.install(&target).change, Change::Unchanged);
        assert!(
            crate::wiring::status(&target, &programs())
                .unwrap()
                .missing
                .is_empty()
        );
        assert_eq!(
            crate::wiring::status(&world.server(Scope::User), &programs())
                .unwrap()
                .missing,
            ["helix"]
        );
        world.uninstall(&target);
        assert_eq!(fs::read_to_string(&target.path).ok().as_deref(), text);
    }
}

#[test]
fn what_claude_keeps_of_the_project_stays() {
    let world = World::new();
    let target = world.server(Scope::Local);
    let text = json!({"projects": {project(&world): {"allowedTools": ["x"], "mcpServers": {}}}})
        .to_string();
    put(&target, text.as_bytes());
    world.install(&target);
    assert_server(&read(&target.path)["projects"][project(&world)], BRIDGE);
    let edited = fs::read_to_string(&target.path)
        .unwrap()
        .replace("\"x\"", "\"y\"");
    fs::write(&target.path, edited).unwrap();
    assert_eq!(world.uninstall(&target).change, Change::Cleaned);
    assert_eq!(
        fs::read_to_string(&target.path).unwrap(),
        text.replace("\"x\"", "\"y\"")
    );
}

#[test]
fn each_level_is_undone_on_its_own() {
    let world = World::new();
    let (user, local) = (world.server(Scope::User), world.server(Scope::Local));
    put(&user, CLAUDE.as_bytes());
    world.install(&user);
    let with_user = fs::read_to_string(&user.path).unwrap();
    assert_eq!(
        world.uninstall(&local).change,
        Change::Unchanged,
        "it was never connected there"
    );
    assert_eq!(fs::read_to_string(&user.path).unwrap(), with_user);

    world.install(&local);
    assert_eq!(world.uninstall(&local).change, Change::Restored);
    assert_eq!(fs::read_to_string(&user.path).unwrap(), with_user);

    world.install(&local);
    assert_eq!(world.uninstall(&user).change, Change::Cleaned);
    let root = read(&user.path);
    assert!(root.get("mcpServers").is_none(), "{root}");
    assert_server(&root["projects"][project(&world)], BRIDGE);
    world.uninstall(&local);
    assert_eq!(fs::read_to_string(&user.path).unwrap(), CLAUDE);
}

#[test]
fn a_home_that_was_named_stands_in_the_servers_environment() {
    let home = |home: &str| {
        let environment = vec![("HELIX_HOME".to_owned(), home.to_owned())];
        Programs::new(Path::new(SHIM), Path::new(BRIDGE), environment).unwrap()
    };
    let world = World::new();
    let target = world.server(Scope::Project);
    put(&target, b"{}");
    world.install(&target);
    assert_eq!(
        crate::wiring::status(&target, &home("/a"))
            .unwrap()
            .notes
            .len(),
        1
    );
    for named in ["/a", "/b"] {
        world.install_with(&target, &home(named));
        assert_eq!(
            read(&target.path)["mcpServers"]["helix"]["env"],
            json!({"HELIX_HOME": named})
        );
        assert!(
            crate::wiring::status(&target, &home(named))
                .unwrap()
                .notes
                .is_empty()
        );
    }
    assert_eq!(world.uninstall(&target).change, Change::Restored);
    assert_eq!(fs::read(&target.path).unwrap(), b"{}");
}
