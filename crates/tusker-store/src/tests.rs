use tempfile::TempDir;

mod foreign;
mod old;

use super::*;
use tusker_measure::example;
use tusker_plan::plan::Plan;
use tusker_plan::plane::Plane;

/// As a scenario that [`example::plan`] could have been made from.
fn identity(scenario: &str) -> Identity {
    Identity {
        text: format!("name = \"{scenario}\"\n"),
        scenario: hash(scenario.as_bytes()),
        seed: 1,
        build: Build { version: "0.1.0".to_owned(), hash: hash(b"build"), plane: Plane::Simulator },
    }
}

fn open(dir: &Path, existing: Existing) -> Result<Store, Error> {
    Store::open(dir, &identity("example"), existing, Format::Parquet, 0)
}

fn finished(store: &Store) -> Result<Vec<Replicate>, Error> {
    store.finished(&View::new(&example::plan()))
}

fn save(store: &Store, number: u32) -> Result<(), Error> {
    let plan = example::plan();
    let view = View::new(&plan);
    let run = example::run(u64::from(number));
    store.save(&view, &view.replicate(number, &run), &run, &|| false)
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
    assert_eq!(finished(&store).unwrap()[0].number, 1);
}

#[test]
fn csv_has_the_same_rows() {
    let temp = TempDir::new().unwrap();
    let store =
        Store::open(temp.path(), &identity("example"), Existing::Refuse, Format::Csv, 0).unwrap();
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
    assert_eq!(finished(&resumed).unwrap().len(), 1);
    drop(resumed);
    let replaced = open(temp.path(), Existing::Replace).unwrap();
    assert_eq!(finished(&replaced).unwrap().len(), 0);
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
    let resume = |identity: &Identity| {
        Store::open(temp.path(), identity, Existing::Resume, Format::Parquet, 0)
    };
    assert!(matches!(resume(&identity("other")), Err(Error::OtherScenario(_))));
    let seed = Identity { seed: 2, ..identity("example") };
    assert!(matches!(resume(&seed), Err(Error::OtherScenario(_))));
    let build = Build { hash: hash(b"another build"), ..identity("example").build };
    let build = Identity { build, ..identity("example") };
    let refused = resume(&build).unwrap_err();
    assert!(matches!(refused, Error::OtherBuild { .. }), "{refused}");
    // the same build with a law in Python, and another build with one
    let own = identity("example").build.hash;
    for (hash, other_law) in [(format!("{own}+1"), true), (format!("{}+1", hash(b"x")), false)] {
        let build = Build { hash, ..identity("example").build };
        let refused = resume(&Identity { build, ..identity("example") }).unwrap_err();
        let told = refused.to_string();
        assert_eq!(matches!(refused, Error::OtherLaw { .. }), other_law, "{told}");
        assert_eq!(told.contains("without laws"), other_law, "{told}");
    }
}

#[test]
fn what_a_killed_run_left_is_no_replicate() {
    let temp = TempDir::new().unwrap();
    save(&open(temp.path(), Existing::Refuse).unwrap(), 1).unwrap();
    let partial = temp.path().join("replicates/.partial-0002");
    fs::create_dir(&partial).unwrap();
    fs::write(partial.join("measures.json"), "{\"number").unwrap();
    let resumed = open(temp.path(), Existing::Resume).unwrap();
    assert_eq!(finished(&resumed).unwrap().len(), 1);
    assert!(!partial.exists());
}

#[test]
fn a_replicate_that_is_stopped_while_it_is_stored_leaves_the_others() {
    let temp = TempDir::new().unwrap();
    let plan = example::plan();
    let view = View::new(&plan);
    let mut run = example::run(2);
    run.trace.times = (0..60_000).map(tusker_core::Time::from_nanos).collect();
    run.trace.series[0].values = vec![1.5; 60_000];
    // within the series, which come last
    for (format, most) in [(Format::Parquet, 130), (Format::Csv, 10)] {
        let dir = temp.path().join(format.extension());
        let store = Store::open(&dir, &identity("example"), Existing::Refuse, format, 0).unwrap();
        save(&store, 1).unwrap();
        let asked = std::cell::Cell::new(0);
        let stopped = || {
            asked.set(asked.get() + 1);
            asked.get() > most
        };
        let saved = store.save(&view, &view.replicate(2, &run), &run, &stopped);
        assert!(matches!(saved, Err(Error::Stopped)), "{saved:?}");
        assert_eq!(asked.get(), most + 1, "nothing is asked after the answer");
        assert_eq!(files(&dir.join(REPLICATES)), ["0001"]);
        assert_eq!(finished(&store).unwrap().len(), 1);
        // unless it is stopped it is there, and its hashes are right
        store.save(&view, &view.replicate(2, &run), &run, &|| false).unwrap();
        store.manifest().verify(&dir, 2).unwrap();
        let table = dir.join(format!("replicates/0002/series.{}", format.extension()));
        let mut rows = 0;
        read::rows(&table, 60_000, &[], &["value"], &mut |_, value| {
            assert_eq!(value, [1.5]);
            rows += 1;
        })
        .unwrap();
        assert_eq!(rows, 60_000);
    }
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
    assert_eq!(finished(&store).unwrap().len(), 1);
    save(&store, 2).unwrap();
    assert_eq!(finished(&store).unwrap().len(), 2);
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
    let store =
        Store::open(temp.path(), &identity("example"), Existing::Refuse, Format::Parquet, u64::MAX);
    assert!(matches!(store, Err(Error::NoRoom { .. })));
    // nothing is in the way of another try
    open(temp.path(), Existing::Refuse).unwrap();
}

