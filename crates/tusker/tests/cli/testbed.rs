//! `tusker testbed`: what it prints, and what it refuses.

use std::fs;
use std::iter;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;
use tusker_core::Bytes;
use tusker_lab::{Budget, Experiment, Lab, Quiet, Ready};
use tusker_plan::audit::Audit;
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Executor, Job};
use tusker_plan::plane::Plane;
use tusker_plan::run::Run;
use tusker_scenario::Scenario;
use tusker_sim::Simulator;
use tusker_store::{Build, Existing, Format, Store};

use super::{err, ok, rejected, run};

const PATH: &str = "profile = 'linux'\nduration = '8s'\n[dumbbell]\nrate = '10Mbit'\n\
    delay = '40ms'\nqueue = '2bdp'\naccess = { rate = '100Mbit', delay = '1ms' }\n";

fn with(flows: &str) -> TempDir {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("path.toml"), format!("{PATH}{flows}")).unwrap();
    temp
}

/// Hosts can be made here; where not, one line says so, or the test fails where that is
/// not allowed.
pub fn can_make_hosts(test: &str) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let root = status.lines().any(|line| line.starts_with("CapEff:") && line.ends_with("fffff"));
    if root && Path::new("/dev/net/tun").exists() {
        return true;
    }
    assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "{test} may not be skipped here");
    eprintln!("skipped: {test}: needs root and /dev/net/tun");
    false
}

/// What the first of three runs gives that was left alone by whatever else the machine
/// does; one of these tests at a time.
pub(super) fn left_alone<T>(what: &str, run: impl FnMut() -> Option<T>) -> T {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    iter::repeat_with(run).take(3).flatten().next().expect(what)
}

/// The path for so long.
fn short(seconds: u32, flows: &str) -> TempDir {
    let temp = with(flows);
    let text = PATH.replace("8s", &format!("{seconds}s"));
    fs::write(temp.path().join("path.toml"), format!("{text}{flows}")).unwrap();
    temp
}

/// A disk of its own, 8 MB, which something else fills while packets move.
#[test]
fn a_disk_that_fills_up_is_told_and_the_run_is_made_again() {
    if !can_make_hosts("a disk that fills up is told and the run is made again") {
        return;
    }
    let temp = short(3, "[[flows]]\nname = 'a'\ncc = 'cubic'\n");
    fs::create_dir(temp.path().join("disk")).unwrap();
    let script = "mount -t tmpfs -o size=8m tmpfs disk || exit 99\n\
        (sleep 1; dd if=/dev/zero of=disk/fill bs=1M 2>/dev/null) & filling=$!\n\
        \"$0\" testbed path.toml --out disk/real --quiet; echo \"exit $?\"\n\
        wait $filling; ls disk/real/replicates; rm disk/fill\n\
        \"$0\" testbed path.toml --out disk/real --resume --quiet > /dev/null 2>&1\n\
        ls disk/real/replicates";
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script, env!("CARGO_BIN_EXE_tusker")]);
    let done = command.current_dir(temp.path()).output().unwrap();
    assert!(err(&done).contains("os error 28"), "{}", err(&done));
    assert!(err(&done).contains("free some space and repeat"), "{}", err(&done));
    // nothing of the first, all of the second; whether that is valid is no matter here
    assert_eq!(String::from_utf8_lossy(&done.stdout), "exit 1\n0001\n");
}

