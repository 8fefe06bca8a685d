//! Damage at rest: whatever changes in a closed strand's files, a start serves what was stored or
//! leaves it out and says so, or refuses; it never serves anything else, panics or hangs.
//!
//! `HELIX_CORRUPTIONS=500` tries so many damaged stores, and two fifths as many damaged indexes and
//! vectors; `HELIX_TEST_SEED` chooses another row of them.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;
mod derived;
#[path = "../faulty/dice.rs"]
mod dice;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use common::{at, edit, store};
use dice::Dice;
use helix_engine::{
    DirectoryStorage, LexicalQuery, OpenError, Outcome, Request, Resolution, SpaceRole, States,
    Store, StoreError, Strand, StrandWriter, WordsMode as Mode, WordsRestriction as Restriction,
};
use helix_memory::{Edit, Kinds, Memory, MemoryNumber, Scope, Status, Topic};
use helix_redact::{Secrets, State};

/// Damaged stores that are tried unless the environment says otherwise.
const TRIALS: u64 = 40;

/// Damaged indexes for so many damaged stores: two for five.
const DERIVED_SHARE: (u64, u64) = (2, 5);

/// Memories of the strand.
const MEMORIES: u64 = 300;

/// How long a trial may take; one that takes longer hangs.
const TRIAL_DEADLINE: Duration = Duration::from_mins(1);

/// Dimensions of the vectors.
const DIMENSIONS: usize = 8;

/// Bytes of a page of the store.
const PAGE_BYTES: usize = 4096;

