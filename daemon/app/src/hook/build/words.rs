//! The words to look for memories with: those of the mistakes, or of an output that no form of a
//! mistake fits. Pure.

use helix_neutral::one_line;
use helix_terminal::fault::Fault;

use crate::hook::exact::has_word;

/// Faults by whose words memories are looked for.
const SEARCHED_MAX: usize = 2;

/// Characters of a line and of a command.
const LINE_MAX_CHARS: usize = 200;

/// Lines by which memories are looked for where no form of a mistake fits.
const LAST_LINES_MAX: usize = 3;

/// Lines from the end among which memories' quotations are looked for.
const QUOTED_LINES_MAX: usize = 12;

/// Messages of every system about a file that is not there, whatever was to be done with it.
const COMMONPLACES: &[&str] = &[
    "no such file or directory",
    "filenotfounderror",
    "file not found",
    "command not found",
    "[errno 2]",
    "os error 2",
    "enoent",
];

/// Separators of the commands of a line.
const BETWEEN: [char; 4] = ['&', '|', ';', '\n'];

/// Returns what a failure says: its mistakes, else its last lines, which hold it most often.
pub(super) fn said(faults: &[Fault], output: &str) -> String {
    let mut words: Vec<String> = faults.iter().take(SEARCHED_MAX).map(Fault::words).collect();
    if words.is_empty() {
        words.extend(last_lines(output, LAST_LINES_MAX));
    }
    telling(&words.join("\n"))
}

/// All that a failure says, in lower case.
pub(super) fn whole(output: &str) -> String {
    telling(output).to_lowercase()
}

/// Returns what a failure says last.
pub(super) fn ending(output: &str) -> String {
    last_lines(output, QUOTED_LINES_MAX).join("\n")
}

/// Returns what a failure says, with the words of its command.
pub(super) fn with_command(said: &str, command: &str) -> String {
    format!("{said}\n{}", telling(&one_line(command, LINE_MAX_CHARS)))
}

/// Returns whether a text names a command of a line: its program with the subcommand, or the
/// program alone where it has none.
pub(super) fn names_command(text: &str, line: &str) -> bool {
    if helix_ablation::is_off("failure/command") {
        return false;
    }
    line.split(BETWEEN).any(|command| {
        let mut words = command.split_whitespace();
        let program = words.next().unwrap_or_default();
        let subcommand = words.next().filter(|word| {
            word.chars()
                .all(|c| c.is_alphanumeric() || c == '-' || c == ':')
        });
        let name = match subcommand.filter(|word| !word.starts_with('-')) {
            Some(subcommand) => format!("{program} {subcommand}"),
            None => program.to_owned(),
        };
        !name.is_empty() && has_word(text, &name)
    })
}

/// Words without what every system says.
fn telling(words: &str) -> String {
    if helix_ablation::is_off("failure/commonplaces") {
        return words.to_owned();
    }
    COMMONPLACES
        .iter()
        .fold(words.to_owned(), |words, phrase| without(&words, phrase))
}

/// A text without a phrase, which is in lower case, however it is written there.
fn without(text: &str, phrase: &str) -> String {
    // As long as the text, byte by byte.
    let lower = text.to_ascii_lowercase();
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for (at, found) in lower.match_indices(phrase) {
        kept.push_str(text.get(end..at).unwrap_or_default());
        end = at + found.len();
    }
    kept.push_str(text.get(end..).unwrap_or_default());
    kept
}

/// The last lines of an output that hold anything, the last one first.
fn last_lines(output: &str, most: usize) -> Vec<String> {
    let telling = output
        .lines()
        .rev()
        .filter(|line| line.chars().any(char::is_alphabetic) && !line.starts_with("Exit code"));
    telling
        .take(most)
        .map(|line| one_line(line, 2 * LINE_MAX_CHARS))
        .collect()
}

#[cfg(test)]
mod tests {
    use helix_terminal::fault::faults;

    use super::*;

    #[test]
    fn what_every_system_says_is_taken_out() {
        assert_eq!(
            telling("cat: nofile: No such file or directory"),
            "cat: nofile: "
        );
        assert_eq!(
            telling("FileNotFoundError: [Errno 2] No such file or directory: 'data/ü.csv'"),
            ":  : 'data/ü.csv'"
        );
        assert_eq!(telling("connection refused"), "connection refused");
    }

    #[test]
    fn the_last_telling_lines_come_first() {
        assert_eq!(
            last_lines("Exit code 1\na\nb\n---\nc\nd\n", LAST_LINES_MAX),
            ["d", "c", "b"]
        );
    }

    #[test]
    fn a_command_is_not_what_went_wrong() {
        assert_eq!(said(&[], "a\nb is gone\n"), "b is gone\na");
        let output = "error: `rows` is gone\n";
        assert_eq!(said(&faults(output), output), "rows `rows` is gone");
        assert_eq!(
            with_command("b is gone", "make ship"),
            "b is gone\nmake ship"
        );
    }

    #[test]
    fn a_text_names_a_command_by_its_program_and_subcommand() {
        let text = "before pushing run `buf breaking --against main`, then `make ship` with psql";
        for line in [
            "buf breaking --against '.git#branch=main'",
            "cd proto && buf breaking",
            "psql -f a.sql",
            "make ship X=1",
        ] {
            assert!(names_command(text, line), "{line}");
        }
        for line in ["buf lint", "make", "airflow dags list", "", "&& ;"] {
            assert_eq!(names_command(text, line), line == "make", "{line}");
        }
    }
}
