//! Two heaps. Our own code allocates from mimalloc, which keeps a part for each thread. The ONNX Runtime allocates from the
//! C library, whose limits keep the resident size low (187 → 126 MB measured).
//!
//! glibc reads them from the environment before `main`, so the daemon starts itself once more when whoever started it did
//! not set them. The process id, the descriptors and the arguments stay the same.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

#[global_allocator]
static OURS: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The variables and their values.
const LIMITS: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "1"), ("MALLOC_TRIM_THRESHOLD_", "131072"), ("MALLOC_MMAP_THRESHOLD_", "131072")];

/// Starts the process anew with the limits, unless one is set already. Must run before anything is opened.
pub(crate) fn limit() {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) || LIMITS.iter().any(|(name, _)| env::var_os(name).is_some())
    {
        return;
    }
    let Ok(program) = env::current_exe() else { return };
    // Returns only when it failed; then the daemon merely takes more memory.
    let error = Command::new(program).args(env::args_os().skip(1)).envs(LIMITS).exec();
    eprintln!("helixd: running without limits on the allocator: {error}");
}
