//! The canary of every rule of the redaction, sent everywhere.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use helix_client::caller;
use helix_client::v1::{self, Program};
use helix_redact::{Specimen, specimens};
use helix_tests::fixtures::hook_samples;
use helix_tests::{Binary, Home, Project, Rpc, Served};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use prost::Message;
use serde_json::{Value as Json, json};

use super::needles::Needles;
use super::{MARK, holding, import, send};

/// A secret that one rule finds, in its text.
struct Planted {
    rule: String,
    text: String,
    secret: String,
}

impl Planted {
    fn of(specimen: Specimen) -> Self {
        let samples = proptest::string::string_regex(&specimen.canary).unwrap();
        let mut runner = TestRunner::deterministic();
        let text = samples.new_tree(&mut runner).unwrap().current();
        let marked = text
            .split_once('«')
            .and_then(|(_, rest)| rest.split_once('»'));
        let secret = marked.map_or(text.as_str(), |(secret, _)| secret);
        Self {
            rule: specimen.rule,
            secret: secret.to_owned(),
            text: text.replace(['«', '»'], ""),
        }
    }

    /// The secret and its second half, which chance does not make.
    fn needles(&self) -> Vec<String> {
        let half = self.secret.len() / 2;
        let mut needles = vec![self.secret.clone()];
        if let Some(end) = self.secret.get(half..).filter(|end| end.len() >= 10) {
            needles.push(end.to_owned());
        }
        needles
    }
}

/// Sends what one rule finds along every way by which a text comes in.
fn send_everywhere(rpc: &mut Rpc, project: &Project, planted: &Planted) {
    let caller = || Some(caller(Program::Mcp, &project.root, "tests", &planted.text));
    let topic = format!("of-{}", planted.rule);
    let draft = |text: String| helix_tests::rpc::draft(&topic, &text, "");
    let request = v1::StoreRequest {
        caller: caller(),
        draft: Some(draft(format!("Deploys use this:\n{}\n", planted.text))),
        force: true,
    };
    send(rpc, "Store", &request.encode_to_vec());
    let request = v1::StoreBatchRequest {
        caller: caller(),
        drafts: vec![draft(format!("The bot has this:\n{}\n", planted.text))],
        force: true,
    };
    send(rpc, "StoreBatch", &request.encode_to_vec());
    let append = v1::AppendText {
        target: Some(v1::Target {
            reference: format!("{topic}:1"),
            ..v1::Target::default()
        }),
        text: format!("And then:\n{}\n", planted.text),
    };
    let request = v1::EditRequest {
        caller: caller(),
        action: Some(v1::edit_request::Action::Append(append)),
        ..v1::EditRequest::default()
    };
    send(rpc, "Edit", &request.encode_to_vec());
    let save = v1::TaskCheckpoint {
        task: format!("Rotate this:\n{}\n", planted.text),
        ..v1::TaskCheckpoint::default()
    };
    let request = v1::CheckpointRequest {
        caller: caller(),
        action: Some(v1::checkpoint_request::Action::Save(save)),
    };
    send(rpc, "Checkpoint", &request.encode_to_vec());
    for (event, sample) in [
        ("prompt", "/UserPromptSubmit"),
        ("error-context", "/PostToolUseFailure-Bash"),
        ("session", "/SessionStart-startup"),
    ] {
        let samples = hook_samples().unwrap();
        let found = samples.into_iter().find(|one| one.name.ends_with(sample));
        let mut input = found.unwrap().input;
        for place in ["/session_id", "/prompt", "/tool_input/command", "/error"] {
            if let Some(field) = input.pointer_mut(place) {
                *field = planted.text.clone().into();
            }
        }
        let request = v1::HookRequest {
            event: event.to_owned(),
            stdin: input.to_string().into_bytes(),
            ..v1::HookRequest::default()
        };
        send(rpc, "Hook", &request.encode_to_vec());
    }
}

