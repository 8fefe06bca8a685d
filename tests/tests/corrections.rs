//! Corrections over the socket: a new memory takes the place of what it says has ended, is noted as
//! contradicting what cannot stand beside it, and somebody settles that.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{slice, thread};

use helix_client::caller;
use helix_client::v1::{
    Caller, CheckLevel, CheckRequest, ConflictsReply, ConflictsRequest, EdgeFilter, Memory,
    Program, SettleReply, SettleRequest, Settlement, StoreBatchRequest, StoreOutcome, StoreReply,
    StoreRequest, TraverseRequest,
};
use helix_tests::rpc::draft;
use helix_tests::{Project, Rpc, Served};
use tonic::Status;

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

    fn caller(&self, program: Program) -> Caller {
        caller(program, &self.cwd, "tests", "")
    }

    fn store(&mut self, text: &str) -> StoreReply {
        self.store_as(Program::Mcp, text)
    }

    fn store_as(&mut self, program: Program, text: &str) -> StoreReply {
        let request = StoreRequest {
            caller: Some(self.caller(program)),
            draft: Some(draft("services", text, "")),
            force: false,
        };
        let rpc = &mut self.served.rpc;
        rpc.call(async |rpc| rpc.store(request.clone()).await)
            .unwrap()
    }

    fn read(&mut self, handle: &str) -> Memory {
        self.served.rpc.read(&self.cwd, handle).unwrap()
    }

    /// Output of a successful command, its remarks with it.
    fn ctl(&self, arguments: &[&str]) -> String {
        self.served.home.done(&self.cwd, arguments)
    }

    fn conflicts(&mut self) -> ConflictsReply {
        let request = ConflictsRequest {
            caller: Some(self.caller(Program::Ctl)),
        };
        let rpc = &mut self.served.rpc;
        rpc.call(async |rpc| rpc.conflicts(request.clone()).await)
            .unwrap()
    }

    fn settle(
        &mut self,
        first: &str,
        second: &str,
        settlement: Settlement,
    ) -> Result<SettleReply, Status> {
        let request = SettleRequest {
            caller: Some(self.caller(Program::Ctl)),
            first: first.to_owned(),
            second: second.to_owned(),
            settlement: settlement.into(),
        };
        let rpc = &mut self.served.rpc;
        rpc.call(async |rpc| rpc.settle(request.clone()).await)
    }
}

fn handle(reply: &StoreReply) -> String {
    reply.memory.as_ref().unwrap().handle.clone()
}

#[test]
fn what_a_new_memory_says_has_ended_is_superseded() {
    let mut world = World::new();
    let old = handle(&world.store("The billing web app is built with npm."));
    let apart = handle(&world.store("The search web app is built with npm."));
    let reply = world.store("We switched the billing web app from npm to pnpm.");
    assert_eq!(reply.outcome(), StoreOutcome::Stored);
    assert_eq!(reply.corrections.len(), 1, "{:?}", reply.corrections);
    let correction = &reply.corrections[0];
    assert!(correction.is_replaced);
    assert_eq!(correction.handle, old);
    assert!(reply.warnings.is_empty(), "{:?}", reply.warnings);
    let replaced = world.read(&old);
    assert_eq!(replaced.status, "superseded");
    assert_eq!(replaced.superseded_by, handle(&reply));
    assert!(replaced.valid_to_us.is_some());
    assert_eq!(world.read(&apart).status, "active");
    world.served = world.served.restarted().unwrap();
    assert_eq!(world.read(&old).superseded_by, handle(&reply));
}

