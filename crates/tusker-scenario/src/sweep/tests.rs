mod touched;

use super::*;

fn labels(over: &str) -> Vec<String> {
    Axis::read(over).unwrap().values.into_iter().map(|value| value.label).collect()
}

#[test]
fn a_list_is_parted_at_commas_that_are_in_no_bracket() {
    assert_eq!(labels("cc=reno,hstcp"), ["reno", "hstcp"]);
    assert_eq!(labels("cc=ghstcp:z=2,w_low=30,reno"), ["ghstcp:z=2,w_low=30", "reno"]);
    let axis = Axis::read("cc=ghstcp:z=2,reno").unwrap();
    assert_eq!(axis.values[0].text, "{ name = \"ghstcp\", z = 2 }");
    let axis = Axis::read("flows.0.cc={ name = \"ghstcp\", z = 2 },reno").unwrap();
    assert_eq!(axis.values[0].text, "{ name = \"ghstcp\", z = 2 }");
}

/// 10, 10 r, ..., 200 with r^4 = 20: r = 2.11474, in two digits: 21.15, 44.72 and 94.57; and
/// steps of 47.5.
#[test]
fn a_range_keeps_its_unit_and_its_ends() {
    assert_eq!(labels("d=10ms..200ms:5:log"), ["10ms", "21ms", "45ms", "95ms", "200ms"]);
    assert_eq!(labels("d=10ms..200ms:5"), ["10ms", "57.5ms", "105ms", "152.5ms", "200ms"]);
    assert_eq!(labels("d=0.1..0.3bdp:3"), ["0.1bdp", "0.2bdp", "0.3bdp"]);
    assert_eq!(labels("d=10ms..1s:3:log"), ["10ms", "100ms", "1s"]);
    assert_eq!(labels("n=1..16:5:log"), ["1", "2", "4", "8", "16"]);
    // steps of 7 %, of which a quarter is more than half of a hundredth: three digits. 2^(1/10)
    // is 1.0718, 2^(9/10) 1.8661
    let fine = labels("d=1ms..2ms:11:log");
    assert_eq!([fine[1].as_str(), &fine[9]], ["1.07ms", "1.87ms"]);
    // whole packets: 10^0.5 = 3.16
    assert_eq!(labels("q=100pkt..1000pkt:3:log"), ["100pkt", "316pkt", "1000pkt"]);
    assert_eq!(labels("n=1..10:3:log:whole"), ["1", "3", "10"]);
    assert_eq!(labels("loss=1e-6..1e-4:3:log"), ["1e-6", "0.00001", "1e-4"]);
    assert_eq!(labels("d=1ms,10ms..30ms:3"), ["1ms", "10ms", "20ms", "30ms"]);
}

#[test]
fn mistakes_are_told_with_a_remedy() {
    for (over, word) in [
        ("cc", "without `=`"),
        ("cc=", "a value is missing"),
        ("cc=reno,,hstcp", "a value is missing"),
        ("cc=reno,reno", "`reno` is given twice"),
        ("d=10ms..20ms", "has no count"),
        ("d=10ms..20ms:1", "has 1 values"),
        ("d=10ms..20mbit:3", "of different kinds"),
        ("d=10ms..10ms:3", "has no length"),
        ("d=0..10:3:log", "equal ratios cannot reach it"),
        ("d=10ms..20ms:3:logg", "`logg` in the range"),
        ("d=1..x:3", "is not a number"),
    ] {
        let error = Axis::read(over).unwrap_err();
        assert!(error.to_string().contains(word), "{over}: {error}");
        assert!(error.remedy().is_some_and(|help| !help.is_empty()), "{over}");
    }
    let twice = vec![Axis::read("a=1").unwrap(), Axis::read("a=2").unwrap()];
    assert!(Grid::of(twice).unwrap_err().to_string().contains("varied twice"));
    let many = ["a", "b"].map(|key| Axis::read(&format!("{key}=1..2:10000")).unwrap());
    assert!(Grid::of(many.into()).unwrap_err().to_string().contains("10000 x 10000"));
}

#[test]
fn a_grid_has_every_combination_and_its_first_axis_changes_slowest() {
    let axes = ["cc=reno,hstcp", "dumbbell.delay=1ms,2ms,3ms"].map(|o| Axis::read(o).unwrap());
    let grid = Grid::of(axes.into()).unwrap();
    assert_eq!(grid.len(), 6);
    assert_eq!(grid.sets(0), ["flows.*.cc=reno", "dumbbell.delay=1ms"]);
    assert_eq!(grid.sets(2), ["flows.*.cc=reno", "dumbbell.delay=3ms"]);
    assert_eq!(grid.sets(3), ["flows.*.cc=hstcp", "dumbbell.delay=1ms"]);
}

fn file(text: &str) -> Result<SweepFile, Error> {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let nth = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let name = format!("tusker-sweep-{}-{nth}.toml", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).unwrap();
    let read = SweepFile::load(&path);
    std::fs::remove_file(path).unwrap();
    read.map(|file| file.expect("it has the key `scenario`"))
}

