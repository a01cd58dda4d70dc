//! No scenario gives an impossible number (`tusker_measure::summary`): this is tested with
//! random scenarios over the whole language. Every release should have passed once with
//! `PROPTEST_CASES=10000`.

mod advice;
#[path = "../../../tusker-sim/tests/engine_support/mod.rs"]
mod engine_support;
mod language;

use std::ops::ControlFlow;

use engine_support::{Choices, scenario};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tusker_measure::summary::{Replicate, Summary, View};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_scenario::Scenario;
use tusker_sim::Engine;

/// Scenarios in `make test`.
const CASES: u32 = 1_000;

fn parse(text: &str) -> Plan {
    let scenario = Scenario::parse("random.toml", text, &[]);
    scenario.and_then(|s| s.plan()).unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

fn run(plan: &Plan, seed: u64) -> Run {
    let mut run = Engine::new(plan, seed, true)
        .run(tusker_core::Bytes::new(u64::MAX), &mut |_| ControlFlow::Continue(()), None)
        .expect("nothing breaks it off");
    // what may differ between two machines
    run.wall = std::time::Duration::ZERO;
    run
}

/// What one run of it gives, or the laws that it breaks.
fn replicate(plan: &Plan, seed: u64) -> Result<Replicate, String> {
    let (view, run) = (View::new(plan), run(plan, seed));
    let replicate = view.replicate(1, &run);
    let broken = view.impossible_in(&replicate, &run);
    let broken: Vec<String> = broken.iter().map(ToString::to_string).collect();
    if broken.is_empty() { Ok(replicate) } else { Err(broken.join("\n")) }
}

/// For so many random scenarios, the same ones every time.
fn seeded(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, b"every number could be measured..");
    TestRunner::new_with_rng(config, rng)
}

/// Choices for a scenario, and a seed for its run.
fn choices() -> impl Strategy<Value = (Vec<u16>, u64)> {
    (prop::collection::vec(any::<u16>(), 0..1_200), 1..1_000_u64)
}

fn any_scenario(runner: &mut TestRunner) -> (Vec<u16>, u64) {
    choices().new_tree(runner).expect("nothing is refused").current()
}

#[test]
fn no_scenario_gives_an_impossible_number() {
    let asked = std::env::var_os("PROPTEST_CASES").map(|_| Config::default().cases);
    let cases = asked.unwrap_or(CASES);
    seeded(cases)
        .run(&choices(), |(numbers, seed)| {
            let text = scenario(&mut Choices::new(&numbers));
            let plan = parse(&text);
            let once = replicate(&plan, seed)
                .unwrap_or_else(|broken| panic!("{broken}\nseed {seed}, in\n{text}"));
            let again = replicate(&plan, seed).expect("the same as before");
            assert_eq!(once, again, "seed {seed}, in\n{text}");
            let view = View::new(&plan);
            let summary = Summary::of("random", &view, 1, &[once]);
            let json = summary.to_json();
            // -0.05 is a number, -0.0 is none
            let digit = |rest: &str| rest.starts_with(|next: char| next.is_ascii_digit());
            let negative = json.split("-0.0").skip(1);
            assert!(negative.into_iter().all(digit), "{json}\nseed {seed}, in\n{text}");
            let read: Summary = serde_json::from_str(&json).expect("it was written as JSON");
            assert_eq!(read.to_json(), json, "seed {seed}, in\n{text}");
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

/// A rate that falls: what was sent before is dropped now, 46 packets per packet
/// that was sent in the window.
#[test]
fn loss_is_a_share_where_the_rate_falls() {
    let plan = parse(
        "profile = 'linux'\nduration = '4s'\n[dumbbell]\ndelay = '20ms'\n\
         rate = [{ at = '0s', rate = '622Mbit' }, { at = '1s', rate = '1Mbit' }]\n\
         queue = { policy = 'codel', limit = '1bdp' }\n\
         access = { rate = '1Gbit', delay = '1ms' }\n\
         [[flows]]\nname = 'c'\ncount = 4\ncc = 'cubic'\n",
    );
    let replicate = replicate(&plan, 1).unwrap_or_else(|broken| panic!("{broken}"));
    let loss = replicate.groups[0].loss_rate.value.expect("packets were sent");
    // CoDel drops more than it lets through, and lets some through
    assert!((0.5..0.9).contains(&loss), "{loss}");
}

/// A rate that rises a thousandfold after a second: 1 MB takes 8 s at the first and
/// 8 ms at the second. One that begins then has a round trip of 14 ms for its
/// opening and then six of slow start, whose windows of 10, 20, .. 320 segments sum
/// up to 630 of 691, and half of one: 105 ms, where the ideal time is 14 + 7 + 8 ms.
/// That is 3.6 times as long.
#[test]
fn slowdown_is_at_least_one_where_the_rate_rises() {
    let plan = parse(
        "profile = 'linux'\nduration = '10s'\nmeasure = { from = '0s' }\n[dumbbell]\n\
         rate = [{ at = '0s', rate = '1Mbit' }, { at = '1s', rate = '1Gbit' }]\n\
         delay = '5ms'\nqueue = '1000pkt'\naccess = { rate = '10Gbit', delay = '1ms' }\n\
         [[arrivals]]\nname = 'a'\ncc = 'cubic'\nrate = 5\nsize = '1MB'\n",
    );
    let replicate = replicate(&plan, 1).unwrap_or_else(|broken| panic!("{broken}"));
    let slowdown = replicate.transfers[0].all.slowdown_p50.value.expect("some end");
    assert!((3.2..4.0).contains(&slowdown), "{slowdown}");
}

/// 46 B take 40.889 us at 9 Mbit/s, and 55 B 48.889 us; each wire gives 8/9 ns of
/// that away. An opening of 46 B, its ACK and one packet cross nine wires: 8 ns.
#[test]
fn slowdown_is_one_on_an_empty_path() {
    let plan = parse(
        "profile = 'linux'\nhost_time = '0s'\nduration = '4s'\nmeasure = { from = '0s' }\n[dumbbell]\n\
         rate = '9Mbit'\ndelay = '1ms'\nqueue = '9pkt'\naccess = { rate = '9Mbit' }\n\
         [[arrivals]]\nname = 'a'\ncc = 'reno'\nrate = 5\nsize = '9B'\n\
         tcp = { header = '46B', ack = '46B', packet = '55B' }\n",
    );
    let replicate = replicate(&plan, 1).unwrap_or_else(|broken| panic!("{broken}"));
    let all = &replicate.transfers[0].all;
    assert!(all.begun.value > Some(9.0), "{:?}", all.begun);
    assert_eq!(all.slowdown_p50.value, Some(1.0));
    // 9 ms of propagation, 6 x 40,888 ns and 3 x 48,888 ns
    assert_eq!(all.time_p50_s.value, Some(0.009_391_992));
}
