//! A program without the standard library that runs a law and a policy.
//!
//! If tusker-core, or something that it depends on, came to need std, there would
//! be two panic handlers here; if it came to allocate, an allocator would be
//! missing. Either way this no longer builds.
#![no_std]
#![forbid(unsafe_code)]

use core::panic::PanicInfo;

use tusker_core::congestion::{self, Ack, Algorithm, Controller, Options};
use tusker_core::queue::{self, Aqm, Link, Policy};
use tusker_core::spec::Kind;
use tusker_core::{Bytes, Rate};

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    loop {}
}

/// Every law hears of an ACK, and every policy is set up and shown, so that all their
/// code is here.
pub extern "C" fn run_everything() -> f64 {
    let mut sum = 0.0;
    for &kind in congestion::Kind::ALL {
        let mut law = Algorithm::new(&congestion::Spec::new(kind), &Options::default());
        law.on_ack(&Ack { acked: 1, credit: 1.0, cwnd_limited: true, ..Ack::default() });
        sum += law.cwnd();
    }
    let link = Link { rate: Rate::from_bits_per_sec(1_000_000), mean_packet: Bytes::new(1_500) };
    for &kind in queue::Kind::ALL {
        let policy = Policy::new(&queue::Spec::new(kind), &link);
        policy.inspect(&mut |_, value| sum += value);
    }
    sum
}
