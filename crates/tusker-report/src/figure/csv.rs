//! The points of a figure as CSV, for drawing it with another program.

use super::lines::INTERVAL;
use super::{Axis, Bars, Clouds, Diagonal, Dots, Figure, Heat, Lines, Panels, Plot, Scatter};

/// Lines of cells, the first of which are heads.
type Rows = Vec<Vec<String>>;

impl Figure {
    /// All points of the figure in the units of its axes, which stand in the heads. Curves
    /// over one axis have a column each; everything else has a line for each point.
    pub fn csv(&self) -> String {
        let rows = match &self.plot {
            Plot::Panels(own) => panels(own),
            Plot::Lines(own) => lines(own),
            Plot::Scatter(own) => scatter(own),
            Plot::Dots(own) => dots(own),
            Plot::Heat(own) => heat(own),
            Plot::Clouds(own) => clouds(own),
            Plot::Diagonal(own) => diagonal(own),
            Plot::Bars(own) => bars(own),
        };
        let line = |cells: &Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
            cells.join(",") + "\n"
        };
        rows.iter().map(line).collect()
    }
}

fn panels(own: &Panels) -> Rows {
    let curves = || own.panels.iter().flat_map(|p| p.curves.iter().map(move |curve| (p, curve)));
    let head = curves().map(|(panel, curve)| {
        let group = &own.groups[curve.group].name;
        match panel.members(curve.group).count() {
            1 => format!("{}: {group}", panel.y.label()),
            _ if curve.name.starts_with(group.as_str()) => {
                format!("{}: {}", panel.y.label(), curve.name)
            }
            _ => format!("{}: {group} {}", panel.y.label(), curve.name),
        }
    });
    let mut rows = vec![[own.x.label()].into_iter().chain(head).collect()];
    for (nth, &x) in own.xs.iter().enumerate() {
        let values = curves().map(|(_, curve)| exact(curve.values[nth]));
        rows.push([exact(x)].into_iter().chain(values).collect());
    }
    rows
}

fn lines(own: &Lines) -> Rows {
    let head = ["panel", "line", &own.x.label(), &own.y.label(), &half_of(own.band, &own.y)];
    let doubtful = own.panels.iter().flat_map(|panel| &panel.lines);
    let doubtful = doubtful.flat_map(|line| &line.doubts).next().is_some();
    let more = doubtful.then(|| "doubts".to_owned());
    let mut rows = vec![head.map(str::to_owned).into_iter().chain(more).collect::<Vec<_>>()];
    for panel in &own.panels {
        for line in &panel.lines {
            rows.extend(line.points.iter().map(|&(x, mean, half)| {
                let names = [panel.title.clone(), line.group.name.clone()];
                let why = doubtful.then(|| line.doubt(x).unwrap_or_default().to_owned());
                let values = [exact(x), exact(mean), some(half)].into_iter().chain(why);
                names.into_iter().chain(values).collect()
            }));
        }
    }
    rows
}

fn scatter(own: &Scatter) -> Rows {
    let half = |axis: &Axis| of(&format!("half of the {INTERVAL} of {}", axis.title), axis);
    let head = ["point", "group", &own.x.label(), &half(&own.x), &own.y.label(), &half(&own.y)];
    let doubtful = own.points.iter().any(|at| !at.doubts.is_empty());
    let more = doubtful.then(|| "doubts".to_owned());
    let mut rows = vec![head.map(str::to_owned).into_iter().chain(more).collect::<Vec<_>>()];
    rows.extend(own.points.iter().map(|at| {
        let (x, y) = (at.x, at.y);
        let values = [exact(x.0), some(x.1), exact(y.0), some(y.1)];
        let values = values.into_iter().chain(doubtful.then(|| at.doubts.clone()));
        [at.label.clone(), at.group.name.clone()].into_iter().chain(values).collect()
    }));
    rows
}

