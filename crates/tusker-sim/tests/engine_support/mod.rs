//! Random scenarios for whoever tests the whole engine: a list of numbers
//! becomes a scenario file. Any list does, and zero is always the simplest
//! choice, so a shorter or smaller list is a simpler scenario: what fails
//! shrinks by itself. The fuzz targets use the same file.

mod extras;

use std::fmt::Write;

use tusker_core::params::{Need, Sheet};
use tusker_core::{congestion, queue};

/// Numbers that decide; zeros when they are used up.
pub struct Choices<'a> {
    left: std::slice::Iter<'a, u16>,
    /// The whole language is chosen from, at most a second long.
    whole: bool,
}

impl<'a> Choices<'a> {
    pub fn new(numbers: &'a [u16]) -> Self {
        Self { left: numbers.iter(), whole: false }
    }

    /// For a scenario with everything that can be said.
    pub fn whole(self) -> Self {
        Self { whole: true, ..self }
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

/// A scenario of at most a few tens of thousands of packets.
pub fn scenario(choices: &mut Choices) -> String {
    let duration = choices.range(200, if choices.whole { 800 } else { 2_500 });
    let mut text = String::new();
    let profile = choices.one(&["ns2", "linux"]);
    write_line(&mut text, format_args!("profile = \"{profile}\"\nduration = \"{duration}ms\""));
    if !extras::window(choices, &mut text, duration) && choices.flag() {
        let from = choices.below(duration / 2);
        let to = choices.range(duration / 2 + 1, duration);
        write_line(&mut text, format_args!("measure = {{ from = \"{from}ms\", to = \"{to}ms\" }}"));
    }
    let topology = choices.below(3);
    let nodes = choices.range(2, 6);
    if topology == 2 {
        let names: Vec<String> = (0..nodes).map(|n| format!("\"N{n}\"")).collect();
        write_line(&mut text, format_args!("nodes = [{}]", names.join(", ")));
    }
    if choices.flag() {
        let links = choices.one(&["bottleneck", "all"]);
        let every = choices.range(1, 50);
        write_line(
            &mut text,
            format_args!("trace = {{ interval = \"{every}ms\", links = \"{links}\" }}"),
        );
    }
    match topology {
        0 => dumbbell(choices, &mut text),
        1 => parking_lot(choices, &mut text),
        _ => graph(choices, &mut text, nodes),
    }
    let routers = match topology {
        0 => 2,
        1 => 4,
        _ => nodes,
    };
    for group in 0..choices.range(1, 3) {
        flows(choices, &mut text, group, topology, routers, duration);
    }
    if choices.flag() {
        arrivals(choices, &mut text, topology, routers, duration);
    }
    if choices.flag() {
        web(choices, &mut text, topology, routers, duration);
    }
    for source in 0..choices.below(3) {
        background(choices, &mut text, source, topology, routers, duration);
    }
    text
}

fn write_line(text: &mut String, line: std::fmt::Arguments) {
    writeln!(text, "{line}").expect("a string takes everything");
}

fn rate(choices: &mut Choices) -> String {
    // odd numbers as well as such that make everything happen at once
    if choices.flag() {
        format!("\"{}.{:03}Mbit\"", choices.range(1, 60), choices.below(1_000))
    } else {
        choices.one(&["\"10Mbit\"", "\"1Mbit\"", "\"50Mbit\"", "\"1Gbit\""]).into()
    }
}

fn delay(choices: &mut Choices) -> String {
    if choices.flag() {
        format!("\"{}ns\"", u32::from(choices.below(60_000)) * 337)
    } else {
        choices.one(&["\"5ms\"", "\"1ms\"", "\"20ms\"", "\"0s\""]).into()
    }
}

fn queue(choices: &mut Choices) -> String {
    let limit = match choices.below(4) {
        0 => format!("{}pkt", choices.range(1, 150)),
        1 => format!("{}B", choices.range(1_500, 60_000)),
        2 => "unlimited".into(),
        _ => "200pkt".into(),
    };
    let sheet = &queue::ALL[usize::from(choices.below(queue::ALL.len() as u16))];
    let policy = sheet.name;
    let ecn = choices.flag();
    let param = extras::policy_param(choices, sheet);
    format!("{{ policy = \"{policy}\", limit = \"{limit}\", ecn = {ecn}{param} }}")
}

fn loss(choices: &mut Choices) -> String {
    match choices.below(4) {
        2 => {
            let (p, r) = (choices.range(1, 500), choices.range(500, 9_999));
            format!("{{ p = 0.{p:04}, r = 0.{r:04}, loss_bad = 0.9 }}")
        }
        3 => format!("{{ mean = 0.0{:02}, burst = {} }}", choices.below(50), choices.range(1, 9)),
        some => format!("0.{:04}", some * choices.below(800)),
    }
}

fn jitter(choices: &mut Choices) -> String {
    let (us, reorder) = (u32::from(choices.range(1, 9_000)), choices.flag());
    match choices.below(6) {
        3 => format!(
            "jitter = {{ distribution = \"uniform\", max = \"{us}us\", reorder = {reorder} }}\n"
        ),
        4 => format!(
            "jitter = {{ distribution = \"normal\", mean = \"{us}us\", sd = \"{}us\", reorder = {reorder} }}\n",
            us / 3
        ),
        5 => format!(
            "jitter = {{ distribution = \"exponential\", mean = \"{us}us\", reorder = {reorder} }}\n"
        ),
        _ => String::new(),
    }
}

/// A rate, often a changing one; and a delay, which a trace needs.
fn pace(choices: &mut Choices) -> String {
    match choices.below(6) {
        4 => {
            let mut steps = format!("{{ at = \"0s\", rate = {} }}", rate(choices));
            let mut at = 0;
            for _ in 0..choices.range(1, 4) {
                at += u32::from(choices.range(1, 900));
                write!(steps, ", {{ at = \"{at}ms\", rate = {} }}", rate(choices))
                    .expect("a string");
            }
            format!("rate = [{steps}]\ndelay = {}\n", delay(choices))
        }
        5 => {
            let mut ms = String::new();
            for _ in 0..choices.range(1, 30) {
                let (count, repeat) = (choices.below(6), choices.range(1, 9));
                write!(ms, "{count}x{repeat} ").expect("a string");
            }
            let delay = u32::from(choices.range(1, 60_000)) * 337;
            format!(
                "rate = {{ trace = \"random\", opportunities = \"{ms}0 1\" }}\ndelay = \"{delay}ns\"\n"
            )
        }
        _ => format!("rate = {}\ndelay = {}\n", rate(choices), delay(choices)),
    }
}

fn wire(choices: &mut Choices) -> String {
    let (pace, queue, jitter) = (pace(choices), queue(choices), jitter(choices));
    format!("{pace}queue = {queue}\n{jitter}loss = {}", loss(choices))
}

fn access(choices: &mut Choices) -> String {
    let (rate, delay) = (rate(choices), delay(choices));
    let delay = extras::delays(choices, delay);
    format!("{{ rate = {rate}, delay = {delay}, queue = {} }}", queue(choices))
}

fn dumbbell(choices: &mut Choices, text: &mut String) {
    write_line(text, format_args!("[dumbbell]\n{}", wire(choices)));
    write_line(text, format_args!("access = {}", access(choices)));
    if choices.flag() {
        let (rate, queue) = (rate(choices), queue(choices));
        let (loss, jitter) = (loss(choices), jitter(choices));
        let jitter = if jitter.is_empty() { jitter } else { format!(", {}", jitter.trim()) };
        write_line(
            text,
            format_args!("reverse = {{ rate = {rate}, queue = {queue}, loss = {loss}{jitter} }}"),
        );
    }
}

fn parking_lot(choices: &mut Choices, text: &mut String) {
    write_line(text, format_args!("[parking-lot]\nhops = 3\n{}", wire(choices)));
    write_line(text, format_args!("access = {}", access(choices)));
}

fn graph(choices: &mut Choices, text: &mut String, nodes: u16) {
    for node in 1..nodes {
        // a tree first, so that everything can be reached
        let to = choices.below(node);
        write_line(text, format_args!("[[links]]\nfrom = \"N{node}\"\nto = \"N{to}\""));
        write_line(text, format_args!("{}", wire(choices)));
        if choices.whole && choices.flag() {
            let (rate, loss) = (rate(choices), loss(choices));
            let jitter = jitter(choices).trim_end().to_owned();
            let jitter = if jitter.is_empty() { jitter } else { format!(", {jitter}") };
            write_line(text, format_args!("reverse = {{ rate = {rate}, loss = {loss}{jitter} }}"));
        }
    }
    for extra in 0..choices.below(3) {
        let from = choices.below(nodes);
        let to = (from + choices.range(1, nodes - 1)) % nodes;
        write_line(
            text,
            format_args!("[[links]]\nname = \"extra{extra}\"\nfrom = \"N{from}\"\nto = \"N{to}\""),
        );
        write_line(text, format_args!("{}", wire(choices)));
    }
}

/// Where traffic enters and leaves, if it is said.
fn ends(choices: &mut Choices, text: &mut String, topology: u16, routers: u16) {
    let (letter, first) = if topology == 2 { ('N', 0) } else { ('R', 1) };
    if topology == 2 || choices.flag() {
        let from = choices.below(routers);
        let to = (from + choices.range(1, routers - 1)) % routers;
        write_line(
            text,
            format_args!("from = \"{letter}{}\"\nto = \"{letter}{}\"", from + first, to + first),
        );
    }
}

fn start(choices: &mut Choices, text: &mut String, duration: u16) {
    let at = choices.below(duration / 8);
    match choices.below(3) {
        0 => {}
        1 => write_line(text, format_args!("start = {{ uniform = [\"0s\", \"{at}ms\"] }}")),
        _ => write_line(text, format_args!("start = {{ first = \"{at}ms\", every = \"7ms\" }}")),
    }
    if choices.flag() {
        let stop = choices.range(duration / 4, duration);
        write_line(text, format_args!("stop = \"{stop}ms\""));
    }
}

fn flows(
    choices: &mut Choices,
    text: &mut String,
    group: u16,
    topology: u16,
    routers: u16,
    duration: u16,
) {
    write_line(text, format_args!("[[flows]]\nname = \"g{group}\""));
    write_line(text, format_args!("count = {}", choices.range(1, 4)));
    let sheet = law(choices);
    let cc = sheet.name;
    write_line(text, format_args!("cc = {}", extras::cc(choices, sheet)));
    extras::group(choices, text);
    let recovery = choices.one(&["reno", "newreno", "sack", "rack"]);
    write_line(text, format_args!("recovery = \"{recovery}\""));
    ends(choices, text, topology, routers);
    start(choices, text, duration);
    if topology != 2 || choices.flag() {
        let host = choices.one(&["unlimited", "20pkt", "backpressure", "backpressure:3pkt"]);
        write_line(text, format_args!("access = {}", access(choices)));
        write_line(text, format_args!("host_queue = \"{host}\""));
    }
    if choices.flag() {
        write_line(text, format_args!("size = \"{}B\"", u32::from(choices.range(1, 60_000)) * 13));
    }
    write_line(text, format_args!("[flows.tcp]"));
    let selective = matches!(recovery, "sack" | "rack");
    write_line(text, format_args!("prr = {}", selective && choices.flag()));
    for key in [
        "limited_transmit",
        "impatient",
        "ns2_details",
        "forget_sack_on_timeout",
        "timestamps",
        "pacing",
    ] {
        write_line(text, format_args!("{key} = {}", choices.flag() || needs(cc, key)));
    }
    let ecn = choices.one(&["false", "true", "\"accurate\""]);
    // it needs an echo that counts marks, or does not answer marks
    let ecn = match (needs(cc, "ecn"), needs(cc, "no ecn")) {
        (true, _) => "\"accurate\"",
        (_, true) => "false",
        _ => ecn,
    };
    write_line(text, format_args!("ecn = {ecn}"));
    write_line(text, format_args!("sack_bytes = {}", choices.flag()));
    let slow_start = choices.one(&["standard", "limited", "hystart++"]);
    write_line(text, format_args!("slow_start = \"{slow_start}\""));
    let delayed = choices.one(&["false", "\"40ms\"", "\"1ms\"", "\"200ms\""]);
    write_line(text, format_args!("delayed_ack = {delayed}"));
    write_line(text, format_args!("initial_window = {}", choices.range(1, 20)));
    let counting = choices.one(&["acks", "segments", "segments:2"]);
    write_line(text, format_args!("counting = \"{counting}\""));
    if choices.flag() {
        write_line(text, format_args!("initial_ssthresh = {}", choices.range(2, 100)));
    }
    if choices.flag() {
        write_line(text, format_args!("receive_buffer = \"{}B\"", choices.range(1_500, 65_000)));
    }
    if choices.flag() {
        write_line(text, format_args!("packet = \"{}B\"", choices.range(60, 1_500)));
    }
    extras::tcp(choices, text);
}

/// Any congestion control.
pub fn law(choices: &mut Choices) -> &'static Sheet {
    &congestion::ALL[usize::from(choices.below(congestion::ALL.len() as u16))]
}

/// A congestion control that cannot do without this setting.
pub fn needs(cc: &str, key: &str) -> bool {
    let need = match key {
        "pacing" => Need::Pacing,
        "timestamps" => Need::Timestamps,
        "ecn" => Need::AccurateEcn,
        "no ecn" => Need::NotEct,
        _ => return false,
    };
    congestion::ALL.iter().any(|sheet| sheet.name == cc && sheet.needs.contains(&need))
}

/// What a transfer draws: a unit may be a size or a time.
fn draw(choices: &mut Choices, unit: &str) -> String {
    let mean = choices.range(1, 60);
    match choices.below(4) {
        0 => format!("\"{mean}{unit}\""),
        1 => format!("{{ exponential = \"{mean}{unit}\" }}"),
        2 => format!("{{ pareto = \"{mean}{unit}\", shape = 1.{} }}", choices.range(1, 9)),
        _ => {
            let weights = extras::weights(choices);
            format!("{{ list = [\"{mean}{unit}\", \"1{unit}\"], weights = {weights} }}")
        }
    }
}

/// What all connections that come and go have.
fn endpoint(choices: &mut Choices, text: &mut String, topology: u16, routers: u16, duration: u16) {
    let sheet = law(choices);
    let cc = sheet.name;
    write_line(text, format_args!("cc = {}", extras::cc(choices, sheet)));
    let recovery = choices.one(&["reno", "newreno", "sack", "rack"]);
    write_line(text, format_args!("recovery = \"{recovery}\""));
    ends(choices, text, topology, routers);
    write_line(text, format_args!("handshake = {}", choices.flag()));
    write_line(text, format_args!("connections = {}", choices.range(1, 5)));
    if choices.flag() {
        let stop = choices.range(duration / 4, duration);
        write_line(text, format_args!("stop = \"{stop}ms\""));
    }
    let (stamps, ecn, details) = (choices.flag(), choices.flag(), choices.flag());
    let (stamps, pacing) = (stamps || needs(cc, "timestamps"), needs(cc, "pacing"));
    let ecn = if needs(cc, "ecn") {
        "\"accurate\""
    } else if ecn && !needs(cc, "no ecn") {
        "true"
    } else {
        "false"
    };
    let delayed = choices.one(&["false", "\"40ms\"", "\"1ms\""]);
    write_line(
        text,
        format_args!(
            "tcp = {{ prr = false, timestamps = {stamps}, ecn = {ecn}, ns2_details = {details}, \
             pacing = {pacing}, delayed_ack = {delayed}, initial_window = {} }}",
            choices.range(1, 20)
        ),
    );
}

fn arrivals(choices: &mut Choices, text: &mut String, topology: u16, routers: u16, duration: u16) {
    write_line(text, format_args!("[[arrivals]]\nname = \"come\""));
    if choices.flag() {
        write_line(text, format_args!("rate = {}", choices.range(1, 80)));
    } else {
        write_line(text, format_args!("load = 0.{}", choices.range(1, 9)));
    }
    write_line(text, format_args!("size = {}", draw(choices, "kB")));
    endpoint(choices, text, topology, routers, duration);
    if topology != 2 || choices.flag() {
        let host = choices.one(&["unlimited", "20pkt", "backpressure", "backpressure:3pkt"]);
        write_line(text, format_args!("access = {}", access(choices)));
        write_line(text, format_args!("host_queue = \"{host}\""));
    }
}

fn web(choices: &mut Choices, text: &mut String, topology: u16, routers: u16, duration: u16) {
    write_line(text, format_args!("[[web]]\nname = \"pages\""));
    write_line(text, format_args!("sessions = {}", choices.range(1, 9)));
    for key in ["servers", "clients"] {
        let (count, fast) = (choices.range(1, 5), choices.range(10, 90));
        let (rate, delay) = (rate(choices), choices.below(9));
        let rates = if choices.flag() { format!("[\"5Mbit\", \"{fast}Mbit\"]") } else { rate };
        write_line(
            text,
            format_args!(
                "{key} = {{ count = {count}, rate = {rates}, delay = [\"1ms\", \"{}ms\"] }}",
                delay + 1
            ),
        );
    }
    if choices.flag() {
        write_line(text, format_args!("servers_per_session = 1"));
    }
    write_line(text, format_args!("page_interval = {}", draw(choices, "ms")));
    write_line(text, format_args!("objects = {{ pareto = 3, shape = 1.5 }}"));
    write_line(text, format_args!("object_interval = {}", draw(choices, "ms")));
    write_line(text, format_args!("object_size = {}", draw(choices, "kB")));
    let host = choices.one(&["unlimited", "20pkt", "backpressure", "backpressure:3pkt"]);
    write_line(text, format_args!("host_queue = \"{host}\""));
    write_line(text, format_args!("queue = {}", queue(choices)));
    endpoint(choices, text, topology, routers, duration);
}

fn background(
    choices: &mut Choices,
    text: &mut String,
    source: u16,
    topology: u16,
    routers: u16,
    duration: u16,
) {
    write_line(text, format_args!("[[background]]\nname = \"udp{source}\""));
    write_line(text, format_args!("count = {}", choices.range(1, 2)));
    let rate = choices.range(50, 9_000);
    write_line(text, format_args!("rate = \"{rate}kbit\""));
    ends(choices, text, topology, routers);
    start(choices, text, duration);
    let pattern = if extras::share(choices, text) { 0 } else { choices.below(3) };
    match pattern {
        0 => {}
        1 => write_line(text, format_args!("jitter = 0.{:02}", choices.below(100))),
        _ => {
            let (on, off) = (choices.range(1, 300), choices.range(1, 300));
            write_line(text, format_args!("on = \"{on}ms\"\noff = \"{off}ms\""));
        }
    }
    if choices.flag() {
        write_line(text, format_args!("packet = \"{}B\"", choices.range(200, 1_500)));
    }
}
