//! Our own laws, in the kernel for as long as a run takes: `tusker-kernel` loads each with the
//! parameters of the plan, under a name that nothing else uses.

use std::io::{self, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use tusker_core::congestion::Spec;
use tusker_plan::budget::Stopped;
use tusker_plan::plan::Plan;
use tusker_testbed::{Names, Rights, changed, kernel_name};

use crate::commands::kernel;
use crate::failure::Failure;

/// As long as a kernel takes to check a law, and some more.
const PATIENCE: u32 = 200;

/// Laws that are in the kernel for a plan; they go with this.
#[derive(Default)]
pub struct Loaded {
    children: Vec<Child>,
    /// What the kernel calls them.
    pub names: Names,
}

/// Whether who has these rights can have the laws of a plan.
pub fn check(plan: &Plan, rights: Rights) -> Result<(), Failure> {
    if rights != Rights::OwnNamespace {
        return Ok(());
    }
    for spec in plan.flows.iter().map(|flow| &flow.cc) {
        if kernel_name(spec).is_err() {
            return Err(Failure::input(
                format!("this kernel does not have the congestion control {}", spec.name()),
                format!(
                    "only root may load it: run this as root, use `tusker kernel load` before, or choose \
                     one of {}",
                    tusker_testbed::laws().join(", ")
                ),
            ));
        }
        if let Some(changed) = changed(spec) {
            return Err(Failure::input(
                format!("only root may load {} with {changed}", spec.name()),
                "run this as root, or leave the parameters out",
            ));
        }
    }
    Ok(())
}

/// Loads what a plan needs of ours. A law that the kernel itself has stays its own where
/// the plan does not ask for parameters.
pub fn load(plan: &Plan) -> Result<Loaded, Stopped> {
    let mut loaded = Loaded::default();
    let Some(first) = kernel::found() else {
        return without(plan).map_or(Ok(loaded), Err);
    };
    let program = first.get_program().to_owned();
    // in this order: what another process loads meanwhile is in the second list alone
    let before = tusker_testbed::laws();
    let ours = in_the_kernel(Command::new(&program));
    for flow in &plan.flows {
        let spec = &flow.cc;
        let known = kernel_name(spec).is_ok_and(|name| kernels_own(&name, &before, &ours));
        let has = loaded.names.iter().any(|(other, _)| other == spec);
        if has || spec.sheet().linux.load.is_none() || known && changed(spec).is_none() {
            continue;
        }
        let name = own_name(spec);
        let child = begin(Command::new(&program), spec, &name).map_err(|why| Stopped::Failed {
            why: format!("cannot load {} into the kernel: {why}", spec.name()),
            remedy: "`tusker kernel load` shows the cause; `make kernel` builds what it needs"
                .to_owned(),
        })?;
        loaded.children.push(child);
        loaded.names.push(*spec, name);
    }
    Ok(loaded)
}

/// What cannot be had without `tusker-kernel`. Who opens a connection tells which law is
/// missing altogether.
fn without(plan: &Plan) -> Option<Stopped> {
    let changed = plan.flows.iter().find_map(|flow| Some((flow.cc.name(), changed(&flow.cc)?)));
    changed.map(|(law, changed)| Stopped::Failed {
        why: format!("{law} with {changed} has to be loaded, but tusker-kernel is missing"),
        remedy: "`make kernel` builds it, beside tusker".to_owned(),
    })
}

/// The kernel's names of all laws of ours that are there.
fn in_the_kernel(mut command: Command) -> Vec<String> {
    let said = command.args(["status", "--json"]).stderr(Stdio::null()).output();
    let said = said.map(|output| output.stdout).unwrap_or_default();
    let list: Vec<serde_json::Value> = serde_json::from_slice(&said).unwrap_or_default();
    list.iter().filter_map(|law| law["name"].as_str()).map(str::to_owned).collect()
}

/// Whether a law is the kernel's own: it was there before it was asked which are ours, and
/// is none of them. One that appears later may be another process's, and goes with it.
fn kernels_own(name: &str, before: &[String], ours: &[String]) -> bool {
    let is = |other: &String| other == name;
    before.iter().any(is) && !ours.iter().any(is)
}

/// At most 15 letters and digits: the law, this process, and how many it has loaded.
fn own_name(spec: &Spec) -> String {
    static LOADED_BEFORE: AtomicU32 = AtomicU32::new(0);
    let number = LOADED_BEFORE.fetch_add(1, Ordering::Relaxed);
    let law: String = spec.name().chars().filter(char::is_ascii_alphanumeric).take(5).collect();
    // a process number has 22 bits, six digits; 256 laws later the first is long gone
    format!("{law}_{:x}_{:x}", std::process::id() & 0xff_ffff, number % 0x100)
}

/// Starts a `tusker-kernel load`, and waits until the kernel has the law.
fn begin(mut command: Command, spec: &Spec, name: &str) -> io::Result<Child> {
    let refined = spec.name().strip_suffix("-refined");
    command.args(["load", refined.unwrap_or(spec.name()), "--as", name]);
    if refined.is_some() {
        command.arg("--refined");
    }
    for (param, value) in spec.iter().filter(|(param, value)| *value != param.default) {
        command.arg(format!("--{}={value}", param.name.replace('_', "-")));
    }
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    for _ in 0..PATIENCE {
        if tusker_testbed::laws().iter().any(|law| law == name) {
            // its stderr stays open: it is about to say that the law is there
            return Ok(child);
        }
        if child.try_wait()?.is_some() {
            let mut said = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                stderr.read_to_string(&mut said)?;
            }
            return Err(io::Error::other(said.trim().to_owned()));
        }
        sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
    Err(io::Error::other("it takes too long"))
}

impl Drop for Loaded {
    fn drop(&mut self) {
        for child in &mut self.children {
            // a law goes with the process that loaded it, however that ends
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_that_another_process_loads_meanwhile_is_not_the_kernels_own() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let before = list(&["reno", "cubic", "htcp", "ghstcp"]);
        let ours = list(&["ghstcp"]);
        assert!(kernels_own("htcp", &before, &ours));
        assert!(!kernels_own("ghstcp", &before, &ours), "loaded before, by us");
        // seen by neither list, though the kernel has it by now
        assert!(!kernels_own("ghstcp_refined", &before, &ours), "loaded meanwhile");
    }
}
