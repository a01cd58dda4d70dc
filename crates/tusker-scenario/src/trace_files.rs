//! The files that the properties of links name, read relative to the scenario.

use std::path::Path;

use super::error::{Fault, Mistake};
use super::impair::{Changing, LinkRate, Quantity, Step, Steps, TraceFile, read_rates, read_steps};
use super::model::Scenario;
use super::recorded::Recorded;
use super::topology::Hops;
use tusker_core::{Duration, Rate};

/// Reads the files that a scenario names.
pub(super) fn read_traces(s: &mut Scenario, folder: &Path) -> Result<(), Fault> {
    macro_rules! read {
        ($path:expr, $of:ident, $rate:expr, $delay:expr) => {{
            let path: &str = &$path;
            $rate.map_or(Ok(()), |rate| read_rate(rate, folder, path))?;
            $delay.map_or(Ok(()), |delay| read_changes(delay, folder, path))?;
            $of.loss.as_mut().map_or(Ok(()), |loss| read_changes(loss, folder, path))?;
            $of.jitter.as_mut().map_or(Ok(()), |jitter| read_changes(jitter, folder, path))?;
        }};
        ($path:expr, $of:ident) => {
            read!($path, $of, $of.rate.as_mut(), $of.delay.as_mut())
        };
        ($path:expr, whole $of:ident) => {{
            read!($path, $of, Some(&mut $of.rate), Some(&mut $of.delay));
            if let Some(back) = &mut $of.reverse {
                read!(format!("{}.reverse", $path), back);
            }
        }};
    }
    if let Some(dumbbell) = &mut s.dumbbell {
        read!("dumbbell", whole dumbbell);
    }
    if let Some(lot) = &mut s.parking_lot {
        read!("parking-lot", whole lot);
        if let Hops::Each(hops) = &mut lot.hops {
            for (i, hop) in hops.iter_mut().enumerate() {
                read!(format!("parking-lot.hops.{i}"), hop);
            }
        }
    }
    for (i, link) in s.links.iter_mut().enumerate() {
        read!(format!("links.{i}"), whole link);
    }
    Ok(())
}

fn read_rate(rate: &mut LinkRate, folder: &Path, path: &str) -> Result<(), Fault> {
    if let Changing::Trace(file) = rate
        && file.opportunities.is_none()
    {
        let read = read_rates(&folder.join(&file.trace), &file.columns);
        let wrong = |m: Mistake| m.at(format!("{path}.{}.trace", Rate::KEY));
        match read.map_err(wrong)? {
            Recorded::Opportunities(times) => file.opportunities = Some(times.into()),
            Recorded::Steps(steps) => {
                let step = |(at, bps): (f64, f64)| Step {
                    at: Duration::from_secs(at),
                    value: Rate::from_bits_per_sec(bps as u64),
                };
                let list = steps.into_iter().map(step).collect();
                *rate = Changing::Steps(Steps { list, every: None, reorder: None });
            }
        }
    }
    Ok(())
}

fn read_changes<T: Quantity>(
    changing: &mut Changing<T>,
    folder: &Path,
    path: &str,
) -> Result<(), Fault> {
    if let Changing::Trace(TraceFile { trace, columns, every, reorder, .. }) = changing {
        let steps = read_steps(&folder.join(&*trace), columns, *every, *reorder);
        let steps = steps.map_err(|m| m.at(format!("{path}.{}.trace", T::KEY)))?;
        *changing = Changing::Steps(steps);
    }
    Ok(())
}
