//! Tests of the whole way from text to plan.

use proptest::prelude::*;
use serde_json::Value;
use tusker_core::{Bytes, Time, wire};

use super::*;
use tusker_plan::plan::{self, Plan};

fn example(name: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    Scenario::load(&path, &[]).unwrap_or_else(|e| panic!("{e:?}"))
}

const EXAMPLES: &[&str] = &[
    "dumbbell.toml",
    "ghstcp-demo.toml",
    "parking-lot.toml",
    "graph.toml",
    "arrivals.toml",
    "web.toml",
    "parallel.toml",
    "vbr.toml",
];

/// A dumbbell whose lines the tests below change one at a time.
const SMALL: &str = r#"profile = "ns2"
duration = "10s"

[dumbbell]
rate = "10Mbit"
delay = "20ms"
queue = { limit = "1bdp" }
access = { rate = "100Mbit", delay = "5ms" }

[[flows]]
name = "a"
count = 2
cc = "reno"
start = "1s"

[[flows]]
name = "b"
cc = { name = "reno" }
"#;

fn parse(text: &str, sets: &[&str]) -> Result<Plan, Error> {
    let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
    Scenario::parse("s.toml", text, &sets)?.plan()
}

fn planned(text: &str, sets: &[&str]) -> Plan {
    parse(text, sets).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The mistake that comes of replacing a piece of [`SMALL`], as one line.
fn mistake(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "{old}");
    format!("{:?}", parse(&SMALL.replacen(old, new, 1), &[]).unwrap_err())
}

