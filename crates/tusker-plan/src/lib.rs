//! The input and output of every executor.
//!
//! - [`plan`]: a completely specified experiment.
//! - [`executor`]: what executes a plan, whole or piece by piece, and returns a run.
//! - [`plane`]: the kind of executor.
//! - [`run`]: what one execution measured.
//! - [`sources`]: what is sent when, drawn from a seed.
//! - [`streams`]: the names of the random streams.
//! - [`observe`]: packet-by-packet observation during an execution.
//! - [`audit`]: how well a real-time executor kept time.
//! - [`convergence`]: time steps, to determine when rates became fair.
//! - [`budget`]: the memory that an execution takes, and why one may end early.
//! - [`leave`]: what happens to an execution's memory when it ends early.
//! - [`stock`]: the socket buffers of a Linux host that nobody has tuned.
//! - [`fairness`]: fair rates, and indices of fairness.

pub mod audit;
pub mod budget;
pub mod convergence;
mod delays;
pub mod executor;
pub mod fairness;
pub mod leave;
mod memory;
pub mod observe;
pub mod plan;
pub mod plane;
pub mod run;
pub mod sources;
pub mod stock;
pub mod streams;
