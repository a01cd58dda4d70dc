//! Arbitrary numbers as traffic at a queue with every policy: internal values stay finite,
//! an idle link gets its packet, time advances; never a panic.
#![no_main]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tusker_core::queue::{Kind, Link};
use tusker_core::spec::Kind as _;
use tusker_core::{Bytes, Duration, Params, Rate};

#[path = "../../crates/tusker-core/tests/laws/queue_model/mod.rs"]
mod queue_model;

use queue_model::{Queue, Step, spec};

const MOST_STEPS: usize = 100;

fuzz_target!(|bytes: &[u8]| {
    // input that ends early is a shorter sequence
    let _ = any_traffic(&mut Unstructured::new(bytes));
});

fn any_traffic(u: &mut Unstructured<'_>) -> Result<()> {
    let kind = *u.choose(Kind::ALL)?;
    let mut choices = [-1.0; Params::CAPACITY];
    for choice in choices.iter_mut().take(kind.sheet().params.len()) {
        if u.arbitrary()? {
            *choice = f64::from(u.arbitrary::<u16>()?) / f64::from(u16::MAX);
        }
    }
    let spec = spec(kind, &choices);
    let rate = *u.choose(&[64_000, 100_000_000, 2_500_000_000, 100_000_000_000])?;
    let packet = *u.choose(&[40, 1_500, 9_000])?;
    let link = Link { rate: Rate::from_bits_per_sec(rate), mean_packet: Bytes::new(packet) };
    let limit = *u.choose(&[0, 1, 50, 10_000])?;
    let mut queue = Queue::new(&spec, &link, limit);
    for _ in 0..MOST_STEPS {
        if u.is_empty() {
            break;
        }
        queue.live(&match u.int_in_range(0..=2)? {
            0 => Step::Arrivals(u.int_in_range(1..=100)?),
            1 => Step::Departures(u.int_in_range(1..=100)?),
            _ => Step::Silence(Duration::from_nanos(u.int_in_range(0..=2_000_000_000)?)),
        });
        queue.look(&spec);
    }
    Ok(())
}