#[test]
fn every_example_expands_to_the_same_plan() {
    for name in EXAMPLES {
        let scenario = example(name);
        let plan = scenario.plan().unwrap_or_else(|e| panic!("{e:?}"));
        let expanded = scenario.expanded().unwrap();
        let text = expanded.to_toml();
        let again = Scenario::parse(name, &text, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        assert_eq!(again, expanded, "{name}: text gives the same scenario");
        assert_eq!(again.expanded().unwrap(), expanded, "{name}: expansion is a fixed point");
        assert_eq!(again.plan().unwrap(), plan, "{name}: and has the same plan");
        let own = Scenario::parse(name, &scenario.to_toml(), &[]).unwrap();
        assert_eq!(own, scenario, "{name}: so has the short form");
    }
}

#[test]
fn a_dumbbell_gives_each_flow_two_hosts() {
    let plan = planned(SMALL, &[]);
    let names: Vec<&str> = plan.links.iter().map(|l| l.name.as_str()).collect();
    let route = |flow: &plan::Flow| -> Vec<&str> {
        flow.route.iter().chain(&flow.reverse).map(|&l| names[l]).collect()
    };
    assert_eq!(plan.groups, ["a", "b"]);
    let flows: Vec<&str> = plan.flows.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(flows, ["a.0", "a.1", "b.0"]);
    assert_eq!(
        route(&plan.flows[1]),
        ["a.1.src->R1", "R1->R2", "R2->a.1.dst", "a.1.dst->R2", "R2->R1", "R1->a.1.src"]
    );
    // 10 Mbit/s x 2 (5 + 20 + 5) ms = 600,000 bit = 50 packets of 1500 B
    assert_eq!(plan.links[0].queue.limit, plan::Limit::Packets(50));
    assert_eq!(plan.links[1].queue.limit, plan::Limit::Packets(50));
    // the latter half
    assert_eq!(plan.measure_from, Time::from_nanos(5_000_000_000));
    assert_eq!(plan.measure_to, plan.end);
    assert_eq!(plan.flows[0].start, plan::Start::At(Time::from_nanos(1_000_000_000)));
    assert_eq!(plan.flows[2].start, plan::Start::At(Time::ZERO));
}

#[test]
fn access_delays_of_a_group_are_spread_over_a_range() {
    let plan = planned(
        SMALL,
        &[
            "flows.a.count=4",
            "flows.a.access.delay=[\"1ms\", \"10ms\"]",
            "flows.b.access.delay=[\"3ms\", \"2ms\"]",
        ],
    );
    let delay = |link: &str| {
        let found = plan.links.iter().find(|l| l.name == link).unwrap();
        found.delay.nanos() as f64 / 1e6
    };
    let of = |i: usize| (delay(&format!("a.{i}.src->R1")), delay(&format!("R2->a.{i}.dst")));
    assert_eq!([of(0), of(1), of(2), of(3)], [(1.0, 1.0), (4.0, 4.0), (7.0, 7.0), (10.0, 10.0)]);
    // one alone is the first
    assert_eq!(delay("b.0.src->R1"), 3.0);
    // the longest round trip counts: 10 Mbit/s x 2 (10 + 20 + 10) ms = 800,000 bit
    assert_eq!(plan.links[0].queue.limit, plan::Limit::Packets(67));
}

#[test]
fn profiles_bundle_settings_and_groups_override_them() {
    let ns2 = planned(SMALL, &[]).flows[0].tcp;
    assert_eq!(ns2.recovery, plan::Recovery::Reno);
    assert_eq!(
        (ns2.packet, ns2.header, ns2.ack),
        (Bytes::new(1500), Bytes::new(40), Bytes::new(40))
    );
    assert_eq!(ns2.min_rto, Duration::from_millis(200));
    let linux = planned(SMALL, &["profile=linux"]);
    let tcp = linux.flows[0].tcp;
    assert_eq!(tcp.recovery, plan::Recovery::RackTlp);
    assert!(tcp.prr);
    // timestamps take 12 bytes
    assert_eq!(
        (tcp.packet, tcp.header, tcp.ack),
        (Bytes::new(1500), Bytes::new(52), Bytes::new(52))
    );
    // 1 ms at 100 Mbit/s is 8.3 packets of 1500 B
    let own = linux.flows[0].route[0];
    assert_eq!(linux.links[own].queue.limit, plan::Limit::Backpressure(9));

    let mixed = planned(
        SMALL,
        &[
            "profile=linux",
            "tcp.initial_window=3",
            "flows.b.tcp.initial_window=4",
            "flows.b.recovery=reno",
        ],
    );
    assert_eq!(mixed.flows[0].tcp.initial_window, 3);
    assert_eq!(mixed.flows[2].tcp.initial_window, 4);
    // PRR needs SACK: it goes with the profile's recovery
    assert!(mixed.flows[0].tcp.prr && !mixed.flows[2].tcp.prr);
}

#[test]
fn dctcp_gets_an_echo_that_counts_marks() {
    let echo = |sets: &[&str]| planned(SMALL, sets).flows[0].tcp.ecn;
    assert_eq!(echo(&[]), plan::Ecn::Off);
    assert_eq!(echo(&["tcp.ecn=true"]), plan::Ecn::Classic);
    assert_eq!(echo(&["tcp.ecn=accurate"]), plan::Ecn::Accurate);
    assert_eq!(echo(&["flows.a.cc=dctcp"]), plan::Ecn::Accurate);
    for ecn in ["true", "false"] {
        let sets = ["flows.a.cc=dctcp", &format!("tcp.ecn={ecn}")];
        let mistake = format!("{:?}", parse(SMALL, &sets).unwrap_err());
        assert!(mistake.contains("dctcp needs ECN with an echo that counts marks"), "{mistake}");
        assert!(mistake.contains("leave `ecn` out here"), "{mistake}");
    }
    let mistake = format!("{:?}", parse(SMALL, &["tcp.ecn=exact"]).unwrap_err());
    assert!(mistake.contains("`exact` is no kind of ECN"), "{mistake}");
}

/// What keeps sending through losses has to find lost retransmissions, in every
/// profile; who asks for something else gets it.
#[test]
fn laws_that_send_through_losses_get_rack() {
    let recovery = |sets: &[&str]| planned(SMALL, sets).flows[0].tcp.recovery;
    for cc in ["bbr1", "bbr3", "copa", "udt"] {
        let cc = format!("flows.a.cc={cc}");
        assert_eq!(recovery(&[&cc]), plan::Recovery::RackTlp, "{cc}");
        assert_eq!(recovery(&[&cc, "tcp.recovery=sack"]), plan::Recovery::Sack, "{cc}");
        assert_eq!(recovery(&[&cc, "flows.a.recovery=newreno"]), plan::Recovery::NewReno, "{cc}");
        // the other group is as it was
        assert_eq!(planned(SMALL, &[&cc]).flows[2].tcp.recovery, plan::Recovery::Reno, "{cc}");
    }
    for cc in ["reno", "cubic", "dctcp", "ledbat++", "hcc"] {
        assert_eq!(recovery(&[&format!("flows.a.cc={cc}")]), plan::Recovery::Reno, "{cc}");
    }
}

/// RFC 3168, section 6.1.1: ECT says that the endpoints answer marks.
#[test]
fn packets_are_ecn_capable_only_where_marks_are_answered() {
    for cc in ["bbr1", "bbr3", "copa", "udt"] {
        let cc = format!("flows.a.cc={cc}");
        for ecn in ["true", "accurate"] {
            let plan = planned(SMALL, &[&cc, &format!("tcp.ecn={ecn}")]);
            assert_eq!(plan.flows[0].tcp.ecn, plan::Ecn::Off, "{cc}");
            assert!(plan.flows[2].tcp.ecn.is_on(), "{cc}");
        }
        let mistake = format!("{:?}", parse(SMALL, &[&cc, "flows.a.tcp.ecn=true"]).unwrap_err());
        assert!(mistake.contains("it does not answer marks"), "{mistake}");
        assert!(mistake.contains("leave `ecn` out here"), "{mistake}");
    }
    for cc in ["reno", "cubic", "ledbat++", "lp", "hcc"] {
        let plan = planned(SMALL, &[&format!("flows.a.cc={cc}"), "tcp.ecn=true"]);
        assert_eq!(plan.flows[0].tcp.ecn, plan::Ecn::Classic, "{cc}");
    }
}

/// RFC 8257, section 3.1: what DCTCP asks of a switch is a mark.
#[test]
fn step_marks_unless_it_is_told_to_drop() {
    let ecn = |sets: &[&str]| planned(SMALL, sets).links[0].queue.ecn;
    assert!(ecn(&["dumbbell.queue.policy=step"]));
    assert!(!ecn(&["dumbbell.queue.policy=step", "dumbbell.queue.ecn=false"]));
    assert!(!ecn(&["dumbbell.queue.policy=red"]));
    assert!(!ecn(&[]));
}

#[test]
fn mistakes_in_shape_have_place_text_and_remedy() {
    assert_eq!(
        mistake("delay = \"20ms\"", "dellay = \"20ms\""),
        "s.toml:6:1: unknown key `dellay` [dellay] (did you mean `delay`? valid: `rate`, `delay`, \
         `queue`, `loss`, `jitter`, `reverse`, `access`)"
    );
    assert_eq!(
        mistake("\"10Mbit\"", "\"10Mbyte\""),
        "s.toml:5:8: unknown unit `Mbyte` [\"10Mbyte\"] (expected a rate such as \"2.5Gbit\"; \
         did you mean `Mbit`? valid: `bit`, `kbit`, `Mbit`, `Gbit`, `Tbit`)"
    );
    assert_eq!(
        mistake("\"20ms\"", "20"),
        "s.toml:6:9: expected a time such as \"50ms\", found integer `20` [20] \
         (write a time such as \"50ms\")"
    );
    assert_eq!(
        mistake("rate = \"10Mbit\"\n", ""),
        "s.toml:4:1: `rate` is missing here [[dumbbell]] (add `rate = ...`)"
    );
    assert_eq!(
        mistake("\"20ms\"", "\"-20ms\""),
        "s.toml:6:9: `-20` is negative [\"-20ms\"] (expected a time such as \"50ms\")"
    );
    assert_eq!(
        mistake("\"1bdp\"", "\"0pkt\""),
        "s.toml:7:19: a queue limit of zero lets nothing through [\"0pkt\"] \
         (the packet in transmission counts: at least 1pkt)"
    );
    assert_eq!(
        mistake("\"10Mbit\"", "\"0bit\""),
        "s.toml:5:8: a rate of zero sends nothing [\"0bit\"] (expected a rate such as \"2.5Gbit\")"
    );
    assert_eq!(
        mistake("\"ns2\"", "\"ns3\""),
        "s.toml:1:11: `ns3` is not a profile [\"ns3\"] (did you mean `ns2`? valid: `ns2`, `linux`)"
    );
}

#[test]
fn mistakes_in_meaning_have_place_text_and_remedy() {
    assert_eq!(
        mistake("cc = \"reno\"", "cc = \"rno\""),
        format!(
            "s.toml:13:6: unknown congestion control `rno` [\"rno\"] ({})",
            error::nearest("rno", &all_names())
        )
    );
    assert_eq!(
        mistake("{ name = \"reno\" }", "{ name = \"reno\", z = 3 }"),
        "s.toml:18:23: `reno` has no parameter `z` [z] (`reno` has no parameters)"
    );
    assert_eq!(
        mistake("name = \"b\"", "name = \"a\""),
        "s.toml:17:8: a second group of flows called `a` [\"a\"] (every name is given once)"
    );
    assert_eq!(
        mistake("count = 2", "count = 1_000_000_000"),
        "s.toml:12:9: 1000000000 flows would take about 3000.0 GB before the first packet \
         [1_000_000_000] (at most 100000 flows in all)"
    );
    assert_eq!(
        mistake("start = \"1s\"", "start = \"5s\"\nstop = \"4s\""),
        "s.toml:15:8: a stop at 4s is not after the start at 5s [\"4s\"] (stop after the last start)"
    );
    assert_eq!(
        mistake("delay = \"20ms\"", "delay = \"20ms\"\nloss = 1.5"),
        "s.toml:7:8: 1.5 is no probability of loss [1.5] (from 0 to below 1, as in 1e-6)"
    );
    assert_eq!(
        mistake(
            "duration = \"10s\"",
            "duration = \"10s\"\nmeasure = { from = \"5s\", to = \"20s\" }"
        ),
        "s.toml:3:31: the measuring window ends at 20s, after the experiment ends at 10s [\"20s\"] \
         (measure.to is at most the duration)"
    );
    assert_eq!(
        mistake("\"10s\"", "\"0s\""),
        "s.toml:2:12: an experiment of no duration [\"0s\"] (write duration = \"100s\")"
    );
    assert_eq!(
        mistake("[dumbbell]", "[tcp]\npacket = \"40B\"\n\n[dumbbell]"),
        "s.toml:5:10: a packet of 40B has no room after a header of 40B [\"40B\"] \
         (a packet carries at least one byte of payload besides its header)"
    );
    assert_eq!(
        format!("{:?}", parse("profile = 'ns2'\nduration = '1s'", &[]).unwrap_err()),
        "s.toml: no traffic (add [[flows]], [[arrivals]], [[web]] or [[background]])"
    );
    // inherited values are shown where they were written
    assert_eq!(
        mistake("{ limit = \"1bdp\" }", "{ policy = \"rd\", limit = \"1bdp\" }"),
        format!(
            "s.toml:7:20: unknown queue policy `rd` [\"rd\"] ({})",
            error::nearest("rd", &policy_names())
        )
    );
}

#[test]
fn parameters_are_written_in_their_units_and_no_others() {
    let red = |more: &str| format!("{{ policy = \"ared\", limit = \"50pkt\", {more} }}");
    let value = |name: &str, more: &str| {
        let text = SMALL.replace("{ limit = \"1bdp\" }", &red(more));
        planned(&text, &[]).links[0].queue.policy.value(name).expect("it has it")
    };
    assert_eq!(value("interval", "interval = \"250ms\""), 0.25);
    assert_eq!(value("min_th", "min_th = \"7pkt\""), 7.0);
    assert_eq!(value("min_th", "min_th = 7"), 7.0);
    assert_eq!(value("gentle", "gentle = false"), 0.0);
    for (more, wrong) in [
        ("min_th = \"50ms\"", "expected a number of packets"),
        ("interval = \"5pkt\"", "expected a number of seconds"),
        ("gentle = 0.5", "expected true or false, found 0.5"),
        ("max_p = true", "expected a number, found true"),
        ("max_p = \"10%\"", "expected a number, found \"10%\""),
        ("polcy = \"red\"", "unknown key `polcy` [polcy] (did you mean `policy`?"),
        ("mx_p = 0.1", "unknown key `mx_p` [mx_p] (did you mean `max_p`?"),
    ] {
        let error = mistake("{ limit = \"1bdp\" }", &red(more));
        assert!(error.contains(wrong), "{more}: {error}");
    }
}

fn all_names() -> Vec<&'static str> {
    tusker_core::congestion::ALL.iter().map(|s| s.name).collect()
}

