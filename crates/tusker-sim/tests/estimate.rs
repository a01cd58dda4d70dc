//! A plan's estimate of memory is at least what the run takes and at most twice as much. It is
//! compared with the peak memory of this process, as counted by the kernel. All seeds are 1.
#![cfg(target_os = "linux")]

use std::fs;
use std::ops::ControlFlow;

use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;
use tusker_sim::run;

fn plan(text: &str) -> Plan {
    let scenario = Scenario::parse("test.toml", text, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    scenario.plan().unwrap_or_else(|e| panic!("{e:?}"))
}

fn dumbbell(duration: &str, rate: &str, delay: &str, queue: &str, flows: &str) -> Plan {
    plan(&format!(
        "profile = 'linux'\nduration = '{duration}'\n[dumbbell]\nrate = '{rate}'\n\
         delay = '{delay}'\nqueue = '{queue}'\naccess = {{ rate = '10Gbit', delay = '1ms' }}\n\
         [[flows]]\nname = 'f'\n{flows}\n"
    ))
}

/// Bytes.
fn most_resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.expect("the kernel counts") * 1024
}

/// Each takes more than the one before it, so the peak is its own.
#[test]
fn a_run_takes_what_is_expected_and_at_least_half_of_it() {
    let spread = "start = { uniform = ['0s', '2s'] }";
    // duration, rate, delay, queue, flows
    let cases = [
        (
            "a trace of 2.7 million values",
            ["3s", "1Mbit", "20ms", "10pkt", "cc = 'cubic'\ncount = 2\n"],
            "[trace]\ninterval = '20us'",
        ),
        (
            "10 flows of large windows",
            ["4s", "6Gbit", "98ms", "1bdp", "cc = 'cubic'\ncount = 10\n"],
            "",
        ),
        ("3,000 flows", ["4s", "1Gbit", "20ms", "1bdp", "cc = 'cubic'\ncount = 3000\n"], spread),
        (
            "8,000 short flows over 32,002 links",
            ["3s", "10Gbit", "20ms", "1bdp", "cc = 'reno'\ncount = 8000\nsize = '15kB'\n"],
            spread,
        ),
        (
            "8,000 flows that go on",
            ["3s", "1Gbit", "20ms", "1bdp", "cc = 'cubic'\ncount = 8000\n"],
            spread,
        ),
    ];
    let mut before = most_resident();
    for (name, [duration, rate, delay, queue, flows], more) in cases {
        let plan = dumbbell(duration, rate, delay, queue, &format!("{flows}{more}"));
        let expected = plan.memory().total();
        let kept = run(&plan, 1, &mut |_| ControlFlow::Continue(())).expect("nobody breaks off");
        let taken = most_resident();
        drop(kept);
        eprintln!("{name}: {taken} bytes, {expected} expected");
        assert!(taken > before, "{name} takes more than what was before it");
        assert!((taken..=2 * taken).contains(&expected), "{name}: {taken}, {expected} expected");
        before = taken;
    }
}
