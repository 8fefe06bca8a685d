//! A run's words put together again.

/// What stands before the directory in the last word of a run that is not in the project's.
pub const PLACE: &str = "in ";

/// The words of a run as they were written, without its place.
#[must_use]
pub fn line(called: &[String], words: &[String]) -> Vec<String> {
    let end = words.len() - usize::from(run_in(words).is_some());
    let arguments = words.get(1..end).unwrap_or_default();
    [called, arguments].concat()
}

/// The directory that these words say, if it is not the project's.
#[must_use]
pub fn run_in(words: &[String]) -> Option<&str> {
    words
        .last()
        .filter(|_| words.len() > 1)?
        .strip_prefix(PLACE)
}
