//! What a path does to packets: a bounded FIFO under a queue policy, a wire
//! with a rate and a delay, loss on the wire. There is no clock: time is an
//! argument, so a simulator and a real-time emulator run the same bytes.
//!
//! The departure of a packet is known when it is accepted, because a FIFO with
//! a fixed rate never changes its mind. So a [`Hop`] stores no packets: it says
//! when each will arrive, and remembers only when those still inside leave.

mod departures;
mod hop;
mod meter;
mod wire;

pub use hop::{DropCause, Hop, Limit, Outcome, Setup};
pub use meter::{Counters, Meter, Report, Schedule};
pub use wire::Wire;
