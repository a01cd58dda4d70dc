use std::collections::BTreeMap;

use tusker_store::sweep::{AxisSummary, PointSummary, Setting};

use super::*;
use crate::figure::Plot;
use crate::{html, style, svg};

fn axis(key: &str, unit: &str, numeric: bool) -> AxisSummary {
    AxisSummary { key: key.to_owned(), option: None, unit: unit.to_owned(), numeric }
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
                    set: Vec::new(),
                    numbers: vec![None, Some(delay), Some(buffer)],
                    replicates: 3,
                    mean: vec![Some(goodput), Some(1.0)],
                    ci95: vec![Some(1e6), None],
                    spread: Default::default(),
                    doubts: Vec::new(),
                });
            }
        }
    }
    SweepSummary {
        format: SweepSummary::FORMAT,
        name: "s".to_owned(),
        command: vec!["tusker".to_owned(), "sweep".to_owned(), "a b".to_owned()],
        earlier: vec![vec!["tusker".to_owned(), "sweep".to_owned(), "a".to_owned()]],
        set: None,
        axes: vec![axis("cc", "", false), axis("delay", "s", true), axis("queue", "bdp", true)],
        measures: vec!["goodput_bps".to_owned(), "jain".to_owned()],
        pairs: Vec::new(),
        setting: None,
        lone: false,
        laws: BTreeMap::new(),
        points,
    }
}

#[test]
fn each_number_has_curves_with_a_line_per_law_and_a_panel_per_value_of_the_rest() {
    let page = of_sweep(&sweep());
    let titles: Vec<&str> = page.sections.iter().map(|section| section.title.as_str()).collect();
    assert_eq!(titles, ["Against delay", "Against queue", "Over two values"]);
    assert_eq!(page.commands, ["tusker sweep a", "tusker sweep 'a b'"]);
    let figure = page.figure("goodput-bps-queue").unwrap();
    let Plot::Lines(lines) = &figure.plot else { panic!("no curves") };
    assert_eq!((lines.x.label().as_str(), lines.x.log), ("queue (BDP)", true));
    assert_eq!(lines.y.label(), "goodput (Mbit/s)");
    let panels: Vec<&str> = lines.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(panels, ["delay 0.01 s", "delay 0.02 s"]);
    let second = &lines.panels[0].lines[1];
    assert_eq!(second.group.name, "<b>");
    // points 7, 8, 9
    let band = Some(1.0);
    assert_eq!(second.points, [(0.1, 70.0, band), (1.0, 80.0, band), (10.0, 90.0, band)]);
    // three replicates at each point
    let band = "Means of 3 replicates; intervals are 95 % confidence (Student's t). Goodput counts payload. All panels";
    assert!(figure.caption.to_string().starts_with(band), "{}", figure.caption);
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
    // 12 points, and in each panel two names at the ends of lines
    assert_eq!(drawn.matches("<circle").count() + drawn.matches("class=\"m\"").count(), 16);
    assert!(drawn.contains("&lt;b&gt;") && !drawn.contains("<b>"));
    let page = html::html(&page);
    assert!(page.contains("Means and half 95 % intervals") && !page.contains("<b>"));
}

/// One panel per law, the axis with more values to the right.
#[test]
fn two_numbers_at_once_are_colours() {
    let page = of_sweep(&sweep());
    let figure = page.figure("goodput-bps-queue-delay").unwrap();
    let Plot::Heat(heat) = &figure.plot else { panic!("no colours") };
    assert_eq!(heat.x.0.label(), "queue (BDP)");
    assert_eq!((heat.y.0.label(), &heat.y.1[..]), ("delay (ms)".to_owned(), &[10.0, 20.0][..]));
    let panels: Vec<&str> = heat.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(panels, ["reno", "<b>"]);
    // points 7 to 12, ten times their number
    assert_eq!(heat.panels[1].cells, [70.0, 80.0, 90.0, 100.0, 110.0, 120.0]);
    let drawn = svg::svg(&figure, svg::Theme::Paper);
    // the ends of the scale are those of viridis, and have their values
    assert!(drawn.contains("#440154") && drawn.contains("#fde725"), "{drawn}");
    for text in [">10.0<", ">120<", ">0.1<", ">20<", ">goodput (Mbit/s)<"] {
        assert!(drawn.contains(text), "{text}: {drawn}");
    }
    assert_eq!(figure.table.unwrap().rows.len(), 12);
}

