//! Whether every law recovers. A law that never does is a fault, whichever law it is.
//!
//! A flow over 10 Mbit/s and 20 ms (16.7 packets) with a buffer of two BDP is disturbed: by a
//! flood, a burst of losses, a rate that falls and rises again, or a pause of its application.
//! A stated time after that, it must have 80 % of the rate that it has at the same time without
//! the disturbance. [`EXCEPTIONS`] lists the laws that need longer, or do not recover, because
//! of what was published about them.

use crate::support;
use tusker_core::congestion::ALL;
use tusker_core::params::{Need, Sheet};
use tusker_scenario::Scenario;

const SEEDS: [u64; 3] = [1, 2, 3];

/// The part of its undisturbed rate that a law must have again.
const ENOUGH: f64 = 0.8;

/// Over how many seconds the rate is measured.
const MEASURED: f64 = 3.0;

/// What happens to a flow.
struct Disturbance {
    name: &'static str,
    /// When it is over, in seconds.
    over: f64,
    /// How many seconds a law may take from then on.
    within: f64,
    rate: &'static str,
    /// Of the flow.
    app: &'static str,
    more: &'static str,
}

const STEADY: &str = "'10Mbit'";

const UNDISTURBED: Disturbance = Disturbance {
    name: "nothing",
    over: 7.0,
    // Reno is the slowest of the plain laws. The retransmission timer doubles from 0.2 s: one
    // that began with the disturbance expires after 0.2, 0.6, 1.4 and 3 s, 1 s after the end.
    // The window then grows by a segment in two round trips (delayed ACKs) of 20 to 60 ms, to
    // 13.3 segments within 1.6 s. So it takes 2.6 s; the others may have twice that.
    within: 5.0,
    rate: STEADY,
    app: "",
    more: "",
};

const DISTURBANCES: [Disturbance; 4] = [
    // it takes the link, with gaps through which a few packets of the flow fit
    Disturbance {
        name: "flood",
        more: "[[background]]\nname = 'flood'\nrate = '14Mbit'\njitter = 0.5\n\
               start = '5s'\nstop = '7s'",
        ..UNDISTURBED
    },
    // 50 times the link's rate: nothing of the flow arrives for a tenth of a second
    Disturbance {
        name: "loss burst",
        more: "[[background]]\nname = 'burst'\nrate = '500Mbit'\nstart = '6.9s'\nstop = '7s'",
        ..UNDISTURBED
    },
    Disturbance {
        name: "rate step",
        rate: "[{ at = '0s', rate = '10Mbit' }, { at = '5s', rate = '0.5Mbit' }, \
               { at = '7s', rate = '10Mbit' }]",
        ..UNDISTURBED
    },
    // at the link's rate a write takes 5.8 s; the next begins 3.2 s later
    Disturbance {
        name: "idle time",
        over: 9.0,
        within: 2.0,
        app: "app = { write = '7MB', every = '9s' }",
        ..UNDISTURBED
    },
];

/// Settings of TCP: whether ACKs are delayed, and timestamps.
const SETTINGS: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

/// What a law does that needs longer than others.
struct Exception {
    law: &'static str,
    after: &'static [&'static str],
    /// How many seconds it takes; `None`: it need not recover.
    within: Option<f64>,
    /// The settings for which this holds.
    settings: &'static [(bool, bool)],
    reason: &'static str,
}

const EXCEPTIONS: [Exception; 2] = [
    Exception {
        law: "vcp",
        after: &["flood", "loss burst", "rate step"],
        within: Some(15.0),
        settings: &SETTINGS,
        reason: "Xia et al. 2005, section 3.3: at a low load the window grows by 6.25 % per \
                 200 ms. From one segment to 13.3 that takes 200 ms ln 13.3/ln 1.0625 = 8.5 s",
    },
    Exception {
        law: "vivace",
        after: &["flood"],
        within: Some(25.0),
        settings: &SETTINGS,
        reason: "Dong et al. 2018 (from memory): the losses of the flood halve the rate again and \
                 again, to a segment per second (seed 2). A decision there needs several \
                 intervals of a few segments each, and begins with small steps",
    },
];