#[test]
fn a_new_folder_is_numbered_and_goes_if_it_cannot_be_used() {
    let temp = TempDir::new().unwrap();
    let create = |needed| Store::create(temp.path(), "x", &identity("e"), Format::Parquet, needed);
    let (first, second) = (create(0).unwrap(), create(0).unwrap());
    assert_eq!(first.dir(), temp.path().join("x"));
    assert_eq!(second.dir(), temp.path().join("x-2"));
    assert!(matches!(create(u64::MAX), Err(Error::NoRoom { .. })));
    assert_eq!(files(temp.path()), ["x", "x-2"]);
}

#[test]
fn a_folder_belongs_to_one_at_a_time() {
    let temp = TempDir::new().unwrap();
    let dir = temp.path().join("of/one");
    let store = open(&dir, Existing::Refuse).unwrap();
    save(&store, 1).unwrap();
    for existing in [Existing::Replace, Existing::Resume] {
        assert!(matches!(open(&dir, existing), Err(Error::InUse(_))));
    }
    // what is within a folder that is held as a whole is held as well
    let whole = Arc::new(Lock::take(temp.path()).unwrap());
    let below = temp.path().join("other");
    assert!(matches!(open(&below, Existing::Refuse), Err(Error::InUse(_))));
    let own = identity("example");
    Store::within(&whole, &below, &own, Existing::Refuse, Format::Parquet, 0).unwrap();
    assert_eq!(finished(&store).unwrap().len(), 1);
    drop((store, whole));
    open(&dir, Existing::Resume).unwrap();
}

#[test]
fn a_folder_that_was_replaced_gets_nothing_more() {
    let temp = TempDir::new().unwrap();
    let dir = temp.path().join("mine");
    let store = open(&dir, Existing::Refuse).unwrap();
    fs::remove_dir_all(&dir).unwrap();
    assert!(matches!(save(&store, 1), Err(Error::Lost(_))));
    assert!(!dir.exists());
    let other = open(&dir, Existing::Refuse).unwrap();
    assert!(matches!(save(&store, 1), Err(Error::Lost(_))));
    assert_eq!(finished(&other).unwrap().len(), 0);
}

#[test]
fn every_flipped_bit_is_noticed() {
    let temp = TempDir::new().unwrap();
    let dir = temp.path();
    save(&open(dir, Existing::Refuse).unwrap(), 1).unwrap();
    let replicate = dir.join("replicates/0001");
    let mut paths: Vec<PathBuf> = entries(&replicate).unwrap();
    paths.extend([dir.join("scenario.toml"), dir.join("manifest.json")]);
    assert_eq!(paths.len(), 8);
    for path in paths {
        let whole = fs::read(&path).unwrap();
        // one bit in each 41st byte, another one each time
        for (turn, at) in (0..whole.len()).step_by(41).enumerate() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (turn % 8);
            fs::write(&path, &bytes).unwrap();
            let resumed = open(dir, Existing::Resume).unwrap_err();
            let named = path.file_name().unwrap().to_str().unwrap();
            assert!(resumed.to_string().contains(named), "byte {at} of {named}: {resumed}");
        }
        fs::write(&path, whole).unwrap();
    }
    open(dir, Existing::Resume).unwrap();
}

#[test]
fn a_replicate_copied_over_another_is_noticed_and_a_removed_one_is_missing() {
    let temp = TempDir::new().unwrap();
    let store = open(temp.path(), Existing::Refuse).unwrap();
    (1..=2).for_each(|number| save(&store, number).unwrap());
    drop(store);
    let [first, second] = [1, 2].map(|number| manifest::replicate(temp.path(), number));
    for path in entries(&first).unwrap() {
        fs::copy(&path, second.join(path.file_name().unwrap())).unwrap();
    }
    let damaged = open(temp.path(), Existing::Resume).unwrap_err();
    assert!(matches!(&damaged, Error::Damaged { path, .. } if path.starts_with(&second)));
    fs::remove_dir_all(&second).unwrap();
    let resumed = open(temp.path(), Existing::Resume).unwrap();
    assert_eq!(finished(&resumed).unwrap().len(), 1);
}

