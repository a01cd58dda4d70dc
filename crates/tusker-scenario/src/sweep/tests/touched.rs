use std::path::PathBuf;

use proptest::prelude::*;
use toml_edit::DocumentMut;

use super::super::{Axis, Change, Grid, Template};

const BASE: &str = r#"
profile = "linux"
duration = "4s"
[dumbbell]
rate = "10Mbit"
delay = "10ms"
queue = "20pkt"
access = { rate = "100Mbit", delay = "1ms" }
[[flows]]
name = "a"
cc = "reno"
[[flows]]
name = "b"
cc = "cubic"
"#;

/// List, name of the element, key and value of the expanded form.
type Expected = (&'static str, &'static str, &'static str, &'static str);

/// A change, and what a reader of its label expects to find in the scenario that was run.
const CHANGES: &[(&str, &[Expected])] = &[
    ("cc=hstcp", &[("flows", "a", "cc.name", "hstcp"), ("flows", "b", "cc.name", "hstcp")]),
    ("cc=ghstcp:z=2", &[("flows", "a", "cc.name", "ghstcp"), ("flows", "a", "cc.z", "2")]),
    ("flows.*.cc=ghstcp", &[("flows", "a", "cc.name", "ghstcp")]),
    ("flows.a.cc=ghstcp", &[("flows", "a", "cc.name", "ghstcp")]),
    ("flows.0.cc.name=scalable", &[("flows", "a", "cc.name", "scalable")]),
    ("flows.a.cc={ name = \"ghstcp\", z = 3 }", &[("flows", "a", "cc.z", "3")]),
    ("flows.a.cc.z=4", &[("flows", "a", "cc.z", "4")]),
    ("flows.b.cc=reno", &[("flows", "b", "cc.name", "reno")]),
    ("flows.a.count=2", &[("flows", "a", "count", "2")]),
    ("flows.0.count=3", &[("flows", "a", "count", "3")]),
    ("flows.*.count=4", &[("flows", "a", "count", "4"), ("flows", "b", "count", "4")]),
    ("dumbbell.queue=30pkt", &[("links", "R1", "queue.limit", "30pkt")]),
    ("dumbbell.queue.limit=40pkt", &[("links", "R1", "queue.limit", "40pkt")]),
    ("dumbbell.queue.policy=codel", &[("links", "R1", "queue.policy", "codel")]),
    (
        "dumbbell.queue={ limit = \"50pkt\", policy = \"codel\" }",
        &[("links", "R1", "queue.limit", "50pkt"), ("links", "R1", "queue.policy", "codel")],
    ),
    ("dumbbell.rate=20Mbit", &[("links", "R1", "rate", "20Mbit")]),
    (
        "flows.b.access={ rate = \"60Mbit\", delay = \"1ms\" }",
        &[("flows", "b", "access.rate", "60Mbit")],
    ),
    ("duration=5s", &[("", "", "duration", "5s")]),
    ("seed=7", &[("", "", "seed", "7")]),
    ("replicates=2", &[("", "", "replicates", "2")]),
];

fn template() -> Template {
    Template::new("x.toml".to_owned(), BASE.to_owned(), PathBuf::new())
}

fn change(from: &str, text: &str) -> Change {
    Change { from: from.to_owned(), text: text.to_owned(), sets: vec![text.to_owned()] }
}

