//! The script that runs all experiments that RFC 9743 asks for.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{err, ok};

#[test]
fn one_command_keeps_a_table_and_a_page_of_each_criterion() {
    let dir = TempDir::new().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rfc9743.sh");
    let run = |law: &str, out: &str| {
        let mut command = Command::new("sh");
        command.current_dir(dir.path()).arg(&script).args([law, out]);
        command.env("TUSKER", env!("CARGO_BIN_EXE_tusker")).env("DURATION", "1s");
        command.env("REPLICATES", "2");
        command.output().expect("there is a shell")
    };
    // a program that is not there leaves no folder behind
    let output = Command::new("sh")
        .current_dir(dir.path())
        .arg(&script)
        .args(["reno", "out"])
        .env("TUSKER", "no-such-program")
        .output()
        .expect("there is a shell");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(err(&output).contains("no-such-program") && !dir.path().join("out").exists());
    let output = run("reno", "out");
    let text = ok(&output);
    let page = fs::read_to_string(dir.path().join("out/index.html")).unwrap();
    for heading in [
        "<h2>Harm to the goodput of others, with 95 % intervals</h2>\n<svg ",
        // each with letters of its own
        "<h2>Goodput of two flows beside each other</h2>\n<p><img alt=\"Goodput of two flows",
        "<h2>Round-trip times with a buffer of 4 BDP</h2>\n<p><img alt=\"Round-trip times",
        "src=\"data:image/svg+xml;base64,",
        "<h2>Bufferbloat",
        "<h2>ECN [7.1] (utilisation,rtt_mean_s,loss_rate)",
        "<h2>Beside others: both with ECN",
        "<h2>Beside others: AQM, one queue for all (pie) [7.1]",
        "<h2>Wireless paths: random loss of 1 %",
        "<h2>Varying delay",
        "<h2>Sudden changes: the rate falls to a quarter [7.8, 7.9]",
        // as a shell takes it
        "--set 'dumbbell.jitter={ distribution = \"exponential\", mean = \"5ms\" }' ",
        "<h2>Unequal round trips",
        "<summary>newcomer.toml</summary><pre>\nduration = ",
        "<h2>A newcomer beside",
        "<h2>Short CUBIC flows (30 kB) beside",
        "<h2>Flows of its own of 3 BDP beside",
        "<h2>What is not tested</h2>\n<p>Most experiments are on one path, 20mbit and 50ms",
        "href=\"aqm.html\"",
        "href=\"newcomer/report.html\"",
        "rtt_exponent, a measure of the whole experiment",
        "cubic-linux, a congestion control",
    ] {
        assert!(page.contains(heading), "{heading}");
    }
    // one second has too few losses: that is told, and stands under the criterion
    let part = page.split("<h2>").find(|part| part.starts_with("Bufferbloat")).unwrap();
    assert!(part.contains("\nnote: "), "{part}");
    assert!(err(&output).contains("experiment 24 of 24: "), "{}", err(&output));
    assert!(err(&output).contains("Choose RATE and RTT where your law differs from Reno"));
    // the limit for CI is the upper end of what was measured: today's version passes
    let check = fs::read_to_string(dir.path().join("out/ci.sh")).unwrap();
    assert!(page.contains("<h2>A check for CI</h2>") && text.contains("out/ci.sh"), "{text}");
    // nine beside CUBIC, of which one is on another path; of the law alone one on a slow link,
    // three with other round trips and eleven; and four with several kinds of flows
    assert_eq!(check.matches("\ncheck --rate 20mbit --rtt 50ms ").count(), 8 + 11, "{check}");
    assert_eq!(check.matches("\ncheck ").count(), 9 + 1 + 3 + 11, "{check}");
    assert_eq!(check.matches("\nsweep --over ").count(), 4, "{check}");
    assert!(check.contains(" --rate 200mbit --rtt 100ms --against cubic-linux --fail-on "));
    assert!(check.contains(" --buffer 4bdp --against cubic-linux --fail-on "), "{check}");
    // what it has itself beside others, whatever its parameters make of its name
    assert!(check.contains("--fail-on \"groups.$name.goodput_bps < "), "{check}");
    assert!(check.contains("--fail-on 'groups.cubic-linux.harm_rtt > "), "{check}");
    // it can be run as it is, with another law and another program
    let check_of = |law: &[&str]| {
        let mut command = Command::new(dir.path().join("out/ci.sh"));
        command.args(law).current_dir(dir.path()).env("TUSKER", env!("CARGO_BIN_EXE_tusker"));
        command.output().expect("it can be run")
    };
    assert_eq!(ok(&check_of(&[])), "all 28 checks passed\n");
    assert_eq!(check_of(&["no-such-law"]).status.code(), Some(2));
    // Scalable TCP gives way by an eighth, and Reno by a half
    let worse = check_of(&["scalable"]);
    assert_eq!(worse.status.code(), Some(3), "{}", err(&worse));
    // what failed, and no notes
    let told = err(&worse);
    assert!(told.lines().all(|line| line.starts_with("failed on ") || line.ends_with("failed")));
    assert!(told.ends_with(" of 28 checks failed\n") && told.contains("failed on "), "{told}");
    // parameters change the name that results have, which checks follow
    let variant = check_of(&["reno:beta_ecn=0.8"]);
    assert!(matches!(variant.status.code(), Some(0 | 3)), "{}", err(&variant));
    let limit = check.split("groups.cubic-linux.harm_goodput > ").nth(1).unwrap();
    let limit: f64 = limit.split(' ').next().unwrap().parse().unwrap();
    let harm = fs::read_to_string(dir.path().join("out/beside/harm.csv")).unwrap();
    let mut lines = harm.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| head.iter().position(|own| *own == name).unwrap();
    let own = lines.find(|own| own[1] == "reno" && own[2] == "cubic-linux").unwrap();
    let number = |name: &str| own[column(name)].parse::<f64>().unwrap_or(0.0);
    let end = number("harm_goodput") + number("harm_goodput_ci95");
    assert!(limit > end && limit <= end * 1.002, "{limit}, {end}");
    assert!(
        page.contains("<code>tusker compare --rate 20mbit --rtt 50ms --buffer 4bdp --cc reno,")
    );
    // the first table has every criterion with both laws and a verdict; of many flows behind
    // ten packets both lose many
    let mut parts = page.split("<h2>");
    let (first, measures) = (parts.next().unwrap(), parts.next().unwrap());
    let rows: Vec<&str> = first.split("<tr").filter(|row| row.contains("<td>")).collect();
    let criteria =
        ["Congestion collapse", "Bufferbloat", "Varying delay", "Short CUBIC flows (30 kB) beside"];
    for criterion in criteria {
        let own =
            rows.iter().find(|row| row.contains(criterion)).unwrap_or_else(|| panic!("{page}"));
        let verdicts = [
            "better",
            "slightly better",
            "same",
            "better and worse",
            "slightly better and slightly worse",
            "slightly worse",
            "worse",
            "undecided",
            "no value",
        ];
        assert!(
            verdicts.iter().any(|word| own.contains(&format!("<td>{word}</td>"))
                || own.contains(&format!("<td>{word}*</td>"))),
            "{own}"
        );
    }
    assert!(first.contains("<th>reno is</th>"), "{first}");
    assert!(measures.contains("<td>packet loss at 0.5bdp</td>"), "{measures}");
    // the terminal has the verdicts, and a file the values
    assert!(text.contains("\nBufferbloat: a deep buffer [5.1.2]  "), "{text}");
    assert!(text.lines().count() < 90 && text.lines().all(|line| line.len() < 240), "{text}");
    let values = fs::read_to_string(dir.path().join("out/criteria.txt")).unwrap();
    assert!(values.contains("packet loss at 0.5bdp  ") && values.contains("Not covered: "));
    // each has Linux's CUBIC beside it, and the columns that its heading names
    let table =
        |name: &str| fs::read_to_string(dir.path().join(format!("out/{name}.txt"))).unwrap();
    let scenarios = ["distances", "newcomer", "short"];
    for name in [
        "collapse", "lossy", "deep", "shallow", "several", "beside", "aqm", "ecn", "far", "jitter",
        "reorder", "steps",
    ]
    .into_iter()
    .chain(scenarios)
    {
        let table = table(name);
        assert!(table.contains("cubic-linux") && table.contains("reno"), "{name}: {table}");
        let place = if scenarios.contains(&name) { "/report.html" } else { ".html" };
        assert!(dir.path().join(format!("out/{name}{place}")).is_file(), "{name}");
    }
    assert!(table("deep").contains("mean queue") && table("collapse").contains("timeouts"));
    // 50 ms, and twice as long for half of the flows
    let distances = table("distances");
    assert!(distances.contains("RTT 50.00 ms to 100.0 ms without queues"), "{distances}");
    assert!(distances.contains("rtt_exponent") && table("short").contains("slowdown_p95"));
    assert!(table("newcomer").contains("convergence_s"), "{}", table("newcomer"));
    assert!(table("beside").contains("its goodput alone"), "{}", table("beside"));
    let again = run("reno", "out");
    assert_eq!(again.status.code(), Some(2), "{}", err(&again));
    let wrong = run("rno", "other");
    assert_eq!(wrong.status.code(), Some(2), "{}", err(&wrong));
    assert!(err(&wrong).contains("did you mean `reno`"), "{}", err(&wrong));
    assert!(!dir.path().join("other").exists(), "a mistake leaves no folder");
}

