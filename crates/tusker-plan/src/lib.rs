//! What an executor is given and what it gives back, whatever executes.
//!
//! - [`plan`]: an experiment with nothing left open.
//! - [`run`]: what one execution measured.
//! - [`fairness`]: the rates that would be fair, and how far from them.

pub mod fairness;
pub mod plan;
pub mod run;
