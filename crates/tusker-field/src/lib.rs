//! Files of other tools: what they measured, and what explains it.
//!
//! ```text
//!  iperf3 JSON, ss --read--> Measured --Question--> causes, each simulated --> Diagnosis
//! ```
//!
//! Readers turn a file into plain values; none trusts what it reads. [`diagnose`] asks which
//! limit explains a measured goodput.

pub mod diagnose;
mod iperf;
mod measured;
mod mistake;
mod read;
mod ss;

pub use measured::{Interval, Measured, Tool};
pub use mistake::Mistake;
pub use read::{MAX_BYTES, read};
