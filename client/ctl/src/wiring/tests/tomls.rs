//! Codex's TOML: what is written as people read it, and what happens to a file that was edited.

use super::*;
use crate::wiring::Change;

fn codex(world: &World) -> Target {
    Client::Codex.targets(Scope::User, &world.place()).remove(1)
}

fn installed(text: Option<&str>) -> String {
    let target = Client::Codex
        .targets(Scope::User, &Place::default())
        .remove(1);
    plan_install(text, &target, &programs()).unwrap().text
}

#[test]
fn a_new_file() {
    insta::assert_snapshot!(installed(None));
}

#[test]
fn a_file_with_servers_and_comments() {
    insta::assert_snapshot!(installed(Some(
        "# mine\nmodel = \"o\" # the big one\n\n# other people's\n[mcp_servers.other]\ncommand = \"other\"\n\n[tui]\ntheme = \"dark\"\n# end\n"
    )));
}

#[test]
fn a_file_with_servers_on_one_line() {
    insta::assert_snapshot!(installed(Some(
        "mcp_servers = { other = { command = \"x\" } }\n"
    )));
}

#[test]
fn comments_above_ours_stay_when_it_goes() {
    let world = World::new();
    let target = codex(&world);
    put(&target, b"model = \"o\"\n");
    world.install(&target);
    let edited = fs::read_to_string(&target.path)
        .unwrap()
        .replace("[mcp_servers.helix]", "# note to self\n[mcp_servers.helix]");
    fs::write(&target.path, edited + "\n# at the end\n[tui]\nx = 1\n").unwrap();
    assert_eq!(world.uninstall(&target).change, Change::Cleaned);
    let left = fs::read_to_string(&target.path).unwrap();
    assert_eq!(
        left,
        "model = \"o\"\n\n# note to self\n# at the end\n[tui]\nx = 1\n"
    );
}

#[test]
fn a_server_keeps_what_the_user_gave_it_when_it_moves() {
    let text = "[mcp_servers.helix]\ncommand = \"/old/helix-mcp\" # here\nargs = [\"--x\"]\nstartup_timeout_sec = 3\n\n[mcp_servers.helix.env]\nA = \"1\"\n";
    let target = Client::Codex
        .targets(Scope::User, &Place::default())
        .remove(1);
    let named = Programs::new(
        Path::new(SHIM),
        Path::new(BRIDGE),
        vec![("HELIX_HOME".to_owned(), "/h".to_owned())],
    );
    let after = plan_install(Some(text), &target, &named.unwrap())
        .unwrap()
        .text;
    insta::assert_snapshot!(after);
}

#[test]
fn a_chosen_set_of_tools_takes_the_place_of_the_one_that_is_there() {
    let text = "[mcp_servers.helix]\ncommand = \"/old/helix-mcp\"\nargs = [\"--x\", \"--tools\", \"helix\"]\n";
    let target = Client::Codex
        .targets(Scope::User, &Place::default())
        .remove(1);
    let programs = programs().offering(Some("memory"));
    let after = plan_install(Some(text), &target, &programs).unwrap().text;
    let line = after.lines().find(|line| line.starts_with("args"));
    assert_eq!(line, Some(r#"args = ["--x", "--tools", "memory"]"#));
}

#[test]
fn a_server_in_the_wrong_shape_is_named_by_line() {
    let target = Client::Codex
        .targets(Scope::User, &Place::default())
        .remove(1);
    for (text, expected) in [
        (
            "a = 1\nmcp_servers = 3\n",
            "`mcp_servers` must be a table, found an integer at line 2",
        ),
        ("[mcp_servers]\nhelix = 3\n", "line 2, column"),
        (
            "[mcp_servers.helix]\nurl = \"https://example.org\"\n",
            "rename or remove",
        ),
    ] {
        let error = plan_install(Some(text), &target, &programs()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.exit_code(), 64);
    }
}
