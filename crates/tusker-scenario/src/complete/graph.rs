//! The graph that a topology describes: its nodes, and each direction of its links.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tusker_core::{Duration, Rate, wire};
use tusker_plan::plan::{self, Outages, Pace, Varying};

use super::names::{check_name, check_unique};
use super::origins::Origins;
use super::queues;
use super::short::{self, Short};
use crate::error::{Fault, Mistake, nearest, quote};
use crate::forms::Queue;
use crate::impair::{self, Changing, Down, Jitter, LinkDelay, LinkRate, Loss};
use crate::model::Scenario;
use crate::text::Direction;
use crate::topology::{Link, Reverse};

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
    pub outages: Option<Outages>,
    pub delay: Varying<Duration>,
    pub loss: Varying<wire::Loss>,
    pub jitter: Varying<Option<wire::Spread>>,
    pub reorder: bool,
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
        let arrow = |from: usize, to: usize| format!("{}->{}", self.nodes[from], self.nodes[to]);
        let said = Said {
            rate: &link.rate,
            delay: &link.delay,
            loss: link.loss.as_ref(),
            jitter: link.jitter.as_ref(),
            down: link.down.as_ref(),
            queue: &link.queue,
        };
        let name = link.name.clone().unwrap_or_else(|| arrow(from, to));
        let there = Wire { given: link.name.clone(), ..said.wire(name, (from, to), path)? };
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
        let other = link.reverse.as_ref().unwrap_or(&nothing);
        let said = Said {
            rate: other.rate.as_ref().unwrap_or(&link.rate),
            delay: other.delay.as_ref().unwrap_or(&link.delay),
            loss: other.loss.as_ref(),
            jitter: other.jitter.as_ref(),
            down: other.down.as_ref().or(link.down.as_ref()),
            queue: other.queue.as_ref().unwrap_or(&link.queue),
        };
        let name = link.name.as_ref().map_or_else(|| arrow(to, from), |n| format!("{n}.reverse"));
        let back = Wire { is_back: true, ..said.wire(name, (to, from), path)? };
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
            check_length(wire, &mut length, path)?;
        }
        Ok(())
    }
}

/// The most bytes of all traces in an expanded scenario, which must stay below
/// [`crate::MAX_BYTES`].
const MAX_WRITTEN: usize = 3 << 20;

/// About how many bytes a step takes.
const STEP: usize = 40;

/// A stored scenario contains the traces and must stay readable. `total` is the
/// size of the earlier ones.
fn check_length(wire: &Wire, total: &mut usize, path: &str) -> Result<(), Fault> {
    fn steps<T: Copy>(varying: &Varying<T>) -> usize {
        varying.changes().map_or(0, |(list, _)| list.len()) * STEP
    }
    let rate = match &wire.pace {
        Pace::Fixed => 0,
        Pace::Steps(rates) => steps(rates),
        Pace::Trace { opportunities, .. } => impair::written(opportunities).len(),
    };
    let lengths = [
        ("rate", rate),
        ("delay", steps(&wire.delay)),
        ("loss", steps(&wire.loss)),
        ("jitter", steps(&wire.jitter)),
    ];
    for (key, length) in lengths {
        *total += length;
        if *total > MAX_WRITTEN {
            return Err(Mistake::new(
                format!("traces that take more than {} MiB when stored", MAX_WRITTEN >> 20),
                "shorter traces, which repeat at their end",
            )
            .at(format!("{path}.{key}")));
        }
    }
    Ok(())
}

/// What a scenario says of one direction of a link.
struct Said<'a> {
    rate: &'a LinkRate,
    delay: &'a LinkDelay,
    loss: Option<&'a Changing<Loss>>,
    jitter: Option<&'a Changing<Jitter>>,
    down: Option<&'a Down>,
    queue: &'a Queue,
}

