//! Every awkward file: install, install again, uninstall.

use super::*;
use crate::wiring::Change;

/// Name and bytes of files that a user could have.
const SETTINGS: &[(&str, &str)] = &[
    ("empty", ""),
    ("blank", " \n\n"),
    ("object", "{}"),
    ("object, newline", "{}\n"),
    ("spread object", "{\n}\n"),
    ("mark", "\u{feff}{\n  \"model\": \"opus\"\n}\n"),
    ("mark alone", "\u{feff}"),
    ("comment alone", "// nothing yet"),
    ("block comment alone", "/* nothing yet */\n"),
    ("comment in object", "{\n  // nothing yet\n}\n"),
    ("comment at the end", "{\"a\": 1} // end"),
    (
        "comments",
        "// top\n{\n  \"a\": 1, // about a\n  /* b */ \"b\": [1, 2 /* two */],\n  // last\n}\n// end\n",
    ),
    ("comment after the last", "{\n  \"a\": 1 // about a\n}"),
    (
        "comma on its own line",
        "{\n  \"a\": 1 // about a\n  , \"b\": 2\n}",
    ),
    (
        "trailing commas",
        "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\",\n    ],\n  },\n}\n",
    ),
    (
        "carriage returns",
        "{\r\n  \"model\": \"opus\",\r\n  \"env\": {\r\n    \"A\": \"1\"\r\n  }\r\n}\r\n",
    ),
    (
        "tabs",
        "{\n\t\"model\": \"opus\",\n\t\"env\": {\n\t\t\"A\": \"1\"\n\t}\n}",
    ),
    ("four spaces", "{\n    \"model\": \"opus\"\n}\n"),
    ("one line", "{\"model\":\"opus\",\"env\":{\"A\":\"1\"}}"),
    (
        "blank lines",
        "{\n\n  \"model\": \"opus\",\n\n\n  \"env\": {}\n\n}\n\n\n",
    ),
    (
        "unicode",
        "{\n  \"языка\": \"日本語 🧬 \\u00e9 \\ud83e\\uddec\",\n  \"e\u{301}\": \"\u{202e}\"\n}\n",
    ),
    (
        "numbers",
        "{\"a\": 1e300, \"b\": 0.10, \"c\": -0, \"d\": 123456789012345678901234567890}",
    ),
    ("null hooks", "{\"hooks\": null, \"z\": 1}"),
    ("empty hooks", "{\n  \"hooks\": {},\n  \"z\": 1\n}"),
    ("null event", "{\"hooks\": {\"PreToolUse\": null}}"),
    (
        "empty event",
        "{\"hooks\": {\"PreToolUse\": [], \"Stop\": []}}",
    ),
    (
        "empty group",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []}, {}, null, 7]}}",
    ),
    (
        "other events",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}}",
    ),
    (
        "same matcher",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Read|Edit|Write|MultiEdit|NotebookEdit|Glob|Grep\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"./check.sh\" } // mine\n        ]\n      }\n    ]\n  }\n}\n",
    ),
    (
        "odd other event",
        "{\"hooks\": {\"Later\": {\"new\": \"shape\"}, \"Notification\": 3}}",
    ),
    (
        "similar name",
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/x/not-helix-hooks a\"}]}]}}",
    ),
    (
        "servers",
        "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"other\", \"env\": {\"K\": \"v\"}}\n  }\n}\n",
    ),
    ("null servers", "{\"mcpServers\": null}"),
    ("empty servers", "{\"mcpServers\": {}}"),
    (
        "null server",
        "{\"mcpServers\": {\"helix\": null, \"a\": {}}}",
    ),
];

/// Comments of those.
const COMMENTS: &[&str] = &[
    "// top",
    "// about a",
    "/* b */",
    "/* two */",
    "// last",
    "// end",
    "// mine",
];

#[test]
fn every_file_goes_there_and_back() {
    for (name, text) in SETTINGS {
        let world = World::new();
        for target in [world.hooks(Scope::Project), world.server(Scope::User)] {
            put(&target, text.as_bytes());
            there_and_back(&world, &target, name);
            assert_eq!(fs::read(&target.path).unwrap(), text.as_bytes(), "{name}");
        }
    }
}

#[test]
fn comments_indentation_and_line_ends_survive() {
    for (name, text) in SETTINGS {
        for target in [hooks_target(), server_target()] {
            let after = plan_install(Some(text), &target, &programs()).unwrap().text;
            for comment in COMMENTS.iter().chain(&["// nothing yet"]) {
                assert_eq!(
                    text.contains(comment),
                    after.contains(comment),
                    "{name}: {after}"
                );
            }
            assert_eq!(
                text.starts_with('\u{feff}'),
                after.starts_with('\u{feff}'),
                "{name}"
            );
            if text.contains("\r\n") {
                assert_eq!(
                    after.matches('\n').count(),
                    after.matches("\r\n").count(),
                    "{name}: {after}"
                );
            }
            if text.contains('\t') {
                assert!(!after.contains("\n "), "{name}: {after}");
            }
            if text.ends_with('}') {
                assert!(after.ends_with('}'), "{name}: {after}");
            }
        }
    }
}

#[test]
fn taking_out_without_a_record_keeps_the_rest() {
    for (name, text) in SETTINGS {
        for target in [hooks_target(), server_target()] {
            let after = plan_install(Some(text), &target, &programs()).unwrap().text;
            let back = plan_back(&after, text, &target).unwrap();
            assert!(back.changed, "{name}");
            let original = value_of(text).unwrap().unwrap_or(json!({}));
            let again = value_of(&back.text).unwrap().unwrap();
            assert_eq!(
                again.to_string(),
                original.to_string(),
                "{name}: {}",
                back.text
            );
            for comment in COMMENTS {
                assert_eq!(
                    text.contains(comment),
                    back.text.contains(comment),
                    "{name}: {}",
                    back.text
                );
            }
        }
    }
}

fn there_and_back(world: &World, target: &Target, name: &str) {
    let first = world.install(target);
    assert_eq!(first.change, Change::Updated, "{name}");
    assert!(first.diff.contains("\n+"), "{name}: {}", first.diff);
    let written = fs::read(&target.path).unwrap();
    let root = read(&target.path);
    if target.path == world.hooks(Scope::Project).path {
        assert_wired(&root, SHIM);
    } else {
        assert_server(&root, BRIDGE);
    }

    let second = world.install(target);
    assert_eq!(
        (second.change, second.diff.as_str()),
        (Change::Unchanged, ""),
        "{name}"
    );
    assert_eq!(fs::read(&target.path).unwrap(), written, "{name}");

    assert_eq!(world.uninstall(target).change, Change::Restored, "{name}");
    assert_eq!(
        fs::read_dir(world.path("helix/wiring")).unwrap().count(),
        0,
        "{name}"
    );
}
