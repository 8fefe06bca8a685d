//! Embedding models of the user's own: listed, chosen, taken over by, refused when they are broken.
//! Without an installed model nothing is run, which is said.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use helix_client::caller;
use helix_proto::v1::{self, EmbedderState, EmbeddingModel, ModelState, Program, Retriever};
use helix_tests::process::within;
use helix_tests::rpc::draft;
use helix_tests::{Binary, Daemon, Home, Rpc};

/// How long a model may take to load and to embed some hundred texts, on a busy machine.
const EMBED_DEADLINE: Duration = Duration::from_mins(4);

/// The model that Helix installs.
const BUILT_IN: &str = "all-minilm-l6-v2-int8";

/// Texts, and a question that shares no word with the first one.
const TEXTS: [&str; 4] = [
    "Log in with a hardware key before touching production.",
    "The tide table is computed from the moon's phase.",
    "Invoices are rounded half to even.",
    "Tabs, never spaces, in Makefiles.",
];
const QUESTION: &str = "authentication on live servers";

/// Texts enough that their vectors are not made at once.
const MANY: usize = 240;

/// A home with a models directory of its own, whose files are links.
fn home() -> Option<Home> {
    let Some(mut home) = Home::with_embedder().unwrap() else {
        eprintln!("HELIX_MODEL_DIR names no installed model: nothing was tested");
        return None;
    };
    let models = home.scratch().join("models");
    fs::create_dir(&models).unwrap();
    for entry in fs::read_dir(&home.paths.models).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        let is_model = entry.path().is_dir() && !name.to_string_lossy().starts_with('.');
        if is_model {
            symlink(entry.path(), models.join(name)).unwrap();
        }
    }
    home.paths.models = models;
    Some(home)
}

/// A directory with the installed weights, described otherwise.
fn download(home: &Home, name: &str, rest: &str) -> PathBuf {
    let place = home.scratch().join(format!("download-{name}"));
    fs::create_dir(&place).unwrap();
    for file in ["model.onnx", "tokenizer.json"] {
        let installed = home.paths.models.join(BUILT_IN).join(file);
        fs::copy(installed, place.join(file)).unwrap();
    }
    let slot = format!("name = '{name}'\ndimensions = 384\nlicence = 'Apache-2.0'\n{rest}");
    fs::write(place.join("model.toml"), slot).unwrap();
    place
}

fn ctl(home: &Home, arguments: &[&str]) -> Output {
    home.command(Binary::Ctl)
        .arg("model")
        .args(arguments)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    let text = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8(text).unwrap()
}

fn listed(rpc: &mut Rpc) -> Vec<EmbeddingModel> {
    let request = v1::ModelsRequest::default();
    let reply = rpc.call(async |rpc| rpc.models(request.clone()).await);
    reply.unwrap().models
}

fn model(rpc: &mut Rpc, name: &str) -> EmbeddingModel {
    let found = listed(rpc).into_iter().find(|model| model.name == name);
    found.unwrap_or_default()
}

fn await_answering(rpc: &mut Rpc, name: &str) {
    let answers = within(EMBED_DEADLINE, || {
        let found = model(rpc, name);
        let is_whole = found.state() == ModelState::Answering && found.pending == 0;
        let embedder = rpc.status()?.embedder.unwrap_or_default();
        // The vectors are there before the model is loaded.
        let is_loaded = embedder.state() == EmbedderState::Ready;
        Ok((is_whole && is_loaded).then_some(()))
    });
    answers.unwrap();
}

fn store(rpc: &mut Rpc, cwd: &Path, texts: impl IntoIterator<Item = String>) {
    for text in texts {
        rpc.store(Program::Mcp, cwd, draft("facts", &text, ""))
            .unwrap();
    }
}

fn nearest(rpc: &mut Rpc, cwd: &Path) -> String {
    let found = rpc.search(cwd, QUESTION, Retriever::Meaning).unwrap();
    let first = found.hits.into_iter().next().unwrap();
    first.memory.unwrap().text
}

