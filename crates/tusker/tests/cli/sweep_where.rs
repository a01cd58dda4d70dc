//! `tusker sweep --where`: from which value on a condition holds.

use super::{err, flat, ok, rejected, run, small};

/// One Reno flow whose window is halved leaves the link idle unless the buffer holds a BDP
/// (b/(1 - b) = 1 for b = 1/2): 22 ms x 10 Mbit/s = 18 packets.
#[test]
fn it_says_from_which_buffer_on_a_condition_holds() {
    let dir = small();
    let asked = |list: &str, condition: &str, more: &[&str]| {
        let over = format!("dumbbell.queue={list}");
        let fixed = ["sweep", "small.toml", "--set", "flows.a.count=1", "--set", "duration=40s"];
        let laws = ["--over", "cc=reno", "--over", &over, "--where", condition];
        run(dir.path(), &[&fixed[..], &laws, more].concat())
    };
    // in any order
    let output = asked("40pkt,2pkt,5pkt,80pkt", "utilisation >= 0.97", &[]);
    let told = flat(&ok(&output));
    // steps of (40 - 5)/8 packets
    let next = "--over dumbbell.queue=9pkt,14pkt,18pkt,22pkt,27pkt,31pkt,36pkt ";
    assert!(flat(&err(&output)).contains(next), "{}", err(&output));
    let cost = "# values between those of --where, 7 runs, about ";
    assert!(flat(&err(&output)).contains(cost), "{}", err(&output));
    let head = "cc dumbbell.queue where utilisation >= 0.97 at the edge beyond it";
    assert!(told.contains(head) && told.contains("reno 40pkt or more 40pkt: "), "{told}");
    assert!(told.contains(" 5pkt: "), "the value on the other side of the edge: {told}");
    // the other way round, and nowhere
    let told = flat(&ok(&asked("2pkt,5pkt,40pkt,80pkt", "utilisation < 0.97", &[])));
    assert!(told.contains("reno 5pkt or less 5pkt: ") && told.contains(" 40pkt: "), "{told}");
    let told = flat(&ok(&asked("2pkt,80pkt", "utilisation > 1", &[])));
    assert!(told.contains("reno none - 80pkt: "), "{told}");
    // one run has no interval, so nothing is sure; what was run before counts as well
    let told = flat(&ok(&asked("2pkt,80pkt", "utilisation > 0.5 surely", &[])));
    assert!(
        told.contains("undecided: single runs have no interval (use --replicates 3)"),
        "{told}"
    );
    // stdout is data
    let output = asked("2pkt,80pkt", "utilisation > 0.1", &["--format", "csv"]);
    assert!(
        ok(&output).starts_with("point,cc,dumbbell.queue_pkt,") && err(&output).contains(" all ")
    );
    for (list, condition, told) in [
        ("0.5bdp,20pkt", "utilisation > 0.9", "no --over key has numbers"),
        ("2pkt,80pkt", "utilization > 0.9", "did you mean `utilisation`"),
        ("2pkt,80pkt", "utilisation", "--where: `utilisation` is not a condition"),
    ] {
        rejected(&asked(list, condition, &[]), &[told]);
    }
}
