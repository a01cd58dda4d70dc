//! Who answers: the program `duckdb`, or Python's module of that name.

use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::views::Views;
use crate::failure::Failure;
use crate::interrupt;

/// What is run within Python.
const SCRIPT: &str = include_str!("../query.py");

/// It ends so where it finds no module.
const NO_MODULE: i32 = 97;

/// The answer as CSV or JSON.
pub fn ask(views: &Views, sql: &str, json: bool) -> Result<String, Failure> {
    let pythons = [Path::new("python3"), Path::new(".venv/bin/python3")];
    let program = || program(views, sql, json).transpose();
    let module = |path: &Path| module(path.as_os_str(), views, sql, json).transpose();
    let answer = program().or_else(|| pythons.into_iter().find_map(module));
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
    let said = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = said.trim().lines().map(str::trim_end).collect();
    // what is wrong, then perhaps where
    let what = said.split(|line| line.is_empty()).next().unwrap_or_default().join(" ");
    if what.is_empty() {
        let message = format!("DuckDB ended without an answer: {}", output.status);
        return Err(Failure::other(message, "ask for less at once"));
    }
    let names = views.names();
    let first = names.split(", ").next().unwrap_or_default();
    let help = format!(
        "tables here: {names}; `describe {first}` lists the columns; put double quotes around a name with a dot"
    );
    Err(Failure::input(what, help))
}

/// The program `duckdb`; `None` if there is none.
fn program(views: &Views, sql: &str, json: bool) -> Result<Option<Output>, Failure> {
    let mut command = Command::new("duckdb");
    // nothing of the user's own settings changes what is printed
    command.args(["-batch", "-bail", "-no-init", "-nullvalue", ""]);
    command.arg(if json { "-json" } else { "-csv" });
    command.arg("-cmd").arg(views.sql()).arg("-c").arg(sql).arg(":memory:");
    run(command, None)
}

/// Python with this module; `None` if one of them is not there.
fn module(python: &OsStr, views: &Views, sql: &str, json: bool) -> Result<Option<Output>, Failure> {
    let asked = serde_json::json!({ "setup": views.sql(), "query": sql, "json": json });
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT]);
    let output = run(command, Some(asked.to_string()))?;
    Ok(output.filter(|output| output.status.code() != Some(NO_MODULE)))
}

fn run(mut command: Command, input: Option<String>) -> Result<Option<Output>, Failure> {
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let program = command.get_program().to_owned();
    let failed = |error| {
        let program = program.display();
        Failure::other(format!("cannot run {program}: {error}"), "install it again")
    };
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        // one that has no module does not read it
        let _ = stdin.write_all(input.as_bytes());
    }
    child.wait_with_output().map(Some).map_err(failed)
}
