//! Values over time: of flows, as their sockets report them, and of links.

use tusker_core::Time;
use tusker_plan::plan::Plan;
use tusker_plan::run::{Series, Trace};

use crate::network::Network;

/// Of each flow.
pub const QUANTITIES: [&str; 5] = ["cwnd", "ssthresh", "srtt", "flight", "delivered"];

/// Values of all flows at one time.
pub type Row = Vec<[f64; QUANTITIES.len()]>;

/// Queue and policy of the links that a plan traces.
#[derive(Default)]
pub struct LinkRows {
    next: Time,
    rows: Vec<Vec<f64>>,
    names: Vec<(String, String)>,
}

impl LinkRows {
    /// A row, if one is due.
    pub fn record(&mut self, now: Time, plan: &Plan, network: &mut Network) {
        let Some(interval) = plan.trace.interval.filter(|_| now >= self.next) else { return };
        let first = self.rows.is_empty();
        let mut row = Vec::new();
        for &link in &plan.trace.links {
            let name = &plan.links[link].name;
            let queue = network.backlog(link, now) as f64;
            let mut see = |quantity: &str, value: f64| {
                if first {
                    self.names.push((name.clone(), quantity.to_owned()));
                }
                row.push(value);
            };
            see("queue", queue);
            network.inspect(link, now, &mut see);
        }
        while self.next <= now {
            // a row that was missed gets the values of the next poll
            self.rows.push(row.clone());
            self.next += interval;
        }
    }
}

/// Both combined, cut to the shorter.
pub fn trace(plan: &Plan, rows: &[(Time, Row)], links: LinkRows) -> Trace {
    let length = rows.len().min(links.rows.len());
    let mut series = Vec::new();
    if plan.trace.flows {
        for (i, flow) in plan.flows[..plan.lasting()].iter().enumerate() {
            for (j, quantity) in QUANTITIES.into_iter().enumerate() {
                series.push(Series {
                    subject: flow.name.clone(),
                    quantity: quantity.to_owned(),
                    values: rows[..length].iter().map(|(_, values)| values[i][j]).collect(),
                });
            }
        }
    }
    for (j, (subject, quantity)) in links.names.into_iter().enumerate() {
        let values = links.rows[..length].iter().map(|row| row[j]).collect();
        series.push(Series { subject, quantity, values });
    }
    Trace { times: rows[..length].iter().map(|(at, _)| *at).collect(), series }
}
