//! Every client in each of its scopes: there, there again, and back to the byte, whatever stood in
//! its files.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::wiring::Change;
use crate::wiring::target::Syntax;
use crate::wiring::verify::read_as;

/// Files that hold JSON of a client's, whichever it is.
const JSONS: &[&str] = &[
    "",
    " \n",
    "{}",
    "{}\n",
    "{ }",
    "\u{feff}{\n  \"theme\": \"dark\"\n}\n",
    "{\n  \"theme\": \"dark\",\n  \"языка\": \"日本語 🧬 \\u00e9\"\n}",
    "{\r\n  \"theme\": \"dark\",\r\n  \"a\": {\r\n    \"b\": 1\r\n  }\r\n}\r\n",
    "{\n\t\"theme\": \"dark\"\n}\n",
    "// mine\n{\n  \"theme\": \"dark\", // why\n  /* b */ \"a\": [\n    1,\n  ],\n}\n// end",
    "{\"mcpServers\": {\"a\": {\"command\": \"a\"}}, \"servers\": {}, \"mcp\": null, \"hooks\": {}, \"version\": 1}",
];

/// Files that hold TOML of a client's.
const TOMLS: &[&str] = &[
    "",
    "\n\n",
    "# nothing yet",
    "model = \"o\" # why\n",
    "model = \"o\"",
    "\u{feff}model = \"o\"\n",
    "# top\r\nmodel = \"o\"\r\n\r\n[profiles.a] # a\r\nb = 1\r\n# end\r\n",
    "# top\nmodel = \"o\"\r\n[profiles.a]\n\tb   =   1\n",
    "[mcp_servers.other]\ncommand = \"other\"\nargs = [\n\t\"a\", # first\n]\n\n\n[tui]\nx = true\n",
    "[mcp_servers]\n",
    "[mcp_servers] # mine\n\n# another\n[mcp_servers.other]\ncommand = 'x'\n",
    "mcp_servers = {}\n",
    "mcp_servers = { other = { command = \"x\" } } # one line\nz = 1979-05-27T07:32:00Z\n",
    "mcp_servers.other.command = \"x\"\n",
    "\"языка\" = \"日本語 🧬\"\n\"quoted key\" = '''\nmulti\n  line'''\n[[list]]\na = 1\n[[list]]\n",
];

pub(super) fn all() -> impl Iterator<Item = (Client, Scope)> {
    Client::ALL
        .into_iter()
        .flat_map(|client| client.scopes().iter().map(move |scope| (client, *scope)))
}

pub(super) fn texts(target: &Target) -> &'static [&'static str] {
    match target.syntax {
        Syntax::Json => JSONS,
        Syntax::Toml => TOMLS,
    }
}

/// Lists everything below a directory: each file with its text, each directory, each link.
pub(super) fn tree(root: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path.clone());
            }
            found.push((path.clone(), fs::read(&path).ok()));
        }
    }
    found.sort();
    found
}

#[test]
fn every_client_comes_and_goes_without_a_trace() {
    for (client, scope) in all() {
        let world = World::new();
        let before = (tree(&world.path("project")), tree(&world.path("home")));
        let targets = client.targets(scope, &world.place());
        let plan = Plan::install(&targets, &programs(), &world.path("helix")).unwrap();
        plan.write().unwrap();
        assert!(
            plan.reports()
                .iter()
                .all(|report| report.change == Change::Created),
            "{client:?}"
        );
        for target in &targets {
            let status = crate::wiring::status(target, &programs()).unwrap();
            assert!(
                status.missing.is_empty() && status.notes.is_empty(),
                "{client:?}: {status:?}"
            );
        }
        let again = Plan::install(&targets, &programs(), &world.path("helix")).unwrap();
        assert!(
            !again.changes_anything(),
            "{client:?}: {:?}",
            again.reports()
        );

        Plan::uninstall(&targets, &world.path("helix"))
            .unwrap()
            .write()
            .unwrap();
        assert_eq!(
            (tree(&world.path("project")), tree(&world.path("home"))),
            before,
            "{client:?} {scope:?}"
        );
        assert_eq!(fs::read_dir(world.path("helix/wiring")).unwrap().count(), 0);
    }
}

#[test]
fn every_file_comes_back_to_the_byte() {
    for (client, scope) in all() {
        for at in 0..client.targets(scope, &Place::default()).len() {
            let world = World::new();
            let target = client.targets(scope, &world.place()).remove(at);
            for text in texts(&target) {
                put(&target, text.as_bytes());
                let name = format!("{client:?}: {text:?}");
                assert_eq!(world.install(&target).change, Change::Updated, "{name}");
                let written = fs::read_to_string(&target.path).unwrap();
                assert_eq!(world.install(&target).change, Change::Unchanged, "{name}");
                assert_eq!(fs::read_to_string(&target.path).unwrap(), written, "{name}");
                assert_eq!(world.uninstall(&target).change, Change::Restored, "{name}");
                assert_eq!(
                    fs::read_to_string(&target.path).unwrap(),
                    *text,
                    "{name}: {written}"
                );
            }
        }
    }
}

