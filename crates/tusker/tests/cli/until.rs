//! `tusker sweep --until`: replicates until an interval is narrow.

use super::{err, ok, run, small};

#[test]
fn replicates_follow_the_interval() {
    let dir = small();
    let args = ["sweep", "small.toml", "--over", "dumbbell.queue=3pkt,80pkt", "--until", "1%"];
    let args: Vec<&str> =
        args.into_iter().chain(["--most", "12", "--format", "csv", "--out", "u"]).collect();
    let table = ok(&run(dir.path(), &args));
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..3], ["point", "dumbbell.queue_pkt", "replicates"]);
    let at = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    for row in &rows[1..] {
        let number = |name: &str| row[at(name)].parse::<f64>().unwrap();
        let narrow = number("goodput_bps_ci95") <= 0.01 * number("goodput_bps");
        assert!(number("replicates") >= 3.0);
        assert!(narrow || number("replicates") == 12.0, "{row:?}");
    }
    assert_eq!(ok(&run(dir.path(), &args)), table);
}

/// A wire that loses nothing has one goodput, whatever the seed.
#[test]
fn a_target_that_is_met_is_said_above_the_table() {
    let dir = small();
    let args = ["sweep", "small.toml", "--over", "dumbbell.queue=40pkt,80pkt", "--out", "u"];
    let table = |target: &str| {
        let output = run(dir.path(), &[&args[..], &["--most", "3", "--until", target]].concat());
        (ok(&output), err(&output))
    };
    let (head, said) = table("90%");
    assert!(head.contains("; every interval of goodput_bps is within 90 %"), "{head}");
    assert!(!said.contains("wider than"), "{said}");
    let (head, said) = table("0.0000001%");
    assert_eq!(head.contains("is within"), !said.contains("wider than"), "{head}\n{said}");
}

#[test]
fn a_target_that_is_missed_is_said() {
    let dir = small();
    let args = ["sweep", "small.toml", "--over", "dumbbell.queue=3pkt,80pkt", "--until", "0.01%"];
    let more =
        ["--most", "3", "--measure", "goodput_bps,jain", "--format", "csv", "--out", "u", "-q"];
    let random = ["--set", "dumbbell.loss=0.01", "--set", "flows.0.count=1"];
    let args: Vec<&str> = args.into_iter().chain(more).chain(random).collect();
    for _ in 0..2 {
        let both = run(dir.path(), &args);
        let said = err(&both);
        assert!(said.contains("wider than 0.01 % at 2 of 2 points after 3 replicates"), "{said}");
        assert!(said.contains("% of the mean of goodput_bps, is at dumbbell.queue="), "{said}");
        let head = ok(&both).lines().next().unwrap().to_owned();
        let columns = "goodput_bps,goodput_bps_ci95,jain,jain_ci95";
        assert_eq!(head, format!("point,dumbbell.queue_pkt,replicates,doubts,{columns}"));
        // one flow
        assert!(ok(&both).lines().skip(1).all(|line| line.ends_with(",1,0")), "{}", ok(&both));
    }
}
