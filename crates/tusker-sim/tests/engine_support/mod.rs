//! Random scenarios for tests of the whole engine: a list of numbers becomes a scenario
//! file. Any list works, and zero is always the simplest choice, so a shorter or smaller
//! list is a simpler scenario, and failures shrink by themselves. The fuzz targets use the
//! same files.
//!
//! Every key of the scenario language occurs in some of the scenarios; a test in the command
//! line's package checks this against the schema.

mod keys;
pub mod tcp;
mod topology;
mod traffic;
mod wires;

use std::fmt::Display;

use keys::Keys;
use topology::Topology;

/// The numbers; zeros when they are used up.
pub struct Choices<'a> {
    left: std::slice::Iter<'a, u16>,
}

impl<'a> Choices<'a> {
    pub fn new(numbers: &'a [u16]) -> Self {
        Self { left: numbers.iter() }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u16) -> u16 {
        self.left.next().copied().unwrap_or(0) % n
    }

    /// A number from `low` on, at most `high`.
    pub fn range(&mut self, low: u16, high: u16) -> u16 {
        low + self.below(high - low + 1)
    }

    pub fn one<'b>(&mut self, of: &[&'b str]) -> &'b str {
        of[usize::from(self.below(of.len() as u16))]
    }

    pub fn flag(&mut self) -> bool {
        self.below(2) == 1
    }
}

/// A value in quotes.
fn text(value: impl Display) -> String {
    format!("\"{value}\"")
}

fn ms(time: impl Display) -> String {
    format!("\"{time}ms\"")
}

/// A scenario of at most a few hundred thousand packets.
pub fn scenario(choices: &mut Choices) -> String {
    let duration = choices.range(200, 1_200);
    let mut head = Keys::default();
    head.say("profile", text(choices.one(&["ns2", "linux"])));
    head.say("duration", ms(duration));
    head.maybe(choices, "measure", |choices| measure(choices, duration));
    head.maybe(choices, "title", |_| text("anything"));
    head.maybe(choices, "seed", |choices| choices.below(1_000));
    head.maybe(choices, "replicates", |choices| choices.range(1, 9));
    // none, less than a transmission takes, and more than many of them
    head.maybe(choices, "host_time", |choices| {
        choices.one(&["\"0s\"", "\"10us\"", "\"3ms\"", "{ exponential = \"50us\" }"]).to_owned()
    });
    head.maybe(choices, "hosts", |_| text("stock-linux"));
    // with none, there is only UDP or connections that come and go
    let groups = [1, 2, 3, 0][usize::from(choices.below(4))];
    let topology = Topology::any(choices, groups > 0);
    let mut file = vec![head.lines(), topology.text.clone()];
    if choices.flag() {
        file.push(format!("[trace]\n{}", trace(choices, &topology).lines()));
    }
    if choices.flag() {
        file.push(format!("[tcp]\n{}", tcp::of_all(choices).lines()));
    }
    for group in 0..groups {
        let flows = traffic::flows(choices, &topology, duration, group);
        file.push(format!("[[flows]]\n{}", flows.lines()));
    }
    if choices.flag() {
        let arrivals = traffic::arrivals(choices, &topology, duration);
        file.push(format!("[[arrivals]]\n{}", arrivals.lines()));
    }
    if choices.flag() {
        let web = traffic::web(choices, &topology, duration);
        file.push(format!("[[web]]\n{}", web.lines()));
    }
    let least = u16::from(groups == 0);
    for source in 0..choices.range(least, 3) {
        let background = traffic::background(choices, &topology, duration, source);
        file.push(format!("[[background]]\n{}", background.lines()));
    }
    file.concat()
}

/// A measuring window: any, one as short as a packet, or one given by its start.
fn measure(choices: &mut Choices, duration: u16) -> String {
    let mut measure = Keys::default();
    let from = choices.below(duration - 60);
    let ns = u64::from(from) * 1_000_000;
    let mut window = |length: u64| {
        measure.say("from", format!("\"{ns}ns\""));
        measure.say("to", format!("\"{}ns\"", ns + length));
    };
    match choices.below(5) {
        0 => measure.say("from", ms(from)),
        1 => window(u64::from(choices.range(1, 50_000)) * 1_000),
        2 => window(u64::from(choices.range(100, 60_000))),
        3 => window(u64::from(choices.range(1, duration - from)) * 1_000_000),
        // from the start on
        _ => measure.say("from", text("0s")),
    }
    measure.inline()
}

fn trace(choices: &mut Choices, topology: &Topology) -> Keys {
    let mut trace = Keys::default();
    trace.say("interval", ms(choices.range(1, 50)));
    trace.maybe(choices, "flows", Choices::flag);
    trace.maybe(choices, "links", |choices| match choices.below(3) {
        0 => text("bottleneck"),
        1 => text("all"),
        _ => {
            let links = topology.links.iter().filter(|_| choices.flag()).map(text);
            format!("[{}]", links.collect::<Vec<_>>().join(", "))
        }
    });
    trace
}
