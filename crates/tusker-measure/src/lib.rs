//! Numbers from runs. Nothing here reads or writes a file.
//!
//! - [`mod@condition`]: comparisons of measures, and when they hold.
//! - [`mod@csv`]: cells of CSV.
//! - [`mod@cycle`]: how long a flow takes from one loss to the next.
//! - [`mod@doubts`]: why a result may not say what it seems to.
//! - [`mod@harm`]: what a flow loses because of a competitor.
//! - [`mod@response`]: response functions of laws.
//! - [`mod@stats`]: means and confidence intervals.
//! - [`mod@summary`]: the measures of a run, per group, per link and in total.
//! - [`mod@table`]: numbers and text tables for people.
//! - [`mod@watched`]: observations of a law in the running kernel.

pub mod condition;
pub mod csv;
pub mod cycle;
pub mod doubts;
#[cfg(any(test, feature = "example"))]
pub mod example;
pub mod harm;
pub mod path_of;
pub mod response;
pub mod stats;
pub mod summary;
pub mod table;
pub mod watched;
