//! The C versions of the laws, compiled for this machine and run beside the Rust versions.

pub mod events;
pub mod host;
pub mod prove;
