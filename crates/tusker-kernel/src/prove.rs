//! That the laws in C and in Rust are one law.

pub mod replay;
pub mod scripts;
pub mod steps;
