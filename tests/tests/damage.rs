//! Damaged files under the real daemon: it serves what was stored or says what is missing, or
//! refuses, and never goes down over a file that can be made anew.
//!
//! `HELIX_CORRUPTIONS=500` tries more of them, `HELIX_TEST_SEED` others.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a failed step is a failed test"
)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use helix_client::caller;
use helix_client::v1::{CheckLevel, CheckReply, CheckRequest, Program, ReadRequest, SearchRequest};
use helix_engine::Store;
use helix_proto::exit;
use helix_tests::rpc::draft;
use helix_tests::{Binary, Daemon, Dice, Home, Rpc};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use redb::{ReadableDatabase, ReadableTable, TableDefinition};

/// The strand that homes have.
const STRAND: &str = "default";

/// Memories of a home.
const MEMORIES: u32 = 60;

/// One damaged store in so many that the engine's own test tries is tried here as well.
const SHARE: u64 = 10;

const RECORDS: TableDefinition<u32, &[u8]> = TableDefinition::new("memories");
const HISTORY: TableDefinition<u64, &[u8]> = TableDefinition::new("history");

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn store_file(home: &Home) -> PathBuf {
    home.paths.strand(STRAND).join(Store::FILE)
}

/// Stores memories. Returns their texts by handle.
fn fill(home: &Home) -> BTreeMap<String, String> {
    let daemon = Daemon::start(home).unwrap();
    let mut rpc = Rpc::connect(home).unwrap();
    let mut dice = Dice::new(3);
    let mut stored = BTreeMap::new();
    for number in 0..MEMORIES {
        let words: Vec<String> = (0..12).map(|_| dice.word()).collect();
        let text = format!("mark{number} {}", words.join(" "));
        let memory = rpc
            .store(Program::Tool, Path::new(""), draft("notes", &text, ""))
            .unwrap();
        stored.insert(memory.handle, memory.text);
    }
    assert!(daemon.stop().unwrap().success());
    stored
}

/// Reads a memory; `None` when the daemon says that there is none.
fn read(rpc: &mut Rpc, handle: &str) -> Option<String> {
    let caller = Some(caller(Program::Tool, Path::new(""), "", ""));
    let request = ReadRequest {
        caller,
        reference: handle.to_owned(),
        ..ReadRequest::default()
    };
    let reply = rpc
        .call(async |client| client.read(request.clone()).await)
        .ok()?;
    reply.memories.into_iter().next().map(|memory| memory.text)
}

/// Reads and searches everything. Returns how many memories are not there.
fn judge(rpc: &mut Rpc, stored: &BTreeMap<String, String>) -> Result<usize, String> {
    let mut missing = 0;
    for (handle, text) in stored {
        match read(rpc, handle) {
            Some(found) if found == *text => {}
            Some(found) => {
                return Err(format!(
                    "{handle} is served as {found:?}, stored was {text:?}"
                ));
            }
            None => missing += 1,
        }
        let query = text.split(' ').next().unwrap().to_owned();
        let caller = Some(caller(Program::Tool, Path::new(""), "", ""));
        let request = SearchRequest {
            caller,
            query,
            passive: true,
            ..SearchRequest::default()
        };
        let reply = rpc
            .call(async |client| client.search(request.clone()).await)
            .map_err(|error| error.to_string())?;
        for memory in reply.hits.into_iter().filter_map(|hit| hit.memory) {
            if stored.get(&memory.handle) != Some(&memory.text) {
                return Err(format!(
                    "a search shows {} as {:?}",
                    memory.handle, memory.text
                ));
            }
        }
    }
    Ok(missing)
}

fn check(rpc: &mut Rpc, deep: bool) -> CheckReply {
    rpc.call(async |client| client.check(CheckRequest { deep }).await)
        .unwrap()
}

/// Returns a check's finding of this name, if it is not well.
fn complaint(reply: &CheckReply, name: &str) -> Option<String> {
    let found = reply
        .results
        .iter()
        .find(|result| result.name == name && result.level() != CheckLevel::Ok);
    found.map(|result| result.detail.clone())
}