#[test]
fn another_model_takes_over_with_its_prefix_and_stays() {
    let Some(home) = home() else { return };
    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    store(&mut rpc, home.scratch(), TEXTS.map(str::to_owned));
    await_answering(&mut rpc, BUILT_IN);
    assert_eq!(nearest(&mut rpc, home.scratch()), TEXTS[0]);

    // A question is drowned by what stands before it.
    let tides = "The tide table is computed from the phase of the moon. ".repeat(4);
    let slot = format!("pooling = 'mean'\n[prefix]\nquery = \"{tides}\"\n");
    let place = download(&home, "tidal", &slot);
    let chosen = ctl(&home, &["use", place.to_str().unwrap()]);
    assert!(chosen.status.success(), "{}", said(&chosen));
    await_answering(&mut rpc, "tidal");
    assert_eq!(model(&mut rpc, "tidal").vectors, TEXTS.len() as u64);
    assert_eq!(model(&mut rpc, BUILT_IN).state(), ModelState::Installed);
    assert_eq!(nearest(&mut rpc, home.scratch()), TEXTS[1]);
    let embedder = rpc.status().unwrap().embedder.unwrap();
    assert!(embedder.model.starts_with("tidal@"), "{embedder:?}");

    // It was copied: the download may go.
    fs::remove_dir_all(place).unwrap();
    assert_eq!(daemon.stop().unwrap().code(), Some(0));
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    await_answering(&mut rpc, "tidal");
    assert_eq!(nearest(&mut rpc, home.scratch()), TEXTS[1]);
    let back = ctl(&home, &["use", BUILT_IN]);
    assert!(back.status.success(), "{}", said(&back));
    await_answering(&mut rpc, BUILT_IN);
    assert_eq!(nearest(&mut rpc, home.scratch()), TEXTS[0]);
}

/// The cosine of a question and the first text, which is embedded beside others.
fn cosine_beside(others: impl IntoIterator<Item = String>) -> Option<f32> {
    let home = home()?;
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    store(&mut rpc, home.scratch(), others);
    store(&mut rpc, home.scratch(), [TEXTS[0].to_owned()]);
    await_answering(&mut rpc, BUILT_IN);
    let request = v1::SearchRequest {
        caller: Some(caller(Program::Ctl, home.scratch(), "tests", "")),
        query: QUESTION.to_owned(),
        retriever: Retriever::Meaning.into(),
        explain: true,
        ..v1::SearchRequest::default()
    };
    let found = rpc.call(async |rpc| rpc.search(request.clone()).await);
    let hits = found.unwrap().hits;
    let hit = hits
        .iter()
        .find(|hit| hit.memory.as_ref().unwrap().text == TEXTS[0]);
    Some(hit.unwrap().explanation.as_ref().unwrap().semantic_score)
}

#[test]
fn a_vector_does_not_depend_on_what_is_embedded_beside_it() {
    let alone = cosine_beside([]);
    let many = (0..40).map(|at| format!("Step {at}: {}", "check the valve. ".repeat(at)));
    let beside = cosine_beside(many);
    assert_eq!(alone, beside);
}

#[test]
fn a_daemon_that_is_killed_in_the_middle_goes_on() {
    let Some(home) = home() else { return };
    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let many = (0..MANY).map(|at| {
        format!(
            "Step {at}: {}",
            "check the valve, then the gauge. ".repeat(8)
        )
    });
    store(&mut rpc, home.scratch(), TEXTS.map(str::to_owned));
    store(&mut rpc, home.scratch(), many);
    await_answering(&mut rpc, BUILT_IN);
    let place = download(&home, "first-token", "pooling = 'cls'\n");
    let chosen = ctl(&home, &["use", place.to_str().unwrap()]);
    assert!(chosen.status.success(), "{}", said(&chosen));
    let made = within(EMBED_DEADLINE, || {
        let found = model(&mut rpc, "first-token");
        assert_eq!(
            found.state(),
            ModelState::Making,
            "it was too fast to be killed"
        );
        Ok((found.vectors > 0).then_some(found.vectors))
    });
    let made = made.unwrap();
    assert_eq!(model(&mut rpc, BUILT_IN).state(), ModelState::Answering);
    let detail = rpc.status().unwrap().embedder.unwrap().detail;
    assert!(
        detail.contains("vectors of first-token are made"),
        "{detail}"
    );
    assert_eq!(nearest(&mut rpc, home.scratch()), TEXTS[0]);
    daemon.kill().unwrap();

    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    let resumed = within(EMBED_DEADLINE, || {
        let found = model(&mut rpc, "first-token");
        Ok((found.state() == ModelState::Making).then_some(found.vectors))
    });
    assert!(resumed.unwrap() >= made, "{made} were made before");
    assert_eq!(model(&mut rpc, BUILT_IN).state(), ModelState::Answering);
    assert_eq!(nearest(&mut rpc, home.scratch()), TEXTS[0]);
    await_answering(&mut rpc, "first-token");
    let all = (TEXTS.len() + MANY) as u64;
    assert_eq!(model(&mut rpc, "first-token").vectors, all);
}

