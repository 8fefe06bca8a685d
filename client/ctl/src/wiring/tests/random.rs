//! Any settings file, whatever it holds: there and back, and only ours in between.

use std::fmt::Write;

use proptest::prelude::*;
use serde_json::Map;

use super::*;

/// Keys that matter to the merge come up as often as any others.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("other".to_owned()),
        Just("matcher".to_owned()),
        Just("command".to_owned()),
        "[a-z\u{e9}\u{1f9ec}\"\\\\\n]{0,6}",
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::from("/x/helix-hook-not")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Groups of an event: proper ones and whatever else.
fn groups() -> impl Strategy<Value = Value> {
    let handler = prop_oneof![
        Just(json!({"type": "command", "command": "./mine", "timeout": 9})),
        Just(json!({"type": "command", "command": "/old/helix-hook", "args": ["ambient"]})),
        Just(json!({"type": "command", "command": "/old/helix-hook", "args": ["session"]})),
        any_value(),
    ];
    let group = prop::collection::vec(handler, 0..3)
        .prop_map(|handlers| json!({"matcher": "Bash", "hooks": handlers}));
    prop::collection::vec(prop_oneof![4 => group, 1 => any_value()], 0..3).prop_map(Value::from)
}

fn settings() -> impl Strategy<Value = Value> {
    let event = prop_oneof![Just("PreToolUse"), Just("SessionStart"), Just("Stop")];
    let events = prop::collection::vec(
        (event, prop_oneof![4 => groups(), 1 => Just(Value::Null)]),
        0..4,
    );
    let hooks = events.prop_map(|events| {
        events
            .into_iter()
            .map(|(name, groups)| (name.to_owned(), groups))
            .collect::<Map<_, _>>()
    });
    let rest = || prop::collection::vec((key(), any_value()), 0..4);
    (rest(), prop::option::of(hooks), rest()).prop_map(|(first, hooks, last)| {
        let hooks = hooks.map(|hooks| ("hooks".to_owned(), Value::Object(hooks)));
        Value::Object(first.into_iter().chain(hooks).chain(last).collect())
    })
}

fn text() -> impl Strategy<Value = String> {
    (settings(), 0..4_u8).prop_map(|(value, style)| match style {
        0 => value.to_string(),
        1 => serde_json::to_string_pretty(&value).unwrap(),
        2 => {
            serde_json::to_string_pretty(&value)
                .unwrap()
                .replace('\n', "\r\n")
                + "\r\n"
        }
        _ => serde_json::to_string_pretty(&value)
            .unwrap()
            .replace(",\n", ", // why\n")
            .replace("[\n", "[ /* in */\n"),
    })
}

/// One file of each shape that is written in JSON.
fn json_targets() -> Vec<Target> {
    let targets = Client::ALL
        .into_iter()
        .flat_map(|client| client.targets(client.scopes()[0], &Place::default()));
    targets
        .filter(|target| {
            target
                .path
                .extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect()
}

/// Tables with comments in between, some of them servers, with either line end.
fn toml_text() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        any::<bool>().prop_map(|flag| flag.to_string()),
        any::<i32>().prop_map(|number| number.to_string()),
        "[a-z \u{e9}\u{1f9ec}#\\[\\]=]{0,8}".prop_map(|text| format!("\"{text}\"")),
        Just("[\n\t1, # one\n]".to_owned()),
        Just("\"\"\"\nmany\n\n# lines\"\"\"".to_owned()),
        Just("{ command = 'helix-mcp-not' }".to_owned()),
    ];
    let around = || {
        prop_oneof![
            Just(""),
            Just("\n"),
            Just("# why\n"),
            Just("\n# [mcp_servers.helix]\n\n")
        ]
    };
    let entries = prop::collection::vec(
        (around(), value, prop_oneof![Just(""), Just("  # so")]),
        0..4,
    );
    let table = (
        around(),
        prop_oneof![
            Just("tui"),
            Just("mcp_servers.other"),
            Just("mcp_servers.a-b"),
            Just("p")
        ],
        entries,
    );
    (prop::collection::vec(table, 0..5), any::<bool>(), around()).prop_map(
        |(tables, windows, end)| {
            let mut text = String::new();
            for (at, (above, name, entries)) in tables.into_iter().enumerate() {
                // The first has no header; names are made unlike each other.
                if at > 0 {
                    writeln!(text, "{above}[{name}{at}]").unwrap();
                }
                for (number, (above, value, beside)) in entries.into_iter().enumerate() {
                    writeln!(text, "{above}key{number} = {value}{beside}").unwrap();
                }
            }
            text += end;
            if windows {
                text.replace('\n', "\r\n")
            } else {
                text
            }
        },
    )
}

/// Failures are printed with their minimal input; nothing is written into the source tree.
pub(super) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn installing_adds_ours_twice_the_same_and_strips_clean(text in text()) {
        for target in json_targets() {
            let first = plan_install(Some(&text), &target, &programs()).unwrap();
            let status = plan_status(Some(&first.text), &target, &programs(), &|_| true).unwrap();
            prop_assert!(status.missing.is_empty() && status.stale.is_empty(), "{:?}", status);
            prop_assert!(!plan_install(Some(&first.text), &target, &programs()).unwrap().changed);
            let clean = plan_back(&text, &text, &target).unwrap().text;
            let back = plan_back(&first.text, &clean, &target).unwrap();
            prop_assert!(back.changed);
            prop_assert!(plan_uninstall(&first.text, Original::Unknown, &target).unwrap().changed);
            let value = |text: &str| value_of(text).unwrap().map(|value| value.to_string());
            if text == clean {
                prop_assert_eq!(value(&back.text), value(&text), "{}", back.text);
                // What is empty may have had blanks in it.
                let has_blank_room = ["{}", "[]", "{\n", "{\r", "[\n", "[ /*"].iter().any(|open| {
                    text.match_indices(open).any(|(at, _)| {
                        let inside = text.get(at + 1..).unwrap_or_default().trim_start();
                        inside.starts_with(['}', ']', '/'])
                    })
                });
                prop_assert!(has_blank_room || back.text == text, "{}\nbecame\n{}", text, back.text);
            }
        }
    }

}

proptest! {
    // Each case syncs several files.
    #![proptest_config(cases(40))]

    #[test]
    fn files_come_back_to_the_byte(text in text()) {
        let world = World::new();
        let target = world.server(Scope::Project);
        put(&target, text.as_bytes());
        world.install(&target);
        world.uninstall(&target);
        prop_assert_eq!(fs::read_to_string(&target.path).unwrap(), text);
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn toml_gains_and_loses_our_table_alone(text in toml_text()) {
        let target = Client::Codex.targets(Scope::User, &Place::default()).remove(1);
        let there = plan_install(Some(&text), &target, &programs()).unwrap().text;
        prop_assert!(!plan_install(Some(&there), &target, &programs()).unwrap().changed);
        let status = plan_status(Some(&there), &target, &programs(), &|_| true).unwrap();
        prop_assert!(status.is_complete(), "{:?}", status);
        let back = plan_back(&there, &text, &target).unwrap().text;
        prop_assert_eq!(back, text, "{}", there);
    }
}
