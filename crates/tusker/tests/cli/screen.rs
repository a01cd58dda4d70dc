//! What fits into a terminal, and its colours.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::{SMALL, Words, err, flat, ok, out, run, run_with_input, small, tusker};

const HERE: &str = ".";

/// A comparison that has more columns than a terminal.
const COMPARE: &str =
    "compare --rate 10mbit --rtt 20ms --duration 2s --cc reno,cubic --against reno";

/// What is printed where there is room for so many columns.
fn in_columns(columns: usize, args: &[&str]) -> String {
    let output = tusker(Path::new(HERE)).args(args).env("COLUMNS", columns.to_string()).output();
    out(&output.expect("the program starts"))
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

#[test]
fn tables_fit_and_their_keys_stay() {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    let papers = papers.to_str().expect("the path is text");
    let scores = ["reproduce", "all", "--recorded", papers];
    let rows = ["reproduce", "ghstcp", "--recorded", papers];
    for (args, key) in [
        (COMPARE.words(), "\ncubic  "),
        (vec!["list"], "\nghstcp  "),
        (scores.to_vec(), "\nghstcp-testbed  "),
        (rows.to_vec(), "\nclaims: "),
    ] {
        let wide = ok(&run(Path::new(HERE), &args));
        assert!(widest(&wide) > 80, "{wide}");
        // a paper is judged anew each time
        let columns = if args[0] == "reproduce" { &[80][..] } else { &[80, 100] };
        for &columns in columns {
            let text = in_columns(columns, &args);
            assert!(widest(&text) <= columns, "{columns} columns:\n{text}");
            assert!(text.contains(key), "no {key:?} in\n{text}");
        }
    }
}

/// All but the rules and the example, which are printed as they stand in the source.
#[test]
fn explanations_fit() {
    for name in ["ghstcp", "hcc", "bbr3", "gared", "udt", "jain", "utilisation", "web"] {
        let text = in_columns(80, &["explain", name]);
        let mut literal = false;
        for line in text.lines() {
            let begins = ["Rules", "In a scenario"].iter().any(|head| line.starts_with(head));
            literal = begins || (literal && !line.is_empty());
            assert!(literal || line.chars().count() <= 80, "{name}: {line}");
        }
    }
}

/// Ten seconds of Reno on 10 Mbit/s are too few for its mean, and a note of 146 letters says
/// so.
#[test]
fn notes_and_speed_fit() {
    let args =
        ["compare", "--rate", "100mbit", "--rtt", "50ms", "--duration", "4s", "--cc", "reno,cubic"];
    let output = tusker(Path::new(HERE)).args(args).env("COLUMNS", "80").output();
    let said = err(&output.expect("the program starts"));
    assert!(said.contains("note: ") && said.contains(" s simulated in "), "{said}");
    let (told, next) = said.split_once("next: ").expect("a command to type next");
    assert!(widest(told) <= 80 && widest(next.lines().nth(1).unwrap()) <= 80, "{said}");
    // what is to be copied stays in one piece
    let temp = small();
    let args = ["run", "small.toml", "--out", "a-folder-with-a-name-that-takes-the-room-of-a-line"];
    let output = tusker(temp.path()).args(args).env("COLUMNS", "60").output();
    let said = err(&output.expect("the program starts"));
    let whole = "a-folder-with-a-name-that-takes-the-room-of-a-line/scenario.toml --replicates 5";
    assert!(said.contains(whole), "{said}");
}

#[test]
fn hidden_columns_are_counted_and_wide_shows_them() {
    let text = in_columns(80, &COMPARE.words());
    assert!(text.contains(" columns hidden; --wide shows all\n"), "{text}");
    assert!(!text.contains("timeouts") && text.contains("throughput"), "{text}");
    let wide = in_columns(80, &format!("{COMPARE} --wide").words());
    assert!(!wide.contains("hidden") && wide.contains("timeouts"), "{wide}");
    // for programs nothing is hidden, whatever the terminal
    let csv = format!("{COMPARE} --format csv");
    let csv = csv.words();
    assert_eq!(in_columns(80, &csv), ok(&run(Path::new(HERE), &csv)));
    // neither is anything in a pipe
    assert!(ok(&run(Path::new(HERE), COMPARE)).contains("timeouts"));
}

#[test]
fn colours_are_where_they_are_asked_for() {
    let check = |args: &[&str]| {
        run_with_input(Path::new(HERE), &[&["check", "-"], args].concat(), SMALL.as_bytes())
    };
    assert!(!ok(&check(&[])).contains('\x1b'));
    assert!(!ok(&check(&["--color", "never"])).contains('\x1b'));
    assert!(ok(&check(&["--color", "always"])).contains("\x1b[1mgroup"));
    let wrong = check(&["--set", "flows.0.cc=hstpc", "--color", "always"]);
    assert!(err(&wrong).contains('\x1b'), "{}", err(&wrong));
    assert!(!err(&check(&["--set", "flows.0.cc=hstpc"])).contains('\x1b'));
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_says_how_wide_it_is_and_gets_progress() {
    let temp = TempDir::new().unwrap();
    let program = env!("CARGO_BIN_EXE_tusker");
    let line = format!("stty cols 70 rows 24; {program} {COMPARE} --jobs 1");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(temp.path());
    let output = script.env_remove("NO_COLOR").env("TERM", "xterm").output();
    let text = out(&output.expect("util-linux is here"));
    let table = text.split("\x1b[1mcc").nth(1).unwrap_or_else(|| panic!("no table in {text:?}"));
    let rows = table.lines().take_while(|line| !line.contains("hidden"));
    assert!(rows.clone().count() == 3, "{table}");
    assert!(rows.skip(1).all(|row| row.trim_end().chars().count() <= 70), "{table}");
    assert!(text.contains("of 3 runs") && text.contains("x real time"), "{text:?}");
}

/// What a command that stores nothing says last: the same command, which stores something.
#[test]
fn what_is_not_stored_ends_with_the_command_that_stores_it() {
    let temp = tempfile::tempdir().unwrap();
    let typed = "compare --rate 10mbit --rtt 20ms --cc reno,cubic --duration 4s";
    let output = run(temp.path(), &typed.split(' ').collect::<Vec<_>>());
    let told = flat(&err(&output));
    let next = format!("{typed} --replicates 4 --report compare.html");
    assert!(told.contains(&next) && told.ends_with("gives every column a ±"), "{told}");
    ok(&run(temp.path(), &next.split(' ').collect::<Vec<_>>()));
    assert!(temp.path().join("compare.html").is_file());
    fs::write(temp.path().join("small.toml"), SMALL).unwrap();
    let told = flat(&err(&run(temp.path(), "run small.toml --no-save --replicates 2")));
    assert!(
        told.ends_with(
            "run small.toml --replicates 2 # keeps the results, and draws them on a page"
        ),
        "{told}"
    );
}
