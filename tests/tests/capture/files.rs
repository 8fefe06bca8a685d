//! The memories and rules that agents keep in files of their own: read where somebody switched that
//! on, followed, and gone with their files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use helix_tests::hook::Session;
use helix_tests::process::within;
use serde_json::Value;

use super::world::{CAPTURE_DEADLINE, World};

const RULES: &str = "# Billing\n\nA ledger service.\n\n\
                     ## Build\n\nRun `make ledger` before any test, the fixtures are generated.\n\n\
                     ## Style\n\nMoney is an integer of cents, never a float.\n";

impl World {
    fn write_file(&self, path: &str, text: &str) -> PathBuf {
        self.project.write(path, text).unwrap()
    }

    /// Has the files read again.
    fn read(&self) -> Value {
        self.json(&["capture", "memories", "read"])
    }

    /// The texts that a search finds, with their sources.
    fn found(&self, words: &str) -> Vec<(String, String)> {
        let found = self.json(&["search", words]);
        let hits = found["hits"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        hits.iter()
            .map(|hit| {
                let memory = &hit["memory"];
                (text(&memory["text"]), text(&memory["source"]["path"]))
            })
            .collect()
    }

    fn sees(&self, words: &str, part: &str) -> bool {
        let found = self.found(words);
        found.iter().any(|(text, _)| text.contains(part))
    }
}

#[test]
fn nothing_is_read_until_somebody_says_so() {
    let world = World::new();
    world.write_file("CLAUDE.md", RULES);
    world.begin("s-1");
    let read = world.read();
    assert_eq!(read["on"], false);
    assert_eq!(read["files"], serde_json::json!([]));
    assert!(!world.sees("ledger fixtures", "make ledger"));

    let forbidding = World::with("[capture]\nagents_memories = false\n");
    let refused = forbidding.refused(&["capture", "memories", "on"]);
    assert!(refused.contains("config.toml"), "{refused}");
}

#[test]
fn sections_are_found_with_their_origin_and_follow_their_file() {
    let world = World::new();
    world.write_file("CLAUDE.md", RULES);
    world.write_file(
        ".serena/memories/core.md",
        "The parser of statements is in src/statement.rs.",
    );
    let on = world.json(&["capture", "memories", "on"]);
    assert_eq!(on["report"], "4 new", "{on}");
    assert_eq!(on["files"][0]["memories"], 3, "{on}");
    let found = world.found("ledger fixtures");
    let (text, source) = found.first().unwrap();
    assert!(text.contains("make ledger"), "{text}");
    assert_eq!(source, "CLAUDE.md");
    let listed = world.done(&["search", "ledger fixtures"]);
    assert!(listed.contains("(from CLAUDE.md:"), "{listed}");
    assert!(world.sees("statement parser", "src/statement.rs"));
    assert_eq!(world.read()["report"], "nothing new");

    // A section changes: its memory says the new thing, and the old one is nowhere.
    world.write_file("CLAUDE.md", &RULES.replace("make ledger", "just ledger"));
    assert_eq!(world.read()["report"], "1 changed");
    assert!(world.sees("ledger fixtures", "just ledger"));
    assert!(!world.sees("ledger fixtures", "make ledger"));

    // A session's start reads it again, behind its answer.
    world.write_file("CLAUDE.md", &RULES.replace("cents", "mills"));
    world.begin("s-1");
    within(CAPTURE_DEADLINE, || {
        Ok(world.sees("money integer", "mills").then_some(()))
    })
    .unwrap();

    // The file goes, its memories go, and both come back.
    let path = world.project.root.join("CLAUDE.md");
    fs::remove_file(&path).unwrap();
    assert_eq!(world.read()["report"], "3 gone");
    assert!(!world.sees("money integer", "mills"));
    world.write_file("CLAUDE.md", RULES);
    assert_eq!(world.read()["report"], "1 changed, 2 back");
    assert!(world.sees("money integer", "cents"));

    // Nothing was written to it.
    assert_eq!(fs::read_to_string(&path).unwrap(), RULES);
    let off = world.json(&["capture", "memories", "off"]);
    assert_eq!(off["files"], serde_json::json!([]));
    assert!(!world.sees("money integer", "cents"));
    assert_eq!(
        world.json(&["capture", "memories", "on"])["report"],
        "4 back"
    );
}

#[test]
fn what_is_forgotten_stays_forgotten_though_the_file_says_it() {
    let world = World::new();
    world.write_file("CLAUDE.md", RULES);
    world.json(&["capture", "memories", "on"]);
    let found = world.json(&["search", "money integer of cents"]);
    let handle = found["hits"][0]["memory"]["handle"]
        .as_str()
        .unwrap()
        .to_owned();
    world.done(&["forget", &handle]);
    world.write_file(
        "CLAUDE.md",
        &RULES.replace("never a float", "never, ever a float"),
    );
    let report = world.read();
    assert_eq!(report["report"], "1 forgotten before", "{report}");
    assert!(!world.sees("money integer", "cents"));
    // In another file, and under another heading.
    world.write_file(
        "AGENTS.md",
        "## Amounts\n\nMoney is an integer of cents, never a float.\n",
    );
    world.read();
    assert!(!world.sees("money integer", "cents"));
}

#[test]
fn secrets_and_private_parts_are_kept_nowhere() {
    let world = World::new();
    let token = format!("ghp_{}", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    let text = format!(
        "## Deploy\n\nExport GITHUB_TOKEN={token} first.\n\n<private>\n## Salaries\n\nquokkasalary\n</private>\n\n## After\n\nTag the release.\n"
    );
    world.write_file("AGENTS.md", &text);
    let on = world.json(&["capture", "memories", "on"]);
    assert!(world.sees("export deploy first", "GITHUB_TOKEN"), "{on}");
    assert!(world.sees("tag the release", "Tag the release"));
    assert!(!world.sees("salaries", "quokkasalary"));
    for secret in [token.as_str(), "quokkasalary"] {
        assert_eq!(world.home().holding(secret).unwrap(), None, "{secret}");
    }
}

#[test]
fn nobody_is_told_unasked_and_a_client_never_what_it_shows_itself() {
    let world = World::new();
    world.write_file("CLAUDE.md", RULES);
    world.write_file(
        "AGENTS.md",
        "## Review\n\nEvery ledger change is reviewed by Quinn Abernathy.\n",
    );
    world.json(&["capture", "memories", "on"]);
    let told = world.begin("s-1");
    assert!(!told.contains("cents") && !told.contains("Quinn"), "{told}");

    // Somebody vouches for both: then another client's file is told, and its own is not.
    for words in ["money integer of cents", "reviewed by Quinn"] {
        let found = world.json(&["search", words]);
        let handle = found["hits"][0]["memory"]["handle"]
            .as_str()
            .unwrap()
            .to_owned();
        world.done(&["set", &handle, "--origin", "user"]);
    }
    let told = world.begin("s-2");
    assert!(told.contains("Quinn"), "{told}");
    assert!(!told.contains("cents"), "{told}");
    let session = Session::new(world.home(), &world.project, "s-3");
    let told = session
        .prompt("is money an integer of cents or a float here?")
        .unwrap();
    assert!(!told.unwrap_or_default().contains("never a float"));

    // What the file says next is nobody's word again.
    world.write_file(
        "AGENTS.md",
        "## Review\n\nEvery ledger change is reviewed by Robin Castellanos.\n",
    );
    world.read();
    assert!(world.sees("ledger change reviewed", "Robin"));
    assert!(!world.begin("s-4").contains("Robin"));
}

#[test]
fn what_is_known_is_not_stored_again_and_two_worktrees_share_it() {
    let world = World::new();
    world.done(&[
        "add",
        "Money is an integer of cents, never a float.",
        "--topic",
        "style",
    ]);
    world.write_file("CLAUDE.md", RULES);
    world.write_file("AGENTS.md", RULES);
    world.write_file(
        "GEMINI.md",
        "Money is an integer of cents, never a float.\n",
    );
    let on = world.json(&["capture", "memories", "on"]);
    assert_eq!(count(&world, "ledger fixtures", "make ledger"), 1, "{on}");
    // What somebody said, and the section that says it below a heading; not the third file.
    assert_eq!(count(&world, "money integer", "cents"), 2, "{on}");

    world.project.commit().unwrap();
    let other = world.home().scratch().join("billing-2");
    let path = other.to_string_lossy().into_owned();
    let mut git = Command::new("git");
    let added = git
        .current_dir(&world.project.root)
        .args(["worktree", "add", "-q", &path]);
    assert!(added.status().unwrap().success());
    let in_other = |arguments: &[&str]| ctl(&world, &other, arguments);
    in_other(&["capture", "memories", "read"]);
    assert_eq!(count(&world, "ledger fixtures", "make ledger"), 1);

    // One of them goes on by itself, and nothing of the other's is lost.
    fs::write(
        other.join("CLAUDE.md"),
        "## Deploy\n\nShip with `fly deploy` from main only.\n",
    )
    .unwrap();
    in_other(&["capture", "memories", "read"]);
    assert!(world.sees("fly deploy", "fly deploy"));
    assert!(world.sees("ledger fixtures", "make ledger"));
    fs::remove_dir_all(&other).unwrap();
    world.read();
    assert!(world.sees("ledger fixtures", "make ledger"));
}

#[test]
fn claudes_memory_imports_and_the_users_own_files_are_read() {
    let world = World::new();
    let root = world.project.root.to_string_lossy().into_owned();
    let name: String = root
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let scratch = world.home().scratch().to_owned();
    let memory = scratch.join(".claude/projects").join(name).join("memory");
    fs::create_dir_all(&memory).unwrap();
    fs::write(
        memory.join("MEMORY.md"),
        "- [Debugging](debugging.md): flaky ledger tests\n",
    )
    .unwrap();
    fs::write(
        memory.join("debugging.md"),
        "The flaky ledger test needs TZ=UTC.\n",
    )
    .unwrap();
    fs::write(
        scratch.join(".claude/CLAUDE.md"),
        "Answer in British English.\n",
    )
    .unwrap();
    fs::write(
        scratch.join("outside.md"),
        "Nobody may read the wombat file.\n",
    )
    .unwrap();
    world.write_file(
        "CLAUDE.md",
        "Rules: @docs/rules.md and @../outside.md and @docs/link.md\n",
    );
    world.write_file("docs/rules.md", "Branches are named after their ticket.\n");
    std::os::unix::fs::symlink(
        scratch.join("outside.md"),
        world.project.root.join("docs/link.md"),
    )
    .unwrap();
    world.json(&["capture", "memories", "on"]);
    assert!(world.sees("flaky test", "TZ=UTC"));
    assert!(world.sees("branches ticket", "named after their ticket"));
    assert!(!world.sees("wombat file", "wombat"));
    assert!(
        !world.sees("British English", "British"),
        "the user's are not on"
    );
    let shown = world.done(&["capture", "memories"]);
    assert!(shown.contains("docs/link.md"), "{shown}");
    assert!(shown.contains("leads out of its folder"), "{shown}");

    world.json(&["capture", "memories", "on", "--global"]);
    assert!(world.sees("British English", "British"));
    let status = world.json(&["capture", "status"]);
    assert_eq!(status["memories"]["user_on"], true);
    let findings = world.done_or_not(&["doctor"]);
    assert!(findings.contains("agents' files"), "{findings}");
}

#[test]
fn an_export_leaves_out_what_files_say() {
    let world = World::new();
    world.write_file("CLAUDE.md", RULES);
    world.done(&["add", "The mock server listens on 4010.", "--topic", "mock"]);
    world.json(&["capture", "memories", "on"]);
    let exported = world.done(&["export", "--format", "json"]);
    assert!(exported.contains("4010"), "{exported}");
    assert!(!exported.contains("make ledger"), "{exported}");
    assert!(
        exported.contains("3 read from agents' own files left out"),
        "{exported}"
    );
}

/// How many memories that a search finds have this in their texts.
fn count(world: &World, words: &str, part: &str) -> usize {
    let found = world.found(words);
    found.iter().filter(|(text, _)| text.contains(part)).count()
}

fn ctl(world: &World, directory: &Path, arguments: &[&str]) {
    let mut command: Command = world.home().command(helix_tests::Binary::Ctl);
    let output = command
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}