#[test]
fn what_is_measured_is_stored_as_what_is_simulated() {
    if !can_make_hosts("what is measured is stored as what is simulated") {
        return;
    }
    let temp = short(3, "[[flows]]\nname = 'a'\ncc = 'cubic'\n");
    let here = temp.path();
    let path = ["testbed", "path.toml", "--out", "real", "--replicates", "2", "--tables", "csv"];
    // 3 s at a value every 5 ms, and as many of the queue as of the window; the
    // connection takes a round trip to open. Whether the run is valid is no matter here
    let done = left_alone("one of three has its curves", || {
        let done = run(here, &[&path[..], &["--force"]].concat());
        let series = fs::read_to_string(here.join("real/replicates/0001/series.csv")).unwrap();
        let rows = |subject: &str| series.lines().filter(|line| line.contains(subject)).count();
        let (windows, queues) = (rows(",a.0,cwnd,"), rows(",R1->R2,queue,"));
        let whole = (500..=600).contains(&windows) && (590..=600).contains(&queues);
        whole.then_some(done)
    });
    let text = String::from_utf8(done.stdout.clone()).unwrap();
    assert!(text.contains("\npath: measured from 1.5 s to 3 s; means of 2 repl"), "{text}");
    assert!(text.contains("seeds 1 to 2, on real sockets"), "{text}");
    let summary = fs::read_to_string(here.join("real/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["plane"], "testbed");
    assert_eq!(summary["audits"].as_array().unwrap().len(), 2);
    assert_eq!(summary["links"][0]["loss_episodes"], serde_json::Value::Null);
    // both end as what is in them says
    let invalid = !summary["invalid"].as_array().unwrap().is_empty();
    assert_eq!(done.status.code(), Some(i32::from(invalid)), "{}", err(&done));
    assert_eq!(err(&done).contains(", do not trust"), invalid, "{}", err(&done));
    let manifest = fs::read_to_string(here.join("real/manifest.json")).unwrap();
    assert!(manifest.contains("\"plane\": \"testbed\""), "{manifest}");
    let page = fs::read_to_string(here.join("real/report.html")).unwrap();
    assert!(page.contains("Whether packets left on time"), "it is on the page");

    let again = run(here, &[&path[..], &["--resume"]].concat());
    assert!(err(&again).contains("2 of 2 replicates are done already"), "{}", err(&again));
    for (command, words) in
        [("run", "come from the testbed"), ("testbed", "come from the simulator")]
    {
        let dir = if command == "run" { "real" } else { "simulated" };
        if command == "testbed" {
            ok(&run(here, &["run", "path.toml", "--out", dir]));
        }
        rejected(&run(here, &[command, "path.toml", "--out", dir, "--resume"]), &[words]);
    }
}

#[test]
fn measured_and_simulated_stand_beside_each_other() {
    if !can_make_hosts("measured and simulated stand beside each other") {
        return;
    }
    let temp = with("[[flows]]\nname = 'a'\ncc = 'cubic'\n");
    let here = temp.path();
    let args = "testbed path.toml --compare --out both --force";
    // 10 Mbit/s less headers of 52 in 1500 bytes
    let most = 10.0 * 1448.0 / 1500.0;
    left_alone("one of three is valid and within 5 %", || {
        let done = run(here, args);
        let text = String::from_utf8(done.stdout.clone()).unwrap();
        assert!(text.contains("\npath: measured from 4 s to 8 s; one run, seed 1"), "{text}");
        let row = text.lines().find(|line| line.starts_with("goodput of a ")).expect("a row");
        let words: Vec<&str> = row.split_whitespace().collect();
        let numbers: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        // simulated and its interval, measured and its interval
        let near = |goodput: f64| (0.93 * most..=most * 1.001).contains(&goodput);
        assert!(near(numbers[0]), "{row}");
        eprintln!("{row}");
        let fine = near(numbers[2]) && words.last() == Some(&"yes");
        (done.status.success() && fine).then_some(())
    });
    for plane in ["simulator", "testbed"] {
        let summary = fs::read_to_string(here.join("both").join(plane).join("summary.json"));
        let summary: serde_json::Value = serde_json::from_str(&summary.unwrap()).unwrap();
        assert_eq!(summary["plane"], plane);
    }
    // one figure with the curves of both
    let names = ok(&run(here, "report both/simulator both/testbed --list"));
    assert!(names.contains("time          path: simulated and measured\n"), "{names}");
    let svg = ["--figure", "time.queue", "--svg", "queue.svg"];
    ok(&run(here, &[&["report", "both/simulator", "both/testbed"][..], &svg].concat()));
    let svg = fs::read_to_string(here.join("queue.svg")).unwrap();
    assert!(svg.contains("queue, simulated") && svg.contains("queue, measured"), "both planes");
    let page = fs::read_to_string(here.join("both/report.html")).unwrap();
    assert!(page.contains("path: simulated and measured"), "and on the page");
}

/// A token bucket that drops, and a route that goes from a short path to a long one and back.
const CHANGES: [(&str, &str); 2] = [
    (
        "policer",
        "duration = '16s'\nmeasure = { from = '6s' }\n[dumbbell]\nrate = '50Mbit'\ndelay = '20ms'\n\
         queue = { policy = 'policer', limit = '1000pkt', rate = '8Mbit', burst = '100kB' }\n\
         access = { rate = '1Gbit', delay = '0s' }\n[[flows]]\nname = 'a'\ncc = 'cubic'\n",
    ),
    (
        "route",
        "duration = '18s'\nmeasure = { from = '3s' }\nnodes = ['A', 'B']\n\
         [[links]]\nname = 'short'\nfrom = 'A'\nto = 'B'\nrate = '20Mbit'\ndelay = '10ms'\n\
         queue = '100pkt'\n\
         [[links]]\nname = 'long'\nfrom = 'A'\nto = 'B'\nrate = '10Mbit'\ndelay = '30ms'\n\
         queue = '100pkt'\n\
         [[flows]]\nname = 'a'\ncc = 'cubic'\nfrom = 'A'\nto = 'B'\n\
         access = { rate = '1Gbit', delay = '0s' }\n\
         route = [{ at = '0s', via = ['short'] }, { at = '6s', via = ['long'] }, \
         { at = '12s', via = ['short'] }]\n",
    ),
];

#[test]
fn a_policer_and_a_route_that_changes_are_measured_as_simulated() {
    if !can_make_hosts("a policer and a route that changes are measured as simulated") {
        return;
    }
    let temp = TempDir::new().unwrap();
    for (name, scenario) in CHANGES {
        fs::write(temp.path().join("path.toml"), format!("profile = 'linux'\n{scenario}")).unwrap();
        let args = ["testbed", "path.toml", "--compare", "--out", "both", "--force"];
        left_alone(&format!("one of three of the {name} is valid and within 5 %"), || {
            let done = run(temp.path(), &args);
            let text = String::from_utf8(done.stdout.clone()).unwrap();
            let row = text.lines().find(|line| line.starts_with("goodput of a ")).expect("a row");
            eprintln!("{name}: {row}");
            (done.status.success() && row.ends_with("yes")).then_some(())
        });
    }
}

/// The simulator, with the word of an emulator that came a second late.
struct Late;

impl Executor for Late {
    fn execute(&self, job: Job<'_, '_>) -> Result<Run, Stopped> {
        let run = Simulator.execute(job)?;
        let p99 = tusker_core::Duration::from_millis(1_000);
        Ok(Run { audit: Some(Audit { packets: 1, p99, ..Audit::default() }), ..run })
    }
}

#[test]
fn who_reads_an_invalid_run_later_is_told() {
    let temp = with("[[flows]]\nname = 'a'\ncc = 'reno'\n");
    let scenario = Scenario::load(&temp.path().join("path.toml"), &[]).unwrap();
    let plane = Plane::Testbed;
    let build = Build { version: "1.2.3".to_owned(), hash: "made up".to_owned(), plane };
    let ready = Ready::of("path".to_owned(), &scenario, &build).unwrap();
    let (dir, new) = (temp.path().join("late"), Existing::Refuse);
    let store = Store::open(&dir, &ready.identity, new, Format::Csv, 0).unwrap();
    let budget = Budget::asked(Bytes::new(1_000_000_000));
    let lab = Lab {
        executor: &Late,
        elsewhere: None,
        jobs: Some(1),
        budget,
        command: Vec::new(),
        bands: true,
    };
    let experiment = Experiment { ready, store: Some(store) };
    drop(lab.run(&[experiment], &Quiet).unwrap());
    ok(&run(temp.path(), "report late"));
    let page = fs::read_to_string(dir.join("report.html")).unwrap();
    // 2 * 41 ms of propagation: a fortieth is more than the 2 ms that are allowed at most
    let fault = "1 % of the packets were more than 1000000 us late, 2000 us are allowed";
    assert!(page.contains("path INVALID: invalid run, do not trust its numbers"), "a warning");
    assert!(page.contains(fault), "and why");
    ok(&run(temp.path(), "run path.toml --out good"));
    ok(&run(temp.path(), "report late good --out both.html"));
    let page = fs::read_to_string(temp.path().join("both.html")).unwrap();
    assert!(page.contains("path (testbed) INVALID"), "beside others, too");
    assert!(!page.contains("path (simulator) INVALID"), "but not those");
}

#[test]
fn what_it_cannot_do_is_named_with_a_remedy() {
    for (flows, words) in [
        ("[[flows]]\nname = 'a'\ncc = 'reno'\ncount = 40\n", "use fewer flows"),
        ("[[flows]]\nname = 'a'\ncc = 'copa'\n", "use one of hstcp, ghstcp"),
    ] {
        let temp = with(flows);
        for args in [&["testbed", "path.toml"][..], &["check", "path.toml", "--plane", "testbed"]] {
            rejected(&run(temp.path(), args), &[words]);
        }
        assert!(run(temp.path(), "check path.toml").status.success());
    }
    let temp = with("[[flows]]\nname = 'a'\ncc = 'ghstcp'\n");
    assert!(run(temp.path(), "check path.toml --plane testbed").status.success());
}

#[test]
fn what_came_to_a_link_is_written_down() {
    let temp = short(2, "[[flows]]\nname = 'a'\ncc = 'cubic'\n");
    let here = temp.path();
    let base = ["testbed", "path.toml", "--no-save", "--record"];
    let with = |more: &[&str]| run(here, &[&base[..], more].concat());
    for (more, words) in [
        (&["path.toml"][..], "is not a list of arrivals"),
        (&["a.csv", "--record-link", "R1-R2"], "did you mean R1->R2?"),
        (&["a.csv", "--replicates", "2"], "add --replicates 1"),
        (&["a.csv", "--compare"], "cannot be used with '--compare'"),
        (&["no/a.csv"], "cannot write no/a.csv"),
    ] {
        let refused = with(more);
        let code = if more[0] == "no/a.csv" { 1 } else { 2 };
        assert_eq!(refused.status.code(), Some(code), "{}", err(&refused));
        assert!(err(&refused).contains(words), "{}", err(&refused));
    }
    assert!(!here.join("a.csv").exists(), "nothing was touched");
    if !can_make_hosts("what came to a link is written down") {
        return;
    }
    // the default is the bottleneck; its way back has the ACKs. 40 bytes: the headers of
    // IP and TCP
    for (more, link, least, most) in
        [(&[][..], "R1->R2", 40, 1500), (&["--record-link", "R2->R1"], "R2->R1", 40, 120)]
    {
        // whether the run is valid is no matter here
        let done = with(&[&["a.csv"], more].concat());
        let text = fs::read_to_string(here.join("a.csv"));
        let text = text.unwrap_or_else(|_| panic!("{}", err(&done)));
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("time_ns,bytes,flow,ecn_capable,became"));
        let (mut sizes, mut last, mut count) = (Vec::new(), 0, 0);
        for line in lines {
            let fields: Vec<&str> = line.split(',').collect();
            let at: u64 = fields[0].parse().expect(line);
            assert!(at >= last && at < 3_000_000_000, "{line}");
            (last, count) = (at, count + 1);
            sizes.push(fields[1].parse::<u32>().expect(line));
            assert_eq!((fields.len(), fields[2], fields[3]), (5, "a.0", "false"), "{line}");
            assert!(["passed", "dropped", "waiting"].contains(&fields[4]), "{line}");
        }
        let ends = (*sizes.iter().min().unwrap(), *sizes.iter().max().unwrap());
        assert!(ends.0 >= least && ends.1 <= most, "{link}: {ends:?}");
        // 10 Mbit/s for a second are 833 packets, and as many ACKs or half of that
        assert!(count > 200, "{count} packets came to {link}");
        let said = format!("{count} packets that arrived at {link} are in a.csv");
        assert!(err(&done).contains(&said), "{}", err(&done));
    }
}

#[test]
fn a_law_of_the_kernel_with_parameters_is_refused() {
    let temp = with("[[flows]]\nname = 'a'\ncc = { name = 'cubic', beta = 0.5 }\n");
    rejected(
        &run(temp.path(), "check path.toml --plane testbed"),
        &["this kernel's cubic has no parameters that can be set: beta = 0.5"],
    );
}
