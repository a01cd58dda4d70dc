//! Pages for the tests in a browser: one of the largest size that must work, one of a sweep of
//! 100,000 runs, and one with every kind of figure and with names that try to break HTML.
//!
//! `cargo run -p tusker-report --example pages -- FOLDER`
//!
//! Given a second folder, with results in `simulator` and in `testbed`, it makes only the page
//! of these two. Both may be simulated: how well the second one kept time is made up, so that
//! the testbed's page needs neither root nor sockets.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tusker_measure::summary::{Audit, AuditLimits};
use tusker_report::figure::{Axis, Curve, Figure, Group, Panel, Panels, Plot, Point, Scatter};
use tusker_report::page::{Block, Page};
use tusker_report::{html, results, svg, sweep};
use tusker_store::Stored;
use tusker_store::sweep::{AxisSummary, PointSummary, SweepSummary};

const EVIL: &str = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>";

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    std::fs::create_dir_all(&folder)?;
    if let Some(both) = std::env::args().nth(2) {
        let page = measured(&PathBuf::from(both)).map_err(std::io::Error::other)?;
        return std::fs::write(folder.join("testbed.html"), html::html(&page));
    }
    std::fs::write(folder.join("large.html"), html::html(&large(100, 50_000)))?;
    let rows = [("rows-many", swept(10, 100, 100, 1)), ("rows-few", swept(5, 40, 50, 10))];
    for (name, summary) in rows {
        let page = html::html(&sweep::of_sweep(&summary));
        std::fs::write(folder.join(format!("{name}.html")), page)?;
    }
    let kinds = kinds();
    std::fs::write(folder.join("kinds.html"), html::html(&kinds))?;
    for figure in kinds.figures() {
        let drawing = svg::svg(figure, svg::Theme::Paper);
        std::fs::write(folder.join(format!("{}.svg", figure.name)), drawing)?;
    }
    Ok(())
}

/// One scenario on both planes.
fn measured(both: &std::path::Path) -> Result<Page, tusker_store::Error> {
    let simulated = Stored::read(&both.join("simulator"), None)?;
    let mut measured = Stored::read(&both.join("testbed"), None)?;
    "testbed".clone_into(&mut measured.summary.plane);
    measured.summary.invalid = vec![2];
    measured.summary.audits = vec![Audit {
        replicate: 1,
        seed: 2,
        valid: false,
        faults: vec!["99 % of the packets left up to 612 \u{b5}s late, not 500".to_owned()],
        packets: 250_000,
        late_mean_s: Some(1.2e-5),
        late_p99_s: Some(6.12e-4),
        late_max_s: Some(8.3e-4),
        away: 4e-4,
        longest_away_s: 1.2e-3,
        busy: 0.42,
        cpu: Some(0.81),
        refused: 0,
        foreign: 0,
        real_time: true,
        limits: AuditLimits {
            late_p99_s: 5e-4,
            away_at_once_s: 1e-3,
            away: 0.01,
            busy: 0.9,
            refused: 1e-3,
        },
    }];
    Ok(results::of_results(&[simulated, measured]))
}

/// A sweep over laws, queues and delays with so many replicates of each point.
fn swept(laws: u32, queues: u32, delays: u32, replicates: u32) -> SweepSummary {
    let axis = |key: &str, unit: &str| {
        let numeric = !unit.is_empty();
        AxisSummary { key: key.to_owned(), option: None, unit: unit.to_owned(), numeric }
    };
    let names = [
        "goodput_bps",
        "utilisation",
        "jain",
        "loss_rate",
        "links.R1->R2.queue_mean_pkt",
        "groups.a.rtt_p50_s",
        "groups.a.rtt_mean_s",
    ];
    let several = replicates > 1;
    let point = |nth: u32| {
        let (law, queue, delay) = (nth / (queues * delays), nth / delays % queues, nth % delays);
        // what a curve may look like, with some noise
        let share =
            f64::from(queue + 1) / f64::from(queues + law) * (1.0 - 0.002 * f64::from(delay));
        let value = share + f64::from(nth * 7919 % 101) * 1e-3;
        let rtt = 1e-3 * f64::from(delay + queue + 1);
        let mean = [
            value * 1e8,
            value.min(1.0),
            0.9 * value.min(1.0),
            1e-3 * value,
            50.0 * value,
            rtt,
            rtt,
        ];
        PointSummary {
            values: vec![
                format!("law{law}"),
                format!("{}pkt", queue + 1),
                format!("{}ms", delay + 1),
            ],
            set: Vec::new(),
            numbers: vec![None, Some(f64::from(queue + 1)), Some(1e-3 * f64::from(delay + 1))],
            replicates,
            ci95: mean.iter().map(|mean| several.then_some(0.05 * mean)).collect(),
            mean: mean.map(Some).to_vec(),
            spread: Default::default(),
            doubts: Vec::new(),
        }
    };
    let pair = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    SweepSummary {
        format: SweepSummary::FORMAT,
        name: "rows".to_owned(),
        command: vec!["tusker".to_owned(), "sweep".to_owned()],
        earlier: Vec::new(),
        set: None,
        axes: vec![axis("cc", ""), axis("dumbbell.queue", "pkt"), axis("dumbbell.delay", "s")],
        measures: names.map(str::to_owned).to_vec(),
        pairs: vec![pair("groups.a.rtt_mean_s", "goodput_bps"), pair("utilisation", "jain")],
        setting: None,
        lone: false,
        laws: BTreeMap::new(),
        points: (0..laws * queues * delays).map(point).collect(),
    }
}

