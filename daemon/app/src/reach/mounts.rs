//! Which paths hang together: those of a file system that is served by somebody else, over a
//! network or by a program (FUSE); and those of the one that Helix's own files lie on.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::os::fd::AsFd;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// The kernel's list of what is mounted, which no file system can hold up.
const LIST: &str = "/proc/self/mountinfo";

/// Kinds of file systems that somebody serves: beginnings of their names.
const SERVED: &[&str] = &[
    "fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs", "autofs", "lustre", "gluster", "virtiofs",
    "ncpfs", "coda",
];

/// Links that are followed of one path: as many as Linux follows.
const LINKS_MAX: usize = 40;

/// The mounts, as they are now.
#[derive(Debug, Default)]
pub(super) struct Mounts {
    /// Where Helix's own files are.
    home: Option<PathBuf>,
    known: Mutex<Option<Known>>,
}

#[derive(Debug)]
struct Known {
    /// Kept open, because the kernel tells only who has it open that it changed.
    list: File,
    mounts: Arc<Vec<Mount>>,
}

#[derive(Debug, PartialEq, Eq)]
struct Mount {
    path: PathBuf,
    /// The number of the device, which all of its mounts share.
    device: String,
    is_served: bool,
}

/// Where a path leads to when its links are followed.
#[derive(Debug, PartialEq, Eq)]
enum Led {
    /// To a served file system, at which it was not looked.
    Served(PathBuf),
    To(PathBuf),
}

impl Mounts {
    /// The mounts, of which one has Helix's own files.
    pub(super) fn around(home: &Path) -> Self {
        Self {
            home: home.canonicalize().ok(),
            known: Mutex::default(),
        }
    }

    /// Returns whether a path, as it is written, is on the file system of Helix's own files, which
    /// nobody serves. It looks at nothing.
    pub(super) fn is_near(&self, path: &Path) -> bool {
        self.is_in(&self.now(), path)
    }

    /// The same of where the links of all these lead, at which this looks.
    pub(super) fn lead_near(&self, paths: &[PathBuf]) -> bool {
        let mounts = self.now();
        let leads_near = |path: &PathBuf| {
            self.is_in(&mounts, path)
                && match led(&mounts, path) {
                    Led::Served(_) => false,
                    Led::To(end) => self.is_in(&mounts, &end),
                }
        };
        paths.iter().all(leads_near)
    }

    fn is_in(&self, mounts: &[Mount], path: &Path) -> bool {
        let device = |path| Some(own_mount(mounts, path)?.device.as_str());
        let home = self.home.as_deref().and_then(device);
        home.is_some() && device(path) == home
    }

    /// The place that a path hangs together with as it is written: its file system where somebody
    /// serves that, else only what is asked for there.
    pub(super) fn place_of(&self, path: &Path) -> PathBuf {
        served_above(&self.now(), path).map_or_else(|| path.to_owned(), Path::to_owned)
    }

    /// The served file system that a path leads to, by whatever links. Looks at what stands before
    /// that, and never at itself.
    pub(super) fn leads_to(&self, path: &Path) -> Option<PathBuf> {
        let mounts = self.now();
        if !mounts.iter().any(|mount| mount.is_served) {
            return None;
        }
        match led(&mounts, path) {
            Led::Served(served) => Some(served),
            Led::To(_) => None,
        }
    }

    /// Mounts as a list says them, in place of the kernel's.
    #[cfg(test)]
    pub(super) fn planted(list: &str, home: Option<&Path>) -> Self {
        // A regular file has nothing urgent to tell.
        let unchanged = File::open("/dev/null").ok();
        Self {
            home: home.map(Path::to_owned),
            known: Mutex::new(unchanged.map(|list_file| Known {
                list: list_file,
                mounts: Arc::new(mounts(list)),
            })),
        }
    }

    /// The list, read again when it changed.
    fn now(&self) -> Arc<Vec<Mount>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known
            .as_mut()
            .is_none_or(|known| known.has_changed() && !known.read_again())
        {
            *known = Known::open();
        }
        known
            .as_ref()
            .map(|known| Arc::clone(&known.mounts))
            .unwrap_or_default()
    }
}

impl Known {
    fn open() -> Option<Self> {
        let mut known = Self {
            list: File::open(LIST).ok()?,
            mounts: Arc::default(),
        };
        known.read_again().then_some(known)
    }

    fn read_again(&mut self) -> bool {
        let mut list = String::new();
        let is_read = self.list.rewind().is_ok() && self.list.read_to_string(&mut list).is_ok();
        self.mounts = Arc::new(mounts(&list));
        is_read
    }

    /// Returns whether anything was mounted or unmounted since this was asked.
    fn has_changed(&self) -> bool {
        let changed = PollFlags::POLLPRI | PollFlags::POLLERR;
        let mut polled = [PollFd::new(self.list.as_fd(), changed)];
        poll(&mut polled, PollTimeout::ZERO).is_err()
            || polled.iter().any(|polled| polled.any().unwrap_or(true))
    }
}

/// The parts of a path, its last one first; the root, which is no name, stands for going there.
fn reversed(path: &Path) -> Vec<PathBuf> {
    let parts = path
        .components()
        .filter(|part| !matches!(part, Component::CurDir));
    parts
        .rev()
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect()
}

/// Follows the links of a path as far as a served file system.
fn led(mounts: &[Mount], path: &Path) -> Led {
    let mut parts = reversed(path);
    let mut at = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = parts.pop() {
        if part.as_os_str() == ".." {
            at.pop();
            continue;
        }
        let next = at.join(part);
        if let Some(served) = served_above(mounts, &next) {
            return Led::Served(served.to_owned());
        }
        match fs::read_link(&next) {
            Ok(target) if links < LINKS_MAX => {
                links += 1;
                parts.extend(reversed(&target));
            }
            _ => at = next,
        }
    }
    Led::To(at)
}

