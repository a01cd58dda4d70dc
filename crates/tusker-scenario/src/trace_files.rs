//! The traces that a scenario names: read relative to it, and stored in expanded
//! scenarios.

use std::path::Path;

use super::error::{Fault, Mistake};
use super::impair::{LinkRate, read_trace, written};
use super::model::Scenario;
use super::topology::Hops;
use tusker_plan::plan::Pace;

/// The most bytes of all traces in an expanded scenario, which must stay below
/// [`crate::MAX_BYTES`].
const MAX_WRITTEN: usize = 3 << 20;

/// A stored scenario contains the traces and must stay readable. `total` is the
/// size of the earlier ones.
pub(super) fn check_length(pace: &Pace, total: &mut usize, path: &str) -> Result<(), Fault> {
    let Pace::Trace { opportunities, .. } = pace else { return Ok(()) };
    *total += written(opportunities).len();
    if *total > MAX_WRITTEN {
        return Err(Mistake::new(
            format!("traces that take more than {} MiB when stored", MAX_WRITTEN >> 20),
            "shorter traces: they are repeated at their end",
        )
        .at(format!("{path}.rate")));
    }
    Ok(())
}

/// Reads the traces that a scenario names.
pub(super) fn read_traces(s: &mut Scenario, folder: &Path) -> Result<(), Fault> {
    let mut rates: Vec<(String, &mut LinkRate)> = Vec::new();
    let mut add = |path: String, rate: Option<_>| rates.extend(rate.map(|rate| (path, rate)));
    if let Some(dumbbell) = &mut s.dumbbell {
        add("dumbbell.rate".into(), Some(&mut dumbbell.rate));
        let back = dumbbell.reverse.as_mut().and_then(|r| r.rate.as_mut());
        add("dumbbell.reverse.rate".into(), back);
    }
    if let Some(lot) = &mut s.parking_lot {
        add("parking-lot.rate".into(), Some(&mut lot.rate));
        let back = lot.reverse.as_mut().and_then(|r| r.rate.as_mut());
        add("parking-lot.reverse.rate".into(), back);
        if let Hops::Each(hops) = &mut lot.hops {
            for (i, hop) in hops.iter_mut().enumerate() {
                add(format!("parking-lot.hops.{i}.rate"), hop.rate.as_mut());
            }
        }
    }
    for (i, link) in s.links.iter_mut().enumerate() {
        add(format!("links.{i}.rate"), Some(&mut link.rate));
        let back = link.reverse.as_mut().and_then(|r| r.rate.as_mut());
        add(format!("links.{i}.reverse.rate"), back);
    }
    for (path, rate) in rates {
        if let LinkRate::Trace(file) = rate
            && file.opportunities.is_none()
        {
            let times = read_trace(&folder.join(&file.trace));
            file.opportunities = Some(times.map_err(|m| m.at(format!("{path}.trace")))?.into());
        }
    }
    Ok(())
}
