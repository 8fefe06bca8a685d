//! x

pub mod index;