fn policy_names() -> Vec<&'static str> {
    tusker_core::queue::ALL.iter().map(|s| s.name).collect()
}

const GRAPH: &str = r#"
profile = "ns2"
duration = "10s"
nodes = ["A", "B", "C", "D"]
links = [
    { from = "A", to = "B", rate = "1Mbit", delay = "30ms", queue = "10pkt" },
    { from = "A", to = "C", rate = "1Mbit", delay = "10ms", queue = "10pkt" },
    { from = "C", to = "B", rate = "1Mbit", delay = "10ms", queue = "10pkt" },
]
flows = [{ name = "f", cc = "reno", from = "A", to = "B" }]
"#;

#[test]
fn routes_are_shortest_by_delay_then_hops_then_order() {
    let names = |plan: &Plan| -> Vec<String> {
        plan.flows[0].route.iter().map(|&l| plan.links[l].name.clone()).collect()
    };
    assert_eq!(names(&planned(GRAPH, &[])), ["A->C", "C->B"]);
    assert_eq!(names(&planned(GRAPH, &["links.0.delay=20ms"])), ["A->B"]);
    assert_eq!(names(&planned(GRAPH, &["links.0.delay=19ms"])), ["A->B"]);
}

#[test]
fn what_cannot_be_reached_or_is_unknown_is_said() {
    assert_eq!(
        format!("{:?}", parse(GRAPH, &["flows.f.to=D"]).unwrap_err()),
        "--set:1:12: no route from `A` to `D` [D] (`A` reaches B, C)"
    );
    assert_eq!(
        format!("{:?}", parse(&GRAPH.replace("to = \"B\" }]", "to = \"E1\" }]"), &[]).unwrap_err()),
        "s.toml:10:54: no node is called `E1` [\"E1\"] (valid: `A`, `B`, `C`, `D`)"
    );
    let twice = GRAPH.replace("\"C\", \"D\"", "\"C\", \"C\"");
    assert_eq!(
        format!("{:?}", parse(&twice, &[]).unwrap_err()),
        "s.toml:4:25: a second node called `C` [\"C\"] (every name is given once)"
    );
}

