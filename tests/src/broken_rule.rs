//! A program in which one of the rules that find secrets does not compile.

use std::path::Path;
use std::{fs, io};

/// The rule.
pub const NAME: &str = "hugging-face-token";

/// Its pattern as it stands in the program.
const PATTERN: &[u8; 33] = br"'(?:hf|api_org)_[A-Za-z0-9]{30,}'";

/// The same with a group that nothing closes.
const BROKEN: &[u8; 33] = br"'(?:hf|api_org(_[A-Za-z0-9]{30,}'";

/// Makes a copy of a program in which the rule does not compile.
///
/// # Errors
/// When the program cannot be read or has no such rule, or the copy cannot be written.
pub fn copy(program: &Path, to: &Path) -> io::Result<()> {
    // Its permissions come along.
    fs::copy(program, to)?;
    let mut bytes = fs::read(program)?;
    let mut places = 0;
    let mut at = 0;
    while let Some(found) = bytes.get_mut(at..at + PATTERN.len()) {
        if found == PATTERN {
            found.copy_from_slice(BROKEN);
            places += 1;
        }
        at += 1;
    }
    if places == 0 {
        let missing = format!("{NAME} has another pattern by now");
        return Err(io::Error::other(missing));
    }
    fs::write(to, bytes)
}
