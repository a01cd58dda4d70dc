//! Where links are, and between which nodes traffic goes.

use super::{Choices, Keys, text, wires};

/// A topology, and what the rest of the file needs to know about it.
pub struct Topology {
    pub text: String,
    /// Names of its links.
    pub links: Vec<String>,
    /// Nodes between which any traffic may flow.
    nodes: Vec<String>,
    /// It has a first and a last node, so ends may be left out.
    short: bool,
    /// It has access links, so flows need not define them.
    access: bool,
    /// It has a node `own`, where flows wait for room in their first link.
    own: bool,
    /// There are two routes from its first node to its last.
    diamond: bool,
}

impl Topology {
    /// Any; `passed` by a first group of flows, or not.
    pub fn any(choices: &mut Choices, passed: bool) -> Self {
        match choices.below(4) {
            0 => Self::in_a_row(choices, "dumbbell", 1, Keys::default(), passed),
            1 => Self::parking_lot(choices, passed),
            2 => Self::graph(choices),
            _ => Self::diamond(choices),
        }
    }

    fn diamond(choices: &mut Choices) -> Self {
        let mut graph = Graph::default();
        for ends in [[0, 1], [1, 3], [0, 2], [2, 3]] {
            graph.link(choices, None, ends, false);
        }
        Self {
            text: format!("nodes = [\"N0\", \"N1\", \"N2\", \"N3\"]\n{}", graph.text),
            links: graph.links,
            nodes: (0..4).map(|i| format!("N{i}")).collect(),
            short: false,
            access: false,
            own: false,
            diamond: true,
        }
    }

    /// Routes from the first node to the last, over one of the two others each.
    fn routes(choices: &mut Choices) -> String {
        let mut routes = Vec::new();
        let mut at = 0;
        for _ in 0..choices.range(1, 4) {
            let [there, back] = [0; 2].map(|_| choices.range(1, 2));
            let mut step = Keys::default();
            step.say("at", format!("\"{at}ms\""));
            step.say("via", format!("[\"N0->N{there}\", \"N{there}->N3\"]"));
            step.maybe(choices, "back", |_| format!("[\"N3->N{back}\", \"N{back}->N0\"]"));
            routes.push(step.inline());
            at += u32::from(choices.range(1, 400));
        }
        format!("[{}]", routes.join(", "))
    }

    fn parking_lot(choices: &mut Choices, passed: bool) -> Self {
        let hops = choices.range(1, 4);
        let mut keys = Keys::default();
        if choices.flag() {
            let different = (0..hops).map(|_| wires::different(choices, passed).inline());
            keys.say("hops", format!("[{}]", different.collect::<Vec<_>>().join(", ")));
        } else {
            keys.say("hops", hops);
        }
        Self::in_a_row(choices, "parking-lot", hops, keys, passed)
    }

    /// A short form, all of whose links the first group passes.
    fn in_a_row(choices: &mut Choices, name: &str, hops: u16, keys: Keys, passed: bool) -> Self {
        let mut wire = wires::wire(choices, passed);
        wire.maybe(choices, "reverse", |choices| wires::different(choices, passed).inline());
        let access = !choices.flag();
        if access {
            wire.say("access", wires::access(choices, false));
        }
        let pairs = (1..=hops).flat_map(|i| [(i, i + 1), (i + 1, i)]);
        Self {
            text: format!("[{name}]\n{}{}", keys.lines(), wire.lines()),
            links: pairs.map(|(from, to)| format!("R{from}->R{to}")).collect(),
            nodes: (1..=hops + 1).map(|n| format!("R{n}")).collect(),
            short: true,
            access,
            own: false,
            diamond: false,
        }
    }

