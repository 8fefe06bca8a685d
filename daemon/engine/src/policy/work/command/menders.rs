//! Commands that change what a build stands on: they mend failures without changing a file by an editor.

use super::shown::shown;
use super::tools::{MADE, MENDERS};
use super::{after_options, as_called, basename, is_listed, read, without_starters};

/// Finds the commands of a shell line that change what a build stands on, as somebody would run them again.
#[must_use]
pub fn menders(line: &str) -> Vec<String> {
    read(line).commands.iter().filter_map(|command| mender(&command.words)).collect()
}

/// How a command changes what a build stands on; `None` when it does not.
pub(super) fn mender(words: &[String]) -> Option<String> {
    let words = without_starters(words);
    let first = words.first()?;
    let program = basename(first);
    let is_argument = |word: &&String| !word.starts_with('-');
    let mends = match program.as_ref() {
        "rm" => {
            let mut paths = words.iter().skip(1).filter(is_argument);
            paths.any(|path| MADE.contains(&basename(path.trim_end_matches('/')).as_ref()))
        }
        name => {
            let subcommand = words.get(after_options(&words, 1)).map(String::as_str)?;
            is_listed(MENDERS, name, subcommand)
        }
    };
    mends.then(|| shown(&as_called(first), words.get(1..).unwrap_or_default()))
}