#[test]
fn what_is_not_ours_survives_an_edit_in_between() {
    for (client, scope) in all() {
        for target in client.targets(scope, &Place::default()) {
            for text in texts(&target) {
                let name = format!("{client:?}: {text:?}");
                let there = plan_install(Some(text), &target, &programs()).unwrap().text;
                let comment = if target.syntax == Syntax::Toml {
                    "# mine, later\n"
                } else {
                    "// mine, later\n"
                };
                let mark = there.starts_with('\u{feff}');
                let edited = match there.strip_prefix('\u{feff}') {
                    Some(rest) => format!("\u{feff}{comment}{rest}"),
                    None => format!("{comment}{there}"),
                };
                let back = plan_back(&edited, text, &target).unwrap().text;
                assert_eq!(back.starts_with('\u{feff}'), mark, "{name}");
                assert!(!back.contains("helix"), "{name}: {back}");
                // What was empty may be an empty object now.
                let value = |text: &str| {
                    read_as(target.syntax, text)
                        .unwrap()
                        .unwrap_or_else(|| json!({}))
                };
                assert_eq!(
                    value(&back).to_string(),
                    value(text).to_string(),
                    "{name}: {back}"
                );
                for kept in [
                    "// mine\n",
                    "// why",
                    "/* b */",
                    "// end",
                    "# nothing yet",
                    "# why",
                    "# top",
                    "# a",
                    "# end",
                ] {
                    assert_eq!(
                        text.contains(kept),
                        back.contains(kept),
                        "{name}: {kept:?} in {back}"
                    );
                }
                assert!(back.contains(comment), "{name}: {back}");
            }
        }
    }
}

#[test]
fn line_ends_and_tabs_are_those_of_the_file() {
    for (client, scope) in all() {
        for target in client.targets(scope, &Place::default()) {
            for text in texts(&target) {
                let there = plan_install(Some(text), &target, &programs()).unwrap().text;
                let windows = text.matches("\r\n").count();
                if windows > 0 && windows == text.matches('\n').count() {
                    assert_eq!(
                        there.matches("\r\n").count(),
                        there.matches('\n').count(),
                        "{client:?}: {there:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn protected_files_are_respected_and_links_followed() {
    for (client, scope) in all() {
        let world = World::new();
        for target in client.targets(scope, &world.place()) {
            put(&target, b"");
            fs::set_permissions(&target.path, fs::Permissions::from_mode(0o444)).unwrap();
            let refused = Plan::install(
                std::slice::from_ref(&target),
                &programs(),
                &world.path("helix"),
            )
            .unwrap_err();
            assert_eq!(refused.exit_code(), 77, "{client:?}: {refused}");
            fs::remove_file(&target.path).unwrap();

            fs::write(world.path("real"), "").unwrap();
            symlink(world.path("real"), &target.path).unwrap();
            world.install(&target);
            assert!(
                fs::read_to_string(world.path("real"))
                    .unwrap()
                    .contains("helix"),
                "{client:?}"
            );
            assert_eq!(world.uninstall(&target).change, Change::Restored);
            assert!(fs::symlink_metadata(&target.path).unwrap().is_symlink());
            assert_eq!(fs::read(world.path("real")).unwrap(), b"");
            fs::remove_file(&target.path).unwrap();
        }
    }
}

#[test]
fn what_cannot_be_read_is_said_and_left() {
    for (client, scope) in all() {
        let world = World::new();
        for target in client.targets(scope, &world.place()) {
            let (text, language) = match target.syntax {
                Syntax::Json => ("{\n  \"a\": oops\n}", "JSON"),
                Syntax::Toml => ("a = 1\nb = oops\n", "TOML"),
            };
            put(&target, text.as_bytes());
            let refused = Plan::install(
                std::slice::from_ref(&target),
                &programs(),
                &world.path("helix"),
            )
            .unwrap_err();
            let message = refused.to_string();
            assert!(
                message.contains(language) && message.contains("line 2"),
                "{client:?}: {message}"
            );
            assert!(
                message.contains(target.path.file_name().unwrap().to_str().unwrap()),
                "{message}"
            );
            assert_eq!(refused.exit_code(), 64);
            assert!(Plan::uninstall(std::slice::from_ref(&target), &world.path("helix")).is_err());
            assert_eq!(fs::read_to_string(&target.path).unwrap(), text);
        }
    }
}

#[test]
fn somebody_elses_helix_is_not_overwritten() {
    for (client, scope) in all() {
        let world = World::new();
        for target in client
            .targets(scope, &world.place())
            .into_iter()
            .filter(Target::holds_server)
        {
            let there = plan_install(None, &target, &programs()).unwrap().text;
            let foreign = there.replace("helix-mcp", "genome-mcp");
            put(&target, foreign.as_bytes());
            let refused = Plan::install(
                std::slice::from_ref(&target),
                &programs(),
                &world.path("helix"),
            )
            .unwrap_err();
            assert!(
                refused.to_string().contains("rename or remove"),
                "{client:?}: {refused}"
            );
            assert_eq!(fs::read_to_string(&target.path).unwrap(), foreign);
            let left = plan_uninstall(&foreign, Original::Unknown, &target)
                .unwrap()
                .text;
            assert!(left.contains("genome-mcp"), "{client:?}: {left}");
        }
    }
}

#[test]
fn files_are_where_the_clients_look() {
    let place = Place {
        project: "/p".into(),
        home: "/h".into(),
        config: "/h/.config".into(),
        claude_config_dir: None,
        codex_home: Some("/codex".into()),
    };
    let lines = all().flat_map(|(client, scope)| {
        let targets = client.targets(scope, &place);
        targets.into_iter().map(move |target| {
            let what = match (target.holds_hooks(), target.holds_server()) {
                (true, true) => "hooks, server",
                (true, false) => "hooks",
                (false, _) => "server",
            };
            format!(
                "{} --{}: {} ({what})\n",
                client.command(),
                scope.name(),
                target.path.display()
            )
        })
    });
    if cfg!(target_os = "linux") {
        insta::assert_snapshot!(lines.collect::<String>());
    }
}
