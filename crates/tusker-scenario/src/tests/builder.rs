//! Dumbbells from options.

use tusker_core::{Duration, Rate};

use crate::limit::Limit;
use crate::{Builder, Cc, Flows, Group, Loss, Profile, Queue, Scenario};

fn built(queue: &str, ecn: bool) -> Result<Scenario, crate::Error> {
    builder(queue, ecn).scenario()
}

fn builder(queue: &str, ecn: bool) -> Builder {
    let mut flows = Flows::new("one", Cc::read("ghstcp:z=2").unwrap());
    flows.count = Some(2);
    Builder {
        title: "a path".to_owned(),
        profile: Profile::Linux,
        duration: Duration::from_millis(5_000),
        rate: Rate::from_bits_per_sec(50_000_000),
        traces: None,
        rtt: Duration::from_millis(20),
        queue: Queue::read(queue, Limit::Bdp(0.5)).unwrap(),
        loss: Some(Loss::read(".01").unwrap()),
        loses_both_ways: false,
        ecn,
        flows: vec![Group { flows, cc: "--cc", parallel: "--parallel" }],
    }
}

/// Half of the round trip each way, hosts ten times as fast, and starts within a tenth of the
/// duration.
#[test]
fn options_are_a_scenario_file() {
    let text = r#"
title = "a path"
profile = "linux"
duration = "5s"
tcp.ecn = true
[dumbbell]
rate = "50Mbit"
delay = "10ms"
queue = { policy = "red", limit = "0.5bdp", max_p = 0.02, ecn = true }
loss = 0.01
access = { rate = "500Mbit", delay = "0s" }
[[flows]]
name = "one"
count = 2
cc = { name = "ghstcp", z = 2 }
start = { uniform = ["0s", "500ms"] }
"#;
    let sets = ["seed=3".to_owned(), "flows.one.count=4".to_owned()];
    let expected = Scenario::parse("a.toml", text, &sets).unwrap();
    assert_eq!(built("red:max_p=0.02", true).unwrap().with(&sets).unwrap(), expected);
}

#[test]
fn directions_can_have_traces_and_both_can_lose() {
    let made = Builder {
        traces: Some(["lte.up".to_owned(), "lte.down".to_owned()]),
        loses_both_ways: true,
        ..builder("codel", false)
    };
    let text = r#"
title = "a path"
profile = "linux"
duration = "5s"
[dumbbell]
rate = { trace = "lte.up" }
delay = "10ms"
queue = { policy = "codel", limit = "0.5bdp" }
loss = 0.01
reverse = { rate = { trace = "lte.down" }, loss = 0.01 }
[[flows]]
name = "one"
count = 2
cc = { name = "ghstcp", z = 2 }
start = { uniform = ["0s", "500ms"] }
"#;
    assert_eq!(made.clone().scenario().unwrap(), Scenario::parse("a.toml", text, &[]).unwrap());
    let unread = made.scenario().unwrap().plan().unwrap_err();
    assert_eq!(unread.place(), Some("--trace"), "{unread}");
}

#[test]
fn a_mistake_is_at_its_option() {
    let told = |queue: &str, sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
        let plan = built(queue, false).and_then(|made| made.with(&sets)?.plan());
        let error = plan.unwrap_err();
        (error.place().unwrap().to_owned(), error.to_string())
    };
    let wrong = |place: &str, text: &str| (place.to_owned(), text.to_owned());
    assert_eq!(told("rde", &[]), wrong("--queue", "--queue: unknown queue policy `rde`"));
    // what is set is at fault where it was set
    let rno = "unknown congestion control `rno`";
    assert_eq!(told("red", &["seed=1", "flows.0.cc=rno"]), wrong("--set:1:12", rno));
    let key = told("red", &["seed=1", "dumbbell.foo=1", "replicates=2"]);
    assert_eq!(key, wrong("--set:1:1", "unknown key `foo`"));
    assert_eq!(built("droptail", true).unwrap_err().place(), Some("--ecn"));
    for (text, message) in [
        ("red:limit=5pkt", "`limit` is given twice"),
        ("red:x y", "`x y` in `red:x y` is not a parameter"),
        ("red:zz=1", "unknown key `zz`"),
    ] {
        assert_eq!(Queue::read(text, Limit::Bdp(1.0)).unwrap_err().0, message);
    }
}
