//! Which programs a shell line starts.

use super::names::basename;
use super::{DEPTH_MAX, read, script, without_starters};

/// Returns whether a shell line starts a program, by whatever way.
#[must_use]
pub fn starts(line: &str, program: &str) -> bool {
    // Almost no line names it, and reading one takes longer than looking.
    line.contains(program) && starts_within(line, program, 0)
}

fn starts_within(line: &str, program: &str, depth: usize) -> bool {
    read(line).commands.iter().any(|command| {
        let words = without_starters(&command.words);
        let is_inside = || {
            depth < DEPTH_MAX
                && script(&words).is_some_and(|script| starts_within(script, program, depth + 1))
        };
        words.first().is_some_and(|word| basename(word) == program) || is_inside()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_wherever_it_is_started() {
        for line in [
            "a",
            "cd x && a b | c",
            "X=1 timeout 5 /usr/bin/a",
            "bash -c 'c; a'",
            "(a)",
        ] {
            assert!(starts(line, "a"), "{line}");
        }
        for line in ["echo a", "b", "bash -c 'echo a'", ""] {
            assert!(!starts(line, "a"), "{line}");
        }
    }
}
