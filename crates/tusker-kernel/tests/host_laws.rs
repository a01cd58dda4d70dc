//! The laws in C have the same parameters, defaults and internal values as those in Rust.

use tusker_core::Sheet;
use tusker_core::congestion::linux::loaded;
use tusker_core::congestion::{ALL, Algorithm, Controller, Options, Spec};
use tusker_kernel::host::{HostLaw, params_bytes};

/// The sheets that a header covers.
fn sheets(law: HostLaw) -> Vec<&'static Sheet> {
    let serves =
        |sheet: &&Sheet| HostLaw::named(sheet.name).is_some_and(|l| l.name() == law.name());
    ALL.iter().filter(serves).collect()
}

/// What C leaves out, and why.
const NOT_IN_C: &[(&str, &str)] = &[
    ("hcc", "tau"),  // no packet pairs in the kernel
    ("fast", "ns2"), // nor what was in the network when a segment left
];

/// What only C has: the choice between two sheets.
const ONLY_IN_C: &[(&str, &str)] = &[("ghstcp", "refined")];

#[test]
fn parameters_and_defaults_are_those_of_the_sheets() {
    for law in HostLaw::all() {
        let numbers = law.params();
        let mut known: Vec<&str> = Vec::new();
        for sheet in sheets(law) {
            let here = |name: &str| !NOT_IN_C.contains(&(sheet.name, name));
            let wanted: Vec<_> = sheet.params.iter().filter(|param| here(param.name)).collect();
            let names: Vec<_> = wanted.iter().map(|param| param.name).collect();
            // in the sheet's order, with those of the other sheet in between
            let ours: Vec<_> =
                numbers.iter().map(|number| number.name).filter(|n| names.contains(n)).collect();
            assert_eq!(ours, names, "{}", sheet.name);
            known.extend(names);
            for param in wanted {
                let number = numbers.iter().find(|n| n.name == param.name).expect("it is there");
                let (one, name) = (number.one as f64, param.name);
                assert_eq!(number.default, (param.default * one).round() as u64, "{name}");
                // the whole range fits, and its ends are accurate to a part in 10^4
                for end in [param.min, param.max] {
                    let units = (end * one).round();
                    assert!(units < 2_f64.powi(63), "{}: {name} = {end}", sheet.name);
                    let off = (units / one - end).abs();
                    assert!(
                        off <= 1e-4 * end,
                        "{}: {name} = {end} becomes {}",
                        sheet.name,
                        units / one
                    );
                }
            }
        }
        for number in &numbers {
            let only = ONLY_IN_C.contains(&(law.name(), number.name));
            assert!(only || known.contains(&number.name), "{}: {}", law.name(), number.name);
        }
    }
}

/// The values that a controller shows, in order.
fn shown(law: &dyn Controller) -> Vec<&'static str> {
    let mut names = Vec::new();
    law.inspect(&mut |name, _| names.push(name));
    names
}

#[test]
fn inner_values_are_those_of_the_laws_in_rust() {
    let options = Options::default();
    for law in HostLaw::all() {
        let mut all = Vec::new();
        for sheet in sheets(law) {
            let spec = Spec::named(sheet.name, []).expect("defaults fit together");
            let rust = shown(&Algorithm::new(&spec, &options));
            let c = shown(&law.controller(&spec, &options).expect("defaults are known in C"));
            assert_eq!(c, rust, "{}", sheet.name);
            all.extend(rust);
        }
        for number in law.shows() {
            assert!(all.contains(&number.name), "{} shows {}", law.name(), number.name);
        }
    }
}

/// Where a connection's state is stored depends on its size: up to 104 bytes belong to the
/// congestion control in the kernel, larger states go into socket storage.
#[test]
fn states_are_as_large_as_they_are() {
    let sizes: Vec<_> = HostLaw::all().iter().map(|law| (law.name(), law.state_size())).collect();
    let expected = [
        ("fast", 56),
        ("ghstcp", 208),
        ("hcc", 96),
        ("hstcp", 16),
        ("htcp", 56),
        ("illinois", 40),
        ("scalable", 1),
        ("westwood", 32),
    ];
    for law in expected {
        assert!(sizes.contains(&law), "{law:?}: {sizes:?}");
    }
}

/// `tusker kernel load` provides what the sheets say, and nothing else.
#[test]
fn the_sheets_say_what_can_be_loaded() {
    let in_c: Vec<&str> = HostLaw::sheets().map(|sheet| sheet.name).collect();
    assert_eq!(in_c, loaded().collect::<Vec<_>>());
    for sheet in HostLaw::sheets() {
        let law = HostLaw::named(sheet.name).expect("it is in C").name();
        let load = sheet.linux.load.expect("it can be loaded");
        assert_eq!(load.split(' ').next(), Some(law), "{}", sheet.name);
    }
}

#[test]
fn names_fit_into_the_kernel() {
    for law in HostLaw::all() {
        assert!(law.name().len() <= 15, "TCP_CA_NAME_MAX is 16, with the end: {}", law.name());
    }
    assert!(HostLaw::named("reno").is_none());
    assert_eq!(HostLaw::named("ghstcp-refined").map(HostLaw::name), Some("ghstcp"));
}

/// `struct params` by hand: refined, z, s_low, s_high, last_cycle, count_pairs, w_low, w_high
/// with 24 places, b_high with 32, halve, ns2_response.
#[test]
fn parameters_become_bytes() {
    let law = HostLaw::named("ghstcp").expect("it is in C");
    let bytes = |spec: &Spec| {
        let bytes = params_bytes(law, spec).expect("it is in C");
        let words =
            bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")));
        words.collect::<Vec<_>>()
    };
    let given = [("z", 2.5), ("s_high", 3.0), ("last_cycle", 1.0), ("b_high", 0.25)];
    let refined = Spec::named("ghstcp-refined", given).expect("in range");
    let one = 1 << 24;
    let expected = [1, 5 * one / 2, 2 * one, 3 * one, 1, 0, 38 * one, 83_000 * one, 1 << 30, 1, 0];
    assert_eq!(bytes(&refined), expected);
    // the original law, which has no s_low; 3.09 * 2^24 = 51,841,597.4
    let original = Spec::named("ghstcp", [("halve", 0.0)]).expect("in range");
    let b_high = 429_496_730; // 0.1 * 2^32 = 429,496,729.6
    let expected = [0, 51_841_597, 2 * one, 4 * one, 0, 0, 38 * one, 83_000 * one, b_high, 0, 0];
    assert_eq!(bytes(&original), expected);
}

#[test]
fn what_the_kernel_cannot_give_is_refused() {
    let law = HostLaw::named("hcc").expect("it is in C");
    let spec = Spec::named("hcc", [("tau", 0.016)]).expect("in range");
    let error = params_bytes(law, &spec).expect_err("there are no packet pairs");
    assert!(error.0.contains("hcc: tau stays 0 in the kernel"), "{}", error.0);
    let spec = Spec::named("hcc", [("alpha", 100.0)]).expect("in range");
    assert_eq!(params_bytes(law, &spec).map(|bytes| bytes.len()), Ok(6 * 8));
}
