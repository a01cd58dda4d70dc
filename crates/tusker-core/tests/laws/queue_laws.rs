//! Properties of every queue policy of the registry, whatever the traffic, the link
//! and the parameters. A policy added to the registry is tested here without a
//! change to this file.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use tusker_core::params::Need;
use tusker_core::queue::{ALL, Kind, Link, Spec};
use tusker_core::spec::Kind as _;
use tusker_core::{Bytes, Duration, Params, Rate};

// proptest prints the smallest failing input; this seed finds it again
use crate::queue_model::{Queue, SEED, Step, spec};

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1..100_u32).prop_map(Step::Arrivals),
        (1..100_u32).prop_map(Step::Departures),
        (0..2_000_000_000_u64).prop_map(|ns| Step::Silence(Duration::from_nanos(ns))),
    ];
    prop::collection::vec(step, 1..100)
}

/// The position of a parameter within its range.
fn choices() -> impl Strategy<Value = [f64; Params::CAPACITY]> {
    prop::array::uniform16(prop_oneof![Just(-1.0), Just(0.0), Just(1.0), 0.0..1.0])
}

proptest! {
    #![proptest_config(Config {
        cases: 1024,
        rng_seed: RngSeed::Fixed(SEED),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn every_policy_stays_sane_under_any_traffic(
        steps in steps(),
        choices in choices(),
        rate in prop_oneof![
            Just(64_000_u64), Just(100_000_000), Just(2_500_000_000), Just(100_000_000_000)
        ],
        packet in prop_oneof![Just(40_u64), Just(1500), Just(9000)],
        limit in prop_oneof![Just(0_u32), Just(1), Just(50), Just(10_000)],
    ) {
        let link = Link {
            rate: Rate::from_bits_per_sec(rate),
            mean_packet: Bytes::new(packet),
        };
        for &kind in Kind::ALL {
            let spec = spec(kind, &choices);
            let mut queue = Queue::new(&spec, &link, limit);
            let mut again = Queue::new(&spec, &link, limit);
            for step in &steps {
                queue.live(step);
                again.live(step);
                queue.look(&spec);
            }
            prop_assert_eq!(queue.verdicts, again.verdicts, "same seed, other verdicts");
        }
    }
}

#[test]
fn every_sheet_can_be_used_as_it_stands() {
    for sheet in ALL {
        let name = sheet.name;
        assert!(Spec::named(name, []).is_ok(), "{name}: the defaults do not fit together");
        for p in sheet.params {
            assert!((p.min..=p.max).contains(&p.default), "{name}: default of {}", p.name);
            assert!(!p.about.is_empty(), "{name}: about of {}", p.name);
        }
        let alone = ALL.iter().filter(|other| other.name == name).count() == 1;
        assert!(alone, "{name} is in the registry twice");
    }
}

/// `(some_test_name)` in a sheet's `differs` names a test that exists.
#[test]
fn every_difference_names_a_test_that_exists() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = source(&here.join("src/queue")) + &source(&here.join("tests"));
    let mut names = 0;
    for sheet in ALL {
        let inner = sheet.differs.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
        for name in inner.flat_map(|(inside, _)| inside.split(", ")) {
            // parentheses also contain plain words; a test's name has three words
            // or more
            if !name.contains(' ') && name.matches('_').count() >= 2 {
                let wanted = format!("#[test]\n    fn {name}(");
                let outer = format!("#[test]\nfn {name}(");
                let exists = source.contains(&wanted) || source.contains(&outer);
                assert!(exists, "{}: no test {name}", sheet.name);
                names += 1;
            }
        }
    }
    assert!(names > 0, "no sheet names a test: is the pattern still right?");
}

/// If a registry left out a method, the trait's default would silently be used.
#[test]
fn the_registries_hand_every_method_on() {
    let methods = |text: &str, from: &str, indent: &str| -> Vec<String> {
        let (_, text) = text.split_once(from).expect(from);
        let end = format!("\n{}}}", &indent[4..]);
        let body = text.split_once(&end).expect("an end").0;
        let lines = body.lines().filter_map(|line| line.strip_prefix(&format!("{indent}fn ")));
        let mut names: Vec<String> =
            lines.map(|line| line.split(['(', '<']).next().expect("a name").into()).collect();
        names.sort();
        names
    };
    let (four, twelve) = ("    ", "            ");
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for (module, name, closed) in
        [("queue", "Aqm", "Policy"), ("congestion", "Controller", "Algorithm")]
    {
        let read = |file: &str| {
            std::fs::read_to_string(here.join("src").join(module).join(file)).expect(file)
        };
        let wanted = methods(&read("mod.rs"), &format!("pub trait {name} "), four);
        let given = methods(&read("registry.rs"), &format!("impl {name} for {closed} "), twelve);
        assert!(wanted.len() > 5, "is the pattern still right? {wanted:?}");
        assert_eq!(given, wanted, "{closed}");
    }
}

/// A policy whose sheet does not list the need is never called: nothing stores its
/// packets or shows it their headers.
#[test]
fn a_policy_says_what_it_needs() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/queue");
    for sheet in ALL {
        let file = here.join(format!("{}.rs", sheet.name));
        let text = std::fs::read_to_string(file)
            .or_else(|_| std::fs::read_to_string(here.join(sheet.name).join("mod.rs")))
            .expect("a policy has a file of its name");
        for (method, need) in [
            ("fn on_departure(", Need::Departures),
            ("fn on_empty(", Need::Departures),
            ("fn flow_queues(", Need::Departures),
            ("fn cake_queues(", Need::Departures),
            ("fn token_buckets(", Need::Departures),
            ("fn two_queues(", Need::TwoQueues),
            ("fn on_heads(", Need::TwoQueues),
            ("fn write(", Need::Headers),
        ] {
            let says = sheet.needs.contains(&need);
            assert!(says || !text.contains(method), "{}: {method} without {need:?}", sheet.name);
        }
    }
}

fn source(folder: &std::path::Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).expect("a source folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            all += &source(&path);
        } else {
            all += &std::fs::read_to_string(&path).expect("a source file");
        }
    }
    all
}
