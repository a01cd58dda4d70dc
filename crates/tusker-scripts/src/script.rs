//! A parsed script of a law: connections, and what happens to each.

use tusker_core::congestion::{Options, Signal, SlowStart};
use tusker_core::{Bytes, Duration, Params};

use crate::words::{Words, fraction, parse, span};
use crate::{Failure, Line, Text};

/// A script for laws.
#[derive(Clone, Debug)]
pub struct Script {
    /// Its head and lines.
    pub text: Text,
    /// One per `start`.
    pub connections: Vec<Connection>,
}

/// A connection from its `start`.
#[derive(Clone, Debug)]
pub struct Connection {
    /// How its window starts.
    pub options: Options,
    /// Its events, each with its line.
    pub steps: Vec<(usize, Step)>,
}

/// One line of a script. A flight of `None` means the whole window.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Nothing happens for this long.
    Wait(Duration),
    /// The application sends nothing for this long.
    Idle(Duration),
    /// Some ACKs.
    Acks(u32, Acks),
    /// Some rounds, each with as many ACKs as the window has segments.
    Rounds(u32, Acks),
    /// An episode starts.
    Congestion(Signal, Option<u32>),
    /// The episode ends.
    Recovered,
    /// Segments are found lost by a timer: how many were lost, of how many in flight when
    /// each left.
    Lost(Vec<(u32, u32)>),
    /// The timer expires.
    Timeout {
        /// Not again for the same segment.
        first: bool,
        /// Segments outstanding.
        flight: Option<u32>,
        /// Segments outstanding that are not considered lost.
        in_flight: u32,
    },
    /// The last reduction is undone.
    Undo,
    /// What the law must show.
    Expect(Vec<Expected>),
}

/// Common properties of several ACKs.
#[derive(Clone, Debug, PartialEq)]
pub struct Acks {
    /// Time between departures.
    pub gap: Duration,
    /// Segments that each acknowledges.
    pub credit: f64,
    /// What the routers said.
    pub feedback: Option<f64>,
    /// The window is not what limits the sender.
    pub app_limited: bool,
    /// What they acknowledge was marked.
    pub marked: bool,
    /// The first starts a round.
    pub round: bool,
    /// RTT of the first and the last.
    pub rtt: Option<(Duration, Duration)>,
    /// Forward one-way delay of the first and the last.
    pub forward: Option<(Duration, Duration)>,
    /// In flight after each.
    pub flight: Option<u32>,
    /// Newly lost at the first.
    pub lost: u32,
    /// For each of these, if given: lost, of in flight when it left.
    pub losses: Vec<(u32, u32)>,
    /// Rate sample in segments per second ...
    pub rate: Option<f64>,
    /// ... how far apart a pair arrived ...
    pub pair: Option<Duration>,
    /// ... and that the application limited the sender.
    pub held: bool,
}

/// A value of the law and what it must be.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// `cwnd`, `ssthresh`, `pacing_mbit` or an internal value.
    pub name: String,
    /// As written: its digits are what is compared.
    pub value: String,
}

impl Script {
    /// Parses a script.
    ///
    /// # Errors
    /// The first line that is not understood.
    pub fn parse(file: &str, text: &str) -> Result<Self, Failure> {
        Self::of(Text::parse(file, text)?)
    }

    /// The same from a split script.
    pub(crate) fn of(text: Text) -> Result<Self, Failure> {
        let mut connections: Vec<Connection> = Vec::new();
        let mut path = Path::default();
        for line in &text.lines {
            let at = |what| text.at(line.number, what);
            let (command, mut words) = line.command();
            if command == "start" {
                let options = options(&mut words).and_then(|o| words.done().map(|()| o));
                connections.push(Connection { options: options.map_err(at)?, steps: Vec::new() });
            } else if !path.set(line).map_err(at)? {
                let step = step(line, &path).map_err(at)?;
                let begin = || at("begin a connection with `start`".into());
                connections.last_mut().ok_or_else(begin)?.steps.push((line.number, step));
            }
        }
        Ok(Self { text, connections })
    }
}

/// Settings for all ACKs from here on, in later connections too.
struct Path {
    gap: Duration,
    rtt: Option<Duration>,
    forward: Option<Duration>,
}

impl Default for Path {
    fn default() -> Self {
        Self { gap: Duration::from_millis(1), rtt: None, forward: None }
    }
}

impl Path {
    /// Whether the line was one of these.
    fn set(&mut self, line: &Line) -> Result<bool, String> {
        let (command, mut words) = line.command();
        if !["gap", "rtt", "forward"].contains(&command) {
            return Ok(false);
        }
        let value = words.first()?;
        match command {
            "gap" => self.gap = span(value)?,
            _ => {
                let value = if value == "none" { None } else { Some(span(value)?) };
                *(if command == "rtt" { &mut self.rtt } else { &mut self.forward }) = value;
            }
        }
        words.done().map(|()| true)
    }
}

