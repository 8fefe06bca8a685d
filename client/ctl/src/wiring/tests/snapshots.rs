//! Results as people read them.

use super::*;

fn installed(text: Option<&str>, target: &Target) -> String {
    plan_install(text, target, &programs()).unwrap().text
}

#[test]
fn a_new_settings_file() {
    insta::assert_snapshot!(installed(None, &hooks_target()));
}

#[test]
fn a_new_server_file() {
    insta::assert_snapshot!(installed(None, &server_target()));
}

#[test]
fn a_commented_file_with_hooks_of_its_own() {
    let text = "// team settings\n{\n    \"model\": \"opus\", // the big one\n    \"hooks\": {\n        // lint first\n        \"PreToolUse\": [\n            {\n                \"matcher\": \"Bash\",\n                \"hooks\": [{ \"type\": \"command\", \"command\": \"./lint\" }] // mine\n            }\n        ]\n    }\n}\n";
    insta::assert_snapshot!(installed(Some(text), &hooks_target()));
}

#[test]
fn a_file_with_tabs_and_trailing_commas() {
    let text = "{\n\t\"permissions\": {\n\t\t\"allow\": [],\n\t},\n}\n";
    insta::assert_snapshot!(installed(Some(text), &hooks_target()));
}

#[test]
fn a_difference() {
    let world = World::new();
    let target = world.server(Scope::Project);
    put(&target, b"{\n  \"mcpServers\": {\n    \"a\": {}\n  }\n}\n");
    let diff = world.install(&target).diff;
    insta::assert_snapshot!(diff.replace(world.root.path().to_str().unwrap(), ""));
}
