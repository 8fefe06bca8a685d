//! Files in every form in which people keep them: to the byte what they were after connecting and
//! disconnecting.

use std::fs;

use helix_proto::exit;

use crate::world::{World, clients, files_of};

/// A user's JSON file, with comments; `mine` stands where it is edited later.
const JSON: &str = "{\n  // mine, ünïcödé 🌙\n  \"first\": \"mine\",\n  /* both */ \"list\": [1,2,  3],\n  \"last\": {\"a\": null}\n}\n";

/// The same in TOML.
const TOML: &str = "# mine, ünïcödé 🌙\nfirst = \"mine\" # both\n\n[last]\n  a = [1,2,  3]\n\n[other.\"x.y\"]\nb = '''\nlong\n'''\n";

/// Something that is put into a file after the wiring: text that stands in every form, and what it
/// becomes.
const EDIT: (&str, &str) = ("mine", "mine, and edited since");

/// A way to write a text: its name, and what it makes of the plain one.
type Form = (&'static str, fn(&str) -> String);

const FORMS: &[Form] = &[
    ("as it is", str::to_owned),
    ("without a newline at its end", |text| {
        text.trim_end().to_owned()
    }),
    ("with empty lines at its end", |text| format!("{text}\n\n")),
    ("with CRLF", |text| text.replace('\n', "\r\n")),
    ("with CRLF and none at its end", |text| {
        text.trim_end().replace('\n', "\r\n")
    }),
    ("with tabs", |text| text.replace("  ", "\t")),
    ("with wide indentation", |text| {
        text.replace("\n  ", "\n        ")
    }),
    ("behind a byte order mark", |text| format!("\u{feff}{text}")),
    ("behind empty lines", |text| format!("\n\n{text}")),
];

/// Files that say nothing yet.
const EMPTY_JSON: &[&str] = &[
    "",
    "\n",
    "  \r\n",
    "{}",
    "{ }",
    "{\n}\n",
    "\u{feff}{}",
    "// nothing yet\n{}\n",
];
const EMPTY_TOML: &[&str] = &[
    "",
    "\n",
    "  \r\n",
    "# nothing yet",
    "# nothing yet\r\n",
    "\n\n\n",
    "\u{feff}",
    "\t\n",
];

fn plain(file: &str) -> &'static str {
    if is_toml(file) { TOML } else { JSON }
}

pub(crate) fn is_toml(file: &str) -> bool {
    file.ends_with("toml")
}

/// Connects a client twice and disconnects it: nothing else is done by the second connection, and
/// everything is as it was.
pub(crate) fn check_round_trip(world: &World, client: &str, what: &str) {
    let before = world.files();
    let (said, _) = world.done(&["disconnect", client]);
    assert!(
        said.lines().all(|line| line.starts_with("unchanged\t")),
        "{client}, {what}: {said}"
    );
    assert_eq!(
        world.files(),
        before,
        "{client}, {what}: disconnected without having been connected"
    );

    world.done(&["connect", client]);
    let connected = world.files();
    for file in files_of(client) {
        let path = world.path(file);
        assert!(
            world.text(file).contains("helix-"),
            "{client}, {what}: {file}"
        );
        assert_ne!(
            connected.get(&path),
            before.get(&path),
            "{client}, {what}: {file}"
        );
    }
    let (said, _) = world.done(&["connect", client]);
    assert!(
        said.lines().all(|line| line.starts_with("unchanged\t")),
        "{client}, {what}: {said}"
    );
    assert_eq!(
        world.files(),
        connected,
        "{client}, {what}: connected twice"
    );

    world.done(&["disconnect", client]);
    assert_eq!(world.files(), before, "{client}, {what}");
}