#[test]
fn two_values_stand_until_somebody_settles_them() {
    let mut world = World::new();
    let old = handle(&world.store("billing listens on 8081"));
    let reply = world.store("billing listens on 8082");
    let new = handle(&reply);
    assert!(!reply.corrections[0].is_replaced);
    assert_eq!(world.read(&old).status, "active");
    let open = world.conflicts();
    assert_eq!(open.total, 1);
    assert_eq!(open.conflicts[0].newer.as_ref().unwrap().handle, new);
    assert_eq!(open.conflicts[0].why, "gives another number of the same");
    // Whoever reads one of them is told of the other.
    assert_eq!(world.read(&old).contradicted_by, slice::from_ref(&new));
    assert_eq!(world.read(&new).contradicted_by, slice::from_ref(&old));

    world.settle(&old, &new, Settlement::KeepFirst).unwrap();
    assert_eq!(world.read(&new).superseded_by, old);
    assert_eq!(world.conflicts().total, 0);
    assert!(world.read(&old).contradicted_by.is_empty());
    // The decision is reversed: winner and loser change places.
    world.settle(&new, &old, Settlement::KeepFirst).unwrap();
    assert_eq!(world.read(&new).status, "active");
    assert_eq!(world.read(&old).superseded_by, new);
    // What a third one took the place of does not come back by the way.
    let third = handle(&world.store("billing now listens on 8083"));
    assert_eq!(world.read(&new).superseded_by, third);
    let refused = world.settle(&new, &old, Settlement::KeepFirst).unwrap_err();
    let said = format!("was replaced by {third}");
    assert!(refused.message().contains(&said), "{refused:?}");
}

#[test]
fn a_repetition_is_none_of_a_conflict() {
    let mut world = World::new();
    let three = handle(&world.store("The worker retries 3 times"));
    let five = handle(&world.store("The worker retries 5 times"));
    for (text, known) in [
        ("The worker retries 5 times.", &five),
        ("the worker retries 3 times!", &three),
    ] {
        let reply = world.store(text);
        assert_eq!(reply.outcome(), StoreOutcome::Duplicate, "{text}");
        assert_eq!(handle(&reply), *known);
    }
    assert_eq!(world.conflicts().total, 1);
}

#[test]
fn what_a_forgotten_correction_replaced_is_named() {
    let mut world = World::new();
    let old = handle(&world.store("The billing web app is built with npm."));
    let new = handle(&world.store("We switched the billing web app from npm to pnpm."));
    let said = world.ctl(&["forget", &new]);
    let note = format!("taken the place of {old}, which stays out of use; restore {old}");
    assert!(said.contains(&note), "{said}");
    assert_eq!(world.read(&old).status, "superseded");
    world.ctl(&["restore", &old]);
    assert_eq!(world.read(&old).status, "active");
    let said = world.ctl(&["forget", &old]);
    assert!(!said.contains("taken the place"), "{said}");
}

#[test]
fn what_was_replaced_is_not_stored_again_in_silence() {
    let mut world = World::new();
    world.store("The billing web app is built with npm.");
    let new = handle(&world.store("We switched the billing web app from npm to pnpm."));
    let again = world.store("The billing web app is built with npm.");
    assert_eq!(again.corrections.len(), 1, "{:?}", again.corrections);
    assert_eq!(again.corrections[0].handle, new);
    assert!(!again.corrections[0].is_replaced);
    assert_eq!(world.conflicts().total, 1);
}

#[test]
fn what_a_person_replaced_is_told_when_it_is_said_again() {
    let mut world = World::new();
    let old = handle(&world.store("Dashboards are drawn with Kibana"));
    let new = handle(&world.store("Grafana draws every chart that we have"));
    world.settle(&new, &old, Settlement::KeepFirst).unwrap();
    let again = world.store("Dashboards are drawn with Kibana");
    assert_eq!(again.corrections.len(), 1, "{:?}", again.corrections);
    assert_eq!(again.corrections[0].handle, new);
}

#[test]
fn one_call_settles_a_dispute_of_many() {
    let mut world = World::new();
    let texts = (8_081..8_087).map(|port| format!("billing listens on {port}"));
    let handles: Vec<String> = texts.map(|text| handle(&world.store(&text))).collect();
    let found = world.conflicts();
    assert_eq!(found.total, 1);
    let dispute = &found.conflicts[0];
    assert_eq!(dispute.newer.as_ref().unwrap().handle, handles[5]);
    assert_eq!(dispute.others.len(), 4);
    let older = dispute.older.as_ref().unwrap().handle.clone();
    world
        .settle(&handles[2], &older, Settlement::KeepFirst)
        .unwrap();
    assert_eq!(world.conflicts().total, 0);
    for handle in &handles {
        let is_kept = *handle == handles[2];
        let status = if is_kept { "active" } else { "superseded" };
        assert_eq!(world.read(handle).status, status);
    }
}

