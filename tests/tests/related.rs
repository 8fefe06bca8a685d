//! What is related: a search brings what belongs to its best hits, and new memories get suggestions
//! for what their texts name.

#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::path::PathBuf;

use helix_client::caller;
use helix_client::v1::{
    Caller, Draft, EdgeFilter, FoundBy, Hit, MemoryEdge, Program, RelateRequest, Retriever,
    RevertRequest, SearchRequest, TraverseRequest, revert_request,
};
use helix_tests::process::{SUGGESTED_DEADLINE, within};
use helix_tests::rpc::draft;
use helix_tests::{Project, Served};

/// Suggestions of one memory, at most.
const SUGGESTIONS_MAX: usize = 8;

struct World {
    served: Served,
    cwd: PathBuf,
}

impl World {
    fn new() -> Self {
        let served = Served::new().unwrap();
        let cwd = Project::new(&served.home, "billing").unwrap().root;
        Self { served, cwd }
    }

    fn caller(&self) -> Caller {
        caller(Program::Ctl, &self.cwd, "tests", "")
    }

    /// Stores a draft; returns its handle.
    fn store(&mut self, draft: Draft) -> String {
        let stored = self.served.rpc.store(Program::Ctl, &self.cwd, draft);
        stored.unwrap().handle
    }

    /// Stores somebody or something that has a name.
    fn store_entity(&mut self, topic: &str, text: &str, name: &str) -> String {
        let mut entity = Draft {
            kind: "entity".to_owned(),
            ..draft(topic, text, "")
        };
        entity.attributes.insert("name".to_owned(), name.to_owned());
        self.store(entity)
    }

    fn relate(&mut self, from: &str, relation: &str, to: &str) {
        let request = RelateRequest {
            caller: Some(self.caller()),
            from: from.to_owned(),
            relation: relation.to_owned(),
            to: to.to_owned(),
            ..RelateRequest::default()
        };
        let rpc = &mut self.served.rpc;
        let reply = rpc
            .call(async |rpc| rpc.relate(request.clone()).await)
            .unwrap();
        assert!(reply.changed, "{reply:?}");
    }

    fn search(&mut self, query: &str) -> Vec<Hit> {
        let request = SearchRequest {
            caller: Some(self.caller()),
            query: query.to_owned(),
            retriever: Retriever::Hybrid.into(),
            explain: true,
            ..SearchRequest::default()
        };
        let rpc = &mut self.served.rpc;
        let reply = rpc.call(async |rpc| rpc.search(request.clone()).await);
        reply.unwrap().hits
    }

    /// The edges of a memory, suggested ones among them.
    fn edges(&mut self, handle: &str) -> Vec<MemoryEdge> {
        let request = TraverseRequest {
            caller: Some(self.caller()),
            memories: vec![handle.to_owned()],
            depth: Some(1),
            edges: Some(EdgeFilter {
                suggested: true,
                ..EdgeFilter::default()
            }),
            ..TraverseRequest::default()
        };
        let rpc = &mut self.served.rpc;
        let reply = rpc.call(async |rpc| rpc.traverse(request.clone()).await);
        let edges = reply.unwrap().edges.into_iter();
        edges
            .filter(|edge| edge.from == handle || edge.to == handle)
            .collect()
    }

    /// Waits until a memory has edges; returns them.
    fn await_edges(&mut self, handle: &str) -> Vec<MemoryEdge> {
        within(SUGGESTED_DEADLINE, || {
            let edges = self.edges(handle);
            Ok((!edges.is_empty()).then_some(edges))
        })
        .unwrap()
    }
}

/// The decision about the billing database and what belongs to it.
struct Billing {
    decision: String,
    project: String,
    convention: String,
    owner: String,
    service: String,
}