/// The file system of a path, where somebody serves it.
fn served_above<'m>(mounts: &'m [Mount], path: &Path) -> Option<&'m Path> {
    let above = mount_above(mounts, path).filter(|mount| mount.is_served);
    above.map(|mount| mount.path.as_path())
}

/// The file system of a path, where nobody serves it or one that it is mounted in.
fn own_mount<'m>(mounts: &'m [Mount], path: &Path) -> Option<&'m Mount> {
    let mut above = mounts.iter().filter(|mount| path.starts_with(&mount.path));
    if above.any(|mount| mount.is_served) {
        return None;
    }
    mount_above(mounts, path)
}

fn mount_above<'m>(mounts: &'m [Mount], path: &Path) -> Option<&'m Mount> {
    // Of several on one another the last one is seen.
    let above = mounts.iter().filter(|mount| path.starts_with(&mount.path));
    above.max_by_key(|mount| mount.path.as_os_str().len())
}

/// `36 35 98:0 / /mnt/far rw,noatime shared:1 - fuse.sshfs host: rw`, with blanks as `\040`.
fn mounts(list: &str) -> Vec<Mount> {
    let of_line = |line: &str| {
        let (mount, kind) = line.split_once(" - ")?;
        let kind = kind.split(' ').next()?;
        let fields: Vec<&str> = mount.split(' ').collect();
        Some(Mount {
            path: PathBuf::from(fields.get(4)?.replace("\\040", " ")),
            device: (*fields.get(2)?).to_owned(),
            is_served: SERVED.iter().any(|served| kind.starts_with(served)),
        })
    };
    list.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use super::*;

    const SAMPLE: &str = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                          36 22 0:98 / /mnt/far\\040away rw,noatime shared:1 - fuse.sshfs host: rw\n\
                          37 22 0:99 / /net rw - nfs4 host:/x rw\n\
                          38 22 0:99 / /net/own rw - ext4 /dev/sdb1 rw\n";

    #[test]
    fn a_served_file_system_is_one_place() {
        let mounts = Mounts::planted(SAMPLE, None);
        for (path, place) in [
            ("/net/a/b", "/net"),
            ("/mnt/far away/x", "/mnt/far away"),
            ("/network", "/network"),
            ("/net/own/a", "/net/own/a"),
        ] {
            assert_eq!(mounts.place_of(Path::new(path)), Path::new(place));
        }
    }

    #[test]
    fn links_are_followed_as_far_as_a_served_file_system() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let far = root.join("far");
        let list = format!("36 22 0:98 / {} rw - fuse.hang hang rw\n", far.display());
        let mounts = Mounts::planted(&list, None);
        symlink(far.join("a.rs"), root.join("absolute")).unwrap();
        symlink("there/../far/a.rs", root.join("relative")).unwrap();
        symlink("relative", root.join("twice")).unwrap();
        symlink("near", root.join("there")).unwrap();
        symlink("round", root.join("round")).unwrap();
        fs::create_dir(root.join("near")).unwrap();
        for link in [
            "absolute",
            "relative",
            "twice",
            "far/a.rs",
            "absolute/below",
        ] {
            assert_eq!(
                mounts.leads_to(&root.join(link)).as_deref(),
                Some(far.as_path()),
                "{link}"
            );
        }
        for other in ["there", "near/a.rs", "round", "gone/a.rs"] {
            assert_eq!(mounts.leads_to(&root.join(other)), None, "{other}");
        }
    }

    #[test]
    fn what_lies_beside_helix_is_told_from_what_may_hang() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        let list = format!(
            "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
             36 22 0:98 / {far} rw - fuse.hang hang rw\n\
             37 36 8:1 / {far}/own rw - ext4 /dev/sda1 rw\n\
             38 22 8:2 / {other} rw - ext4 /dev/sdb1 rw\n\
             39 22 8:1 /x {bound} rw - ext4 /dev/sda1 rw\n",
            far = at("far").display(),
            other = at("other").display(),
            bound = at("bound").display(),
        );
        symlink(at("far").join("a.rs"), at("leads_far")).unwrap();
        symlink("other/a.rs", at("leads_elsewhere")).unwrap();
        symlink("near/a.rs", at("leads_near")).unwrap();
        let mounts = Mounts::planted(&list, Some(&at("helix")));
        for near in ["a.rs", "bound/a.rs", "leads_near", "gone/a.rs"] {
            assert!(mounts.lead_near(&[at(near)]), "{near}");
        }
        for far in ["far/a.rs", "far/own/a.rs", "other/a.rs"] {
            assert!(!mounts.is_near(&at(far)), "{far}");
        }
        for link in ["leads_far", "leads_elsewhere"] {
            assert!(mounts.is_near(&at(link)), "{link}");
            assert!(!mounts.lead_near(&[at("a.rs"), at(link)]), "{link}");
        }
        let homeless = Mounts::planted(&list, None);
        assert!(!homeless.is_near(&at("a.rs")));
        let served = Mounts::planted(&list, Some(&at("far/helix")));
        assert!(!served.is_near(&at("far/a.rs")));
    }

    #[test]
    fn the_kernels_list_is_read_once() {
        let mounts = Mounts::default();
        let first = mounts.now();
        assert!(!cfg!(target_os = "linux") || !first.is_empty());
        assert_eq!(*first, *mounts.now());
    }
}
