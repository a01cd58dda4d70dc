//! Published experiments as data: which rows a paper prints, how each is
//! simulated, what its text claims, and how our numbers compare.
//!
//! ```text
//!  papers/<key>/                          one folder per paper, no code
//!    paper.toml      what it is; what is measured, with tolerances; figures
//!    scenario.toml   the base assumptions, a scenario that runs
//!    cases.toml      rows: cases x variants, as changes to the scenario
//!    published.csv   the numbers that the paper prints
//!    claims.toml     its sentences as inequalities over rows
//!    readings.toml   what else the text may mean, as changes to the base
//!    reasons.toml    why rows and claims are off, where it is known
//!    conclusions.toml   what it concludes, as some of its claims; conclusions.csv:
//!                    what these are judged on
//!
//!  Paper --rows, reading--> scenarios --(simulated elsewhere)--> Summary
//!        --Reproduction::of--> rows, claims, scoreboard
//! ```
//!
//! - [`model`]: what its files say, as types.
//! - [`paper`]: the folder, read and checked.
//! - [`rows`]: rows, readings, and the scenario of each row.
//! - [`published`]: the printed numbers, and what follows from them.
//! - [`expr`]: the small language of claims.
//! - [`claims`], [`judge`]: claims, and how they stand on any set of values.
//! - [`reasons`]: why something is off, and under which runs that was found.
//! - [`reproduction::baseline`]: what the best constants would reach.
//! - [`conclusions`]: what a paper concludes, and whether it stands.
//! - [`measure`]: a paper's measures out of a summary.
//! - [`reproduction`]: everything side by side, as `reproduction.json` has it.
//! - [`reproduction::scoreboard`]: how it went as a whole.
//! - [`recorded`]: what our runs gave, kept beside a paper.
//! - [`verdicts`]: what of it fails, or is not what was recorded.
//! - [`overview`]: `docs/reproduction.md`, from what was recorded.
//! - [`curves`]: figures that are functions.
//! - [`stored`]: what a folder keeps of all this, read back.

pub mod claims;
pub mod columns;
pub mod conclusions;
pub mod curves;
pub mod expr;
pub mod judge;
pub mod measure;
pub mod model;
pub mod overruled;
pub mod overview;
pub mod paper;
pub mod published;
pub mod reasons;
pub mod recorded;
pub mod reproduction;
pub mod rows;
pub mod stored;
pub mod verdicts;

pub use paper::{Error, Paper};
pub use reproduction::Reproduction;
