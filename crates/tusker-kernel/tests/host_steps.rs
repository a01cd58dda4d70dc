//! A million random steps of each law, in Rust and in C.

use std::thread;

use tusker_kernel::host::{HostLaw, Number};
use tusker_kernel::prove::steps::{run, run_bent};

const SEED: u64 = 3649;
const STEPS: u64 = 1_000_000;

#[test]
fn every_law_in_c_does_the_same_as_in_rust() {
    let hold = |name: &'static str| {
        let found = run(name, SEED, STEPS).expect("there is such a law in C");
        (found.hold(), format!("{name}: {found}"))
    };
    let all: Vec<(bool, String)> = thread::scope(|scope| {
        let started: Vec<_> =
            HostLaw::sheets().map(|sheet| scope.spawn(move || hold(sheet.name))).collect();
        started.into_iter().map(|law| law.join().expect("no law panics")).collect()
    });
    assert!(all.len() >= 9, "{all:#?}");
    assert!(all.iter().all(|(holds, _)| *holds), "{all:#?}");
}

/// One parameter a hundredth too large.
fn off(name: &str) -> impl Fn(&[Number], &mut [u64]) {
    move |numbers, values| {
        let place = numbers.iter().position(|n| n.name == name).expect("it has it");
        values[place] += values[place] / 100;
    }
}

#[test]
fn a_law_that_is_a_little_off_is_seen() {
    const FEWER: u64 = STEPS / 2;
    for (law, param) in [
        ("hstcp", "b_high"),
        ("hstcp", "w_low"),
        ("ghstcp", "z"),
        ("ghstcp-refined", "s_low"),
        ("hcc", "mi_threshold"),
        ("fast", "alpha"),
        ("scalable", "a"),
        ("htcp", "beta_max"),
        ("illinois", "eta1"),
        ("westwood", "filter"),
    ] {
        let as_it_is = run(law, SEED, FEWER).expect("there is such a law in C");
        let found = run_bent(law, SEED, FEWER, off(param)).expect("there is such a law in C");
        println!("{law}, {param} 1 % off: {found}");
        let seen = found.outside > 0 || found.differ > as_it_is.differ;
        assert!(seen, "{law} with {param} 1 % off: {found}");
    }
}