fn dots(own: &Dots) -> Rows {
    let label = own.x.label();
    let value = |name: &str| format!("{name}: {label}");
    let head = ["row", "group", &value(&own.names.0), &value(&own.names.1), "from", "to"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(own.rows.iter().map(|row| {
        let (low, high) = row.interval.unzip();
        let values = [row.paper, row.ours, low, high].map(some);
        [row.label.clone(), row.group.clone()].into_iter().chain(values).collect()
    }));
    rows
}

fn heat(own: &Heat) -> Rows {
    let head = ["panel", &own.x.0.label(), &own.y.0.label(), &own.z.label()];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for panel in &own.panels {
        for (cells, &y) in panel.cells.chunks(own.x.1.len().max(1)).zip(&own.y.1) {
            let values = cells.iter().zip(&own.x.1);
            rows.extend(values.map(|(&value, &x)| {
                [panel.title.clone(), exact(x), exact(y), exact(value)].to_vec()
            }));
        }
    }
    rows
}

fn clouds(own: &Clouds) -> Rows {
    let deviation = |axis: &Axis| of(&format!("deviation of {}", axis.title), axis);
    let (x, y) = (own.x.label(), own.y.label());
    let (dx, dy) = (deviation(&own.x), deviation(&own.y));
    let head = ["panel", "line", "at", &x, &y, &dx, &dy, "correlation"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for panel in &own.panels {
        for trail in &panel.trails {
            rows.extend(trail.clouds.iter().map(|cloud| {
                let names = [&panel.title, &trail.group.name, &cloud.label].map(Clone::clone);
                let spread = cloud.spread.map_or([f64::NAN; 3], |[xx, xy, yy]| {
                    [xx.sqrt(), yy.sqrt(), xy / (xx * yy).sqrt()]
                });
                let values = [cloud.mean.0, cloud.mean.1].into_iter().chain(spread);
                names.into_iter().chain(values.map(exact)).collect()
            }));
        }
    }
    rows
}

fn diagonal(own: &Diagonal) -> Rows {
    let label = own.axis.label();
    let (paper, ours) = (format!("paper: {label}"), format!("ours: {label}"));
    let head = ["row", "group", &paper, &ours, &half_of(INTERVAL, &own.axis)];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(own.points.iter().map(|at| {
        let values = [exact(at.paper), exact(at.ours.0), some(at.ours.1)];
        [at.label.clone(), at.group.name.clone()].into_iter().chain(values).collect()
    }));
    rows
}

fn bars(own: &Bars) -> Rows {
    let half = format!("half of the {INTERVAL}");
    let head = ["panel", "case", "bar", "quantity", "value", &half];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for panel in &own.panels {
        rows.extend(panel.known().map(|(case, bar, (mean, half))| {
            let names = [&panel.title, &case.name, &bar.name].map(Clone::clone);
            let values = [panel.y.label(), exact(mean), some(half)];
            names.into_iter().chain(values).collect()
        }));
    }
    rows
}

/// The head of what follows a mean.
fn half_of(band: &str, axis: &Axis) -> String {
    match axis.unit.as_str() {
        // half of 5 % might be a share of the mean
        "%" => format!("half of the {band} (percentage points)"),
        _ => of(&format!("half of the {band}"), axis),
    }
}

/// Something in the unit of an axis.
fn of(what: &str, axis: &Axis) -> String {
    Axis::new(what, axis.unit.as_str()).label()
}

fn some(value: Option<f64>) -> String {
    value.map_or_else(String::new, exact)
}

/// Nine significant digits, nothing of what is no number.
fn exact(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    format!("{value:.8e}").parse::<f64>().unwrap_or(value).to_string()
}

/// A cell as RFC 4180 has it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Curve, Group, Line, LinePanel, Panel};

    fn group(name: &str) -> Group {
        Group { name: name.to_owned(), colour: 0 }
    }

    #[test]
    fn curves_are_columns_with_units_in_their_heads() {
        let curve = |name: &str, group, values: [f64; 2]| {
            let values = values.to_vec();
            Curve { name: name.to_owned(), group, values }
        };
        let panel = Panel {
            y: Axis::new("congestion window", "segments"),
            curves: vec![
                curve("a.0", 0, [10.0, f64::NAN]),
                curve("a.1", 0, [1.0 / 3.0, 0.1 + 0.2]),
                curve("b", 1, [1e-7, -4.0]),
            ],
            ..Panel::default()
        };
        let own = Panels {
            x: Axis::new("time", "s"),
            xs: vec![0.0, 0.5],
            groups: vec![group("a"), group("Reno, ours")],
            panels: vec![panel],
            ..Panels::default()
        };
        let figure = Figure::new("time", "T", "", Plot::Panels(own), None);
        let lines: Vec<String> = figure.csv().lines().map(str::to_owned).collect();
        assert_eq!(
            lines,
            [
                "time (s),congestion window (segments): a.0,congestion window (segments): a.1,\
                 \"congestion window (segments): Reno, ours\"",
                "0,10,0.333333333,0.0000001",
                "0.5,,0.3,-4",
            ]
        );
    }

    #[test]
    fn lines_have_a_row_for_each_point() {
        let mut own = Lines::new(Axis::new("buffer", "BDP"), Axis::new("goodput", "Mbit/s"));
        let points = vec![(0.1, 40.0, Some(1.5)), (1.0, 50.0, None)];
        let line = Line { group: group("reno"), points, doubts: Vec::new() };
        own.panels.push(LinePanel { title: "delay 10ms".to_owned(), lines: vec![line] });
        let text = own.figure("f", "F", "").csv();
        assert_eq!(
            text,
            "panel,line,buffer (BDP),goodput (Mbit/s),half of the 95 % interval (Mbit/s)\n\
             delay 10ms,reno,0.1,40,1.5\ndelay 10ms,reno,1,50,\n"
        );
    }

    #[test]
    fn an_interval_keeps_its_unit_where_the_axis_has_other_words() {
        let own = Lines::new(Axis::new("buffer", "BDP"), Axis::new("utilisation", "%"));
        let mut figure = own.figure("f", "F", "");
        let words = ["utilisation (%)", "Link utilisation (%)"].map(str::to_owned);
        figure.rename(&[words.into()]).unwrap();
        assert_eq!(
            figure.csv(),
            "panel,line,buffer (BDP),Link utilisation (%),half of the 95 % interval (percentage points)\n"
        );
    }
}
