//! `cargo xtask dist`: everything that a package ships, under `<target>/dist/bin` and `<target>/dist/share`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::binaries::{PROGRAMS, SHIM, put_into_place};
use crate::run::{announce, capture, run, say};
use crate::shim;
use crate::workspace::Workspace;

/// Shells, and where each looks for completions of `helixctl` below `share`.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "bash-completion/completions/helixctl"),
    ("zsh", "zsh/site-functions/_helixctl"),
    ("fish", "fish/vendor_completions.d/helixctl.fish"),
];

/// Files of the checkout that are shipped as they are, and where below `share`.
const FILES: [(&str, &str); 4] = [
    ("packaging/systemd/helixd.service", "systemd/user/helixd.service"),
    ("packaging/systemd/helixd.socket", "systemd/user/helixd.socket"),
    ("packaging/launchd/dev.helix.helixd.plist", "helix/launchd/dev.helix.helixd.plist"),
    ("packaging/README.md", "doc/helix/INSTALL.md"),
];

/// Files that are shipped when the checkout has them.
const DOCUMENTS: [&str; 5] = ["README.md", "CHANGELOG.md", "LICENSE", "LICENSE-MIT", "LICENSE-APACHE"];

/// Builds stripped programs and gathers the files around them.
pub(crate) fn dist() -> Result<()> {
    let workspace = Workspace::find()?;
    let dist = workspace.target.join("dist");
    announce("building");
    build_programs(&workspace, &dist)?;
    announce("gathering files");
    let share = dist.join("share");
    if share.exists() {
        fs::remove_dir_all(&share).with_context(|| format!("could not remove {}", share.display()))?;
    }
    gather(&workspace, &share)?;
    describe(&dist.join("bin").join("helixctl"), &share)?;
    say(&format!("ready in {} and {}", dist.join("bin").display(), share.display()));
    Ok(())
}

/// Builds with link-time optimisation; the shim on its own, as everywhere.
fn build_programs(workspace: &Workspace, dist: &Path) -> Result<()> {
    let mut cargo = workspace.cargo(&["build", "--profile", "dist"]);
    for program in PROGRAMS.iter().chain([&SHIM]) {
        cargo.args(["--package", program]);
    }
    run(&mut cargo)?;
    let bin = dist.join("bin");
    for program in PROGRAMS {
        put_into_place(&dist.join(program), &bin.join(program))?;
    }
    let hook = if shim::is_possible() { shim::build(workspace)? } else { dist.join(SHIM) };
    if shim::is_possible() {
        shim::check(&hook)?;
    }
    put_into_place(&hook, &bin.join(SHIM))
}

fn gather(workspace: &Workspace, share: &Path) -> Result<()> {
    for (from, to) in FILES {
        copy(&workspace.root.join(from), &share.join(to))?;
    }
    for name in DOCUMENTS {
        let from = workspace.root.join(name);
        if from.is_file() {
            copy(&from, &share.join("doc").join("helix").join(name))?;
        }
    }
    Ok(())
}

/// Lets helixctl write its manual pages and completions.
fn describe(helixctl: &Path, share: &Path) -> Result<()> {
    let man = share.join("man").join("man1");
    fs::create_dir_all(&man).with_context(|| format!("could not create {}", man.display()))?;
    run(Command::new(helixctl).arg("man").arg(&man))?;
    for (shell, path) in COMPLETIONS {
        let script = capture(Command::new(helixctl).args(["completions", shell]))?;
        let path = share.join(path);
        create_parent(&path)?;
        fs::write(&path, script).with_context(|| format!("could not write {}", path.display()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    create_parent(to)?;
    fs::copy(from, to).with_context(|| format!("could not copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn create_parent(path: &Path) -> Result<()> {
    let dir = path.parent().context("a file has no directory")?;
    fs::create_dir_all(dir).with_context(|| format!("could not create {}", dir.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_shipped_file_exists_and_is_gathered() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let dir = tempfile::tempdir().unwrap();
        gather(&Workspace { root, target: dir.path().to_owned() }, dir.path()).unwrap();
        assert!(FILES.iter().all(|(_, to)| dir.path().join(to).is_file()));
    }
}
