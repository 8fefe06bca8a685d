//! What the black-box suites and benchmarks share: the real binaries, homes of their own, daemons that end with the test.

pub mod binaries;
pub mod daemon;
pub mod home;

pub use binaries::Binary;
pub use daemon::Daemon;
pub use home::Home;