#[test]
fn a_replicate_that_the_manifest_does_not_name_is_not_in() {
    let temp = TempDir::new().unwrap();
    save(&open(temp.path(), Existing::Refuse).unwrap(), 1).unwrap();
    let stray = temp.path().join("replicates/0002");
    fs::create_dir(&stray).unwrap();
    fs::copy(temp.path().join("replicates/0001/measures.json"), stray.join(MEASURES)).unwrap();
    let resumed = open(temp.path(), Existing::Resume).unwrap();
    assert_eq!(finished(&resumed).unwrap().len(), 1);
    assert!(!stray.exists());
}

#[test]
fn results_without_a_manifest_are_told() {
    let temp = TempDir::new().unwrap();
    save(&open(temp.path(), Existing::Refuse).unwrap(), 1).unwrap();
    fs::remove_file(temp.path().join(MANIFEST)).unwrap();
    assert!(matches!(open(temp.path(), Existing::Resume), Err(Error::NoManifest(_))));
    assert!(matches!(Stored::read(temp.path(), None), Err(Error::NoManifest(_))));
    // a folder that happens to have such names is not removed either
    assert!(matches!(open(temp.path(), Existing::Replace), Err(Error::NoManifest(_))));
    assert!(temp.path().join("replicates/0001").exists());
}

#[test]
fn a_replacement_that_was_killed_midway_can_be_gone_on_with() {
    let temp = TempDir::new().unwrap();
    save(&open(temp.path(), Existing::Refuse).unwrap(), 1).unwrap();
    // the first thing that a replacement does
    Manifest::new(&identity("other")).write(temp.path()).unwrap();
    let resume = Store::open(temp.path(), &identity("other"), Existing::Resume, Format::Parquet, 0);
    assert_eq!(finished(&resume.unwrap()).unwrap().len(), 0);
}

#[test]
fn simulated_and_measured_results_are_never_mixed() {
    let of = |plane: Plane| {
        let build = Build { plane, ..identity("example").build };
        Identity { build, ..identity("example") }
    };
    assert_ne!(of(Plane::Simulator).experiment(), of(Plane::Testbed).experiment());
    for (mine, other) in [(Plane::Simulator, Plane::Testbed), (Plane::Testbed, Plane::Simulator)] {
        let temp = TempDir::new().unwrap();
        let open =
            |plane: Plane| Store::open(temp.path(), &of(plane), Existing::Resume, Format::Csv, 0);
        save(&open(mine).unwrap(), 1).unwrap();
        let refused = open(other).unwrap_err();
        assert!(matches!(refused, Error::OtherPlane { .. }), "{refused}");
        assert_eq!(finished(&open(mine).unwrap()).unwrap().len(), 1);
        // a manifest without a plane is what there was before: the simulator's
        let text = fs::read_to_string(temp.path().join(MANIFEST)).unwrap();
        assert_eq!(text.contains("plane"), mine == Plane::Testbed, "{text}");
        let text = fs::read(temp.path().join(MANIFEST)).unwrap();
        assert_eq!(Manifest::parse(&text, temp.path()).unwrap().plane, mine.name());
    }
}

const FOUR: &str = "profile = \"ns2\"\nduration = \"9s\"\n[dumbbell]\nrate = \"1Gbit\"\ndelay = \"5ms\"\nqueue = \"100pkt\"\n\
                access = { rate = \"1Gbit\" }\n[[flows]]\nname = \"a\"\ncount = 2\ncc = \"reno\"\n";

/// The plan and the identity of a scenario file.
fn read(text: &str) -> (Plan, Identity) {
    let scenario = tusker_scenario::Scenario::parse("x.toml", text, &[]).unwrap();
    let build = identity("").build;
    let complete = scenario.complete().unwrap();
    let identity = Identity::of(&complete, &build);
    (complete.into_plan(), identity)
}

#[test]
fn replicates_and_seed_are_apart_from_the_scenario() {
    let of = |head: &str| read(&format!("{head}{FOUR}")).1;
    let (one, more) = (of(""), of("replicates = 5\n"));
    assert_eq!((&one.scenario, one.seed), (&more.scenario, more.seed));
    let seed = of("seed = 2\n");
    assert_eq!((&one.scenario, seed.seed), (&seed.scenario, 2));
    assert_ne!(one.experiment(), seed.experiment());
    // the same on every machine: said in full or not
    assert_ne!(one.scenario, read(&FOUR.replace("9s", "8s")).1.scenario);
}

