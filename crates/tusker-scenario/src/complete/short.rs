//! Short forms of topologies, and the links that they stand for.

use super::origins::Origins;
use crate::error::{Fault, Mistake};
use crate::model::Scenario;
use crate::topology::{Dumbbell, Hop, Hops, Link, ParkingLot};

/// More hops than any path in the Internet has.
const MAX_HOPS: usize = 1_000;

/// Routers in a row, and the links from each to the next.
pub struct Short {
    pub nodes: Vec<String>,
    pub links: Vec<Link>,
}

/// The short form of a scenario; `None` for a graph.
pub fn of(s: &Scenario, origins: &mut Origins) -> Result<Option<Short>, Fault> {
    let graph = !s.nodes.is_empty() || !s.links.is_empty();
    let choose = "choose one of [dumbbell], [parking-lot], or nodes with [[links]]";
    let links = match (&s.dumbbell, &s.parking_lot, graph) {
        (None, None, false) => return Err(Mistake::new("no topology", choose).at("")),
        (None, None, true) => return Ok(None),
        (Some(dumbbell), None, false) => {
            for there in ["dumbbell.reverse", "dumbbell"] {
                origins.add("links.0.reverse", there);
            }
            origins.add("links.0", "dumbbell");
            vec![dumbbell_link(dumbbell)]
        }
        (None, Some(lot), false) => {
            let links = parking_links(lot)?;
            for i in 0..links.len() {
                let hop = format!("parking-lot.hops.{i}");
                for there in ["parking-lot.reverse", &hop, "parking-lot"] {
                    origins.add(format!("links.{i}.reverse"), there);
                }
                for there in [&hop, "parking-lot"] {
                    origins.add(format!("links.{i}"), there);
                }
            }
            links
        }
        (dumbbell, lot, _) => {
            let second = match (dumbbell, lot) {
                (Some(_), Some(_)) => "parking-lot",
                _ if s.nodes.is_empty() => "links",
                _ => "nodes",
            };
            return Err(Mistake::new("a second topology", choose).at_key(second));
        }
    };
    let nodes = (1..=links.len() + 1).map(|i| format!("R{i}")).collect();
    Ok(Some(Short { nodes, links }))
}

fn dumbbell_link(d: &Dumbbell) -> Link {
    Link {
        name: None,
        from: "R1".into(),
        to: "R2".into(),
        rate: d.rate.clone(),
        delay: d.delay.clone(),
        queue: d.queue.clone(),
        loss: d.loss.clone(),
        jitter: d.jitter.clone(),
        down: d.down.clone(),
        duplex: None,
        reverse: d.reverse.clone(),
    }
}

fn parking_links(lot: &ParkingLot) -> Result<Vec<Link>, Fault> {
    let hops = match &lot.hops {
        Hops::Equal(n) => vec![Hop::default(); (*n as usize).min(MAX_HOPS + 1)],
        Hops::Each(hops) => hops.clone(),
    };
    if hops.is_empty() || hops.len() > MAX_HOPS {
        let how_many = if hops.is_empty() { "no hops" } else { "too many hops" };
        let mistake =
            Mistake::new(format!("a parking lot of {how_many}"), format!("from 1 to {MAX_HOPS}"));
        return Err(mistake.at("parking-lot.hops"));
    }
    let link = |(i, hop): (usize, Hop)| Link {
        name: None,
        from: format!("R{}", i + 1),
        to: format!("R{}", i + 2),
        rate: hop.rate.unwrap_or_else(|| lot.rate.clone()),
        delay: hop.delay.unwrap_or_else(|| lot.delay.clone()),
        queue: hop.queue.unwrap_or_else(|| lot.queue.clone()),
        loss: hop.loss.or_else(|| lot.loss.clone()),
        jitter: hop.jitter.or_else(|| lot.jitter.clone()),
        down: hop.down.or_else(|| lot.down.clone()),
        duplex: None,
        reverse: lot.reverse.clone(),
    };
    Ok(hops.into_iter().enumerate().map(link).collect())
}
