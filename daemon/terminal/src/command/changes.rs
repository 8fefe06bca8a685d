//! Files that a shell line writes.

use super::super::shell::Simple;
use super::names::{basename, file_name};
use super::tools::{has, known};
use super::{joined, read, without_starters};

/// Letters of options that stand before the one by which a stream editor writes its files again.
const BEFORE_IN_PLACE: &str = "EnrpslwzuW0123456789";

/// Finds the words of a line that are files which it writes, if they are files at all.
#[must_use]
pub fn rewritten(line: &str) -> Vec<String> {
    let mut directory: Option<String> = None;
    let mut files = Vec::new();
    for command in &read(line).commands {
        let words = without_starters(&command.words);
        if let [cd, to] = words.as_slice()
            && cd == "cd"
        {
            directory = Some(joined(directory.as_deref(), to));
            continue;
        }
        let written = rewritten_by(&words)
            .into_iter()
            .chain(authored(command, &words));
        files.extend(written.map(|file| joined(directory.as_deref(), &file)));
    }
    files
}

fn rewritten_by(words: &[String]) -> Vec<String> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let is_plain = |word: &&String| !word.starts_with('-');
    match basename(program) {
        "sed" | "gsed" | "perl" | "ruby" if arguments.iter().any(|word| is_in_place(word)) => {}
        "tee" => {}
        "cp" => {
            return copied(
                &arguments
                    .iter()
                    .filter(is_plain)
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        }
        _ => return Vec::new(),
    }
    arguments.iter().filter(is_plain).cloned().collect()
}

/// Returns what a copy may be: the place that is named, or of the same name in it.
fn copied(places: &[String]) -> Vec<String> {
    let Some((to, from)) = places.split_last() else {
        return Vec::new();
    };
    let inside = from
        .iter()
        .map(|from| format!("{}/{}", to.trim_end_matches('/'), file_name(from)));
    std::iter::once(to.clone()).chain(inside).collect()
}

/// The files that are to hold what a program writes.
fn authored<'a>(command: &'a Simple, words: &[String]) -> impl Iterator<Item = String> + 'a {
    let is_author = words
        .first()
        .is_none_or(|program| has(&known().mending.authors, basename(program)));
    command.outputs.iter().filter(move |_| is_author).cloned()
}

fn is_in_place(word: &str) -> bool {
    let is_short = |letters: &str| {
        letters
            .trim_start_matches(|c| BEFORE_IN_PLACE.contains(c))
            .starts_with('i')
    };
    match word.strip_prefix("--") {
        Some(long) => long == "in-place" || long.starts_with("in-place="),
        None => word.strip_prefix('-').is_some_and(is_short),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_a_line_writes_are_found() {
        for (line, files) in [
            (
                "sed -i 's/a/b/' src/a.rs src/b.rs",
                "s/a/b/ src/a.rs src/b.rs",
            ),
            ("cd x && sed -Ei.bak -e s/a/b/ a.rs; ls", "x/s/a/b/ x/a.rs"),
            ("perl -pi -e 's/a/b/' a.py", "s/a/b/ a.py"),
            ("echo x | tee -a notes.md", "notes.md"),
            ("gsed --in-place=.bak s/a/b/ a.c", "s/a/b/ a.c"),
            ("cat > src/a.rs <<'EOF'\nfn a() {}\nEOF", "src/a.rs"),
            (
                "echo x >> \"a.md\"; printf y 2>/dev/null > b.md",
                "a.md b.md",
            ),
            ("cp -f /tmp/new.rs src", "src src/new.rs"),
            ("sed -n 5,9p a.rs", ""),
            ("perl -e 'print 1' a.py", ""),
            ("cargo build > log 2>&1", ""),
            ("cat a.rs 2> err", ""),
            ("", ""),
        ] {
            assert_eq!(rewritten(line).join(" "), files, "{line}");
        }
    }
}
