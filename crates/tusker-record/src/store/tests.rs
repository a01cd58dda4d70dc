use tempfile::TempDir;

use super::*;
use crate::example;

const SCENARIO: &str = "name = \"example\"\n";

fn open(dir: &Path, existing: Existing) -> Result<Store, Error> {
    Store::open(dir, SCENARIO, existing, Format::Parquet, 0)
}

fn save(store: &Store, number: u32) -> Result<(), Error> {
    let plan = example::plan();
    let view = View::new(&plan);
    let run = example::run(u64::from(number));
    store.save(&view, &view.replicate(number, &run), &run)
}

fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_replicate_has_all_its_tables() {
    let temp = TempDir::new().unwrap();
    let store = open(temp.path(), Existing::Refuse).unwrap();
    save(&store, 1).unwrap();
    assert_eq!(
        files(&temp.path().join("replicates/0001")),
        [
            "background.parquet",
            "distributions.parquet",
            "flows.parquet",
            "links.parquet",
            "measures.json",
            "series.parquet"
        ]
    );
    assert_eq!(store.finished().unwrap()[0].number, 1);
}

#[test]
fn csv_has_the_same_rows() {
    let temp = TempDir::new().unwrap();
    let store = Store::open(temp.path(), SCENARIO, Existing::Refuse, Format::Csv, 0).unwrap();
    save(&store, 1).unwrap();
    let folder = temp.path().join("replicates/0001");
    let flows = fs::read_to_string(folder.join("flows.csv")).unwrap();
    assert_eq!(flows.lines().count(), 3, "a head and two flows:\n{flows}");
    assert!(flows.lines().nth(1).unwrap().starts_with("1,1,slow.0,slow,reno,1,3.5,"), "{flows}");
    // the value that does not exist is left out
    let series = fs::read_to_string(folder.join("series.csv")).unwrap();
    assert_eq!(series, "replicate,seed,time_s,subject,quantity,value\n1,1,0.5,slow.0,cwnd,12.5\n");
}

#[test]
fn results_are_not_overwritten_unasked() {
    let temp = TempDir::new().unwrap();
    save(&open(temp.path(), Existing::Refuse).unwrap(), 1).unwrap();
    assert!(matches!(open(temp.path(), Existing::Refuse), Err(Error::Exists(_))));
    let resumed = open(temp.path(), Existing::Resume).unwrap();
    assert_eq!(resumed.finished().unwrap().len(), 1);
    let replaced = open(temp.path(), Existing::Replace).unwrap();
    assert_eq!(replaced.finished().unwrap().len(), 0);
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("thesis.tex"), "years of work").unwrap();
    for existing in [Existing::Refuse, Existing::Replace, Existing::Resume] {
        assert!(matches!(open(temp.path(), existing), Err(Error::Foreign(_))));
    }
    assert_eq!(files(temp.path()), ["thesis.tex"]);
}

#[test]
fn what_is_not_ours_survives_a_replacement() {
    let temp = TempDir::new().unwrap();
    open(temp.path(), Existing::Refuse).unwrap();
    fs::write(temp.path().join("notes.txt"), "seen at 3 am").unwrap();
    open(temp.path(), Existing::Replace).unwrap();
    assert!(temp.path().join("notes.txt").exists());
}

#[test]
fn another_scenario_cannot_be_resumed() {
    let temp = TempDir::new().unwrap();
    open(temp.path(), Existing::Refuse).unwrap();
    let other =
        Store::open(temp.path(), "name = \"other\"\n", Existing::Resume, Format::Parquet, 0);
    assert!(matches!(other, Err(Error::OtherScenario(_))));
}

#[test]
fn what_a_killed_run_left_is_no_replicate() {
    let temp = TempDir::new().unwrap();
    save(&open(temp.path(), Existing::Refuse).unwrap(), 1).unwrap();
    let partial = temp.path().join("replicates/.partial-0002");
    fs::create_dir(&partial).unwrap();
    fs::write(partial.join("measures.json"), "{\"number").unwrap();
    let resumed = open(temp.path(), Existing::Resume).unwrap();
    assert_eq!(resumed.finished().unwrap().len(), 1);
    assert!(!partial.exists());
}

#[test]
fn a_replicate_that_cannot_be_written_leaves_the_others() {
    let temp = TempDir::new().unwrap();
    let store = open(temp.path(), Existing::Refuse).unwrap();
    save(&store, 1).unwrap();
    // in the way of the second one
    fs::write(temp.path().join("replicates/.partial-0002"), "").unwrap();
    assert!(matches!(save(&store, 2), Err(Error::Io { .. })));
    fs::remove_file(temp.path().join("replicates/.partial-0002")).unwrap();
    assert_eq!(store.finished().unwrap().len(), 1);
    save(&store, 2).unwrap();
    assert_eq!(store.finished().unwrap().len(), 2);
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let temp = TempDir::new().unwrap();
    let file = temp.path().join("file");
    fs::write(&file, "").unwrap();
    let error = open(&file.join("below"), Existing::Refuse).unwrap_err();
    assert!(error.to_string().contains("below"), "{error}");
}

