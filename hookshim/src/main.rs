//! The hook shim: carries one hook event to the Helix daemon and prints what the daemon answers.
//!
//! ```text
//! helix-hook <event> [client]      stdin: the agent's JSON      stdout: the daemon's reply, or nothing
//! ```
//!
//! An agent runs this program in front of its own work, so it promises what the agent must be able
//! to rely on: it exits 0, it ends within its deadlines whatever the daemon does, it reads its
//! stdin so that the parent never meets a broken pipe, it prints a whole reply or nothing, it says
//! nothing on stderr unless `HELIX_HOOK_DEBUG` is set, and it leaves no process behind that holds
//! one of its streams. All thinking is the daemon's, but for one list that `approve` looks into.
//!
//! Data moves one way: `invocation` (arguments, variables) and `input` (stdin) → `frame` (request)
//! → `exchange` (socket) → stdout. `hook` decides the order; `daemon` finds a `helixd` that listens
//! elsewhere, and starts one for the first session of the day and in place of one that died. `os`
//! is the seam to the system, `start` the way into the program; only those two hold unsafe code.
//!
//! # Two forms of one source
//!
//! An ordinary build gives a std program. With `--cfg helix_freestanding` on Linux (`x86_64`,
//! `aarch64`) the same modules link without std, libc, allocator or C start-up code into a static
//! program of 16 KB, which starts several times faster:
//!
//! ```text
//! cargo rustc --profile shim -p helix-hook --bin helix-hook --target-dir target/shim -- --cfg helix_freestanding \
//!   -C link-arg=-nostartfiles -C link-arg=-nostdlib -C link-arg=-static -C relocation-model=static -C link-arg=-no-pie
//! ```
//!
//! The flags go to this crate alone (`cargo rustc`): in `RUSTFLAGS` they would break the build
//! scripts of dependencies, unless `--target` is given too.
#![cfg_attr(helix_freestanding, no_std, no_main)]

mod approve;
mod clock;
mod daemon;
mod exchange;
mod frame;
#[allow(
    dead_code,
    unreachable_pub,
    reason = "shared with the daemon, which needs all of it"
)]
#[path = "../../proto/src/harmless.rs"]
mod harmless;
mod hook;
mod input;
mod invocation;
mod json;
#[expect(unsafe_code, reason = "system calls that no safe wrapper offers")]
mod os;
mod place;
mod silence;
#[expect(
    unsafe_code,
    reason = "the program's entry, its arguments and its static memory"
)]
mod start;
mod text;

/// Starts the std form; the freestanding one starts in `start::freestanding`.
#[cfg(not(helix_freestanding))]
fn main() {
    start::hosted::begin();
}
