//! The points of a sweep before anything is run: each is completed and checked.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tusker_measure::summary::{View, flat_names};
use tusker_plan::plan::Plan;
use tusker_scenario::sweep::cells;
use tusker_store::sweep::{Fingerprint, Varied};

use super::Sweep;
use crate::lock::lock;
use crate::{MAX_REPLICATES, Trouble, Watch, pool};

/// Plans kept until they are run; with more points they are made again.
const KEPT: usize = 4_096;

/// Plans with more flows than this are not kept.
const FLOWS: usize = 64;

/// A point that passed every check.
pub(super) struct Point {
    pub fingerprint: Fingerprint,
    pub seed: u64,
    pub replicates: u32,
    /// The expected memory of a run in bytes.
    pub memory: u64,
    pub plan: Option<Plan>,
}

/// All points, and every value of their scenarios.
pub(super) struct Points {
    pub all: Vec<Point>,
    pub scenario: Varied,
}

/// Completes all points.
pub(super) fn prepare(sweep: &Sweep<'_>, watch: &dyn Watch) -> Result<Points, Trouble> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let made: Mutex<Vec<(usize, Result<Point, Trouble>)>> = Mutex::new(Vec::new());
    let varied = Mutex::new(Varied::new(sweep.points));
    let work = || {
        while !failed.load(Ordering::Relaxed) && !watch.stopped() {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            if nth >= sweep.points {
                return;
            }
            let point = point(sweep, nth, &varied);
            if point.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            lock(&made).push((nth, point));
        }
    };
    pool::work(pool::threads(sweep.jobs).min(sweep.points), watch, &work);
    if watch.stopped() {
        return Err(Trouble::Interrupted);
    }
    let mut made = made.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    // of several mistakes report the one of the first point
    made.sort_by_key(|(nth, _)| *nth);
    let all = made.into_iter().map(|(_, point)| point).collect::<Result<Vec<_>, _>>()?;
    let scenario = varied.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(Points { all, scenario })
}

fn point(sweep: &Sweep<'_>, nth: usize, varied: &Mutex<Varied>) -> Result<Point, Trouble> {
    let complete = (sweep.scenario)(nth)?;
    let (seed, replicates) = (complete.seed(), complete.replicates());
    if replicates > MAX_REPLICATES {
        return Err(Trouble::Replicates(replicates));
    }
    let (cells, text) = cells(complete.to_scenario());
    let fingerprint = Fingerprint::of(&text, sweep.build);
    {
        let mut varied = lock(varied);
        cells.into_iter().for_each(|(path, cell)| varied.set(nth, path, cell));
    }
    let plan = complete.into_plan();
    let expected = plan.memory();
    // another machine has memory of its own
    if sweep.elsewhere.is_none() && expected.total() > sweep.budget.bytes() {
        let name = format!("point {}", nth + 1);
        return Err(Trouble::TooLarge { name, expected, budget: sweep.budget });
    }
    if nth == 0 {
        known(sweep, &plan)?;
    }
    let keep = sweep.elsewhere.is_none() && nth < KEPT && plan.flows.len() <= FLOWS;
    let memory = expected.total();
    Ok(Point { fingerprint, seed, replicates, memory, plan: keep.then_some(plan) })
}

/// Checks that the requested measures exist.
fn known(sweep: &Sweep<'_>, plan: &Plan) -> Result<(), Trouble> {
    let names = flat_names(&View::new(plan));
    let asked = sweep.measures.iter().chain(sweep.until.as_ref().map(|until| &until.measure));
    let mut unknown = asked.filter(|name| !names.contains(name));
    unknown.next().map_or(Ok(()), |name| {
        let nearest = tusker_scenario::sweep::nearest(name, &names).unwrap_or("goodput_bps");
        Err(Trouble::NoMeasure { name: name.clone(), nearest: nearest.to_owned() })
    })
}
