//! That the laws in C and in Rust are one law.

pub mod replay;
pub mod steps;
