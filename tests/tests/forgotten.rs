//! What was forgotten or rejected stays so, in other words, too: with the real model. Without an
//! installed model nothing is run, which is said.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use helix_proto::v1::{EmbedderState, Program, Retriever};
use helix_tests::hook::Session;
use helix_tests::process::within;
use helix_tests::rpc::draft;
use helix_tests::{Binary, Bridge, Home, Project, Rpc, Served};
use serde_json::{Value, json};

/// How long the model may take to load and to embed a few texts, on a busy machine.
const EMBED_DEADLINE: Duration = Duration::from_mins(2);

const FORGOTTEN: &str = "The ledger database is Postgres 15 on host db-ledger-1.";
const PARAPHRASE: &str = "Postgres 15 on db-ledger-1 holds the ledger.";
const ANOTHER: &str = "The ledger database is Postgres 16 on host db-ledger-1.";
const FOREIGN: &str = "Each API key may make 100 requests a minute.";
const FOREIGN_AGAIN: &str = "The API rate limit is 100 requests per minute per key.";

struct World {
    served: Served,
    project: Project,
}

impl World {
    fn new() -> Option<Self> {
        let Some(home) = Home::with_embedder().unwrap() else {
            eprintln!("HELIX_MODEL_DIR names no installed model: nothing was tested");
            return None;
        };
        let served = Served::on(home).unwrap();
        let project = Project::new(&served.home, "billing").unwrap();
        let mut world = Self { served, project };
        world.settle();
        Some(world)
    }

    fn restarted(self) -> Self {
        let Self { served, project } = self;
        let mut world = Self {
            served: served.restarted().unwrap(),
            project,
        };
        world.settle();
        world
    }

    /// Waits until all vectors are made and nothing waits to be compared.
    fn settle(&mut self) {
        let rpc = &mut self.served.rpc;
        let settled = within(EMBED_DEADLINE, || {
            let embedder = rpc.status()?.embedder.unwrap_or_default();
            let is_ready = embedder.state() == EmbedderState::Ready;
            let is_done = embedder.pending == 0 && embedder.uncompared == 0;
            Ok((is_ready && is_done).then_some(()))
        });
        settled.unwrap();
    }

    fn done(&self, arguments: &[&str]) -> String {
        self.served.home.done(&self.project.root, arguments)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.served.home.json(&self.project.root, arguments)
    }

    fn add(&self, text: &str) -> String {
        let said = self.done(&["add", text, "--topic", "ledger", "--force"]);
        let handle = said.strip_prefix("stored\t").unwrap();
        handle.lines().next().unwrap().to_owned()
    }

    /// Stores a text and forgets it, with its vector or before that is made.
    fn forget(&mut self, text: &str) -> String {
        let handle = self.add(text);
        self.settle();
        self.done(&["forget", &handle, "--yes"]);
        self.settle();
        handle
    }

    fn file(&self, texts: &[&str]) -> PathBuf {
        let entries: Vec<Value> = texts
            .iter()
            .map(|text| json!({"topic": "foreign", "text": text}))
            .collect();
        let path = self.served.home.scratch().join("foreign.json");
        fs::write(&path, Value::from(entries).to_string()).unwrap();
        path
    }

    fn import(&mut self, texts: &[&str], more: &[&str]) {
        let path = self.file(texts);
        self.done(&[&["import", path.to_str().unwrap()], more].concat());
        self.settle();
    }

    fn is_found(&mut self, text: &str) -> bool {
        let root = self.project.root.clone();
        let found = self.served.rpc.search(&root, text, Retriever::Hybrid);
        let hits = found.unwrap().hits.into_iter();
        let mut memories = hits.filter_map(|hit| hit.memory);
        memories.any(|memory| memory.text == text)
    }