#[test]
fn overrides_reach_by_name_and_by_index() {
    let plan =
        planned(SMALL, &["flows.a.count=3", "flows.1.count=4", "dumbbell.queue.limit=77pkt"]);
    assert_eq!(plan.flows.len(), 7);
    assert_eq!(plan.links[0].queue.limit, plan::Limit::Packets(77));
    // a whole element is replaced, not lost
    let plan = planned(SMALL, &["flows.a={name='c', cc='reno'}"]);
    assert_eq!(plan.groups, ["c", "b"]);
    // a short form is spelled out when an override reaches inside
    let plan =
        planned(SMALL, &["dumbbell.queue=5pkt", "dumbbell.queue.ecn=true", "flows.a.cc.name=reno"]);
    assert!(plan.links[0].queue.ecn);
    assert_eq!(plan.links[0].queue.limit, plan::Limit::Packets(5));
}

#[test]
fn mistakes_in_overrides_name_the_override() {
    let wrong = |set: &str| format!("{:?}", parse(SMALL, &[set]).unwrap_err());
    assert_eq!(
        wrong("dumbbell.rat=1Gbit"),
        "--set:1:1: unknown key `rat` [dumbbell.rat] (did you mean `rate`? valid: `rate`, `delay`, \
         `queue`, `loss`, `jitter`, `reverse`, `access`)"
    );
    assert_eq!(
        wrong("flows.c.count=1"),
        "--set:1:1: `flows` has no element `c` [flows.c.count] (did you mean `a`? valid: `a`, `b`; \
         or an index below 2)"
    );
    assert_eq!(
        wrong("flows.a.count=many"),
        "--set:1:15: expected a whole number from 0 to 9223372036854775807, found string \"many\" \
         [many] (write a whole number from 0 to 9223372036854775807)"
    );
    assert_eq!(
        wrong("dumbbell.rate=0Mbit"),
        "--set:1:15: a rate of zero sends nothing [0Mbit] (expected a rate such as \"2.5Gbit\")"
    );
    assert_eq!(
        wrong("profile"),
        "--set:1:1: an override without `=` [profile] (write `--set path=value`, as in `--set \
         flows.S1.count=3`)"
    );
    assert_eq!(
        wrong("profile.x=1"),
        "--set:1:1: `profile` is a single value [profile.x] (nothing called `x` can be set inside it)"
    );
    // tables that overrides made
    assert_eq!(
        wrong("tcp.slow_start.max_ssthresh=100"),
        "--set:1:29: `name` is missing here [100] (add `name = ...`)"
    );
    assert_eq!(
        wrong("flows.b.start.uniform=[\"5s\", \"1s\"]"),
        "--set:1:23: the range from 5s to 1s runs backwards [[\"5s\", \"1s\"]] (give the earlier \
         time first)"
    );
    let unknown = wrong("x.y=3");
    assert!(unknown.starts_with("--set:1:1: unknown key `x` [x.y]"), "{unknown}");
    assert_eq!(
        wrong("flows.a=5"),
        "--set:1:9: `flows.0` is a table [5] (write path={ key = value, ... })"
    );
    // each alone would be wrong, both together are right
    parse(SMALL, &["trace.links=all", "trace.interval=1s"]).unwrap();
    // a mistake of the file stays one of the file
    let broken = SMALL.replace("\"20ms\"", "20");
    let error = parse(&broken, &["flows.a.count=3"]).unwrap_err();
    assert_eq!(error.place(), Some("s.toml:6:9"));
}

