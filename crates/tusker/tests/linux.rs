//! The simulator (profile `linux`) against Linux's own modules, which ran in virtual
//! time (`make oracle-linux`): every workload of bench/linux, means over its seeds.
//!
//! | value | holds within |
//! |---|---|
//! | goodput | 2 % |
//! | mean window, sampled every 100 ms | 5 % |
//! | recoveries | 10 %, or 1 per run |
//! | timeouts | 20 %, or 1 per run |
//! | window of a single flow in the first 20 s, sample by sample | 10 % off in the mean |
//!
//! Values that miss these bounds are listed in bench/linux/misses.csv, with the reason and the
//! band in which our mean lies. The test fails if a miss is not listed, and also if a listed
//! value lies outside its band or holds after all. The table of docs/validation.md is made from
//! the same numbers; `TUSKER_BLESS=1` writes it anew, as `make compare-linux` does.

mod held;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;

use tusker_plan::plan::Plan;
use tusker_plan::run::Flow;
use tusker_scenario::Scenario;

use held::{Miss, faults, misses, old_table, on_all_processors, read};

const PAGE: &str = "docs/validation.md";
const TABLE: &str = "bench/linux/compared.md";
const MISSES: &str = "bench/linux/misses.csv";

/// The first seconds, in which curves are held side by side: later a loss that comes a
/// little earlier has put them out of step.
const CURVES: f64 = 20.0;

/// What one run gave, or the mean of several.
#[derive(Clone, Copy, Debug, Default)]
struct Values {
    goodput: f64,
    recoveries: f64,
    timeouts: f64,
    retransmitted: f64,
    window: f64,
    /// How far the curve is from that of Linux, as a part of the latter's mean.
    apart: f64,
}

/// A value that is held: its name in misses.csv, the part and the least by which it may
/// be off.
struct Held {
    name: &'static str,
    get: fn(&Values) -> f64,
    part: f64,
    least: f64,
}

const HELD: [Held; 5] = [
    Held { name: "goodput", get: |v| v.goodput, part: 0.02, least: 0.0 },
    Held { name: "window", get: |v| v.window, part: 0.05, least: 0.0 },
    Held { name: "recoveries", get: |v| v.recoveries, part: 0.1, least: 1.0 },
    Held { name: "timeouts", get: |v| v.timeouts, part: 0.2, least: 1.0 },
    Held { name: "curve", get: |v| v.apart, part: 0.0, least: 0.1 },
];

/// A workload and what came out on both sides, mean of its seeds.
struct Row {
    cell: String,
    seeds: usize,
    linux: Values,
    ours: Values,
}

impl Row {
    fn holds(&self, held: &Held) -> bool {
        let (linux, ours) = ((held.get)(&self.linux), (held.get)(&self.ours));
        (ours - linux).abs() <= (held.part * linux).max(held.least)
    }
}

