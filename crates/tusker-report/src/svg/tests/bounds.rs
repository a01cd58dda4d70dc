//! Bars stand on zero, and no interval reaches where no value can be.

use super::*;

/// Numbers of an attribute of all elements of a drawing that begin so.
fn numbers(drawn: &str, element: &str, attribute: &str) -> Vec<f64> {
    let elements = drawn.split(element).skip(1).filter_map(|rest| rest.split('>').next());
    let value = |text: &str| {
        let (_, rest) = text.split_once(&format!(" {attribute}=\""))?;
        rest.split('"').next()?.parse().ok()
    };
    elements.filter_map(value).collect()
}

fn jain() -> Axis {
    Axis::new("Jain's index", "").within(0.0, 1.0)
}

fn group() -> Group {
    Group { name: "reno".to_owned(), colour: 0 }
}

/// 0.978 with a half of 0.036 would reach 1.014.
const NEAR_ONE: (f64, Option<f64>) = (0.978, Some(0.036));

fn at(value: (f64, Option<f64>)) -> Plot {
    let mut scatter = Scatter::new(Axis::new("utilisation", "%"), jain());
    let point = |label: &str, y| {
        let label = label.to_owned();
        Point { label, group: group(), x: (50.0, None), y, doubts: String::new() }
    };
    scatter.points.extend([point("a", value), point("b", (0.8, None))]);
    Plot::Scatter(scatter)
}

/// The upper end of an interval that is too long is where that of one that just fits is.
#[test]
fn intervals_end_at_the_bounds_of_a_measure() {
    let line = |value: (f64, Option<f64>)| {
        let points = vec![(1.0, 0.8, None), (2.0, value.0, value.1)];
        let panel = LinePanel { title: String::new(), lines: vec![Line::new(group(), points)] };
        let mut lines = Lines::new(Axis::new("buffer", "BDP"), jain());
        lines.bars = true;
        lines.panels.push(panel);
        Plot::Lines(lines)
    };
    let bars = |value: (f64, Option<f64>)| {
        let cases = vec![BarCase { name: "a".to_owned(), heights: vec![Some(value)] }];
        let (y, bars) = (jain(), vec![group()]);
        Plot::Bars(Bars { panels: vec![BarPanel { title: String::new(), y, bars, cases }] })
    };
    let tops = [at, line, bars].map(|kind: fn((f64, Option<f64>)) -> Plot| {
        let top = |value| {
            let figure = Figure::new("f", "F", "", kind(value), None);
            let drawn = svg(&figure, Theme::Paper);
            let ends = [numbers(&drawn, "<line", "y1"), numbers(&drawn, "<line", "y2")].concat();
            // the frame of both is the same: axes go as far as values can lie
            (ends.into_iter().fold(f64::MAX, f64::min), drawn.matches("<line").count())
        };
        (top(NEAR_ONE), top((0.978, Some(0.022))))
    });
    for (nth, (long, fits)) in tops.into_iter().enumerate() {
        assert!((long.0 - fits.0).abs() < 0.6, "{nth}: {long:?} against {fits:?}");
        assert_eq!(long.1, fits.1, "{nth}");
    }
}

/// 60 is three quarters of 80.
#[test]
fn bars_are_as_high_as_their_values() {
    let case = |name: &str, value| BarCase {
        name: name.to_owned(),
        heights: vec![Some((value, None)), None],
    };
    let panel = BarPanel {
        title: String::new(),
        y: Axis::new("throughput", "Mbit/s"),
        bars: vec![group(), Group { name: "cubic".to_owned(), colour: 1 }],
        cases: vec![case("a", 60.0), case("b", 80.0)],
    };
    let plot = Plot::Bars(Bars { panels: vec![panel] });
    let drawn = svg(&Figure::new("f", "F", "", plot, None), Theme::Paper);
    // the ground has its height in per cent, and squares of keys are 12 high
    let heights: Vec<f64> =
        numbers(&drawn, "<rect", "height").into_iter().filter(|high| *high > 12.5).collect();
    assert_eq!(heights.len(), 2, "{heights:?}");
    assert!((heights[0] / heights[1] - 0.75).abs() < 0.002, "{heights:?}");
}

/// Of cumulative curves, which lie on each other at 0 and at 100 %, no mark lies there.
#[test]
fn marks_of_cumulative_curves_lie_where_they_differ() {
    let curve = |group: usize, values: Vec<f64>| Curve { name: "a".to_owned(), group, values };
    let panel = Panel {
        range: Some((0.0, 100.0)),
        curves: vec![
            curve(0, vec![0.0, 100.0, 100.0, 100.0]),
            curve(1, vec![0.0, 0.0, 0.0, 100.0]),
        ],
        ..Panel::default()
    };
    let groups = [0, 10].map(|colour| Group { name: format!("g{colour}"), colour }).to_vec();
    let xs = vec![40.0, 41.0, 79.0, 80.0];
    let panels = Panels { xs, groups, panels: vec![panel], ..Panels::default() };
    assert!(panels.is_cumulative());
    let figure = Figure::new("cdf", "CDF", "", Plot::Panels(panels), None);
    let drawn = svg(&figure, Theme::Paper);
    // discs of the first curve: five along it, and that of its key
    let heights = numbers(&drawn, "<circle", "cy");
    let distinct: BTreeSet<String> = heights.iter().map(f64::to_string).collect();
    assert_eq!((heights.len(), distinct.len()), (6, 6), "{heights:?}");
}
