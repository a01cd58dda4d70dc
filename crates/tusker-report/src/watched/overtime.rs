//! Everything over time about the connections of a recording.
//!
//! Each connection has values at its own times; a figure shows them at times common to all
//! connections. A value holds until the next one; there is none before the first event of a
//! connection or after its last.

use tusker_measure::table::Unit;
use tusker_measure::watched::STATES;
use tusker_store::watched::Stored;

use super::{groups, label};
use crate::figure::{Axis, Caption, Curve, Figure, Panel, Panels, Plot, held};

/// Places of a figure, at most and at least, and of all curves of a panel together.
const MOST_PLACES: usize = 10_000;
const LEAST_PLACES: usize = 500;
const PLACES: usize = 400_000;

/// Rows of the table behind the figure, at most.
const MOST_ROWS: usize = 400;

type Points = [(f64, f64)];

/// The figure, if there is anything to draw.
pub(super) fn figure(stored: &Stored, drawn: &[usize], name: &str) -> Option<Figure> {
    let watched = &stored.watched;
    let (from, to) = drawn.iter().fold((f64::MAX, 0.0_f64), |(from, to), &i| {
        let connection = &watched.connections[i];
        (from.min(connection.began_s), to.max(connection.ended_s))
    });
    if to <= from {
        return None;
    }
    let places = (PLACES / drawn.len()).clamp(LEAST_PLACES, MOST_PLACES);
    let step = (to - from) / (places - 1) as f64;
    let xs: Vec<f64> = (0..places).map(|i| from + i as f64 * step).collect();
    let groups = groups(stored, drawn);
    let curves = |quantity: &str, values: &dyn Fn(&Points) -> Vec<f64>| -> Vec<Curve> {
        let curve = |(nth, &i): (usize, &usize)| {
            let of = |s: &&_| matches(s, i, quantity);
            let series = stored.series.iter().find(of)?;
            Some(Curve {
                name: label(&watched.connections[i]),
                group: if groups.len() == drawn.len() { nth } else { 0 },
                values: values(&series.points),
            })
        };
        drawn.iter().enumerate().filter_map(curve).collect()
    };
    let span = averaging(stored, to - from);
    let mut panels = vec![Panel {
        name: "rate".to_owned(),
        y: Axis::new("rate of delivery", "Mbit/s"),
        curves: curves("delivered_bytes", &|points| rates(points, &xs, span)),
        ..Panel::default()
    }];
    let own = [
        ("cwnd", Axis::new("congestion window", "segments"), 1.0, false),
        ("ssthresh", Axis::new("slow-start threshold", "segments"), 1.0, true),
        ("srtt", Axis::new("smoothed RTT", "ms"), 1e3, false),
        ("in_flight", Axis::new("in flight", "segments"), 1.0, false),
        ("lost", Axis::new("lost so far", "segments"), 1.0, true),
        ("state", Axis::new("state of repair", ""), 1.0, true),
    ];
    let shows = watched.shows.iter().map(|name| {
        let (title, unit) = axis(&watched.law, name);
        (name.as_str(), Axis::new(title, unit), 1.0, true)
    });
    for (quantity, y, scale, steps) in own.into_iter().chain(shows) {
        let held = |points: &Points| held(points, &xs).iter().map(|v| v * scale).collect();
        let curves = curves(quantity, &held);
        let range = match quantity {
            "state" => Some((0.0, (STATES.len() - 1) as f64)),
            _ => None,
        };
        panels.push(Panel {
            name: quantity.to_owned(),
            y,
            steps,
            range,
            curves,
            ..Panel::default()
        });
    }
    let values = |panel: &Panel| -> Vec<f64> {
        let all = panel.curves.iter().flat_map(|curve| &curve.values).copied();
        all.filter(|value| value.is_finite()).collect()
    };
    let mut silent = Vec::new();
    panels.retain(|panel| {
        let values = values(panel);
        let shows = watched.shows.contains(&panel.name);
        if shows && values.iter().all(|&value| value == 0.0) {
            silent.push(panel.name.clone());
            return false;
        }
        !values.is_empty()
    });
    let caption = caption(stored, step, span, &silent);
    let x = Axis::new("time", "s");
    let panels = Panels { x, time: true, xs, window: None, groups, panels, replicates: false };
    let table = panels.table("As long as each connection was watched", "connection", MOST_ROWS);
    let title = super::title(stored);
    Some(Figure::new(name, &title, caption, Plot::Panels(panels), Some(table)))
}

fn matches(series: &tusker_store::watched::Series, connection: usize, quantity: &str) -> bool {
    series.connection == connection && series.quantity == quantity
}

/// What an inner value is called, and its unit where its name ends with it.
fn axis<'a>(law: &str, name: &'a str) -> (&'a str, &'static str) {
    match name.strip_suffix("_ms") {
        Some(bare) => (bare, "ms"),
        // of the papers' two modes 1 is that of Reno
        None if name == "mode" && law == "ghstcp" => ("mode (1: Reno)", ""),
        None => (name, ""),
    }
}

/// Over how long rates are: two of the longest smoothed round trips, and a
/// two-hundredth of the whole.
fn averaging(stored: &Stored, took_s: f64) -> f64 {
    let srtts = stored.series.iter().filter(|series| series.quantity == "srtt");
    let longest = srtts.flat_map(|series| &series.points).map(|point| point.1).fold(0.0, f64::max);
    (2.0 * longest).max(took_s / 200.0)
}

/// How fast totals of bytes rise around each place, in Mbit/s: over `span` seconds, or
/// what of them lies between the first point and the last.
fn rates(points: &Points, xs: &[f64], span: f64) -> Vec<f64> {
    let (Some(&(first, _)), Some(&(last, _))) = (points.first(), points.last()) else {
        return vec![f64::NAN; xs.len()];
    };
    let rate = |&x: &f64| {
        if !(first..=last).contains(&x) {
            return f64::NAN;
        }
        let (from, to) = ((x - span / 2.0).max(first), (x + span / 2.0).min(last));
        (total(points, to) - total(points, from)) * 8e-6 / (to - from)
    };
    xs.iter().map(rate).collect()
}

/// The total at a time, on the straight line between two points.
fn total(points: &Points, time: f64) -> f64 {
    let next = points.partition_point(|point| point.0 <= time);
    match (next.checked_sub(1).map(|i| points[i]), points.get(next)) {
        (Some((before, low)), Some(&(after, high))) => {
            low + (high - low) * (time - before) / (after - before)
        }
        (Some((_, total)), None) | (None, Some(&(_, total))) => total,
        (None, None) => f64::NAN,
    }
}

fn caption(stored: &Stored, step: f64, span: f64, silent: &[String]) -> Caption {
    let states: Vec<String> =
        STATES.iter().enumerate().map(|(number, name)| format!("{number} {name}")).collect();
    let rates = format!(
        "Rates are means over {}. States of loss recovery: {}.",
        Unit::Time.text(span),
        states.join(", ")
    );
    let silent = (!silent.is_empty())
        .then(|| format!("Not drawn because it was 0 throughout: {}.", silent.join(", ")));
    let spacing = stored.watched.spacing_s;
    let spacing = (spacing > 0.0).then(|| {
        format!(
            "The connections were watched for long: of moments of a connection that are closer \
             together than {}, only one was kept.",
            Unit::Time.text(spacing)
        )
    });
    let (every, file) = (Unit::Time.text(step), &stored.watched.series.file);
    let source = format!("the table {file}, which has all that is kept");
    let drawn = format!("Drawn every {every}.");
    Caption::from(rates).and_all(silent).and_all(spacing).and(drawn).source(source)
}
