//! A random history over the socket: what is searched, read and briefed as of a sequence is what
//! was there then, also after a restart; undo, redo and rollback lead exactly back.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use helix_client::caller;
use helix_client::v1::edit_request::Action;
use helix_client::v1::history_point::Point;
use helix_client::v1::revert_request::What;
use helix_client::v1::{
    BriefRequest, Caller, ChangeTags, DeleteMemories, EditRequest, HistoryPoint, LogRequest,
    MatchMode, Memory, Moment, Program, ReadRequest, RestoreMemory, Retriever, RevertReply,
    RevertRequest, ReviseText, SearchRequest, Target,
};
use helix_tests::dice::Dice;
use helix_tests::rpc::draft;
use helix_tests::{Daemon, Home, Project, Rpc};
use tonic::Status;

/// Changes of one history.
const CHANGES: u64 = 60;

/// Where everything is stored.
const TOPIC: &str = "history";

struct World {
    home: Home,
    daemon: Option<Daemon>,
    rpc: Rpc,
    cwd: PathBuf,
    /// Every memory that was ever stored, by its first handle.
    handles: Vec<String>,
    /// The texts that were there after a sequence.
    moments: Vec<(u64, Vec<String>)>,
}

impl World {
    fn new() -> Self {
        let home = Home::new().unwrap();
        let daemon = Daemon::start(&home).unwrap();
        let rpc = Rpc::connect(&home).unwrap();
        let cwd = Project::new(&home, "billing").unwrap().root;
        Self {
            home,
            daemon: Some(daemon),
            rpc,
            cwd,
            handles: Vec::new(),
            moments: Vec::new(),
        }
    }

    fn restart(&mut self) {
        drop(self.daemon.take());
        self.daemon = Some(Daemon::start(&self.home).unwrap());
        self.rpc = Rpc::connect(&self.home).unwrap();
    }

    #[expect(clippy::unnecessary_wraps, reason = "as requests have it")]
    fn caller(&self) -> Option<Caller> {
        Some(caller(Program::Ctl, &self.cwd, "tests", ""))
    }

    fn newest(&mut self) -> u64 {
        let request = LogRequest {
            caller: self.caller(),
            limit: 1,
            ..LogRequest::default()
        };
        let log = self.rpc.call(async |rpc| rpc.log(request.clone()).await);
        log.unwrap().lines.first().map_or(0, |line| line.sequence)
    }

    fn store(&mut self, text: &str) {
        let draft = draft(TOPIC, text, "");
        let stored = self.rpc.store(Program::Ctl, &self.cwd, draft).unwrap();
        self.handles.push(stored.handle);
    }

    /// Changes a memory; what cannot be changed so stays.
    fn edit(&mut self, action: Action) {
        let request = EditRequest {
            caller: self.caller(),
            action: Some(action),
            expected_sequence: None,
        };
        let edited = self.rpc.call(async |rpc| rpc.edit(request.clone()).await);
        drop(edited);
    }

    fn revert(&mut self, what: What) -> Result<RevertReply, Status> {
        let request = RevertRequest {
            caller: self.caller(),
            what: Some(what),
            preview: false,
            force: false,
        };
        self.rpc.call(async |rpc| rpc.revert(request.clone()).await)
    }

    /// The texts that a search finds at a moment; of no words everything.
    fn texts(&mut self, words: &str, moment: Option<Moment>) -> Vec<String> {
        let request = SearchRequest {
            caller: self.caller(),
            query: format!("{words} topic:{TOPIC}"),
            limit: 100,
            mode: MatchMode::Any.into(),
            retriever: Retriever::Words.into(),
            moment,
            ..SearchRequest::default()
        };
        let found = self.rpc.call(async |rpc| rpc.search(request.clone()).await);
        let hits = found.unwrap().hits.into_iter();
        let mut texts: Vec<String> = hits.map(|hit| hit.memory.unwrap().text).collect();
        texts.sort();
        texts
    }

    fn read(&mut self, handle: &str, moment: Moment) -> Result<Memory, Status> {
        let request = ReadRequest {
            caller: self.caller(),
            reference: handle.to_owned(),
            moment: Some(moment),
            ..ReadRequest::default()
        };
        let read = self.rpc.call(async |rpc| rpc.read(request.clone()).await)?;
        Ok(read.memories.into_iter().next().unwrap())
    }

    fn brief(&mut self, moment: Moment) -> Result<u32, Status> {
        let request = BriefRequest {
            caller: self.caller(),
            query: TOPIC.to_owned(),
            moment: Some(moment),
            ..BriefRequest::default()
        };
        let brief = self.rpc.call(async |rpc| rpc.brief(request.clone()).await);
        brief.map(|brief| brief.memories)
    }

