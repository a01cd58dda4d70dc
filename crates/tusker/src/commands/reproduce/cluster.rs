//! `tusker reproduce --ray`: rows on a cluster, and results in shared storage.
//!
//! A folder in shared storage has the same files as a local folder that lasts as long as the
//! command: existing files are copied to the local folder first, and new ones are copied back
//! row by row. So whether a row already exists is decided as usual.

use std::path::{Path, PathBuf};

use tusker_lab::{Elsewhere, Trouble};
use tusker_plan::plane::Plane;

use super::on_testbed;
use crate::args::ReproduceArgs;
use crate::cluster::{Cluster, Reach};
use crate::commands::destination::Destination;
use crate::failure::Failure;
use crate::{interrupt, scenarios};

/// Where results go, and who runs the rows if this process does not.
pub struct Shared {
    destination: Destination,
    cluster: Option<Cluster>,
}

impl Shared {
    /// What was asked for; `otherwise` if no folder was.
    pub fn of(args: &ReproduceArgs, otherwise: impl FnOnce() -> PathBuf) -> Result<Self, Failure> {
        Self::reach(args, otherwise, Reach::default(), &interrupt::stopped)
    }

    /// The same, with a cluster that is reached in another way.
    pub fn reach(
        args: &ReproduceArgs,
        otherwise: impl FnOnce() -> PathBuf,
        reach: Reach,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Self, Failure> {
        if args.ray.is_some() && on_testbed(args) {
            let message = "--ray: rows on real sockets run on this machine";
            return Err(Failure::input(message, "leave out --ray, or --plane testbed"));
        }
        let destination = Destination::of(args.out.as_deref(), args.ray.as_ref(), otherwise)?;
        let build = scenarios::build(Plane::Simulator);
        let reach = Reach { mirror: destination.mirror(), ..reach };
        let cluster = destination.reach(args.ray.as_ref(), reach, &build, stopped)?;
        Ok(Self { destination, cluster })
    }

    /// Whether that is filled from shared storage.
    pub fn is_mirror(&self) -> bool {
        self.destination.mirror().is_some()
    }

    /// The folder on this machine.
    pub fn dir(&self) -> &Path {
        self.destination.dir()
    }

    /// What a file of it is called for whoever reads results.
    pub fn shown(&self, file: &Path) -> String {
        self.destination.shown(file)
    }

    /// Who runs the rows, if this process does not.
    pub fn elsewhere(&self) -> Option<&dyn Elsewhere> {
        self.cluster.as_ref().map(|cluster| cluster as &dyn Elsewhere)
    }

    /// Copies what is new in a folder into shared storage, if results go there.
    pub fn push(&self, folder: &Path, stopped: &dyn Fn() -> bool) -> Result<(), Trouble> {
        self.cluster.as_ref().map_or(Ok(()), |cluster| cluster.push(folder, stopped))
    }
}
