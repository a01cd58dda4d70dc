//! Mistakes are reported with their place and a remedy.

use super::{GRAPH, SMALL, mistake, parse};
use crate::error;
use crate::model::Scenario;
use crate::parse::MAX_BYTES;

#[test]
fn mistakes_in_shape_have_place_text_and_remedy() {
    assert_eq!(
        mistake("delay = \"20ms\"", "dellay = \"20ms\""),
        "s.toml:6:1: unknown key `dellay` [dellay] (did you mean `delay`? valid: `rate`, `delay`, \
         `queue`, `loss`, `jitter`, `down`, `reverse`, `access`)"
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
        "s.toml:5:8: a rate of zero sends nothing [\"0bit\"] \
         (for an outage of a link write down = { at = \"5s\", for = \"200ms\" })"
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
        mistake("{ name = \"reno\" }", "{ name = \"xcp\", z = 3 }"),
        "s.toml:18:22: `xcp` has no parameter `z` [z] (`xcp` has no parameters)"
    );
    // which no law has: only this law's own parameters are valid
    let unknown = mistake("{ name = \"reno\" }", "{ name = \"reno\", betas = 0.5 }");
    let help = "valid: `name`, `beta_ecn`";
    assert!(unknown.ends_with(&format!("unknown key `betas` [betas] ({help})")), "{unknown}");
    assert_eq!(
        mistake("name = \"b\"", "name = \"a\""),
        "s.toml:17:8: a second group of flows called `a` [\"a\"] (names must be unique)"
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
        "s.toml:7:8: 1.5 is not a valid loss probability [1.5] (from 0 to below 1, as in 1e-6)"
    );
    assert_eq!(
        mistake(
            "duration = \"10s\"",
            "duration = \"10s\"\nmeasure = { from = \"5s\", to = \"20s\" }"
        ),
        "s.toml:3:31: the measuring window ends at 20s, after the experiment ends at 10s [\"20s\"] \
         (measure.to must not exceed the duration)"
    );
    assert_eq!(
        mistake("\"10s\"", "\"0s\""),
        "s.toml:2:12: a duration of zero [\"0s\"] (write duration = \"100s\")"
    );
    assert_eq!(
        mistake("[dumbbell]", "[tcp]\npacket = \"40B\"\n\n[dumbbell]"),
        "s.toml:5:10: a packet of 40B leaves no payload after a header of 40B [\"40B\"] \
         (a packet must carry at least one byte of payload after its header)"
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
        "s.toml:4:25: a second node called `C` [\"C\"] (names must be unique)"
    );
}

#[test]
fn a_mistake_never_floods_the_screen() {
    use miette::Diagnostic;
    let long = SMALL.replace("\"ns2\"", &format!("\"{}\"", "n".repeat(100_000)));
    let error = parse(&long, &[]).unwrap_err();
    assert!(format!("{error:?}").len() < 1000 && error.source_code().is_none());
    assert_eq!(error.place(), Some("s.toml:1:11"));
    // a list that spans several lines is marked at its first line
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
    for (bytes, word) in [
        (&b"time,mbps\n1,2\n"[..], "seems to be a table in columns"),
        (b"0\n3\n3\n", "seems to be a trace of Mahimahi"),
        (b"{\"start\": {}, \"intervals\": []}", "seems to be iperf3's JSON"),
        (b"\xd4\xc3\xb2\xa1\x02\0", "seems to be a packet capture"),
        (b"\x1f\x8b\x08\0", "seems to be compressed by gzip"),
    ] {
        let own = refuse("other", bytes);
        assert!(own.contains(word), "{own}");
    }
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
fn only_senders_wait_for_room() {
    let error = parse(GRAPH, &["links.2.queue=backpressure"]).unwrap_err();
    assert_eq!(
        format!("{error:?}"),
        "--set:1:15: `f` passes through a queue with back-pressure [backpressure] \
         (back-pressure works only at a sending host's own queue; give a limit)"
    );
}

fn all_names() -> Vec<&'static str> {
    tusker_core::congestion::ALL.iter().map(|s| s.name).collect()
}

fn policy_names() -> Vec<&'static str> {
    tusker_core::queue::ALL.iter().map(|s| s.name).collect()
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

/// Flows are called `group.0`, parallel ones `group.0.0`, hosts `group.0.src`,
/// several sources `name.0`.
#[test]
fn names_that_were_made_do_not_meet_others() {
    let udp = |name: &str, count: u32| {
        format!("{SMALL}[[background]]\nname = '{name}'\nrate = '1Mbit'\ncount = {count}\n")
    };
    let host = GRAPH.replace("\"D\"]", "\"f.0.src\"]");
    let hosts = "flows.f.access={ rate = '1Gbit' }";
    for (text, sets, twice) in [
        (SMALL, &["flows.b.name=a.0", "flows.a.parallel=2"][..], Some("a.0.0")),
        (&udp("a", 2), &[], Some("a.0")),
        (&udp("a.1", 1), &[], Some("a.1")),
        (&udp("b", 1), &[], None),
        (&udp("a.2", 1), &[], None),
        (SMALL, &["flows.b.name=a.0"], None),
        (&host, &[hosts], Some("f.0.src")),
        (&host, &[], None),
    ] {
        let message = parse(text, sets).err().map(|error| error.to_string());
        let expected = twice.map(|name| format!("s.toml: two things called `{name}`"));
        assert_eq!(message, expected, "{sets:?}");
    }
}
