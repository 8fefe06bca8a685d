//! Files that are right and yet unlike any that a formatter writes, and files that no client could
//! read.

use helix_proto::exit;

use crate::forms::{check_round_trip, is_toml};
use crate::world::{World, clients, files_of};

/// JSON, with what it is awkward for.
const JSON: &[(&str, &str)] = &[
    (
        "repeated keys",
        r#"{"mcpServers":{"x":{"command":"1"}},"hooks":{},"mcpServers":{"y":{"command":"2"}},"hooks":{"Stop":[]},"servers":{},"servers":{"z":{}},"mcp":{},"mcp":{"q":{}}}"#,
    ),
    (
        "escaped keys",
        r#"{"mcp\u0053ervers":{"x":{"command":"1"}},"hoo\u006bs":{},"\u0073ervers":{},"mc\u0070":{}}"#,
    ),
    (
        "comments in empty objects",
        "{\"mcpServers\":{ /* none */ },\"hooks\":{\n // none\n},\"servers\":{/**/},\"mcp\":{\n}}",
    ),
    (
        "trailing commas",
        "{\n\t\"a\": [1,2,], // l\n\t\"mcpServers\": {\"x\": {},},\n}\n// end",
    ),
    (
        "line ends of both kinds",
        "{\r\n  \"a\": 1,\n  \"b\": {\r\n    \"c\": 2\n  }\r\n}",
    ),
    ("line ends of a third kind", "{\r  \"a\": 1\r}\r"),
    ("blanks of other kinds", "\u{c}{\"a\":\u{a0}1}"),
    (
        "numbers that no float holds",
        "{\"a\": 123456789012345678901234567890, \"b\": -0.0, \"c\": 1e-7}",
    ),
    (
        "text that turns around",
        "{\"ключ 🌙\":\"\u{202e}日本\",\"e\u{301}\":\"\\u0000\"}\n",
    ),
    (
        "names of JavaScript",
        "{\"__proto__\":{\"a\":1},\"constructor\":1}",
    ),
    (
        "hooks of no known shape",
        r#"{"hooks":{"SessionStart":[null,1,"x",{"hooks":null},{"hooks":{}},{"hooks":[null,{"command":5},{"command":""}]}],"sessionStart":[null,1,"x"]}}"#,
    ),
    ("a comment and no value", "// nothing yet"),
    ("nothing behind a byte order mark", "\u{feff}"),
];

/// TOML, with what it is awkward for.
const TOML: &[(&str, &str)] = &[
    (
        "an inline table",
        "mcp_servers = { other = { command = \"x\", args = [\"a\"] } } # one line\nz = 1\n",
    ),
    ("an empty inline table", "mcp_servers = { }\n"),
    (
        "dotted keys",
        "mcp_servers.other.command = \"x\"\nmcp_servers.other.args = []\n",
    ),
    (
        "dotted keys below a header",
        "[mcp_servers]\nother.command = \"x\"",
    ),
    ("arrays of tables", "[[a]]\nx=1\n[[a]]\nx=2\n[[a.b]]\n"),
    (
        "a header behind its tables",
        "[mcp_servers.other]\ncommand=\"x\"\n[b]\nc=1\n[mcp_servers]\n",
    ),
    (
        "a table behind its part",
        "[mcp_servers.other.env]\nA=\"1\"\n[mcp_servers.other]\ncommand=\"x\"\n",
    ),
    (
        "quoted and spaced headers",
        "[ \"mcp_servers\" . other ]\ncommand = \"x\"",
    ),
    (
        "a text that looks like our table",
        "a = '''\n[mcp_servers.helix]\n'''",
    ),
    ("a text that ends in blank lines", "a = \"\"\"\nx\n\n\"\"\""),
    ("a comment at the end", "a = 1\n   \n# end"),
    ("blanks at the end", "a = 1\r\n\n\r\n   "),
    ("line ends of both kinds", "a = 1\r\n[b]\nc = 2\r\n"),
    (
        "values of every kind",
        "d = 1979-05-27 07:32:00\nf = 1_000.5e3\nh = 0xDEAD\nn = nan\n\"ключ 🌙\" = \"\u{202e}日本\"\n",
    ),
    ("a byte order mark", "\u{feff}a = 1"),
];

/// Texts that no client could read as its settings, in JSON and TOML, and the complaint about each.
const WRONG: &[(&str, &str, &str)] = &[
    ("null\n", "null\n", "line 1, column"),
    ("[]\n", "[[mcp_servers]]\nx = 1\n", "found an array"),
    ("3", "mcp_servers = 3", "found a"),
    (
        "{\"hooks\":[],\"mcpServers\":[],\"servers\":[],\"mcp\":[]}",
        "mcp_servers = []\n",
        "found an array",
    ),
    (
        "{\"a\": 1,,}",
        "a = 1\na = 2\n",
        "correct the file and run this again",
    ),
    ("{} {}", "[a]\n[a]\n", "correct the file and run this again"),
    (
        "{a: 1}",
        "[mcp_servers\n",
        "correct the file and run this again",
    ),
];

/// How large a file of history can grow, in bytes.
const LARGE_BYTES: usize = 1024 * 1024;

fn put_all(world: &World, client: &str, json: &str, toml: &str) {
    files_of(client).for_each(|file| world.put(file, if is_toml(file) { toml } else { json }));
}

#[test]
fn awkward_files_come_back_to_the_byte() {
    let world = World::new();
    for client in clients() {
        for ((name, json), (other, toml)) in JSON.iter().zip(TOML.iter().cycle()) {
            put_all(&world, client, json, toml);
            check_round_trip(&world, client, &format!("{name}, or {other}"));
        }
    }
    for (name, toml) in TOML {
        put_all(&world, "codex", "{}", toml);
        check_round_trip(&world, "codex", name);
    }
}

#[test]
fn what_no_client_could_read_is_refused_with_what_to_do() {
    let world = World::new();
    for client in clients() {
        for (json, toml, expected) in WRONG {
            for file in files_of(client) {
                files_of(client).for_each(|file| world.put(file, "\n"));
                world.put(file, if is_toml(file) { toml } else { json });
                for arguments in [&["connect", client][..], &["connect", client, "--dry-run"]] {
                    let said = world.refused(arguments, exit::USAGE);
                    let name = world
                        .path(file)
                        .file_name()
                        .unwrap()
                        .to_string_lossy()
                        .into_owned();
                    assert!(
                        said.contains(expected) && said.contains(&name),
                        "{client}: {said}"
                    );
                    assert!(said.contains("run this again"), "{client}: {said}");
                }
            }
        }
    }
    assert_eq!(world.records().len(), 0);
}

#[test]
fn a_large_file_comes_back_to_the_byte() {
    let world = World::new();
    let lines: String = (0..LARGE_BYTES / 64)
        .map(|at| format!("  {{\"n\": {at:8}, \"t\": \"{:40}\"}},\n", "x"))
        .collect::<Vec<_>>()
        .concat();
    let tables = (0..LARGE_BYTES / 64)
        .map(|at| format!("[t{at}]\nt = \"{:48}\"\n", "x"))
        .collect::<Vec<_>>()
        .concat();
    put_all(
        &world,
        "codex",
        &format!("{{\"a\": [\n{lines}]}}\n"),
        &tables,
    );
    let before = world.files();
    world.done(&["connect", "codex"]);
    assert_ne!(world.files(), before);
    world.done(&["disconnect", "codex"]);
    assert_eq!(world.files(), before);
}
