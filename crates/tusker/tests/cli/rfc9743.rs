//! The script of all that RFC 9743 asks.

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
        "<h2>Bufferbloat",
        "<h2>ECN (loss, marked)",
        "<h2>Unequal round trips",
        "<h2>A newcomer beside",
        "<h2>Short flows beside",
        "href=\"aqm.html\"",
        "href=\"newcomer/report.html\"",
    ] {
        assert!(page.contains(heading), "{heading}");
    }
    // one second has too few losses: that is told, and stands under the criterion
    let part = page.split("<h2>").find(|part| part.starts_with("Bufferbloat")).unwrap();
    assert!(part.contains("\nnote: ") && err(&output).contains("note: "), "{part}");
    assert!(page.contains("Choose RATE and RTT where your law differs from Reno"));
    // each has Linux's CUBIC beside it, and the columns that its heading names
    let table =
        |name: &str| fs::read_to_string(dir.path().join(format!("out/{name}.txt"))).unwrap();
    let scenarios = ["distances", "newcomer", "short"];
    for name in ["collapse", "lossy", "deep", "shallow", "several", "beside", "aqm", "ecn", "far"]
        .into_iter()
        .chain(scenarios)
    {
        let table = table(name);
        assert!(table.contains("cubic-linux") && table.contains("reno"), "{name}: {table}");
        assert!(text.contains(table.trim_end()), "{name}: {table}");
        let place = if scenarios.contains(&name) { "/report.html" } else { ".html" };
        assert!(dir.path().join(format!("out/{name}{place}")).is_file(), "{name}");
    }
    assert!(table("deep").contains("mean queue") && table("collapse").contains("timeouts"));
    // 50 ms, and twice as long for half of the flows
    let distances = table("distances");
    assert!(distances.contains("RTT 50.00 ms to 100.0 ms without queues"), "{distances}");
    assert!(distances.contains("rtt_exponent") && table("short").contains("slowdown_p95"));
    assert!(table("newcomer").contains("convergence_s"), "{}", table("newcomer"));
    assert!(text.contains("its goodput alone"), "{text}");
    let again = run("reno", "out");
    assert_eq!(again.status.code(), Some(2), "{}", err(&again));
    let wrong = run("rno", "other");
    assert_eq!(wrong.status.code(), Some(2), "{}", err(&wrong));
    assert!(err(&wrong).contains("did you mean `reno`"), "{}", err(&wrong));
    assert!(!dir.path().join("other").exists(), "a mistake leaves no folder");
}
