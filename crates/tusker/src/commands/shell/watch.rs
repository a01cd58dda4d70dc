//! `tusker shell --watch`: rate, queue, delay and drops of the bottlenecks, live.

use std::io::{BufRead as _, BufReader, IsTerminal as _, stdout};

use serde_json::Value;

use super::{lines, running};
use crate::args::ShellArgs;
use crate::failure::Failure;
use crate::output::{print, rewind};

pub fn watch(args: &ShellArgs) -> Result<(), Failure> {
    let which = args.scenario.as_deref().map(|which| which.to_string_lossy().into_owned());
    let (process, stream) = running::ask(which.as_deref(), running::LINKS)?;
    let live = stdout().is_terminal();
    let mut height = 0;
    for line in BufReader::new(stream).lines() {
        // it ended
        let Ok(line) = line else { break };
        let row: Value = serde_json::from_str(&line).map_err(|error| {
            Failure::other(
                format!("cannot read the answer of shell {process}: {error}"),
                "is it of another version?",
            )
        })?;
        if live {
            let table = lines::table(&row);
            // back to where the last one began
            if height > 0 {
                rewind(height)?;
            }
            height = table.lines().count();
            print(&table)?;
        } else {
            print(&lines::plain(&row))?;
        }
    }
    Ok(())
}
