//! What an executor is given and what it gives back, whatever executes.
//!
//! - [`plan`]: an experiment with nothing left open.
//! - [`run`]: what one execution measured.
//! - [`budget`]: what an execution takes of memory, and why one may end early.
//! - [`fairness`]: the rates that would be fair, and how far from them.

pub mod budget;
pub mod fairness;
pub mod plan;
pub mod run;
