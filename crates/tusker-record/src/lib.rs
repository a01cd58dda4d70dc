//! What an experiment is and what it gave.
//!
//! - [`scenario`]: an experiment as a person writes it.
//! - [`plan`]: a scenario with every default filled in and every name
//!   resolved; what the simulator and the emulator execute.
//! - [`fairness`]: the rates that would be fair, and how far from them.
//! - [`run`]: what one execution measured, whatever executed it.

pub mod fairness;
pub mod plan;
pub mod run;
pub mod scenario;