fn start_and_fail(home: &Home) -> Output {
    home.command(Binary::Daemon)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn ctl(home: &Home, arguments: &[&str]) -> Output {
    home.command(Binary::Ctl)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn damage(file: &Path, dice: &mut Dice) {
    let mut bytes = fs::read(file).unwrap();
    let length = bytes.len() as u64;
    loop {
        let place = usize::try_from(dice.below(length)).unwrap();
        if bytes[place] == 0 {
            continue;
        }
        let size = [1, 1, 16, 4096][usize::try_from(dice.below(4)).unwrap()];
        let end = (place + size).min(bytes.len());
        bytes[place..end].fill_with(|| u8::try_from(dice.below(256)).unwrap());
        return fs::write(file, bytes).unwrap();
    }
}

#[test]
fn a_damaged_store_is_served_as_it_was_stored_or_refused() {
    let home = Home::new().unwrap();
    let stored = fill(&home);
    let file = store_file(&home);
    let whole = fs::read(&file).unwrap();
    let first = number("HELIX_TEST_SEED").unwrap_or(0);
    let trials = number("HELIX_CORRUPTIONS").unwrap_or(60) / SHARE;
    let (mut served, mut missing, mut refused) = (0, 0, 0);
    for seed in first..first + trials {
        fs::write(&file, &whole).unwrap();
        damage(&file, &mut Dice::new(seed));
        if ctl(&home, &["up"]).status.success() {
            let mut rpc = Rpc::connect(&home).unwrap();
            let left_out =
                judge(&mut rpc, &stored).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
            let reply = check(&mut rpc, true);
            let says_so = complaint(&reply, "damage").is_some();
            assert!(
                left_out == 0 || says_so,
                "seed {seed}: {left_out} are left out: {reply:?}"
            );
            drop(rpc);
            assert!(ctl(&home, &["down"]).status.success(), "seed {seed}");
            served += 1;
            missing += left_out;
        } else {
            let output = start_and_fail(&home);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(
                output.status.code(),
                Some(i32::from(exit::IO)),
                "seed {seed}: {said}"
            );
            assert!(
                said.contains("damaged") && !said.contains("panicked"),
                "seed {seed}: {said}"
            );
            refused += 1;
        }
    }
    println!("{served} served with {missing} left out, {refused} refused");
}

/// Changes records through the store's own library, so that the pages' checksums hold.
fn rewrite(file: &Path, change: impl Fn(u32, &mut Vec<u8>) -> bool) {
    let database = redb::Database::open(file).unwrap();
    let rows: Vec<(u32, Vec<u8>)> = {
        let table = database.begin_read().unwrap().open_table(RECORDS).unwrap();
        table
            .iter()
            .unwrap()
            .map(|row| {
                row.map(|(key, value)| (key.value(), value.value().to_vec()))
                    .unwrap()
            })
            .collect()
    };
    let write = database.begin_write().unwrap();
    {
        let mut table = write.open_table(RECORDS).unwrap();
        for (key, mut record) in rows {
            if change(key, &mut record) {
                table.insert(key, record.as_slice()).unwrap();
            }
        }
    }
    write.commit().unwrap();
}

#[test]
fn records_that_cannot_be_decoded_come_from_the_history() {
    let home = Home::new().unwrap();
    let stored = fill(&home);
    rewrite(&store_file(&home), |number, record| {
        match number % 4 {
            0 => record.truncate(5),
            1 => record.fill(0xFF),
            2 => *record.last_mut().unwrap() ^= 1,
            _ => return false,
        }
        true
    });
    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    assert_eq!(judge(&mut rpc, &stored).unwrap(), 0);
    let reply = check(&mut rpc, true);
    for name in ["store", Store::FILE, "damage", "history", "indexes"] {
        assert_eq!(complaint(&reply, name), None, "{name}");
    }
    assert!(daemon.stop().unwrap().success());
}

#[test]
fn a_record_that_nothing_tells_of_is_named_left_out_and_refused_to_edits() {
    let home = Home::new().unwrap();
    let mut stored = fill(&home);
    let file = store_file(&home);
    rewrite(&file, |number, record| {
        record.fill(0xFF);
        number == 7
    });
    let database = redb::Database::open(&file).unwrap();
    let write = database.begin_write().unwrap();
    write
        .open_table(HISTORY)
        .unwrap()
        .insert(8, b"garbage".as_slice())
        .unwrap();
    write.commit().unwrap();
    drop(database);

    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    assert_eq!(judge(&mut rpc, &stored).unwrap(), 1);
    let said = complaint(&check(&mut rpc, false), "damage").unwrap();
    assert!(said.contains("number 7"), "{said}");
    let (lost, _) = stored
        .iter()
        .find(|(_, text)| text.starts_with("mark7 "))
        .unwrap();
    assert!(!ctl(&home, &["forget", lost, "--yes"]).status.success());
    let lost = lost.clone();
    stored.remove(&lost);
    let added = rpc
        .store(
            Program::Tool,
            Path::new(""),
            draft("notes", "written beside the damage", ""),
        )
        .unwrap();
    stored.insert(added.handle, added.text);
    assert_eq!(judge(&mut rpc, &stored).unwrap(), 0);
    assert!(daemon.stop().unwrap().success());
}

#[test]
fn doctor_notices_that_the_store_is_gone_or_damaged_under_the_daemon() {
    let home = Home::new().unwrap();
    let stored = fill(&home);
    let file = store_file(&home);
    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    assert_eq!(complaint(&check(&mut rpc, false), Store::FILE), None);

    let whole = fs::read(&file).unwrap();
    let mark = stored
        .values()
        .find(|text| text.starts_with("mark30 "))
        .unwrap()
        .as_bytes();
    let mut bytes = whole.clone();
    let places: Vec<usize> = (0..bytes.len() - mark.len())
        .filter(|at| bytes[*at..].starts_with(mark))
        .collect();
    for at in &places {
        bytes[at + 3] ^= 1;
    }
    fs::write(&file, &bytes).unwrap();
    let said = complaint(&check(&mut rpc, false), Store::FILE).unwrap();
    assert!(
        said.contains("is damaged") && said.contains("helixctl down"),
        "{said}"
    );
    fs::write(&file, &whole).unwrap();
    assert_eq!(complaint(&check(&mut rpc, false), Store::FILE), None);

    fs::rename(&file, file.with_extension("elsewhere")).unwrap();
    let said = complaint(&check(&mut rpc, false), Store::FILE).unwrap();
    assert!(said.contains("is gone"), "{said}");
    assert!(!file.exists(), "the examination makes no store");
    assert_eq!(judge(&mut rpc, &stored).unwrap(), 0);
    drop(daemon);
}

#[test]
fn nothing_is_acknowledged_while_the_store_is_not_in_its_place() {
    let home = Home::new().unwrap();
    let mut stored = fill(&home);
    let file = store_file(&home);
    let aside = file.with_extension("elsewhere");
    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    fs::rename(&file, &aside).unwrap();
    for number in 0..2 {
        let text = format!("written to nowhere, {number}");
        let refused = rpc
            .store(Program::Tool, Path::new(""), draft("notes", &text, ""))
            .unwrap_err();
        let said = format!("{refused:#}");
        assert!(
            said.contains("the store's file is gone") && said.contains("helixctl export"),
            "{said}"
        );
        // Then another stands there.
        fs::copy(&aside, &file).unwrap();
    }
    assert_eq!(judge(&mut rpc, &stored).unwrap(), 0);
    fs::rename(&aside, &file).unwrap();
    let added = rpc
        .store(
            Program::Tool,
            Path::new(""),
            draft("notes", "written when it was back", ""),
        )
        .unwrap();
    stored.insert(added.handle, added.text);
    drop(rpc);
    assert!(daemon.stop().unwrap().success());
    let _daemon = Daemon::start(&home).unwrap();
    assert_eq!(
        judge(&mut Rpc::connect(&home).unwrap(), &stored).unwrap(),
        0
    );
}

/// Things that may stand in the place of a file of the home.
const KINDS: [&str; 4] = ["FIFO", "link", "dangling link", "directory"];

/// Puts something into a place, after what is there was removed. Links lead outside of the home.
fn put(kind: &str, place: &Path, outside: &Path) {
    if fs::symlink_metadata(place).is_ok_and(|found| found.is_dir()) {
        fs::remove_dir_all(place).unwrap();
    } else {
        drop(fs::remove_file(place));
    }
    match kind {
        "FIFO" => mkfifo(place, Mode::S_IRWXU).unwrap(),
        "link" => symlink(outside.join("theirs"), place).unwrap(),
        "dangling link" => symlink(outside.join("new"), place).unwrap(),
        _ => fs::create_dir(place).unwrap(),
    }
}

/// A directory with a file of somebody else's.
fn outside(home: &Home) -> PathBuf {
    let outside = home.scratch().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("theirs"), "theirs").unwrap();
    outside
}

fn is_untouched(outside: &Path) -> bool {
    fs::read_dir(outside).unwrap().count() == 1
        && fs::read(outside.join("theirs")).unwrap() == b"theirs"
}

#[test]
fn what_stands_in_the_place_of_a_log_keeps_no_daemon_from_starting() {
    let home = Home::new().unwrap();
    let outside = outside(&home);
    for arguments in [["up"], ["down"]] {
        assert!(ctl(&home, &arguments).status.success());
    }
    let logs = home.paths.logs();
    let log = fs::read_dir(&logs).unwrap().next().unwrap().unwrap().path();
    for place in [
        home.paths.home.join("run/start.log"),
        log.clone(),
        home.paths.notice().with_extension("new"),
        logs,
    ] {
        for kind in KINDS {
            put(kind, &place, &outside);
            for arguments in [["up"], ["status"], ["down"]] {
                let output = ctl(&home, &arguments);
                assert!(
                    output.status.success(),
                    "{} is a {kind}, {arguments:?}: {output:?}",
                    place.display()
                );
            }
            assert!(is_untouched(&outside), "{} is a {kind}", place.display());
            assert!(
                !fs::read(&log).unwrap().is_empty(),
                "{} is a {kind}",
                place.display()
            );
        }
    }
}

#[test]
fn what_stands_in_the_place_of_the_lock_or_the_configuration_is_refused_by_name() {
    let home = Home::new().unwrap();
    let outside = outside(&home);
    for arguments in [["up"], ["down"]] {
        assert!(ctl(&home, &arguments).status.success());
    }
    for (place, kinds) in [
        (home.paths.lock(), &KINDS[..]),
        (home.paths.config(), &["FIFO", "directory"]),
    ] {
        for kind in kinds {
            put(kind, &place, &outside);
            let output = ctl(&home, &["up"]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "{} is a {kind}", place.display());
            assert!(
                said.contains(place.to_str().unwrap()),
                "{} is a {kind}: {said}",
                place.display()
            );
            assert!(
                said.contains("move it away"),
                "{} is a {kind}: {said}",
                place.display()
            );
            ctl(&home, &["down"]);
            assert!(is_untouched(&outside), "{} is a {kind}", place.display());
        }
        put("directory", &place, &outside);
        fs::remove_dir(&place).unwrap();
        assert!(ctl(&home, &["up"]).status.success());
        assert!(ctl(&home, &["down"]).status.success());
    }
}

/// Puts something in the place of each file and directory below the strand that can be made anew,
/// in turn.
#[test]
fn what_stands_in_the_place_of_a_derived_file_keeps_no_daemon_from_starting() {
    let home = Home::new().unwrap();
    let stored = fill(&home);
    let strand = home.paths.strand(STRAND);
    let outside = home.scratch().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("theirs"), "theirs").unwrap();
    let lexical = strand.join("index/lexical");
    let places = [
        strand.join("index"),
        lexical.clone(),
        lexical.join("meta.json"),
        lexical.join(".managed.json"),
    ];
    for place in places {
        for kind in ["FIFO", "link", "file", "directory"] {
            if place.is_dir() {
                fs::remove_dir_all(&place).unwrap();
            } else {
                drop(fs::remove_file(&place));
            }
            match kind {
                "FIFO" => mkfifo(&place, Mode::S_IRWXU).unwrap(),
                "link" => symlink(&outside, &place).unwrap(),
                "file" => fs::write(&place, "a file").unwrap(),
                _ => fs::create_dir(&place).unwrap(),
            }
            let daemon = Daemon::start(&home).unwrap();
            let mut rpc = Rpc::connect(&home).unwrap();
            assert_eq!(
                judge(&mut rpc, &stored).unwrap(),
                0,
                "{} is a {kind}",
                place.display()
            );
            // A daemon waits for whoever is connected.
            drop(rpc);
            assert!(daemon.stop().unwrap().success());
            let left: Vec<_> = fs::read_dir(&outside)
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect();
            assert_eq!(left, ["theirs"], "{} is a {kind}", place.display());
        }
    }
}

