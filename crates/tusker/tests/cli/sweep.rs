//! `tusker sweep`: one that was killed can be continued, a wider one runs only what is new, and
//! two at a time share the work.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{Words, err, flat, json, ok, read, rejected, run, small, start};

const GRID: &str = "sweep small.toml --over cc=reno,cubic --over dumbbell.queue=5pkt..80pkt:5:log \
                    --replicates 4 --jobs 2 --tables csv";

/// All runs of that.
const RUNS: usize = 2 * 5 * 4;

fn grid(out: &str) -> String {
    format!("{GRID} --out {out}")
}

/// How often each run was done.
fn done(dir: &Path) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for entry in fs::read_dir(dir.join("runs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "jsonl") {
            let text = fs::read_to_string(path).unwrap();
            for line in text.lines().filter_map(|line| line.strip_prefix("{\"run\":\"")) {
                *counts.entry(line[..32].to_owned()).or_default() += 1;
            }
        }
    }
    counts
}

/// What the table and the dataset say when nothing disturbs it.
fn undisturbed(dir: &Path) -> (String, String) {
    let table = ok(&run(dir, &grid("undisturbed")));
    (table, fs::read_to_string(dir.join("undisturbed/runs.csv")).unwrap())
}

/// Fifty times, at moments of a seeded generator: in a folder until its sweep is done,
/// then in a new one.
#[test]
fn a_sweep_that_is_killed_anywhere_ends_with_the_same_bytes() {
    let dir = small();
    let (table, dataset) = undisturbed(dir.path());
    assert!(table.contains("10 points, 40 runs"), "{table}");
    let mut state = 0x2026_u64;
    let mut random = || {
        // Numerical Recipes
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    let (mut folders, mut killed) = (Vec::new(), 0);
    folders.push("k0".to_owned());
    while killed < 50 {
        let own = folders.last().unwrap().clone();
        let mut child = start(dir.path(), &grid(&own));
        std::thread::sleep(Duration::from_secs_f64(0.05 * random()));
        let over = child.try_wait().unwrap().is_some();
        let _ = child.kill();
        child.wait().unwrap();
        if over {
            folders.push(format!("k{}", folders.len()));
        } else {
            killed += 1;
        }
    }
    for own in &folders {
        assert_eq!(ok(&run(dir.path(), &grid(own))), table, "{own}");
        let path = dir.path().join(own);
        assert_eq!(fs::read_to_string(path.join("runs.csv")).unwrap(), dataset, "{own}");
        let counts = done(&path);
        assert_eq!(counts.len(), RUNS);
        assert!(counts.values().all(|count| *count == 1), "nothing was run twice: {counts:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn two_at_once_share_the_work() {
    let dir = small();
    let (table, dataset) = undisturbed(dir.path());
    for round in 0..3 {
        let own = format!("two{round}");
        let args = grid(&own);
        let both = [start(dir.path(), &args), start(dir.path(), &args)];
        for child in both {
            let output = child.wait_with_output().unwrap();
            assert_eq!(ok(&output), table);
        }
        let path = dir.path().join(&own);
        assert_eq!(fs::read_to_string(path.join("runs.csv")).unwrap(), dataset);
        let counts = done(&path);
        assert_eq!(counts.len(), RUNS);
        assert!(counts.values().all(|count| *count == 1), "nothing was run twice: {counts:?}");
    }
}

/// As several containers have: in a PID namespace, the first process has the number 1.
#[cfg(target_os = "linux")]
#[test]
fn processes_with_equal_numbers_share_a_folder() {
    let namespace = ["--user", "--map-root-user", "--pid", "--fork"];
    let can = std::process::Command::new("unshare").args(namespace).arg("true").output();
    if !can.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "may not be skipped");
        return eprintln!("skipped: this process cannot make PID namespaces");
    }
    let temp = small();
    let (table, dataset) = undisturbed(temp.path());
    let started: Vec<Child> = (0..4)
        .map(|_| {
            let mut command = std::process::Command::new("unshare");
            command
                .args(namespace)
                .arg(env!("CARGO_BIN_EXE_tusker"))
                .args(grid("shared").split(' '));
            command.current_dir(temp.path()).env("NO_COLOR", "1").stdin(Stdio::null());
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in started {
        assert_eq!(ok(&child.wait_with_output().unwrap()), table);
    }
    assert_eq!(fs::read_to_string(temp.path().join("shared/runs.csv")).unwrap(), dataset);
    let names = fs::read_dir(temp.path().join("shared")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> =
        names.filter(|name| name.starts_with('.') && name != ".tusker-changes").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_wider_sweep_runs_only_what_is_new() {
    let dir = small();
    let said = |more: &str| {
        let output = run(dir.path(), &format!("sweep small.toml --out w --over {more}"));
        ok(&output);
        err(&output)
    };
    assert!(said("cc=reno --replicates 2").contains("2 runs, 0 done already"));
    assert!(said("cc=reno --replicates 2").contains("all 2 runs are done already"));
    let said = said("cc=cubic,reno --replicates 3");
    assert!(said.contains("4 runs, 2 done already"), "{said}");
    assert_eq!(done(&dir.path().join("w")).len(), 6);
}

/// What the page and sweep.json name as the command is what gives their points.
#[test]
fn printing_again_keeps_the_command_and_other_points_have_another() {
    let dir = small();
    let sweep = |queues: &str, more: &str| {
        let over = format!("--over dumbbell.queue={queues} --out out {more}");
        ok(&run(dir.path(), &format!("sweep small.toml {over}")));
        let summary = json(&read(dir.path().join("out/sweep.json")));
        (summary["command"].to_string(), summary["earlier"].clone())
    };
    let first = sweep("5pkt,20pkt", "");
    assert_eq!(sweep("5pkt,20pkt", "--format csv -q"), first);
    assert!(first.1.is_null(), "{first:?}");
    // all of it is there already, and it is less: the command of the others is kept
    let (fewer, earlier) = sweep("5pkt", "-q");
    assert!(fewer.contains("dumbbell.queue=5pkt\""), "{fewer}");
    let all = earlier.as_array().unwrap();
    assert_eq!((all.len(), all[0].to_string()), (1, first.0.clone()), "{earlier}");
    // whoever draws the figure is told both; the first one covers all, and is alone again
    let args = "report out --figure goodput-bps-dumbbell-queue --data a.csv";
    let told = err(&run(dir.path(), args));
    assert!(told.contains("base.toml in the folder is the scenario file"), "{told}");
    assert_eq!(told.matches("  tusker sweep small.toml ").count(), 2, "{told}");
    assert_eq!(sweep("5pkt,20pkt", "-q").1, Value::Null);
    // a sweep of another scenario, of which no point is left, is not one of these commands
    sweep("5pkt", "-q --set duration=6s");
    let (_, earlier) = sweep("5pkt", "-q");
    assert!(!earlier.to_string().contains("duration=6s"), "{earlier}");
}

#[test]
fn intervals_of_a_single_flow_are_noted_and_those_of_several_are_not() {
    let dir = small();
    let said = |count: &str| {
        let more = format!("--replicates 3 --set flows.0.count={count} --out {count} --quiet");
        let args = format!("sweep small.toml --over dumbbell.queue=50pkt,60pkt {more}");
        let output = run(dir.path(), &args);
        ok(&output);
        err(&output)
    };
    let one = flat(&said("1"));
    assert!(one.contains("a single flow at each point"), "{one}");
    assert!(!said("2").contains("a single flow"), "{}", said("2"));
    // 10 Mbit/s in 24 ms are 30,000 bytes
    let json = |name: &str| json(&read(dir.path().join(name).join("sweep.json")));
    let (one, two) = (json("1"), json("2"));
    let setting = &one["setting"];
    let expected = serde_json::json!({
        "window_s": [2.0, 4.0], "seed": 1, "rate_bps": [1e7, 1e7], "rtt_s": [0.024, 0.024],
        "loss": [0.0, 0.0], "jitter_s": [0.0, 0.0], "flows": [1.0, 1.0], "bdp_bytes": 30_000,
        "packet_bytes": 1500, "queue": "droptail", "recovery": "sack", "profile": "ns2",
        "laws": setting["laws"], "tusker": env!("CARGO_PKG_VERSION"),
    });
    assert_eq!(*setting, expected);
    assert_eq!((&one["lone"], two.get("lone")), (&Value::from(true), None));
    assert_eq!(two["setting"]["flows"], serde_json::json!([2.0, 2.0]));
}

/// A lone flow has no interval to speak of over seeds; one sawtooth more or less in the window
/// changes more: what is not used, divided by the congestion episodes.
#[test]
fn what_surely_holds_of_a_lone_flow_includes_a_sawtooth() {
    let dir = small();
    let sweep = |more: &[&str]| {
        let args = "sweep small.toml --over dumbbell.queue=2pkt,10pkt --set flows.0.count=1 \
                    --set duration=20s --replicates 2";
        ok(&run(dir.path(), &[&args.words()[..], more].concat()))
    };
    let csv = sweep(&["--format", "csv", "--measure", "utilisation,episodes", "-q"]);
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let column = |name: &str| head.iter().position(|own| *own == name).unwrap();
    let last = lines.next_back().unwrap();
    let number = |name: &str| last[column(name)].parse::<f64>().unwrap();
    let (used, teeth) = (number("utilisation"), number("episodes"));
    assert!(teeth >= 3.0 && used < 0.999, "{csv}");
    let tooth = 100.0 * (1.0 - used) / teeth;
    assert!(number("utilisation_ci95") * 100.0 < tooth, "{csv}");
    // the mean is above the first limit by less than that, and above the second by more
    let at = |below: f64| {
        let condition = format!("utilisation >= {} surely", used - below / 100.0);
        sweep(&["--where", &condition, "-q"])
    };
    assert!(at(0.5 * tooth).contains("undecided at "), "{}", at(0.5 * tooth));
    assert!(at(1.5 * tooth).contains("10pkt"), "{}", at(1.5 * tooth));
    assert!(!at(1.5 * tooth).contains("undecided at 10pkt"), "{}", at(1.5 * tooth));
}

/// The columns of a group that is called after one law would be taken for that law's.
#[test]
fn a_group_with_the_name_of_another_law_is_noted() {
    let dir = small();
    let said = |name: &str| {
        let args = "sweep small.toml --over cc=reno,cubic -q --out n --set flows.0.name=";
        err(&run(dir.path(), &format!("{args}{name}")))
    };
    assert!(said("reno").contains("note: the group `reno` is named after one"), "{}", said("reno"));
    assert!(!said("flow").contains("is named after"), "{}", said("flow"));
}

#[test]
fn the_dataset_has_what_is_varied_and_every_value_of_the_scenario() {
    let dir = small();
    let file = "scenario = \"small.toml\"\nreplicates = 2\nset = [\"duration=2s\"]\n\
                measure = \"rtt_exponent, jain\"\n\
                [over]\ncc = [\"reno\", \"ghstcp:z=2\"]\n\
                [[together]]\n\"dumbbell.rate\" = [\"5Mbit\", \"10Mbit\"]\n\
                \"dumbbell.delay\" = \"10ms..20ms:2\"\n";
    fs::write(dir.path().join("own.toml"), file).unwrap();
    let table = ok(&run(dir.path(), "sweep own.toml --tables csv --out d"));
    assert!(table.contains("\nown: 4 points, 8 runs"), "{table}");
    assert!(table.contains("rtt_exponent") && table.contains("jain"), "{table}");
    let text = fs::read_to_string(dir.path().join("d/runs.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 8);
    let column = |name: &str| {
        let at = rows[0].iter().position(|head| *head == name);
        let at = at.unwrap_or_else(|| panic!("no column {name} in {:?}", rows[0]));
        rows[1..].iter().map(|row| row[at]).collect::<Vec<_>>()
    };
    assert_eq!(column("point"), ["1", "1", "2", "2", "3", "3", "4", "4"]);
    assert_eq!(column("seed"), ["1", "2", "1", "2", "1", "2", "1", "2"]);
    assert_eq!(column("cc")[3..5], ["reno", "ghstcp:z=2"]);
    let rates = ["5000000", "5000000", "10000000", "10000000"];
    assert_eq!(column("dumbbell.rate_bps"), [rates, rates].concat());
    assert_eq!(column("dumbbell.delay_s")[1..3], ["0.01", "0.02"]);
    assert_eq!(column("scenario.links.R1->R2.rate_bps"), [rates, rates].concat());
    assert_eq!(column("scenario.duration_s")[0], "2");
    assert_eq!(column("scenario.links.R1->R2.queue.limit_pkt")[0], "20");
    // no more than the link carries
    assert!(column("goodput_bps").iter().zip(column("dumbbell.rate_bps")).all(
        |(goodput, rate)| {
            let number = |text: &str| text.parse::<f64>().unwrap();
            number(goodput) > 0.0 && number(goodput) < number(rate)
        }
    ));
}

#[test]
fn mistakes_are_told_before_anything_runs() {
    let dir = small();
    for (more, words) in [
        ("", "nothing is varied"),
        ("--over cc=rno", "`rno`"),
        ("--over dumbbell.delay=1ms..2ms", "has no count"),
        ("--over dumbbell.dely=1ms,2ms", "unknown key `dely`"),
        ("--over dumbbell.queue=10pkt,-5pkt", "-5pkt"),
        ("--over cc=reno --until 200%", "not a share of the mean"),
        ("--over cc=reno --most 5", "--most is only for --until"),
        ("--over cc=reno --measure godput_bps", "did you mean `goodput_bps`"),
    ] {
        rejected(&run(dir.path(), &format!("sweep small.toml {more}")), &[words]);
    }
    fs::create_dir(dir.path().join("thesis")).unwrap();
    fs::write(dir.path().join("thesis/thesis.tex"), "").unwrap();
    rejected(
        &run(dir.path(), "sweep small.toml --over cc=reno --out thesis"),
        &["holds no tusker results"],
    );
}

/// Neither a folder nor a flag that nobody gave.
#[test]
fn a_mistake_in_a_later_point_names_its_axis_and_leaves_no_folder() {
    let dir = small();
    let file = "scenario = \"small.toml\"\n[over]\ncc = [\"reno\", \"ghstcp:zz=2\"]\n";
    fs::write(dir.path().join("wide.toml"), file).unwrap();
    let small = "small.toml --over";
    for (args, place, shown, marked) in [
        (&*format!("{small} dumbbell.queue=5pkt,much"), "--over:1:16", "dumbbell.queue=much", 4),
        (&format!("{small} dumbbel.queue=5pkt,6pkt"), "--over:1:1", "dumbbel.queue=5pkt", 13),
        (&format!("{small} cc=reno,ghstcp:zz=2"), "--over:1:4", "cc=ghstcp:zz=2", 11),
        ("wide.toml", "wide.toml:1:4", "cc=ghstcp:zz=2", 11),
    ] {
        let output = run(dir.path(), &format!("sweep {args} --out none"));
        let told = err(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(&format!("[{place}]")) && told.contains(shown), "{place}: {told}");
        assert!(!told.contains("--set"), "{told}");
        // as many signs below what is wrong as it is long
        let line = told.lines().find(|line| line.contains("here")).map(str::to_owned);
        let signs = told.lines().find(|line| line.contains('\u{252c}') || line.contains('^'));
        let signs = signs.unwrap_or_else(|| panic!("{line:?}: {told}"));
        let count = signs.chars().filter(|c| "\u{2500}\u{252c}^".contains(*c)).count();
        assert_eq!(count, marked, "{told}");
        assert!(!dir.path().join("none").exists(), "{told}");
    }
    // a value of --set is still one of --set
    let told = err(&run(dir.path(), "sweep small.toml --over cc=reno,cubic --set duration=long"));
    assert!(told.contains("[--set:1:10]"), "{told}");
}

/// Reno needs losses to come to its mean, and with a queue of 500 packets for 50 in
/// flight it takes longer than 2 s from one to the next; with 20 packets it takes 0.4 s.
/// BBR needs none.
#[test]
fn the_head_says_what_was_measured_and_a_note_where_it_is_too_short() {
    let dir = small();
    let args = "sweep small.toml --over cc=reno,bbr1 --over dumbbell.queue=20pkt,500pkt \
                --replicates 2 --out s";
    let output = run(dir.path(), &format!("{args} --quiet"));
    let told = err(&output);
    let note = told.lines().find(|line| line.contains("congestion episodes")).expect("a note");
    assert!(note.contains("note: at 1 of 4 points (reno at 1): fewer than 3 "), "{told}");
    assert!(!note.contains("bbr1"), "{told}");
    let table = ok(&run(dir.path(), args));
    // 10 ms and twice 1 ms, there and back
    let head = "\nsmall-sweep: 4 points, 8 runs, measured from 2 s to 4 s; 2 replicates each, \
                seeds 1 to 2; 10.00 Mbit/s, RTT 24.00 ms without queues";
    assert!(table.contains(head), "{table}");
    // where each is the only one, and where they differ
    // 30 x 10^9 ns in seconds have no more digits than 30
    let args = "sweep small.toml --over dumbbell.delay=10ms,20ms --out one --set duration=40s \
                --set measure.from=30s";
    let table = ok(&run(dir.path(), args));
    let head = "\nsmall-sweep: 2 points, 2 runs, measured from 30 s to 40 s; one run each, seed 1; \
                10.00 Mbit/s, RTT 24.00 ms to 44.00 ms without queues\n";
    assert!(table.contains(head), "{table}");
}

/// Nothing is left out of what is not on a terminal.
#[test]
fn a_long_table_is_whole_in_a_pipe() {
    let dir = small();
    let args = "sweep small.toml --over dumbbell.queue=1pkt..45pkt:45 --set duration=1s --quiet";
    let table = ok(&run(dir.path(), args));
    // below the heads
    assert_eq!(table.lines().skip(1).count(), 45, "{table}");
}

/// A sweep with fewer values takes nothing from the folder's tables; one of another
/// scenario does, and says so.
#[test]
fn a_narrower_sweep_keeps_the_other_points_of_its_folder() {
    let dir = small();
    let sweep = |ccs: &str, queues: &str, more: &str| {
        let over = format!("--over cc={ccs} --over dumbbell.queue={queues} {more}");
        let output = run(dir.path(), &format!("sweep small.toml --out f --tables csv {over}"));
        (ok(&output), err(&output))
    };
    let file = |name: &str| read(dir.path().join("f").join(name));
    let points = || {
        let summary = json(&file("sweep.json"));
        let points = summary["points"].as_array().unwrap().iter();
        let point = |p: &Value| {
            format!("{}/{}/{}", p["values"][0], p["values"][1], p["replicates"]).replace('"', "")
        };
        points.map(point).collect::<Vec<_>>()
    };
    let (_, told) = sweep("reno,ghstcp:z=2", "5pkt,10pkt", "--replicates 2");
    assert!(!told.contains("earlier"), "{told}");
    let (wide, rows) = (points(), file("runs.csv"));
    assert_eq!(wide, ["reno/5pkt/2", "reno/10pkt/2", "ghstcp:z=2/5pkt/2", "ghstcp:z=2/10pkt/2"]);

    // fewer values and replicates: nothing is run, the table has what was asked for, and
    // the folder what it had
    let (table, told) = sweep("reno", "10pkt", "");
    assert!(table.contains("small-sweep: 1 point, 1 run"), "{table}");
    assert!(told.contains("the only run is done already"), "{told}");
    assert!(told.contains("3 points of earlier sweeps in f"), "{told}");
    assert_eq!((points(), file("runs.csv")), (wide, rows));
    assert!(file("report.html").contains("ghstcp"));

    // others: they come first
    let (_, told) = sweep("cubic,reno", "5pkt", "");
    assert!(told.contains("1 run, 1 done already"), "{told}");
    let all = ["cubic/5pkt/1", "reno/5pkt/2", "reno/10pkt/2", "ghstcp:z=2/5pkt/2"];
    assert_eq!(points(), [&all[..], &["ghstcp:z=2/10pkt/2"]].concat());

    // another scenario
    let (_, told) = sweep("reno", "5pkt", "--set duration=2s");
    assert!(told.contains("note: 4 points of an earlier sweep in f"), "{told}");
    assert_eq!(points(), ["reno/5pkt/1"]);
    // and other keys
    let told = err(&run(dir.path(), "sweep small.toml --over cc=reno --out f"));
    assert!(told.contains("note: 1 point of an earlier sweep in f is no longer"), "{told}");
}
