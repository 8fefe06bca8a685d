//! Finding by meaning with the real model, and what happens when its files are damaged. Without an
//! installed model nothing is run, which is said.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use helix_engine::Store;
use helix_proto::exit;
use helix_proto::v1::{EmbedderState, FoundBy, Program, Retriever};
use helix_tests::hook::Session;
use helix_tests::process::within;
use helix_tests::rpc::draft;
use helix_tests::{Binary, Daemon, Home, Project, Rpc};

/// How long the model may take to load and to embed a few texts, on a busy machine.
const EMBED_DEADLINE: Duration = Duration::from_mins(2);

/// How long a daemon may take to stop, at any moment.
const STOP_DEADLINE: Duration = Duration::from_secs(5);

/// Texts, and a question that shares no word with the first one.
const TEXTS: [&str; 5] = [
    "Log in with a hardware key before touching production.",
    "The tide table is computed from the moon's phase.",
    "Invoices are rounded half to even.",
    "The linker needs arm64.",
    "Tabs, never spaces, in Makefiles.",
];
const QUESTION: &str = "authentication on live servers";

fn home() -> Option<Home> {
    let home = Home::with_embedder().unwrap();
    if home.is_none() {
        eprintln!("HELIX_MODEL_DIR names no installed model: nothing was tested");
    }
    home
}

/// Waits until the model is loaded and nothing waits for its vector.
fn await_vectors(rpc: &mut Rpc) {
    let asked = within(EMBED_DEADLINE, || {
        let embedder = rpc.status()?.embedder.unwrap_or_default();
        assert!(
            embedder.state() != EmbedderState::Failed && embedder.state() != EmbedderState::Absent,
            "{embedder:?}"
        );
        Ok((embedder.state() == EmbedderState::Ready && embedder.pending == 0).then_some(()))
    });
    asked.unwrap();
}

fn vectors(rpc: &mut Rpc) -> u64 {
    rpc.status()
        .unwrap()
        .indexes
        .iter()
        .find(|index| index.name == "vectors")
        .unwrap()
        .entries
}

fn store_all(rpc: &mut Rpc, cwd: &Path) {
    for text in TEXTS {
        rpc.store(Program::Mcp, cwd, draft("facts", text, ""))
            .unwrap();
    }
}

/// Checks that the question finds the first text by its meaning, and cannot by its words.
fn check_found_by_meaning(rpc: &mut Rpc, cwd: &Path) {
    let by_words = rpc.search(cwd, QUESTION, Retriever::Words).unwrap();
    assert!(by_words.hits.is_empty(), "{by_words:?}");
    for retriever in [Retriever::Meaning, Retriever::Hybrid] {
        let found = rpc.search(cwd, QUESTION, retriever).unwrap();
        assert_eq!(
            found.hits.first().unwrap().memory.as_ref().unwrap().text,
            TEXTS[0]
        );
        let near = "no memory has any of these words; these are near in meaning".to_owned();
        assert_eq!(
            found.notes,
            if retriever == Retriever::Hybrid {
                vec![near]
            } else {
                Vec::new()
            }
        );
    }
}

/// The ONNX Runtime would keep what it reports to its makers in the user's cache.
fn check_nothing_is_left_outside(home: &Home) {
    let found = fs::read_dir(home.scratch())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    assert_eq!(
        found.collect::<Vec<_>>(),
        std::slice::from_ref(&home.paths.home)
    );
}

#[test]
fn a_memory_is_found_by_its_meaning_and_still_after_a_kill() {
    let Some(home) = home() else { return };
    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    store_all(&mut rpc, home.scratch());
    await_vectors(&mut rpc);
    assert_eq!(vectors(&mut rpc), TEXTS.len() as u64);
    check_found_by_meaning(&mut rpc, home.scratch());
    check_nothing_is_left_outside(&home);

    daemon.kill().unwrap();
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    // Words do not wait for the model.
    assert_eq!(
        rpc.search(home.scratch(), "arm64", Retriever::Words)
            .unwrap()
            .hits
            .len(),
        1
    );
    await_vectors(&mut rpc);
    assert_eq!(vectors(&mut rpc), TEXTS.len() as u64);
    check_found_by_meaning(&mut rpc, home.scratch());
}

#[test]
fn the_first_look_at_a_file_does_not_wait_for_its_meaning() {
    let Some(home) = home() else { return };
    let _daemon = Daemon::start(&home).unwrap();
    let project = Project::new(&home, "harbour").unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let stored = rpc
        .store(Program::Mcp, &project.root, draft("facts", TEXTS[1], ""))
        .unwrap();
    for text in [
        "The tide table is printed on Mondays.",
        "Gauges drift in winter.",
        "Berths are let by the hour.",
    ] {
        rpc.store(Program::Mcp, &project.root, draft("facts", text, ""))
            .unwrap();
    }
    await_vectors(&mut rpc);
    project
        .write(
            "src/lunar.py",
            "# Computes the tide table from the phase of the moon.\ndef compute(moon):\n    pass\n",
        )
        .unwrap();
    let session = Session::new(&home, &project, "one");
    assert_eq!(
        session.read("src/lunar.py").unwrap(),
        None,
        "nothing names it"
    );
    let told = within(EMBED_DEADLINE, || Ok(session.read("src/lunar.py").unwrap()));
    assert!(told.unwrap().contains(&stored.handle));
}

