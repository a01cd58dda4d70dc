//! TCP endpoints: everything about segments that a congestion control does not decide. They
//! know no network and no clock; the engine or a test's script passes them ACKs and times,
//! and takes segments from them.

mod control;
mod prr;
mod rack;
mod ranges;
mod rates;
mod receive_window;
mod receiver;
mod rto;
mod scoreboard;
mod sender;

pub use control::Control;
pub use receiver::{
    AckOut, FIRST_ACE, InOrder, Receiver, Setup as ReceiverSetup, Slot as ReceiverSlot, epoch,
    first_of,
};
pub use sender::{AckIn, Counters, Job, Segment, Sender, compresses_acks, delays_acks};
