//! A million random steps of each law, in Rust and in C.

use tusker_kernel::host::Number;
use tusker_kernel::prove::steps::{Steps, run, run_bent};

const SEED: u64 = 3649;
const STEPS: u64 = 1_000_000;

fn hold(name: &str) -> Steps {
    let found = run(name, SEED, STEPS).expect("there is such a law in C");
    println!("{name}: {found}");
    assert!(found.hold(), "{name}: {found}");
    found
}

macro_rules! laws {
    ($($test:ident: $name:literal;)*) => {$(
        #[test]
        fn $test() {
            hold($name);
        }
    )*};
}

laws! {
    fast: "fast";
    ghstcp: "ghstcp";
    ghstcp_refined: "ghstcp-refined";
    hcc: "hcc";
    hstcp: "hstcp";
    htcp: "htcp";
    illinois: "illinois";
    scalable: "scalable";
    westwood: "westwood";
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
