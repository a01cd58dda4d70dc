//! Results of experiments.
//!
//! - [`condition`]: comparisons of measures, and when they hold.
//! - [`cycle`]: how long a flow takes from one loss to the next.
//! - [`doubts`]: why a result may not say what it seems to.
//! - [`files`]: files that are either complete or absent.
//! - [`mod@harm`]: what a flow loses because of a competitor.
//! - [`plan`]: the results of a plan for a transfer.
//! - [`response`]: response functions of laws.
//! - [`stats`]: means and confidence intervals.
//! - [`summary`]: the measures of a run, per group, per link and in total.
//! - [`store`]: a folder per experiment, complete after every replicate.
//! - [`table`]: numbers and text tables for people.
//! - [`traces`]: captures for other tools.
//! - [`watched`]: observations of a law in the running kernel.

pub mod condition;
pub mod cycle;
pub mod doubts;
#[cfg(test)]
mod example;
pub mod files;
pub mod harm;
pub mod plan;
pub mod response;
pub mod stats;
pub mod store;
pub mod summary;
pub mod table;
pub mod traces;
pub mod watched;