#[test]
fn a_mistake_never_floods_the_screen() {
    use miette::Diagnostic;
    let long = SMALL.replace("\"ns2\"", &format!("\"{}\"", "n".repeat(100_000)));
    let error = parse(&long, &[]).unwrap_err();
    assert!(format!("{error:?}").len() < 1000 && error.source_code().is_none());
    assert_eq!(error.place(), Some("s.toml:1:11"));
    // a list of many lines is marked at its first
    let error = parse(&GRAPH.replace("[\"A\",", "[[\n\"A\"],"), &[]).unwrap_err();
    assert_eq!(error.offending(), Some("["));
    assert!(error.source_code().is_some());
}

#[test]
fn files_that_are_no_scenarios_are_refused() {
    let dir = std::env::temp_dir().join(format!("tusker-scenario-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let refuse = |name: &str, bytes: &[u8]| {
        let path = dir.join(name);
        std::fs::write(&path, bytes).unwrap();
        Scenario::load(&path, &[]).unwrap_err().to_string()
    };
    assert!(refuse("empty.toml", b" \n").ends_with("empty.toml` is empty"));
    let binary = refuse("binary.toml", &[b'a', 0xff, 0xfe, 0]);
    assert!(binary.ends_with("is not a text file: byte 1 (0xff) is not UTF-8"), "{binary}");
    let long = refuse("long.toml", &vec![b'#'; MAX_BYTES + 1]);
    assert!(long.contains("longer than 4 MiB"), "{long}");
    assert!(
        Scenario::load(&dir.join("none.toml"), &[])
            .unwrap_err()
            .to_string()
            .contains("cannot read")
    );
    assert!(Scenario::load(&dir, &[]).is_err());
    std::fs::remove_dir_all(&dir).unwrap();

    let cut = Scenario::parse("cut.toml", &SMALL[..SMALL.len() - 12], &[]).unwrap_err();
    assert!(cut.to_string().starts_with("not valid TOML"), "{cut:?}");
    assert_eq!(cut.place().unwrap().split(':').nth(1), Some("18"));
}

#[test]
fn a_scenario_made_by_hand_prints_short_and_reads_back() {
    let ms = Duration::from_millis;
    let rate = Rate::from_bits_per_sec;
    let queue = Queue::droptail(Limit::Bdp(0.5));
    let mut s = Scenario::dumbbell(Profile::Linux, rate(1_000_000_000), ms(48), queue);
    s.dumbbell.as_mut().unwrap().access = Some(Access {
        rate: Some(rate(10_000_000_000).into()),
        delay: Some(ms(1).into()),
        queue: None,
    });
    s.flows = vec![Flows { count: Some(2), ..Flows::new("reno", "reno") }];
    let text = r#"profile = "linux"
duration = "100s"

[dumbbell]
rate = "1Gbit"
delay = "48ms"
queue = "0.5bdp"
access = { rate = "10Gbit", delay = "1ms" }

[[flows]]
name = "reno"
count = 2
cc = "reno"
"#;
    assert_eq!(s.to_toml(), text);
    assert_eq!(Scenario::parse("made", text, &[]).unwrap(), s);
    // without a text, the path tells the place
    s.flows[0].cc = Cc::from("renno");
    let error = s.plan().unwrap_err();
    assert!(
        error.to_string().starts_with("flows.0.cc.name: unknown congestion control"),
        "{error}"
    );
}

#[test]
fn a_parking_lot_is_routers_in_a_row() {
    let plan = example("parking-lot.toml").plan().unwrap();
    assert_eq!(plan.nodes[..4], ["R1", "R2", "R3", "R4"]);
    let rates: Vec<u64> = plan.links[..6].iter().map(|l| l.rate.bits_per_sec()).collect();
    assert_eq!(
        rates,
        [1_000_000_000, 1_000_000_000, 500_000_000, 500_000_000, 1_000_000_000, 1_000_000_000]
    );
    // the longest base RTT is that of `long`: 2 (1 + 30 + 1) = 64 ms; half of
    // 0.5 Gbit/s x 64 ms = 32 Mbit is 16 Mbit = 1333.3 packets of 1500 B
    assert_eq!(plan.links[2].queue.limit, plan::Limit::Packets(1333));
    assert_eq!(plan.trace.links, [0, 2, 4]);
    // five seconds apart
    let starts: Vec<plan::Start> = plan.flows[2..4].iter().map(|f| f.start).collect();
    let at = |s: u64| plan::Start::At(Time::from_nanos(s * 1_000_000_000));
    assert_eq!(starts, [at(1), at(6)]);
    assert_eq!(plan.flows[5].stop, Some(Time::from_nanos(150_000_000_000)));
    // UDP goes back over all hops, R4 to R1
    let names: Vec<&str> =
        plan.background[9].route.iter().map(|&l| plan.links[l].name.as_str()).collect();
    assert_eq!(names, ["R4->R3", "R3->R2", "R2->R1"]);
    let half = Duration::from_millis(500);
    assert_eq!(plan.background[9].pattern, plan::Pattern::OnOff { on: half, off: half });
    assert_eq!(plan.background[9].name, "web.9");
}

#[test]
fn a_graph_has_links_with_two_different_sides() {
    let plan = example("graph.toml").plan().unwrap();
    let link = |name: &str| plan.links.iter().find(|l| l.name == name).unwrap();
    assert_eq!(link("B->D").loss, wire::Loss::Bernoulli(1e-6));
    assert_eq!(link("D->B").loss, wire::Loss::NONE);
    assert_eq!(link("D->B").rate.bits_per_sec(), 100_000_000);
    assert_eq!(link("D->B").queue.limit, plan::Limit::Packets(1000));
    assert_eq!(link("detour.in.reverse").to, 0);
    // flows without access links run from node to node
    let route: Vec<&str> =
        plan.flows[0].route.iter().map(|&l| plan.links[l].name.as_str()).collect();
    assert_eq!(route, ["A->B", "B->D"]);
    let file = &plan.flows[3];
    assert_eq!(file.route.len(), 3);
    assert_eq!(file.size, Some(Bytes::new(100_000_000)));
    assert_eq!(file.tcp.receive_buffer, Some(Bytes::new(512 * 1024)));
    assert_eq!((file.tcp.delayed_ack, file.tcp.min_rto), (None, Duration::from_millis(1000)));
    assert_eq!(file.tcp.recovery, plan::Recovery::Sack);
}

#[test]
fn only_senders_wait_for_room() {
    let error = parse(GRAPH, &["links.2.queue=backpressure"]).unwrap_err();
    assert_eq!(
        format!("{error:?}"),
        "--set:1:15: `f` passes through a queue with back-pressure [backpressure] \
         (back-pressure works only at a sending host's own queue; give a limit)"
    );
}

/// [`SMALL`] with a demand for connections that come and go.
fn with(demand: &str) -> Result<Plan, Error> {
    parse(&format!("{SMALL}\n{demand}"), &[])
}

/// Only how they stand to each other counts, whatever their sum is.
#[test]
fn weights_of_any_size_are_shares() {
    for (weights, shares) in [
        ("[1e308, 1e308]", [0.5, 0.5]),
        ("[1.5e308, 0.5e308]", [0.75, 0.25]),
        ("[5e-324, 5e-324]", [0.5, 0.5]),
        ("[9, 1]", [0.9, 0.1]),
    ] {
        let plan = with(&format!(
            "[[arrivals]]\nname = 'c'\ncc = 'reno'\nrate = 1\n\
             size = {{ list = ['1kB', '9kB'], weights = {weights} }}"
        ));
        let plan = plan.unwrap_or_else(|error| panic!("{error:?}"));
        let plan::Demand::Arrivals { size, .. } = &plan.traffic[0].demand else {
            panic!("arrivals")
        };
        let plan::Distribution::List(list) = size else { panic!("{size:?}") };
        assert_eq!([list[0].1, list[1].1], shares, "{weights}");
    }
}

/// Results hold a seed as a signed integer of 64 bits, and each replicate has the
/// next one: 2^63 - 1 - 2 is the last for three.
#[test]
fn seeds_of_all_replicates_are_below_2_to_the_63() {
    let plan = |seed: u64, replicates: u32| {
        parse(&format!("seed = {seed}\nreplicates = {replicates}\n{SMALL}"), &[])
    };
    let most = i64::MAX as u64;
    assert!(plan(most, 1).is_ok() && plan(most - 2, 3).is_ok());
    for (seed, replicates) in [(most, 3), (most - 1, 3)] {
        let error = format!("{:?}", plan(seed, replicates).map(|_| ()).expect_err("too large"));
        assert!(error.contains(&format!("the seed {seed} is too large for 3 replicates")));
        assert!(error.contains("at most 9223372036854775805"), "{error}");
    }
}

#[test]
fn mistakes_in_traffic_that_comes_and_goes_are_told() {
    let arrivals = |more: &str| with(&format!("[[arrivals]]\nname = 'c'\ncc = 'reno'\n{more}"));
    let web = |more: &str| {
        let mut text = "[[web]]\nname = 'w'\ncc = 'reno'\nsessions = 2\nobjects = 2\n\
             servers = { count = 3, rate = '1Gbit' }\nclients = { count = 2, rate = '1Gbit' }\n\
             page_interval = '1s'\nobject_interval = '1s'\nobject_size = '1kB'\n"
            .to_owned();
        for line in more.lines() {
            let key = line.split(' ').next().unwrap();
            let old = text.lines().find(|l| l.starts_with(&format!("{key} "))).map(str::to_owned);
            match old {
                Some(old) => text = text.replace(&old, line),
                None => text += &format!("{line}\n"),
            }
        }
        with(&text)
    };
    let group = |line: &str| parse(&SMALL.replacen("count = 2", line, 1), &[]);
    let udp = |more: &str| with(&format!("[[background]]\nname = 'u'\nrate = '1Mbit'\n{more}"));
    for (plan, words) in [
        (arrivals("size = '1kB'"), "how many come is not said"),
        (arrivals("size = '1kB'\nrate = 1\nload = 0.1"), "a load besides a rate"),
        (arrivals("size = '1kB'\nrate = 0"), "0 transfers per second"),
        (arrivals("size = '1kB'\nload = -1"), "a load of -1"),
        (arrivals("size = '0B'\nrate = 1"), "a value of 0"),
        (arrivals("size = { pareto = '1kB', shape = 1 }\nrate = 1"), "a shape of 1"),
        (arrivals("size = { pareto = '1kB' }\nrate = 1"), "expected"),
        (arrivals("size = { list = ['1kB'], weights = [] }\nrate = 1"), "0 weights for 1 values"),
        (arrivals("size = { list = ['1kB'], weights = [0] }\nrate = 1"), "not all of them 0"),
        (arrivals("size = 5\nrate = 1"), "expected"),
        (arrivals("size = '1kB'\nrate = 1e9"), "at most 10000000"),
        (arrivals("size = '1kB'\nrate = 1\nconnections = 0"), "a group of no flows"),
        (arrivals("size = '1kB'\nrate = 1\nconnections = 200000"), "at most 100000"),
        (arrivals("size = '1kB'\nrate = 1\nstart = '11s'"), "not before the end"),
        (with("[[arrivals]]\nname = 'a'\ncc = 'reno'\nrate = 1\nsize = '1kB'"), "called `a`"),
        (web("servers_per_session = 4"), "4 servers per session"),
        (web("servers = { count = 0, rate = '1Gbit' }"), "0 hosts"),
        (web("clients = { count = 1, rate = ['2Gbit', '1Gbit'] }"), "runs backwards"),
        (web("sessions = 9000"), "at most 100000"),
        (web("queue = 'backpressure'"), "set `host_queue` instead"),
        (web("objects = { pareto = 3, shape = 0.5 }"), "a shape of 0.5"),
        (web("object_size = 3"), "expected"),
        (group("parallel = 0"), "a group of no flows"),
        (group("parallel = 200000"), "at most 100000"),
        (group("size = '3B'\nparallel = 4"), "share less than a byte"),
        (udp("share = 1.1"), "a share of 1.1"),
        (udp("period = '1s'"), "a period of nothing"),
        (udp("share = 0.5\nperiod = '0s'"), "a period of zero"),
        (udp("share = 0.5\njitter = 0.1"), "besides a share"),
        (udp("share = 0.5\non = '1s'\noff = '1s'"), "besides a share"),
    ] {
        let error = format!("{:?}", plan.map(|_| ()).expect_err(words));
        assert!(error.contains(words), "{words:?} is not in {error}");
        assert!(error.contains("s.toml:"), "no place in {error}");
    }
}

/// Slots have the hosts of flows; a user's go to hosts that users share.
#[test]
fn slots_of_pages_end_at_shared_hosts() {
    let plan = with(
        "[[arrivals]]\nname = 'c'\ncc = 'reno'\nload = 0.5\nsize = '146kB'\nconnections = 2\n\
         [[web]]\nname = 'w'\ncc = 'reno'\nsessions = 3\nobjects = 2\nconnections = 2\n\
         servers = { count = 5, rate = '1Gbit' }\n\
         clients = { count = 2, rate = ['100Mbit', '155Mbit'], delay = ['20ms', '50ms'] }\n\
         servers_per_session = 2\npage_interval = '9s'\nobject_interval = '500ms'\n\
         object_size = '14600B'\n",
    )
    .unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(plan.groups, ["a", "b", "c", "w"]);
    assert_eq!(plan.lasting(), 3);
    let slots: Vec<&str> = plan.flows[3..].iter().map(|f| f.name.as_str()).collect();
    assert_eq!(slots[..4], ["c.0", "c.1", "w.0.0.0", "w.0.0.1"]);
    assert_eq!((slots.len(), slots[13]), (2 + 3 * 2 * 2, "w.2.1.1"));
    let names = |f: usize| -> Vec<&str> {
        plan.flows[f].route.iter().map(|&l| plan.links[l].name.as_str()).collect()
    };
    assert_eq!(names(3), ["c.0.src->R1", "R1->R2", "R2->c.0.dst"]);
    // the third user's second server is the sixth, which is the first again
    assert_eq!(names(16), ["w.server.0->R1", "R1->R2", "R2->w.client.0"]);
    for link in plan.links.iter().filter(|link| link.name.starts_with("w.client")) {
        assert!((100_000_000..155_000_000).contains(&link.rate.bits_per_sec()));
        assert!((20_000_000..50_000_000).contains(&link.delay.nanos()));
    }
    // half of 10 Mbit/s; 100 packets of 1500 B each
    let plan::Demand::Arrivals { rate, .. } = plan.traffic[0].demand else { panic!("arrivals") };
    assert!((rate - 5e6 / 1.2e6).abs() < 1e-12, "{rate}");
    // three users, 20 packets of 12,000 bit per 9 + 0.5 s and a round trip of
    // 2 (1 + 20 + 50) ms
    let expected = 3.0 * 20.0 * 12_000.0 / (9.5 + 0.142);
    assert!((plan.traffic[1].mean_rate / expected - 1.0).abs() < 1e-12);
}

#[test]
fn parallel_connections_share_hosts_start_and_size() {
    let sets = ["flows.a.parallel=3", "flows.a.size=1000B"];
    let plan = planned(SMALL, &sets);
    let names: Vec<&str> = plan.flows.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["a.0.0", "a.0.1", "a.0.2", "a.1.0", "a.1.1", "a.1.2", "b.0"]);
    assert_eq!(plan.applications, ["a.0", "a.1", "b.0"]);
    assert_eq!(plan.flows[5].application, Some(1));
    assert_eq!(plan.flows[3].route, plan.flows[5].route);
    assert_ne!(plan.flows[2].route, plan.flows[3].route);
    let sizes: Vec<u64> = plan.flows[..3].iter().map(|f| f.size.unwrap().get()).collect();
    assert_eq!(sizes, [334, 333, 333]);
}

