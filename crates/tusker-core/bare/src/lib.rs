//! A library without the standard library that runs a law and a policy.
//!
//! If tusker-core, or something that it depends on, started to need std, there
//! would be two panic handlers here; if it started to allocate, there would be no
//! allocator. Either way this would not build.
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

/// Every law gets an ACK, and every policy is set up and inspected, so that all of
/// their code is linked in.
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
