//! Every kind of figure, with little and with much in it, as wide as one column and as two: no
//! text covers other text or leaves the drawing.

mod asked;
mod bounds;

use std::collections::BTreeSet;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use resvg::usvg::{Group as Node, Node as Kind};

use super::*;
use crate::figure::{
    Axis, BarCase, BarPanel, Bars, Curve, Group, Heat, HeatPanel, Line, LinePanel, Lines, Panel,
    Panels, Point, Scatter,
};
use crate::style;
use crate::tree::tree;

const LAWS: [&str; 8] = [
    "ghstcp-refined",
    "cubic-linux",
    "hstcp",
    "WESTWOOD+ (WINDOWS)",
    "bbr3",
    "illinois",
    "w",
    "fast",
];

/// How much a figure has.
#[derive(Clone, Copy)]
struct Size {
    laws: usize,
    panels: usize,
    /// The largest value.
    top: f64,
    long: bool,
}

impl Size {
    fn name(self, nth: usize) -> String {
        match (self.long, LAWS[nth]) {
            (true, law) => {
                format!("{law}, a name that its author did not think to cut short {nth}")
            }
            (false, law) => law.to_owned(),
        }
    }

    fn groups(self) -> Vec<Group> {
        let group = |nth| Group { name: self.name(nth), colour: style::of_law(LAWS[nth]) };
        (0..self.laws).map(group).collect()
    }

    /// A value between a tenth of the largest and the largest; all laws end near one.
    fn value(self, law: usize, share: f64) -> f64 {
        let own = (law * 37 % 11) as f64 / 11.0;
        self.top * (1.0 - 0.02 * own - 0.8 * own * (1.0 - share))
    }
}

fn panels(size: Size, log: bool) -> Plot {
    let groups = size.groups();
    let names = ["throughput", "congestion window", "smoothed RTT", "queue"];
    let xs: Vec<f64> = (0..=100).map(|i| 3.0 * f64::from(i)).collect();
    let panel = |nth: usize| Panel {
        name: names[nth].to_owned(),
        y: Axis { log, ..Axis::new(names[nth], "segments") },
        rules: vec![("limit".to_owned(), 0.9 * size.top), ("min_th".to_owned(), 0.885 * size.top)],
        curves: (0..groups.len())
            .map(|group| Curve {
                name: groups[group].name.clone(),
                group,
                values: xs.iter().map(|x| size.value(group, x / 300.0)).collect(),
            })
            .collect(),
        ..Panel::default()
    };
    let panels = (0..size.panels.min(names.len())).map(panel).collect();
    let x = Axis { log, ..Axis::new("time", "s") };
    let xs = if log { xs.iter().map(|x| x + 1.0).collect() } else { xs.clone() };
    Plot::Panels(Panels { x, xs, groups, panels, ..Panels::default() })
}

fn lines(size: Size) -> Plot {
    let line = |group: Group, nth| {
        let at = |i: i32| {
            let value = size.value(nth, f64::from(i) / 9.0);
            (f64::from(1 << i), value, Some(0.02 * value))
        };
        Line::new(group, (0..10).map(at).collect())
    };
    let panel = |nth: usize| LinePanel {
        title: format!("dumbbell.delay {nth} ms"),
        lines: size.groups().into_iter().enumerate().map(|(i, group)| line(group, i)).collect(),
    };
    let (x, y) = (Axis::new("queue", "pkt").logarithmic(), Axis::new("throughput", "Mbit/s"));
    Plot::Lines(Lines { panels: (0..size.panels).map(panel).collect(), ..Lines::new(x, y) })
}

fn heat(size: Size) -> Plot {
    let steps = 3 * size.laws;
    let values = |by: f64| (1..=steps).map(|i| by * i as f64).collect::<Vec<f64>>();
    let panel = |nth: usize| HeatPanel {
        title: size.name(nth % size.laws),
        cells: (0..steps * steps).map(|i| size.value(i % 8, 0.5) * i as f64).collect(),
    };
    Plot::Heat(Heat {
        x: (Axis::new("queue", "pkt"), values(size.top / 7.0)),
        y: (Axis::new("delay", "ms"), values(12.5)),
        z: Axis::new("throughput of the first group", "Mbit/s"),
        panels: (0..size.panels).map(panel).collect(),
    })
}

fn scatter(size: Size) -> Plot {
    let mut scatter = Scatter::new(Axis::new("utilisation", "%"), Axis::new("Jain's index", ""));
    for (nth, group) in size.groups().into_iter().enumerate() {
        let value = size.value(nth, 0.9);
        scatter.points.push(Point {
            label: group.name.clone(),
            group,
            x: (value, Some(0.01 * size.top)),
            y: (1.0 - 0.001 * nth as f64, Some(0.002)),
            doubts: String::new(),
        });
    }
    Plot::Scatter(scatter)
}

/// Values of two kinds around the line on which they are equal.
fn equal(size: Size) -> Plot {
    let mut scatter = Scatter::new(Axis::new("paper", "Mbit/s"), Axis::new("ours", "Mbit/s"));
    scatter.equal = Some(0.05 * size.top);
    for (nth, group) in size.groups().into_iter().enumerate() {
        let value = size.value(nth, 0.2);
        scatter.points.push(Point {
            label: group.name.clone(),
            group,
            x: (value, None),
            y: (1.05 * value, Some(0.01 * value)),
            doubts: String::new(),
        });
    }
    Plot::Scatter(scatter)
}

