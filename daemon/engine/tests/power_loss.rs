//! Power cuts at random disk operations: what was acknowledged is there afterwards, and a failed
//! commit ends acknowledging.
//!
//! Each seed lives several lives on one medium. A life opens the strand, commits groups until the
//! planned fault, and hands what it saw to a [`Ledger`], against which the next life's strand is
//! compared record by record.

#![allow(clippy::unwrap_used)]

mod common;
mod faulty;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use common::{at, edit, store};
use faulty::dice::Dice;
use faulty::{Fault, Medium, Operation, Refusal};
use helix_engine::{Outcome, Request, Resolution, Strand, StrandWriter};
use helix_memory::{Edit, Kinds, Memory, Status};

/// Seeds tried with an honest disk.
const SEEDS: u64 = 500;

/// Seeds tried with a disk that lies.
const LYING_SEEDS: u64 = 100;

/// Errors that are injected into single kinds of operations.
const ERRORS: u64 = 300;

/// Disks that hide what they refuse, of which at least one must be found out.
const HIDING_SEEDS: u64 = 40;

/// Operations of one kind in a life, about: reads are of the opening, the rest of the commits.
const KIND_OPERATIONS: u64 = 40;

/// Names the environment variable with the first seed of a run.
const SEED_VARIABLE: &str = "HELIX_TEST_SEED";

/// Seeds tried for each operation of making a store.
const MAKING_SEEDS: u64 = 8;

/// Lives of one medium.
const LIVES: u64 = 3;

/// Commits of a life that meets no fault.
const COMMITS: u64 = 6;

/// Most requests of one commit.
const GROUP_MAX: u64 = 9;

/// Disk operations of opening a strand, about: a fault comes within this many in a life that is to
/// fail early.
const OPEN_OPERATIONS: u64 = 60;

/// Disk operations of a life's commits, about: a fault comes within this many.
const COMMIT_OPERATIONS: u64 = 200;

/// One memory as it must look, as far as requests decide it.
#[derive(Clone, Debug, PartialEq)]
struct Fact {
    text: String,
    status: Status,
    access_count: u64,
}

/// A request and what it will have done to which memory.
#[derive(Clone, Debug)]
struct Planned {
    request: Request,
    number: u32,
    fact: Fact,
}

/// Requests that were acknowledged, and those on their way when the fault came.
#[derive(Debug, Default)]
struct Ledger {
    facts: BTreeMap<u32, Fact>,
    memories: BTreeMap<u32, Memory>,
    sequence: u64,
    in_flight: Vec<Planned>,
    tick: u64,
}

impl Ledger {
    /// Plans a group whose requests do not depend on each other.
    fn plan(&mut self, dice: &mut Dice) -> Vec<Planned> {
        let mut group: Vec<Planned> = Vec::new();
        let mut next = self
            .facts
            .last_key_value()
            .map_or(0, |(number, _)| number + 1);
        for _ in 0..=dice.below(GROUP_MAX) {
            self.tick += 1;
            let when = at(self.tick);
            let chosen = u32::try_from(dice.below(u64::from(next).max(1))).unwrap();
            let is_free = group.iter().all(|planned| planned.number != chosen);
            let old = self
                .facts
                .get(&chosen)
                .filter(|fact| is_free && fact.status == Status::Active)
                .cloned();
            let planned = match (dice.below(4), old) {
                (0, Some(old)) => Planned {
                    request: edit(chosen, Edit::Forget, when),
                    number: chosen,
                    fact: Fact {
                        status: Status::Forgotten,
                        ..old
                    },
                },
                (1, Some(old)) => Planned {
                    request: store("power", &old.text, false, dice.entropy(), when),
                    number: chosen,
                    fact: Fact {
                        access_count: old.access_count + 1,
                        ..old
                    },
                },
                _ => {
                    let text = new_text(self.tick, dice);
                    let request = store("power", &text, false, dice.entropy(), when);
                    next += 1;
                    Planned {
                        request,
                        number: next - 1,
                        fact: Fact {
                            text,
                            status: Status::Active,
                            access_count: 0,
                        },
                    }
                }
            };
            group.push(planned);
        }
        group
    }

