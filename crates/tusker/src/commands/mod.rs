//! One file per command.

pub mod check;
pub mod compare;
pub mod demo;
pub mod diagnose;
mod earlier;
pub mod evaluate;
pub mod folders;
pub mod generated;
pub mod import;
pub mod kernel;
mod made;
pub mod names;
mod paths;
pub mod place;
pub mod plan;
pub mod query;
pub mod report;
pub mod reproduce;
pub mod run;
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub mod shell;
pub mod sweep;
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub mod testbed;
