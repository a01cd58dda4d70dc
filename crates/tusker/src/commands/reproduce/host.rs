//! Who runs the rows of papers: this process or a cluster, with progress on the terminal.

use std::error::Error;
use std::fmt;
use std::path::Path;

use tusker_lab::{Experiment, Lab, Outcome, Ready, Trouble, Watch};
use tusker_papers::reproduce::{self, Host, HostError};
use tusker_plan::plan::Plan;
use tusker_plan::plane::Plane;
use tusker_store::Build;

use super::cluster::Shared;
use super::files;
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::say;
use crate::running::{execute_by, lab};
use crate::scenarios;

/// How often a row on real sockets is tried until it is valid.
#[cfg(all(target_os = "linux", feature = "testbed"))]
const TRIES: u32 = 3;

/// The command line, or who looks on in place of it.
pub struct Terminal<'a> {
    /// What was typed.
    pub args: &'a ReproduceArgs,
    /// Where results are.
    pub shared: &'a Shared,
    /// Who looks on in place of the terminal.
    pub watch: Option<&'a dyn Watch>,
}

impl Terminal<'_> {
    fn lab(&self) -> Lab<'_> {
        // rows are compared by their measures: no page shows replicates of several over time
        Lab { elsewhere: self.shared.elsewhere(), bands: false, ..lab(&self.args.how) }
    }

    /// Whether it is to end.
    pub fn stopped(&self) -> bool {
        self.watch.map_or_else(interrupt::stopped, Watch::stopped)
    }
}

impl Host for Terminal<'_> {
    fn build(&self, plane: Plane) -> Build {
        scenarios::build(plane)
    }

    fn check(&self, ready: &Ready) -> Result<(), Trouble> {
        self.lab().check(ready)
    }

    fn run(&self, plane: Plane, experiments: &[Experiment]) -> Result<Outcome, Trouble> {
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        if plane == Plane::Testbed {
            use crate::args::HowArgs;
            let bench = crate::commands::testbed::bench::Bench::new(TRIES, self.args.how.quiet);
            // one at a time
            let how = HowArgs { jobs: Some(1), ..self.args.how };
            return crate::running::execute_with(&bench, experiments, &how);
        }
        let _ = plane;
        match self.watch {
            None => execute_by(self.lab(), experiments, &self.args.how),
            Some(watch) => self.lab().run(experiments, watch),
        }
    }

    fn refuses(&self, plan: &Plan) -> Option<String> {
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        return tusker_testbed::can(plan).err().map(|refusal| refusal.what);
        #[cfg(not(all(target_os = "linux", feature = "testbed")))]
        {
            let _ = plan;
            Some("this build has no testbed".to_owned())
        }
    }

    fn may(&self, plan: &Plan) -> Result<(), HostError> {
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        crate::commands::testbed::may(plan).map_err(Own)?;
        let _ = plan;
        Ok(())
    }

    fn claim(&self, folder: &Path) -> Result<(), HostError> {
        Ok(files::claim(folder, self.shared.is_mirror()).map_err(Own)?)
    }

    fn say(&self, text: &str, always: bool) {
        if self.watch.is_none() && (always || !self.args.how.quiet) {
            say(text);
        }
    }

    fn shown(&self, file: &Path) -> String {
        self.shared.shown(file)
    }
}

/// A failure of this program on its way through [`reproduce`].
#[derive(Debug)]
struct Own(Failure);

impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl Error for Own {}

impl From<reproduce::Failure> for Failure {
    fn from(failure: reproduce::Failure) -> Self {
        match failure {
            reproduce::Failure::Mistake(error) => error.into(),
            reproduce::Failure::Trouble(error) => error.into(),
            reproduce::Failure::Store(error) => error.into(),
            reproduce::Failure::Scenario(error) => scenarios::wrong(error),
            reproduce::Failure::Host(error) => match error.downcast::<Own>() {
                Ok(own) => own.0,
                Err(error) => Self::other(error.to_string(), "this is a bug of tusker"),
            },
        }
    }
}