    /// Why a text waits in the review; `None` where it does not.
    fn reason(&self, text: &str) -> Option<String> {
        let listed = self.json(&["review"]);
        let items = listed["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["memory"]["text"] == text)?;
        Some(item["reason"].as_str().unwrap().to_owned())
    }

    /// Checks that a text is withheld because of what was forgotten.
    fn check_withheld(&mut self, text: &str, handle: &str) {
        assert!(!self.is_found(text), "{text}");
        let reason = self.reason(text).unwrap();
        assert!(reason.contains("in other words"), "{reason}");
        assert!(reason.contains(handle), "{reason}");
        let root = &self.project;
        let session = Session::new(&self.served.home, root, "s-forgotten");
        let told = session.start("startup").unwrap().unwrap_or_default();
        assert!(!told.contains(text), "{told}");
    }
}

#[test]
fn an_import_does_not_bring_a_paraphrase_back() {
    let Some(mut world) = World::new() else {
        return;
    };
    let handle = world.forget(FORGOTTEN);
    world.import(&[PARAPHRASE, ANOTHER, FOREIGN], &["--trust"]);
    world.check_withheld(PARAPHRASE, &handle);
    for other in [ANOTHER, FOREIGN] {
        assert!(world.is_found(other), "{other}");
        // It may contradict the paraphrase, and is not withheld.
        let reason = world.reason(other).unwrap_or_default();
        assert!(!reason.contains("in other words"), "{reason}");
    }

    // The same file once more, also after a restart, changes nothing.
    let mut world = world.restarted();
    world.import(&[PARAPHRASE], &["--trust"]);
    world.check_withheld(PARAPHRASE, &handle);

    // A person's word does.
    let listed = world.json(&["review"]);
    let mut items = listed["items"].as_array().unwrap().iter();
    let waiting = items.find(|item| item["memory"]["text"] == PARAPHRASE);
    let waiting = waiting.unwrap()["memory"]["handle"].as_str().unwrap();
    world.done(&["review", "approve", waiting]);
    world.settle();
    assert!(world.is_found(PARAPHRASE));
    let mut world = world.restarted();
    assert!(world.is_found(PARAPHRASE));
}

#[test]
fn what_is_forgotten_before_it_has_a_vector_is_recognised_after_a_restart() {
    let Some(world) = World::new() else { return };
    let handle = world.add(FORGOTTEN);
    world.done(&["forget", &handle, "--yes"]);
    let mut world = world.restarted();
    world.import(&[PARAPHRASE], &["--trust"]);
    world.check_withheld(PARAPHRASE, &handle);
}

#[test]
fn an_event_does_not_bring_a_paraphrase_back() {
    let Some(mut world) = World::new() else {
        return;
    };
    let handle = world.forget(FORGOTTEN);
    let world = world.restarted();
    let event = |text: &str| world.json(&["event", "decision_made", text]);
    let again = event(PARAPHRASE);
    assert!(again["memory"].is_null(), "{again}");
    let outcome = again["outcome"].as_str().unwrap();
    assert!(outcome.contains("forgotten on"), "{again}");
    assert!(outcome.contains(&handle), "{again}");
    assert!(!event(ANOTHER)["memory"].is_null());
}

#[test]
fn an_event_brings_nothing_back_with_other_units_words_or_reach() {
    let Some(mut world) = World::new() else {
        return;
    };
    for forgotten in [
        "Entries of the audit log are deleted once they are older than seven days.",
        "Use ripgrep rather than grep in build scripts.",
        "Die Testdatenbank wird jede Nacht um 2 Uhr neu aufgesetzt.",
        "搜索服务部署在上海机房，每天凌晨三点重启。",
        "The user wants short answers without emojis.",
    ] {
        world.forget(forgotten);
    }
    let stored = |world: &World, sort: &str, text: &str| {
        let taken = world.json(&["event", sort, text]);
        !taken["memory"].is_null()
    };
    for (sort, again) in [
        (
            "decision_made",
            "Audit log entries older than a week are deleted.",
        ),
        ("decision_made", "Build scripts prefer ripgrep over grep."),
        (
            "user_feedback",
            "I always want short answers, no emojis please.",
        ),
        // It would hold for every project, and so for this one.
        (
            "pattern_detected",
            "In build scripts, use ripgrep and not grep.",
        ),
        (
            "decision_made",
            "Jede Nacht um zwei Uhr setzen wir die Testdatenbank neu auf.",
        ),
        ("decision_made", "上海机房的搜索服务每天凌晨3点会重启。"),
        // One sentence among others.
        (
            "decision_made",
            "The team met on Monday. Audit log entries older than a week are deleted. Lunch was good.",
        ),
    ] {
        assert!(!stored(&world, sort, again), "{again}");
    }
    for (sort, other) in [
        (
            "decision_made",
            "Audit log entries older than seventy days are deleted.",
        ),
        ("decision_made", "Build scripts prefer grep over ripgrep."),
        (
            "decision_made",
            "Die Testdatenbank wird jede Nacht um 4 Uhr neu aufgesetzt.",
        ),
        (
            "decision_made",
            "搜索服务部署在北京机房，每天凌晨三点重启。",
        ),
    ] {
        assert!(stored(&world, sort, other), "{other}");
    }
}

#[test]
fn an_import_leaves_forgotten_sentences_out_and_withholds_what_says_them_in_other_words() {
    let Some(mut world) = World::new() else {
        return;
    };
    let handle = world.forget(FORGOTTEN);
    let kept = "The walrus service keeps its queue on disk.";
    let path = world.served.home.scratch().join("notes.md");
    // A sentence goes on in the next line.
    let wrapped = FORGOTTEN.replacen(" on host", "\non host", 1);
    fs::write(&path, format!("# ledger\n\n{kept} {wrapped}\n")).unwrap();
    let import = ["import", path.to_str().unwrap(), "--trust"];
    let output = world.served.home.run(&world.project.root, &import);
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(said.contains("was left out: it was forgotten on"), "{said}");
    assert!(said.contains(&handle), "{said}");
    world.settle();
    let found = world.json(&["search", "walrus queue"]).to_string();
    assert!(found.contains(kept), "{found}");
    assert!(!found.contains("db-ledger-1"), "{found}");
    // The same file again stores nothing.
    let output = world.served.home.run(&world.project.root, &import);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("0 stored"), "{said}");

