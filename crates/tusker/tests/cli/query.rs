//! `tusker query`: SQL over the tables of a folder, answered by DuckDB.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{SMALL, err, flat, ok, out, rejected, run_with_input, small, tusker};

/// The PATH with DuckDB that `make python` installs; `None` where it is not there, and no
/// other.
pub fn path() -> Option<OsString> {
    engines().map(|[program, _]| program)
}

/// The PATH with the program, and one with the module for Python alone.
fn engines() -> Option<[OsString; 2]> {
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin");
    let own = std::env::var_os("PATH").unwrap_or_default();
    let with = |first: PathBuf, without: &dyn Fn(&PathBuf) -> bool| {
        let rest = std::env::split_paths(&own).filter(|folder| !without(folder));
        std::env::join_paths([first].into_iter().chain(rest)).unwrap()
    };
    // a script: Python looks for its modules beside the link that it was started by
    let alone = Path::new(env!("CARGO_TARGET_TMPDIR")).join("only-python");
    fs::create_dir_all(&alone).unwrap();
    script(&alone.join("python3"), &format!("exec '{}' \"$@\"", venv.join("python3").display()));
    let has = |folder: &PathBuf| folder.join("duckdb").exists();
    let paths = [with(venv, &|_| false), with(alone, &has)];
    let there = |program: &str, args: &[&str], path: &OsString| {
        let mut asked = Command::new(program);
        asked.args(args).env("PATH", path).stdout(Stdio::null()).stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    };
    let there = there("duckdb", &["--version"], &paths[0])
        && there("python3", &["-c", "import duckdb"], &paths[1]);
    if !there {
        let missing = "DuckDB is missing: `make .venv/ready`";
        assert!(std::env::var_os("TUSKER_NO_SKIPS").is_none(), "may not be skipped: {missing}");
        eprintln!("skipped: {missing}");
    }
    there.then_some(paths)
}