#[test]
fn index_files_that_are_cut_under_a_daemon_cost_nothing() {
    let home = Home::new().unwrap();
    let stored = fill(&home);
    let daemon = Daemon::start(&home).unwrap();
    let mut rpc = Rpc::connect(&home).unwrap();
    for entry in fs::read_dir(home.paths.strand(STRAND).join("index/lexical")).unwrap() {
        fs::OpenOptions::new()
            .write(true)
            .open(entry.unwrap().path())
            .unwrap()
            .set_len(0)
            .unwrap();
    }
    assert_eq!(judge(&mut rpc, &stored).unwrap(), 0);
    for query in ["mark1", "mark2 mark3"] {
        rpc.search(Path::new(""), query, helix_client::v1::Retriever::Words)
            .unwrap();
    }
    assert!(daemon.stop().unwrap().success());
}

#[test]
fn a_store_that_is_no_file_is_refused_at_once() {
    let home = Home::new().unwrap();
    drop(fill(&home));
    let file = store_file(&home);
    for kind in ["FIFO", "directory", "garbage"] {
        if file.is_dir() {
            fs::remove_dir(&file).unwrap();
        } else {
            fs::remove_file(&file).unwrap();
        }
        match kind {
            "FIFO" => mkfifo(&file, Mode::S_IRWXU).unwrap(),
            "directory" => fs::create_dir(&file).unwrap(),
            _ => fs::write(&file, vec![7; 9_000]).unwrap(),
        }
        let output = start_and_fail(&home);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(
            output.status.code(),
            Some(i32::from(exit::IO)),
            "{kind}: {said}"
        );
        assert!(
            said.contains(Store::FILE) && !said.contains("panicked"),
            "{kind}: {said}"
        );
    }
}