fn options(words: &mut Words) -> Result<Options, String> {
    Ok(Options {
        slow_start: slow_start(words)?,
        initial_window: words.number("cwnd", 1.0)?,
        initial_ssthresh: words.number("ssthresh", f64::INFINITY)?,
        max_window: words.number("max", f64::INFINITY)?,
        whole_ssthresh: words.flag("whole_ssthresh"),
        pacing: words.setting("pacing").map(parse).transpose()?.map(Bytes::new),
    })
}

/// `slow_start=NAME` and its parameters.
///
/// # Errors
/// If there is no slow start of this name, or a parameter is out of range.
///
/// # Panics
/// Never: the slow start was found by its name.
pub fn slow_start(words: &mut Words) -> Result<SlowStart, String> {
    let name = words.setting("slow_start").unwrap_or("standard");
    let sheet = SlowStart::ALL
        .iter()
        .find(|sheet| sheet.name == name)
        .ok_or_else(|| format!("no slow start is called `{name}`"))?;
    let mut params = Params::defaults(sheet.params);
    for param in sheet.params {
        let value = words.number(param.name, param.default)?;
        params.set(param.name, value).map_err(|e| format!("{}: {e:?}", param.name))?;
    }
    Ok(SlowStart::new(name, &params).expect("it was found"))
}

fn step(line: &Line, path: &Path) -> Result<Step, String> {
    let (command, mut words) = line.command();
    let step = match command {
        "wait" => Step::Wait(span(words.first()?)?),
        "idle" => Step::Idle(span(words.first()?)?),
        "ack" => Step::Acks(words.count()?, acks(&mut words, path)?),
        "round" => {
            let (rounds, acks) = (words.count()?, acks(&mut words, path)?);
            Step::Rounds(rounds, Acks { round: true, ..acks })
        }
        "loss" => Step::Congestion(Signal::Loss, flight(&mut words)?),
        "mark" => Step::Congestion(Signal::Mark, flight(&mut words)?),
        "recovered" => Step::Recovered,
        "lost" => Step::Lost(losses(words.first()?)?),
        "timeout" => Step::Timeout {
            first: !words.flag("again"),
            flight: flight(&mut words)?,
            in_flight: words.number("in_flight", 0)?,
        },
        "undo" => Step::Undo,
        "expect" => Step::Expect(expected(&mut words)?),
        _ => return Err(format!("`{command}` is not a command")),
    };
    words.done().map(|()| step)
}

fn acks(words: &mut Words, path: &Path) -> Result<Acks, String> {
    let still = |value| (value, value);
    let (lost, losses) = match words.setting("lost") {
        Some(list) if list.contains('/') => (list.split(',').count() as u32, losses(list)?),
        lost => (lost.map_or(Ok(0), parse)?, Vec::new()),
    };
    Ok(Acks {
        gap: path.gap,
        credit: words.number("credit", 1.0)?,
        feedback: words.setting("feedback").map(parse).transpose()?,
        app_limited: words.flag("app_limited"),
        marked: words.flag("marked"),
        round: words.flag("round"),
        rtt: words.setting("rtt").map(ramp).transpose()?.or(path.rtt.map(still)),
        forward: words.setting("forward").map(ramp).transpose()?.or(path.forward.map(still)),
        flight: flight(words)?,
        lost,
        losses,
        rate: words.setting("rate").map(parse).transpose()?,
        pair: words.setting("pair").map(span).transpose()?,
        held: words.flag("held"),
    })
}

fn flight(words: &mut Words) -> Result<Option<u32>, String> {
    words.setting("flight").map(parse).transpose()
}

/// `1/49,2/50`.
fn losses(list: &str) -> Result<Vec<(u32, u32)>, String> {
    list.split(',').map(fraction).collect()
}

/// `100ms` or `100ms..110ms`.
fn ramp(text: &str) -> Result<(Duration, Duration), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    Ok((span(from)?, span(to)?))
}

/// Alternating names and values.
fn expected(words: &mut Words) -> Result<Vec<Expected>, String> {
    let pairs = std::mem::take(&mut words.0);
    if pairs.is_empty() {
        return Err("nothing is expected".into());
    }
    let one = |pair: &[&str]| {
        let &[name, value] = pair else { return Err(format!("`{}` has no value", pair[0])) };
        parse::<f64>(value)?;
        Ok(Expected { name: name.into(), value: value.into() })
    };
    pairs.chunks(2).map(one).collect()
}