/// Writes a script for the shell.
fn script(path: &Path, text: &str) {
    // another test may be about to run it, or to write it as well
    let own = tempfile::NamedTempFile::new_in(path.parent().unwrap()).unwrap();
    fs::write(&own, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
    own.into_temp_path().persist(path).unwrap();
}

pub fn ask(dir: &Path, path: &OsString, args: &[&str]) -> Output {
    tusker(dir).env("PATH", path).arg("query").args(args).output().expect("the program starts")
}

/// The same with a program that is not beside the `.venv` of this checkout, which has a DuckDB.
fn ask_elsewhere(dir: &Path, path: &OsString, args: &[&str]) -> Output {
    let own = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = own.path().join("a/b/tusker");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_tusker"), &program).unwrap();
    let mut asked = Command::new(&program);
    asked.current_dir(dir).env_remove("VIRTUAL_ENV").env("PATH", path).arg("query").args(args);
    asked.output().expect("the program starts")
}

/// Two buffers, three replicates.
fn swept() -> TempDir {
    let dir = small();
    let args = ["sweep", "small.toml", "--over", "dumbbell.queue=5pkt,20pkt", "--replicates", "3"];
    ok(&tusker(dir.path()).args(args).args(["--out", "s", "--quiet"]).output().unwrap());
    dir
}

#[test]
fn a_sweep_answers_in_every_format() {
    let Some(engines) = engines() else { return };
    let dir = swept();
    engines.iter().for_each(|path| answers_in_every_format(dir.path(), path));
}

fn answers_in_every_format(dir: &Path, path: &OsString) {
    let sql = "select \"dumbbell.queue_pkt\" as queue, count(*) as n, sum(replicate) as replicates, \
               null as nothing, true as yes, 'a, \"b\"' as quoted, 1 / 4 as quarter \
               from runs group by all order by all";
    let said = |args: &[&str]| ok(&ask(dir, path, args));
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
    let sweep = fs::read_to_string(dir.join("s/sweep.json")).unwrap();
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
        let said = flat(&err(&output));
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
    rejected(&ask_elsewhere(dir.path(), &nothing, &["s", "select 1"]), &["pip install duckdb"]);
    for (args, what) in [
        (&["none", "select 1"][..], "not a folder"),
        (&["s/runs", "select 1"], "no table"),
        (&["s", "  "], "empty"),
    ] {
        rejected(&ask(dir.path(), &nothing, args), &[what]);
    }
    let output = run_with_input(dir.path(), &["query", "s"], b"\n");
    assert!(err(&output).contains("the query is empty"), "{}", err(&output));
}

/// Tables of two rows each: `x`, in two files, and `one`.
fn tables() -> TempDir {
    let dir = TempDir::new().unwrap();
    for (path, text) in [
        ("s/a/x.csv", "n,name\n1,a\n2,b\n"),
        ("s/b/x.csv", "n,name\n3,c\n4,d\n"),
        ("s/one.csv", "n\n1\n2\n"),
    ] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// A folder of results may be from someone else.
#[test]
fn nothing_of_the_current_folder_is_run() {
    let Some(engines) = engines() else { return };
    let dir = tables();
    let here = dir.path().join("s");
    for module in ["csv", "json", "duckdb", "sys", "site", "runpy", "sitecustomize", "encodings"] {
        fs::write(here.join(format!("{module}.py")), "open('PWNED', 'w').write('x')").unwrap();
    }
    fs::create_dir_all(here.join(".venv/bin")).unwrap();
    fs::create_dir_all(here.join("tusker")).unwrap();
    for module in ["__init__", "ray"] {
        fs::write(here.join(format!("tusker/{module}.py")), "open('PWNED', 'w')").unwrap();
    }
    for program in ["python3", "duckdb", ".venv/bin/python3"] {
        script(&here.join(program), "touch PWNED");
    }
    for path in &engines {
        let output = ask(&here, path, &[".", "select sum(n) as s from one", "--format", "csv"]);
        assert_eq!(ok(&output), "s\n3\n");
        // an empty part of these lists is the current folder
        let path = [&OsString::from(":.:"), path].map(|part| part.to_string_lossy()).concat();
        let mut again = tusker(&here);
        again.env("PATH", path).env("PYTHONPATH", ":").args(["query", ".", "from one"]);
        ok(&again.output().unwrap());
    }
    fs::write(here.join("small.toml"), SMALL).unwrap();
    let mut swept = tusker(&here);
    swept.args(["sweep", "small.toml", "--over", "cc=reno", "--ray", "local"]);
    let output = swept.env("PATH", &engines[1]).env("PYTHONPATH", ":").output().unwrap();
    let told = flat(&err(&output));
    assert!(told.contains("needs Python with the packages tusker and ray"), "{told}");
    assert!(!here.join("PWNED").exists());
    // without any DuckDB, the one in this folder is not taken either
    let output = ask_elsewhere(&here, &OsString::from("/nonexistent"), &[".", "select 1"]);
    assert!(err(&output).contains("neither its program nor"), "{}", err(&output));
    assert!(!here.join("PWNED").exists());
}

#[test]
fn a_query_reads_the_tables_and_no_other_file() {
    let Some(engines) = engines() else { return };
    let dir = tables();
    fs::write(dir.path().join("secret.csv"), "a\n1\n").unwrap();
    let spilt = dir.path().join("spilt.csv");
    let copy = format!("copy (select 1 as a) to '{}'", spilt.display());
    for path in &engines {
        for (sql, what) in [
            ("select * from read_text('secret.csv')", "--allow-files"),
            ("from 'secret.csv'", "--allow-files"),
            ("from glob('*')", "--allow-files"),
            (&copy, "--allow-files"),
            ("copy one to 's/one.csv'", "--allow-files"),
            ("attach 'new.db'", "--allow-files"),
            ("install httpfs", "--allow-files"),
            ("set enable_external_access = true", "--allow-files"),
            ("select 1; select 2", "one statement"),
            ("select 1') ; copy (select 1) to 'spilt.csv' --", "Parser Error"),
            ("select 1') -- ", "Parser Error"),
            (".shell touch spilt.csv", "no SQL"),
            ("select 1 as a\n;\n.shell touch spilt.csv", "no SQL"),
            ("\n .shell touch spilt.csv", "no SQL"),
        ] {
            rejected(&ask(dir.path(), path, &["s", sql]), &[what]);
        }
        assert!(!spilt.exists() && !dir.path().join("new.db").exists());
        assert_eq!(fs::read_to_string(dir.path().join("s/one.csv")).unwrap(), "n\n1\n2\n");
        let asked =
            |sql| ok(&ask(dir.path(), path, &["s", sql, "--allow-files", "--format", "csv"]));
        assert_eq!(asked("select a from read_csv('secret.csv'); -- done;"), "a\n1\n");
        // neither a text nor a comment has the end of a statement in it
        let sql = "select ';', 'it''s;', e'\\';', $$;$$ -- ;\n /* ; /* ; */ */ ; ;";
        assert_eq!(asked(sql).replace('"', "").lines().nth(1), Some(";,it's;,';,;"));
        asked(&copy);
        assert_eq!(fs::read_to_string(&spilt).unwrap(), "a\n1\n");
        fs::remove_file(&spilt).unwrap();
        let output = ask(dir.path(), path, &["s", "--allow-files", "select 1; select 2"]);
        assert!(flat(&err(&output)).contains("one statement"), "{}", err(&output));
    }
}

#[test]
fn a_link_counts_no_row_twice_and_a_circle_ends() {
    let Some(engines) = engines() else { return };
    let dir = tables();
    let here = dir.path().join("s");
    for n in 0..12 {
        symlink(".", here.join(format!("latest{n}"))).unwrap();
    }
    symlink("a", here.join("0")).unwrap();
    symlink("one.csv", here.join("two.csv")).unwrap();
    symlink("nowhere", here.join("gone.csv")).unwrap();
    // what a link leads to is somebody else's
    fs::create_dir(dir.path().join("far")).unwrap();
    fs::write(dir.path().join("far/x.csv"), "n,name\n5,e\n").unwrap();
    symlink("../far", here.join("far")).unwrap();
    let piped = Command::new("mkfifo").arg(here.join("pipe.csv")).status().unwrap();
    assert!(piped.success());
    for path in &engines {
        let said = |sql| ok(&ask(dir.path(), path, &["s", sql, "--format", "csv"]));
        assert_eq!(said("select count(*) as n, sum(n) as s from x"), "n,s\n4,10\n");
        assert_eq!(said("show tables"), "name\none\nx\n");
        let files = said("select distinct filename as f from x order by f");
        assert_eq!(files, "f\ns/a/x.csv\ns/b/x.csv\n");
    }
}

#[test]
fn capital_letters_make_no_other_table() {
    let Some(engines) = engines() else { return };
    let dir = tables();
    fs::write(dir.path().join("s/a/X.csv"), "n,more\n5,z\n").unwrap();
    for path in &engines {
        let said =
            ok(&ask(dir.path(), path, &["s", "select sum(n) as s from x", "--format", "csv"]));
        assert_eq!(said, "s\n15\n");
    }
}

/// Linux takes no argument of more than 128 KiB, and no more than 2 MiB of them.
#[test]
fn long_queries_and_many_files_are_answered() {
    let Some(engines) = engines() else { return };
    let dir = TempDir::new().unwrap();
    let long = "l".repeat(200);
    for n in 0..500 {
        let folder = dir.path().join(format!("s/{long}/{n}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("x.csv"), format!("n\n{n}\n")).unwrap();
    }
    let sql = format!("select sum(n) as s from x -- {}\n", "x".repeat(200_000));
    for path in &engines {
        let mut asked = tusker(dir.path());
        asked.env("PATH", path).args(["query", "s", "--format", "csv"]);
        fs::write(dir.path().join("question.sql"), &sql).unwrap();
        asked.stdin(fs::File::open(dir.path().join("question.sql")).unwrap());
        // 0 + 1 + .. + 499
        assert_eq!(ok(&asked.output().unwrap()), "s\n124750\n");
    }
}

#[test]
fn both_engines_answer_the_same() {
    let Some(engines) = engines() else { return };
    let dir = tables();
    let sql = "select '\\x00\\xAA''\"a~'::blob as b, 1 as n, 2 as n, 'ä' as u, null as z from one limit 1";
    for (format, expected) in [
        ("csv", "b,n,n_1,u,z\n\"\\x00\\xAA\\x27\\x22a~\",1,2,ä,\n"),
        ("json", r#"[{"b":"\\x00\\xAA\\x27\\x22a~","n":1,"n_1":2,"u":"ä","z":null}]"#),
    ] {
        for path in &engines {
            let said = ok(&ask(dir.path(), path, &["s", sql, "--format", format]));
            if format == "json" {
                let [said, expected]: [serde_json::Value; 2] =
                    [&said, expected].map(|text| serde_json::from_str(text).unwrap());
                assert_eq!(said, expected);
            } else {
                assert_eq!(said.replace('"', ""), expected.replace('"', ""));
            }
        }
    }
}

/// Processes with this in their environment.
fn marked(mark: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").unwrap().map_while(Result::ok);
    let has = |entry: &fs::DirEntry| {
        fs::read(entry.path().join("environ"))
            .is_ok_and(|text| String::from_utf8_lossy(&text).split('\0').any(|own| own == mark))
    };
    all.filter(has).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

fn until(mut met: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(60);
    while !met() {
        if Instant::now() > end {
            return false;
        }
        sleep(Duration::from_millis(50));
    }
    true
}

#[cfg(target_os = "linux")]
#[test]
fn duckdb_ends_with_tusker() {
    let Some(engines) = engines() else { return };
    let dir = tables();
    let endless = "select sum(hash(a.range, b.range)) from range(100000000) a, range(100000000) b";
    for (number, path) in engines.iter().enumerate() {
        for signal in ["INT", "TERM", "HUP", "KILL"] {
            let value = format!("{}-{number}-{signal}", std::process::id());
            let mark = format!("TUSKER_TEST_MARK={value}");
            let mut asked = tusker(dir.path());
            asked.env("PATH", path).env("TUSKER_TEST_MARK", &value);
            asked.args(["query", "s", endless]).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = asked.spawn().unwrap();
            // this program, the shell, its watch, what that waits with, DuckDB
            assert!(until(|| marked(&mark).len() >= 5), "{:?}", marked(&mark));
            let pid = child.id().to_string();
            assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
            child.wait().unwrap();
            assert!(until(|| marked(&mark).is_empty()), "{signal}: {:?}", marked(&mark));
        }
    }
}
