//! What a shell line changes beside what it installs: files that a stream editor writes again, and variables for what it runs.

use super::{basename, is_assignment, read, without_starters};

/// Letters of options that stand before the one by which a stream editor writes its files again.
const BEFORE_IN_PLACE: &str = "EnrpslwzuW0123456789";

/// Finds the words of a line that are files which it writes again, if they are files at all.
#[must_use]
pub fn rewritten(line: &str) -> Vec<String> {
    read(line).commands.iter().flat_map(|command| rewritten_by(&without_starters(&command.words))).collect()
}

fn rewritten_by(words: &[String]) -> Vec<String> {
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let writes = match basename(program).as_ref() {
        "sed" | "gsed" | "perl" | "ruby" => arguments.iter().any(|word| is_in_place(word)),
        "tee" => true,
        _ => false,
    };
    let files = arguments.iter().filter(|word| writes && !word.starts_with('-'));
    files.cloned().collect()
}

fn is_in_place(word: &str) -> bool {
    let is_short = |letters: &str| letters.trim_start_matches(|c| BEFORE_IN_PLACE.contains(c)).starts_with('i');
    match word.strip_prefix("--") {
        Some(long) => long == "in-place" || long.starts_with("in-place="),
        None => word.strip_prefix('-').is_some_and(is_short),
    }
}

/// The names of the variables that are set for the program that these words start.
pub(super) fn variables(words: &[String]) -> Vec<String> {
    let started = words.len() - without_starters(words).len();
    let set = words.iter().take(started).filter(|word| is_assignment(word));
    set.filter_map(|word| word.split_once('=')).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::run_of;
    use super::*;

    #[test]
    fn stream_editors_write_files_again() {
        for (line, files) in [
            ("sed -i 's/a/b/' src/a.rs src/b.rs", "s/a/b/ src/a.rs src/b.rs"),
            ("cd x && sed -Ei.bak -e s/a/b/ a.rs; ls", "s/a/b/ a.rs"),
            ("perl -pi -e 's/a/b/' a.py", "s/a/b/ a.py"),
            ("echo x | tee -a notes.md", "notes.md"),
            ("gsed --in-place=.bak s/a/b/ a.c", "s/a/b/ a.c"),
            ("sed -n 5,9p a.rs", ""),
            ("perl -e 'print 1' a.py", ""),
            ("cargo build", ""),
            ("", ""),
        ] {
            assert_eq!(rewritten(line).join(" "), files, "{line}");
        }
    }

    #[test]
    fn variables_are_known_by_their_names() {
        let of = |line: &str| run_of(line).map(|run| run.variables.join(" "));
        assert_eq!(of("FIXTURES=../f RUST_LOG=debug cargo test -p a").as_deref(), Some("FIXTURES RUST_LOG"));
        assert_eq!(of("cd x && env CI=1 npm test").as_deref(), Some("CI"));
        assert_eq!(of("cargo test -- A=1").as_deref(), Some(""));
    }
}
