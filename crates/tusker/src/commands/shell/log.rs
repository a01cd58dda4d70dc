//! `tusker shell --out`: what the links carried over time, as lines, curves and a summary.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use tusker_plan::plan::Plan;
use tusker_report::html;
use tusker_report::links::{self, Link, LinkCurve};
use tusker_report::svg::{Theme, svg};
use tusker_store::files;
use tusker_testbed::{Audit, Carried, Ended, Shell};

use super::lines::{delay_s, drops, rate_bps};
use crate::failure::Failure;

/// How often links are looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Points of a curve; if there are twice as many, every second one is forgotten.
const MOST: usize = 2_000;

/// The lines: one per link and second.
const LINES: &str = "links.csv";
const HEAD: &str = "time_s,link,throughput_bps,delay_s,queue_pkt,dropped,marked";

/// A folder that is being filled.
pub struct Log {
    dir: PathBuf,
    rows: Mutex<Vec<Vec<Carried>>>,
    /// Why a line could not be written.
    trouble: Mutex<Option<io::Error>>,
}

impl Log {
    /// Makes the folder, with the scenario in it.
    pub fn create(dir: &Path, scenario: &str) -> Result<Self, Failure> {
        let there = fs::read_dir(dir).is_ok_and(|mut files| files.next().is_some());
        if there {
            let message = format!("{} is not empty", dir.display());
            return Err(Failure::input(message, "--out needs a new folder"));
        }
        let log = Self { dir: dir.to_owned(), rows: Mutex::default(), trouble: Mutex::default() };
        fs::create_dir_all(dir).map_err(|error| log.cannot(&error))?;
        log.write(tusker_store::SCENARIO, scenario)?;
        log.write(LINES, &format!("{HEAD}\n"))?;
        Ok(log)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let done = files::write_whole(&self.dir.join(name), text.as_bytes());
        done.map_err(|error| self.cannot(&error))
    }

    fn cannot(&self, error: &io::Error) -> Failure {
        let message = format!("cannot write to {}: {error}", self.dir.display());
        Failure::other(message, "give --out a folder that you can write to")
    }

    /// Looks at the links until it is to `stop`.
    pub fn keep(&self, plan: &Plan, shown: &[usize], shell: &Shell<'_>, stop: &AtomicBool) {
        let mut file = File::options().append(true).open(self.dir.join(LINES));
        let (mut look, mut looks) = (1, 0);
        let mut before = shell.carried();
        let mut last = 0;
        while !stop.load(Ordering::Relaxed) {
            let now = shell.carried();
            let second = shown.first().map_or(0, |&link| now[link].at.nanos() / 1_000_000_000);
            if second > last {
                let text: String =
                    shown.iter().map(|&link| line(plan, link, &before, &now)).collect();
                let done = match &mut file {
                    Ok(file) => file.write_all(text.as_bytes()),
                    Err(error) => Err(error.kind().into()),
                };
                if let Err(error) = done {
                    lock(&self.trouble).get_or_insert(error);
                }
                (before, last) = (now.clone(), second);
            }
            if looks % look == 0 {
                let mut rows = lock(&self.rows);
                rows.push(now);
                if rows.len() >= 2 * MOST {
                    let mut even = false;
                    rows.retain(|_| {
                        even = !even;
                        even
                    });
                    look *= 2;
                }
            }
            looks += 1;
            sleep(LOOK);
        }
    }