    let reworded = format!("Seals eat fish in the north. {PARAPHRASE} Boats are painted in May.");
    world.import(&[reworded.as_str()], &["--trust"]);
    world.check_withheld(&reworded, &handle);
}

#[test]
fn what_came_without_a_model_is_withheld_when_one_is_there() {
    let Some(mut world) = World::new() else {
        return;
    };
    let handle = world.forget(FORGOTTEN);
    world.served.home.leave_out_embedder();
    let World { served, project } = world;
    let mut world = World {
        served: served.restarted().unwrap(),
        project,
    };
    let reported = "Host db-ledger-1 has the ledger database, which is Postgres 15.";
    let taken = world.json(&["event", "decision_made", reported]);
    assert!(!taken["memory"].is_null(), "{taken}");
    let path = world.file(&[PARAPHRASE]);
    world.done(&["import", path.to_str().unwrap(), "--trust"]);
    assert!(world.served.home.use_embedder());
    let mut world = world.restarted();
    world.check_withheld(PARAPHRASE, &handle);
    assert!(world.reason(reported).unwrap().contains(&handle));
}

#[test]
fn what_was_rejected_does_not_come_back_in_other_words() {
    let Some(mut world) = World::new() else {
        return;
    };
    world.import(&[FOREIGN], &[]);
    world.done(&["review", "reject", "--all"]);
    world.settle();
    world.import(&[FOREIGN_AGAIN], &["--trust"]);
    assert!(!world.is_found(FOREIGN_AGAIN));
    let reason = world.reason(FOREIGN_AGAIN).unwrap();
    assert!(reason.contains("rejected on"), "{reason}");
}

#[test]
fn a_restored_backup_keeps_the_paraphrase_away() {
    let Some(mut world) = World::new() else {
        return;
    };
    world.add("The walrus service keeps its queue on disk.");
    world.done(&["backup"]);
    // The backup knows nothing of it: the tombstone alone comes along.
    let handle = world.forget(FORGOTTEN);
    let backups = world.served.home.paths.home.join("backups");
    let backup = fs::read_dir(backups).unwrap().next().unwrap().unwrap();
    let World { served, project } = world;
    let Served { rpc, daemon, home } = served;
    drop(rpc);
    daemon.stop().unwrap();
    let mut command = home.command(Binary::Daemon);
    let restored = command.arg("--restore").arg(backup.path()).output();
    let restored = restored.unwrap();
    assert!(restored.status.success(), "{restored:?}");
    let served = Served::on(home).unwrap();
    let mut world = World { served, project };
    world.settle();
    world.import(&[PARAPHRASE, ANOTHER], &["--trust"]);
    world.check_withheld(PARAPHRASE, &handle);
    assert!(world.is_found(ANOTHER));
}

#[test]
fn an_explicit_store_in_other_words_says_what_was_forgotten() {
    let Some(mut world) = World::new() else {
        return;
    };
    let handle = world.forget(FORGOTTEN);
    let said = world.done(&["add", PARAPHRASE, "--topic", "ledger"]);
    assert!(said.contains("in other words"), "{said}");
    assert!(said.contains("forgotten on"), "{said}");
    assert!(said.contains("by the user"), "{said}");
    assert!(said.contains(&handle), "{said}");
    let other = world.done(&["add", ANOTHER, "--topic", "ledger", "--force"]);
    assert!(!other.contains("forgotten"), "{other}");
    world.settle();
    assert!(world.is_found(PARAPHRASE), "who asks for it gets it");
    assert_eq!(world.reason(PARAPHRASE), None);

    let paraphrase = "On db-ledger-1, Postgres 15 holds the ledger.";
    let root = world.project.root.clone();
    let mut bridge = Bridge::greeted(&world.served.home, &root).unwrap();
    let arguments = json!({"topic": "ledger", "text": paraphrase, "force": true});
    let told = bridge.call("store", &arguments).unwrap().text;
    assert!(told.contains("in other words"), "{told}");
    bridge.finish_cleanly().unwrap();
}

#[test]
fn a_tools_word_is_withheld_and_a_daemon_without_a_model_waits_for_nothing() {
    let Some(mut world) = World::new() else {
        return;
    };
    let handle = world.forget(FORGOTTEN);
    let root = world.project.root.clone();
    let stored = draft("tool", PARAPHRASE, "");
    let rpc: &mut Rpc = &mut world.served.rpc;
    rpc.store(Program::Tool, &root, stored).unwrap();
    world.settle();
    world.check_withheld(PARAPHRASE, &handle);
    world.served.home.leave_out_embedder();
    let World { served, project } = world;
    let served = served.restarted().unwrap();
    let mut world = World { served, project };
    let other = "Prices are stored in cents as integers.";
    let path = world.file(&[other]);
    world.done(&["import", path.to_str().unwrap(), "--trust"]);
    assert!(world.is_found(other));
    let session = Session::new(&world.served.home, &world.project, "s-words");
    let told = session.start("startup").unwrap().unwrap_or_default();
    assert!(told.contains(other), "{told}");
}