#[test]
fn a_broken_model_is_refused_and_the_one_before_stays() {
    let Some(home) = home() else { return };
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    store(&mut rpc, home.scratch(), TEXTS.map(str::to_owned));
    await_answering(&mut rpc, BUILT_IN);

    let cut = download(&home, "cut", "pooling = 'mean'\n");
    let graph = fs::OpenOptions::new()
        .write(true)
        .open(cut.join("model.onnx"));
    graph.unwrap().set_len(1_000_000).unwrap();
    let wide = download(&home, "wide", "pooling = 'mean'\n");
    let slot = fs::read_to_string(wide.join("model.toml")).unwrap();
    fs::write(wide.join("model.toml"), slot.replace("384", "512")).unwrap();
    let long = download(&home, "long", "pooling = 'mean'\n");
    let slot = fs::read_to_string(long.join("model.toml")).unwrap();
    let lines = slot.lines().filter(|line| !line.starts_with("tokens_max"));
    let slot: Vec<&str> = ["tokens_max = 4096"].into_iter().chain(lines).collect();
    fs::write(long.join("model.toml"), slot.join("\n")).unwrap();
    let vague = download(&home, "vague", "pooling = 'max'\n");
    let bare = home.scratch().join("bare");
    fs::create_dir(&bare).unwrap();
    for (place, why) in [
        (&cut, "the model does not run"),
        (&wide, "does not fit 512 dimensions"),
        (&long, "takes no text of 4096 tokens"),
        (&vague, "unknown variant"),
        (&bare, "model.toml"),
    ] {
        let refused = ctl(&home, &["use", place.to_str().unwrap()]);
        assert!(!refused.status.success(), "{}", place.display());
        assert!(said(&refused).contains(why), "{}", said(&refused));
    }
    let unknown = ctl(&home, &["use", "absent"]);
    assert!(
        said(&unknown).contains("no model has this name"),
        "{}",
        said(&unknown)
    );

    // One that somebody put there by hand.
    let by_hand = home.paths.models.join("by-hand");
    fs::create_dir(&by_hand).unwrap();
    fs::write(by_hand.join("model.toml"), "name = 'by-hand'\n").unwrap();
    let states: Vec<(String, ModelState)> = listed(&mut rpc)
        .into_iter()
        .map(|model| (model.name.clone(), model.state()))
        .collect();
    assert_eq!(
        states,
        [
            (BUILT_IN.to_owned(), ModelState::Answering),
            ("by-hand".to_owned(), ModelState::Broken),
        ]
    );
    assert_eq!(nearest(&mut rpc, home.scratch()), TEXTS[0]);
}

#[test]
fn models_are_measured_on_the_users_own_memories() {
    let Some(home) = home() else { return };
    let _daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    store(&mut rpc, home.scratch(), TEXTS.map(str::to_owned));
    let few = ctl(&home, &["bench"]);
    assert!(said(&few).contains("5 are needed"), "{}", said(&few));
    // Long enough to have words that are not in the handle.
    let more = [
        "Deploys happen on Tuesdays. Before that the backup is verified, restored once on staging, and compared row by row.",
        "The search index is rebuilt at night. Whenever its schema changes, readers keep the older segments until writers finish.",
        "Retries wait twice as long each time. Nobody waits beyond a minute, and jitter spreads clients over the interval.",
        "Colours come from the design tokens. Hexadecimal values in components are rejected by the linter during review.",
        "Customers may export their data. Archives contain invoices, messages and attachments, encrypted with a passphrase.",
        "Feature flags expire after ninety days. Owners get reminders weekly, then the build fails until somebody removes them.",
    ];
    store(&mut rpc, home.scratch(), more.map(str::to_owned));
    let measured = ctl(&home, &["bench", "--json"]);
    assert!(measured.status.success(), "{}", said(&measured));
    let document: serde_json::Value = serde_json::from_slice(&measured.stdout).unwrap();
    let figures = &document["models"][0];
    assert_eq!(figures["name"], BUILT_IN);
    assert!(figures["problem"].is_null(), "{document}");
    // It finds a text by its own words.
    assert!(figures["recall_5"].as_f64().unwrap() > 0.9, "{document}");
    assert!(figures["query_us"].as_u64().unwrap() > 0, "{document}");
    assert!(
        figures["memories_a_second"].as_f64().unwrap() > 0.0,
        "{document}"
    );
}