fn billing(world: &mut World) -> Billing {
    let billing = Billing {
        decision: world.store(draft(
            "decisions",
            "The billing database is Postgres 16, one schema per tenant.",
            "",
        )),
        project: world.store(draft("projects", "Parcelhub backend, written in Go.", "")),
        convention: world.store(draft("conventions", "Migrations come in pairs.", "")),
        owner: world.store_entity("people", "@priya answers for money.", "Priya"),
        service: world.store_entity("services", "auth-svc checks tokens.", "auth-svc"),
    };
    for text in [
        "Walruses eat clams.",
        "Ferries leave at noon.",
        "Cranes need calm wind.",
        "Pallets are stacked by hand.",
    ] {
        world.store(draft("noise", text, ""));
    }
    let Billing {
        decision,
        project,
        convention,
        owner,
        service,
    } = &billing;
    world.relate(project, "has_decision", decision);
    world.relate(project, "has_convention", convention);
    world.relate(owner, "owns", project);
    world.relate(service, "depends_on", decision);
    billing
}

#[test]
fn a_search_brings_what_belongs_to_its_best_hit() {
    let mut world = World::new();
    let billing = billing(&mut world);
    let hits = world.search("how do we handle the billing database?");
    let handle = |hit: &Hit| hit.memory.as_ref().unwrap().handle.clone();
    assert_eq!(handle(&hits[0]), billing.decision);
    let expected = [
        (&billing.project, &billing.decision, "decision_of"),
        (&billing.service, &billing.decision, "dependency_of"),
        (&billing.convention, &billing.project, "has_convention"),
        (&billing.owner, &billing.project, "owned_by"),
    ];
    for (brought, from, relation) in expected {
        let hit = hits.iter().find(|hit| handle(hit) == *brought);
        assert!(hit.is_some(), "{brought} did not come along");
        let hit = hit.unwrap();
        let why = hit.explanation.as_ref().unwrap();
        assert_eq!(hit.found_by(), FoundBy::Relation, "{brought}");
        assert_eq!(why.related_from, *from, "{brought}");
        assert_eq!(why.relation, relation, "{brought}");
        assert!(hit.score <= hits[0].score, "{brought}");
    }
    assert_eq!(hits.len(), 1 + expected.len(), "noise came along");
}

#[test]
fn a_search_explains_by_which_relation_a_hit_came_along() {
    let mut world = World::new();
    let billing = billing(&mut world);
    let question = "how do we handle the billing database?";
    let (printed, _) = ctl(&world, &["search", question, "--explain"]);
    for said in [
        format!("{} decision_of this", billing.decision),
        format!("{} has_convention this", billing.project),
        format!("{} owned_by this", billing.project),
    ] {
        assert!(printed.contains(&said), "{said}:\n{printed}");
    }
}

#[test]
fn without_relations_nothing_comes_along() {
    let mut world = World::new();
    let decision = world.store(draft(
        "decisions",
        "The billing database is Postgres 16.",
        "",
    ));
    world.store(draft("conventions", "Migrations come in pairs.", ""));
    let hits = world.search("how do we handle the billing database?");
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].memory.as_ref().unwrap().handle, decision);
}

#[test]
fn what_a_text_names_is_suggested_and_not_followed() {
    let mut world = World::new();
    let person = world.store_entity("people", "Answers for money.", "Priya Sharma");
    let package = world.store_entity("packages", "Signs every token.", "jose-jwt");
    let symbol = world.store_entity("symbols", "Rounds half to even.", "RoundMoney");
    let file = world.store(draft("parser", "Errors carry offsets.", "src/parser.rs:4"));
    let text = "Ask @priya why src/parser.rs:90 calls RoundMoney through jose-jwt";
    let stored = world.store(draft("review", text, ""));
    let edges = world.await_edges(&stored);
    let mut named: Vec<&str> = edges.iter().map(|edge| beyond(edge, &stored)).collect();
    named.sort_unstable();
    let mut expected = [&person, &package, &symbol, &file].map(String::as_str);
    expected.sort_unstable();
    assert_eq!(named, expected);
    for edge in &edges {
        assert_eq!(edge.status, "suggested", "{edge:?}");
        assert_eq!(edge.relation, "relates_to", "{edge:?}");
        let extractor = &edge.provenance.as_ref().unwrap().extractor;
        let by = if beyond(edge, &stored) == file {
            "files"
        } else {
            "names"
        };
        assert_eq!(extractor, by, "{edge:?}");
    }
    let hits = world.search("ask about RoundMoney calls");
    let is_brought = |hit: &Hit| hit.found_by() == FoundBy::Relation;
    assert!(!hits.iter().any(is_brought), "{hits:?}");
}

