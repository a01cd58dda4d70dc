//! Tests of the engine against closed forms, its own promises and other simulators, and of the
//! laws that run in it. `budget` and `estimate` measure their own process and are therefore
//! separate programs.

mod ahead;
mod applications;
mod captures;
mod changing;
mod engine_closed_forms;
mod engine_properties;
#[path = "../engine_support/mod.rs"]
mod engine_support;
mod laws_delay;
mod laws_l4s;
mod laws_loss;
mod laws_modern;
mod laws_queues;
mod laws_routers;
mod laws_today;
mod linux;
mod ns3;
mod oracle;
mod phase;
mod pieces;
mod queueing;
mod recoveries;
mod support;
mod traffic;
mod xcp_ns2;
