//! Who answers: the program `duckdb`, or Python's module of that name.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::failure::Failure;
use crate::interrupt::{self, Scratch};
use crate::python;
use tusker_store::views::{Views, quoted};

/// What is run within Python.
const SCRIPT: &str = include_str!("../query.py");

/// It ends so where it finds no module.
const NO_MODULE: i32 = 97;

/// Runs the words after the first one, and ends them when its stdin is closed, and so
/// whenever this program ends, however that happens. Their stdin is the file that the first
/// one names.
const WATCH: &str = r#"exec 3<&0
"$@" <"$0" 3<&- &
engine=$!
{ cat; kill -s KILL -- "-$$"; } <&3 >/dev/null 2>&1 &
wait "$engine""#;

/// What is asked.
struct Question<'a> {
    setup: String,
    query: String,
    json: bool,
    scratch: &'a Path,
}

/// The answer as CSV or JSON. `files`: the query may read and write other files.
pub fn ask(views: &Views, sql: &str, json: bool, files: bool) -> Result<String, Failure> {
    // the program `duckdb` would take it as its own command
    if let Some(line) = sql.lines().find(|line| line.trim_start().starts_with('.')) {
        let message =
            format!("`{}` is no SQL: a line begins with a dot", line.trim().escape_debug());
        return Err(Failure::input(message, "give a query, such as `describe runs`"));
    }
    let failed = |error: Error| {
        let message = format!("cannot make a temporary folder: {error}");
        Failure::other(message, "TMPDIR names another place for it")
    };
    let scratch = Scratch::new().map_err(failed)?;
    let scratch = scratch.path();
    // what does not fit into memory
    let mut setup = format!("set temp_directory = {};\n", quoted(&scratch.join("spilled")));
    setup += &views.sql();
    if !files {
        setup += &views.guard();
    }
    // one query, and nothing else: text, whatever is in it
    let query = match !files || selects(sql) {
        true => format!("select * from query('{}')", sql.replace('\'', "''")),
        false => sql.trim().trim_end_matches(';').to_owned(),
    };
    let question = Question { setup, query, json, scratch };
    let module = || pythons().into_iter().find_map(|python| module(&python, &question).transpose());
    let answer = program(&question).transpose().or_else(module);
    let output = answer.unwrap_or_else(|| {
        let help = "`pip install duckdb` installs it, and `pip install duckdb-cli` the program";
        Err(Failure::input(
            "a query needs DuckDB, but neither its program nor its Python module was found",
            help,
        ))
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    if interrupt::stopped() {
        return Err(Failure::Interrupted);
    }
    Err(wrong(views, &output))
}

/// What DuckDB says is wrong.
fn wrong(views: &Views, output: &Output) -> Failure {
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.trim().lines().map(str::trim_end).collect();
    // what is wrong, then perhaps where
    let what = said.split(|line| line.is_empty()).next().unwrap_or_default().join(" ");
    if what.is_empty() {
        let message = format!("DuckDB ended without an answer: {}", output.status);
        return Failure::other(message, "ask for less at once");
    }
    if what.contains("allowed_paths") {
        return Failure::input(what, "install DuckDB 1.2 or later");
    }
    if what.contains("disabled by configuration") || what.contains("disabled through") {
        return Failure::input(what, "--allow-files lets a query read and write other files");
    }
    if what.contains("single SELECT") {
        let help = "a query is one statement, which begins with select, from, with, describe, \
                    summarize or show; --allow-files lets it be any other";
        return Failure::input(what, help);
    }
    let names = views.names();
    let first = names.split(", ").next().unwrap_or_default();
    let help = format!(
        "tables here: {names}; `describe {first}` lists the columns; put double quotes around a name with a dot"
    );
    Failure::input(what, help)
}

/// Whether a statement only asks.
fn selects(sql: &str) -> bool {
    let word =
        sql.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let asks = ["select", "from", "values", "describe", "show", "summarize", "table"];
    asks.iter().any(|own| word.eq_ignore_ascii_case(own))
}

/// Pythons that may have the module: the one that the user named; or those of the PATH, of
/// the environment that is active, and of one beside this program.
fn pythons() -> Vec<OsString> {
    if let Some(named) = env::var_os(python::PYTHON) {
        return vec![named];
    }
    let active = env::var_os("VIRTUAL_ENV").map(PathBuf::from).filter(|path| path.is_absolute());
    let own = env::current_exe().ok();
    let beside = own.as_deref().and_then(Path::parent).map(|folder| {
        // what cargo builds is in target/release/ of a clone
        let target = folder.parent().filter(|target| target.file_name() == Some("target".as_ref()));
        target.and_then(Path::parent).unwrap_or(folder).join(".venv")
    });
    let of = |venv: PathBuf| Some(venv.join("bin/python3")).filter(|path| path.is_file());
    let mut found = vec![on_path("python3"), active.and_then(of), beside.and_then(of)];
    found.dedup();
    found.into_iter().flatten().map(OsString::from).collect()
}

/// A program of the PATH; the current folder is not looked into.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()))
}

/// The program `duckdb`; `None` if there is none.
fn program(question: &Question<'_>) -> Result<Option<Output>, Failure> {
    let Some(duckdb) = on_path("duckdb") else { return Ok(None) };
    let mut command = watched(duckdb.as_os_str(), question.scratch);
    // nothing of the user's own settings changes what is printed
    command.args(["-batch", "-bail", "-no-init", "-nullvalue", ""]);
    command.arg(if question.json { "-json" } else { "-csv" }).arg(":memory:");
    run(command, question.scratch, &format!("{}{}\n;\n", question.setup, question.query)).map(Some)
}

/// Python with this module; `None` if one of them is not there.
fn module(python: &OsStr, question: &Question<'_>) -> Result<Option<Output>, Failure> {
    let Question { setup, query, json, scratch } = question;
    let said = serde_json::json!({ "setup": setup, "query": query, "json": json });
    let mut command = watched(python, scratch);
    command.arg("-c").arg(format!("{}{SCRIPT}", python::ALONE));
    let output = run(command, scratch, &said.to_string())?;
    Ok(Some(output).filter(|output| output.status.code() != Some(NO_MODULE)))
}

/// A program that ends with this one, and reads what is asked from a file.
fn watched(program: &OsStr, scratch: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WATCH]).arg(scratch.join(INPUT)).arg(program);
    // the `duckdb` of a package for Python is a script
    python::alone(&mut command);
    command
}

/// What is asked, in the temporary folder: as an argument it could be too long.
const INPUT: &str = "input";

fn run(mut command: Command, scratch: &Path, question: &str) -> Result<Output, Failure> {
    let failed = |error: Error| {
        let help = match error.kind() {
            ErrorKind::StorageFull => "TMPDIR names another place for temporary files",
            _ => "install it again",
        };
        Failure::other(format!("cannot run DuckDB: {error}"), help)
    };
    fs::write(scratch.join(INPUT), question).map_err(failed)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(failed)?;
    // open until it has answered
    let held = child.stdin.take();
    let output = child.wait_with_output().map_err(failed);
    drop(held);
    output
}