    fn keep(&mut self) {
        let sequence = self.newest();
        let texts = self.texts("", None);
        self.moments.push((sequence, texts));
    }

    fn one(&self, dice: &mut Dice) -> Target {
        let place = usize::try_from(dice.below(self.handles.len() as u64)).unwrap();
        Target {
            reference: self.handles[place].clone(),
            ..Target::default()
        }
    }

    /// Does something at random.
    fn change(&mut self, nth: u64, dice: &mut Dice) {
        if self.handles.is_empty() {
            return self.store(&text("statement", nth));
        }
        match dice.below(10) {
            0..3 => self.store(&text("statement", nth)),
            3..5 => {
                let target = Some(self.one(dice));
                let text = text("revision", nth);
                self.edit(Action::Revise(ReviseText { target, text }));
            }
            5 => {
                let target = Some(self.one(dice));
                self.edit(Action::Delete(DeleteMemories {
                    target,
                    ..DeleteMemories::default()
                }));
            }
            6 => {
                let reference = self.one(dice).reference;
                self.edit(Action::Restore(RestoreMemory {
                    reference,
                    ..RestoreMemory::default()
                }));
            }
            7 => {
                let target = Some(self.one(dice));
                self.edit(Action::Tag(ChangeTags {
                    target,
                    add: vec![format!("tag{nth}")],
                    remove: Vec::new(),
                }));
            }
            8 => self.undo_and_redo(),
            _ => self.roll_back(dice),
        }
    }

    /// Takes the last change back, that back, and the change once more.
    fn undo_and_redo(&mut self) {
        let now = self.texts("", None);
        // Everything may be undone already.
        let Ok(undone) = self.revert(What::Undo(0)) else {
            return;
        };
        let then = self.texts("", None);
        let redone = self.revert(What::Undo(undone.sequence)).unwrap();
        assert_eq!(self.texts("", None), now, "redo of {}", undone.sequence);
        self.revert(What::Undo(redone.sequence)).unwrap();
        assert_eq!(self.texts("", None), then, "undo of {}", redone.sequence);
    }

    fn roll_back(&mut self, dice: &mut Dice) {
        let moments = self.moments.len() as u64;
        let (sequence, texts) = self.moments[usize::try_from(dice.below(moments)).unwrap()].clone();
        let now = self.texts("", None);
        let back = self.revert(What::Rollback(after(sequence))).unwrap();
        assert_eq!(self.texts("", None), texts, "rollback to {sequence}");
        // A rollback is a change like any other.
        if back.sequence > 0 {
            self.revert(What::Rollback(after(back.sequence - 1)))
                .unwrap();
            assert_eq!(self.texts("", None), now, "rollback of a rollback");
        }
    }
}

fn text(what: &str, nth: u64) -> String {
    let word = Dice::new(nth).word();
    format!("{what} {nth} is about {word}")
}

fn after(sequence: u64) -> HistoryPoint {
    HistoryPoint {
        point: Some(Point::Sequence(sequence)),
    }
}

fn as_of(sequence: u64) -> Moment {
    Moment {
        as_of: Some(after(sequence)),
        ..Moment::default()
    }
}

fn having(texts: &[String], word: &str) -> Vec<String> {
    let having = texts.iter().filter(|text| text.contains(word));
    having.cloned().collect()
}

fn check_moments(world: &mut World) {
    for (sequence, texts) in world.moments.clone() {
        let moment = Some(as_of(sequence));
        assert_eq!(world.texts("", moment), texts, "as of {sequence}");
        for word in ["statement", "revision"] {
            let found = world.texts(word, moment);
            assert_eq!(found, having(&texts, word), "{word} as of {sequence}");
        }
        let briefed = world.brief(as_of(sequence)).unwrap_or_default();
        assert_eq!(briefed as usize, texts.len(), "brief as of {sequence}");
        for handle in world.handles.clone() {
            if let Ok(memory) = world.read(&handle, as_of(sequence)) {
                let is_shown = texts.contains(&memory.text);
                assert_eq!(
                    memory.status == "active",
                    is_shown,
                    "{handle} as of {sequence}"
                );
            }
        }
    }
}

#[test]
fn a_random_history_is_seen_as_it_was() {
    for seed in [7, 1_234] {
        let mut dice = Dice::new(seed);
        let mut world = World::new();
        for nth in 0..CHANGES {
            world.change(nth, &mut dice);
            world.keep();
        }
        check_moments(&mut world);
        world.restart();
        check_moments(&mut world);
    }
}
