//! What an agent is doing, as far as its tools show it: which commands build or test, what went
//! wrong in them, what was done about it, and whether it heeds what it is told.

pub mod activity;
pub mod attention;
pub mod failing;
pub mod incident;
pub mod watch;
