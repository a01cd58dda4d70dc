//! What a path does to packets: a bounded queue with a queue policy, a wire with a
//! rate and a delay, then loss and jitter. There is no clock: time is an argument,
//! so a simulator and a real-time emulator run the same code.
//!
//! There are two kinds of hop. In a FIFO whose policy decides on arrival, the departure of a
//! packet is known when it is accepted. So a [`Hop`] stores no packets: it returns the time at
//! which each will arrive, and remembers only when those still inside will leave. With a policy
//! that decides at departure, or with a queue for each flow, the fate of a waiting packet is
//! still open: a [`Station`] stores the packets and picks the next one whenever its wire is
//! free.

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
mod varying;
mod waits;
mod wire;

pub use gate::{DropCause, Limit};
pub use hop::{Hop, Outcome};
pub use memory::room;
pub use meter::{Counters, Report, Schedule};
pub use setup::Setup;
pub use station::{Event, Offered, Sent, Station};
pub use varying::{Outages, Step, Varying, nanobits};
pub use waits::Waits;
pub use wire::Wire;
