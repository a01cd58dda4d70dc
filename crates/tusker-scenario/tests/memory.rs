//! The expected memory of a run, compared with values worked out by hand.

use tusker_plan::budget::Memory;
use tusker_scenario::Scenario;

fn memory(text: &str) -> Memory {
    let text = format!(
        "profile = 'ns2'\nduration = '10s'\n[dumbbell]\nrate = '1Gbit'\ndelay = '10ms'\n\
         queue = '100pkt'\naccess = {{ rate = '100Tbit', delay = '1ms' }}\n{text}"
    );
    let scenario = Scenario::parse("test.toml", &text, &[]).unwrap_or_else(|e| panic!("{e:?}"));
    scenario.plan().unwrap_or_else(|e| panic!("{e:?}")).memory()
}

const FLOW: &str = "[[flows]]\nname = 'f'\ncc = 'reno'\n";

/// A session asks for 10^9 objects at once; each of them waits, 16 bytes in a
/// list of which up to half is free, twice while it moves.
#[test]
fn objects_that_wait_are_expected() {
    let web = |interval: &str| {
        memory(&format!(
            "[[web]]\nname = 'web'\ncc = 'reno'\nsessions = 1\nobjects = 1e9\n\
             object_interval = '{interval}'\nobject_size = '10kB'\npage_interval = '1s'\n\
             servers = {{ count = 1, rate = '1Gbit' }}\nclients = {{ count = 1, rate = '1Gbit' }}\n"
        ))
    };
    assert!((16e9..=64e9).contains(&(web("0s").transfers as f64)));
    // 80 us for 10 kB, 8 ms for two round trips on six connections: none waits
    assert!(web("20ms").transfers < 1_000_000);
}

/// 99.999 Tbit/s too much for 10 s are 83 * 10^9 packets of 1500 bytes. A limit
/// drops all of them but what it holds.
#[test]
fn what_a_queue_without_a_limit_takes_is_expected() {
    let flood = "[[background]]\nname = 'udp'\nrate = '100Tbit'\n";
    assert!(memory(&format!("{FLOW}{flood}")).packets < 10_000_000);
    let text = format!(
        "profile = 'ns2'\nduration = '10s'\n[dumbbell]\nrate = '1Gbit'\ndelay = '10ms'\n\
         queue = 'unlimited'\naccess = {{ rate = '100Tbit', delay = '1ms' }}\n{FLOW}{flood}"
    );
    let plan = Scenario::parse("test.toml", &text, &[]).and_then(|s| s.plan());
    let packets = plan.unwrap_or_else(|e| panic!("{e:?}")).memory().packets as f64;
    assert!((83e9 * 8.0..83e9 * 200.0).contains(&packets), "{packets}");
}

/// 100 x 10,000 segments of 48 bytes are under way before the first ACK.
#[test]
fn large_windows_are_expected() {
    let flows =
        format!("{FLOW}count = 100\ntcp.initial_window = 10000\nhost_queue = 'unlimited'\n");
    assert!(memory(&flows).packets > 48_000_000);
    assert!(memory(FLOW).packets < 1_000_000);
}

/// 10 s every millisecond are 10,001 rows of a time, five values of the flow and
/// what Reno and the link tell, 8 bytes each.
#[test]
fn a_trace_is_expected() {
    let traced = memory(&format!("{FLOW}[trace]\ninterval = '1ms'\n")).trace;
    assert!((10_001 * 8 * 7..10_001 * 8 * 16).contains(&traced), "{traced}");
    assert_eq!(memory(FLOW).trace, 0);
}
