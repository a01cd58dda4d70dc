//! `tusker report --figure`: size, axes, keys and points.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{err, ok, rejected, run, small};

/// A folder with the small scenario and its results in `one`.
fn results() -> TempDir {
    let temp = small();
    ok(&run(temp.path(), "run small.toml --out one"));
    temp
}

/// Draws a figure as `x.svg`; what stderr says.
fn draw(here: &Path, more: &str) -> String {
    let output = run(here, &format!("report one --svg x.svg --figure {more}"));
    ok(&output);
    err(&output)
}

fn refused(here: &Path, more: &str, words: &[&str]) {
    rejected(&run(here, &format!("report one --svg x.svg --figure {more}")), words);
}

#[test]
fn a_figure_is_as_high_as_asked_for_in_every_format() {
    let temp = results();
    let here = temp.path();
    let size = "time.cwnd --width 3.5 --height 2.25";
    draw(here, &format!("{size} --png x.png --pdf x.pdf"));
    let drawing = fs::read_to_string(here.join("x.svg")).unwrap();
    assert!(drawing.contains("width=\"3.5in\" height=\"2.25in\""), "{}", &drawing[..120]);
    // 300 pixels per inch: 1050 x 675, in the header of a PNG
    let png = fs::read(here.join("x.png")).unwrap();
    assert_eq!(png[16..24], [0, 0, 0x04, 0x1a, 0, 0, 0x02, 0xa3]);
    // 72 points per inch
    let pdf = String::from_utf8_lossy(&fs::read(here.join("x.pdf")).unwrap()).into_owned();
    assert!(pdf.contains("/MediaBox [0 0 252 162]"));
    refused(here, "time --height 1", &["--height", "at least", "inches"]);
}

#[test]
fn points_outside_of_an_axis_are_counted() {
    let temp = results();
    let here = temp.path();
    ok(&run(here, "report one --figure time.cwnd --data all.csv"));
    let table = fs::read_to_string(here.join("all.csv")).unwrap();
    let (head, rows) = table.split_once('\n').unwrap();
    assert!(head.starts_with("time (s),congestion window (segments): a.0,"), "{head}");
    let (mut all, mut outside) = (0, 0);
    for row in rows.lines() {
        let cells: Vec<&str> = row.split(',').collect();
        let values = cells[1..].iter().filter(|cell| !cell.is_empty()).count();
        all += values;
        let time: f64 = cells[0].parse().unwrap();
        outside += if (1.0..=2.0).contains(&time) { 0 } else { values };
    }
    assert!(outside > 0 && outside < all);
    let told = draw(here, "time.cwnd --x-range 1..2");
    let note = format!("{outside} of {all} points lie outside --x-range and are not drawn");
    assert!(told.contains(&note), "{told:?} has not {note:?}");
    // all of it: nothing to tell
    assert!(!draw(here, "time.cwnd --x-range -1..1000").contains("lie outside"));
    refused(here, "time --y-range 0..5", &["--y-range", "axes of their own", "cwnd"]);
    rejected(&run(here, "report one --figure time --x-range 2..1"), &["smaller one first"]);
}

/// Options that would change nothing.
#[test]
fn points_alone_have_no_size() {
    let temp = results();
    let here = temp.path();
    for option in ["--width 3.5", "--height 2", "--legend above", "--x-range 0..1"] {
        let words = format!("report one --figure time.cwnd --data x.csv {option}");
        let name = option.split(' ').next().unwrap();
        rejected(&run(here, &words), &[&format!("{name}: changes a drawing"), "--svg"]);
        assert!(!here.join("x.csv").exists());
        ok(&run(here, &format!("{words} --svg x.svg")));
        fs::remove_file(here.join("x.csv")).unwrap();
    }
}

/// What was written is said, with what a caption of a paper needs to say.
#[test]
fn files_are_named_with_their_size_and_the_caption() {
    let temp = results();
    let here = temp.path();
    let over = "sweep small.toml --over dumbbell.queue=5pkt,20pkt --out two";
    ok(&run(here, &format!("{over} --replicates 2")));
    let name = "utilisation-dumbbell-queue";
    let size = ["--width", "3.5", "--height", "2.25", "--pdf", "x.pdf", "--data", "x.csv"];
    let label = ["--label", "utilisation (%)=Link use (%)", "--svg", "x.svg"];
    let told = run(here, &[&["report", "two", "--figure", name], &size[..], &label[..]].concat());
    assert_eq!(ok(&told), "");
    let told = err(&told);
    let (files, caption) = told.split_at(told.find("Means").expect("a caption"));
    assert_eq!(
        files,
        "wrote x.svg (3.5 x 2.25 in)\nwrote x.pdf (3.5 x 2.25 in)\nwrote x.csv (2 rows)\n"
    );
    assert!(
        caption.starts_with("Means of 2 replicates; the band is 95 % confidence (Student's t)."),
        "{told}"
    );
    let drawing = fs::read_to_string(here.join("x.svg")).unwrap();
    assert!(drawing.contains("<title>Link use against buffer</title>"), "{}", &drawing[..400]);
}