/// Written by `TUSKER_BLESS=1 cargo test -p tusker-record schema`.
#[test]
fn the_published_schema_is_that_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/scenario.schema.json");
    if std::env::var_os("TUSKER_BLESS").is_some() {
        std::fs::write(&path, json_schema()).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        published == json_schema(),
        "schema/scenario.schema.json is not up to date: run \
         `TUSKER_BLESS=1 cargo test -p tusker-record schema` and commit it"
    );
}

/// As much of JSON Schema as the published one uses.
fn conforms(value: &Value, schema: &Value, root: &Value) -> bool {
    let each = |key: &str| schema[key].as_array().into_iter().flatten();
    let reference = schema["$ref"].as_str().and_then(|r| root.pointer(r.trim_start_matches('#')));
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("type {other}"),
    };
    let fields = value.as_object().into_iter().flatten();
    reference.is_none_or(|r| conforms(value, r, root))
        && (schema["type"].is_null()
            || schema["type"].as_str().is_some_and(is)
            || each("type").any(|t| is(t.as_str().unwrap())))
        && (schema["anyOf"].is_null() || each("anyOf").any(|s| conforms(value, s, root)))
        && (schema["enum"].is_null() || each("enum").any(|v| v == value))
        && (schema["const"].is_null() || schema["const"] == *value)
        && each("required").all(|key| value.get(key.as_str().unwrap()).is_some())
        && fields.into_iter().all(|(key, v)| match schema["properties"].get(key) {
            Some(known) => conforms(v, known, root),
            None => schema["additionalProperties"] != Value::Bool(false),
        })
        && value.as_array().into_iter().flatten().all(|v| conforms(v, &schema["items"], root))
}

