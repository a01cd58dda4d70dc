//! Laws in the running kernel. Each test makes its own hosts and loads laws under names
//! of its own, so that they run beside each other; where the machine does not let them,
//! they say so and are skipped.

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