#[test]
fn one_memory_gets_so_many_suggestions_at_most() {
    let mut world = World::new();
    let names: Vec<String> = (0..SUGGESTIONS_MAX + 4)
        .map(|place| {
            format!(
                "service-{}",
                char::from(b'a' + u8::try_from(place).unwrap())
            )
        })
        .collect();
    for name in &names {
        world.store_entity("services", &format!("Runs {name}."), name);
    }
    let stored = world.store(draft(
        "review",
        &format!("We call {}", names.join(", ")),
        "",
    ));
    let edges = world.await_edges(&stored);
    assert_eq!(edges.len(), SUGGESTIONS_MAX);
}

#[test]
fn undo_means_what_somebody_asked_for() {
    let mut world = World::new();
    let text = "The walrus parser reads every chunk before the index is flushed";
    world.store(draft("parser", &format!("{text} to disk."), ""));
    let later = world.store(draft("parser", &format!("{text} to the network."), ""));
    world.await_edges(&later);
    let request = RevertRequest {
        caller: Some(world.caller()),
        what: Some(revert_request::What::Undo(0)),
        ..RevertRequest::default()
    };
    let rpc = &mut world.served.rpc;
    let reply = rpc.call(async |rpc| rpc.revert(request.clone()).await);
    let reverted = reply.unwrap().reverted;
    assert_eq!(reverted.len(), 1, "{reverted:?}");
    assert_eq!(reverted[0].kind, "store");
    assert_eq!(reverted[0].handle, later);
}

/// The other end of an edge.
fn beyond<'e>(edge: &'e MemoryEdge, memory: &str) -> &'e str {
    if edge.from == memory {
        &edge.to
    } else {
        &edge.from
    }
}

/// Returns whether an edge is between two memories.
fn joins(edge: &MemoryEdge, one: &str, other: &str) -> bool {
    (edge.from == one && edge.to == other) || (edge.from == other && edge.to == one)
}

#[test]
fn memories_that_name_the_same_rare_thing_are_suggested() {
    let mut world = World::new();
    for (kind, one, other) in [
        (
            "a person",
            "Ask @marisol before you touch invoices.",
            "Deploys wait until @marisol says yes.",
        ),
        (
            "a package",
            "The quokkalog crate loses lines at midnight.",
            "Pin `quokkalog` below version 3.",
        ),
        (
            "a symbol",
            "LedgerWalker::rewind reads backwards.",
            "Nobody may call LedgerWalker::rewind twice.",
        ),
        (
            "a service",
            "parcel-svc answers slowly on Mondays.",
            "Retries hide that parcel-svc is down.",
        ),
        (
            "a file",
            "Read tidetable.rs twice.",
            "Nobody edits tidetable.rs.",
        ),
    ] {
        let one = world.store(draft("notes", one, ""));
        let other = world.store(draft("notes", other, ""));
        let edges = world.await_edges(&other);
        assert_eq!(edges.len(), 1, "{kind}: {edges:?}");
        assert!(joins(&edges[0], &one, &other), "{kind}: {edges:?}");
        assert_eq!(edges[0].relation, "relates_to", "{kind}");
        assert_eq!(edges[0].status, "suggested", "{kind}");
        let extractor = &edges[0].provenance.as_ref().unwrap().extractor;
        assert_eq!(extractor, "names", "{kind}");
    }
}

#[test]
fn what_many_memories_name_relates_none_of_them() {
    let mut world = World::new();
    let texts = [
        "clams", "ropes", "ferries", "cranes", "pallets", "tides", "buoys", "nets", "docks",
        "gulls",
    ];
    for text in texts {
        world.store(draft("notes", &format!("@marisol likes {text}."), ""));
    }
    let last = world.store(draft(
        "notes",
        "@marisol hates storms; see `quokkalog`.",
        "",
    ));
    let rare = world.store(draft("notes", "Fetch quokkalog with `quokkalog`.", ""));
    let edges = world.await_edges(&rare);
    assert_eq!(edges.len(), 1, "{edges:?}");
    assert!(joins(&edges[0], &last, &rare), "{edges:?}");
    assert_eq!(world.edges(&last).len(), 1);
}