#[test]
fn too_little_room_is_told_before_the_run() {
    let temp = TempDir::new().unwrap();
    let store = Store::open(temp.path(), SCENARIO, Existing::Refuse, Format::Parquet, u64::MAX);
    assert!(matches!(store, Err(Error::NoRoom { .. })));
    // nothing is in the way of another try
    open(temp.path(), Existing::Refuse).unwrap();
}

#[test]
fn a_new_folder_is_numbered() {
    let temp = TempDir::new().unwrap();
    assert_eq!(new_folder(temp.path(), "x"), temp.path().join("x"));
    fs::create_dir(temp.path().join("x")).unwrap();
    assert_eq!(new_folder(temp.path(), "x"), temp.path().join("x-2"));
}

#[test]
fn more_replicates_of_the_same_scenario_can_be_added() {
    let temp = TempDir::new().unwrap();
    let open = |text: &str, existing| Store::open(temp.path(), text, existing, Format::Parquet, 0);
    open("replicates = 2\nseed = 1\n", Existing::Refuse).unwrap();
    open("replicates = 5\nseed = 1\n", Existing::Resume).unwrap();
    let other = open("replicates = 5\nseed = 2\n", Existing::Resume);
    assert!(matches!(other, Err(Error::OtherScenario(_))));
}

#[test]
fn what_was_stored_is_read_back_in_either_format() {
    let text = "profile = \"ns2\"\nduration = \"9s\"\n[dumbbell]\nrate = \"1Gbit\"\ndelay = \"5ms\"\nqueue = \"100pkt\"\n\
                access = { rate = \"1Gbit\" }\n[[flows]]\nname = \"a\"\ncount = 2\ncc = \"reno\"\n";
    let scenario = crate::scenario::Scenario::parse("x.toml", text, &[]).unwrap();
    let (plan, text) = (scenario.plan().unwrap(), scenario.expanded().unwrap().to_toml());
    let view = View::new(&plan);
    let mut run = Run {
        flows: vec![crate::run::Flow::default(); 2],
        links: vec![crate::run::Link::default(); plan.links.len()],
        ..Run::default()
    };
    // 0.25 ms twice, in a bucket of nanoseconds 2^17 / 32 = 4,096 wide: [249856, 253952)
    run.flows.iter_mut().for_each(|flow| flow.rtt.record(250_000));
    run.links[view.bottlenecks[0]].queue.record(7);
    let seconds = |s: f64| crate::summary::nanoseconds(s);
    let series = |quantity: &str, values: &[f64]| crate::run::Series {
        subject: "a.0".to_owned(),
        quantity: quantity.to_owned(),
        values: values.to_vec(),
    };
    run.trace = crate::run::Trace {
        times: [0.0, 0.1, 0.2, 0.3].map(seconds).to_vec(),
        series: vec![
            series("cwnd", &[1.0, 2.0, 3.0, 4.0]),
            series("srtt", &[f64::NAN, 0.5, f64::NAN, 0.25]),
            series("flight", &[1.0, 1.0, 1.0, f64::NAN]),
        ],
    };
    for format in [Format::Parquet, Format::Csv] {
        let temp = TempDir::new().unwrap();
        let store = Store::open(temp.path(), &text, Existing::Refuse, format, 0).unwrap();
        assert!(matches!(Stored::read(temp.path(), None), Err(Error::NoReplicate(_))));
        for number in 1..=2 {
            store.save(&view, &view.replicate(number, &run), &run).unwrap();
        }
        let stored = Stored::read(temp.path(), None).unwrap();
        assert_eq!(stored.plan, plan);
        assert_eq!((stored.replicates.len(), stored.summary.wanted), (2, 1));
        let rtt = &stored.distributions[0];
        assert_eq!((rtt.subject.as_str(), rtt.quantity), ("a", Quantity::Rtt));
        assert_eq!(rtt.buckets, [(249_856e-9, 253_952e-9, 4)]);
        let queue = &stored.distributions[1];
        assert_eq!((queue.subject.as_str(), queue.quantity), ("R1->R2", Quantity::Queue));
        assert_eq!(queue.buckets, [(7.0, 8.0, 2)]);
        let (number, trace) = stored.series.unwrap();
        assert_eq!((number, &trace.times), (1, &run.trace.times));
        // NaN is not equal to itself
        assert_eq!(format!("{:?}", trace.series), format!("{:?}", run.trace.series));
        let none = Stored::read(temp.path(), Some(3)).unwrap_err();
        assert!(none.to_string().contains("replicate 3"), "{none}");
    }
}

#[test]
fn a_folder_without_results_or_of_another_version_is_told() {
    let temp = TempDir::new().unwrap();
    assert!(matches!(Stored::read(temp.path(), None), Err(Error::NoResults(_))));
    assert!(matches!(Stored::read(&temp.path().join("no"), None), Err(Error::NoResults(_))));
    // `example` is no scenario that has a network
    open(temp.path(), Existing::Refuse).unwrap();
    assert!(matches!(Stored::read(temp.path(), None), Err(Error::OtherVersion { .. })));
}
