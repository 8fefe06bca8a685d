//! Random histories of memories and edges over the socket, with kills between: undoing a request
//! leads exactly back to what was there before it, a rollback to what was there then, and the edges
//! of a memory leave and come back with it.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use helix_client::caller;
use helix_client::v1::edit_request::Action;
use helix_client::v1::history_point::Point;
use helix_client::v1::revert_request::What;
use helix_client::v1::{
    Caller, ChangeTags, CheckLevel, CheckRequest, DeleteMemories, EdgeFilter, EditRequest, Filter,
    HistoryPoint, LogRequest, Program, RelateRequest, RestoreMemory, Retriever, RevertReply,
    RevertRequest, ReviseText, SearchRequest, SettleRequest, Settlement, SplitMemory, Target,
    TraverseRequest, UnrelateRequest,
};
use helix_tests::dice::Dice;
use helix_tests::rpc::draft;
use helix_tests::{Project, Served};
use tonic::Status;

/// Changes of one history.
const CHANGES: u64 = 50;

const TOPIC: &str = "history";

/// The relation that is made at random; the daemon suggests others by itself.
const RELATION: &str = "depends_on";

/// The relation that the daemon may suggest at any time.
const SUGGESTED: &str = "relates_to";

/// Everything that a reader sees: what each memory says, and what is related to what.
#[derive(Clone, Debug, Default, PartialEq)]
struct State {
    memories: BTreeMap<String, (String, Vec<String>, String, String)>,
    edges: BTreeSet<(String, String, String)>,
}

impl State {
    fn has(&self, handle: &str, status: &str) -> bool {
        let known = self.memories.get(handle);
        known.is_some_and(|(_, _, found, _)| found == status)
    }
}

struct World {
    /// `None` only while it is restarted.
    served: Option<Served>,
    cwd: PathBuf,
    /// Every memory that was ever stored.
    handles: Vec<String>,
    /// The state after each sequence.
    moments: Vec<(u64, State)>,
    /// Requests whose undo led exactly back.
    undone: usize,
}

impl World {
    fn new() -> Self {
        let served = Served::new().unwrap();
        let cwd = Project::new(&served.home, "billing").unwrap().root;
        Self {
            served: Some(served),
            cwd,
            handles: Vec::new(),
            moments: Vec::new(),
            undone: 0,
        }
    }

    fn served(&mut self) -> &mut Served {
        self.served.as_mut().unwrap()
    }

    fn restart(&mut self) {
        let killed = self.served.take().unwrap();
        self.served = Some(killed.restarted().unwrap());
    }

    #[expect(clippy::unnecessary_wraps, reason = "as requests have it")]
    fn caller(&self) -> Option<Caller> {
        Some(caller(Program::Ctl, &self.cwd, "tests", ""))
    }

    fn state(&mut self) -> State {
        let mut state = State::default();
        let request = SearchRequest {
            caller: self.caller(),
            query: format!("topic:{TOPIC}"),
            limit: 100,
            retriever: Retriever::Words.into(),
            filter: Some(Filter {
                statuses: vec!["active".to_owned(), "superseded".to_owned()],
                ..Filter::default()
            }),
            passive: true,
            ..SearchRequest::default()
        };
        let rpc = &mut self.served().rpc;
        let found = rpc.call(async |rpc| rpc.search(request.clone()).await);
        for hit in found.unwrap().hits {
            let memory = hit.memory.unwrap();
            let says = (
                memory.text,
                memory.tags,
                memory.status,
                memory.superseded_by,
            );
            state.memories.insert(memory.handle, says);
        }
        let request = TraverseRequest {
            caller: self.caller(),
            depth: Some(1),
            edges: Some(EdgeFilter::default()),
            ..TraverseRequest::default()
        };
        let rpc = &mut self.served().rpc;
        let walked = rpc.call(async |rpc| rpc.traverse(request.clone()).await);
        for edge in walked.unwrap().edges {
            if edge.relation != SUGGESTED {
                state.edges.insert((edge.from, edge.relation, edge.to));
            }
        }
        state
    }

