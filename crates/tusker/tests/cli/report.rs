//! `tusker report`, and the pages that `run` and `compare` write.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::{SMALL, err, json, noted, ok, rejected, run, small};

/// A folder with the small scenario and its results in `one`.
fn results() -> TempDir {
    let temp = small();
    ok(&run(temp.path(), "run small.toml --out one --replicates 2"));
    temp
}

fn page(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.starts_with("<!doctype html>") && text.trim_end().ends_with("</html>"));
    text
}

/// The figures of curves within a page.
fn curves(page: &str) -> Value {
    let from = page.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let json = &page[from..from + page[from..].find("</script>").unwrap()];
    serde_json::from_str(json).unwrap()
}

#[test]
fn a_run_leaves_its_page() {
    let temp = results();
    let text = page(&temp.path().join("one/report.html"));
    assert!(text.contains("tusker run small.toml --out one --replicates 2"), "the command");
    let curves = curves(&text);
    let panels: Vec<&str> = curves["time"]["panels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|panel| panel["y"]["title"].as_str().unwrap())
        .collect();
    assert_eq!(panels, ["goodput of a flow", "congestion window", "smoothed RTT", "queue"]);
    assert!(curves["rtt-cdf"].is_object() && curves["queue-cdf"].is_object());
    let quiet = run(temp.path(), "run small.toml --out two");
    assert!(err(&quiet).contains("two/report.html"), "{}", err(&quiet));
    ok(&run(temp.path(), "run small.toml --no-save"));
    assert!(!temp.path().join("results").exists());
}

/// The page's trace changes no number: without a folder nothing is traced.
#[test]
fn the_trace_for_the_page_changes_no_result() {
    let temp = results();
    let printed = |args: &[&str]| {
        let mut summary: Value = serde_json::from_str(&ok(&run(temp.path(), args))).unwrap();
        summary["execution"] = Value::Null;
        summary
    };
    let stored = printed(&["run", "small.toml", "--out", "three", "--format", "json"]);
    let plain = printed(&["run", "small.toml", "--no-save", "--format", "json"]);
    assert_eq!(stored, plain);
    assert!(temp.path().join("three/replicates/0001/series.parquet").is_file());
}

#[test]
fn several_folders_are_compared_on_one_page() {
    let temp = results();
    ok(&run(temp.path(), "run small.toml --out two --set duration=5s"));
    noted(&run(temp.path(), "report one two --out both.html"), &["both.html"]);
    let text = page(&temp.path().join("both.html"));
    // of the same name: the folders tell them apart
    assert!(text.contains("small (one)") && text.contains("small (two)"));
    let curves = curves(&text);
    assert!(curves["time-small-one"].is_object() && curves["time-small-two"].is_object());
    assert_eq!(curves["rtt-cdf"]["groups"].as_array().unwrap().len(), 2);
    // a pattern such as `*` finds a report among them, which is no results by itself
    fs::rename(temp.path().join("both.html"), temp.path().join("report.html")).unwrap();
    ok(&run(temp.path(), "report one two report.html --out again.html"));
    assert_eq!(page(&temp.path().join("again.html")), text);
    rejected(&run(temp.path(), "report report.html"), &["report.html"]);
}

#[test]
fn compare_writes_one_page_of_all() {
    let temp = TempDir::new().unwrap();
    let args = ["compare", "--rate", "10mbit", "--rtt", "20ms", "--duration", "4s", "--cc"];
    let with = |more: &[&str]| run(temp.path(), &[&args[..], &["reno,hstcp"], more].concat());
    ok(&with(&["--report", "alone.html"]));
    let stored: Vec<_> = fs::read_dir(temp.path()).unwrap().collect();
    assert_eq!(stored.len(), 1, "the page and nothing else: {stored:?}");
    let alone = page(&temp.path().join("alone.html"));
    ok(&with(&["--out", "all"]));
    let all = page(&temp.path().join("all/report.html"));
    for text in [alone, all] {
        let curves = curves(&text);
        assert!(curves["time-hstcp"].is_object());
        // all of them on one scale, and a law's colour whatever stands beside it
        let hue = |figure: &str, name: &str| {
            let groups = curves[figure]["groups"].as_array().unwrap();
            groups.iter().find(|group| group["name"] == name).unwrap()["hue"].as_u64().unwrap()
        };
        for figure in ["overlay", "rtt-cdf"] {
            assert_eq!((hue(figure, "reno"), hue(figure, "hstcp")), (1, 3), "{figure}");
        }
        assert_eq!((hue("time-hstcp", "hstcp"), hue("time-reno", "reno")), (3, 1));
        assert!(text.contains("<title>reno and hstcp over 10 Mbit/s, 20 ms</title>"));
    }
}

#[test]
fn figures_are_listed_and_drawn() {
    let temp = results();
    let listed = ok(&run(temp.path(), "report one --list"));
    for name in ["time ", "time.cwnd", "time.queue", "rtt-cdf", "queue-cdf"] {
        assert!(listed.lines().any(|line| line.starts_with(name)), "{name} is not in\n{listed}");
    }
    let names = json(&ok(&run(temp.path(), "report one --list --format json")));
    assert_eq!(names.as_array().unwrap().len(), listed.lines().count() - 1);
    for line in listed.lines().skip(1) {
        let name = line.split_whitespace().next().unwrap();
        let args = ["report", "one", "--figure", name, "--svg", "x.svg", "--png", "x.png"];
        ok(&run(temp.path(), &args));
        let drawing = fs::read_to_string(temp.path().join("x.svg")).unwrap();
        assert!(drawing.starts_with("<svg ") && drawing.contains("</svg>"), "{name}");
        let queue = name.ends_with("queue") || name == "queue-cdf";
        // grey of a queue, and what Reno has everywhere
        assert!(drawing.contains(if queue { "#7b8694" } else { "#d55e00" }), "{name}");
        assert!(!drawing.contains("NaN") && !drawing.contains("var("), "{name}");
        assert!(fs::read(temp.path().join("x.png")).unwrap().starts_with(b"\x89PNG"), "{name}");
    }
    rejected(&run(temp.path(), "report one --figure tim --svg x.svg"), &["time.cwnd"]);
    rejected(&run(temp.path(), "report one --figure time"), &["--svg"]);
}

#[test]
fn what_is_no_result_is_told_with_a_remedy() {
    let temp = results();
    let told = |dir: &str, words: &[&str]| rejected(&run(temp.path(), &["report", dir]), words);
    told("nowhere", &["nowhere holds no tusker results", "tusker run"]);
    fs::create_dir(temp.path().join("empty")).unwrap();
    told("empty", &["empty holds no tusker results"]);
    let summary = temp.path().join("one/manifest.json");
    let text = fs::read_to_string(&summary).unwrap();
    fs::write(&summary, text.replace("\"format\": 1", "\"format\": 0")).unwrap();
    told("one", &["manifest.json", "format is 0, not 1", "run its scenario again"]);
    fs::write(&summary, &text).unwrap();
    let measures = temp.path().join("one/replicates/0002/measures.json");
    let kept = fs::read_to_string(&measures).unwrap();
    fs::write(&measures, "{\"number\": 2}").unwrap();
    told("one", &["0002", "measures.json is damaged", "--resume"]);
    fs::write(&measures, kept).unwrap();
    rejected(&run(temp.path(), "report one --replicate 2"), &["replicates with time series: 1"]);
    fs::remove_dir_all(temp.path().join("one/replicates")).unwrap();
    fs::create_dir(temp.path().join("one/replicates")).unwrap();
    told("one", &["no replicate in one is complete", "--resume"]);
}

/// Sweeps have a page each, and runs one together: what to type for them is said, and works.
#[test]
fn what_shares_no_page_is_told_with_the_commands_for_each() {
    let temp = results();
    ok(&run(temp.path(), "run small.toml --quiet --out two"));
    for name in ["s", "t"] {
        let sweep = ["sweep", "small.toml", "--over", "cc=reno", "--quiet", "--out", name];
        ok(&run(temp.path(), &sweep));
    }
    for (dirs, said) in [
        (
            &["one", "two", "s"][..],
            "s is a sweep and one is not: no page shows both help: make a page of each: `tusker \
             report one two --out runs.html`, `tusker report s`",
        ),
        (
            &["s", "t"],
            "s is a sweep and t is a sweep: no page shows both help: make a page of each: \
             `tusker report s`, `tusker report t`",
        ),
    ] {
        rejected(&run(temp.path(), &[&["report"], dirs].concat()), &[said]);
    }
    ok(&run(temp.path(), "report one two --out runs.html"));
    page(&temp.path().join("runs.html"));
    ok(&run(temp.path(), "report s s"));
    // --report is what `compare` calls the file
    ok(&run(temp.path(), "report s --report sweep.html"));
    page(&temp.path().join("sweep.html"));
}

#[test]
fn results_that_are_not_complete_say_so() {
    let temp = results();
    fs::remove_dir_all(temp.path().join("one/replicates/0001")).unwrap();
    ok(&run(temp.path(), "report one"));
    let text = page(&temp.path().join("one/report.html"));
    assert!(text.contains("1 of 2 replicates are in") && text.contains("--resume"));
    // the first replicate was the one that was traced
    assert!(text.contains("nothing was recorded over time"));
}

#[test]
fn names_of_the_user_are_text() {
    let temp = TempDir::new().unwrap();
    let evil = "</script><b>&";
    let scenario = SMALL.replace("\"small\"", &format!("'{evil}'"));
    fs::write(temp.path().join("a&b.toml"), scenario).unwrap();
    ok(&run(temp.path(), &["run", "a&b.toml", "--out", "x & <y>"]));
    let text = page(&temp.path().join("x & <y>/report.html"));
    assert!(text.contains("<h1>&lt;/script&gt;&lt;b&gt;&amp;</h1>"));
    assert!(!text.contains(evil) && !text.contains("<y>"));
    // and a browser would run no script of theirs: the page's own has a nonce
    let (_, rest) = text.split_once("script-src 'nonce-").unwrap();
    let (nonce, rest) = rest.split_once('\'').unwrap();
    assert_eq!(nonce.len(), 32);
    assert!(rest.contains(&format!("<script nonce=\"{nonce}\">")));
}

/// What `compare --out` made is a folder of folders, with a page beside them.
#[test]
fn a_folder_of_results_stands_for_all_in_it() {
    let temp = results();
    fs::create_dir(temp.path().join("all")).unwrap();
    fs::rename(temp.path().join("one"), temp.path().join("all/one")).unwrap();
    ok(&run(temp.path(), "run small.toml --out all/two --replicates 2"));
    let args = "report all/one all/two --out both.html";
    ok(&run(temp.path(), args));
    let both = page(&temp.path().join("both.html"));
    ok(&run(temp.path(), "report all"));
    assert_eq!(page(&temp.path().join("all/report.html")), both);
    // as a shell writes `all/*`
    let args = "report all/one all/report.html all/two --out star.html";
    let star = run(temp.path(), args);
    ok(&star);
    assert_eq!(page(&temp.path().join("star.html")), both);
    let alone = run(temp.path(), "report all/report.html");
    assert_eq!(alone.status.code(), Some(2));
    assert!(err(&alone).contains("is a file, not a folder of results"), "{}", err(&alone));
    assert!(!err(&alone).contains("--no-save"), "{}", err(&alone));
}

/// HCC's modes are 0, 1 and 2, and none is Reno's.
#[test]
fn only_laws_with_a_reno_mode_show_how_long_they_are_in_it() {
    let dir = TempDir::new().unwrap();
    for (cc, shown) in [("hcc", false), ("ghstcp", true)] {
        let args = ["compare", "--rate", "10mbit", "--rtt", "20ms", "--duration", "3s"];
        let args = [&args[..], &["--cc", cc, "--report", cc]].concat();
        ok(&run(dir.path(), &args));
        let page = fs::read_to_string(dir.path().join(cc)).unwrap();
        assert_eq!(page.contains("time in Reno mode"), shown, "{cc}");
    }
}

/// `reno` was asked for before `hstcp`, which comes first in the alphabet.
#[test]
fn a_comparison_keeps_its_order() {
    let temp = TempDir::new().unwrap();
    let path = ["--rate", "10mbit", "--rtt", "20ms", "--duration", "4s", "--quiet"];
    ok(&run(
        temp.path(),
        &[&["compare", "--cc", "reno,hstcp", "--out", "both"], &path[..]].concat(),
    ));
    ok(&run(temp.path(), "report both --figure overlay --data x.csv"));
    let data = fs::read_to_string(temp.path().join("x.csv")).unwrap();
    let head = data.lines().next().unwrap();
    let place = |law: &str| head.find(law).unwrap_or_else(|| panic!("no {law} in {head}"));
    assert!(place("reno") < place("hstcp"), "{head}");
    // the page that is made again is that of the command
    let page = |file: &str| fs::read_to_string(temp.path().join(file)).unwrap();
    let first = page("both/report.html");
    ok(&run(temp.path(), "report both --out again.html --quiet"));
    assert_eq!(page("again.html"), first);
}

#[test]
fn a_report_opens_its_run_in_the_live_page() {
    let temp = results();
    let dir = temp.path();
    let text = page(&dir.join("one/report.html"));
    assert!(text.contains("<code>tusker run one/scenario.toml --open</code>"), "the command");
    assert!(!text.contains("#v1."));
    ok(&run(dir, "report one --live https://example.org/live/#old --out linked.html"));
    let text = page(&dir.join("linked.html"));
    assert!(text.contains("<a href=\"https://example.org/live/#v1."), "the link");
    assert!(!text.contains("--open"));
    ok(&run(dir, "report one --live ../live/index.html --out linked.html"));
    assert!(page(&dir.join("linked.html")).contains("<a href=\"../live/index.html#v1."));
    for address in ["javascript:alert(1)", "data:text/html,x", "#"] {
        rejected(
            &run(dir, &format!("report one --live {address}")),
            &["not the address of a page"],
        );
    }
    ok(&run(dir, "sweep small.toml --over cc=reno,cubic --out two"));
    rejected(&run(dir, "report two --live live/"), &["no run on this page"]);
}
