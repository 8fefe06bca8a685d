//! Shared parts of the black-box suites and benchmarks: the real binaries, homes of their own,
//! daemons that end with the test.

pub mod accepts;
pub mod binaries;
pub mod bridge;
pub mod broken_rule;
pub mod commands;
pub mod daemon;
pub mod dice;
pub mod fixtures;
pub mod home;
pub mod hook;
pub mod played;
pub mod process;
pub mod project;
pub mod rpc;
pub mod served;
pub mod text;

pub use accepts::HookClient;
pub use binaries::Binary;
pub use bridge::Bridge;
pub use daemon::Daemon;
pub use dice::Dice;
pub use home::Home;
pub use hook::HookRun;
pub use played::Played;
pub use project::Project;
pub use rpc::Rpc;
pub use served::Served;