    fn newest(&mut self) -> u64 {
        let request = LogRequest {
            caller: self.caller(),
            limit: 1,
            ..LogRequest::default()
        };
        let rpc = &mut self.served().rpc;
        let log = rpc.call(async |rpc| rpc.log(request.clone()).await);
        log.unwrap().lines.first().map_or(0, |line| line.sequence)
    }

    /// The newest operation of an undo. The answer names none where only edges changed.
    fn newest_undo(&mut self) -> u64 {
        let request = LogRequest {
            caller: self.caller(),
            limit: 50,
            ..LogRequest::default()
        };
        let rpc = &mut self.served().rpc;
        let log = rpc.call(async |rpc| rpc.log(request.clone()).await);
        let lines = log.unwrap().lines;
        let mut undos = lines
            .iter()
            .filter(|line| line.reason.starts_with("undoes "));
        undos.next().unwrap().sequence
    }

    fn store(&mut self, nth: u64) {
        let draft = draft(TOPIC, &text("statement", nth), "");
        let cwd = self.cwd.clone();
        let stored = self.served().rpc.store(Program::Ctl, &cwd, draft).unwrap();
        self.handles.push(stored.handle);
    }

    fn edit(&mut self, action: Action) -> Result<(), Status> {
        let request = EditRequest {
            caller: self.caller(),
            action: Some(action),
            expected_sequence: None,
        };
        let rpc = &mut self.served().rpc;
        let reply = rpc.call(async |rpc| rpc.edit(request.clone()).await)?;
        let known = self.handles.clone();
        let new = reply.memories.into_iter().map(|memory| memory.handle);
        self.handles
            .extend(new.filter(|handle| !known.contains(handle)));
        Ok(())
    }

    fn delete(&mut self, target: Target) -> Result<(), Status> {
        self.edit(Action::Delete(DeleteMemories {
            target: Some(target),
            ..DeleteMemories::default()
        }))
    }

    fn restore(&mut self, reference: String) -> Result<(), Status> {
        self.edit(Action::Restore(RestoreMemory {
            reference,
            ..RestoreMemory::default()
        }))
    }

    fn relate(&mut self, from: String, to: String) -> Result<(), Status> {
        let request = RelateRequest {
            caller: self.caller(),
            from,
            relation: RELATION.to_owned(),
            to,
            ..RelateRequest::default()
        };
        let rpc = &mut self.served().rpc;
        rpc.call(async |rpc| rpc.relate(request.clone()).await)
            .map(drop)
    }

    fn unrelate(&mut self, from: String, to: String) -> Result<(), Status> {
        let request = UnrelateRequest {
            caller: self.caller(),
            from,
            relation: RELATION.to_owned(),
            to,
        };
        let rpc = &mut self.served().rpc;
        rpc.call(async |rpc| rpc.unrelate(request.clone()).await)
            .map(drop)
    }

    fn settle(&mut self, first: String, second: String) -> Result<(), Status> {
        let request = SettleRequest {
            caller: self.caller(),
            first,
            second,
            settlement: Settlement::KeepFirst.into(),
        };
        let rpc = &mut self.served().rpc;
        rpc.call(async |rpc| rpc.settle(request.clone()).await)
            .map(drop)
    }

    fn revert(&mut self, what: What) -> Result<RevertReply, Status> {
        let request = RevertRequest {
            caller: self.caller(),
            what: Some(what),
            preview: false,
            force: false,
        };
        let rpc = &mut self.served().rpc;
        rpc.call(async |rpc| rpc.revert(request.clone()).await)
    }

    fn one(&self, dice: &mut Dice) -> String {
        let place = usize::try_from(dice.below(self.handles.len() as u64)).unwrap();
        self.handles[place].clone()
    }

    /// Asks for something at random; what cannot be done leaves everything as it is.
    fn ask(&mut self, nth: u64, dice: &mut Dice) -> Result<(), Status> {
        if self.handles.len() < 3 {
            self.store(nth);
            return Ok(());
        }
        let (one, other) = (self.one(dice), self.one(dice));
        let target = Target {
            reference: one.clone(),
            ..Target::default()
        };
        match dice.below(12) {
            0..3 => {
                self.store(nth);
                Ok(())
            }
            3 => self.edit(Action::Revise(ReviseText {
                target: Some(target),
                text: text("revision", nth),
            })),
            4 => self.edit(Action::Tag(ChangeTags {
                target: Some(target),
                add: vec![format!("tag{nth}")],
                remove: Vec::new(),
            })),
            5 => self.delete(target),
            6 => self.restore(one),
            7..9 => self.relate(one, other),
            9 => self.unrelate(one, other),
            10 => self.edit(Action::Split(SplitMemory {
                target: Some(target),
                into: vec![text("half", nth), text("rest", nth + 1_000)],
                preview: false,
            })),
            _ => self.settle(one, other),
        }
    }