/// A file has the caption as text, with the sources of the congestion controls, and the commands.
#[test]
fn a_caption_goes_to_a_file() {
    let temp = results();
    let here = temp.path();
    let over =
        ["sweep", "small.toml", "--over", "cc=reno,cubic", "--over", "dumbbell.queue=5pkt,9pkt"];
    ok(&run(here, &[&over[..], &["--out", "two"]].concat()));
    let name = "utilisation-dumbbell-queue";
    let asked = ["report", "two", "--figure", name, "--svg", "x.svg", "--caption", "x.txt"];
    ok(&run(here, &[&asked[..], &["--line", "40"]].concat()));
    let text = fs::read_to_string(here.join("x.txt")).unwrap();
    assert!(text.starts_with("Caption:\n\nOne run for each point"), "{text}");
    let sources = "Congestion controls: cubic: RFC 9438, section 4; reno: RFC 5681, section 3.1, ";
    for part in [sources, " The dashed line is at 40 %.\n", "\nData: drawn from utilisation over "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let made = text.split("\nMade by").nth(1).expect("the commands").lines().skip(1);
    let made: Vec<&str> = made.map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(made, ["sweep", "report"], "{text}");
    let with = fs::read_to_string(here.join("x.svg")).unwrap();
    // again, and no other file is written over
    ok(&run(here, &asked));
    let without = fs::read_to_string(here.join("x.svg")).unwrap();
    let dashed = |svg: &str| svg.matches("stroke-dasharray=\"4 4\"").count();
    assert_eq!(dashed(&with), dashed(&without) + 1, "{with}");
    fs::write(here.join("x.txt"), "my own notes").unwrap();
    rejected(&run(here, &asked), &["x.txt exists and is not a caption"]);
    // distributions have no line across
    refused(here, "time.cwnd --line 1", &["--line: only curves of means"]);
}

/// Parts of one drawing: side by side where there is room, one list of names, each letter once.
#[test]
fn several_figures_become_one_drawing() {
    let temp = results();
    let here = temp.path();
    let said = draw(here, "time.cwnd,time.queue");
    let drawing = fs::read_to_string(here.join("x.svg")).unwrap();
    for letter in ["(a)", "(b)"] {
        assert_eq!(drawing.matches(&format!(">{letter}<")).count(), 1, "{letter}");
        assert!(said.contains(letter), "{said}");
    }
    assert!(drawing.contains("<svg ") && drawing.contains("width=\"7.2in\""));
    // of 7.2 inches each has (720 - 12) / 2 hundredths, so the second begins at 354 + 12
    assert!(drawing.contains("translate(366.0 "), "they are not beside each other");
    draw(here, "time.cwnd,time.queue --width 3.5");
    let drawing = fs::read_to_string(here.join("x.svg")).unwrap();
    assert_eq!(drawing.matches("translate(0.0 ").count(), 2, "they are not below each other");
    refused(
        here,
        "time.cwnd,time.queue --data x.csv",
        &["--data", "takes one figure, and 2 are named"],
    );
    refused(here, "time.cwnd,time.queue --y-range 0..1", &["axes of their own"]);
    refused(here, "time.cwnd,nothing", &["`nothing`", "time.queue"]);
}

/// Parts over the same axes are told apart by their titles, and keys name only what is drawn.
#[test]
fn parts_with_the_same_axes_have_titles() {
    let temp = results();
    let here = temp.path();
    let both = ["compare", "--rate", "5mbit", "--rtt", "20ms", "--cc", "reno,cubic"];
    ok(&run(here, &[&both[..], &["--duration", "4s", "--out", "both"]].concat()));
    let draw = |names: &str| {
        ok(&run(here, &["report", "both", "--figure", names, "--svg", "x.svg"]));
        fs::read_to_string(here.join("x.svg")).unwrap()
    };
    let drawing = draw("time-reno.cwnd,time-cubic.cwnd");
    for words in [">(a) reno<", ">(b) cubic<"] {
        assert_eq!(drawing.matches(words).count(), 1, "{words}");
    }
    assert!(!drawing.contains(">queue<"), "there is no queue");
    let drawing = draw("time-reno.cwnd,time-reno.queue");
    assert!(drawing.contains(">(a)<") && drawing.contains(">queue<"), "the axes differ");
}

#[test]
fn a_sweep_draws_any_measure_by_its_full_name() {
    let temp = results();
    let here = temp.path();
    let over = ["--over", "dumbbell.queue=20pkt,40pkt", "--over", "dumbbell.delay=5ms,10ms"];
    ok(&run(here, &[&["sweep", "small.toml", "--out", "s"], &over[..]].concat()));
    let figure = |name: &str| {
        run(here, &["report", "s", "--figure", name, "--data", "x.csv", "--svg", "x.svg"])
    };
    for (name, x, y) in [
        ("groups.a.rtt_p95_s", "buffer (packets)", "RTT p95 (ms)"),
        ("groups.a.rtt_p95_s-dumbbell.delay", "one-way delay (ms)", "RTT p95 (ms)"),
        ("timeouts", "buffer (packets)", "timeouts"),
    ] {
        ok(&figure(name));
        let table = fs::read_to_string(here.join("x.csv")).unwrap();
        let head = table.lines().next().unwrap();
        assert!(head.starts_with(&format!("panel,line,{x},{y},")), "{head}");
        assert_eq!(table.lines().count(), 5, "{table}");
    }
    rejected(&figure("groups.b.rtt_p95_s"), &[]);
}
