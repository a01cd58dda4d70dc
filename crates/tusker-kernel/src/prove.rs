//! Shows that the laws behave the same in C and in Rust.

pub mod replay;
pub mod scripts;
pub mod steps;