    /// Takes an acknowledgement.
    fn acknowledge(&mut self, outcomes: Vec<Outcome>, sequence: u64) -> Result<(), String> {
        let group = std::mem::take(&mut self.in_flight);
        for (planned, outcome) in group.into_iter().zip(outcomes) {
            let memory = match outcome {
                Outcome::Stored(memory) | Outcome::Reinforced(memory) => *memory,
                Outcome::Edited(mut edited) => {
                    edited.memories.pop().ok_or("an edit shows no memory")?
                }
                Outcome::Done => return Err("a request was done without a memory".to_owned()),
            };
            if fact_of(&memory) != planned.fact || memory.number.0 != planned.number {
                return Err(format!(
                    "{} came out as {memory:?}, not as {planned:?}",
                    memory.handle
                ));
            }
            self.facts.insert(planned.number, planned.fact);
            self.memories.insert(planned.number, memory);
        }
        self.sequence = sequence;
        Ok(())
    }

    /// Compares a reopened strand: all that was acknowledged, and of what was on its way all or
    /// nothing.
    fn settle(&mut self, strand: &Strand, sequence: u64) -> Result<(), String> {
        let in_flight = std::mem::take(&mut self.in_flight);
        let arrived = if sequence == self.sequence {
            Vec::new()
        } else if sequence == self.sequence + in_flight.len() as u64 {
            in_flight
        } else {
            let sent = in_flight.len();
            return Err(format!(
                "sequence {sequence} after {} with {sent} on their way",
                self.sequence
            ));
        };
        for planned in arrived {
            self.facts.insert(planned.number, planned.fact);
            self.memories.remove(&planned.number);
        }
        self.sequence = sequence;
        let found = read_all(strand)?;
        let facts: BTreeMap<u32, Fact> = found
            .iter()
            .map(|(number, memory)| (*number, fact_of(memory)))
            .collect();
        if facts != self.facts {
            return Err(format!("found {facts:?}\nexpected {:?}", self.facts));
        }
        if let Some((_, altered)) = self
            .memories
            .iter()
            .find(|(number, memory)| found.get(number) != Some(memory))
        {
            return Err(format!("{} was altered", altered.handle));
        }
        self.memories = found;
        self.check_names(strand)
    }

    fn check_names(&self, strand: &Strand) -> Result<(), String> {
        for memory in self.memories.values() {
            for name in [memory.handle.as_str().to_owned(), memory.id.to_string()] {
                let resolved = strand
                    .resolve(&name, &[])
                    .map_err(|error| error.to_string())?;
                if resolved != Resolution::One(memory.number) {
                    return Err(format!("{name} means {resolved:?}"));
                }
            }
        }
        let broken = strand
            .snapshot()
            .and_then(|snapshot| snapshot.verify_history());
        let last = broken
            .map_err(|error| error.to_string())?
            .map_err(|error| error.to_string())?;
        let disagreements = strand.verify_indexes().map_err(|error| error.to_string())?;
        if last.0 == self.sequence && disagreements.is_empty() {
            Ok(())
        } else {
            Err(format!(
                "history ends at {last}, not {}; {disagreements:?}",
                self.sequence
            ))
        }
    }
}

fn fact_of(memory: &Memory) -> Fact {
    Fact {
        text: memory.text.clone(),
        status: memory.status,
        access_count: memory.access_count,
    }
}

/// A text of one to many pages.
fn new_text(tick: u64, dice: &mut Dice) -> String {
    let longest = if dice.one_in(24) { 900 } else { 30 };
    let words: Vec<String> = (0..=dice.below(longest)).map(|_| dice.word()).collect();
    format!("number {tick} {}", words.join(" "))
}

fn read_all(strand: &Strand) -> Result<BTreeMap<u32, Memory>, String> {
    let mut found = BTreeMap::new();
    let read = strand.snapshot().and_then(|snapshot| {
        snapshot.for_each_memory(|memory| {
            found.insert(memory.number.0, memory);
            Ok(())
        })
    });
    read.map(|()| found).map_err(|error| error.to_string())
}

fn open(medium: &Medium) -> Result<(Arc<Strand>, StrandWriter, u64), String> {
    let (strand, writer, report) =
        Strand::open(medium, None, Kinds::default()).map_err(|error| error.to_string())?;
    Ok((strand, writer, report.sequence.0))
}