#[test]
fn both_kept_are_not_found_contradictory_again() {
    let mut world = World::new();
    let old = handle(&world.store("billing listens on 8081"));
    let new = handle(&world.store("billing listens on 8082"));
    world.settle(&new, &old, Settlement::Both).unwrap();
    assert_eq!(world.conflicts().total, 0);
    world.served = world.served.restarted().unwrap();
    assert_eq!(world.conflicts().total, 0);
    assert_eq!(world.read(&old).status, "active");
    assert_eq!(world.read(&new).status, "active");
}

#[test]
fn merged_memories_become_one_that_says_both() {
    let mut world = World::new();
    let old = handle(&world.store("billing listens on 8081"));
    let new = handle(&world.store("billing listens on 8082"));
    world.settle(&new, &old, Settlement::Merge).unwrap();
    let merged = world.read(&new);
    assert!(merged.text.contains("8081") && merged.text.contains("8082"));
    assert_eq!(world.read(&old).superseded_by, new);
    assert_eq!(world.conflicts().total, 0);
}

#[test]
fn a_memory_that_begins_a_new_text_gets_all_of_it() {
    let mut world = World::new();
    let known = handle(&world.store("Priya maintains the speech frontend"));
    let reply = world.store("Priya maintains the speech frontend; Lorenzo stands in on vacation");
    assert_eq!(reply.outcome(), StoreOutcome::Extended);
    let memory = world.read(&known);
    assert!(memory.text.ends_with("on vacation"));
    assert!(memory.confidence > 0.99);
}

#[test]
fn a_tool_takes_the_place_of_nothing_that_a_person_said() {
    let mut world = World::new();
    let said = handle(&world.store_as(Program::Ctl, "The billing web app is built with npm."));
    let reply = world.store_as(
        Program::Tool,
        "We switched the billing web app from npm to pnpm.",
    );
    assert!(!reply.corrections[0].is_replaced);
    assert_eq!(world.read(&said).status, "active");
}

#[test]
fn bad_names_are_told_what_to_do() {
    let mut world = World::new();
    let known = handle(&world.store("billing listens on 8081"));
    let same = world.settle(&known, &known, Settlement::Both).unwrap_err();
    assert!(same.message().contains("name the two memories"), "{same}");
    let unknown = world
        .settle(&known, "services/none", Settlement::Both)
        .unwrap_err();
    assert!(unknown.message().contains("search for it"), "{unknown}");
    let unsaid = world
        .settle(&known, &known, Settlement::Unspecified)
        .unwrap_err();
    assert!(unsaid.message().contains("keep one"), "{unsaid}");
}

#[test]
fn those_who_agree_are_not_shown_as_contradicting_each_other() {
    let mut world = World::new();
    let one = handle(&world.store("billing listens on 8081"));
    let same = handle(&world.store("The billing server listens on 8081 for everybody in here."));
    let other = handle(&world.store("billing listens on 8082"));
    let third = handle(&world.store("billing listens on 8083"));
    assert_eq!(world.read(&one).contradicted_by, [third, other]);
    let against = world.read(&same).contradicted_by;
    assert!(!against.contains(&one), "{against:?}");
}

#[test]
fn nobody_settles_or_contradicts_what_belongs_to_another_project() {
    let mut world = World::new();
    let theirs = handle(&world.store("billing listens on 8081"));
    world.cwd = Project::new(&world.served.home, "search").unwrap().root;
    let own = handle(&world.store("The search index is rebuilt on Sundays."));
    let refused = world
        .settle(&own, &theirs, Settlement::KeepFirst)
        .unwrap_err();
    let why = "which is not seen from here";
    assert!(refused.message().contains(why), "{refused:?}");
    let home = &world.served.home;
    let said = home.refused(&world.cwd, &["relate", &own, "contradicts", &theirs]);
    assert!(said.contains(why), "{said}");
    home.done(&world.cwd, &["relate", &own, "depends_on", &theirs]);
}

