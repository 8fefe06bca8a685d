//! `cargo xtask dist`: everything that a package ships, under `<target>/dist/bin` and
//! `<target>/dist/share`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

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
const FILES: [(&str, &str); 12] = [
    (
        "packaging/systemd/helixd.service",
        "systemd/user/helixd.service",
    ),
    (
        "packaging/systemd/helixd.socket",
        "systemd/user/helixd.socket",
    ),
    (
        "packaging/launchd/dev.helix.helixd.plist",
        "helix/launchd/dev.helix.helixd.plist",
    ),
    ("packaging/man/helixd.1", "man/man1/helixd.1"),
    ("packaging/man/helix-mcp.1", "man/man1/helix-mcp.1"),
    ("packaging/man/helix-hook.1", "man/man1/helix-hook.1"),
    ("packaging/README.md", "doc/helix/INSTALL.md"),
    (
        "packaging/claude-plugin/.claude-plugin/plugin.json",
        "helix/claude-plugin/.claude-plugin/plugin.json",
    ),
    (
        "packaging/claude-plugin/.mcp.json",
        "helix/claude-plugin/.mcp.json",
    ),
    (
        "packaging/claude-plugin/hooks/hooks.json",
        "helix/claude-plugin/hooks/hooks.json",
    ),
    (
        "packaging/claude-plugin/README.md",
        "helix/claude-plugin/README.md",
    ),
    (
        "packaging/claude-plugin/LICENSE",
        "helix/claude-plugin/LICENSE",
    ),
];

/// Programs with a help text whose manual page is written by hand. The shim has none to compare its
/// page with.
const WRITTEN_PAGES: [&str; 2] = ["helixd", "helix-mcp"];

/// Files that are shipped when the checkout has them.
const DOCUMENTS: [&str; 5] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// Builds stripped programs and gathers the files around them.
pub(crate) fn dist() -> Result<()> {
    let workspace = Workspace::find()?;
    let dist = workspace.target.join("dist");
    announce("building");
    build_programs(&workspace, &dist)?;
    announce("gathering files");
    let share = dist.join("share");
    if share.exists() {
        fs::remove_dir_all(&share)
            .with_context(|| format!("could not remove {}", share.display()))?;
    }
    gather(&workspace, &share)?;
    describe(&dist.join("bin").join("helixctl"), &share)?;
    for program in WRITTEN_PAGES {
        check_page(&dist.join("bin").join(program), &share)?;
    }
    say(&format!(
        "ready in {} and {}",
        dist.join("bin").display(),
        share.display()
    ));
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
    let hook = if shim::is_possible() {
        shim::build(workspace)?
    } else {
        dist.join(SHIM)
    };
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

/// Fails when a program's manual page leaves out an option that its help names.
fn check_page(program: &Path, share: &Path) -> Result<()> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let path = share.join("man").join("man1").join(format!("{name}.1"));
    let page =
        fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
    let missing = missing_options(&capture(Command::new(program).arg("--help"))?, &page);
    ensure!(
        missing.is_empty(),
        "{} leaves out {}",
        path.display(),
        missing.join(", ")
    );
    Ok(())
}

/// The options that a help text names and a manual page does not.
fn missing_options(help: &str, page: &str) -> Vec<String> {
    let plain = page.replace('\\', "");
    let words = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let options = words.filter(|word| word.len() > 2 && word.starts_with("--"));
    options
        .filter(|option| !plain.contains(&format!("{option}f")))
        .map(str::to_owned)
        .collect()
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    create_parent(to)?;
    fs::copy(from, to)
        .with_context(|| format!("could not copy {} to {}", from.display(), to.display()))?;
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
        gather(
            &Workspace {
                root,
                target: dir.path().to_owned(),
            },
            dir.path(),
        )
        .unwrap();
        assert!(
            WRITTEN_PAGES
                .iter()
                .all(|name| dir.path().join(format!("man/man1/{name}.1")).is_file())
        );
        assert!(FILES.iter().all(|(_, to)| dir.path().join(to).is_file()));
    }

    #[test]
    fn the_plugin_is_shipped_whole() {
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../claude-plugin");
        let mut directories = vec![plugin.clone()];
        let mut found = 0;
        while let Some(directory) = directories.pop() {
            for path in fs::read_dir(directory)
                .unwrap()
                .map(|entry| entry.unwrap().path())
            {
                if path.is_dir() {
                    directories.push(path);
                    continue;
                }
                let name = path
                    .strip_prefix(&plugin)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                let expected = (
                    format!("packaging/claude-plugin/{name}"),
                    format!("helix/claude-plugin/{name}"),
                );
                let is_shipped =
                    |(from, to): &(&str, &str)| (*from, *to) == (&expected.0, &expected.1);
                assert!(FILES.iter().any(is_shipped), "{name}");
                found += 1;
            }
        }
        assert!(found > 0);
    }

    #[test]
    fn an_option_without_a_word_in_the_manual_is_noticed() {
        let page = "\\fB\\-\\-home\\fR \\fIDIR\\fR\n\\fB\\-\\-no\\-embedder\\fR\n";
        let help = "Options:\n      --home <DIR>  Where (environment: `HELIX_HOME`)\n  -n, --no-embedder\n      --ho\n";
        assert_eq!(missing_options(help, page), ["--ho"]);
        assert_eq!(
            missing_options("Usage: helixd [OPTIONS]\n", page),
            Vec::<String>::new()
        );
    }
}
