//! Which paths hang together: those of a file system that is served by somebody else, over a network or by a program (FUSE).

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The kernel's list of what is mounted, which no file system can hold up.
const LIST: &str = "/proc/self/mountinfo";

/// How long the list is taken for true.
const FRESH: Duration = Duration::from_secs(1);

/// Kinds of file systems that somebody serves: beginnings of their names.
const SERVED: &[&str] =
    &["fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs", "autofs", "lustre", "gluster", "virtiofs", "ncpfs", "coda"];

/// The mounts that are served by somebody, looked up now and then.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    known: Mutex<Option<(Instant, Vec<PathBuf>)>>,
}

impl Mounts {
    /// What a path hangs together with: its file system where somebody serves that, else only what is asked for there.
    pub(super) fn place_of(&self, path: &Path) -> PathBuf {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_none_or(|(at, _)| at.elapsed() >= FRESH) {
            *known = Some((Instant::now(), served(&std::fs::read_to_string(LIST).unwrap_or_default())));
        }
        let mounts = known.iter().flat_map(|(_, mounts)| mounts);
        let above = mounts.filter(|mount| path.starts_with(mount)).max_by_key(|mount| mount.as_os_str().len());
        above.map_or_else(|| path.to_owned(), Clone::clone)
    }
}

/// `36 35 98:0 / /mnt/far rw,noatime shared:1 - fuse.sshfs host: rw`, with blanks as `\040`.
fn served(list: &str) -> Vec<PathBuf> {
    let of_line = |line: &str| {
        let (mount, kind) = line.split_once(" - ")?;
        let kind = kind.split(' ').next()?;
        let place = mount.split(' ').nth(4)?;
        SERVED.iter().any(|served| kind.starts_with(served)).then(|| PathBuf::from(place.replace("\\040", " ")))
    };
    list.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_served_file_system_is_one_place() {
        let list = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                    36 22 0:98 / /mnt/far\\040away rw,noatime shared:1 - fuse.sshfs host: rw\n\
                    37 22 0:99 / /net rw - nfs4 host:/x rw\n";
        assert_eq!(served(list), [Path::new("/mnt/far away"), Path::new("/net")]);
        let mounts = Mounts { known: Mutex::new(Some((Instant::now(), served(list)))) };
        for (path, place) in [("/net/a/b", "/net"), ("/mnt/far away/x", "/mnt/far away"), ("/network", "/network")] {
            assert_eq!(mounts.place_of(Path::new(path)), Path::new(place));
        }
    }
}