    /// Asks for something; if it changed anything, takes it back and does it again.
    fn change(&mut self, nth: u64, dice: &mut Dice) {
        let before = self.state();
        let refused = self.ask(nth, dice).is_err();
        let after = self.state();
        assert!(
            !refused || before == after,
            "a refused request changed something"
        );
        if before == after || dice.below(2) == 0 {
            return;
        }
        self.revert(What::Undo(0)).unwrap();
        assert_eq!(self.state(), before, "undo of change {nth}");
        if dice.below(4) == 0 {
            self.restart();
            assert_eq!(self.state(), before, "undo of change {nth}, after a kill");
        }
        let undo = self.newest_undo();
        self.revert(What::Undo(undo)).unwrap();
        assert_eq!(self.state(), after, "redo of change {nth}");
        self.undone += 1;
    }

    fn roll_back(&mut self, dice: &mut Dice) {
        let moments = self.moments.len() as u64;
        let place = usize::try_from(dice.below(moments)).unwrap();
        let (sequence, then) = self.moments[place].clone();
        let now = self.state();
        let back = self.revert(What::Rollback(after(sequence))).unwrap();
        assert_eq!(self.state(), then, "rollback to {sequence}");
        if back.sequence > 0 && dice.below(2) == 0 {
            let before = after(back.sequence - 1);
            self.revert(What::Rollback(before)).unwrap();
            assert_eq!(self.state(), now, "rollback of a rollback");
        }
    }

    /// Edges lead only to what is seen, leave with a memory that is forgotten, and come back.
    fn edges_follow(&mut self, dice: &mut Dice) {
        let before = self.state();
        let one = self.one(dice);
        if !before.has(&one, "active") {
            return;
        }
        let target = Target {
            reference: one.clone(),
            ..Target::default()
        };
        self.delete(target).unwrap();
        let without = self.state();
        let is_of_it = |(from, _, to): &&(String, String, String)| *from == one || *to == one;
        let left: BTreeSet<_> = before.edges.iter().filter(|edge| !is_of_it(edge)).collect();
        assert_eq!(without.edges.iter().collect::<BTreeSet<_>>(), left);
        self.restore(one).unwrap();
        assert_eq!(self.state(), before);
    }

    fn is_sound(&mut self) {
        let rpc = &mut self.served().rpc;
        let reply = rpc
            .call(async |rpc| rpc.check(CheckRequest { deep: true }).await)
            .unwrap();
        for name in ["store", "history", "indexes"] {
            let result = reply.results.iter().find(|result| result.name == name);
            assert_eq!(result.unwrap().level(), CheckLevel::Ok, "{result:?}");
        }
    }
}

/// A text that resembles no other.
fn text(what: &str, nth: u64) -> String {
    let mut dice = Dice::new(nth);
    let words: Vec<String> = (0..5).map(|_| dice.word()).collect();
    format!("{what} {nth} {}", words.join(" "))
}

fn after(sequence: u64) -> HistoryPoint {
    HistoryPoint {
        point: Some(Point::Sequence(sequence)),
    }
}

#[test]
fn undo_and_rollback_lead_exactly_back_with_all_edges() {
    for seed in [3, 41, 2_026] {
        let mut dice = Dice::new(seed);
        let mut world = World::new();
        for nth in 0..CHANGES {
            world.change(nth, &mut dice);
            let (sequence, state) = (world.newest(), world.state());
            world.moments.push((sequence, state));
            match dice.below(10) {
                0 => world.roll_back(&mut dice),
                1 => world.edges_follow(&mut dice),
                2 => world.restart(),
                _ => {}
            }
        }
        assert!(
            world.undone > 5,
            "only {} requests were undone",
            world.undone
        );
        world.is_sound();
    }
}
