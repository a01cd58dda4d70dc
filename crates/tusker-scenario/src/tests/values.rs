//! Settings of flows, and parameters of their algorithms.

use tusker_core::{Bytes, Duration};
use tusker_plan::plan;

use super::{SMALL, mistake, parse, planned};

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
    assert!(mistake.contains("`exact` is not a kind of ECN"), "{mistake}");
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
    let cake = |bandwidth: &str| {
        let queue =
            format!("dumbbell.queue={{policy='cake', limit='50pkt', bandwidth={bandwidth}}}");
        planned(SMALL, &[&queue]).links[0].queue.policy.value("bandwidth").expect("it has it")
    };
    assert_eq!((cake("'47.5Mbit'"), cake("6000")), (47_500_000.0, 6000.0));
    let cake = parse(SMALL, &["dumbbell.queue={policy='cake', limit='50pkt', bandwidth='5pkt'}"]);
    let error = format!("{:?}", cake.unwrap_err());
    assert!(error.contains("expected a number of bits per second"), "{error}");
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

/// A law that keeps sending through losses must detect lost retransmissions, in
/// every profile, unless another recovery is set explicitly.
#[test]
fn laws_that_send_through_losses_get_rack() {
    let recovery = |sets: &[&str]| planned(SMALL, sets).flows[0].tcp.recovery;
    for cc in ["bbr1", "bbr3", "copa", "udt", "vivace", "c4", "scream"] {
        let cc = format!("flows.a.cc={cc}");
        assert_eq!(recovery(&[&cc]), plan::Recovery::RackTlp, "{cc}");
        assert_eq!(recovery(&[&cc, "tcp.recovery=sack"]), plan::Recovery::Sack, "{cc}");
        assert_eq!(recovery(&[&cc, "flows.a.recovery=newreno"]), plan::Recovery::NewReno, "{cc}");
        // the other group is unchanged
        assert_eq!(planned(SMALL, &[&cc]).flows[2].tcp.recovery, plan::Recovery::Reno, "{cc}");
    }
    for cc in ["reno", "cubic", "dctcp", "ledbat++", "hcc"] {
        assert_eq!(recovery(&[&format!("flows.a.cc={cc}")]), plan::Recovery::Reno, "{cc}");
    }
}

/// RFC 3168, section 6.1.1: ECT says that the endpoints react to marks.
#[test]
fn packets_are_ecn_capable_only_where_marks_are_answered() {
    for cc in ["bbr1", "bbr3", "copa", "udt", "swift", "vivace"] {
        let cc = format!("flows.a.cc={cc}");
        for ecn in ["true", "accurate"] {
            let plan = planned(SMALL, &[&cc, &format!("tcp.ecn={ecn}")]);
            assert_eq!(plan.flows[0].tcp.ecn, plan::Ecn::Off, "{cc}");
            assert!(plan.flows[2].tcp.ecn.is_on(), "{cc}");
        }
        let mistake = format!("{:?}", parse(SMALL, &[&cc, "flows.a.tcp.ecn=true"]).unwrap_err());
        assert!(mistake.contains("this law does not react to marks"), "{mistake}");
        assert!(mistake.contains("leave `ecn` out here"), "{mistake}");
    }
    for cc in ["reno", "cubic", "ledbat++", "lp", "hcc"] {
        let plan = planned(SMALL, &[&format!("flows.a.cc={cc}"), "tcp.ecn=true"]);
        assert_eq!(plan.flows[0].tcp.ecn, plan::Ecn::Classic, "{cc}");
    }
}

/// RFC 9331, section 4.1: ECT(1); RFC 9332, section 2.5.1: what is L4S is marked.
#[test]
fn l4s_is_one_kind_of_ecn_and_two_queues_mark() {
    let ecn = |sets: &[&str]| planned(SMALL, sets).flows[0].tcp.ecn;
    for cc in ["prague", "c4"] {
        assert_eq!(ecn(&[&format!("flows.a.cc={cc}")]), plan::Ecn::L4s, "{cc}");
    }
    assert_eq!(ecn(&["flows.a.cc=dctcp", "flows.a.tcp.ecn=l4s"]), plan::Ecn::L4s);
    let refused = |sets: &[&str]| format!("{:?}", parse(SMALL, sets).unwrap_err());
    for ecn in ["accurate", "true", "false"] {
        let mistake = refused(&["flows.a.cc=prague", &format!("flows.a.tcp.ecn={ecn}")]);
        assert!(mistake.contains("prague needs ECN as in L4S"), "{mistake}");
    }
    assert_eq!(ecn(&["flows.a.cc=prague", "tcp.ecn=accurate"]), plan::Ecn::L4s);
    let queue = "dumbbell.queue.policy=dualpi2";
    assert!(planned(SMALL, &[queue]).links[0].queue.ecn);
    let mistake = refused(&[queue, "dumbbell.queue.ecn=false"]);
    assert!(mistake.contains("dualpi2 needs a second queue"), "{mistake}");
    assert!(mistake.contains("leave `ecn` out here"), "{mistake}");
}

/// RFC 8257, section 3.1: DCTCP needs marks from a switch.
#[test]
fn step_marks_unless_it_is_told_to_drop() {
    let ecn = |sets: &[&str]| planned(SMALL, sets).links[0].queue.ecn;
    assert!(ecn(&["dumbbell.queue.policy=step"]));
    assert!(!ecn(&["dumbbell.queue.policy=step", "dumbbell.queue.ecn=false"]));
    assert!(!ecn(&["dumbbell.queue.policy=red"]));
    assert!(!ecn(&[]));
}