/// Previews an order and gives it: nothing is written before, and what was shown is what is done.
fn check_preview(world: &World, order: &str, client: &str, what: &str) {
    let before = (world.files(), world.records());
    let (shown, _) = world.done(&[order, client, "--dry-run"]);
    assert_eq!(
        (world.files(), world.records()),
        before,
        "{order} {client}, {what}: a preview wrote something"
    );
    let (_, said) = world.done(&[order, client]);
    let lines = |text: &str, other: &str| {
        let diff: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with(other))
            .collect();
        diff.join("\n").trim_end().to_owned()
    };
    assert_eq!(
        lines(&shown, "would be "),
        lines(&said, "helixctl: "),
        "{order} {client}, {what}"
    );
}

#[test]
fn a_preview_writes_nothing_and_shows_what_is_done() {
    let world = World::new();
    for client in clients() {
        for (form, write) in FORMS {
            files_of(client).for_each(|file| world.put(file, write(plain(file))));
            for order in ["connect", "disconnect"] {
                check_preview(&world, order, client, form);
            }
        }
    }
}

#[test]
fn every_form_comes_back_to_the_byte() {
    let world = World::new();
    for client in clients() {
        for (form, write) in FORMS {
            files_of(client).for_each(|file| world.put(file, write(plain(file))));
            check_round_trip(&world, client, form);
        }
    }
}

#[test]
fn files_that_say_nothing_come_back_to_the_byte() {
    let world = World::new();
    for client in clients() {
        for (json, toml) in EMPTY_JSON.iter().zip(EMPTY_TOML) {
            files_of(client)
                .for_each(|file| world.put(file, if is_toml(file) { toml } else { json }));
            check_round_trip(&world, client, &format!("{json:?} or {toml:?}"));
        }
    }
}

#[test]
fn what_was_edited_since_stays_in_every_form() {
    let world = World::new();
    for client in clients() {
        for (form, write) in FORMS {
            files_of(client).for_each(|file| world.put(file, write(plain(file))));
            world.done(&["connect", client]);
            for file in files_of(client) {
                world.put(file, world.text(file).replace(EDIT.0, EDIT.1));
            }
            let (said, notes) = world.done(&["disconnect", client]);
            assert!(
                said.lines().all(|line| line.starts_with("cleaned\t")),
                "{client}, {form}: {said}"
            );
            assert!(notes.contains("edited since"), "{client}, {form}: {notes}");
            for file in files_of(client) {
                let (left, expected) =
                    (world.text(file), write(plain(file)).replace(EDIT.0, EDIT.1));
                assert_eq!(left, expected, "{client}, {form}: {file}");
            }
        }
    }
}

#[test]
fn what_was_added_since_stays() {
    let world = World::new();
    let add = |file: &str, text: &str| {
        if is_toml(file) {
            format!("added = 1\n{text}\n[added-table]\nc = 2\n")
        } else {
            text.replacen('{', "{\n  \"added\": [1],", 1)
        }
    };
    for client in clients() {
        files_of(client).for_each(|file| world.put(file, plain(file)));
        world.done(&["connect", client]);
        files_of(client).for_each(|file| world.put(file, add(file, &world.text(file))));
        world.done(&["disconnect", client]);
        for file in files_of(client) {
            assert_eq!(world.text(file), add(file, plain(file)), "{client}: {file}");
        }
    }
}

#[test]
fn texts_that_are_in_no_language_are_refused() {
    let world = World::new();
    let broken: &[&[u8]] = &[
        b"{\"a\": 1",
        b"a = ",
        b"= 1",
        b"{\"a\": \"\xff\"}",
        b"a = '\xff'",
        b"\x00",
    ];
    for client in clients() {
        for file in files_of(client) {
            for text in broken
                .iter()
                .filter(|text| text.starts_with(b"a") == is_toml(file) || text.len() < 4)
            {
                world.put(file, text);
                let name = world
                    .path(file)
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                for order in ["connect", "disconnect"] {
                    let said = world.refused(&[order, client], exit::USAGE);
                    assert!(
                        said.contains(&name) && said.contains("line 1"),
                        "{order} {client}: {said}"
                    );
                }
            }
            fs::remove_file(world.path(file)).unwrap();
        }
    }
}
