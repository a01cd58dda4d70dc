//! `tusker kernel unload`: programs can no longer choose a law. Connections that use it keep it
//! until they end.

use std::fs;
use std::process::{Command, ExitCode};
use std::thread::sleep;
use std::time::Duration;

use libbpf_rs::{MapCore, MapHandle};

use crate::failure::Failure;
use crate::loaded::{Loaded, PINS};
use crate::machine::{Machine, Task, available};

/// Unloads the law of this name.
pub fn unload(name: &str) -> Result<ExitCode, Failure> {
    let machine = Machine::look(Task::Unload)?;
    let all = Loaded::all()?;
    let Some(loaded) = all.iter().find(|l| l.control.name == name && l.registered) else {
        let there: Vec<&str> =
            all.iter().filter(|l| l.registered).map(|l| l.control.name.as_str()).collect();
        let help = if there.is_empty() {
            "no congestion control of Tusker is loaded".to_owned()
        } else {
            format!("loaded congestion controls: {}", there.join(", "))
        };
        let what = format!("Tusker has loaded no congestion control called {name}");
        return Err(Failure::input(what, help));
    };
    // before Linux 6.4 neither a pin nor a holder that was killed with its guardian keeps
    // the law loaded
    if !machine.links && (loaded.pin.is_some() || loaded.holder.is_none()) {
        let ops = MapHandle::from_map_id(loaded.ops_id)
            .map_err(|error| Failure::kernel("open what is registered", &error))?;
        ops.delete(&0_u32.to_ne_bytes())
            .map_err(|error| Failure::kernel(&format!("take {name} out"), &error))?;
    }
    if let Some(pin) = &loaded.pin {
        fs::remove_file(pin).map_err(|error| {
            Failure::other(format!("cannot remove {}: {error}", pin.display()), "run it as root")
        })?;
        // empty once nothing else is pinned there
        let _ = fs::remove_dir(PINS);
    }
    if let Some(process) = loaded.holder {
        // this is `tusker kernel load`, which unloads its law when it ends
        let ended = Command::new("kill").arg(process.to_string()).status();
        if !ended.is_ok_and(|status| status.success()) {
            return Err(Failure::other(
                format!("{name} is held by process {process}, which cannot be signalled to end"),
                format!("kill {process}"),
            ));
        }
    }
    gone(name)?;
    match Loaded::settled()?.iter().find(|left| left.ops_id == loaded.ops_id) {
        None => eprintln!("{name} is unloaded"),
        Some(left) => eprintln!(
            "{name} can no longer be chosen; it stays {}; connections now: {}",
            left.how_long(),
            left.control.open()
        ),
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits until it is unloaded.
fn gone(name: &str) -> Result<(), Failure> {
    for _ in 0..100 {
        if !available().iter().any(|there| there == name) {
            return Ok(());
        }
        sleep(Duration::from_millis(20));
    }
    Err(Failure::other(
        format!("{name} is still loaded: another process holds it"),
        "`tusker kernel status` shows which",
    ))
}
