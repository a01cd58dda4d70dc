//! `--fail-on`: a condition that is met gives exit code 3 and one line.

use tempfile::TempDir;

use super::{err, ok, out, rejected, run, small};

#[test]
fn a_condition_that_holds_is_told_in_one_line_and_by_the_exit_code() {
    let dir = small();
    let path = ["compare", "--rate", "10mbit", "--rtt", "20ms", "--duration", "4s", "--cc", "reno"];
    let commands: [&[&str]; 3] = [
        &["run", "small.toml", "--out", "r", "--force"],
        &path,
        // no longer than lets Reno have a few losses: of too few there is a note
        &["sweep", "small.toml", "--over", "dumbbell.queue=3pkt,20pkt", "--out", "s"],
    ];
    for command in commands {
        let with = |condition: &str| {
            let args = [command, &["--quiet", "--fail-on", condition]].concat();
            run(dir.path(), &args)
        };
        // no link carries twice what it can, and every RTT is longer than 1 ms
        for (condition, code) in
            [("utilisation > 200%", 0), ("rtt_p50_s < 1ms", 0), ("utilisation < 2", 3)]
        {
            let output = with(condition);
            assert_eq!(output.status.code(), Some(code), "{condition}: {}", err(&output));
            assert!(!out(&output).is_empty(), "what came out is printed all the same");
            assert_eq!(err(&output).lines().count(), usize::from(code == 3), "{}", err(&output));
        }
        let output = with("utilisation < 2");
        assert!(err(&output).contains("failed on utilisation < 2: "), "{}", err(&output));
        for (condition, word) in [
            ("utilisation", "is not a condition"),
            ("utilisation < high", "there is no measure `high`"),
            ("utilisation < 2 * jian", "did you mean `jain`"),
            ("harm > 0.5", "`tusker compare --against` alone"),
            ("utilization < 0.9", "did you mean `utilisation`"),
        ] {
            rejected(&with(condition), &[word]);
        }
    }
    let args = ["sweep", "small.toml", "--over", "dumbbell.queue=3pkt,50pkt", "--out", "s"];
    let more = ["--fail-on", "queue_mean_pkt > 10", "--fail-on", "jain > 2"];
    let args = [&args[..], &more].concat();
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let line = err(&output).lines().last().unwrap().to_owned();
    // a queue of three packets holds no ten
    assert!(line.starts_with("failed on queue_mean_pkt > 10: 1 of 2: "), "{line}");
    assert!(line.contains("dumbbell.queue=50pkt (links.R1->R2.queue_mean_pkt = "), "{line}");
    // its path and its seeds, as `compare` has them: 10 ms and twice 1 ms there and back
    assert!(line.contains("; 10Mbit, 24ms, buffer 50pkt; seed 1)"), "{line}");
    let condition = ["--replicates", "2", "--fail-on", "jain > 0"];
    let output = run(dir.path(), &[&["run", "small.toml", "--no-save"][..], &condition].concat());
    assert!(err(&output).contains("; 10Mbit, 24ms, buffer 20pkt; "), "{}", err(&output));
    assert!(err(&output).contains("; seeds 1 to 2)"), "{}", err(&output));
    // one run has no interval of a Jain index: no verdict, and a note that says so
    let output =
        run(dir.path(), &["run", "small.toml", "--no-save", "--fail-on", "jain <= 1 surely"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let note = "note: --fail-on 'jain <= 1 surely' is undecided in 1 of 1";
    assert!(err(&output).contains(note), "{}", err(&output));
    let output =
        run(dir.path(), &["run", "small.toml", "--no-save", "--fail-on", "jain > 2 possibly"]);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
}

#[test]
fn a_verdict_names_path_and_seeds_and_what_its_limit_was_made_of() {
    let dir = TempDir::new().unwrap();
    let compare = |buffer: &str, condition: &str| {
        let text = "compare --rate 1mbit --rtt 20ms --duration 2s --cc reno --against cubic \
                    --replicates 2 --quiet";
        let mut args: Vec<&str> = text.split_whitespace().collect();
        args.extend(["--buffer", buffer, "--fail-on", condition]);
        run(dir.path(), &args)
    };
    ok(&compare("10pkt", "harm_goodput > harm_goodput_own + 2"));
    let output = compare("10pkt", "harm_goodput > harm_goodput_own - 2");
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let told = err(&output);
    assert!(told.contains(", harm_goodput_own = "), "{told}");
    assert!(told.contains("; 1mbit, 20ms, buffer 10pkt; seeds 1 to 2)"), "{told}");
}
