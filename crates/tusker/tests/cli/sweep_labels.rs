//! The rows of a sweep are what their labels say.

use std::fs;

use tempfile::TempDir;

use super::{SMALL, ok, rejected, run};

#[test]
fn what_two_options_set_is_refused() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("own.toml"), SMALL).unwrap();
    let file = "scenario = \"own.toml\"\nset = [\"duration=3s\"]\n[over]\ncc = [\"reno\"]\n";
    fs::write(dir.path().join("file.toml"), file).unwrap();
    let file = "scenario = \"own.toml\"\nreplicates = 2\n[over]\ncc = [\"reno\"]\n";
    fs::write(dir.path().join("runs.toml"), file).unwrap();
    let own = "own.toml";
    for (words, told) in [
        (&[own, "--over", "seed=1,2,3", "--seed", "9"][..], "`--seed` both set `seed`"),
        (&[own, "--over", "replicates=2,3", "--replicates", "1"], "both set `replicates`"),
        (&[own, "--over", "replicates=2,3", "--until", "50%"], "`--until` both set `replicates`"),
        (&[own, "--over", "duration=2s,4s", "--duration", "3s"], "`--duration` and"),
        (&[own, "--over", "cc=reno", "--over", "flows.a.cc=cubic,hstcp"], "flows.0.cc.name"),
        (&[own, "--over", "flows.a.count=2", "--over", "flows.0.count=3"], "flows.0.count"),
        (&["file.toml", "--over", "duration=2s,4s"], "set in file.toml"),
        (&["runs.toml", "--over", "replicates=2,4"], "`replicates in runs.toml`"),
    ] {
        rejected(&run(dir.path(), &[&["sweep"], words, &["--out", "out"]].concat()), &[told]);
        assert!(!dir.path().join("out").exists(), "{words:?}");
    }
}

/// Each row is run again as its label says, from the scenario in the folder.
#[test]
fn a_row_is_what_its_label_runs_and_its_columns_have_one_name_each() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("own.toml"), SMALL).unwrap();
    let measure = |text: &str, row: usize, name: &str| -> String {
        let at = text.lines().next().unwrap().split(',').position(|own| own == name).expect(text);
        text.lines().nth(row).unwrap().split(',').nth(at).unwrap().to_owned()
    };
    for (over, labels) in [
        (&["seed=1,7"][..], &[&["seed=1"][..], &["seed=7"]][..]),
        (&["replicates=1,2"], &[&["replicates=1"], &["replicates=2"]]),
        (
            &["cc=ghstcp,reno", "dumbbell.queue.limit=5pkt"],
            &[
                &["flows.a.cc=ghstcp", "dumbbell.queue=5pkt"],
                &["flows.a.cc=reno", "dumbbell.queue=5pkt"],
            ],
        ),
    ] {
        let axes = over.iter().flat_map(|over| ["--over", over]);
        let words: Vec<&str> = ["sweep", "own.toml"].into_iter().chain(axes).collect();
        let how = ["--out", "out", "--tables", "csv", "--format", "csv", "--quiet"];
        let points = ok(&run(dir.path(), &[&words[..], &how].concat()));
        let runs = fs::read_to_string(dir.path().join("out/runs.csv")).unwrap();
        for table in [&points, &runs] {
            let mut names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all, "{over:?}: {}", table.lines().next().unwrap());
        }
        for (row, label) in labels.iter().enumerate() {
            let sets = label.iter().flat_map(|set| ["--set", set]);
            let words: Vec<&str> = ["run", "out/base.toml"].into_iter().chain(sets).collect();
            let how = ["--no-save", "--format", "json", "--quiet"];
            let json = ok(&run(dir.path(), &[&words[..], &how].concat()));
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            let again = json["total"]["goodput_bps"]["mean"].as_f64().unwrap();
            let own: f64 = measure(&points, row + 1, "goodput_bps").parse().unwrap();
            // a table has twelve digits
            assert!((own - again).abs() <= 1e-9 * again, "{label:?}: {own}, {again}");
        }
    }
}

/// 200 kB is neither bytes nor a number beside a text.
#[test]
fn a_column_of_text_has_the_values_as_they_were_written() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("own.toml"), SMALL).unwrap();
    let words = "sweep own.toml --over dumbbell.queue=200kB,20pkt --tables csv";
    ok(&run(dir.path(), &format!("{words} --out out --quiet")));
    let runs = fs::read_to_string(dir.path().join("out/runs.csv")).unwrap();
    let at = runs.lines().next().unwrap().split(',').position(|name| name == "dumbbell.queue");
    let own: Vec<&str> =
        runs.lines().skip(1).map(|row| row.split(',').nth(at.unwrap()).unwrap()).collect();
    assert_eq!(own, ["200kB", "20pkt"]);
    assert!(!runs.contains("200000bytes"), "{runs}");
}