impl Said<'_> {
    fn wire(self, name: String, (from, to): (usize, usize), path: String) -> Result<Wire, Fault> {
        let Self { rate, delay, loss, jitter, down, queue } = self;
        let at = |key: &str| format!("{path}.{key}");
        let delays = impair::varying(delay, &at("delay"), |delay, _| Ok(delay))?;
        let least = delays.values().min().unwrap_or_default();
        let pace = impair::pace(rate, least, &path)?;
        let outages = impair::outages(down, &at("down"))?;
        if outages.is_some()
            && let Some(wrong) = twice(&pace)
        {
            let help = "write all outages in the rate, or all in `down`";
            return Err(Mistake::new(wrong, help).at(at("down")));
        }
        Ok(Wire {
            name,
            from,
            to,
            rate: impair::nominal(rate),
            pace,
            outages,
            delay: delays,
            loss: loss
                .map_or_else(|| Ok(wire::Loss::NONE.into()), |loss| losses(loss, &at("loss")))?,
            jitter: jitter.map_or_else(
                || Ok(None.into()),
                |jitter| {
                    let one = |jitter, path: &str| impair::jitter(jitter, path).map(Some);
                    impair::varying(jitter, &at("jitter"), one)
                },
            )?,
            reorder: delay.reorders() || jitter.is_some_and(impair::reorders),
            queue: queue.clone(),
            path,
            given: None,
            is_back: false,
        })
    }
}

/// The rate has outages of its own.
fn twice(pace: &Pace) -> Option<&'static str> {
    match pace {
        Pace::Trace { .. } => Some("`down` together with a trace, which has its own outages"),
        Pace::Steps(rates) if rates.values().any(|rate| rate.bits_per_sec() == 0) => {
            Some("`down` together with a rate of zero")
        }
        Pace::Steps(_) | Pace::Fixed => None,
    }
}

fn losses(loss: &Changing<Loss>, path: &str) -> Result<Varying<wire::Loss>, Fault> {
    let lasting = matches!(loss, Changing::Constant(_));
    let losses = impair::varying(loss, path, |loss, path| impair::loss(loss, lasting, path))?;
    let last = match losses.changes() {
        Some((list, None)) => list.last().map(|step| step.value),
        _ => None,
    };
    if last.is_some_and(|loss| loss.mean() >= 1.0) || losses.values().all(|l| l.mean() >= 1.0) {
        let help = "let the loss fall below 1 again";
        return Err(Mistake::new("a link that eventually loses every packet", help).at(path));
    }
    Ok(losses)
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
            outages: self.outages.clone(),
            delay: self.delay.clone(),
            queue: Arc::new(queue),
            loss: self.loss.clone(),
            jitter: self.jitter.clone(),
            reorder: self.reorder,
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
        let Reverse { rate, delay, queue, loss, jitter, down: own } = direction(link);
        // an empty list says that the other direction's outages are not its own
        let down = |back: &plan::Link| match (&back.outages, &link.outages) {
            (None, Some(_)) => Some(Down::default()),
            _ => back.outages.as_ref().map(impair::written_outages),
        };
        written.push(Link {
            name: wire.given.clone(),
            from: graph.nodes[link.from].clone(),
            to: graph.nodes[link.to].clone(),
            rate: rate.unwrap_or_else(|| link.rate.into()),
            delay: delay.unwrap_or_else(|| link.propagation().into()),
            queue: queue.unwrap_or_else(|| queues::written(&link.queue)),
            loss,
            jitter,
            down: own,
            duplex: Some(back.is_some()),
            reverse: back.map(|back| Reverse { down: down(back), ..direction(back) }),
        });
    }
    written
}

/// One direction as written in a scenario, with every value filled in.
fn direction(link: &plan::Link) -> Reverse {
    let jitter = link.jitter.values().any(|jitter| jitter.is_some()).then(|| {
        let reorder = Some(link.reorder);
        Changing::written(&link.jitter, None, |jitter| {
            let spread = jitter.unwrap_or(wire::Spread::Uniform { max: Duration::ZERO });
            Jitter::written(spread, reorder)
        })
    });
    Reverse {
        rate: Some(impair::written_rate(link.rate, &link.pace)),
        delay: Some(Changing::written(&link.delay, link.reorder.then_some(true), |delay| delay)),
        queue: Some(queues::written(&link.queue)),
        loss: Some(Changing::written(&link.loss, None, Loss::written)),
        jitter,
        down: link.outages.as_ref().map(impair::written_outages),
    }
}
