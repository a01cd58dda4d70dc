//! What an experiment is and what it gave.
//!
//! - [`plan`]: a scenario with every default filled in and every name
//!   resolved; what the simulator and the emulator execute.
//! - [`run`]: what one execution measured, whatever executed it.

pub mod plan;
pub mod run;
