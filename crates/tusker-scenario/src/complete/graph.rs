//! The graph that a topology describes: its nodes, and each direction of its links.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use tusker_core::{Duration, Rate, wire};
use tusker_plan::plan::{self, Pace};

use super::names::{check_name, check_unique};
use super::origins::Origins;
use super::queues;
use super::short::{self, Short};
use crate::error::{Fault, Mistake, nearest, quote};
use crate::forms::Queue;
use crate::impair::{self, LinkRate};
use crate::model::Scenario;
use crate::text::Direction;
use crate::topology::{Link, Reverse};
use crate::trace_files;

/// A topology with indices instead of names.
pub struct Graph {
    pub nodes: Vec<String>,
    /// All links, forward and back.
    pub wires: Vec<Wire>,
    /// First and last router of a dumbbell or parking lot.
    pub ends: Option<(usize, usize)>,
    index: HashMap<String, usize>,
}

/// One direction of a link.
pub struct Wire {
    pub name: String,
    pub from: usize,
    pub to: usize,
    pub rate: Rate,
    pub pace: Pace,
    pub delay: Duration,
    pub loss: wire::Loss,
    pub jitter: Option<wire::Jitter>,
    /// As written: its limit may depend on the flows that pass.
    pub queue: Queue,
    /// Its path in the scenario: `links.0`, `links.0.reverse`.
    pub path: String,
    /// The name given to its link; `None` for the reverse direction.
    pub given: Option<String>,
    /// It is the reverse direction of the previous wire.
    pub is_back: bool,
}

/// Names of both ends, as written.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    pub from: Option<&'a str>,
    pub to: Option<&'a str>,
    pub direction: Option<Direction>,
}

impl Graph {
    /// The graph that the topology of a scenario describes.
    pub fn of(s: &Scenario, origins: &mut Origins) -> Result<Self, Fault> {
        let short = short::of(s, origins)?;
        let is_short = short.is_some();
        let (nodes, links) = match short {
            Some(Short { nodes, links }) => (Cow::Owned(nodes), Cow::Owned(links)),
            None => (Cow::Borrowed(&s.nodes), Cow::Borrowed(&s.links)),
        };
        for (i, name) in nodes.iter().enumerate() {
            check_name(name, &format!("nodes.{i}"))?;
        }
        let paths = nodes.iter().enumerate();
        check_unique("node", paths.map(|(i, name)| (name.as_str(), format!("nodes.{i}"))))?;
        let index = nodes.iter().cloned().zip(0..).collect();
        let ends = is_short.then(|| (0, nodes.len() - 1));
        let mut graph = Self { nodes: nodes.into_owned(), wires: Vec::new(), ends, index };
        for (i, link) in links.iter().enumerate() {
            origins.add(format!("links.{i}.reverse"), format!("links.{i}"));
            graph.add(link, format!("links.{i}"))?;
        }
        graph.check_wires()?;
        Ok(graph)
    }

    /// The node of this name, given at `path`.
    pub fn node(&self, name: &str, path: &str) -> Result<usize, Fault> {
        self.index.get(name).copied().ok_or_else(|| {
            let names: Vec<&str> = self.nodes.iter().map(String::as_str).collect();
            let message = format!("no node is called `{}`", quote(name));
            Mistake::new(message, nearest(name, &names)).at(path)
        })
    }

    /// The two ends of what is given at `path`.
    pub fn way(&self, written: Written<'_>, path: &str) -> Result<(usize, usize), Fault> {
        let Written { from, to, direction } = written;
        let wrong =
            |message, help| Err(Mistake::new(message, help).at_key(format!("{path}.direction")));
        let ends = match (self.ends, direction) {
            (Some(_), Some(_)) if from.is_some() || to.is_some() => {
                return wrong("`direction` together with `from` and `to`", "keep one or the other");
            }
            (None, Some(_)) => {
                return wrong("a general graph has no direction", "write `from` and `to`");
            }
            (Some((first, last)), Some(Direction::Reverse)) => Some((last, first)),
            (ends, _) => ends,
        };
        let end = |name: Option<&str>, key: &str, unsaid: Option<usize>| match (name, unsaid) {
            (Some(name), _) => self.node(name, &format!("{path}.{key}")),
            (None, Some(node)) => Ok(node),
            (None, None) => {
                let message = format!("`{key}` is missing here");
                Err(Mistake::new(message, "in a graph, name both nodes").at(path))
            }
        };
        Ok((end(from, "from", ends.map(|e| e.0))?, end(to, "to", ends.map(|e| e.1))?))
    }