/// Commits groups until the fault. Returns whether it came.
fn live(
    ledger: &mut Ledger,
    writer: &mut StrandWriter,
    medium: &Medium,
    dice: &mut Dice,
) -> Result<bool, String> {
    for _ in 0..COMMITS {
        ledger.in_flight = ledger.plan(dice);
        let requests: Vec<Request> = ledger
            .in_flight
            .iter()
            .map(|planned| planned.request.clone())
            .collect();
        let had_failed = medium.has_failed();
        match writer.commit(requests) {
            Ok(_) if had_failed => {
                return Err("a commit was acknowledged after an operation had failed".to_owned());
            }
            Ok(outcomes) => {
                let outcomes: Result<Vec<Outcome>, _> = outcomes.into_iter().collect();
                ledger.acknowledge(
                    outcomes.map_err(|error| error.to_string())?,
                    writer.sequence().0,
                )?;
            }
            Err(_) => return refuses_for_good(ledger, writer, dice).map(|()| true),
        }
    }
    Ok(false)
}

/// After a failed commit the disk may be well again; the writer must not be.
fn refuses_for_good(
    ledger: &mut Ledger,
    writer: &mut StrandWriter,
    dice: &mut Dice,
) -> Result<(), String> {
    for _ in 0..3 {
        ledger.tick += 1;
        let request = store(
            "power",
            &new_text(ledger.tick, dice),
            true,
            dice.entropy(),
            at(ledger.tick),
        );
        if writer.commit(vec![request]).is_ok() {
            return Err("a commit was acknowledged after one had failed".to_owned());
        }
    }
    Ok(())
}

/// All lives of one medium that refuses operations of one kind. Returns how many operations it
/// refused.
fn run_refused(seed: u64, is_hidden: bool) -> Result<u64, String> {
    let mut dice = Dice::new(seed);
    let medium = Medium::new(seed);
    let mut ledger = Ledger::default();
    let mut errors = 0;
    for _ in 0..LIVES {
        let operation = Operation::ALL[usize::try_from(dice.below(4)).unwrap()];
        let refusal = Refusal {
            operation,
            after: dice.below(KIND_OPERATIONS),
            lasts: dice.one_in(2),
            is_hidden,
        };
        let is_early = operation == Operation::Read || dice.one_in(4);
        if is_early {
            medium.refuse(refusal);
        }
        match open(&medium) {
            // Nothing was promised in this life.
            _ if medium.has_failed() && !is_hidden => errors += 1,
            Err(detail) => return Err(format!("it does not open: {detail}")),
            Ok((strand, mut writer, sequence)) => {
                ledger.settle(&strand, sequence)?;
                if !is_early {
                    medium.refuse(refusal);
                }
                live(&mut ledger, &mut writer, &medium, &mut dice)?;
                errors += u64::from(medium.has_failed());
            }
        }
        if dice.one_in(2) {
            medium.restart();
        } else {
            medium.power_cycle();
        }
    }
    let (strand, _writer, sequence) =
        open(&medium).map_err(|detail| format!("it does not open: {detail}"))?;
    ledger.settle(&strand, sequence)?;
    Ok(errors)
}

/// All lives of one medium. Returns how many met their fault.
fn run(seed: u64, medium: &Medium) -> Result<u64, String> {
    let mut dice = Dice::new(seed);
    let mut ledger = Ledger::default();
    let mut faults = 0;
    for _ in 0..LIVES {
        let fault = if dice.one_in(4) {
            Fault::Hiccup
        } else {
            Fault::Cut
        };
        if dice.one_in(4) {
            medium.plan(dice.below(OPEN_OPERATIONS), fault);
        }
        let opened = open(medium);
        match (opened, medium.unplan()) {
            // Nothing was promised in this life.
            (_, true) => faults += 1,
            (Err(detail), false) => return Err(format!("it does not open: {detail}")),
            (Ok((strand, mut writer, sequence)), false) => {
                ledger.settle(&strand, sequence)?;
                medium.plan(dice.below(COMMIT_OPERATIONS), fault);
                faults += u64::from(live(&mut ledger, &mut writer, medium, &mut dice)?);
            }
        }
        medium.power_cycle();
    }
    let (strand, _writer, sequence) =
        open(medium).map_err(|detail| format!("it does not open: {detail}"))?;
    ledger.settle(&strand, sequence)?;
    Ok(faults)
}

#[test]
fn power_cuts_lose_nothing_acknowledged() -> Result<(), String> {
    let mut faults = 0;
    for seed in 0..SEEDS {
        faults +=
            run(seed, &Medium::new(seed)).map_err(|detail| format!("seed {seed}: {detail}"))?;
    }
    // Otherwise the plans come too late to say anything.
    assert!(faults > SEEDS, "only {faults} faults happened");
    Ok(())
}