#[test]
fn more_replicates_of_the_same_scenario_can_be_added() {
    let temp = TempDir::new().unwrap();
    let open = |head: &str, existing| {
        let identity = read(&format!("{head}{FOUR}")).1;
        Store::open(temp.path(), &identity, existing, Format::Parquet, 0)
    };
    open("replicates = 2\nseed = 1\n", Existing::Refuse).unwrap();
    open("replicates = 5\nseed = 1\n", Existing::Resume).unwrap();
    let text = fs::read_to_string(temp.path().join("scenario.toml")).unwrap();
    assert!(text.contains("replicates = 5"), "{text}");
    let other = open("replicates = 5\nseed = 2\n", Existing::Resume);
    assert!(matches!(other, Err(Error::OtherScenario(_))));
}

#[test]
fn what_was_stored_is_read_back_in_either_format() {
    let (plan, identity) = read(FOUR);
    let view = View::new(&plan);
    let mut run = Run {
        flows: vec![tusker_plan::run::Flow::default(); 2],
        links: vec![tusker_plan::run::Link::default(); plan.links.len()],
        ..Run::default()
    };
    // 0.25 ms twice, in a bucket of nanoseconds 2^17 / 32 = 4,096 wide: [249856, 253952)
    run.flows.iter_mut().for_each(|flow| flow.rtt.record(250_000));
    run.links[view.bottlenecks[0]].queue.record(7);
    let seconds = |s: f64| tusker_measure::summary::nanoseconds(s);
    let series = |quantity: &str, values: &[f64]| tusker_plan::run::Series {
        subject: "a.0".to_owned(),
        quantity: quantity.to_owned(),
        values: values.to_vec(),
    };
    run.trace = tusker_plan::run::Trace {
        times: [0.0, 0.1, 0.2, 0.3].map(seconds).to_vec(),
        series: vec![
            series("cwnd", &[1.0, 2.0, 3.0, 4.0]),
            series("srtt", &[f64::NAN, 0.5, f64::NAN, 0.25]),
            series("flight", &[1.0, 1.0, 1.0, f64::NAN]),
        ],
    };
    for format in [Format::Parquet, Format::Csv] {
        let temp = TempDir::new().unwrap();
        let store = Store::open(temp.path(), &identity, Existing::Refuse, format, 0).unwrap();
        assert!(matches!(Stored::read(temp.path(), None), Err(Error::NoReplicate(_))));
        for number in 1..=2 {
            let run = Run { seed: u64::from(number), ..run.clone() };
            store.save(&view, &view.replicate(number, &run), &run, &|| false).unwrap();
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
    // cut off near its beginning, a manifest is still one
    fs::write(temp.path().join(MANIFEST), "{\n  \"form").unwrap();
    assert!(matches!(Stored::read(temp.path(), None), Err(Error::Damaged { .. })));
}

/// Five series of a flow and a link, each with a value a millisecond, under names
/// of 62 letters: CSV repeats them in every row.
#[test]
fn the_room_that_csv_takes_is_not_told_too_low() {
    let name = "n".repeat(62);
    let text = FOUR.replace("\"a\"", &format!("\"{name}\"")).replace("count = 2\n", "");
    let (plan, _) = read(&format!("trace = {{ interval = \"1ms\" }}\n{text}"));
    let quantities = ["cwnd", "ssthresh", "srtt", "flight", "delivered"];
    let values: Vec<f64> = (0..9_000).map(|i| f64::from(i) / 7.0).collect();
    let flow = quantities.map(|quantity| (format!("{name}.0"), quantity));
    let series = flow.into_iter().chain([("R1->R2".to_owned(), "queue")]);
    let series = series.map(|(subject, quantity)| tusker_plan::run::Series {
        subject,
        quantity: quantity.to_owned(),
        values: values.clone(),
    });
    let times =
        (0..9_000).map(|i| tusker_measure::summary::nanoseconds(f64::from(i) / 1e3)).collect();
    let run = Run {
        seed: 1,
        flows: vec![tusker_plan::run::Flow::default(); plan.flows.len()],
        links: vec![tusker_plan::run::Link::default(); plan.links.len()],
        trace: tusker_plan::run::Trace { times, series: series.collect() },
        ..Run::default()
    };
    let temp = TempDir::new().unwrap();
    let view = View::new(&plan);
    let store = Store::open(temp.path(), &identity("e"), Existing::Refuse, Format::Csv, 0).unwrap();
    store.save(&view, &view.replicate(1, &run), &run, &|| false).unwrap();
    let stored = entries(&manifest::replicate(temp.path(), 1)).unwrap();
    let size: u64 = stored.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    let several = |replicates| estimate(&plan, replicates, Format::Csv);
    let told = several(2) - several(1);
    // told are 8 quantities of the flow and of the link, where 5 and 1 are here, of
    // 60 + 64 bytes each where a row takes about 89: 16 / 6 x 124 / 89 = 3.7; and some
    // for distributions, which are empty here
    assert!(size <= told && told <= 5 * size, "{size} bytes, and {told} were told");
}
