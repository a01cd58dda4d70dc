//! What an executor is given and what it gives back, whatever executes.
//!
//! - [`plan`]: an experiment with nothing left open.
//! - [`executor`]: what takes the one and gives the other.
//! - [`plane`]: which kind of executor that was.
//! - [`run`]: what one execution measured.
//! - [`sources`]: what is sent when, drawn for a seed.
//! - [`observe`]: what is looked at packet by packet meanwhile.
//! - [`audit`]: how well one that keeps real time kept it.
//! - [`convergence`]: steps of time, to tell when rates came to be fair.
//! - [`budget`]: what an execution takes of memory, and why one may end early.
//! - [`leave`]: what becomes of an execution's memory when it ends early.
//! - [`fairness`]: the rates that would be fair, and how far from them.

pub mod audit;
pub mod budget;
pub mod convergence;
pub mod executor;
pub mod fairness;
pub mod leave;
pub mod observe;
pub mod plan;
pub mod plane;
pub mod run;
pub mod sources;
