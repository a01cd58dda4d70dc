//! `tusker report --figure`: size and axes.

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
fn a_figure_is_as_wide_as_asked_for_in_every_format() {
    let temp = results();
    let here = temp.path();
    let size = "time.cwnd --width 3.5";
    draw(here, &format!("{size} --png x.png --pdf x.pdf"));
    let drawing = fs::read_to_string(here.join("x.svg")).unwrap();
    let high = drawing.split("width=\"3.5in\" height=\"").nth(1).unwrap();
    let high: f64 = high.split("in").next().unwrap().parse().unwrap();
    // 300 pixels per inch: 1050 are 3.5 in, in the header of a PNG
    let png = fs::read(here.join("x.png")).unwrap();
    assert_eq!(png[16..20], [0, 0, 0x04, 0x1a]);
    let pixels = u32::from_be_bytes(png[20..24].try_into().unwrap());
    assert_eq!(f64::from(pixels), (300.0 * high).round());
    // 72 points per inch
    let pdf = String::from_utf8_lossy(&fs::read(here.join("x.pdf")).unwrap()).into_owned();
    let box_of = format!("/MediaBox [0 0 252 {}]", (72.0 * high * 100.0).round() / 100.0);
    assert!(pdf.contains(&box_of), "{box_of}");
}

#[test]
fn all_points_go_to_the_data_whatever_is_drawn() {
    let temp = results();
    let here = temp.path();
    let table = |more: &str| {
        ok(&run(here, &format!("report one --figure time.cwnd --data all.csv{more}")));
        fs::read_to_string(here.join("all.csv")).unwrap()
    };
    let all = table("");
    assert!(all.starts_with("time (s),congestion window (segments): a.0,"), "{all}");
    assert_eq!(table(" --svg part.svg --x-range 1..2"), all);
    refused(here, "time --y-range 0..5", &["--y-range", "axes of their own", "cwnd"]);
    rejected(&run(here, "report one --figure time --x-range 2..1"), &["smaller one first"]);
}

#[test]
fn a_label_replaces_words_of_the_figure() {
    let temp = results();
    for label in ["cwnd", "=x", "window=x"] {
        let words = ["--label", "NAME=TEXT", "congestion window"];
        let at = if label == "window=x" { [0, 2] } else { [0, 1] };
        refused(temp.path(), &format!("time.cwnd --label {label}"), &at.map(|i| words[i]));
    }
}

/// Options that would change nothing.
#[test]
fn points_alone_have_no_size() {
    let temp = results();
    let here = temp.path();
    for option in ["--width 3.5", "--x-range 0..1"] {
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
    let size = ["--width", "3.5", "--pdf", "x.pdf", "--data", "x.csv"];
    let label = ["--label", "utilisation (%)=Link use (%)", "--svg", "x.svg"];
    let told = run(here, &[&["report", "two", "--figure", name], &size[..], &label[..]].concat());
    assert_eq!(ok(&told), "");
    let told = err(&told);
    let (files, caption) = told.split_at(told.find("Means").expect("a caption"));
    assert_eq!(
        files,
        "wrote x.svg (3.5 x 2.86 in)\nwrote x.pdf (3.5 x 2.86 in)\nwrote x.csv (2 rows)\n"
    );
    assert!(
        caption.starts_with("Means of 2 replicates; intervals are 95 % confidence (Student's t)."),
        "{told}"
    );
    let drawing = fs::read_to_string(here.join("x.svg")).unwrap();
    assert!(drawing.contains(">Link use (%)</text>"), "{}", &drawing[..400]);
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