fn trials() -> u64 {
    std::env::var("HELIX_CORRUPTIONS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(TRIALS)
}

fn first_seed() -> u64 {
    std::env::var("HELIX_TEST_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(0)
}

/// Memories as they were read before the damage.
struct Truth {
    directory: tempfile::TempDir,
    memories: BTreeMap<u32, Memory>,
    /// Every text that a memory ever had.
    texts: BTreeSet<(u32, String)>,
    task: String,
}

type Opened = (Arc<Strand>, StrandWriter);

fn open(directory: &Path) -> Result<Opened, OpenError> {
    let storage = DirectoryStorage::new(directory.to_owned());
    let words = directory.join("index").join("lexical");
    let (strand, writer, _) = Strand::open(&storage, Some(&words), Kinds::default())?;
    strand
        .open_space(&storage, SpaceRole::Answering, "model", DIMENSIONS)
        .map_err(|error| StoreError::Open(std::io::Error::other(error)))?;
    Ok((strand, writer))
}

fn vector(number: u32) -> Vec<f32> {
    let mut vector = vec![0.1; DIMENSIONS];
    vector[number as usize % DIMENSIONS] = 1.0;
    vector
}

fn give_vectors(strand: &Strand) {
    let pending = strand.pending_vectors(SpaceRole::Answering, 1_000).unwrap();
    let vectors: Vec<_> = pending
        .iter()
        .map(|one| (one.number, one.text_hash, vector(one.number.0).into()))
        .collect();
    strand.put_vectors(SpaceRole::Answering, &vectors).unwrap();
}

impl Truth {
    /// Makes a strand with memories that were changed, moved, forgotten and recalled.
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut dice = Dice::new(7);
        let (strand, mut writer) = open(directory.path()).unwrap();
        let mut tick = 0;
        for part in 0..MEMORIES / 20 {
            let group = (0..20).map(|place| {
                tick += 1;
                let words: Vec<String> = (0..dice.below(30) + 5).map(|_| dice.word()).collect();
                let text = format!("{} {}", mark(part * 20 + place), words.join(" "));
                store(
                    &format!("topic-{}", tick % 9),
                    &text,
                    false,
                    dice.entropy(),
                    at(tick),
                )
            });
            let group = group.collect();
            assert!(writer.commit(group).unwrap().iter().all(Result::is_ok));
        }
        for _ in 0..120 {
            tick += 1;
            let number = u32::try_from(dice.below(MEMORIES)).unwrap();
            let change = match dice.below(4) {
                0 => Edit::Append { text: dice.word() },
                1 => Edit::Revise {
                    text: format!(
                        "{} {} {}",
                        mark(u64::from(number)),
                        dice.word(),
                        dice.word()
                    ),
                    seen: None,
                },
                2 => Edit::Move {
                    topic: Topic::kept("moved", &mut Secrets::default()).unwrap(),
                },
                _ => Edit::Forget,
            };
            drop(writer.commit(vec![edit(number, change, at(tick))]).unwrap());
        }
        let touched: Vec<MemoryNumber> = (0..50).map(MemoryNumber).collect();
        strand.catalog_touch(&touched, at(tick + 1));
        let task = "find out why the build is slow".to_owned();
        let checkpoint = helix_memory::Checkpoint {
            task: task.clone(),
            saved_at: at(tick),
            ..Default::default()
        };
        let session = Request::States(
            States::Sessions,
            vec![("s".to_owned(), State::of_numbers([5; 300]))],
        );
        let save = Request::Checkpoint {
            scope: Scope::Global,
            checkpoint: Some(Box::new(checkpoint)),
        };
        assert!(
            writer
                .commit(vec![Request::Accesses, session, save])
                .unwrap()
                .iter()
                .all(Result::is_ok)
        );
        strand.lexical().flush().unwrap();
        give_vectors(&strand);
        let memories = read_all(&strand);
        let mut texts = BTreeSet::new();
        let snapshot = strand.snapshot().unwrap();
        for operation in snapshot.operations_backwards().unwrap() {
            let operation = operation.unwrap();
            texts.insert((
                operation.number.0,
                operation.memory().unwrap().unwrap().text,
            ));
        }
        Self {
            directory,
            memories,
            texts,
            task,
        }
    }

    /// A copy of the strand's files.
    fn copied(&self) -> tempfile::TempDir {
        let copy = tempfile::tempdir().unwrap();
        copy_all(self.directory.path(), copy.path());
        copy
    }

    /// Compares all that a strand serves with what was stored. Returns the numbers of what is left
    /// out.
    fn judge(&self, strand: &Strand) -> Result<BTreeSet<u32>, String> {
        let found = read_all(strand);
        for (number, memory) in &found {
            let stored = self
                .memories
                .get(number)
                .ok_or_else(|| format!("number {number} was never stored"))?;
            if !is_same(memory, stored) {
                return Err(format!(
                    "number {number} is served as {memory:?}, stored was {stored:?}"
                ));
            }
            for name in [memory.handle.as_str().to_owned(), memory.id.to_string()] {
                let resolved = strand
                    .resolve(&name, &[Scope::Global])
                    .map_err(|error| error.to_string())?;
                if resolved != Resolution::One(MemoryNumber(*number)) {
                    return Err(format!(
                        "{name} leads to {resolved:?} instead of number {number}"
                    ));
                }
            }
            Self::judge_search(strand, *number, memory)?;
        }
        let snapshot = strand.snapshot().map_err(|error| error.to_string())?;
        for operation in snapshot
            .operations_backwards()
            .map_err(|error| error.to_string())?
        {
            let operation = operation.map_err(|error| error.to_string())?;
            let Ok(Some(memory)) = operation.memory() else {
                return Err(format!("{} has no memory", operation.sequence));
            };
            if !self.texts.contains(&(operation.number.0, memory.text)) {
                return Err(format!(
                    "the history has another text at {}",
                    operation.sequence
                ));
            }
        }
        let checkpoint = snapshot
            .checkpoint(&Scope::Global)
            .map_err(|error| error.to_string())?;
        if checkpoint.is_some_and(|checkpoint| checkpoint.task != self.task) {
            return Err("the checkpoint is another one".to_owned());
        }
        if snapshot
            .states(States::Sessions)
            .map_err(|error| error.to_string())?
            .iter()
            .any(|(_, state)| *state != [5; 300])
        {
            return Err("the session is another one".to_owned());
        }
        Ok(self
            .memories
            .keys()
            .filter(|number| !found.contains_key(number))
            .copied()
            .collect())
    }

    fn judge_search(strand: &Strand, number: u32, memory: &Memory) -> Result<(), String> {
        let query = LexicalQuery::parse(&mark(u64::from(number)), Mode::All);
        let hits = strand
            .lexical()
            .search(&query, 9, &Restriction::default(), |_| true);
        let hits: Vec<u32> = hits
            .map_err(|error| error.to_string())?
            .into_iter()
            .map(|hit| hit.number)
            .collect();
        let expected = if memory.status == Status::Active {
            vec![number]
        } else {
            Vec::new()
        };
        if hits == expected {
            Ok(())
        } else {
            Err(format!("a search for number {number} finds {hits:?}"))
        }
    }
}

/// Returns whether a memory is the one that was stored; its access statistics may be unknown.
fn is_same(served: &Memory, stored: &Memory) -> bool {
    let mut unknown = stored.clone();
    unknown.access_count = 0;
    unknown.last_seen_at = stored.recorded_at;
    served == stored || *served == unknown
}

fn read_all(strand: &Strand) -> BTreeMap<u32, Memory> {
    let mut found = BTreeMap::new();
    let read = strand.snapshot().unwrap().for_each_memory(|memory| {
        found.insert(memory.number.0, memory);
        Ok::<_, StoreError>(())
    });
    read.unwrap();
    found
}

fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&place).unwrap();
            copy_all(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).unwrap();
        }
    }
}

