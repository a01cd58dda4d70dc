//! Python for helpers of this program. Nothing of the current folder is run: it may hold
//! someone else's results.

use std::env;
use std::process::Command;

/// Names the Python to use.
pub const PYTHON: &str = "TUSKER_PYTHON";

/// What a program for `python -c` begins with: modules of the current folder are not found.
pub const ALONE: &str = "import sys\nsys.path[:] = [path for path in sys.path if path]\n";

/// Folders of `PYTHONPATH` stay, but an empty one would be the current folder.
pub fn alone(command: &mut Command) {
    let Some(named) = env::var_os("PYTHONPATH") else { return };
    let folders = env::split_paths(&named).filter(|folder| !folder.as_os_str().is_empty());
    let folders = folders.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
    match env::join_paths(folders) {
        Ok(folders) if !folders.is_empty() => command.env("PYTHONPATH", folders),
        _ => command.env_remove("PYTHONPATH"),
    };
}
