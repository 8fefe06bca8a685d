//! The daemon's own status: its process, its socket, its connections.

use std::fs;
use std::process;
use std::sync::atomic::Ordering;

use helix_app::status::Overview;
use helix_engine::Store;
use helix_proto::v1;

use crate::runtime::Runtime;
use crate::wire;

/// Describes the daemon and what it holds.
pub(super) fn status(runtime: &Runtime, overview: Overview) -> v1::StatusReply {
    let layout = &runtime.app.layout;
    v1::StatusReply {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: process::id(),
        socket: layout.socket().display().to_string(),
        home: layout.paths.home.display().to_string(),
        started_at_us: runtime.started_at.as_micros(),
        strand: layout.strand.clone(),
        resident_bytes: resident_bytes(),
        open_connections: runtime.connections.load(Ordering::Relaxed),
        store_format: Store::FORMAT,
        hooks_answered: runtime.hooks_answered.load(Ordering::Relaxed),
        ..wire::health::overview(overview)
    }
}

/// Resident set of this process; 0 where the system does not say.
fn resident_bytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