/// The verdicts of the first table, from intervals that overlap or do not: 1.0 ± 0.1 and
/// 1.3 ± 0.1 lie apart, 1.0 ± 0.2 and 1.3 ± 0.2 do not. Of 10.0 ± 0.2 and 10.3 ± 0.2 no two
/// values differ by more than 0.7, which is less than 10 % of 10.3; nor do those of harms of
/// 0.51 ± 0.009 and 0.49 ± 0.009 by more than 0.05, though these lie apart: slightly worse.
#[test]
fn the_first_table_says_where_a_law_is_better_the_same_or_worse() {
    let dir = TempDir::new().unwrap();
    let criteria = "deep\tA deep buffer\trtt_mean_s,+jain,loss_rate,timeouts,+goodput_bps,mark_rate,@rtt_exponent\n\
                    beside\tBeside others\tharm_goodput,harm_rtt\n";
    fs::write(dir.path().join("criteria.tsv"), criteria).unwrap();
    let head = "scenario,group,rtt_mean_s,rtt_mean_s_ci95,jain,jain_ci95,loss_rate,loss_rate_ci95,\
                timeouts,timeouts_ci95,goodput_bps,goodput_bps_ci95,mark_rate,mark_rate_ci95,rtt_exponent,rtt_exponent_ci95";
    let deep = format!(
        "{head}\nmine,mine,1,0.1,1,0.1,1,0.2,3,,10,0.2,0,0,0.1,0.05\ncubic,cubic,1.3,0.1,1.3,0.1,1.3,0.2,4,,10.3,0.2,0,0,-0.7,0.05\n"
    );
    fs::write(dir.path().join("deep.csv"), deep).unwrap();
    let beside = "scenario,cc,against,harm_goodput,harm_goodput_ci95,harm_rtt,harm_rtt_ci95\n\
                  mine-against-reno,mine,reno,0.7,0.1,0.51,0.009\n\
                  cubic-against-reno,cubic,reno,0.4,0.1,0.49,0.009\n";
    fs::write(dir.path().join("beside.csv"), beside).unwrap();
    let own = "scenario,group,goodput_bps,goodput_bps_ci95\nmine-against-reno,mine,5860000,300000\n\
               mine-against-reno,reno,14140000,300000\ncubic-against-reno,cubic,9e6,1e5\n";
    fs::write(dir.path().join("beside.own.csv"), own).unwrap();
    // an exponent of 0.1 is nearer to 0 than one of -0.7; the notes wrap their sentences
    let notes = "note: mine: fewer than 3 congestion episodes, which is too few for a\n      long-term mean";
    fs::write(dir.path().join("beside.notes"), notes).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rfc9743.py");
    let mut command = Command::new("python3");
    command.arg(&script).arg(dir.path()).args(["mine", "cubic", "text"]);
    let text = ok(&command.output().expect("there is python3"));
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let last: Vec<String> = text.lines().filter_map(|line| words(line).pop()).collect();
    let expected = [
        "is",
        "better",
        "worse",
        "undecided",
        "known",
        "same",
        "0",
        "better",
        "worse*",
        "worse*",
        // the criteria: one is better in some measures and worse in another
        "measures",
        "timeouts",
        "reno",
        "(*).",
    ];
    assert_eq!(last, expected, "{text}");
    assert!(text.contains("1000 ± 100 ms"), "{text}");
    assert!(text.contains("harm to goodput of reno (own goodput: 5.86 ± 0.30 Mbit/s)"), "{text}");
    let total = "Of 9 comparisons, mine is better in 2, same in 1, both 0 in 1, slightly worse in 1, worse in 2, undecided in 1, not known in 1.";
    assert!(text.contains(total), "{text}");
    let criterion = "A deep buffer  better and worse  better: mean RTT, RTT exponent (0 is best); worse: Jain's index; \
                     undecided: packet loss; not known: timeouts";
    assert!(text.contains(criterion), "{text}");
    assert!(
        text.contains(
            "Beside others  worse*            worse: harm to goodput of reno; slightly worse: harm to RTT"
        ),
        "{text}"
    );
}

/// Wilson's intervals (Wilson 1927; z = 1.96): 8 of 8 runs are from 0.676 to 1, 3 of 8 from 0.137
/// to 0.694, which overlap; 1 of 8 is from 0.022 to 0.471, which is apart.
#[test]
fn shares_of_runs_are_compared_by_intervals_of_their_own() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("criteria.tsv"), "new\tA newcomer\t+converged\n").unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/rfc9743.py");
    for (share, told) in [("0.375", "3 of 8 runs  undecided"), ("0.125", "1 of 8 runs  better")] {
        let rows =
            format!("scenario,group,replicates,converged\nmine,mine,8,1\ncubic,cubic,8,{share}\n");
        fs::write(dir.path().join("new.csv"), rows).unwrap();
        let mut command = Command::new("python3");
        command.arg(&script).arg(dir.path()).args(["mine", "cubic", "text"]);
        let text = ok(&command.output().expect("there is python3"));
        assert!(text.contains(&format!("8 of 8 runs  {told}")), "{text}");
    }
}
