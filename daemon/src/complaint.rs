//! The message for a session whose hook could not start the daemon. Else all hooks would be silent
//! without a word, until somebody asks `helixctl`.
//!
//! The shim that starts a daemon waits for it for a moment. It prints what the daemon leaves here
//! in the meantime, and gives the file another name, by which the next one knows when somebody was
//! told.

use std::fs;
use std::io::{self, Write};
use std::time::Duration;

use helix_neutral::one_line;
use helix_proto::own_file;
use helix_proto::paths::Paths;

use crate::failure::Failure;

/// How long until the same is told again.
const TOLD_INTERVAL: Duration = Duration::from_hours(1);

/// Longest reason, in characters.
const REASON_MAX_CHARS: usize = 600;

/// Leaves it for the session that waits, unless one was told lately.
pub(crate) fn leave(paths: &Paths, failure: &Failure) {
    let told_at = fs::metadata(paths.told_complaint()).and_then(|found| found.modified());
    if told_at.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < TOLD_INTERVAL)) {
        return;
    }
    let reason = one_line(&failure.to_string(), REASON_MAX_CHARS);
    let text = format!(
        "Helix: its hooks are silent here, because its daemon does not start: {reason}; tell the user to mend that, and that \
         `helixctl up` says whether it is mended."
    );
    // Where it cannot be written, nobody is told.
    write(paths, &helix_app::hook::said_at_start(&text)).ok();
}

/// Takes it back: a daemon serves.
pub(crate) fn take_back(paths: &Paths) {
    for file in [paths.complaint(), paths.told_complaint()] {
        // Gone already is as good.
        drop(fs::remove_file(file));
    }
}

/// Writes the file as a whole, into the directory that the shim made.
fn write(paths: &Paths, said: &[u8]) -> io::Result<()> {
    let path = paths.complaint();
    let draft = path.with_extension("complaint-new");
    own_file::anew(&draft)?.write_all(said)?;
    fs::rename(draft, path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn it_is_left_again_only_after_a_while() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::inside(home.path());
        let failure = Failure::Config {
            path: "config.toml:3".to_owned(),
            detail: "unknown\nfield".to_owned(),
        };
        leave(&paths, &failure);
        assert!(
            !paths.complaint().exists(),
            "nobody waits in a home without a run directory"
        );
        fs::create_dir(home.path().join("run")).unwrap();
        leave(&paths, &failure);
        let said = fs::read_to_string(paths.complaint()).unwrap();
        assert!(
            said.contains("configuration config.toml:3: unknown field;"),
            "{said}"
        );
        fs::rename(paths.complaint(), paths.told_complaint()).unwrap();
        leave(&paths, &failure);
        assert!(!paths.complaint().exists(), "somebody was told");
        take_back(&paths);
        leave(&paths, &failure);
        assert!(paths.complaint().exists(), "it broke again");
        take_back(&paths);
        assert!(!paths.complaint().exists() && !paths.told_complaint().exists());
    }
}
