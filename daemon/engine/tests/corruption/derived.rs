//! Damaged indexes and vectors: they are made anew from the store.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helix_engine::Store;
use nix::sys::stat::Mode as FileMode;
use nix::unistd::mkfifo;

use super::common::{at, store};
use super::dice::Dice;
use super::{
    DERIVED_SHARE, Tally, Truth, damage_file, first_seed, give_vectors, open, run, total, trials,
};

/// Every file below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn derived_files(directory: &Path) -> Vec<PathBuf> {
    files(directory)
        .into_iter()
        .filter(|file| !file.ends_with(Store::FILE))
        .collect()
}

/// Damages what can be made anew, or puts something else in its place. `outside` is where links
/// lead.
fn damage_derived(directory: &Path, outside: &Path, dice: &mut Dice) -> String {
    let files = derived_files(directory);
    let mut place = files[usize::try_from(dice.below(files.len() as u64)).unwrap()].clone();
    if dice.one_in(8) {
        place = directory.join(if dice.one_in(2) {
            "index"
        } else {
            "index/lexical"
        });
    }
    let name = place.strip_prefix(directory).unwrap().display().to_string();
    let is_file = place.is_file();
    let what = dice.below(if is_file { 11 } else { 4 });
    let remove = || {
        if is_file {
            fs::remove_file(&place).unwrap();
        } else {
            fs::remove_dir_all(&place).unwrap();
        }
    };
    let done = match what {
        0 => {
            remove();
            "is removed"
        }
        1 => {
            remove();
            mkfifo(&place, FileMode::S_IRWXU).unwrap();
            "is a FIFO"
        }
        2 => {
            let target = outside.join("target");
            if is_file {
                fs::rename(&place, &target).unwrap();
            } else {
                fs::create_dir(&target).unwrap();
            }
            if !is_file {
                fs::write(target.join("theirs"), "theirs").unwrap();
                remove();
            }
            symlink(&target, &place).unwrap();
            "is a link"
        }
        3 => {
            remove();
            if is_file {
                fs::create_dir(&place).unwrap();
            } else {
                fs::write(&place, "a file").unwrap();
            }
            "is a directory, or a file instead of one"
        }
        4 => {
            remove();
            symlink(outside.join("nowhere"), &place).unwrap();
            "is a link to nothing"
        }
        5 => {
            fs::rename(&place, outside.join("target")).unwrap();
            fs::hard_link(outside.join("target"), &place).unwrap();
            "has another name"
        }
        6 => {
            let length = fs::metadata(&place).unwrap().len();
            fs::OpenOptions::new()
                .write(true)
                .open(&place)
                .unwrap()
                .set_len(dice.below(length.max(1)))
                .unwrap();
            "is cut"
        }
        7 => {
            fs::write(&place, vec![0xA5; 5_000]).unwrap();
            "is garbage"
        }
        8 => {
            remove();
            symlink("/dev/zero", &place).unwrap();
            "is a device"
        }
        _ if fs::metadata(&place).unwrap().len() > 0 => {
            damage_file(&place, dice);
            "is damaged"
        }
        _ => "is as it was",
    };
    format!("{name} {done}")
}

fn contents(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    files(directory)
        .into_iter()
        .map(|file| (file.clone(), fs::read(file).unwrap()))
        .collect()
}

fn try_derived(truth: &Truth, directory: &Path, outside: &Path) -> Result<Tally, String> {
    let before = contents(outside);
    let (strand, mut writer) =
        open(directory).map_err(|error| format!("it does not start: {error}"))?;
    let absent = truth.judge(&strand)?;
    if !absent.is_empty() {
        return Err(format!("{absent:?} are left out"));
    }
    give_vectors(&strand);
    let text = "mark1000 written after the damage";
    drop(
        writer
            .commit(vec![store("topic-1", text, false, [9; 10], at(900))])
            .map_err(|error| error.to_string())?,
    );
    strand
        .lexical()
        .flush()
        .map_err(|error| error.to_string())?;
    drop((strand, writer));
    if contents(outside) != before {
        return Err("something was written outside of the strand".to_owned());
    }
    let (strand, _writer) =
        open(directory).map_err(|error| format!("the second start: {error}"))?;
    let wrong = strand.verify_indexes().map_err(|error| error.to_string())?;
    if let Some(wrong) = wrong.first() {
        return Err(format!("the deep check says: {wrong}"));
    }
    if strand.lexical().rebuilt() {
        return Err("the word index is made anew again".to_owned());
    }
    Ok(Tally {
        whole: 1,
        ..Tally::default()
    })
}

#[test]
fn damaged_indexes_are_made_anew() {
    let truth = Arc::new(Truth::new());
    let count = (trials() * DERIVED_SHARE.0).div_ceil(DERIVED_SHARE.1);
    let seeds = first_seed()..first_seed() + count;
    total(
        "derived files",
        seeds.map(|seed| {
            let mut dice = Dice::new(seed);
            let (copy, outside) = (truth.copied(), tempfile::tempdir().unwrap());
            let what = damage_derived(copy.path(), outside.path(), &mut dice);
            let truth = Arc::clone(&truth);
            let outcome = run(move || try_derived(&truth, copy.path(), outside.path()));
            (seed, what, outcome)
        }),
    );
}
