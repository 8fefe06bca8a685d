//! Follows an agent's work through its tools: which commands build or test, what went wrong in
//! them, what was done about it, and whether the agent heeds what it is told.

pub mod activity;
pub mod attention;
pub mod failing;
pub mod incident;
pub mod told;
pub mod watch;