/// What a scenario has there; short forms are what docs/scenario.md says that they stand for.
fn found(toml: &DocumentMut, (list, name, key): (&str, &str, &str)) -> Option<String> {
    let mut here = toml.as_item();
    if !list.is_empty() {
        let by = if list == "links" { "from" } else { "name" };
        let all = here.get(list)?.as_array_of_tables()?;
        let at = all.iter().position(|one| one[by].as_str() == Some(name))?;
        here = here.get(list)?.get(at)?;
    }
    for key in key.split('.') {
        here = match (here.as_str(), key, here.get(key)) {
            (Some(text), "name" | "limit", _) => return Some(text.to_owned()),
            (_, "policy", None) => return Some("droptail".to_owned()),
            (.., next) => next?,
        };
    }
    let plain = || Some(here.as_value()?.clone().decorated("", "").to_string());
    here.as_str().map(str::to_owned).or_else(plain)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    /// The scenario of a point has the values of its label, or the sweep is refused.
    #[test]
    fn a_row_is_what_its_label_says(
        first in 0..CHANGES.len(),
        second in 0..CHANGES.len(),
        set in any::<bool>(),
    ) {
        let ((one, promised), (two, also)) = (CHANGES[first], CHANGES[second]);
        let axis = |text: &str| Axis::read(text).unwrap();
        let axes = if set { vec![axis(two)] } else { vec![axis(one), axis(two)] };
        let Ok(grid) = Grid::of(axes) else { return Ok(()) };
        let sets: Vec<Change> = set.then(|| change("--set", &axis(one).change(0).sets[0])).into_iter().collect();
        let texts: Vec<String> = sets.iter().flat_map(|set| set.sets.clone()).collect();
        let template = template();
        let Ok(complete) = template.complete(&texts, &grid.changes(0), &|_| {}) else {
            return Ok(());
        };
        let toml: DocumentMut = complete.to_scenario().to_toml().parse().unwrap();
        let expected = promised.iter().chain(also);
        let mut wrong = expected
            .map(|&(list, name, key, value)| (key, value, found(&toml, (list, name, key))))
            .filter(|(_, value, found)| found.as_deref() != Some(value));
        let checked = template.check(&sets, (&grid, &grid.changes(0)), &[]);
        let wrong = wrong.next();
        prop_assert!(checked.is_err() || wrong.is_none(), "{one}, {two}: {wrong:?}\n{toml}");
    }
}

#[test]
fn what_two_set_is_refused_and_what_one_sets_is_not() {
    let template = template();
    let check = |set: Option<&str>, over: &[&str], options: &[(String, &str)]| {
        let grid = Grid::of(over.iter().map(|over| Axis::read(over).unwrap()).collect()).unwrap();
        let sets: Vec<Change> = set.into_iter().map(|set| change("--set", set)).collect();
        let checked = template.check(&sets, (&grid, &grid.changes(0)), options);
        checked.map_err(|error| error.to_string()).err()
    };
    let seed = [("--seed".to_owned(), "seed")];
    for (set, over, options, told) in [
        (None, &["cc=reno", "flows.a.cc=cubic,hstcp"][..], &[][..], "flows.0.cc.name"),
        (None, &["flows.0.cc=cubic", "cc=reno,ghstcp:z=1"], &[], "flows.0.cc.name"),
        (None, &["dumbbell.queue=1pkt,2pkt", "dumbbell.queue.limit=5pkt"], &[], "queue.limit"),
        (None, &["dumbbell.queue.policy=red", "dumbbell.queue=1pkt"], &[], "queue.policy"),
        (None, &["flows.a.count=1,2", "flows.0.count=3"], &[], "flows.0.count"),
        (None, &["seed=1,2,3"], &seed, "`--over seed` and `--seed` both set `seed`"),
        (Some("duration=5s"), &["duration=4s,6s"], &[], "`--set duration=5s`"),
        (Some("seed=5"), &["cc=reno"], &seed, "both set `seed`"),
        (Some("flows.a.cc.z=5"), &["cc=ghstcp,reno"], &[], "flows.0.cc.z"),
    ] {
        let refused = check(set, over, options);
        assert!(refused.as_ref().is_some_and(|text| text.contains(told)), "{over:?}: {refused:?}");
    }
    for (set, over) in [
        (None, &["cc=ghstcp", "flows.a.cc.z=1,2"][..]),
        (None, &["dumbbell.queue=1pkt,2pkt", "dumbbell.queue.policy=codel"]),
        (Some("flows.a.count=2"), &["flows.b.count=1,2"]),
        (Some("background=[{ name = \"u\", rate = \"1Mbit\" }]"), &["background.u.rate=1Mbit"]),
    ] {
        assert_eq!(check(set, over, &[]), None, "{over:?}");
    }
}