#[test]
fn gibberish_matches_nothing() {
    let Some(home) = home() else { return };
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/helix.json");
    let import = home
        .command(Binary::Ctl)
        .args(["import", "--trust"])
        .arg(path)
        .output()
        .unwrap();
    assert!(import.status.success(), "{import:?}");
    await_vectors(&mut rpc);
    for query in ["dfgdfg dfg", "hlm znpthhb", "rqdk qrwcm vxp"] {
        let found = rpc
            .search(home.scratch(), query, Retriever::Hybrid)
            .unwrap();
        assert!(found.hits.len() <= 3, "{query}: {}", found.hits.len());
        assert!(
            found.hits.iter().all(|hit| hit.found_by() == FoundBy::Far)
                && (found.hits.is_empty()
                    || found
                        .notes
                        .iter()
                        .any(|note| note.starts_with("nothing matches"))),
            "{found:?}"
        );
        assert!(found.next_cursor.is_empty());
    }
    // What bears on something is found as ever.
    let found = rpc
        .search(
            home.scratch(),
            "permissions of the endpoint",
            Retriever::Hybrid,
        )
        .unwrap();
    assert!(
        found
            .notes
            .iter()
            .all(|note| !note.starts_with("nothing matches"))
            && found.hits.len() >= 3
            && found.hits.iter().all(|hit| hit.found_by() != FoundBy::Far),
        "{found:?}"
    );
}

#[test]
fn lost_vectors_are_made_again() {
    let Some(home) = home() else { return };
    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    store_all(&mut rpc, home.scratch());
    await_vectors(&mut rpc);
    assert_eq!(daemon.stop().unwrap().code(), Some(0));
    let strand = home.paths.strand("default");
    let derived: Vec<PathBuf> = fs::read_dir(&strand)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().is_some_and(|name| name != Store::FILE))
        .collect();
    assert!(!derived.is_empty());
    for path in derived {
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    await_vectors(&mut rpc);
    check_found_by_meaning(&mut rpc, home.scratch());
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let place = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_tree(&path, &place);
        } else {
            fs::copy(&path, &place).unwrap();
        }
    }
}

/// Cuts a file of a copied installation in half, and checks that everything but meaning works.
fn check_damage(name: &str) {
    let Some(mut home) = home() else { return };
    let models = home.scratch().join("models");
    copy_tree(&home.paths.models, &models);
    home.paths.models.clone_from(&models);
    let path = models.join(name);
    let bytes = fs::metadata(&path).unwrap().len();
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(bytes / 2)
        .unwrap();

    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    store_all(&mut rpc, home.scratch());
    let embedder = within(EMBED_DEADLINE, || {
        let embedder = rpc.status()?.embedder.unwrap_or_default();
        Ok((embedder.state() != EmbedderState::Loading).then_some(embedder))
    });
    let embedder = embedder.unwrap();
    assert_eq!(embedder.state(), EmbedderState::Failed, "{embedder:?}");
    for said in ["words only", name, "helixctl model install"] {
        assert!(
            embedder.detail.contains(said),
            "{said}: {}",
            embedder.detail
        );
    }
    let found = rpc
        .search(home.scratch(), "arm64", Retriever::Hybrid)
        .unwrap();
    assert_eq!(found.hits.len(), 1);
    assert!(
        found.notes.iter().any(|note| note.contains("words only")),
        "{:?}",
        found.notes
    );
    let doctor = home.command(Binary::Ctl).arg("doctor").output().unwrap();
    let said = String::from_utf8(doctor.stdout).unwrap();
    assert_eq!(
        doctor.status.code(),
        Some(i32::from(exit::UNAVAILABLE)),
        "{said}"
    );
    assert!(
        said.lines()
            .any(|line| line.starts_with("failure\t") && line.contains(name)),
        "{said}"
    );
    assert_eq!(rpc.pid(), daemon.pid());
    assert_eq!(daemon.stop().unwrap().code(), Some(0));
}

#[test]
fn a_daemon_whose_model_still_loads_stops() {
    let Some(home) = home() else { return };
    let daemon = Daemon::start(&home).unwrap();
    let asked = Instant::now();
    assert_eq!(daemon.stop().unwrap().code(), Some(0));
    assert!(asked.elapsed() < STOP_DEADLINE, "{:?}", asked.elapsed());
}

#[test]
fn a_damaged_library_leaves_the_words() {
    check_damage("onnxruntime-1.31.1/libonnxruntime.so");
}

#[test]
fn a_damaged_model_leaves_the_words() {
    check_damage("all-minilm-l6-v2-int8/model.onnx");
}

#[test]
fn a_damaged_tokenizer_leaves_the_words() {
    check_damage("all-minilm-l6-v2-int8/tokenizer.json");
}

#[test]
fn a_damaged_manifest_leaves_the_words() {
    check_damage("all-minilm-l6-v2-int8/manifest.json");
}
