//! Laws of ours that the kernel does not have yet: loaded for as long as a run takes, by
//! `tusker-kernel` where that is there.

use std::io;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tusker_core::congestion::Spec;
use tusker_plan::plan::Plan;
use tusker_testbed::Rights;

use crate::commands::kernel;
use crate::failure::Failure;

/// A `tusker-kernel load` that runs; the law goes with it.
pub struct Loading(Child);

/// Whether who has these rights can load what a plan needs.
pub fn check(plan: &Plan, rights: Rights) -> Result<(), Failure> {
    let lacks = |spec: &&Spec| tusker_testbed::kernel_name(spec).is_err();
    let lacking = plan.flows.iter().map(|flow| &flow.cc).find(lacks);
    match lacking.filter(|_| rights == Rights::OwnNamespace) {
        None => Ok(()),
        Some(spec) => Err(Failure::input(
            format!("this kernel has no congestion control {} yet", spec.name()),
            format!(
                "only root may load it: run this as root, `tusker kernel load` before, or take \
                 one of {}",
                tusker_testbed::laws().join(", ")
            ),
        )),
    }
}

/// Loads what a plan needs; without `tusker-kernel`, who opens a connection tells which
/// law is missing.
pub fn load(plan: &Plan) -> io::Result<Vec<Loading>> {
    let mut loading: Vec<Loading> = Vec::new();
    for flow in &plan.flows {
        let spec = &flow.cc;
        if tusker_testbed::kernel_name(spec).is_ok() {
            continue;
        }
        if let Some(mut command) = kernel::found() {
            let refined = spec.name().strip_suffix("-refined");
            command.args(["load", refined.unwrap_or(spec.name())]);
            if refined.is_some() {
                command.args(["--refined", "--as", &spec.name().replace('-', "_")]);
            }
            for (param, value) in spec.iter().filter(|(param, value)| *value != param.default) {
                command.arg(format!("--{}={value}", param.name.replace('_', "-")));
            }
            let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            loading.push(Loading(child));
            // as long as a kernel takes to check a law, and some more
            for _ in 0..200 {
                if tusker_testbed::kernel_name(spec).is_ok() {
                    break;
                }
                sleep(Duration::from_millis(20));
            }
        }
    }
    Ok(loading)
}

impl Drop for Loading {
    fn drop(&mut self) {
        // a law goes with the process that loaded it, however that ends
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
