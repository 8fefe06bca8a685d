//! Where Helix's other programs are.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Finds a program of ours: the one beside this executable, else the first on the search path.
///
/// Where the search path leads to the one beside us under another name, such as a package manager's
/// link, that name is answered: it survives an upgrade.
pub(crate) fn find(name: &str) -> Result<PathBuf, Failure> {
    let own = env::current_exe().map_err(Failure::io("finding the own executable"))?;
    let path = env::var_os("PATH").unwrap_or_default();
    let listed = env::split_paths(&path).filter(|directory| directory.is_absolute());
    let missing = || {
        let place = own.display();
        Failure::Unavailable(format!(
            "{name} was found neither beside {place} nor on the search path; reinstall Helix"
        ))
    };
    choose(own.parent(), listed, name).ok_or_else(missing)
}

/// Returns whether the first program of its name on the search path is this one.
pub(crate) fn is_on_path(program: &Path) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    leads_to(
        env::split_paths(&path).filter(|directory| directory.is_absolute()),
        program,
    )
}

fn leads_to(mut listed: impl Iterator<Item = PathBuf>, program: &Path) -> bool {
    let Some(name) = program.file_name() else {
        return false;
    };
    let first =
        listed.find_map(|directory| Some(directory.join(name)).filter(|path| path.is_file()));
    let real = |path: &Path| fs::canonicalize(path).ok();
    first.is_some_and(|first| real(&first).is_some() && real(&first) == real(program))
}

fn choose(
    beside: Option<&Path>,
    listed: impl Iterator<Item = PathBuf>,
    name: &str,
) -> Option<PathBuf> {
    let beside = beside
        .map(|directory| directory.join(name))
        .filter(|path| path.is_file());
    let mut candidates = listed
        .map(|directory| directory.join(name))
        .filter(|path| path.is_file());
    let Some(beside) = beside else {
        return candidates.next();
    };
    let real = fs::canonicalize(&beside).ok();
    let stable = candidates.find(|path| real.is_some() && fs::canonicalize(path).ok() == real);
    Some(stable.unwrap_or(beside))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn prefers_a_stable_name_for_the_program_beside_us() {
        let root = tempfile::tempdir().unwrap();
        let [cellar, bin, other] = ["cellar", "bin", "other"].map(|name| root.path().join(name));
        for directory in [&cellar, &bin, &other] {
            fs::create_dir(directory).unwrap();
        }
        let search = || [other.clone(), bin.clone()].into_iter();
        fs::write(other.join("tool"), "another").unwrap();
        assert_eq!(
            choose(Some(&cellar), search(), "tool"),
            Some(other.join("tool"))
        );
        fs::write(cellar.join("tool"), "ours").unwrap();
        assert_eq!(
            choose(Some(&cellar), search(), "tool"),
            Some(cellar.join("tool"))
        );
        symlink(cellar.join("tool"), bin.join("tool")).unwrap();
        assert_eq!(
            choose(Some(&cellar), search(), "tool"),
            Some(bin.join("tool"))
        );
        assert_eq!(choose(Some(&cellar), search(), "absent"), None);
        assert!(
            leads_to(search(), &other.join("tool")) && !leads_to(search(), &cellar.join("tool"))
        );
        assert!(
            leads_to([bin.clone(), other].into_iter(), &cellar.join("tool")),
            "by a link"
        );
        assert!(!leads_to([bin].into_iter(), &cellar.join("absent")));
    }
}