/// The sweep with the delay of its group: 10 ms and a millisecond per point.
fn with_delay() -> SweepSummary {
    let mut sweep = sweep();
    let delay = "groups.a.rtt_mean_s".to_owned();
    sweep.pairs = vec![[delay.clone(), "goodput_bps".to_owned()]];
    sweep.measures.push(delay);
    for (nth, point) in sweep.points.iter_mut().enumerate() {
        point.mean.push(Some(0.011 + 0.001 * nth as f64));
        point.ci95.push(None);
    }
    sweep
}

/// One group has a delay: the end of its name is enough. Of two, it does not say which.
#[test]
fn a_measure_is_found_by_the_end_of_its_name_if_only_one_has_it() {
    let mut sweep = with_delay();
    let drawn = |sweep: &SweepSummary, name| of_measure(sweep, name);
    let by_end = drawn(&sweep, "rtt_mean_s").expect("a figure");
    assert_eq!(by_end.name, "rtt_mean_s");
    assert!(
        by_end.caption.to_string().contains("Drawn from groups.a.rtt_mean_s over"),
        "{}",
        by_end.caption
    );
    assert!(drawn(&sweep, "mean_s").is_none());
    sweep.measures.push("groups.b.rtt_mean_s".to_owned());
    assert!(drawn(&sweep, "rtt_mean_s").is_none());
}

/// A sweep of the buffer alone, with two groups of flows: each looks as its law does.
#[test]
fn groups_of_a_sweep_look_as_their_laws_do() {
    let mut sweep = with_delay();
    sweep.axes.drain(..2);
    sweep.points.truncate(3);
    for point in &mut sweep.points {
        point.values.drain(..2);
        point.numbers.drain(..2);
        let delay = point.mean[2];
        point.mean.push(delay);
        point.ci95.push(None);
    }
    sweep.measures.push("groups.b.rtt_mean_s".to_owned());
    sweep.pairs.push(["groups.b.rtt_mean_s".to_owned(), "goodput_bps".to_owned()]);
    sweep.laws = [("a", "reno"), ("b", "hstcp")].map(|(g, l)| (g.to_owned(), l.to_owned())).into();
    let page = of_sweep(&sweep);
    let figure = page.figure("throughput-delay").unwrap();
    let Plot::Lines(lines) = &figure.plot else { panic!("no lines") };
    let own = lines.panels[0].lines.iter();
    let looks: Vec<(&str, usize)> =
        own.map(|line| (line.group.name.as_str(), line.group.colour % style::HUES)).collect();
    let hue = |law: &str| style::of_law(law) % style::HUES;
    assert_eq!(looks, [("a", hue("reno")), ("b", hue("hstcp"))]);
}

#[test]
fn a_trade_off_has_a_line_along_the_buffer_and_a_panel_for_each_delay() {
    let page = of_sweep(&with_delay());
    let figure = page.figure("throughput-delay").unwrap();
    let Plot::Lines(lines) = &figure.plot else { panic!("no lines") };
    assert_eq!(lines.x.label(), "mean RTT (ms)");
    let titles: Vec<&str> = lines.panels.iter().map(|panel| panel.title.as_str()).collect();
    assert_eq!(titles, ["delay 0.01 s", "delay 0.02 s"]);
    let line = &lines.panels[0].lines[1];
    assert_eq!((line.group.name.as_str(), line.points.len()), ("<b>", 3));
    // point 7: 17 ms and 70 Mbit/s
    let (x, y, _) = line.points[0];
    assert!((x - 17.0).abs() < 1e-9 && (y - 70.0).abs() < 1e-9);
    let table = figure.table.as_ref().unwrap();
    assert_eq!(table.columns[2].head, "at");
    assert_eq!(table.rows[0].cells[2..4], ["queue 0.1 BDP", "11"]);
    // error bars, because delay need not grow along a line
    assert_eq!(svg::svg(&figure, svg::Theme::Paper).matches("fill-opacity=\"0.2\"").count(), 0);
}

