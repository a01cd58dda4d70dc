//! Endpoint settings of a scenario, applied to the kernel.

use crate::support::rights;
use crate::valid::{plan, valid};
use tusker_testbed::differences;

/// 80 ms, plus the time that packets take on the wires.
const PATH: &str = "profile = 'linux'\nduration = '5s'\nmeasure = { from = '1s' }\n\
    [dumbbell]\nrate = '10Mbit'\ndelay = '40ms'\nqueue = { policy = 'droptail', limit = '2bdp' }\n\
    access = { rate = '1Gbit', delay = '0ms' }\n";

#[test]
fn the_initial_window_is_the_scenarios() {
    if !rights("the initial window is the scenario's") {
        return;
    }
    let plan = plan(&format!(
        "{PATH}[[arrivals]]\nname = 'a'\ncc = 'reno'\nrate = 5\nsize = '4344B'\nstop = '4s'\n\
         tcp = {{ initial_window = 1 }}\n"
    ));
    let (run, _) = valid(&plan);
    let took = |t: &tusker_plan::run::Transfer| Some(t.end?.since(t.begin).secs());
    let mut times: Vec<f64> = run.traffic[0].transfers.iter().filter_map(took).collect();
    times.sort_by(f64::total_cmp);
    // 80 ms to open, one segment and its ACK 81.2 ms, the other two 40 ms and 2.4 ms; all
    // three at once would arrive after 124 ms
    assert!((0.2036..0.21).contains(&times[0]), "{times:?}");
}

#[test]
fn marks_take_the_place_of_drops() {
    if !rights("marks take the place of drops") {
        return;
    }
    let path = PATH.replace("'droptail', limit = '2bdp'", "'codel', limit = '1000pkt', ecn = true");
    let plan = plan(&format!("{path}[[flows]]\nname = 'a'\ncc = 'reno'\ntcp = {{ ecn = true }}\n"));
    let (run, _) = valid(&plan);
    let link = plan.links.iter().position(|link| link.name == "R1->R2").expect("a dumbbell");
    let (link, flow) = (&run.links[link], &run.flows[0]);
    assert!(link.marked > 0 && link.dropped_early == 0, "{link:?}");
    // each window is reduced once for its marks, and nothing is retransmitted
    assert!((1..=link.marked).contains(&flow.episodes), "{} {link:?}", flow.episodes);
    assert_eq!((flow.retransmitted, flow.timeouts), (0, 0));
}

#[test]
fn differences_are_named() {
    let with = |flow: &str| differences(&plan(&format!("{PATH}[[flows]]\nname = 'a'\n{flow}")));
    // the profile is Linux's
    assert_eq!(with("cc = 'reno'\n"), Vec::<String>::new());
    let own = with(
        "cc = 'reno'\ntcp = { initial_ssthresh = 20, rto = { initial = '3s' }, ack = '40B' }\n",
    );
    for what in ["initial_ssthresh", "rto.initial = 3s", "ACKs of 40B"] {
        assert!(own.iter().any(|told| told.starts_with(what)), "{what}: {own:?}");
    }
    let at_once = format!("host_time = '0s'\n{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\n");
    let at_once = differences(&plan(&at_once));
    assert!(at_once[0].starts_with("host_time = 0s"), "{at_once:?}");
    let two =
        with("cc = 'reno'\n[[flows]]\nname = 'b'\ncc = 'reno'\ntcp = { timestamps = false }\n");
    assert_eq!(two, Vec::<String>::new(), "each has a host of its own");
    // where a host's own link is the narrowest, its packets queue there
    let narrow = format!("{}[[flows]]\nname = 'a'\ncc = 'reno'\n", PATH.replace("1Gbit", "10Mbit"));
    let narrow = differences(&plan(&narrow));
    assert!(narrow.iter().any(|told| told.starts_with("queue = \"backpressure\"")), "{narrow:?}");
}
