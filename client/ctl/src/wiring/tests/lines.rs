//! Clients that run hooks through a shell: one line for program and arguments.

use super::*;
use crate::wiring::Change;

const SPACED: &str = "/opt/my helix's/bin/helix-hook";

fn gemini(world: &World) -> Target {
    Client::Gemini
        .targets(Scope::Project, &world.place())
        .remove(0)
}

fn spaced() -> Programs {
    Programs::new(Path::new(SPACED), Path::new(BRIDGE), Vec::new()).unwrap()
}

/// The words of the only handler of an event, as a shell takes them apart.
fn words(path: &Path, event: &str) -> Vec<String> {
    let handler = &read(path)["hooks"][event][0]["hooks"][0];
    shlex::split(handler["command"].as_str().unwrap()).unwrap()
}

#[test]
fn a_path_with_spaces_and_quotes_is_one_word() {
    let world = World::new();
    let target = gemini(&world);
    world.install_with(&target, &spaced());
    assert_eq!(
        words(&target.path, "BeforeAgent"),
        [SPACED, "prompt", "gemini"]
    );
    let status = crate::wiring::status(&target, &spaced()).unwrap();
    assert_eq!(status.missing, Vec::<String>::new());
    assert_eq!(
        world.install_with(&target, &spaced()).change,
        Change::Unchanged
    );
    assert_eq!(
        world.install(&target).change,
        Change::Updated,
        "moved to a path without"
    );
    assert_eq!(
        words(&target.path, "BeforeAgent"),
        [SHIM, "prompt", "gemini"]
    );
    assert_eq!(world.uninstall(&target).change, Change::Deleted);
}

#[test]
fn what_a_client_says_about_itself_is_kept_up_to_date() {
    let world = World::new();
    let target = gemini(&world);
    world.install(&target);
    let old = fs::read_to_string(&target.path)
        .unwrap()
        .replace("session gemini", "session");
    fs::write(&target.path, old).unwrap();
    assert_eq!(
        crate::wiring::status(&target, &programs())
            .unwrap()
            .notes
            .len(),
        1
    );
    world.install(&target);
    assert_eq!(
        words(&target.path, "SessionStart"),
        [SHIM, "session", "gemini"]
    );
}

#[test]
fn a_hook_that_stood_under_another_event_is_put_under_the_right_one() {
    let world = World::new();
    let target = gemini(&world);
    put(&target, b"{\"theme\": \"dark\"} // mine\n");
    world.install(&target);
    let wired = fs::read_to_string(&target.path).unwrap();
    // As it was wired before Gemini CLI was known to take no text there.
    fs::write(
        &target.path,
        wired.replacen("\"AfterTool\"", "\"BeforeTool\"", 1),
    )
    .unwrap();
    assert_eq!(
        crate::wiring::status(&target, &programs()).unwrap().missing,
        ["AfterTool/ambient", "AfterTool/post-build"]
    );
    world.install(&target);
    assert_eq!(read(&target.path), value_of(&wired).unwrap().unwrap());
    assert_eq!(
        words(&target.path, "AfterTool"),
        [SHIM, "ambient", "gemini"]
    );
    world.uninstall(&target);
    assert_eq!(
        fs::read(&target.path).unwrap(),
        b"{\"theme\": \"dark\"} // mine\n"
    );
}

#[test]
fn a_version_goes_with_the_hooks_that_brought_it() {
    let world = World::new();
    let target = Client::Cursor
        .targets(Scope::Project, &world.place())
        .remove(0);
    for (text, left) in [
        ("{\"a\": 1}", "{\"a\": 1}"),
        ("{\"version\": 1}", "{\"version\": 1}"),
        ("{}", "{}"),
        (
            "{\"version\": 1, \"hooks\": {}}",
            "{\"version\": 1, \"hooks\": {}}",
        ),
    ] {
        put(&target, text.as_bytes());
        world.install(&target);
        assert_eq!(read(&target.path)["version"], 1);
        assert_eq!(
            read(&target.path)["hooks"]["sessionStart"][0]["command"],
            format!("{SHIM} session cursor")
        );
        // Somebody adds a line at the end, so that the file cannot simply be put back.
        let edited = fs::read_to_string(&target.path).unwrap() + "\n\n";
        fs::write(&target.path, edited).unwrap();
        world.uninstall(&target);
        assert_eq!(
            read(&target.path),
            serde_json::from_str::<Value>(left).unwrap(),
            "{text}"
        );
    }
}

#[test]
fn a_version_stays_while_somebody_elses_hooks_need_it() {
    let world = World::new();
    let target = Client::Cursor
        .targets(Scope::Project, &world.place())
        .remove(0);
    world.install(&target);
    let text = fs::read_to_string(&target.path).unwrap();
    fs::write(
        &target.path,
        text.replace(
            "\"hooks\": {",
            "\"hooks\": {\n    \"stop\": [{\"command\": \"./bell\"}],",
        ),
    )
    .unwrap();
    assert_eq!(world.uninstall(&target).change, Change::Cleaned);
    assert_eq!(
        read(&target.path),
        json!({"version": 1, "hooks": {"stop": [{"command": "./bell"}]}})
    );
}

#[test]
fn other_hooks_of_an_event_stay() {
    let world = World::new();
    let target = Client::Cursor
        .targets(Scope::Project, &world.place())
        .remove(0);
    let text = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"sessionStart\": [\n      { \"command\": \"./mine\" } // first\n    ],\n    \"stop\": [{\"command\": \"./bell\"}]\n  }\n}\n";
    put(&target, text.as_bytes());
    world.install(&target);
    assert_eq!(
        read(&target.path)["hooks"]["sessionStart"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    fs::write(
        &target.path,
        fs::read_to_string(&target.path)
            .unwrap()
            .replace("./bell", "./gong"),
    )
    .unwrap();
    assert_eq!(world.uninstall(&target).change, Change::Cleaned);
    assert_eq!(
        fs::read_to_string(&target.path).unwrap(),
        text.replace("./bell", "./gong")
    );
}
