//! What the links of an emulated path carried, as `tusker shell --out` stores it.

use serde_json::{Value, json};
use tusker_measure::table::Unit;

use crate::figure::{Axis, Curve, Figure, Group, Panel, Panels, Plot};
use crate::page::{Block, Line, Page, Span, Table};
use crate::style;

/// What a link did from begin to end.
#[derive(Clone, Debug)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Packets that its queue accepted.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How long it was there.
    pub duration_s: f64,
    /// What it carried.
    pub throughput_bps: f64,
    /// Mean, median, 95 % and 99 % quantile of the time in the queue.
    pub delays_s: Option<[f64; 4]>,
    /// Packets that its queue dropped.
    pub dropped: u64,
    /// Packets lost on the wire.
    pub lost: u64,
    /// Packets marked.
    pub marked: u64,
}

/// What a link carried over time.
#[derive(Clone, Debug)]
pub struct LinkCurve {
    /// The name of the link.
    pub name: String,
    /// The ends of the intervals, which are the same for all links.
    pub times_s: Vec<f64>,
    /// What it carried in each.
    pub rates_bps: Vec<f64>,
    /// The mean time in queue and transmission in each; NaN without packets.
    pub delays_s: Vec<f64>,
}

impl Link {
    /// For a program.
    pub fn json(&self) -> Value {
        let delay = |at: usize| self.delays_s.map(|delays| delays[at]);
        json!({
            "link": self.name,
            "duration_s": self.duration_s,
            "packets": self.packets,
            "bytes": self.bytes,
            "throughput_bps": self.throughput_bps,
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
        let rate = Unit::Rate.text(self.throughput_bps);
        let delay = self.delays_s.map_or(String::new(), |delays| {
            format!(", queueing delay {}", Unit::Time.text(delays[0]))
        });
        vec![Span::from(format!("{}: {rate}{delay}", self.name))]
    }
}

/// The page of all links.
pub fn page(title: &str, links: &[Link], figure: Figure) -> Page {
    let answer = links.iter().map(Link::sentence).collect();
    let mut page =
        Page { title: title.to_owned(), answer, table: Some(table(links)), ..Page::default() };
    page.section("Over time", vec![Block::Figure(Box::new(figure))]);
    page
}

fn table(links: &[Link]) -> Table {
    let delays = ["queueing delay", "delay p50", "delay p95", "delay p99"];
    let counts = ["packets", "dropped", "lost", "marked"];
    let heads = ["link", "throughput"].into_iter().chain(delays).chain(counts);
    let mut table = Table::new("from begin to end", heads);
    for link in links {
        let delay =
            |at: usize| link.delays_s.map_or("-".to_owned(), |delays| Unit::Time.text(delays[at]));
        let counts = [link.packets, link.dropped, link.lost, link.marked].map(|n| n.to_string());
        let values = [link.name.clone(), Unit::Rate.text(link.throughput_bps)];
        table.row(None, values.into_iter().chain((0..4).map(delay)).chain(counts));
    }
    table
}

/// Throughput and delay of each link over time.
pub fn figure(links: &[LinkCurve]) -> Figure {
    let groups = links.iter().enumerate();
    let groups = groups.map(|(nth, own)| Group { name: own.name.clone(), colour: style::nth(nth) });
    let panel = |name: &str, y: Axis, values: &dyn Fn(&LinkCurve) -> Vec<f64>| {
        let curves = links.iter().enumerate().map(|(group, own)| Curve {
            name: own.name.clone(),
            group,
            values: values(own),
        });
        Panel { name: name.to_owned(), y, curves: curves.collect(), ..Panel::default() }
    };
    let scaled = |values: &[f64], by: f64| values.iter().map(|value| value * by).collect();
    let panels = Panels {
        x: Axis::new("time", "s"),
        time: true,
        xs: links.first().map_or_else(Vec::new, |own| own.times_s.clone()),
        groups: groups.collect(),
        panels: vec![
            panel("throughput", Axis::new("throughput", "Mbit/s"), &|own| {
                scaled(&own.rates_bps, 1e-6)
            }),
            panel("delay", Axis::new("delay in queue and transmission", "ms"), &|own| {
                scaled(&own.delays_s, 1e3)
            }),
        ],
        ..Panels::default()
    };
    let caption = "What the links carried, and how long packets were there, in the mean of each \
                   tenth of a second (or longer, in a long session).";
    Figure::new("time", "Throughput and delay", caption, Plot::Panels(panels), None)
}
