//! `--record`: the packets that arrived at a link, as a file.

use std::path::Path;

use tusker_lab::Ready;
use tusker_plan::plan::Plan;
use tusker_testbed::{Arrival, arrivals};

use crate::failure::Failure;
use crate::outfile::{self, Kind};
use crate::output::say;

/// The kind of the file.
const ARRIVALS: Kind = Kind::Other(arrivals::COLUMNS, "list of arrivals");

/// What is recorded, and where it goes.
pub struct Record<'a> {
    /// Of which link.
    pub link: usize,
    name: String,
    file: &'a Path,
}

impl<'a> Record<'a> {
    /// What flags ask for, if they do.
    pub fn of(
        file: Option<&'a Path>,
        link: Option<&str>,
        ready: &Ready,
    ) -> Result<Option<Self>, Failure> {
        let Some(file) = file else { return Ok(None) };
        if ready.replicates != 1 {
            let what = format!("--record covers one run, but there are {}", ready.replicates);
            return Err(Failure::input(what, "add --replicates 1, and --seed to choose it"));
        }
        let link = match link {
            Some(name) => named(&ready.plan, name)?,
            None => slowest(&ready.plan),
        };
        outfile::check(file, ARRIVALS)?;
        let name = ready.plan.links[link].name.clone();
        Ok(Some(Self { link, name, file }))
    }

    /// Writes what came.
    pub fn write(self, all: &[Arrival], plan: &Plan, quiet: bool) -> Result<(), Failure> {
        let mut text = Vec::new();
        arrivals::write(all, |flow| &plan.flows[flow].name, &mut text)?;
        outfile::write(self.file, ARRIVALS, &text)?;
        if !quiet {
            let (count, file) = (all.len(), self.file.display());
            say(&format!("{count} packets that arrived at {} are in {file}", self.name));
        }
        Ok(())
    }
}

fn named(plan: &Plan, name: &str) -> Result<usize, Failure> {
    let found = plan.links.iter().position(|link| link.name == *name);
    found.ok_or_else(|| Failure::unknown("link", name, plan.links.iter().map(|link| &link.name)))
}

/// The first of the slowest links of the first flow's way.
fn slowest(plan: &Plan) -> usize {
    let way = plan.flows.first().into_iter().flat_map(|flow| &flow.route);
    way.copied().min_by_key(|&link| plan.links[link].rate).unwrap_or(0)
}