    /// A tree of duplex links or a ring of one-way ones, so that every node can be reached;
    /// and a few more links, which may offer shorter paths.
    fn graph(choices: &mut Choices) -> Self {
        let n = choices.range(2, 6);
        let nodes: Vec<String> = (0..n).map(|i| format!("N{i}")).collect();
        let (ring, own) = (choices.flag(), choices.flag());
        let mut graph = Graph::default();
        if ring {
            for i in 0..n {
                graph.link(choices, None, [i, (i + 1) % n], true);
            }
        } else {
            for i in 1..n {
                let to = choices.below(i);
                let name = choices.flag().then(|| format!("link{i}"));
                graph.link(choices, name, [i, to], false);
            }
        }
        for extra in 0..choices.below(3) {
            let from = choices.below(n);
            let to = (from + choices.range(1, n - 1)) % n;
            let one_way = choices.flag();
            graph.link(choices, Some(format!("extra{extra}")), [from, to], one_way);
        }
        let mut names: Vec<String> = nodes.iter().map(text).collect();
        if own {
            names.push(text("own"));
            graph.text += "[[links]]\nfrom = \"own\"\nto = \"N0\"\nrate = \"100Mbit\"\n\
                delay = \"1ms\"\nqueue = \"backpressure\"\nreverse = { queue = \"99pkt\" }\n";
        }
        Self {
            text: format!("nodes = [{}]\n{}", names.join(", "), graph.text),
            links: graph.links,
            nodes,
            short: false,
            access: false,
            own,
            diamond: false,
        }
    }

    /// Writes the nodes between which something flows; with its own hosts it may start and
    /// end at the same node.
    pub fn ends(&self, choices: &mut Choices, keys: &mut Keys, hosts: bool) {
        let n = self.nodes.len() as u16;
        let (said_from, said_to) = match choices.below(5) {
            0 if self.short => return,
            1 if self.short => return self.direction(choices, keys),
            2 if self.short => (true, false),
            3 if self.short => (false, true),
            _ => (true, true),
        };
        let from = if said_from { choices.below(n) } else { 0 };
        let further = choices.range(u16::from(!hosts), n - 1);
        let to = if said_to { (from + further) % n } else { n - 1 };
        // the last node is where it goes already
        let from = if to == from && !hosts { 0 } else { from };
        if said_from {
            keys.say("from", text(&self.nodes[usize::from(from)]));
        }
        if said_to {
            keys.say("to", text(&self.nodes[usize::from(to)]));
        }
    }

    fn direction(&self, choices: &mut Choices, keys: &mut Keys) {
        keys.maybe(choices, "direction", |choices| text(choices.one(&["forward", "reverse"])));
    }

    /// Writes where the first group goes and what hosts it has: over all links of a short
    /// form, or from its own node.
    pub fn first_way(&self, choices: &mut Choices, keys: &mut Keys) {
        if self.own {
            keys.say("from", text("own"));
            keys.say("to", text(&self.nodes[usize::from(choices.below(self.nodes.len() as u16))]));
        } else if self.short {
            self.direction(choices, keys);
            self.hosts(choices, keys);
        } else {
            self.flows_way(choices, keys);
        }
    }

    /// Writes where a group goes and what hosts it has.
    pub fn way(&self, choices: &mut Choices, keys: &mut Keys) {
        let hosts = self.hosts(choices, keys);
        self.ends(choices, keys, hosts);
    }

    /// The same for flows, whose route may change.
    pub fn flows_way(&self, choices: &mut Choices, keys: &mut Keys) {
        if !self.diamond || !choices.flag() {
            return self.way(choices, keys);
        }
        self.hosts(choices, keys);
        keys.say("from", text("N0"));
        keys.say("to", text("N3"));
        keys.say("route", Self::routes(choices));
    }

    /// Writes the access links of a group, which it need not have in a graph.
    fn hosts(&self, choices: &mut Choices, keys: &mut Keys) -> bool {
        let said = choices.flag();
        if said || (self.short && !self.access) {
            keys.say("access", wires::access(choices, self.access));
        }
        let hosts = said || self.short;
        if hosts {
            keys.maybe(choices, "host_queue", wires::host_queue);
        }
        hosts
    }
}

/// The links of a graph, in order.
#[derive(Default)]
struct Graph {
    text: String,
    links: Vec<String>,
}

impl Graph {
    fn link(&mut self, choices: &mut Choices, name: Option<String>, ends: [u16; 2], one_way: bool) {
        let [from, to] = ends.map(|i| format!("N{i}"));
        let mut keys = Keys::default();
        if let Some(name) = &name {
            keys.say("name", text(name));
        }
        keys.say("from", text(&from));
        keys.say("to", text(&to));
        let wire = wires::wire(choices, false);
        if one_way {
            keys.say("duplex", false);
        } else {
            keys.maybe(choices, "duplex", |_| true);
            keys.maybe(choices, "reverse", |choices| wires::different(choices, false).inline());
        }
        self.text += &format!("[[links]]\n{}{}", keys.lines(), wire.lines());
        self.links.push(name.unwrap_or_else(|| format!("{from}->{to}")));
    }
}
