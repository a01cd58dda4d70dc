use tusker_record::store::sweep::AxisSummary;

use super::*;
use crate::figure::Plot;
use crate::{html, svg};

fn axis(key: &str, unit: &str, numeric: bool) -> AxisSummary {
    AxisSummary { key: key.to_owned(), unit: unit.to_owned(), numeric }
}

/// Two laws, three buffers, two delays: goodput is 10 Mbit/s times the number of the
/// point, within 1 Mbit/s.
fn sweep() -> SweepSummary {
    let mut points = Vec::new();
    for cc in ["reno", "<b>"] {
        for delay in [0.01, 0.02] {
            for buffer in [0.1, 1.0, 10.0] {
                let goodput = 1e7 * (points.len() + 1) as f64;
                points.push(PointSummary {
                    values: vec![cc.to_owned(), format!("{delay}s"), format!("{buffer}bdp")],
                    numbers: vec![None, Some(delay), Some(buffer)],
                    replicates: 3,
                    mean: vec![Some(goodput), Some(1.0)],
                    ci95: vec![Some(1e6), None],
                });
            }
        }
    }
    SweepSummary {
        format: SweepSummary::FORMAT,
        name: "s".to_owned(),
        command: vec!["tusker".to_owned(), "sweep".to_owned(), "a b".to_owned()],
        axes: vec![axis("cc", "", false), axis("delay", "s", true), axis("queue", "bdp", true)],
        measures: vec!["goodput_bps".to_owned(), "jain".to_owned()],
        points,
    }
}

#[test]
fn each_number_has_curves_with_a_line_per_law_and_a_panel_per_value_of_the_rest() {
    let page = of_sweep(&sweep());
    let titles: Vec<&str> = page.sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["Against delay", "Against queue", "All points"]);
    assert_eq!(page.commands, ["tusker sweep 'a b'"]);
    let figure = page.figure("goodput-bps-queue").unwrap();
    let Plot::Lines(lines) = &figure.plot else { panic!("no curves") };
    assert_eq!((lines.x.label().as_str(), lines.x.log), ("queue (BDP)", true));
    assert_eq!(lines.y.label(), "goodput (Mbit/s)");
    let panels: Vec<&str> = lines.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(panels, ["delay 0.01s", "delay 0.02s"]);
    let second = &lines.panels[0].lines[1];
    assert_eq!(second.group.name, "<b>");
    // points 7, 8, 9
    let band = Some(1.0);
    assert_eq!(second.points, [(0.1, 70.0, band), (1.0, 80.0, band), (10.0, 90.0, band)]);
    // fairness of flows that are alone says nothing
    assert!(page.figures().all(|figure| !figure.name.starts_with("jain")));
}

#[test]
fn it_is_drawn_with_bands_and_nothing_of_a_name_is_a_tag() {
    let page = of_sweep(&sweep());
    let figure = page.figure("goodput-bps-queue").unwrap();
    let drawn = svg::svg(&figure, svg::Theme::Paper);
    // two panels of two lines
    assert_eq!(drawn.matches("fill-opacity=\"0.2\"").count(), 4);
    assert_eq!(drawn.matches("<circle").count(), 12);
    assert!(drawn.contains("&lt;b&gt;") && !drawn.contains("<b>"));
    let page = html::html(&page);
    assert!(page.contains("All points") && !page.contains("<b>"));
}

#[test]
fn points_that_have_a_place_of_their_own_are_points() {
    let mut sweep = sweep();
    for (nth, point) in sweep.points.iter_mut().enumerate() {
        point.numbers[1] = Some(0.01 + nth as f64 * 1e-4);
        point.values[1] = format!("{nth}");
    }
    let page = of_sweep(&sweep);
    let figure = page.figure("goodput-bps-delay").unwrap();
    let Plot::Scatter(scatter) = &figure.plot else { panic!("no points") };
    assert_eq!(scatter.points.len(), 12);
}
