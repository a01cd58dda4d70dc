//! The laws in C: compiled for this machine and led beside the laws in Rust.

pub mod events;
pub mod host;
pub mod prove;
