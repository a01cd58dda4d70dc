//! Laws in the running kernel. Each test makes its own hosts and loads laws under its own
//! names, so that tests can run at the same time; if the machine does not allow them, they
//! say so and are skipped.

#[path = "../support/mod.rs"]
mod support;

mod choosing;
mod commands;
mod defaults;
mod goodput;
mod leaks;
mod persist;
mod repair;
mod watch;
