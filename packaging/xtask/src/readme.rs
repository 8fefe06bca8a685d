//! Runs the commands that the README shows, so that they stay true.
//!
//! A fenced `sh` block after `<!-- tested -->` runs in an empty git project; after `<!-- tested:
//! repository -->` it runs in this checkout. All blocks share one home directory and one daemon
//! that are made for them and removed afterwards.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::run::{run, say};
use crate::workspace::{Scratch, Workspace};

/// The marks that stand alone on a line before a block.
const MARK_PROJECT: &str = "<!-- tested -->";
const MARK_REPOSITORY: &str = "<!-- tested: repository -->";

/// Where a block runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Project,
    Repository,
}

/// A block to run.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    place: Place,
    /// Line of its fence, counted from 1.
    line: usize,
    script: String,
}

/// Runs every marked block of the README; returns how many there were.
pub(crate) fn check(workspace: &Workspace) -> Result<usize> {
    let path = workspace.root.join("README.md");
    let Ok(text) = fs::read_to_string(&path) else {
        return Ok(0);
    };
    let blocks = blocks(&text)?;
    if blocks.is_empty() {
        return Ok(0);
    }
    let stage = Stage::set(workspace)?;
    let result = blocks.iter().try_for_each(|block| stage.play(block));
    let ended = stage.end();
    result.and(ended)?;
    Ok(blocks.len())
}

/// Finds the marked blocks; a mark without a block is an error, because it would silently test
/// nothing.
fn blocks(text: &str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let place = match line.trim() {
            MARK_PROJECT => Place::Project,
            MARK_REPOSITORY => Place::Repository,
            _ => continue,
        };
        let fence = lines.by_ref().find(|(_, line)| !line.trim().is_empty());
        let Some((fence, _)) = fence.filter(|(_, line)| line.trim() == "```sh") else {
            bail!(
                "README.md line {}: a mark must stand before a ```sh block",
                index + 1
            );
        };
        let mut script = String::new();
        let mut closed = false;
        for (_, line) in lines.by_ref() {
            if line.trim() == "```" {
                closed = true;
                break;
            }
            script.push_str(line);
            script.push('\n');
        }
        ensure!(
            closed,
            "README.md line {}: the block is never closed",
            fence + 1
        );
        blocks.push(Block {
            place,
            line: fence + 1,
            script,
        });
    }
    Ok(blocks)
}

/// A home, a project and an environment that only the README's commands see.
struct Stage {
    scratch: Scratch,
    repository: PathBuf,
    environment: Vec<(&'static str, OsString)>,
}

impl Stage {
    fn set(workspace: &Workspace) -> Result<Self> {
        let scratch = Scratch::create("readme")?;
        let at = |name: &str| scratch.path().join(name);
        for dir in ["home", "project", "run"] {
            fs::create_dir(at(dir))
                .with_context(|| format!("could not create {}", at(dir).display()))?;
        }
        let mut environment: Vec<(&str, OsString)> = vec![
            ("HOME", at("home").into()),
            ("XDG_RUNTIME_DIR", at("run").into()),
            ("XDG_CONFIG_HOME", at("home").join(".config").into()),
            ("XDG_DATA_HOME", at("home").join(".local/share").into()),
            ("HELIX_HOME", at("helix").into()),
            (
                "HELIX_SOCKET",
                at("helix").join("run").join("helixd.sock").into(),
            ),
            ("HELIX_MODEL_DIR", workspace.model_dir().into()),
            ("CARGO_TARGET_DIR", workspace.target.clone().into()),
            ("PATH", workspace.path_with_bins()?),
        ];
        // The toolchain must not move with the home directory.
        for (name, dir) in [
            ("CARGO_HOME", ".cargo"),
            ("RUSTUP_HOME", ".rustup"),
            ("XDG_CACHE_HOME", ".cache"),
        ] {
            let home =
                std::env::var_os("HOME").map(|home| PathBuf::from(home).join(dir).into_os_string());
            environment.extend(std::env::var_os(name).or(home).map(|value| (name, value)));
        }
        let stage = Self {
            scratch,
            repository: workspace.root.clone(),
            environment,
        };
        run(stage
            .command("git", Place::Project)
            .args(["init", "--quiet"]))?;
        Ok(stage)
    }

    fn command(&self, program: &str, place: Place) -> Command {
        let mut command = Command::new(program);
        let project = self.scratch.path().join("project");
        let dir: &Path = if place == Place::Project {
            &project
        } else {
            &self.repository
        };
        command
            .current_dir(dir)
            .envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn play(&self, block: &Block) -> Result<()> {
        for line in block.script.lines() {
            say(&format!("    $ {line}"));
        }
        run(self
            .command("sh", block.place)
            .args(["-eu", "-c", &block.script]))
        .with_context(|| {
            format!(
                "README.md line {}: the commands shown there fail",
                block.line
            )
        })
    }

    /// Stops the daemon that the commands may have started.
    fn end(&self) -> Result<()> {
        if self.scratch.path().join("run").join("helixd.sock").exists() {
            run(self.command("helixctl", Place::Project).arg("down"))
                .context("could not stop the README's daemon")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_marked_blocks_are_taken() {
        let text = "```sh\nrm -rf /\n```\n<!-- tested -->\n\n```sh\nhelixctl status\n\nhelixctl doctor\n```\ntext\n\
                    <!-- tested: repository -->\n```sh\ncargo xtask up\n```\n```text\nno\n```\n";
        let expected = vec![
            Block {
                place: Place::Project,
                line: 6,
                script: "helixctl status\n\nhelixctl doctor\n".to_owned(),
            },
            Block {
                place: Place::Repository,
                line: 13,
                script: "cargo xtask up\n".to_owned(),
            },
        ];
        assert_eq!(blocks(text).unwrap(), expected);
    }

    #[test]
    fn a_mark_that_tests_nothing_is_an_error() {
        for text in [
            "<!-- tested -->\ntext\n",
            "<!-- tested -->\n```text\n```\n",
            "<!-- tested -->\n```sh\nls\n",
            "<!-- tested -->",
        ] {
            let error = blocks(text).unwrap_err();
            assert!(error.to_string().contains("README.md line"), "{error}");
        }
    }

    #[test]
    fn blocks_run_in_a_place_of_their_own_and_failures_name_the_line() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace {
            root: dir.path().to_owned(),
            target: dir.path().join("target"),
        };
        assert_eq!(check(&workspace).unwrap(), 0);
        let write = |script: &str| {
            fs::write(
                dir.path().join("README.md"),
                format!("<!-- tested -->\n```sh\n{script}\n```\n"),
            )
            .unwrap();
        };
        write(
            "test -d .git\ntest \"$HOME\" = \"$(cd ..; pwd)/home\"\ncase $PATH in */helix/bin:*) ;; *) exit 1;; esac",
        );
        assert_eq!(check(&workspace).unwrap(), 1);
        write("false\ntrue");
        let error = format!("{:#}", check(&workspace).unwrap_err());
        assert!(error.contains("README.md line 2"), "{error}");
    }
}
