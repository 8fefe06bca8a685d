//! Home and socket: there, ours, and closed to everybody else.

use std::fs::{self, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use helix_client::{Holder, Paths};
use nix::unistd::Uid;

use crate::finding::Finding;

/// Permission bits of a mode.
const PERMISSION_BITS: u32 = 0o777;

/// Everything that the group and others may do.
const OTHERS: u32 = 0o077;

/// Permissions with which others could put a socket of theirs in place of ours. The socket's
/// directory may be one the user made and others may look into, as the daemon accepts it.
const OTHERS_WRITE: u32 = 0o022;

/// A place and its expected permissions.
struct Place<'a> {
    name: &'a str,
    path: &'a Path,
    /// Permissions it should have been given.
    mode: u32,
    /// Permissions of others that would let them do harm.
    forbidden: u32,
    is_right_type: fn(&Metadata) -> bool,
    type_name: &'a str,
}

/// Examines the home directory, the directory of the socket and the socket.
pub(super) fn examine(paths: &Paths) -> Vec<Finding> {
    let elsewhere = Holder::elsewhere(paths);
    let socket_path = elsewhere.as_ref().unwrap_or(&paths.socket);
    let directory = |name, path, forbidden| Place {
        name,
        path,
        mode: 0o700,
        forbidden,
        is_right_type: Metadata::is_dir,
        type_name: "directory",
    };
    let socket = Place {
        name: "socket",
        path: socket_path,
        mode: 0o600,
        forbidden: OTHERS,
        is_right_type: |metadata| metadata.file_type().is_socket(),
        type_name: "socket",
    };
    let around = socket_path
        .parent()
        .map(|path| directory("socket directory", path, OTHERS_WRITE));
    [
        Some(directory("home", &paths.home, OTHERS)),
        around,
        Some(socket),
    ]
    .into_iter()
    .flatten()
    .map(|place| place.examine())
    .collect()
}

impl Place<'_> {
    fn examine(&self) -> Finding {
        let shown = self.path.display();
        let failure = |detail: String| Finding::failure(self.name, detail);
        let metadata = match fs::metadata(self.path) {
            Ok(metadata) => metadata,
            Err(error) => {
                return failure(format!(
                    "{shown}: {error}; run `helixctl up`, which makes it"
                ));
            }
        };
        let (mode, wanted) = (metadata.mode() & PERMISSION_BITS, self.mode);
        if !(self.is_right_type)(&metadata) {
            failure(format!(
                "{shown} is not a {}; move it away and run `helixctl up`",
                self.type_name
            ))
        } else if metadata.uid() != Uid::effective().as_raw() {
            failure(format!(
                "{shown} belongs to another user; choose another with --home or --socket"
            ))
        } else if mode & self.forbidden != 0 {
            failure(format!(
                "{shown} has mode {mode:04o}, so others can use it; run `chmod {wanted:o} {shown}`"
            ))
        } else {
            Finding::ok(self.name, format!("{shown}, mode {mode:04o}"))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::finding::Level;

    fn levels(paths: &Paths) -> Vec<Level> {
        examine(paths)
            .into_iter()
            .map(|finding| finding.level)
            .collect()
    }

    #[test]
    fn places_must_be_closed_to_others() {
        let root = tempfile::tempdir().unwrap();
        let paths = Paths::inside(root.path());
        let set =
            |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        set(root.path(), 0o700);
        assert_eq!(levels(&paths), [Level::Ok, Level::Failure, Level::Failure]);

        fs::create_dir(root.path().join("run")).unwrap();
        set(&root.path().join("run"), 0o700);
        let _listener = UnixListener::bind(&paths.socket).unwrap();
        set(&paths.socket, 0o600);
        assert_eq!(levels(&paths), [Level::Ok, Level::Ok, Level::Ok]);

        set(root.path(), 0o750);
        set(&paths.socket, 0o666);
        assert_eq!(levels(&paths), [Level::Failure, Level::Ok, Level::Failure]);

        set(&root.path().join("run"), 0o755);
        assert_eq!(levels(&paths)[1], Level::Ok);
        set(&root.path().join("run"), 0o775);
        assert_eq!(levels(&paths)[1], Level::Failure);
    }
}