/// The relations that a memory's suggested edges have, as `from relation to`.
fn suggested(world: &mut World, handle: &str) -> Vec<String> {
    let edges = world.await_edges(handle).into_iter();
    let mut lines: Vec<String> = edges
        .inspect(|edge| assert_eq!(edge.status, "suggested", "{edge:?}"))
        .map(|edge| format!("{} {} {}", edge.from, edge.relation, edge.to))
        .collect();
    lines.sort_unstable();
    lines
}

#[test]
fn the_words_beside_a_name_say_how_it_is_related() {
    let mut world = World::new();
    let of_kind = |world: &mut World, topic: &str, kind: &str, text: &str| {
        let draft = Draft {
            kind: kind.to_owned(),
            ..draft(topic, text, "")
        };
        world.store(draft)
    };
    let priya = of_kind(
        &mut world,
        "people",
        "entity",
        "Priya Sharma leads the money team.",
    );
    let project = of_kind(
        &mut world,
        "projects",
        "project",
        "Tollgate, written in Go.",
    );
    let service = world.store(draft("parcel-svc", "Listens on 8081 only.", ""));
    let owned = world.store(draft("notes", "Invoices are owned by @priya.", ""));
    let decision = of_kind(&mut world, "notes", "decision", "Tollgate keeps Postgres.");
    let convention = of_kind(
        &mut world,
        "notes",
        "convention",
        "Migrations in Tollgate come in pairs.",
    );
    let needs = world.store(draft("notes", "Nightly export depends on parcel-svc.", ""));
    assert_eq!(
        suggested(&mut world, &owned),
        [format!("{priya} owns {owned}")]
    );
    for (memory, relation) in [(&decision, "has_decision"), (&convention, "has_convention")] {
        assert_eq!(
            suggested(&mut world, memory),
            [format!("{project} {relation} {memory}")]
        );
    }
    assert_eq!(
        suggested(&mut world, &needs),
        [format!("{needs} depends_on {service}")]
    );
}

/// Runs a command in the project; returns what it printed and what it remarked.
fn ctl(world: &World, arguments: &[&str]) -> (String, String) {
    let output = world.served.home.run(&world.cwd, arguments);
    assert!(output.status.success(), "{output:?}");
    let [printed, said] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (printed, said)
}

#[test]
fn suggestions_that_somebody_approves_are_followed_by_searches() {
    let mut world = World::new();
    let add = |world: &World, topic: &str, kind: &str, text: &str| {
        let (printed, _) = ctl(world, &["add", "--topic", topic, "--kind", kind, text]);
        printed
            .trim_end()
            .strip_prefix("stored\t")
            .unwrap()
            .to_owned()
    };
    let project = add(
        &world,
        "projects",
        "project",
        "Tollgate is our service for money.",
    );
    let decision = add(
        &world,
        "notes",
        "decision",
        "Tollgate keeps the billing database on Postgres 16, one schema per tenant.",
    );
    let convention = add(
        &world,
        "notes",
        "convention",
        "Migrations in Tollgate come in pairs.",
    );
    let owner = add(&world, "people", "entity", "Priya Sharma owns Tollgate.");
    for memory in [&decision, &convention, &owner] {
        world.await_edges(memory);
    }
    let question = "how do we handle the billing database?";
    assert_eq!(ctl(&world, &["search", question]).0.lines().count(), 1);
    let (nothing, said) = ctl(&world, &["neighbours", &project]);
    assert!(nothing.is_empty(), "{nothing}");
    assert!(said.contains("--suggested"), "{said}");
    let (shown, _) = ctl(&world, &["neighbours", &project, "--suggested"]);
    assert!(shown.contains(&decision), "{shown}");
    let (listed, _) = ctl(&world, &["review", "--relations", "--list"]);
    assert!(listed.contains("has_decision"), "{listed}");
    for memory in [&decision, &convention, &owner] {
        ctl(&world, &["review", "approve", memory]);
    }
    let (found, _) = ctl(&world, &["search", question]);
    for memory in [&decision, &project, &convention, &owner] {
        assert!(found.contains(memory.as_str()), "{memory}:\n{found}");
    }
    let (graph, _) = ctl(&world, &["graph", "--memories", "--mermaid"]);
    assert!(graph.contains("has_convention"), "{graph}");
}
