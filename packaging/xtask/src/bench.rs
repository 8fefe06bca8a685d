//! `cargo xtask bench`: runs the benchmark program of `tests/` over the installed binaries and
//! model.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::binaries;
use crate::run::run;
use crate::shim;
use crate::workspace::Workspace;

/// What `--help` says besides; the benchmark program has its own, but only once it is built.
pub(crate) const HELP: &str = "\
Sections: hook, hooks, remedies, store, search, graph, redaction, restart, memory, corrections, forgotten, suspects, tools, import; quality and capture, which run only when they are named.
Options:
  --quick       Measures at 1,000 and 10,000 memories only, and repeats less
  --json FILE   Also writes every figure to this file
  --data DIR    Where the labelled sets of `quality` are (else HELIX_QUALITY_DIR)
  --ablate      Measures what `hooks` loses without each part of what hooks decide
  --table       Measures `quality` without each part of a search and writes tests/quality/RESULTS.md and ratios.toml
  --gate        Fails where `quality` is worse than tests/quality/ratios.toml by more than 0.01
  --run FILE    Writes the ranked output of `quality` to this file

The first full run of `search` embeds 111,000 texts, which takes ten minutes and more; they are kept in
<target>/helix/bench for later runs.

Examples:
  cargo xtask bench --quick
  cargo xtask bench hook search
  cargo xtask bench --quick tools import
  cargo xtask bench quality
  cargo xtask bench quality --gate
  cargo xtask bench capture";

/// Builds everything, then runs the benchmarks in homes of their own; the user's daemon is not
/// touched.
pub(crate) fn bench(arguments: &[OsString]) -> Result<()> {
    let workspace = Workspace::find()?;
    binaries::prepare(&workspace)?;
    let noop = shim::build_noop(&workspace)?;
    // Built by the same invocation as the rest: selecting its package alone would compile the index
    // again.
    let mut bench = Command::new(workspace.target.join("release").join("helix-bench"));
    bench
        .args(arguments)
        .current_dir(&workspace.root)
        .env("HELIX_BENCH_NOOP", noop);
    binaries::point_at_binaries(&mut bench, &workspace);
    run(&mut bench)
}