    fn add(&mut self, link: &Link, path: String) -> Result<(), Fault> {
        if let Some(name) = &link.name {
            check_name(name, &format!("{path}.name"))?;
        }
        let from = self.node(&link.from, &format!("{path}.from"))?;
        let to = self.node(&link.to, &format!("{path}.to"))?;
        if from == to {
            let mistake = Mistake::new("a link from a node to itself", "name two nodes");
            return Err(mistake.at(format!("{path}.to")));
        }
        impair::check_rate(&link.rate, link.delay.0, &path)?;
        let arrow = |from: usize, to: usize| format!("{}->{}", self.nodes[from], self.nodes[to]);
        let there = Wire {
            name: link.name.clone().unwrap_or_else(|| arrow(from, to)),
            from,
            to,
            rate: link.rate.nominal(),
            pace: link.rate.pace(),
            delay: link.delay.0,
            loss: impair::loss(link.loss, &format!("{path}.loss"))?,
            jitter: impair::jitter(link.jitter, &format!("{path}.jitter"))?,
            queue: link.queue.clone(),
            path,
            given: link.name.clone(),
            is_back: false,
        };
        let path = format!("{}.reverse", there.path);
        if link.duplex == Some(false) {
            if link.reverse.is_some() {
                let message = "a one-way link has no `reverse`";
                return Err(Mistake::new(message, "delete `duplex = false`").at_key(path));
            }
            self.wires.push(there);
            return Ok(());
        }
        let nothing = Reverse::default();
        let said = link.reverse.as_ref().unwrap_or(&nothing);
        let rate = said.rate.as_ref().unwrap_or(&link.rate);
        let delay = said.delay.unwrap_or(link.delay).0;
        impair::check_rate(rate, delay, &path)?;
        let back = Wire {
            name: link.name.as_ref().map_or_else(|| arrow(to, from), |n| format!("{n}.reverse")),
            from: to,
            to: from,
            rate: rate.nominal(),
            pace: rate.pace(),
            delay,
            loss: impair::loss(said.loss, &format!("{path}.loss"))?,
            jitter: impair::jitter(said.jitter, &format!("{path}.jitter"))?,
            queue: said.queue.as_ref().unwrap_or(&link.queue).clone(),
            path,
            given: None,
            is_back: true,
        };
        self.wires.extend([there, back]);
        Ok(())
    }

    fn check_wires(&self) -> Result<(), Fault> {
        let mut seen = HashSet::new();
        let mut length = 0;
        for wire in &self.wires {
            let path = wire.path.trim_end_matches(".reverse");
            if !seen.insert(&wire.name) {
                let arrow = format!("{}->{}", self.nodes[wire.from], self.nodes[wire.to]);
                let key = if wire.name == arrow { "to" } else { "name" };
                return Err(Mistake::new(
                    format!("a second link called `{}`", wire.name),
                    "links are duplex unless `duplex = false`; parallel ones need a `name`",
                )
                .at(format!("{path}.{key}")));
            }
            trace_files::check_length(&wire.pace, &mut length, path)?;
        }
        Ok(())
    }
}

impl Wire {
    /// As an executor takes it.
    pub fn link(&self, queue: plan::Queue) -> plan::Link {
        plan::Link {
            name: self.name.clone(),
            from: self.from,
            to: self.to,
            rate: self.rate,
            pace: self.pace.clone(),
            delay: self.delay,
            queue,
            loss: self.loss,
            jitter: self.jitter,
        }
    }
}

/// Links as written in a scenario, with every value filled in; `links` are those of
/// the plan made from `graph`.
pub fn written(graph: &Graph, links: &[plan::Link]) -> Vec<Link> {
    let mut all = graph.wires.iter().zip(links).peekable();
    let mut written = Vec::new();
    while let Some((wire, link)) = all.next() {
        let back = all.next_if(|(wire, _)| wire.is_back).map(|(_, link)| link);
        written.push(Link {
            name: wire.given.clone(),
            from: graph.nodes[link.from].clone(),
            to: graph.nodes[link.to].clone(),
            rate: LinkRate::written(link.rate, &link.pace),
            delay: link.delay.into(),
            queue: queues::written(&link.queue),
            loss: Some(impair::Loss::written(link.loss)),
            jitter: link.jitter.map(impair::Jitter::written),
            duplex: Some(back.is_some()),
            reverse: back.map(|link| Reverse {
                rate: Some(LinkRate::written(link.rate, &link.pace)),
                delay: Some(link.delay.into()),
                queue: Some(queues::written(&link.queue)),
                loss: Some(impair::Loss::written(link.loss)),
                jitter: link.jitter.map(impair::Jitter::written),
            }),
        });
    }
    written
}