#[test]
fn contradicting_writers_end_in_one_consistent_history() {
    const WRITERS: u32 = 20;
    let world = World::new();
    let request = |port: u32| StoreRequest {
        caller: Some(world.caller(Program::Mcp)),
        draft: Some(draft("services", &format!("billing listens on {port}"), "")),
        force: false,
    };
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (home, request) = (&world.served.home, request(8_000 + writer));
            scope.spawn(move || {
                let mut rpc = Rpc::connect(home).unwrap();
                rpc.call(async |rpc| rpc.store(request.clone()).await)
                    .unwrap();
            });
        }
    });
    let mut world = world;
    assert_every_value_is_named(&mut world, WRITERS);
    let status = world.served.rpc.status().unwrap();
    let active = status
        .memories_by_status
        .iter()
        .find(|count| count.name == "active");
    assert_eq!(active.unwrap().count, u64::from(WRITERS));
    world.served = world.served.restarted().unwrap();
    let after = world.served.rpc.status().unwrap();
    assert_eq!(after.sequence, status.sequence);
    assert_eq!(after.memories_by_status, status.memories_by_status);
    assert_every_value_is_named(&mut world, WRITERS);
    is_sound(&mut world);
}

#[test]
fn contradicting_batches_see_each_other() {
    const WRITERS: u32 = 8;
    let mut world = World::new();
    let request = |writer: u32| StoreBatchRequest {
        caller: Some(world.caller(Program::Mcp)),
        drafts: (0..2)
            .map(|entry| {
                let port = 8_000 + writer * 2 + entry;
                draft("services", &format!("billing listens on {port}"), "")
            })
            .collect(),
        force: false,
    };
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (home, request) = (&world.served.home, request(writer));
            scope.spawn(move || {
                let mut rpc = Rpc::connect(home).unwrap();
                rpc.call(async |rpc| rpc.store_batch(request.clone()).await)
                    .unwrap();
            });
        }
    });
    assert_every_value_is_named(&mut world, WRITERS * 2);
    world.served = world.served.restarted().unwrap();
    assert_every_value_is_named(&mut world, WRITERS * 2);
    is_sound(&mut world);
}

/// Every value that stands beside another is an end of an open conflict, so that somebody settles
/// it, and the conflicts lead from each to each.
fn assert_every_value_is_named(world: &mut World, values: u32) {
    let found = world.conflicts();
    assert_eq!(found.total, 1, "the conflicts lead from each to each");
    let [conflict] = found.conflicts.try_into().unwrap();
    let ends = [conflict.newer, conflict.older].into_iter().flatten();
    let named: BTreeSet<String> = ends
        .chain(conflict.others)
        .map(|memory| memory.handle)
        .collect();
    let values = usize::try_from(values).unwrap();
    assert_eq!(named.len(), values);
    // Each value is noted with one of those that were there, and perhaps one that came meanwhile.
    let request = TraverseRequest {
        caller: Some(world.caller(Program::Ctl)),
        memories: named.into_iter().collect(),
        depth: Some(0),
        edges: Some(EdgeFilter {
            relations: vec!["contradicts".to_owned()],
            suggested: true,
            ..EdgeFilter::default()
        }),
        ..TraverseRequest::default()
    };
    let rpc = &mut world.served.rpc;
    let among = rpc.call(async |rpc| rpc.traverse(request.clone()).await);
    let noted = among.unwrap().edges.len();
    assert!((values - 1..2 * values).contains(&noted), "{noted}");
}

/// The history's chain is whole, and the indexes say what the store says.
fn is_sound(world: &mut World) {
    let rpc = &mut world.served.rpc;
    let reply = rpc
        .call(async |rpc| rpc.check(CheckRequest { deep: true }).await)
        .unwrap();
    for name in ["store", "history", "indexes"] {
        let result = reply.results.iter().find(|result| result.name == name);
        assert_eq!(result.unwrap().level(), CheckLevel::Ok, "{result:?}");
    }
}
