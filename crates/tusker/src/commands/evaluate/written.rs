//! A congestion control or queue policy in a file of Python: `my_law.py:Mine`. The Python
//! package runs it (`python/tusker/_file.py`); this reads what it stored.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use tusker_lab::suite::Evaluation;
use tusker_record::store::folder::{self, Kind};

use super::{Asked, EVALUATION};
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
pub fn in_file(args: &EvaluateArgs) -> Option<InFile<'_>> {
    let both = [("law", args.law.as_deref()), ("queue", args.queue.as_deref())];
    both.into_iter().find_map(|(argument, text)| {
        let (file, class) = text?.rsplit_once(':')?;
        file.ends_with(".py").then_some(InFile { argument, file, class })
    })
}

/// Has Python run it, and reads the results and where they are.
pub fn evaluate(
    own: &InFile<'_>,
    args: &EvaluateArgs,
    asked: &Asked,
) -> Result<(Evaluation, String), Failure> {
    if args.ray.is_some() {
        let help = "leave out --ray, or write it in Rust (docs/add-a-law.md)";
        return Err(Failure::input("--ray: a class of Python only runs on this machine", help));
    }
    let name = format!("{}-{}", asked.suite.name, own.class);
    let dir = args.out.clone().unwrap_or_else(|| Path::new(RESULTS).join(name));
    let request = &asked.request;
    let options = json!({
        "suite": args.suite.clone().unwrap_or_else(|| asked.suite.name.clone()),
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
        Some(0) => Ok((read(&dir)?, dir.display().to_string())),
        Some(NO_PACKAGE) => Err(missing("it has no such package")),
        Some(130) | None => Err(Failure::Interrupted),
        Some(code) => Err(Failure::Told(u8::try_from(code).unwrap_or(1))),
    }
}

fn read(dir: &Path) -> Result<Evaluation, Failure> {
    let text = folder::read(dir, Kind::Evaluation, EVALUATION)?.unwrap_or_default();
    serde_json::from_slice(&text).map_err(|error| {
        let message = format!("{}/{EVALUATION}: {error}", dir.display());
        Failure::other(message, "install the package and the program of the same version")
    })
}
