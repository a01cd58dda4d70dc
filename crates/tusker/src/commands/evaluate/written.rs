//! A congestion control or queue policy in a file of Python: `my_law.py:Mine`. The Python
//! package runs it (`python/tusker/_file.py`); this reads what it stored.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use tusker_lab::suite::Evaluation;

use super::{Job, stored};
use crate::args::EvaluateArgs;
use crate::commands::run::RESULTS;
use crate::failure::Failure;
use crate::python::{self, PYTHON};

/// What Python is to do; this exit code says that it has no such package.
const HELPER: &str = "\
import importlib.util, runpy
if importlib.util.find_spec('tusker') is None: sys.exit(97)
runpy.run_module('tusker._file', run_name='__main__')
";
const NO_PACKAGE: i32 = 97;

/// A class in a file.
pub struct InFile<'a> {
    /// The argument of `tusker.evaluate` that takes it.
    argument: &'static str,
    file: &'a str,
    class: &'a str,
}

/// The class that is to be evaluated, if it is one.
pub fn in_file(args: &EvaluateArgs) -> Result<Option<InFile<'_>>, Failure> {
    for (argument, text) in [("law", &args.law), ("queue", &args.queue)] {
        let Some(text) = text else { continue };
        if text.ends_with(".py") {
            let message = format!("{}: which class of this file?", text.escape_debug());
            return Err(Failure::input(message, "write FILE.py:CLASS, as in my_law.py:MyLaw"));
        }
        match text.rsplit_once(':') {
            Some((file, class)) if file.ends_with(".py") => {
                return Ok(Some(InFile { argument, file, class }));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Has Python run it, and reads the results and where they are.
pub fn evaluate(
    own: &InFile<'_>,
    args: &EvaluateArgs,
    job: &Job,
) -> Result<(Evaluation, String), Failure> {
    if args.ray.is_some() {
        let help = "leave out --ray, or write it in Rust (docs/add-a-law.md)";
        return Err(Failure::input("--ray: a class of Python only runs on this machine", help));
    }
    let name = format!("{}-{}", job.suite.name, own.class);
    let dir = args.out.clone().unwrap_or_else(|| Path::new(RESULTS).join(name));
    let request = &job.request;
    let options = json!({
        "suite": args.suite.clone().unwrap_or_else(|| job.suite.name.clone()),
        "against": request.against,
        "rate": request.rate.to_string(),
        "rtt": request.rtt.to_string(),
        "duration": request.duration.to_string(),
        "replicates": request.replicates,
        "seed": request.seed,
        "jobs": args.how.jobs,
        "memory": args.how.memory.map(|bytes| bytes.to_string()),
        "out": dir,
        "progress": !args.how.quiet && std::io::IsTerminal::is_terminal(&std::io::stderr()),
    });
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let mut command = Command::new(&python);
    command.arg("-c").arg(format!("{}{HELPER}", python::ALONE));
    command.args([own.argument, own.file, own.class, &options.to_string()]);
    python::alone(&mut command);
    // what the class prints is not what this command prints
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let missing = |why: &str| {
        let message = format!(
            "{}:{} needs Python with the package tusker: {}: {why}",
            own.file,
            own.class,
            Path::new(&python).display()
        );
        let help = format!(
            "`pip install ./python` installs it; {PYTHON}=/path/to/python selects another Python"
        );
        Failure::input(message, help)
    };
    let status = command.status().map_err(|error| missing(&error.to_string()))?;
    match status.code() {
        Some(0) => Ok((stored(&dir)?, dir.display().to_string())),
        Some(NO_PACKAGE) => Err(missing("it has no such package")),
        Some(130) | None => Err(Failure::Interrupted),
        Some(code) => Err(Failure::Reported(u8::try_from(code).unwrap_or(1))),
    }
}