/// Reads, writes, syncs and changes of the length that the disk refuses, once or from then on:
/// nothing more is acknowledged, and what was is there once after the next start.
#[test]
fn refused_operations_lose_nothing_acknowledged() -> Result<(), String> {
    let first: u64 = std::env::var(SEED_VARIABLE)
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(0);
    let (mut errors, mut seed) = (0, first);
    while errors < ERRORS {
        errors += run_refused(seed, false)
            .map_err(|detail| format!("{detail} (repeat with {SEED_VARIABLE}={seed})"))?;
        seed += 1;
        assert!(
            seed - first < ERRORS * 4,
            "only {errors} errors in {} seeds",
            seed - first
        );
    }
    writeln!(
        std::io::stderr(),
        "{errors} injected errors, seeds {first} to {}",
        seed - 1
    )
    .map_err(|error| error.to_string())
}

/// The kinds of operations that only writing needs.
const WRITING: [Operation; 3] = [Operation::Write, Operation::Sync, Operation::SetLength];

/// A disk that refuses a kind of operations for good, after so many of it.
fn refusing(operation: Operation, after: u64) -> Refusal {
    Refusal {
        operation,
        after,
        lasts: true,
        is_hidden: false,
    }
}

#[test]
fn the_error_of_a_failed_commit_says_that_it_was_one() {
    for operation in WRITING {
        let medium = Medium::new(0);
        let (_strand, mut writer, _) = open(&medium).unwrap();
        medium.refuse(refusing(operation, 0));
        let mut dice = Dice::new(0);
        let mut tick = 0;
        let mut commit = || {
            tick += 1;
            // So long that the file has to grow sooner or later.
            let text = format!("number {tick} {}", "long ".repeat(9_000));
            let request = store("power", &text, true, dice.entropy(), at(tick));
            writer.commit(vec![request])
        };
        let said = (0..KIND_OPERATIONS).find_map(|_| commit().err());
        let said = said.expect("the disk refuses it").to_string();
        assert!(
            said.starts_with("committing to store.redb: ") && said.contains("the planned refusal"),
            "{operation:?}: {said}"
        );
        // The disk is not even asked again.
        let said = commit().unwrap_err().to_string();
        assert!(
            said.starts_with("committing to store.redb: "),
            "{operation:?}: {said}"
        );
    }
}

#[test]
fn a_start_whose_first_writes_fail_does_not_speak_of_reading() {
    for operation in WRITING {
        let said: Vec<String> = (0..OPEN_OPERATIONS)
            .map_while(|after| {
                let medium = Medium::new(0);
                medium.refuse(refusing(operation, after));
                open(&medium).err()
            })
            .collect();
        assert!(!said.is_empty(), "{operation:?}");
        for said in said {
            assert!(
                said.starts_with("opening store.redb: ")
                    || said.starts_with("committing to store.redb: "),
                "{operation:?}: {said}"
            );
        }
    }
}

#[test]
fn a_disk_that_hides_what_it_refuses_is_caught() {
    let is_caught = |&seed: &u64| {
        !matches!(
            catch_unwind(AssertUnwindSafe(|| run_refused(seed, true))),
            Ok(Ok(_))
        )
    };
    let caught = (0..HIDING_SEEDS).filter(is_caught).count();
    assert!(caught > 0, "{HIDING_SEEDS} such disks went unnoticed");
}

#[test]
fn a_disk_that_lies_about_syncing_is_caught() {
    let is_caught = |&seed: &u64| {
        let medium = Medium::new(seed);
        medium.lie_about_one_sync_in(2);
        // redb panics over some of the damage that a lie leaves, which is being caught as well.
        !matches!(
            catch_unwind(AssertUnwindSafe(|| run(seed, &medium))),
            Ok(Ok(_))
        )
    };
    let caught = (0..LYING_SEEDS).filter(is_caught).count();
    assert!(caught > 0, "{LYING_SEEDS} lying disks went unnoticed");
}

#[test]
fn a_store_whose_making_was_cut_short_is_made_again() -> Result<(), String> {
    for after in 0..OPEN_OPERATIONS {
        for seed in 0..MAKING_SEEDS {
            let medium = Medium::new(seed);
            medium.plan(after, Fault::Cut);
            drop(open(&medium));
            medium.power_cycle();
            open(&medium)
                .map_err(|detail| format!("cut after {after} operations, seed {seed}: {detail}"))?;
        }
    }
    Ok(())
}