/// Takes the index away, or puts something in its place, under a daemon.
#[test]
fn an_index_that_is_lost_under_a_daemon_is_noticed_and_made_anew() {
    let home = Home::new().unwrap();
    let mut stored = fill(&home);
    let strand = home.paths.strand(STRAND);
    let outside = outside(&home);
    for (place, kind) in [
        (strand.join("index"), "nothing"),
        (strand.join("index"), "link"),
        (strand.join("index/lexical"), "link"),
        (strand.join("index/lexical"), "directory"),
        (strand.join("index/lexical/meta.json"), "FIFO"),
    ] {
        let what = format!("{kind} at {}", place.display());
        let daemon = Daemon::start(&home).unwrap();
        let mut rpc = Rpc::connect(&home).unwrap();
        if place.is_dir() {
            fs::remove_dir_all(&place).unwrap();
        } else {
            fs::remove_file(&place).unwrap();
        }
        match kind {
            "link" => symlink(&outside, &place).unwrap(),
            "directory" => fs::create_dir(&place).unwrap(),
            "FIFO" => mkfifo(&place, Mode::S_IRWXU).unwrap(),
            _ => {}
        }
        let text = format!("a later one with {kind}");
        let added = rpc
            .store(Program::Tool, Path::new(""), draft("notes", &text, ""))
            .unwrap();
        stored.insert(added.handle, added.text);
        let doctor = ctl(&home, &["doctor"]);
        let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(said.contains("was removed or replaced"), "{what}: {said}");
        for _ in 0..2 {
            let made = ctl(&home, &["reindex"]);
            assert_eq!(made.status.code(), Some(0), "{what}: {made:?}");
        }
        let doctor = ctl(&home, &["doctor"]);
        let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(!said.contains("was removed or replaced"), "{what}: {said}");
        assert_eq!(judge(&mut rpc, &stored).unwrap(), 0, "{what}");
        drop(rpc);
        assert!(daemon.stop().unwrap().success());
        let index = strand.join("index/lexical");
        assert!(fs::symlink_metadata(&index).unwrap().is_dir(), "{what}");
        assert!(index.join("meta.json").is_file(), "{what}");
        assert!(is_untouched(&outside), "{what}");
    }
    let _daemon = Daemon::start(&home).unwrap();
    assert_eq!(
        judge(&mut Rpc::connect(&home).unwrap(), &stored).unwrap(),
        0
    );
}

#[test]
fn a_write_without_a_store_ends_with_the_code_of_the_disk() {
    let home = Home::new().unwrap();
    drop(fill(&home));
    let file = store_file(&home);
    let _daemon = Daemon::start(&home).unwrap();
    fs::rename(&file, file.with_extension("elsewhere")).unwrap();
    let output = ctl(&home, &["add", "--topic", "notes", "written to nowhere"]);
    assert_eq!(
        output.status.code(),
        Some(i32::from(exit::IO)),
        "{output:?}"
    );
}
