//! `cargo xtask bench`: runs the benchmark program of `tests/` over the installed binaries and model.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::binaries;
use crate::run::run;
use crate::shim;
use crate::workspace::Workspace;

/// Builds everything, then runs the benchmarks in homes of their own; the user's daemon is not touched.
pub(crate) fn bench(arguments: &[OsString]) -> Result<()> {
    let workspace = Workspace::find()?;
    binaries::prepare(&workspace)?;
    let noop = shim::build_noop(&workspace)?;
    // Built by the same invocation as the rest: selecting its package alone would compile the index again.
    let mut bench = Command::new(workspace.target.join("release").join("helix-bench"));
    bench.args(arguments).current_dir(&workspace.root).env("HELIX_BENCH_NOOP", noop);
    binaries::point_at_binaries(&mut bench, &workspace);
    run(&mut bench)
}
