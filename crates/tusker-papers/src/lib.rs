//! Published experiments as data: which rows a paper prints, how each is
//! simulated, what its text claims, and how our numbers compare.
//!
//! ```text
//!  papers/<key>/                          one folder per paper, no code
//!    suite.toml      what it is; what is measured, with tolerances; figures
//!    scenario.toml   the base assumptions, a scenario that runs
//!    cases.toml      rows: cases x variants, as changes to the scenario
//!    published.csv   the numbers printed in the paper
//!    claims.toml     its sentences as inequalities over rows
//!    readings.toml   other meanings that the text may have, as changes to the base
//!    reasons.toml    why rows and claims are off, if known
//!    conclusions.toml   its conclusions, each backed by claims; conclusions.csv:
//!                    the runs that they are judged on
//!
//!  Paper --rows, reading--> scenarios --(simulated elsewhere)--> Summary
//!        --Reproduction::of--> rows, claims, scoreboard
//! ```
//!
//! - [`model`]: the contents of a paper's files, as types.
//! - [`paper`]: the folder, read and checked.
//! - [`rows`]: rows, readings, and the scenario of each row.
//! - [`published`]: the printed numbers, and values derived from them.
//! - [`lookup`]: finds claims by their names, and takes tests written by the user.
//! - [`reasons`]: why something is off, and in which runs that was found.
//! - [`reproduction::baseline`]: how many rows the best constants would reach.
//! - [`conclusions`]: a paper's conclusions, and whether they stand.
//! - [`measure`]: a paper's measures, taken from a summary.
//! - [`reproduction`]: everything side by side, as in `reproduction.json`.
//! - [`reproduction::scoreboard`]: the overall score.
//! - [`recorded`]: the results of our runs, kept beside a paper.
//! - [`verdicts`]: what fails, or differs from the recorded results.
//! - [`overview`]: `docs/reproduction.md`, from the recorded results.
//! - [`curves`]: figures that show functions.
//! - [`stored`]: reads the files of a reproduction folder.
//! - [`mod@reproduce`]: does what is asked about a paper, with runs or without.
//! - [`page`]: what people read of all this.

mod between;
pub mod columns;
pub mod conclusions;
pub mod curves;
pub mod lookup;
pub mod measure;
pub mod model;
pub mod names;
pub mod overruled;
pub mod overview;
pub mod page;
pub mod paper;
pub mod published;
pub mod reasons;
pub mod recorded;
pub mod reproduce;
pub mod reproduction;
pub mod rows;
pub mod stored;
pub mod verdicts;

pub use paper::{Error, Paper};
pub use reproduction::Reproduction;