/// The result of a trial.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    whole: u64,
    with_losses: u64,
    refused: u64,
    lost: u64,
}

/// Runs a trial apart, so that one that panics or hangs is told from the others.
fn run(trial: impl FnOnce() -> Result<Tally, String> + Send + 'static) -> Result<Tally, String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let outcome =
            catch_unwind(AssertUnwindSafe(trial)).unwrap_or_else(|_| Err("it panicked".to_owned()));
        sender.send(outcome).ok();
    });
    receiver
        .recv_timeout(TRIAL_DEADLINE)
        .unwrap_or_else(|_| Err("it hangs".to_owned()))
}

/// Changes something in a file's bytes.
fn damage(bytes: &mut [u8], dice: &mut Dice) -> String {
    let length = bytes.len() as u64;
    let place = usize::try_from(dice.below(length)).unwrap();
    let page = place / PAGE_BYTES * PAGE_BYTES;
    let end = (page + PAGE_BYTES).min(bytes.len());
    match dice.below(7) {
        0 | 1 => {
            bytes[place] ^= 1 << dice.below(8);
            format!("a bit at {place}")
        }
        2 => {
            bytes[place] = bytes[place].wrapping_add(1 + u8::try_from(dice.below(255)).unwrap());
            format!("a byte at {place}")
        }
        3 => {
            let end = (place + 16).min(bytes.len());
            bytes[place..end].fill_with(|| dice.next().to_le_bytes()[0]);
            format!("16 bytes at {place}")
        }
        4 => {
            bytes[page..end].fill_with(|| dice.next().to_le_bytes()[0]);
            format!("the page at {page}")
        }
        5 => {
            bytes[page..end].fill(0);
            format!("zeros at {page}")
        }
        _ => {
            let other = usize::try_from(dice.below(length)).unwrap() / PAGE_BYTES * PAGE_BYTES;
            let size = (end - page).min(bytes.len() - other);
            bytes.copy_within(other..other + size, page);
            format!("the page from {other} at {page}")
        }
    }
}

/// Damages bytes that something was ever written to: most of the file is room for more.
fn damage_file(path: &Path, dice: &mut Dice) -> String {
    let mut bytes = fs::read(path).unwrap();
    let before = bytes.clone();
    loop {
        let what = damage(&mut bytes, dice);
        let is_used = before
            .iter()
            .zip(&bytes)
            .any(|(before, after)| before != after && *before != 0);
        if is_used || dice.one_in(8) {
            fs::write(path, bytes).unwrap();
            return what;
        }
        bytes.clone_from(&before);
    }
}

/// A word that the text of one number has and no other: of letters alone, for words are split
/// before digits.
fn mark(number: u64) -> String {
    let letters = number
        .to_string()
        .chars()
        .map(|digit| char::from(b'b' + digit as u8 - b'0'))
        .collect::<String>();
    format!("q{letters}x")
}

/// Opens a strand whose store is damaged, reads everything, changes something, and opens it again.
fn try_store(truth: &Truth, directory: &Path, dice: &mut Dice) -> Result<Tally, String> {
    let (strand, mut writer) = match open(directory) {
        Ok(opened) => opened,
        Err(refused) if refused.to_string().contains("damaged") => {
            return Ok(Tally {
                refused: 1,
                ..Tally::default()
            });
        }
        Err(other) => return Err(format!("it is refused with: {other}")),
    };
    let absent = truth.judge(&strand)?;
    let named = strand
        .snapshot()
        .and_then(|snapshot| snapshot.damage())
        .map_err(|error| error.to_string())?;
    let is_named = |number: &u32| {
        named.lost_memories.contains_key(number) || named.memories.contains(&MemoryNumber(*number))
    };
    if let Some(unnamed) = absent.iter().find(|number| !is_named(number)) {
        return Err(format!("number {unnamed} is left out, and nobody says so"));
    }
    let wrong = strand.verify_indexes().map_err(|error| error.to_string())?;
    if let Some(wrong) = wrong.first() {
        return Err(format!("the deep check says: {wrong}"));
    }
    if let Err(broken) = strand
        .snapshot()
        .and_then(|now| now.verify_history())
        .map_err(|error| error.to_string())?
    {
        return Err(broken.to_string());
    }
    let number = u32::try_from(dice.below(MEMORIES)).unwrap();
    let text = format!("{} written after the damage", mark(u64::from(number)));
    let revised = edit(
        number,
        Edit::Revise {
            text: text.clone(),
            seen: None,
        },
        at(900),
    );
    let outcome = writer
        .commit(vec![revised])
        .map_err(|error| error.to_string())?
        .remove(0);
    let is_changed = matches!(&outcome, Ok(Outcome::Edited(edited)) if edited.changed == 1);
    if outcome.is_err()
        != (absent.contains(&number) || truth.memories[&number].status != Status::Active)
    {
        return Err(format!("editing number {number} came out as {outcome:?}"));
    }
    drop((strand, writer));
    let (strand, _writer) =
        open(directory).map_err(|error| format!("the second start: {error}"))?;
    if is_changed {
        let found = strand
            .memories(&[MemoryNumber(number)])
            .map_err(|error| error.to_string())?;
        if found.first().is_none_or(|memory| memory.text != text) {
            return Err(format!("the edit of number {number} is gone"));
        }
    }
    let lost = absent.len() as u64;
    Ok(Tally {
        whole: u64::from(lost == 0),
        with_losses: u64::from(lost > 0),
        refused: 0,
        lost,
    })
}

