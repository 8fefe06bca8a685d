//! A memory that a session stored or asked for itself is not told it again.

use helix_client::caller;
use helix_proto::v1::edit_request::Action;
use helix_proto::v1::{
    BriefDetail, BriefRequest, Caller, ContextRequest, EditRequest, Program, ReadRequest,
    ReviseText, SearchRequest, StoreRequest, Target, TextShown,
};
use helix_tests::rpc::draft;
use helix_tests::{Bridge, Rpc};
use serde_json::json;

use crate::{World, mentions};

const FILE: &str = "src/ledger.rs";
const TEXT: &str =
    "Postings are written in one transaction, because the auditor reads while we write.";
const QUESTION: &str = "why are postings written in one transaction for the auditor?";

impl World {
    fn caller(&self, session: &str) -> Caller {
        caller(Program::Mcp, &self.project.root, "claude-code", session)
    }
}

fn world() -> World {
    let world = World::new();
    world.project.write(FILE, "fn post() {}\n").unwrap();
    world
}

#[test]
fn what_a_session_stores_is_not_told_it_again() {
    let world = world();
    let one = world.session("one");
    one.start("startup").unwrap();
    let request = StoreRequest {
        caller: Some(world.caller("one")),
        draft: Some(draft("ledger", TEXT, FILE)),
        ..StoreRequest::default()
    };
    let stored = Rpc::connect(&world.home)
        .unwrap()
        .call(async |rpc| rpc.store(request.clone()).await)
        .unwrap();
    let handle = stored.memory.unwrap().handle;
    assert_eq!(one.read(FILE).unwrap(), None);
    assert_eq!(one.prompt(QUESTION).unwrap(), None);
    assert!(
        mentions(world.session("two").read(FILE).unwrap().as_ref(), &handle),
        "others are told"
    );
    one.start("compact").unwrap();
    let told = [one.read(FILE).unwrap(), one.start("compact").unwrap()];
    assert!(
        told.iter().any(|told| mentions(told.as_ref(), &handle)),
        "its context is new: {told:?}"
    );
}

#[test]
fn what_a_session_is_shown_whole_is_not_told_it_again() {
    let world = world();
    let handle = world.remember_of("ledger", TEXT, FILE);
    let reads = |session: &str, shown: TextShown| {
        let (caller, reference) = (Some(world.caller(session)), handle.clone());
        let request = ReadRequest {
            caller,
            reference,
            shown: shown.into(),
            ..ReadRequest::default()
        };
        Rpc::connect(&world.home)
            .unwrap()
            .call(async |rpc| rpc.read(request.clone()).await)
            .unwrap();
    };
    let searches = |session: &str, shown: TextShown| {
        let (caller, query) = (
            Some(world.caller(session)),
            "postings transaction".to_owned(),
        );
        let request = SearchRequest {
            caller,
            query,
            shown: shown.into(),
            ..SearchRequest::default()
        };
        let found = Rpc::connect(&world.home)
            .unwrap()
            .call(async |rpc| rpc.search(request.clone()).await)
            .unwrap();
        assert_eq!(found.hits.len(), 1);
    };
    let is_told = |id: &str, ask: &dyn Fn()| {
        let session = world.session(id);
        session.edit("src/other.rs", "a", "b").unwrap();
        ask();
        mentions(session.read(FILE).unwrap().as_ref(), &handle)
    };
    assert!(!is_told("reads", &|| reads("reads", TextShown::Body)));
    assert!(!is_told("searches", &|| searches(
        "searches",
        TextShown::Opening
    )));
    assert!(
        is_told("lists", &|| searches("lists", TextShown::Unspecified)),
        "it saw a line at most"
    );
    assert!(!is_told("enumerates", &|| reads(
        "enumerates",
        TextShown::Line
    )));
    assert!(
        is_told("another", &|| searches("somebody", TextShown::Body)),
        "another session asked"
    );
    assert!(
        is_told("unnamed", &|| reads("", TextShown::Body)),
        "nobody knows who asked"
    );
}

#[test]
fn what_a_digest_holds_whole_is_not_told_again() {
    let world = world();
    let long = format!(
        "The postings of a transaction go by rail. {}",
        "Nobody may ask the clerk why. ".repeat(40)
    );
    let (handle, cut) = (
        world.remember_of("ledger", TEXT, FILE),
        world.remember_of("ledger", &long, FILE),
    );
    let packs = |session: &str, budget_tokens: u32| {
        let (caller, query) = (
            Some(world.caller(session)),
            "postings transaction".to_owned(),
        );
        let request = ContextRequest {
            caller,
            query,
            budget_tokens,
            ..ContextRequest::default()
        };
        let packed = Rpc::connect(&world.home)
            .unwrap()
            .call(async |rpc| rpc.context(request.clone()).await)
            .unwrap();
        assert!(
            packed.handles.contains(&handle) && packed.handles.contains(&cut),
            "{}",
            packed.text
        );
    };
    let briefs = |session: &str, detail: BriefDetail| {
        let (caller, query) = (Some(world.caller(session)), "ledger".to_owned());
        let request = BriefRequest {
            caller,
            query,
            detail: detail.into(),
            ..BriefRequest::default()
        };
        let brief = Rpc::connect(&world.home)
            .unwrap()
            .call(async |rpc| rpc.brief(request.clone()).await)
            .unwrap();
        assert!(brief.text.contains(&handle), "{}", brief.text);
    };
    let told = |id: &str, ask: &dyn Fn()| {
        let session = world.session(id);
        session.edit("src/other.rs", "a", "b").unwrap();
        ask();
        let told = session.read(FILE).unwrap();
        [
            mentions(told.as_ref(), &handle),
            mentions(told.as_ref(), &cut),
        ]
    };
    assert_eq!(
        told("packs", &|| packs("packs", 400)),
        [false, true],
        "the long one was cut"
    );
    assert_eq!(
        told("packs-all", &|| packs("packs-all", 2_000)),
        [false, false]
    );
    assert_eq!(
        told("briefs", &|| briefs("briefs", BriefDetail::Full)),
        [false, false]
    );
    assert_eq!(
        told("scans", &|| briefs("scans", BriefDetail::Summary)),
        [true, true],
        "it saw a line of each at most"
    );
}

