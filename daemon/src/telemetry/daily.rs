//! The log's files: one for each day in UTC, made with the first line of it. The oldest go.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use helix_proto::own_file;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::home::make_directory;

/// Files that are kept.
const FILES_MAX: usize = 7;

/// Beginning and end of their names; the date stands between.
const PREFIX: &str = "helixd.";
const SUFFIX: &str = ".log";

/// Writes to the day's file. Lines for which none can be had are lost: without a log, a daemon
/// serves all the same.
#[derive(Debug)]
pub(super) struct DailyLog {
    directory: PathBuf,
    today: fn() -> Date,
    open: Option<(Date, File)>,
}

impl DailyLog {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            today: || Timestamp::now().to_zoned(TimeZone::UTC).date(),
            open: None,
        }
    }

    fn file(&mut self) -> io::Result<&mut File> {
        let today = (self.today)();
        let open = match self.open.take().filter(|(day, _)| *day == today) {
            Some(open) => open,
            None => (today, open_file(&self.directory, today)?),
        };
        Ok(&mut self.open.insert(open).1)
    }
}

impl Write for DailyLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens the file of a day, and removes those that are too old by then.
fn open_file(directory: &Path, day: Date) -> io::Result<File> {
    own_file::directory(directory)?;
    make_directory(directory).map_err(io::Error::other)?;
    let file = own_file::append(&directory.join(format!("{PREFIX}{day}{SUFFIX}")))?;
    // Older ones take room and do no other harm.
    remove_oldest(directory).ok();
    Ok(file)
}

fn remove_oldest(directory: &Path) -> io::Result<()> {
    let names =
        fs::read_dir(directory)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut logs: Vec<String> = names.filter(|name| is_log(name)).collect();
    logs.sort_unstable();
    for old in logs.iter().rev().skip(FILES_MAX) {
        fs::remove_file(directory.join(old))?;
    }
    Ok(())
}

fn is_log(name: &str) -> bool {
    let date = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    date.is_some_and(|date| date.parse::<Date>().is_ok())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::cell::Cell;

    use jiff::ToSpan;
    use jiff::civil::date;

    use super::*;

    thread_local! {
        static TODAY: Cell<Date> = const { Cell::new(date(2026, 12, 28)) };
    }

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn each_day_has_a_file_and_a_week_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("logs");
        let mut log = DailyLog {
            directory: directory.clone(),
            today: || TODAY.get(),
            open: None,
        };
        for day in 0..9 {
            TODAY.set(date(2026, 12, 28).checked_add(day.days()).unwrap());
            log.write_all(b"one\n").unwrap();
            log.write_all(b"two\n").unwrap();
            fs::write(directory.join("somebody's.log"), "").unwrap();
        }
        let kept = names(&directory);
        assert_eq!(kept.len(), 7 + 1, "{kept:?}");
        assert_eq!(
            (kept[0].as_str(), kept[6].as_str()),
            ("helixd.2026-12-30.log", "helixd.2027-01-05.log")
        );
        assert_eq!(
            fs::read_to_string(directory.join(&kept[6])).unwrap(),
            "one\ntwo\n"
        );
    }

    #[test]
    fn what_stands_in_the_directorys_place_is_moved_aside() {
        let home = tempfile::tempdir().unwrap();
        let directory = home.path().join("logs");
        fs::write(&directory, "theirs").unwrap();
        DailyLog::new(directory.clone())
            .write_all(b"one\n")
            .unwrap();
        assert_eq!(names(home.path()), ["logs", "moved-1-logs"]);
        assert_eq!(names(&directory).len(), 1);
    }
}