/// Mbit/s that arrive in the time that is measured.
fn rate(law: &Sheet, happens: &Disturbance, within: f64, setting: (bool, bool), seed: u64) -> f64 {
    let (delayed, timestamps) = setting;
    // a law that needs timestamps has them
    let timestamps = timestamps || law.needs.contains(&Need::Timestamps);
    let delayed = if delayed { "" } else { "delayed_ack = false\n" };
    let policy = match law.name {
        "xcp" | "vcp" => law.name,
        _ => "droptail",
    };
    let from = happens.over + within;
    let text = format!(
        "profile = 'linux'\nduration = '{to}s'\nmeasure = {{ from = '{from}s' }}\n\
         [dumbbell]\nrate = {path}\ndelay = '9ms'\n\
         queue = {{ limit = '33pkt', policy = '{policy}' }}\n\
         reverse = {{ queue = 'unlimited', rate = '10Mbit' }}\n\
         access = {{ rate = '1Gbit', delay = '0.5ms' }}\n\
         [tcp]\ntimestamps = {timestamps}\n{delayed}\
         [[flows]]\nname = 'f'\ncc = '{name}'\n{app}\n{more}\n",
        to = from + MEASURED,
        path = happens.rate,
        name = law.name,
        app = happens.app,
        more = happens.more,
    );
    let scenario = Scenario::parse("test.toml", &text, &[]).expect("a scenario");
    let plan = scenario.plan().expect("a plan");
    let run = support::run(&plan, seed);
    run.flows[0].arrived as f64 * 0.012 / MEASURED
}

/// How many seconds the law may take; `None` if it need not recover.
fn allowed(law: &Sheet, happens: &Disturbance, setting: (bool, bool)) -> Option<f64> {
    let holds = |e: &&Exception| {
        e.law == law.name && e.after.contains(&happens.name) && e.settings.contains(&setting)
    };
    EXCEPTIONS.iter().find(holds).map_or(Some(happens.within), |exception| exception.within)
}

#[test]
fn every_law_recovers() {
    let mut faults = Vec::new();
    for (law, setting) in ALL.iter().flat_map(|law| SETTINGS.map(|setting| (law, setting))) {
        for happens in &DISTURBANCES {
            let Some(within) = allowed(law, happens, setting) else { continue };
            let undisturbed = Disturbance { over: happens.over, ..UNDISTURBED };
            // one seed of three that does not recover is a third less
            let mean = |happens: &Disturbance| {
                let rates = SEEDS.map(|seed| rate(law, happens, within, setting, seed));
                rates.iter().sum::<f64>() / SEEDS.len() as f64
            };
            let (before, after) = (mean(&undisturbed), mean(happens));
            if after < ENOUGH * before {
                let (delayed, timestamps) = setting;
                faults.push(format!(
                    "{}, {}: {after:.2} Mbit/s, undisturbed {before:.2}; delayed_ack {delayed}, \
                     timestamps {timestamps}, seeds {SEEDS:?}",
                    law.name, happens.name
                ));
            }
        }
    }
    let reasons: Vec<_> = EXCEPTIONS.iter().map(|e| (e.law, e.reason)).collect();
    assert!(faults.is_empty(), "{}\nexceptions: {reasons:#?}", faults.join("\n"));
}

/// A flood of 28 Mbit/s during the first 2 s leaves C4 with hardly any rate. Only what probes
/// measure raises it: a sixteenth, or a quarter per round trip of a push, so that a sixteenth of
/// the link becomes all of it in ln 16/ln 1.25 = 13 round trips of pushes. Before the segments
/// of a delayed ACK left together, a probe measured no more than the nominal rate.
#[test]
fn c4_recovers_from_a_flood_at_its_start() {
    for seed in 1..=8 {
        let text = "profile = 'linux'\nduration = '20s'\nmeasure = { from = '10s' }\n\
                    [dumbbell]\nrate = '20Mbit'\ndelay = '4ms'\nqueue = '20pkt'\n\
                    access = { rate = '1Gbit', delay = '0.5ms' }\n\
                    [[flows]]\nname = 'f'\ncc = 'c4'\n\
                    [[background]]\nname = 'flood'\nrate = '28Mbit'\njitter = 0.5\n\
                    start = '0.05s'\nstop = '2s'\n";
        let scenario = Scenario::parse("test.toml", text, &[]).expect("a scenario");
        let plan = scenario.plan().expect("a plan");
        let run = support::run(&plan, seed);
        let rate = run.flows[0].arrived as f64 * 0.012 / 10.0;
        assert!(rate > ENOUGH * 20.0, "{rate} Mbit/s, seed {seed}");
    }
}