fn total(name: &str, tried: impl Iterator<Item = (u64, String, Result<Tally, String>)>) {
    let (mut sum, mut wrong) = (Tally::default(), Vec::new());
    for (seed, what, outcome) in tried {
        match outcome {
            Ok(Tally {
                whole,
                with_losses,
                refused,
                lost,
            }) => {
                sum.whole += whole;
                sum.with_losses += with_losses;
                sum.refused += refused;
                sum.lost += lost;
            }
            Err(detail) => wrong.push(format!("seed {seed}, {what}: {detail}")),
        }
    }
    println!("{name}: {sum:?}, {} wrong", wrong.len());
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_damaged_store_serves_what_was_stored_or_nothing() {
    let truth = Arc::new(Truth::new());
    let seeds = first_seed()..first_seed() + trials();
    total(
        "stores",
        seeds.map(|seed| {
            let mut dice = Dice::new(seed);
            let copy = truth.copied();
            let what = damage_file(&copy.path().join(Store::FILE), &mut dice);
            let truth = Arc::clone(&truth);
            let outcome = run(move || try_store(&truth, copy.path(), &mut dice));
            (seed, what, outcome)
        }),
    );
}

/// A file is cut, and the store that is left is refused or serves what is whole.
#[test]
fn a_cut_store_serves_what_was_stored_or_nothing() {
    let truth = Arc::new(Truth::new());
    let length = fs::metadata(truth.directory.path().join(Store::FILE))
        .unwrap()
        .len();
    let lengths = [
        0,
        1,
        3,
        64,
        320,
        4_095,
        4_096,
        5_000,
        length / 4,
        length / 2,
        length - 4_096,
        length - 1,
    ];
    total(
        "cut stores",
        lengths.into_iter().map(|length| {
            let copy = truth.copied();
            fs::OpenOptions::new()
                .write(true)
                .open(copy.path().join(Store::FILE))
                .unwrap()
                .set_len(length)
                .unwrap();
            let truth = Arc::clone(&truth);
            let outcome =
                run(
                    move || match try_store(&truth, copy.path(), &mut Dice::new(length)) {
                        Err(detail) if detail.contains("is empty or damaged") => Ok(Tally {
                            refused: 1,
                            ..Tally::default()
                        }),
                        other => other,
                    },
                );
            (length, "cut".to_owned(), outcome)
        }),
    );
}

#[test]
fn the_harness_notices_what_is_served_wrong() {
    let truth = Truth::new();
    let copy = truth.copied();
    let (strand, mut writer) = open(copy.path()).unwrap();
    assert_eq!(truth.judge(&strand).unwrap(), BTreeSet::new());
    let active = truth
        .memories
        .values()
        .find(|memory| memory.status == Status::Active)
        .unwrap();
    let revised = Edit::Revise {
        text: format!("{} altered", active.text),
        seen: None,
    };
    drop(
        writer
            .commit(vec![edit(active.number.0, revised, at(900))])
            .unwrap(),
    );
    assert!(truth.judge(&strand).unwrap_err().contains("is served as"));
    let planted = || {
        assert!(Path::new("").is_absolute(), "planted");
        Ok(Tally::default())
    };
    assert_eq!(run(planted), Err("it panicked".to_owned()));
}
