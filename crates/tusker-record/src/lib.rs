//! What an experiment gave.
//!
//! - [`files`]: files that are there as a whole or not at all.
//! - [`mod@harm`]: what somebody has lost because somebody else came.
//! - [`plan`]: what a plan for a transfer comes down to.
//! - [`stats`]: means and confidence intervals.
//! - [`summary`]: what a run comes down to, per group, link and in total.
//! - [`store`]: a folder per experiment, whole after every replicate.
//! - [`table`]: numbers and text tables for people.
//! - [`traces`]: captures that other tools read.
//! - [`watched`]: what was seen of a law in the running kernel.

#[cfg(test)]
mod example;
pub mod files;
pub mod harm;
pub mod plan;
pub mod stats;
pub mod store;
pub mod summary;
pub mod table;
pub mod traces;
pub mod watched;