/// Noisy sawteeth of so many flows in two groups, each with a period of its own:
/// noise is what cannot be packed.
fn large(flows: usize, points: usize) -> Page {
    let sawtooth = |flow: usize, i: usize| {
        let period = 900.0 + 37.0 * flow as f64;
        let phase = (i as f64 + 131.0 * flow as f64) / period;
        // the last steps of MurmurHash3: no two neighbours are alike
        let mut hash = (flow * 1_000_003 + i) as u32;
        hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
        hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
        hash ^= hash >> 16;
        let noise = 0.02 * f64::from(hash >> 8) / f64::from(1 << 24);
        1_000.0 * (1.0 + (flow % 2) as f64) * (0.5 + 0.5 * phase.fract() + noise)
    };
    let panel = |name: &str, title: &str, unit: &str, scale: f64| Panel {
        name: name.to_owned(),
        y: Axis::new(title, unit),
        curves: (0..flows)
            .map(|flow| Curve {
                name: format!("S{}.{}", 1 + flow % 2, flow / 2),
                group: flow % 2,
                values: (0..points).map(|i| scale * sawtooth(flow, i)).collect(),
            })
            .collect(),
        ..Panel::default()
    };
    let group = |name: &str, colour| Group { name: name.to_owned(), colour };
    let panels = Panels {
        x: Axis::new("time", "s"),
        time: true,
        xs: (0..points).map(|i| i as f64 / 100.0).collect(),
        window: Some((points as f64 / 200.0, points as f64 / 100.0)),
        groups: vec![group("S1", 0), group("S2", 1)],
        panels: vec![
            panel("goodput", "goodput of a flow", "Mbit/s", 0.23),
            panel("cwnd", "congestion window", "segments", 1.0),
        ],
        replicates: false,
    };
    let caption = format!("{flows} flows at {points} points each.");
    let figure = Figure::new("time", "Many flows", &caption, Plot::Panels(panels), None);
    let mut page = Page { title: "A large page".to_owned(), ..Page::default() };
    page.section("Over time", vec![figure.into()]);
    page
}

/// y = 1 / x^2 from 1e-4 to 1, over logarithmic axes: a straight line.
fn powers() -> Figure {
    let xs: Vec<f64> = (0..=200).map(|i| 10_f64.powf(-4.0 + f64::from(i) / 50.0)).collect();
    let values = xs.iter().map(|x| 1.0 / (x * x)).collect();
    let panel = Panel {
        name: "power".to_owned(),
        y: Axis::new("window", "segments").logarithmic(),
        curves: vec![Curve { name: "power".to_owned(), group: 0, values }],
        ..Panel::default()
    };
    let panels = Panels {
        x: Axis::new("loss rate", "").logarithmic(),
        xs,
        groups: vec![Group { name: "power".to_owned(), colour: 0 }],
        panels: vec![panel],
        ..Panels::default()
    };
    Figure::new("power", "A power", "", Plot::Panels(panels), None)
}

fn kinds() -> Page {
    let mut scatter = Scatter::new(
        Axis::new("utilisation", "%").within(0.0, 100.0),
        Axis::new("Jain's index", "").within(0.0, 1.0),
    );
    for case in 0..24_u32 {
        let at = f64::from(case);
        let (utilisation, jain) = (99.5 - at, 0.6 + 0.015 * at);
        let group = format!("{} ms", [25, 50, 100][case as usize / 8]);
        let label = if case == 0 { EVIL.to_owned() } else { format!("Case {case}") };
        scatter.points.push(Point {
            label,
            group: Group { name: group, colour: case as usize / 8 },
            x: (utilisation, Some(0.4)),
            y: (jain, Some(0.02)),
            doubts: String::new(),
        });
    }
    let mut page = Page { title: EVIL.to_owned(), lead: EVIL.to_owned(), ..Page::default() };
    page.commands.push(format!("tusker run '{EVIL}.toml'"));
    page.section(
        "Fairness",
        vec![scatter.figure("fairness", "Utilisation against fairness", EVIL).into()],
    );
    page.section("Logarithmic", vec![powers().into()]);
    page.section(
        EVIL,
        vec![Block::Warning(EVIL.to_owned()), Block::Fold(EVIL.to_owned(), EVIL.to_owned())],
    );
    page
}
