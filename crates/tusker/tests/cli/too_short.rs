//! Notes on measuring windows that are too short.

use std::fs;

use tempfile::TempDir;

use super::compare::with;
use super::{Words, err, ok, out, run};

/// A mean over a piece of one sawtooth is no answer, and is not passed for one.
#[test]
fn too_short_a_measurement_is_noted() {
    let dir = TempDir::new().unwrap();
    let output = run(dir.path(), &with(&["--cc", "reno", "--buffer", "1bdp"]));
    // W = 16.7 + 17 = 33.7; W / 2 = 16.8 round trips of 20 + 10.2 ms: 0.508 s
    let long = run(
        dir.path(),
        &[&with(&["--cc", "reno"])[..5], &["--duration", "60s", "--cc", "reno"]].concat(),
    );
    assert!(ok(&output).contains("reno"));
    assert!(!err(&long).contains("note:"), "{}", err(&long));
    let args = "compare --rate 100mbit --rtt 200ms --duration 10s --cc reno";
    let short = run(dir.path(), args);
    // W = 1666.7 + 1667 = 3333.7; 1666.8 round trips of 200 + 100 ms: 500 s
    assert!(err(&short).contains("about 500.1 s"), "{}", err(&short));
    assert!(!out(&short).contains("note:"));
}

/// W = 16.7 + 17 = 33.7 segments: 16.8 round trips of 20 + 10.2 ms are 0.508 s, and three of
/// these in half of the run 3.05 s. It is said before the first run. After it there is one
/// duration, in the note and in the command that ends the doubt; which is enough.
#[test]
fn a_sweep_says_at_once_that_it_will_be_too_short() {
    let dir = TempDir::new().unwrap();
    let text = "duration = '1s'\nprofile = 'linux'\n[dumbbell]\nrate = '10Mbit'\n\
                delay = '10ms'\nqueue = '1bdp'\n\
                access = { rate = '1Gbit', delay = '0s' }\n[[flows]]\nname = 'f'\n\
                cc = 'reno'\n";
    fs::write(dir.path().join("s.toml"), text).unwrap();
    let over = "dumbbell.queue=0.9bdp,1bdp";
    let asked = ["sweep", "s.toml", "--over", over, "--replicates", "2"];
    let sweep = |more: &[&str]| err(&run(dir.path(), &[&asked[..], more].concat()));
    let ahead = "note: from one loss to the next Reno takes up to about 508";
    let lone = "note: a single flow at each point, and nothing random on its path";
    let first = sweep(&[]);
    assert!(first.starts_with(ahead) && first.contains(lone), "{first}");
    let durations: Vec<&str> =
        first.split("duration=").skip(1).filter_map(|rest| rest.split('s').next()).collect();
    let [duration, same] = durations[..] else { panic!("{first}") };
    assert_eq!(duration, same, "{first}");
    let again = format!(" --set duration={duration}s --set dumbbell.jitter=100us");
    let next = first.lines().find(|line| line.starts_with("next: ")).unwrap();
    assert!(next.contains(" sweep s.toml ") && next.contains(&again), "{first}");
    // other results go to another folder, so that this one keeps its points
    let out = next.split("--out ").nth(1).expect("another folder");
    assert!(out.trim_end().ends_with("-duration-jitter"), "{next}");
    let second = sweep(&[]);
    assert!(!second.contains(ahead) && second.contains(lone), "{second}");
    assert!(second.contains(&again), "{second}");
    let longer = format!("--out b --set duration={duration}s --set dumbbell.jitter=100us");
    let better = sweep(&longer.words());
    assert!(!better.contains(ahead) && !better.contains(lone), "{better}");
    assert!(!better.contains("long enough"), "{better}");
}

/// W = 1666.7 segments and a queue of as many and more: 200 ms of 100 Mbit/s and 1, 2, 3 and 4
/// BDP; no flow of Westwood has a loss in 2 s. With a queue of 4 BDP it falls to a fifth of
/// 8,333 segments and has them back after 6,667 round trips of 0.6 s in the mean, 4,000 s: too long
/// for an advice.
#[test]
fn points_that_are_far_too_short_are_named_with_the_time_that_a_flow_takes() {
    let dir = TempDir::new().unwrap();
    let text = "duration = '2s'\nprofile = 'linux'\n[dumbbell]\nrate = '100Mbit'\n\
                delay = '100ms'\nqueue = '1bdp'\n\
                access = { rate = '1Gbit', delay = '0s' }\n[[flows]]\nname = 'w'\n\
                cc = 'westwood'\n";
    fs::write(dir.path().join("long.toml"), text).unwrap();
    let over = "dumbbell.queue=1bdp,2bdp,3bdp,4bdp";
    let said = err(&run(dir.path(), &["sweep", "long.toml", "--over", over, "-q", "--out", "s"]));
    let points = "dumbbell.queue=1bdp, dumbbell.queue=2bdp, dumbbell.queue=3bdp and 1 more.";
    assert!(said.contains(points), "{said}");
    let fact = "From one loss to the next a flow takes up to about 4000 s; the runs show";
    assert!(said.contains(fact) && !said.contains("duration="), "{said}");
}

/// W = 8333 + 8333 segments: Reno takes 8,333 round trips of 150 ms; six of these in half of the
/// run are 15,000 s.
#[test]
fn after_a_far_too_short_run_the_note_is_a_fact_and_no_advice() {
    let dir = TempDir::new().unwrap();
    let path = ["compare", "--rate", "1gbit", "--rtt", "100ms", "--duration", "1s", "--quiet"];
    let said = err(&run(dir.path(), &[&path[..], &["--cc", "reno"]].concat()));
    assert_eq!(said.matches("congestion episodes").count(), 1, "{said}");
    let fact =
        "Reno takes about 1250 s from one loss to the next, and the run shows only the start";
    assert!(said.contains(fact) && !said.contains("Use --duration"), "{said}");
}