#[test]
fn the_simulator_agrees_with_linux() {
    let rows = rows();
    let held = rows.iter().flat_map(|row| {
        HELD.iter().map(|held| held::Held {
            cell: &row.cell,
            value: held.name,
            measured: (held.get)(&row.linux),
            ours: (held.get)(&row.ours),
            holds: row.holds(held),
        })
    });
    let mut wrong = faults(held, MISSES);
    wrong.extend(old_table(PAGE, "linux", &reasons(&rows), "make compare-linux"));
    wrong.extend(old_table(TABLE, "linux", &table(&rows), "make compare-linux"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How many values of a workload are checked: with several flows there is no curve.
fn checked(row: &Row) -> usize {
    HELD.iter().filter(|held| held.name != "curve" || row.ours.apart > 0.0).count()
}

fn table(rows: &[Row]) -> String {
    let mut table = String::from(
        "| workload | runs | goodput Mbit/s | mean window | curves apart | recoveries | timeouts \
         | retransmitted | misses |\n|---|--:|---|---|--:|---|---|---|---|\n",
    );
    for row in rows {
        let Row { cell, seeds, linux, ours } = row;
        let missed: Vec<&str> = HELD.iter().filter(|h| !row.holds(h)).map(|h| h.name).collect();
        let both = |get: fn(&Values) -> f64, digits: usize, percent: bool| {
            let (x, y) = (get(ours), get(linux));
            let off =
                if percent { format!(" ({:+.1} %)", (x / y - 1.0) * 100.0) } else { String::new() };
            format!("{x:.digits$} / {y:.digits$}{off}")
        };
        let digits = usize::from(*seeds > 1);
        let apart = match ours.apart {
            0.0 => String::new(),
            apart => format!("{:.1} %", apart * 100.0),
        };
        writeln!(
            table,
            "| {cell} | {seeds} | {} | {} | {apart} | {} | {} | {} | {} |",
            both(|v| v.goodput, 2, true),
            both(|v| v.window, 1, true),
            both(|v| v.recoveries, digits, false),
            both(|v| v.timeouts, digits, false),
            both(|v| v.retransmitted, 0, false),
            missed.join(", "),
        )
        .unwrap();
    }
    table
}

/// How much agrees, and what misses, with the reasons.
fn reasons(rows: &[Row]) -> String {
    let misses = misses(MISSES);
    let within = |part: f64| {
        let off = |row: &&Row| (row.ours.goodput / row.linux.goodput - 1.0).abs() <= part;
        rows.iter().filter(off).count()
    };
    let mut text = format!(
        "\nTusker's goodput is within 1 % of Linux's in {} of {} workloads, within 2 % in {} and \
         within 5 % in {}. Of {} values checked, {} are outside their tolerance:\n\n",
        within(0.01),
        rows.len(),
        within(0.02),
        within(0.05),
        rows.iter().map(checked).sum::<usize>(),
        misses.len()
    );
    for (at, miss) in misses.iter().enumerate() {
        let Miss { cell, value, reason, .. } = miss;
        if at == 0 || misses[at - 1].reason != *reason {
            write!(text, "- {cell}, {value}").unwrap();
        } else if misses[at - 1].cell == *cell {
            write!(text, ", {value}").unwrap();
        } else {
            write!(text, "; {cell}, {value}").unwrap();
        }
        if misses.get(at + 1).is_none_or(|next| next.reason != *reason) {
            writeln!(text, ": {reason}").unwrap();
        }
    }
    text
}

/// All workloads, on all processors.
fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for line in read("bench/linux/oracle.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let &[cell, _seed, _kernel, goodput, recoveries, timeouts, retransmitted, window] =
            fields.as_slice()
        else {
            panic!("oracle.csv: `{line}`")
        };
        let number =
            |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("oracle.csv: `{text}`"));
        let values = Values {
            goodput: number(goodput),
            recoveries: number(recoveries),
            timeouts: number(timeouts),
            retransmitted: number(retransmitted),
            window: number(window),
            apart: 0.0,
        };
        match rows.last_mut() {
            Some(row) if row.cell == cell => {
                row.linux = mean(row.linux, row.seeds, values);
                row.seeds += 1;
            }
            _ => rows.push(Row {
                cell: cell.to_owned(),
                seeds: 1,
                linux: values,
                ours: Values::default(),
            }),
        }
    }
    let curves = curves();
    on_all_processors(rows.iter_mut(), |row| {
        let plan = plan(&row.cell);
        let curve = &curves[&row.cell];
        for seed in 0..row.seeds {
            row.ours = mean(row.ours, seed, simulate(&plan, seed as u64 + 1, curve));
        }
    });
    rows
}

/// The mean with one more value, after so many.
fn mean(mean: Values, count: usize, next: Values) -> Values {
    let with = |old: f64, new: f64| old + (new - old) / (count + 1) as f64;
    Values {
        goodput: with(mean.goodput, next.goodput),
        recoveries: with(mean.recoveries, next.recoveries),
        timeouts: with(mean.timeouts, next.timeouts),
        retransmitted: with(mean.retransmitted, next.retransmitted),
        window: with(mean.window, next.window),
        apart: with(mean.apart, next.apart),
    }
}

/// One run; `curve` is that of Linux.
fn simulate(plan: &Plan, seed: u64, curve: &[(f64, f64)]) -> Values {
    let run = tusker_sim::run(plan, seed, &mut |_| ControlFlow::Continue(()));
    let run = run.expect("nobody breaks off");
    let seconds = plan.measure_to.since(plan.measure_from).secs();
    let sum = |what: fn(&Flow) -> u64| run.flows.iter().map(what).sum::<u64>() as f64;
    let payload = plan.flows[0].tcp.payload().get() as f64;
    let windows = run.trace.series.iter().filter(|series| series.quantity == "cwnd");
    let measured: Vec<f64> = windows
        .clone()
        .flat_map(|series| run.trace.times.iter().zip(&series.values))
        .filter(|(time, _)| **time > plan.measure_from)
        .map(|(_, window)| *window)
        .collect();
    let first = windows.clone().next().expect("the windows are traced");
    // the first row is that of the start, which Linux has not
    let ours = run.trace.times.iter().zip(&first.values).skip(1);
    let (mut off, mut total) = (0.0, 0.0);
    for ((time, ours), (theirs_at, theirs)) in ours.zip(curve) {
        assert!((time.secs() - theirs_at).abs() < 1e-6, "curves.csv: rows are 100 ms apart");
        if *theirs_at <= CURVES {
            off += (ours - theirs).abs();
            total += theirs;
        }
    }
    Values {
        goodput: sum(|flow| flow.delivered) * payload * 8.0 / seconds / 1e6,
        recoveries: sum(|flow| flow.episodes),
        timeouts: sum(|flow| flow.timeouts),
        retransmitted: sum(|flow| flow.retransmitted),
        window: measured.iter().sum::<f64>() / measured.len() as f64,
        // several flows share by chance
        apart: if run.flows.len() == 1 { off / total } else { 0.0 },
    }
}

/// Time in s and window in segments of each workload's first flow in Linux.
fn curves() -> BTreeMap<String, Vec<(f64, f64)>> {
    let text = read("bench/linux/curves.csv");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').skip(1).collect();
    let mut curves: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for line in lines {
        let number =
            |text: &str| text.parse::<f64>().unwrap_or_else(|_| panic!("curves.csv: `{line}`"));
        let (ms, windows) = line.split_once(',').unwrap_or_else(|| panic!("curves.csv: `{line}`"));
        for (name, window) in names.iter().zip(windows.split(',')) {
            let curve = curves.entry((*name).to_owned()).or_default();
            curve.push((number(ms) / 1e3, number(window)));
        }
    }
    curves
}

fn plan(cell: &str) -> Plan {
    let path = format!("bench/linux/cells/{}.toml", cell.replace('/', "_"));
    let scenario = Scenario::parse(cell, &read(&path), &[]);
    scenario.and_then(|s| s.plan()).unwrap_or_else(|e| panic!("{path}: {e:?}"))
}