#[test]
fn a_file_has_a_grid_axes_that_go_together_and_a_hypercube() {
    let sweep = file(
        "scenario = \"x.toml\"\nreplicates = 3\nuntil = \"2%\"\nset = [\"duration=1s\"]\n\
         [over]\ncc = [\"reno\", \"hstcp\"]\n\
         [[together]]\na = [1, 2]\n\"b.c\" = \"10ms..20ms:2\"\n\
         [hypercube]\npoints = 10\nseed = 7\n[hypercube.over]\nd = \"0..100\"\n",
    )
    .unwrap();
    assert_eq!(sweep.grid.len(), 2 * 2 * 10);
    assert_eq!((sweep.replicates, sweep.until.as_deref()), (Some(3), Some("2%")));
    assert!(sweep.scenario.ends_with("x.toml"));
    let sets = sweep.grid.sets(10);
    assert_eq!(sets[..3], ["flows.*.cc=reno", "a=2", "b.c=20ms"]);
    // each of ten stripes of 10 has one of the ten points
    let mut stripes: Vec<usize> = sweep.grid.parts[2].axes[0]
        .values
        .iter()
        .map(|value| (value.text.parse::<f64>().unwrap() / 10.0) as usize)
        .collect();
    assert!(!stripes.is_sorted(), "{stripes:?}");
    stripes.sort_unstable();
    assert_eq!(stripes, (0..10).collect::<Vec<_>>());
}

#[test]
fn a_mistake_in_a_file_is_shown_in_its_place() {
    for (text, word, place) in [
        ("scenario = \"x\"\novr = 1\n", "unknown key `ovr`", ":2:1"),
        ("scenario = \"x\"\n[over]\ncc = []\n", "no values", ":3:6"),
        ("scenario = \"x\"\n[[together]]\na = [1, 2]\nb = [1]\n", "2, 1 values", ":2:1"),
        (
            "scenario = \"x\"\n[hypercube]\npoints = 5\n[hypercube.over]\na = \"1..2:3\"\n",
            "must not have a count",
            ":5:5",
        ),
    ] {
        let error = file(text).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        assert!(error.place().is_some_and(|p| p.ends_with(place)), "{text}: {:?}", error.place());
    }
    assert!(file("scenario = \"x\"\n").unwrap_err().to_string().contains("nothing is varied"));
}

#[test]
fn cells_are_numbers_in_base_units_where_they_are_numbers() {
    for (text, cell) in [
        ("10ms", Cell::Number(0.01, "s")),
        ("2.5Gbit", Cell::Number(2.5e9, "bps")),
        ("64KiB", Cell::Number(65_536.0, "bytes")),
        ("0.5bdp", Cell::Number(0.5, "bdp")),
        ("333pkt", Cell::Number(333.0, "pkt")),
        ("1e-6", Cell::Number(1e-6, "")),
        ("unlimited", Cell::Text("unlimited".to_owned())),
        ("3x", Cell::Text("3x".to_owned())),
    ] {
        assert_eq!(cells::cell(text), cell, "{text}");
    }
    let text = "profile = \"linux\"\nduration = \"2s\"\n[dumbbell]\nrate = \"10Mbit\"\n\
                delay = \"5ms\"\nqueue = \"20pkt\"\n\
                access = { rate = \"1Gbit\", delay = \"1ms\" }\n[[flows]]\nname = \"a\"\ncc = \"reno\"\n";
    let scenario = Scenario::parse("x", text, &[]).unwrap().complete().unwrap().to_scenario();
    let (cells, text) = cells(scenario);
    assert!(text.contains("\"10Mbit\""), "{text}");
    let at = |path: &str| cells.iter().find(|cell| cell.0 == path).map(|cell| cell.1.clone());
    assert_eq!(at("links.R1->R2.queue.limit"), Some(Cell::Number(20.0, "pkt")));
    assert_eq!(at("links.R1->R2.delay"), Some(Cell::Number(0.005, "s")));
    assert_eq!(at("flows.a.cc.name"), Some(Cell::Text("reno".to_owned())));
    assert_eq!(at("seed"), None);
}

use crate::Scenario;

/// The fast path gives the same results and errors as reading the whole text.
#[test]
fn a_template_makes_what_parsing_makes() {
    let text = "profile = \"linux\"\nduration = \"2s\"\n[dumbbell]\nrate = \"10Mbit\"\n\
                delay = \"5ms\"\nqueue = \"20pkt\"\n\
                access = { rate = \"1Gbit\", delay = \"1ms\" }\n\
                [[flows]]\nname = \"a\"\ncc = \"reno\"\n[[flows]]\nname = \"b\"\ncc = \"cubic\"\n";
    let template = Template::new("x".to_owned(), text.to_owned(), "".into());
    for sets in [
        &[][..],
        &["flows.*.cc={ name = \"ghstcp\", z = 2 }"],
        &["dumbbell.queue.policy=red", "dumbbell.queue.limit=1bdp", "duration=3s"],
        &["flows.b.count=3", "tcp.initial_window=4"],
        &["flows.*.cc=rno"],
        &["flows=3"],
        &["dumbbell=[1, 2]"],
        &["duration=-1s"],
        &["dumbbell.queue"],
    ] {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let slow = Scenario::parse("x", text, &sets).and_then(|scenario| scenario.complete());
        let told = |made: Result<crate::Complete, Error>| {
            made.map(|complete| complete.to_toml()).map_err(|error| format!("{error:?}"))
        };
        assert_eq!(told(template.complete(&sets, &[], &|_| {})), told(slow), "{sets:?}");
    }
}
