//! The Helix command line.

#[allow(
    dead_code,
    unused_imports,
    reason = "reached once the commands are wired in"
)]
mod wiring;

fn main() {}
