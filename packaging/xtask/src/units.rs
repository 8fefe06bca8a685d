//! Checks the service files as far as this machine has the programs for it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::run::version_of;
use crate::workspace::{Scratch, Workspace};

/// The daemon's path in the shipped unit.
const SHIPPED_PROGRAM: &str = "/usr/bin/helixd";

/// The units, in `packaging/systemd`.
const UNITS: [&str; 2] = ["helixd.service", "helixd.socket"];

/// Verifies the systemd units with the built daemon in place of the shipped path. Returns false
/// without systemd.
pub(crate) fn check(workspace: &Workspace) -> Result<bool> {
    if version_of("systemd-analyze", &["--version"]).is_none() {
        return Ok(false);
    }
    let scratch = Scratch::create("units")?;
    for unit in UNITS {
        let from = workspace.root.join("packaging").join("systemd").join(unit);
        let text = fs::read_to_string(&from)
            .with_context(|| format!("could not read {}", from.display()))?;
        let text = text.replace(SHIPPED_PROGRAM, &workspace.bin("helixd").to_string_lossy());
        fs::write(scratch.path().join(unit), text)
            .with_context(|| format!("could not copy {unit}"))?;
    }
    verify(scratch.path())?;
    Ok(true)
}

/// Fails on any complaint: `systemd-analyze` succeeds even when it ignores a misspelt line.
fn verify(dir: &Path) -> Result<()> {
    let output = Command::new("systemd-analyze")
        .args(["verify", "--user", "--man=no"])
        .args(UNITS.map(|unit| dir.join(unit)))
        .env("XDG_RUNTIME_DIR", dir)
        .stdin(Stdio::null())
        .output()
        .context("could not start systemd-analyze")?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    // Complaints about units of the system itself are not ours.
    let ours: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("helixd"))
        .collect();
    if !ours.is_empty() || (!output.status.success() && said.trim().is_empty()) {
        bail!(
            "systemd-analyze complains ({}):\n{}",
            output.status,
            ours.join("\n")
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Runs the check over this checkout's units, changed by `edit`, with `/bin/true` as the
    /// daemon.
    fn check_edited(edit: impl Fn(&str) -> String) -> Option<Result<bool>> {
        version_of("systemd-analyze", &["--version"])?;
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace {
            root: dir.path().to_owned(),
            target: dir.path().join("target"),
        };
        fs::create_dir_all(workspace.bin_dir()).unwrap();
        std::os::unix::fs::symlink("/bin/true", workspace.bin("helixd")).unwrap();
        let units = dir.path().join("packaging").join("systemd");
        fs::create_dir_all(&units).unwrap();
        for unit in UNITS {
            let text = fs::read_to_string(
                Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("../systemd")
                    .join(unit),
            )
            .unwrap();
            assert!(unit.ends_with(".socket") || text.contains(SHIPPED_PROGRAM));
            fs::write(units.join(unit), edit(&text)).unwrap();
        }
        Some(check(&workspace))
    }

    #[test]
    fn the_shipped_units_pass_and_a_misspelt_one_does_not() {
        // One test, because the scratch directory is named after the process.
        let Some(result) = check_edited(str::to_owned) else {
            return;
        };
        assert!(result.unwrap());
        for (right, wrong) in [
            ("NoNewPrivileges", "NoNewPrivilege"),
            ("ExecStart=", "ExecStart=/nowhere"),
            ("[Socket]", "[Sock]"),
        ] {
            let result = check_edited(|text| text.replace(right, wrong)).unwrap();
            assert!(result.is_err(), "{wrong} went unnoticed");
        }
    }
}