fn bars(size: Size) -> Plot {
    let case = |nth: usize| BarCase {
        name: size.name(nth % size.laws),
        heights: (0..3).map(|bar| Some((size.value(nth, 0.3 * f64::from(bar)), None))).collect(),
    };
    let panel = |nth: usize| BarPanel {
        title: size.name(nth % size.laws),
        y: Axis::new("throughput", "Mbit/s"),
        bars: size.groups().into_iter().take(3).collect(),
        cases: (0..size.laws).map(case).collect(),
    };
    Plot::Bars(Bars { panels: (0..size.panels).map(panel).collect() })
}

/// Every text with the box of its ink: left, upper, right and lower edge.
fn texts(node: &Node, found: &mut Vec<(String, [f32; 4])>) {
    for child in node.children() {
        match child {
            Kind::Group(group) => texts(group, found),
            Kind::Text(text) => {
                let words = text.chunks().iter().map(|chunk| chunk.text()).collect();
                let ink = text.flattened().abs_bounding_box();
                found.push((words, [ink.left(), ink.top(), ink.right(), ink.bottom()]));
            }
            _ => {}
        }
    }
}

/// Letters of a drawing that lie on others or leave it.
fn faults(figure: &Figure, format: &Format) -> Result<Vec<String>, Refused> {
    let tree = tree(&drawn(figure, Theme::Paper, format)?);
    let mut found = Vec::new();
    texts(tree.root(), &mut found);
    let (right, low) = (tree.size().width(), tree.size().height());
    let mut wrong = Vec::new();
    for (nth, (text, own)) in found.iter().enumerate() {
        if own[0] < 0.0 || own[1] < 0.0 || own[2] > right || own[3] > low {
            wrong.push(format!("`{text}` leaves it at {own:?}"));
        }
        let over = |other: &[f32; 4]| {
            own[0] < other[2] && other[0] < own[2] && own[1] < other[3] && other[1] < own[3]
        };
        let others = found[..nth].iter().filter(|(_, ink)| over(ink));
        wrong.extend(others.map(|(other, _)| format!("`{text}` lies on `{other}`")));
    }
    assert!(found.len() > 8, "{} has its numbers", figure.name);
    Ok(wrong)
}

/// Figures of all kinds with little and with much in them.
fn all() -> Vec<(&'static str, Figure)> {
    let few = Size { laws: 2, panels: 1, top: 9.7, long: false };
    let many = Size { laws: 8, panels: 4, top: 1.9e6, long: false };
    let sizes = [
        ("few", few),
        ("many", many),
        ("long names", Size { long: true, ..many }),
        ("tiny values", Size { top: 3e-4, ..many }),
        ("one panel of many", Size { panels: 1, long: true, ..many }),
    ];
    let figures = |(amount, size): (&'static str, Size)| {
        let kinds = [
            ("panels", panels(size, false)),
            ("logarithmic", panels(size, true)),
            ("lines", lines(size)),
            ("heat", heat(size)),
            ("scatter", scatter(size)),
            ("equal", equal(size)),
            ("bars", bars(size)),
        ];
        kinds.map(|(kind, plot)| (amount, Figure::new(kind, kind, "", plot, None)))
    };
    sizes.into_iter().flat_map(figures).collect()
}

#[test]
fn no_letters_lie_on_others_or_leave_the_drawing() {
    let mut wrong = BTreeSet::new();
    for (amount, figure) in all() {
        for wide in [350.0, 720.0] {
            let found = faults(&figure, &Format::wide(wide)).unwrap();
            let kind = &figure.name;
            wrong.extend(found.iter().map(|text| format!("{kind}, {amount}, {wide}: {text}")));
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_file_has_its_size_in_inches_and_its_letters() {
    let few = Size { laws: 2, panels: 1, top: 9.7, long: false };
    let figure = Figure::new("time", "Time", "", panels(few, false), None);
    let drawn = sized(&figure, Theme::Paper, 350.0);
    assert!(
        drawn.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"3.5in\" height=\"")
    );
    assert!(drawn.contains("viewBox=\"0 0 350 "));
    let font = drawn.split("base64,").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
    let font = BASE64_STANDARD.decode(font).unwrap();
    let face = ttf_parser::Face::parse(&font, 0).unwrap();
    let drawn_with = |letter| {
        let glyph = face.glyph_index(letter).unwrap();
        face.glyph_bounding_box(glyph).is_some()
    };
    assert!("time(s)01235hstcp".chars().all(drawn_with));
    assert!(!drawn_with('Q'));
    // a page has one set of letters for all of its figures: the reader's
    assert!(!sized(&figure, Theme::Page, 350.0).contains("font-face"));
}

/// A figure of one column is lower than wide, and its keys show dashes as well.
#[test]
fn in_a_column_keys_stand_above() {
    let few = Size { laws: 2, panels: 1, top: 9.7, long: false };
    for plot in [lines(few), panels(few, false)] {
        let figure = Figure::new("both", "Both", "", plot, None);
        let height = |wide: f64| -> f64 {
            let drawn = sized(&figure, Theme::Paper, wide);
            let text = drawn.split("height=\"").nth(1).unwrap().split("in\"").next().unwrap();
            text.parse().unwrap()
        };
        assert!(height(350.0) < 3.5, "{}", height(350.0));
        assert!(height(720.0) < 5.0, "{}", height(720.0));
        // the dashes of a curve and those of its key, wherever that stands
        let dashes =
            |wide: f64| sized(&figure, Theme::Paper, wide).matches("stroke-dasharray").count();
        assert!(dashes(350.0) >= 2 && dashes(350.0) == dashes(720.0), "{}", dashes(350.0));
    }
}
