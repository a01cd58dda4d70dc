//! Results of experiments.
//!
//! - [`files`]: files that are either complete or absent.
//! - [`mod@harm`]: what a flow loses because of a competitor.
//! - [`plan`]: the results of a plan for a transfer.
//! - [`stats`]: means and confidence intervals.
//! - [`summary`]: the measures of a run, per group, per link and in total.
//! - [`store`]: a folder per experiment, complete after every replicate.
//! - [`table`]: numbers and text tables for people.
//! - [`traces`]: captures for other tools.
//! - [`watched`]: observations of a law in the running kernel.

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
