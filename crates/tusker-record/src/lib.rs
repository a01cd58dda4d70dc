//! What an experiment is and what it gave.
//!
//! - [`scenario`]: an experiment as a person writes it.
//! - [`plan`]: a scenario with every default filled in and every name
//!   resolved; what the simulator and the emulator execute.
//! - [`fairness`]: the rates that would be fair, and how far from them.
//! - [`run`]: what one execution measured, whatever executed it.
//! - [`stats`]: means and confidence intervals.
//! - [`summary`]: what a run comes down to, per group, link and in total.
//! - [`store`]: a folder per experiment, whole after every replicate.
//! - [`table`]: numbers and text tables for people.

#[cfg(test)]
mod example;
pub mod fairness;
pub mod plan;
pub mod run;
pub mod scenario;
pub mod stats;
pub mod store;
pub mod summary;
pub mod table;
