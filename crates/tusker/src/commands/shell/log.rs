//! `tusker shell --out`: what the links carried over time, as lines, curves and a summary.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};
use tusker_measure::table::Unit;
use tusker_plan::plan::Plan;
use tusker_report::figure::{Axis, Curve, Figure, Group, Panel, Panels, Plot};
use tusker_report::page::{Block, Line, Page, Span, Table};
use tusker_report::svg::{Theme, svg};
use tusker_report::{html, style};
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
        let links: Vec<Link> = shown.iter().map(|&link| Link::of(plan, link, ended)).collect();
        let mut rows = std::mem::take(&mut *lock(&self.rows));
        rows.push(ended.carried.clone());
        let figure = figure(plan, shown, &rows);
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
        let mut page = Page { title: format!("tusker shell: {name}"), ..Page::default() };
        page.answer = links.iter().map(Link::sentence).collect();
        page.table = Some(table(&links));
        page.section("Over time", vec![Block::Figure(Box::new(figure))]);
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
struct Link {
    name: String,
    packets: u64,
    bytes: u64,
    seconds: f64,
    rate_bps: f64,
    /// Mean, median, 95 % and 99 % quantile of the time in the queue.
    delays_s: Option<[f64; 4]>,
    dropped: u64,
    lost: u64,
    marked: u64,
}

impl Link {
    fn of<T>(plan: &Plan, link: usize, ended: &Ended<T>) -> Self {
        let carried = &ended.carried[link];
        let delays = ended.links.get(link).map(|link| &link.queueing);
        let delays_s = delays.and_then(|delays| {
            let at = |q| delays.quantile(q);
            Some([delays.mean()?, at(0.5)?, at(0.95)?, at(0.99)?].map(|nanos| nanos * 1e-9))
        });
        let counters = &carried.counters;
        Self {
            name: plan.links[link].name.clone(),
            packets: counters.accepted,
            bytes: counters.accepted_bytes,
            seconds: carried.at.nanos() as f64 * 1e-9,
            rate_bps: rate_bps(&Carried::default(), carried),
            delays_s,
            dropped: counters.overflowed + counters.dropped_early,
            lost: counters.lost,
            marked: counters.marked,
        }
    }

    fn json(&self) -> Value {
        let delay = |at: usize| self.delays_s.map(|delays| delays[at]);
        json!({
            "link": self.name,
            "duration_s": self.seconds,
            "packets": self.packets,
            "bytes": self.bytes,
            "throughput_bps": self.rate_bps,
            "queueing_delay_mean_s": delay(0),
            "queueing_delay_p50_s": delay(1),
            "queueing_delay_p95_s": delay(2),
            "queueing_delay_p99_s": delay(3),
            "dropped": self.dropped,
            "lost": self.lost,
            "marked": self.marked,
        })
    }

    fn sentence(&self) -> Line {
        let rate = Unit::Rate.text(self.rate_bps);
        let delay = self.delays_s.map_or(String::new(), |delays| {
            format!(", queueing delay {}", Unit::Time.text(delays[0]))
        });
        vec![Span::from(format!("{}: {rate}{delay}", self.name))]
    }
}

fn table(links: &[Link]) -> Table {
    let head = [
        "link",
        "throughput",
        "queueing delay",
        "delay p50",
        "delay p95",
        "delay p99",
        "packets",
        "dropped",
        "lost",
        "marked",
    ];
    let mut table = Table::new("from begin to end", head);
    for link in links {
        let delay =
            |at: usize| link.delays_s.map_or("-".to_owned(), |delays| Unit::Time.text(delays[at]));
        let counts = [link.packets, link.dropped, link.lost, link.marked].map(|n| n.to_string());
        let values = [link.name.clone(), Unit::Rate.text(link.rate_bps)];
        let values = values.into_iter().chain((0..4).map(delay)).chain(counts);
        table.row(None, values);
    }
    table
}

/// Throughput and delay of each link over time.
fn figure(plan: &Plan, shown: &[usize], rows: &[Vec<Carried>]) -> Figure {
    let pairs = || rows.windows(2);
    let link = shown.first().copied().unwrap_or(0);
    let xs = pairs().map(|pair| pair[1][link].at.nanos() as f64 * 1e-9).collect();
    let name = |link: usize| plan.links[link].name.clone();
    let groups = shown.iter().enumerate();
    let groups = groups.map(|(nth, &link)| Group { name: name(link), colour: style::nth(nth) });
    let panel = |own: &str, y: Axis, value: &dyn Fn(&Carried, &Carried) -> f64| {
        let curve = |(group, &link): (usize, &usize)| {
            let values = pairs().map(|pair| value(&pair[0][link], &pair[1][link])).collect();
            Curve { name: name(link), group, values }
        };
        let curves = shown.iter().enumerate().map(curve).collect();
        Panel { name: own.to_owned(), y, curves, ..Panel::default() }
    };
    let panels = Panels {
        x: Axis::new("time", "s"),
        time: true,
        xs,
        groups: groups.collect(),
        panels: vec![
            panel("throughput", Axis::new("throughput", "Mbit/s"), &|a, b| rate_bps(a, b) / 1e6),
            panel("delay", Axis::new("delay in queue and transmission", "ms"), &|a, b| {
                delay_s(a, b).map_or(f64::NAN, |delay| delay * 1e3)
            }),
        ],
        ..Panels::default()
    };
    let caption = "What the links carried, and how long packets were there, in the mean of each \
                   tenth of a second (or longer, in a long session).";
    Figure::new("time", "Throughput and delay", caption, Plot::Panels(panels), None)
}
