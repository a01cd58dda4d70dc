//! What a path does to packets: a bounded queue under a queue policy, a wire
//! with a rate and a delay, loss and jitter behind it. There is no clock: time
//! is an argument, so a simulator and a real-time emulator run the same bytes.
//!
//! There are two kinds of hop. In a FIFO whose policy decides on arrival the
//! departure of a packet is known when it is accepted. So a [`Hop`] stores no
//! packets: it says when each will arrive, and remembers only when those still
//! inside leave. A policy that decides at departure, or that has a queue for
//! each flow, changes its mind about what waits: a [`Station`] keeps the packets
//! and is asked for the next one whenever its wire is free.

#[cfg(test)]
mod any_clock;
mod departures;
mod gate;
mod hop;
mod impairments;
mod lockstep;
mod memory;
mod meter;
mod setup;
mod station;
mod wire;

pub use gate::{DropCause, Limit};
pub use hop::{Hop, Outcome};
pub use memory::room;
pub use meter::{Counters, Report, Schedule};
pub use setup::Setup;
pub use station::{Event, Offered, Sent, Station};
pub use wire::Wire;