/// A figure for one column: as wide as asked, nothing beyond its edges, panels below
/// each other.
#[test]
fn a_narrow_figure_has_its_panels_below_each_other() {
    let page = of_sweep(&with_delay());
    for name in ["goodput-bps-queue", "goodput-bps-queue-delay", "throughput-delay"] {
        let figure = page.figure(name).unwrap();
        let drawn = svg::sized(&figure, svg::Theme::Paper, 350.0);
        assert!(drawn.contains("width=\"3.5in\""), "{name}");
        let places = drawn.split(" x=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        let places: Vec<f64> = places.filter_map(|x| x.parse().ok()).collect();
        assert!(places.iter().all(|x| (0.0..=350.0).contains(x)), "{name}: {places:?}");
        let high = |drawn: &str| -> f64 {
            let at = drawn.find("height=\"").unwrap() + 8;
            drawn[at..].split("in\"").next().unwrap().parse().unwrap()
        };
        assert!(high(&drawn) > high(&svg::svg(&figure, svg::Theme::Paper)), "{name}");
    }
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

/// The same six pairs of delay and buffer for each law: 12 points in one panel, not six panels
/// of one point for each law.
#[test]
fn a_hypercube_for_each_law_is_points() {
    let mut sweep = sweep();
    for (nth, point) in sweep.points.iter_mut().enumerate() {
        let own = (nth % 6) as f64;
        point.numbers = vec![None, Some(0.01 + own * 1e-4), Some(1.0 + own * 5.0 % 6.0)];
        (point.values[1], point.values[2]) = (format!("{own}s"), format!("{own}bdp"));
    }
    let page = of_sweep(&sweep);
    for name in ["goodput-bps-delay", "goodput-bps-queue"] {
        let Plot::Scatter(scatter) = page.figure(name).unwrap().plot else { panic!("{name}") };
        let laws: Vec<&str> = scatter.points.iter().map(|p| p.group.name.as_str()).collect();
        assert_eq!(laws.iter().filter(|law| **law == "reno").count(), 6, "{laws:?}");
        assert_eq!(laws.len(), 12);
        assert!(!scatter.x.log, "even steps");
    }
    // a factor of 4 from each to the next, from 1 to 1,024
    for point in &mut sweep.points {
        point.numbers[2] = point.numbers[2].map(|value| 4_f64.powf(value - 1.0));
    }
    let figure = of_sweep(&sweep).figure("goodput-bps-queue").unwrap();
    assert!(
        svg::usual_caption(&figure).to_string().contains(" The horizontal axis is logarithmic.")
    );
    assert!(svg::svg(&figure, svg::Theme::Paper).contains(">100<"));
}

/// 100,000 runs in 20,000 points: a page that a browser can hold.
#[test]
fn many_points_are_drawn_without_marks() {
    let mut big = sweep();
    let first = big.points[0].clone();
    big.points = (0..20_000)
        .map(|nth| {
            let (delay, buffer) = (f64::from(nth / 200 + 1), f64::from(nth % 200 + 1));
            let values = vec!["reno".to_owned(), format!("{delay}s"), format!("{buffer}bdp")];
            PointSummary { values, numbers: vec![None, Some(delay), Some(buffer)], ..first.clone() }
        })
        .collect();
    let page = of_sweep(&big);
    let figure = page.figure("goodput-bps-queue").unwrap();
    assert!(figure.table.is_none());
    assert!(!svg::svg(&figure, svg::Theme::Page).contains("<circle"));
    let length = html::html(&page).len();
    assert!(length < 3_000_000, "{length} bytes");
    // each with a value of its own, and an ellipse
    let mut cube = with_delay();
    let first = cube.points[0].clone();
    cube.points = (0..20_000)
        .map(|nth| {
            let values = vec!["reno".to_owned(), format!("{nth}s"), format!("{nth}bdp")];
            let numbers = vec![None, Some(f64::from(nth)), Some(f64::from(nth * 7 % 20_000))];
            PointSummary { values, numbers, ..first.clone() }
        })
        .collect();
    let page = of_sweep(&cube);
    assert!(page.figure("throughput-delay").is_some());
    let length = html::html(&page).len();
    assert!(length < 3_000_000, "{length} bytes");
}

#[test]
fn a_caption_says_what_was_measured_when_and_with_which_seeds() {
    let setting = Setting {
        window_s: Some([30.0, 60.0]),
        seed: Some(1),
        rate_bps: Some([5e7, 5e7]),
        tusker: "1.0".to_owned(),
        ..Setting::default()
    };
    let swept = SweepSummary { setting: Some(setting), ..sweep() };
    let caption = of_measure(&swept, "jain").expect("it has that measure").caption.to_string();
    let told = " Measured from 30 s to 60 s; seeds 1 to 3; 50.00 Mbit/s; simulated packet by packet with \
                Tusker 1.0. ";
    assert!(caption.contains(told), "{caption}");
}

/// 0.9 of a link is used, with five congestion episodes: a sawtooth has 0.1/5 = 2 points, more
/// than the interval of 1 point, unless several flows share the link.
#[test]
fn a_sawtooth_widens_the_band_of_a_lone_flow() {
    let mut swept = sweep();
    swept.measures = vec!["utilisation".to_owned(), "episodes".to_owned()];
    for point in &mut swept.points {
        (point.mean, point.ci95) = (vec![Some(0.9), Some(5.0)], vec![Some(0.01), None]);
    }
    let half = |swept: &SweepSummary| {
        let page = of_sweep(swept);
        let figure = page.figure("utilisation-queue").unwrap();
        let Plot::Lines(lines) = &figure.plot else { panic!("no curves") };
        lines.panels[0].lines[0].points[0].2.unwrap()
    };
    assert!((half(&swept) - 1.0).abs() < 1e-9 && !swept.is_widened());
    swept.lone = true;
    assert!((half(&swept) - 2.0).abs() < 1e-9 && swept.is_widened());
}

#[test]
fn a_title_is_words() {
    assert_eq!(of_sweep(&sweep()).title, "Sweep over congestion control, delay and queue");
}

/// Losses of 0.00002 and 0.02 beside none: on a linear axis two of three would be zero.
#[test]
fn losses_of_many_sizes_have_a_logarithmic_axis_with_a_zero() {
    let mut summary = sweep();
    summary.measures[0] = "loss_rate".to_owned();
    for (nth, point) in summary.points.iter_mut().enumerate() {
        point.mean[0] = Some([0.0, 2e-5, 2e-2][nth % 3]);
        point.ci95[0] = None;
    }
    let figure = of_measure(&summary, "loss_rate-queue").unwrap();
    let Plot::Lines(lines) = &figure.plot else { panic!("no curves") };
    // 0.002 % lies between 0.001 and 0.01 %
    let least = lines.y.linear.unwrap();
    assert!(lines.y.log && (least - 1e-3).abs() < 1e-12, "{least}");
    let drawn = svg::svg(&figure, svg::Theme::Paper);
    for number in [">0<", ">0.001<", ">0.01<", ">0.1<", ">1<"] {
        assert!(drawn.contains(number), "{number} is not on the axis");
    }
    // so do points and colours of two numbers
    let mut alone = summary.clone();
    for (nth, point) in alone.points.iter_mut().enumerate() {
        point.numbers[1] = Some(nth as f64);
    }
    let figure = of_measure(&alone, "loss_rate-delay").unwrap();
    let Plot::Scatter(scatter) = &figure.plot else { panic!("no points") };
    assert_eq!(scatter.y.linear, Some(least));
    let drawn = svg::svg(&figure, svg::Theme::Paper);
    for number in [">0<", ">0.001<", ">1<"] {
        assert!(drawn.contains(number), "{number} is not on the axis of points");
    }
    let page = of_sweep(&summary);
    let figure = page.figure("loss-rate-queue-delay").unwrap();
    let said = " Colours are logarithmic above 0.001 %, and linear below.";
    let caption = svg::caption(&figure, &svg::Format::wide(720.0));
    assert!(caption.to_string().contains(said), "{caption}");
    let drawn = svg::svg(&figure, svg::Theme::Paper);
    for number in [">0.001<", ">0.01<", ">0.1<", ">1<"] {
        assert!(drawn.contains(number), "{number} is not below the bar of colours");
    }
    // values of one size need none
    summary.points.iter_mut().for_each(|point| point.mean[0] = Some(1e-3));
    let Plot::Lines(lines) = of_measure(&summary, "loss_rate-queue").unwrap().plot else {
        panic!()
    };
    assert!(!lines.y.log);
}

/// A group may have more than its fair share, and quantiles of transfers are exact.
#[test]
fn axes_and_captions_follow_from_what_a_measure_is() {
    let mut summary = sweep();
    let mut drawn = |name: &str| {
        summary.measures[0] = name.to_owned();
        let figure = of_measure(&summary, name).unwrap();
        let Plot::Lines(lines) = figure.plot else { panic!("no curves") };
        (lines.y.limits, figure.caption.to_string())
    };
    assert_eq!(drawn("groups.a.fair_share").0, Some((0.0, f64::INFINITY)));
    assert_eq!(drawn("groups.a.jain").0, Some((0.0, 1.0)));
    assert_eq!(drawn("groups.a.harm_goodput").0, None);
    assert!(drawn("groups.a.rtt_p95_s").1.contains("known within 2 %"));
    assert!(drawn("links.a.queueing_delay_p95_s").1.contains("known within 1 %"));
    assert!(!drawn("transfers.a.time_p95_s").1.contains("known within"));
}