#[test]
fn examples_and_their_expansions_conform_to_the_schema() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let value = |text: &str| -> Value { toml_edit::de::from_str(text).unwrap() };
    for name in EXAMPLES {
        let scenario = example(name);
        for text in [scenario.to_toml(), scenario.expanded().unwrap().to_toml()] {
            assert!(conforms(&value(&text), &schema, &schema), "{name}:\n{text}");
        }
    }
    assert!(conforms(&value(SMALL), &schema, &schema));
    for (old, new) in [("delay", "dellay"), ("\"ns2\"", "\"ns3\""), ("\"20ms\"", "20")] {
        assert!(!conforms(&value(&SMALL.replacen(old, new, 1)), &schema, &schema), "{new}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC*", set in "\\PC{0,20}") {
        let _ = Scenario::parse("any", &text, &[]);
        let _ = Scenario::parse("any", SMALL, &[set]);
    }

    #[test]
    fn no_damage_makes_it_panic(
        which in 0..EXAMPLES.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..8_usize, "[-0-9a-z\"\\[\\]{}=. ]{0,4}"), 1..4),
        set in "(flows|links|dumbbell|tcp)(\\.[a-z0-9]{1,6}){1,3}=[-a-z0-9.\"\\[{]{0,6}",
    ) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(EXAMPLES[which]);
        let mut text: Vec<char> = std::fs::read_to_string(path).unwrap().chars().collect();
        for (at, len, new) in cuts {
            let at = at.index(text.len());
            let end = (at + len).min(text.len());
            text.splice(at..end, new.chars());
        }
        let text: String = text.into_iter().collect();
        for sets in [vec![], vec![set]] {
            match Scenario::parse("damaged", &text, &sets).and_then(|s| Ok((s.plan()?, s.expanded()?))) {
                Ok((plan, expanded)) => {
                    let again = Scenario::parse("again", &expanded.to_toml(), &[]).unwrap();
                    prop_assert_eq!(again.plan().unwrap(), plan);
                }
                Err(error) => {
                    let shown = format!("{error:?}");
                    prop_assert!(!shown.is_empty());
                }
            }
        }
    }
}

#[test]
fn a_star_stands_for_every_element() {
    let plan = planned(SMALL, &["flows.*.count=3", "flows.*.cc=hstcp"]);
    assert!(plan.flows.iter().all(|flow| flow.cc.name() == "hstcp"));
    assert_eq!(plan.flows.len(), 3 * plan.groups.len());
    // the error names the element that it made
    let error = Scenario::parse("s.toml", SMALL, &["flows.*.count=x".into()]).unwrap_err();
    assert!(error.place().is_some_and(|place| place.starts_with("--set")), "{error:?}");
    assert_eq!(error.offending(), Some("x"), "{error:?}");
    // and where there is no list, `*` is no key
    assert!(Scenario::parse("s.toml", SMALL, &["duration.*=1s".into()]).is_err());
}