/// Imports what every rule finds, as JSON and as Markdown.
fn import_all(rpc: &mut Rpc, project: &Project, all: &[Planted]) {
    let entries: Vec<Json> = all
        .iter()
        .map(|one| json!({"topic": format!("json-{}", one.rule), "text": format!("Known:\n{}\n", one.text)}))
        .collect();
    let sections: Vec<String> = all
        .iter()
        .map(|one| format!("## {}\n\nKnown as well:\n\n{}\n\n", one.rule, one.text))
        .collect();
    for (format, file, data) in [
        (
            v1::ExchangeFormat::Json,
            "notes.json",
            json!(entries).to_string(),
        ),
        (v1::ExchangeFormat::Markdown, "notes.md", sections.concat()),
    ] {
        let piece = v1::ImportPiece {
            caller: Some(caller(Program::Ctl, &project.root, "tests", "")),
            format: format.into(),
            file: file.to_owned(),
            data: data.into_bytes(),
            trust: true,
            ..v1::ImportPiece::default()
        };
        import(rpc, &piece);
    }
}

/// Returns what `helixctl export` writes.
fn exported(home: &Home, project: &Project) -> String {
    let path = home.scratch().join("export.json");
    let output = home
        .command(Binary::Ctl)
        .args(["export", "--format", "json", "--output"])
        .arg(&path)
        .current_dir(&project.root)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    fs::read_to_string(&path).unwrap()
}

#[test]
fn the_canary_of_every_rule_reaches_no_file() {
    let home = Home::new().unwrap();
    fs::create_dir_all(&home.paths.home).unwrap();
    fs::set_permissions(&home.paths.home, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(home.paths.home.join("config.toml"), "log = 'debug'\n").unwrap();
    let Served {
        mut rpc,
        daemon,
        home,
    } = Served::on(home).unwrap();
    let project = Project::new(&home, "billing").unwrap();
    let all: Vec<Planted> = specimens().unwrap().into_iter().map(Planted::of).collect();
    assert!(all.len() > 200, "{} rules", all.len());
    for planted in &all {
        send_everywhere(&mut rpc, &project, planted);
    }
    import_all(&mut rpc, &project, &all);
    let exported = exported(&home, &project);
    let is_unknown = |one: &&Planted| !exported.contains(&format!("[redacted:{}]", one.rule));
    let unknown: Vec<&String> = all.iter().filter(is_unknown).map(|one| &one.rule).collect();
    assert!(unknown.is_empty(), "nothing was kept of {unknown:?}");
    let needles: Vec<String> = all.iter().flat_map(Planted::needles).collect();
    let needles = Needles::of(&needles);
    assert_eq!(needles.find(exported.as_bytes()), None, "{exported}");
    let found = needles.held_below(&home.paths.home);
    assert!(found.is_empty(), "while it runs: {found:#?}");
    drop(rpc);
    assert!(daemon.stop().unwrap().success());
    let found = needles.held_below(&home.paths.home);
    assert!(found.is_empty(), "when it has ended: {found:#?}");
}

#[test]
fn a_private_part_reaches_no_file() {
    let served = Served::new().unwrap();
    let project = Project::new(&served.home, "billing").unwrap();
    let mut rpc = served.rpc;
    let planted = |at: usize, text: String| Planted {
        rule: format!("private-{at}"),
        secret: MARK.to_owned(),
        text,
    };
    let texts = [
        format!("Before <private>Sam said {MARK} over lunch</private> after."),
        format!("Before <PRIVATE>Sam said {MARK}, and\n\nno more"),
    ];
    for (at, text) in texts.into_iter().enumerate() {
        send_everywhere(&mut rpc, &project, &planted(at, text));
    }
    let section = format!("Sam.\n\n## Of lunch\n\nHe said {MARK}.\n\n## More");
    let text = format!("Before.\n\n<private>{section}</private>\n\n## After\n\nAll is well.");
    import_all(&mut rpc, &project, &[planted(9, text)]);
    let exported = exported(&served.home, &project);
    assert!(
        exported.contains("Before [redacted:private] after."),
        "{exported}"
    );
    assert!(exported.contains("All is well."), "{exported}");
    assert!(!exported.contains(MARK), "{exported}");
    drop(rpc);
    assert!(served.daemon.stop().unwrap().success());
    assert_eq!(holding(&served.home.paths.home), []);
}