#[test]
fn a_line_that_lists_all_of_a_memory_is_not_told_again() {
    let world = world();
    let handle = world.remember_of("ledger", TEXT, FILE);
    let cut = world.remember_of(
        "ledger",
        "The tax office's reader is old.\nIt splits at commas.",
        FILE,
    );
    let session = world.session("one");
    session.edit("src/other.rs", "a", "b").unwrap();
    let mut bridge = Bridge::of_session(&world.home, &world.project.root, "one").unwrap();
    let listed = bridge
        .text("topics", &json!({"action": "entries", "topic": "ledger"}))
        .unwrap();
    bridge.finish_cleanly().unwrap();
    assert!(listed.contains(TEXT), "{listed}");
    let told = session.read(FILE).unwrap();
    assert!(
        !mentions(told.as_ref(), &handle) && mentions(told.as_ref(), &cut),
        "{told:?}"
    );
}

#[test]
fn what_a_subagent_asks_for_its_session_does_not_know() {
    let world = world();
    let handle = world.remember_of("ledger", TEXT, FILE);
    let one = world.session("one");
    one.edit("src/other.rs", "a", "b").unwrap();
    one.subagent("a1")
        .hook("subagent", "SubagentStart", |_| ())
        .unwrap();
    let request = ReadRequest {
        caller: Some(world.caller("one")),
        reference: handle.clone(),
        shown: TextShown::Body.into(),
        ..ReadRequest::default()
    };
    Rpc::connect(&world.home)
        .unwrap()
        .call(async |rpc| rpc.read(request.clone()).await)
        .unwrap();
    assert!(mentions(one.read(FILE).unwrap().as_ref(), &handle));
}

#[test]
fn what_was_reworded_is_told_again_to_all_but_who_reworded_it() {
    let world = world();
    let handle = world.remember_of("ledger", TEXT, FILE);
    let (one, two) = (world.session("one"), world.session("two"));
    for session in [&one, &two] {
        assert!(mentions(session.read(FILE).unwrap().as_ref(), &handle));
        assert_eq!(session.read(FILE).unwrap(), None);
    }
    let target = Some(Target {
        reference: handle.clone(),
        ..Target::default()
    });
    let action = Some(Action::Revise(ReviseText {
        target,
        text: "Postings are queued, one by one.".to_owned(),
    }));
    let request = EditRequest {
        caller: Some(world.caller("two")),
        action,
        ..EditRequest::default()
    };
    let edited = Rpc::connect(&world.home)
        .unwrap()
        .call(async |rpc| rpc.edit(request.clone()).await)
        .unwrap();
    assert_eq!(edited.changed, 1);
    assert!(
        one.read(FILE)
            .unwrap()
            .unwrap()
            .contains("queued, one by one")
    );
    assert_eq!(two.read(FILE).unwrap(), None);
}

#[test]
fn a_file_that_a_prompt_attaches_brings_up_what_is_known_of_it() {
    let world = world();
    let handle = world.remember_of("ledger", TEXT, FILE);
    let one = world.session("one");
    assert_eq!(one.prompt("@lib/other.py explain this file").unwrap(), None);
    assert!(mentions(
        one.prompt("@src/ledger.rs explain this file")
            .unwrap()
            .as_ref(),
        &handle
    ));
    assert_eq!(one.read(FILE).unwrap(), None, "it was told");
}

#[test]
fn a_path_in_a_prompt_is_looked_up_as_a_file() {
    let world = world();
    let handle = world.remember_of("ledger", TEXT, FILE);
    let gone = world.remember_of(
        "ledger",
        "Interest is rounded at midnight.",
        "lib/interest.rs",
    );
    world.remember(
        "exchange",
        "Invoices are exported as semicolon CSV, because the tax office splits at commas.",
    );
    let root = world.project.root.display();
    for (at, prompt) in [
        "open src/ledger.rs".to_owned(),
        "src/ledger.rs".to_owned(),
        "what does `src/ledger.rs:12` do?".to_owned(),
        "tidy \"./src/ledger.rs\", please".to_owned(),
        format!("{root}/src/ledger.rs looks odd to me"),
    ]
    .into_iter()
    .enumerate()
    {
        let context = world.session(&format!("s{at}")).prompt(&prompt).unwrap();
        assert!(mentions(context.as_ref(), &handle), "{prompt}: {context:?}");
    }
    let one = world.session("one");
    assert!(
        mentions(
            one.prompt("write lib/interest.rs anew").unwrap().as_ref(),
            &gone
        ),
        "a memory is about it"
    );
    world
        .project
        .write("invoices/exported/semicolon/a.py", "")
        .unwrap();
    for prompt in [
        "open invoices/exported/semicolon/a.py",
        "make invoices/exported/semicolon/b.py empty",
    ] {
        assert_eq!(
            one.prompt(prompt).unwrap(),
            None,
            "{prompt}: directories are no words"
        );
    }
    assert!(
        one.prompt("why are invoices exported as semicolon CSV in src/a.py?")
            .unwrap()
            .is_some()
    );
}