    /// Writes the summary and the page.
    pub fn finish<T>(
        self,
        name: &str,
        plan: &Plan,
        shown: &[usize],
        ended: &Ended<T>,
    ) -> Result<PathBuf, Failure> {
        if let Some(error) = lock(&self.trouble).take() {
            return Err(self.cannot(&error));
        }
        let links: Vec<Link> = shown.iter().map(|&at| link(plan, at, ended)).collect();
        let mut rows = std::mem::take(&mut *lock(&self.rows));
        rows.push(ended.carried.clone());
        let figure = links::figure(&curves(plan, shown, &rows));
        let flows: Vec<Value> = goodput(plan, ended)
            .map(|(name, bps)| json!({ "flow": name, "goodput_bps": bps }))
            .collect();
        let summary = json!({
            "scenario": name,
            "links": links.iter().map(Link::json).collect::<Vec<_>>(),
            "flows": flows,
            "audit": ended.audit.as_ref().map(punctuality),
        });
        self.write("summary.json", &format!("{summary:#}\n"))?;
        self.write("graph.svg", &svg(&figure, Theme::Paper))?;
        let page = links::page(&format!("tusker shell: {name}"), &links, figure);
        self.write(tusker_store::REPORT, &html::html(&page))?;
        Ok(self.dir.join(tusker_store::REPORT))
    }
}

/// How well the emulator kept its times.
fn punctuality(audit: &Audit) -> Value {
    json!({
        "packets": audit.packets,
        "late_mean_s": audit.mean.secs(),
        "late_p99_s": audit.p99.secs(),
        "late_max_s": audit.max.secs(),
        "busy": audit.busy,
        "cpu": audit.cpu,
        "away": audit.away,
        "real_time": audit.real_time,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn line(plan: &Plan, link: usize, before: &[Carried], now: &[Carried]) -> String {
    let (a, b, name) = (&before[link], &now[link], &plan.links[link].name);
    format!(
        "{:.3},{name},{:.0},{},{},{},{}\n",
        b.at.nanos() as f64 * 1e-9,
        rate_bps(a, b),
        delay_s(a, b).map_or(String::new(), |delay| format!("{delay:.6}")),
        b.backlog,
        drops(b) - drops(a),
        b.counters.marked - a.counters.marked,
    )
}

/// What each lasting flow carried, from its start on.
pub fn goodput<'a, T>(
    plan: &'a Plan,
    ended: &'a Ended<T>,
) -> impl Iterator<Item = (&'a str, f64)> + 'a {
    let end = ended.carried.first().map(|link| link.at);
    let lasting = plan.flows[..plan.lasting()].iter().zip(&ended.flows);
    lasting.filter_map(move |(flow, of)| {
        let time = end?.since(of.start).secs();
        let bits = (of.total.delivered * flow.tcp.payload().get()) as f64 * 8.0;
        (time > 0.0).then(|| (flow.name.as_str(), bits / time))
    })
}

/// What a link did from begin to end.
fn link<T>(plan: &Plan, link: usize, ended: &Ended<T>) -> Link {
    let carried = &ended.carried[link];
    let delays = ended.links.get(link).map(|link| &link.queueing);
    let delays_s = delays.and_then(|delays| {
        let at = |q| delays.quantile(q);
        Some([delays.mean()?, at(0.5)?, at(0.95)?, at(0.99)?].map(|nanos| nanos * 1e-9))
    });
    let counters = &carried.counters;
    Link {
        name: plan.links[link].name.clone(),
        packets: counters.accepted,
        bytes: counters.accepted_bytes,
        duration_s: carried.at.nanos() as f64 * 1e-9,
        throughput_bps: rate_bps(&Carried::default(), carried),
        delays_s,
        dropped: counters.overflowed + counters.dropped_early,
        lost: counters.lost,
        marked: counters.marked,
    }
}

/// What each link carried over time.
fn curves(plan: &Plan, shown: &[usize], rows: &[Vec<Carried>]) -> Vec<LinkCurve> {
    let curve = |&link: &usize| {
        let pairs = || rows.windows(2).map(|pair| (&pair[0][link], &pair[1][link]));
        LinkCurve {
            name: plan.links[link].name.clone(),
            times_s: pairs().map(|(_, b)| b.at.nanos() as f64 * 1e-9).collect(),
            rates_bps: pairs().map(|(a, b)| rate_bps(a, b)).collect(),
            delays_s: pairs().map(|(a, b)| delay_s(a, b).unwrap_or(f64::NAN)).collect(),
        }
    };
    shown.iter().map(curve).collect()
}
