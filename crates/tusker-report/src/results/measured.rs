//! What other tools measured, beside what was simulated.

use tusker_field::{Interval, Measured};
use tusker_measure::table::{NONE, Unit};

use crate::figure::{Curve, Group, Panels, Plot, bits_per_second};
use crate::page::{Block, Page, Table};

/// Adds measurements to a page: curves of each over time, and a table.
pub fn add_measured(page: &mut Page, files: &[(String, Measured)]) {
    for section in &mut page.sections {
        section.blocks.iter_mut().for_each(|block| draw(block, files));
    }
    let head = ["measured", "goodput", "mean RTT", "least RTT", "retransmits", "seconds"];
    let caption = "Of other tools; times count from the start of each measurement";
    let mut table = Table::new(caption, head);
    let text = |unit: Unit, value: Option<f64>| value.map_or(NONE.to_owned(), |own| unit.text(own));
    for (name, own) in files {
        table.row(
            None,
            [
                name.clone(),
                text(Unit::Rate, Some(own.goodput_bps).filter(|bps| *bps > 0.0)),
                text(Unit::Time, own.rtt_s),
                text(Unit::Time, own.min_rtt_s),
                text(Unit::Count, own.retransmits.map(|count| count as f64)),
                text(Unit::Time, own.seconds),
            ],
        );
    }
    if !files.is_empty() {
        page.section("Measured", vec![Block::Table(table)]);
    }
}

fn draw(block: &mut Block, files: &[(String, Measured)]) {
    match block {
        Block::Figure(figure) => {
            if let Plot::Panels(panels) = &mut figure.plot
                && panels.time
            {
                files.iter().for_each(|(name, own)| curve(panels, name, own));
            }
        }
        Block::More(_, blocks) => blocks.iter_mut().for_each(|block| draw(block, files)),
        _ => {}
    }
}

/// Curves of goodput, congestion window and round trips, in the units of their panels.
fn curve(panels: &mut Panels, name: &str, own: &Measured) {
    let group = panels.groups.len();
    let name = format!("{name} (measured)");
    let mut drawn = false;
    for panel in &mut panels.panels {
        let scale = bits_per_second(&panel.y.unit);
        // of one connection
        let segment = PAYLOAD * f64::from(own.streams.max(1));
        let panel_name = panel.name.clone();
        let of = |part: &Interval| match &*panel_name {
            "goodput" => Some(part.goodput_bps / scale),
            "cwnd" => part.cwnd_bytes.map(|bytes| bytes / segment),
            "srtt" => part.rtt_s.map(|seconds| seconds * 1e3),
            _ => None,
        };
        let at = |x: f64| {
            let part = own.intervals.partition_point(|part| part.to_s <= x);
            let part = own.intervals.get(part).filter(|part| part.from_s <= x);
            part.and_then(of).unwrap_or(f64::NAN)
        };
        let values: Vec<f64> = panels.xs.iter().map(|&x| at(x)).collect();
        if values.iter().any(|value| value.is_finite()) {
            panel.curves.push(Curve { name: name.clone(), group, values });
            drawn = true;
        }
    }
    if drawn {
        panels.groups.push(Group { name, colour: group });
    }
}

/// Payload of a segment of 1500 bytes with timestamps.
const PAYLOAD: f64 = 1448.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Caption, Figure, Panel};

    #[test]
    fn a_curve_is_drawn_where_it_was_measured() {
        let panel = Panel {
            name: "goodput".to_owned(),
            y: Axis::new("goodput", "Mbit/s"),
            ..Panel::default()
        };
        let xs = vec![0.0, 0.5, 1.0, 1.5, 2.0];
        let other = |name: &str| Panel { name: name.to_owned(), ..Panel::default() };
        let all = vec![panel, other("cwnd"), other("srtt"), other("queue")];
        let plot = Panels { time: true, xs, panels: all, ..Panels::default() };
        let figure = Figure::new("time", "t", Caption::default(), Plot::Panels(plot), None);
        let mut page = Page::default();
        page.section("s", vec![figure.into()]);
        let part = |from_s, to_s, goodput_bps| Interval {
            from_s,
            to_s,
            goodput_bps,
            rtt_s: Some(0.05),
            cwnd_bytes: Some(20.0 * 1448.0),
        };
        let intervals = vec![part(0.0, 1.0, 5e6), part(1.0, 2.0, 7e6)];
        let own = Measured { goodput_bps: 6e6, streams: 2, intervals, ..Measured::default() };
        add_measured(&mut page, &[("iperf.json".to_owned(), own)]);
        let figure = page.figure("time").expect("it is there");
        let Plot::Panels(panels) = &figure.plot else { panic!("{figure:?}") };
        let values = &panels.panels[0].curves[0].values;
        assert_eq!(values[..4], [5.0, 5.0, 7.0, 7.0]);
        assert!(values[4].is_nan(), "it ended at 2 s");
        // a window of ten segments for each of two connections, and milliseconds
        assert_eq!(panels.panels[1].curves[0].values[0], 10.0);
        assert_eq!(panels.panels[2].curves[0].values[0], 50.0);
        assert!(panels.panels[3].curves.is_empty() && panels.groups.len() == 1);
        let Some(Block::Table(table)) = page.sections[1].blocks.first() else { panic!("no table") };
        assert_eq!(table.rows[0].cells[1], "6.000 Mbit/s");
    }
}
