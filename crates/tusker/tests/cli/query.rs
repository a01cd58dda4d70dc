//! `tusker query`: SQL over the tables of a folder, answered by DuckDB.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::{SMALL, err, ok, out, run_with_input, tusker};

/// The PATH with the module for Python that `make python` installs; `None` where it is
/// not there, and no other.
pub fn path() -> Option<OsString> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin");
    let own = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([venv].into_iter().chain(std::env::split_paths(&own))).unwrap();
    let mut python = Command::new("python3");
    python.args(["-c", "import duckdb"]).env("PATH", &path).stderr(Stdio::null());
    let there = python.status().is_ok_and(|status| status.success());
    if !there {
        let missing = "DuckDB is missing: `make .venv/ready`";
        assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "may not be skipped: {missing}");
        eprintln!("skipped: {missing}");
    }
    there.then_some(path)
}

pub fn ask(dir: &Path, path: &OsString, args: &[&str]) -> Output {
    tusker(dir).env("PATH", path).arg("query").args(args).output().expect("the program starts")
}

/// Two buffers, three replicates.
fn swept() -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("small.toml"), SMALL).unwrap();
    let args = ["sweep", "small.toml", "--over", "dumbbell.queue=5pkt,20pkt", "--replicates", "3"];
    ok(&tusker(dir.path()).args(args).args(["--out", "s", "--quiet"]).output().unwrap());
    dir
}

#[test]
fn a_sweep_answers_in_every_format() {
    let Some(path) = path() else { return };
    let dir = swept();
    let sql = "select \"dumbbell.queue_pkt\" as queue, count(*) as n, sum(replicate) as replicates, \
               null as nothing, true as yes, 'a, \"b\"' as quoted, 1 / 4 as quarter \
               from runs group by all order by all";
    let said = |args: &[&str]| ok(&ask(dir.path(), &path, args));
    // 1 + 2 + 3
    let csv = "queue,n,replicates,nothing,yes,quoted,quarter\n\
               5.0,3,6,,true,\"a, \"\"b\"\"\",0.25\n20.0,3,6,,true,\"a, \"\"b\"\"\",0.25\n";
    assert_eq!(said(&["s", sql, "--format", "csv"]), csv);
    let json: serde_json::Value =
        serde_json::from_str(&said(&["s", sql, "--format", "json"])).unwrap();
    assert_eq!(json[1]["queue"], 20.0);
    assert_eq!(json[0]["nothing"], serde_json::Value::Null);
    assert_eq!(json[0]["quoted"], "a, \"b\"");
    let table = said(&["s", "select replicate, seed from runs where point = 1 order by 1"]);
    assert_eq!(table, "replicate  seed\n1             1\n2             2\n3             3\n");
    // the same mean as the sweep tells
    let sweep = fs::read_to_string(dir.path().join("s/sweep.json")).unwrap();
    let sweep: serde_json::Value = serde_json::from_str(&sweep).unwrap();
    let names = sweep["measures"].as_array().unwrap();
    let at = names.iter().position(|name| name == "goodput_bps").unwrap();
    let mean = said(&["s", "select avg(goodput_bps) from runs where point = 2", "--format", "csv"]);
    let mean: f64 = mean.lines().nth(1).unwrap().parse().unwrap();
    let told = sweep["points"][1]["mean"][at].as_f64().unwrap();
    assert!((mean / told - 1.0).abs() < 1e-12, "{mean} {told}");
}

#[test]
fn a_wrong_query_is_told_once_with_what_there_is() {
    let Some(path) = path() else { return };
    let dir = swept();
    for (sql, what) in [
        ("selec 1", "syntax error"),
        ("select nothing from runs", "\"nothing\" not found"),
        ("select * from flows", "flows does not exist"),
    ] {
        let output = ask(dir.path(), &path, &["s", sql]);
        let said = err(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(said.matches(what).count(), 1, "{said}");
        assert!(said.contains("tables here: runs") && !said.contains("Traceback"), "{said}");
        assert_eq!(out(&output), "");
    }
}

#[test]
fn what_is_missing_is_told_with_its_remedy() {
    let dir = swept();
    let nothing = OsString::from("/nonexistent");
    let output = ask(dir.path(), &nothing, &["s", "select 1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("pip install duckdb"), "{}", err(&output));
    for (args, what) in [
        (&["none", "select 1"][..], "not a folder"),
        (&["s/runs", "select 1"], "no table"),
        (&["s", "  "], "empty"),
    ] {
        let output = ask(dir.path(), &nothing, args);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains(what), "{}", err(&output));
    }
    let output = run_with_input(dir.path(), &["query", "s"], b"\n");
    assert!(err(&output).contains("the query is empty"), "{}", err(&output));
}
