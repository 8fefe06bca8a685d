//! Environment variables that the C libraries read before `main`, and the heap of our own code.
//!
//! The ONNX Runtime reports its use to its makers, looks for their server and leaves a database in
//! the user's cache unless a variable forbids it, whatever its programming interface is told;
//! nothing may leave this machine, so it is forbidden. It allocates from the C library, whose
//! limits keep the resident size low (187 → 126 MB measured). Our own code allocates from mimalloc,
//! which keeps a part for each thread; without huge pages, and giving back what is free after a
//! moment, it takes less memory (38 → 21 MB measured when nearly empty and without the model).
//!
//! Both are read when a process begins, so the daemon starts itself once more when whoever started
//! it did not set them. The process id, the descriptors and the arguments stay the same.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

#[global_allocator]
static OURS: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Forbids the ONNX Runtime to report anything.
const SILENCE: (&str, &str) = ("ORT_DISABLE_TELEMETRY", "1");

/// Limits of the C library's allocator and of ours: bytes, and milliseconds for the delay.
const LIMITS: [(&str, &str); 5] = [
    ("MALLOC_ARENA_MAX", "1"),
    ("MALLOC_TRIM_THRESHOLD_", "131072"),
    ("MALLOC_MMAP_THRESHOLD_", "131072"),
    ("MIMALLOC_ALLOW_THP", "0"),
    ("MIMALLOC_PURGE_DELAY", "10"),
];

/// Starts the process anew with what is missing. Must run before anything is opened.
pub(crate) fn complete() {
    let takes_limits = cfg!(all(target_os = "linux", target_env = "gnu"));
    let is_missing = |(name, _): &(&str, &str)| takes_limits && env::var_os(name).is_none();
    let limits: Vec<(&str, &str)> = LIMITS.into_iter().filter(is_missing).collect();
    if limits.is_empty() && is_silenced() {
        return;
    }
    let Ok(program) = env::current_exe() else {
        return;
    };
    // Returns only when it failed; then the daemon takes more memory, and the embedder stays off.
    let error = Command::new(program)
        .args(env::args_os().skip(1))
        .envs([SILENCE])
        .envs(limits)
        .exec();
    eprintln!("helixd: running without its environment: {error}");
}

/// Returns whether the ONNX Runtime, once loaded, keeps to itself.
pub(crate) fn is_silenced() -> bool {
    env::var_os(SILENCE.0).is_some_and(|value| value == SILENCE.1)
}
