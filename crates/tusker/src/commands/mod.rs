//! One file per command.

pub mod check;
pub mod compare;
pub mod demo;
pub mod destination;
pub mod diagnose;
pub mod evaluate;
pub mod folders;
pub mod generated;
pub mod import;
pub mod kernel;
pub mod names;
pub mod plan;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod serve;
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub mod shell;
pub mod sweep;
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub mod testbed;
