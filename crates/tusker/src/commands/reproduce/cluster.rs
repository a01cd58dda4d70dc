//! `tusker reproduce --ray`: rows on a cluster.

use tusker_plan::plane::Plane;

use super::on_testbed;
use crate::args::ReproduceArgs;
use crate::cluster::{Cluster, Reach};
use crate::failure::Failure;
use crate::{interrupt, scenarios};

/// The cluster that was asked for, if one was.
pub fn of(args: &ReproduceArgs) -> Result<Option<Cluster>, Failure> {
    let Some(address) = args.ray.clone() else { return Ok(None) };
    if on_testbed(args) {
        let message = "--ray: rows on real sockets are run on this machine";
        return Err(Failure::input(message, "leave out --ray, or --plane testbed"));
    }
    if let Some(out) = args.out.as_ref().filter(|out| out.to_string_lossy().contains("://")) {
        let message = format!("--out {}: the rows of a paper are kept in a folder", out.display());
        return Err(Failure::input(
            message,
            "name one of this machine; what `tusker sweep` gives may be elsewhere",
        ));
    }
    let reach = Reach { address, ..Reach::default() };
    let build = scenarios::build(Plane::Simulator);
    Ok(Some(Cluster::reach(&reach, &build, &interrupt::stopped)?))
}
