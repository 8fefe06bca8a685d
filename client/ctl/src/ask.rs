//! Asking a person before something is undone, and whatever else is asked on the terminal.

use std::io::{self, IsTerminal, Write};

use dialoguer::console::{Key, Term};
use nix::sys::signal::{SigSet, Signal};

use crate::failure::Failure;

/// The character that a terminal sends for Ctrl-D.
const END_OF_INPUT: char = '\u{4}';

/// Asks on the terminal; no is the answer of somebody in doubt. Without a terminal, `flag` has to
/// say it.
pub(crate) fn confirmed(question: &str, flag: &str) -> Result<bool, Failure> {
    if !is_there_somebody() {
        return Err(Failure::Usage(format!(
            "nobody is there to confirm; nothing was done; say {flag}"
        )));
    }
    prompted(|| {
        let term = Term::stderr();
        term.write_str(&format!("{question} [y/N] "))?;
        let is_agreed = loop {
            if let Some(answer) = answer(&term.read_key()?) {
                break answer;
            }
        };
        term.write_line(if is_agreed { "yes" } else { "no" })?;
        Ok(is_agreed)
    })
}

/// Reads a key; `None` when it says nothing. Whoever leaves says no.
fn answer(key: &Key) -> Option<bool> {
    match key {
        Key::Char('y' | 'Y') => Some(true),
        Key::Char('n' | 'N' | 'q' | END_OF_INPUT) | Key::Enter | Key::Escape => Some(false),
        _ => None,
    }
}

/// Returns whether a person can be asked: prompts are drawn on stderr and answered on stdin.
pub(crate) fn is_there_somebody() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Shows a prompt, and leaves the terminal as it was whatever ends it.
///
/// A prompt hides the cursor and turns Ctrl-C into a signal that would end the program there and
/// then. So the signal waits until the cursor is back, and then ends the program as ever.
pub(crate) fn prompted<T>(prompt: impl FnOnce() -> dialoguer::Result<T>) -> Result<T, Failure> {
    let failed = |errno: nix::errno::Errno| Failure::io("holding Ctrl-C back")(errno.into());
    let mut interrupt = SigSet::empty();
    interrupt.add(Signal::SIGINT);
    interrupt.thread_block().map_err(failed)?;
    let answer = prompt();
    if answer.is_err() {
        // Where there is no terminal any more, there is no cursor either.
        drop(Term::stderr().show_cursor());
        drop(writeln!(io::stderr()));
    }
    interrupt.thread_unblock().map_err(failed)?;
    answer.map_err(|dialoguer::Error::IO(source)| Failure::io("asking on the terminal")(source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_leaves_a_question_says_no() {
        for key in [
            Key::Escape,
            Key::Enter,
            Key::Char('\u{4}'),
            Key::Char('n'),
            Key::Char('q'),
        ] {
            assert_eq!(answer(&key), Some(false), "{key:?}");
        }
        assert_eq!(answer(&Key::Char('Y')), Some(true));
        for key in [Key::ArrowUp, Key::Char('x'), Key::UnknownEscSeq(vec!['O'])] {
            assert_eq!(answer(&key), None, "{key:?}");
        }
    }
}
