//! What a link does besides sending at its rate: a rate that changes, loss,
//! jitter; how each is written.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tusker_core::wire::{self, OPPORTUNITY, Spread, Step};
use tusker_core::{Duration, Rate, Time};

use super::error::{Fault, Mistake, nearest, quote};
use super::model::{Link, Scenario};
use super::text::{Text, Written};
use crate::plan::Pace;

/// The rate of a link.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkRate {
    /// One rate.
    Fixed(Rate),
    /// From one to the next.
    Steps(Vec<RateStep>),
    /// What a file says.
    Trace(TraceFile),
}

/// A rate from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    /// From when on; the first step is at 0 s.
    pub at: Text<Duration>,
    /// The rate from then on.
    pub rate: Text<Rate>,
}

/// A file with the times at which a packet can leave (Mahimahi's format).
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFile {
    /// Its path.
    pub trace: String,
    /// What it says, once it was read: milliseconds.
    pub opportunities: Option<Arc<[u32]>>,
}

/// How packets are lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loss {
    /// Each with this probability.
    Bernoulli(f64),
    /// Gilbert-Elliott.
    Chain {
        /// Probability of a step from good to bad.
        p: f64,
        /// Probability of a step from bad to good.
        r: f64,
        /// Probability of a loss in the good state; 0 unless said otherwise.
        loss_good: f64,
        /// Probability of a loss in the bad state; 1 unless said otherwise.
        loss_bad: f64,
    },
    /// The chain with this share of losses in bursts of this mean length.
    Bursts {
        /// Share of packets lost.
        mean: f64,
        /// Packets in a row.
        burst: f64,
    },
}

/// A random delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// `uniform`, `normal` or `exponential`.
    pub distribution: Distribution,
    /// Its mean; none for a uniform one.
    pub mean: Option<Duration>,
    /// Standard deviation of a normal one.
    pub sd: Option<Duration>,
    /// The longest delay.
    pub max: Option<Duration>,
    /// Packets may overtake each other; no if `None`.
    pub reorder: Option<bool>,
}

/// How delays are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// All alike.
    Uniform,
    /// Around a mean.
    Normal,
    /// Mostly short.
    Exponential,
}

/// The largest trace file that is read.
const MAX_FILE: u64 = 64 << 20;

/// Opportunities of a trace; 4 bytes each.
const MAX_OPPORTUNITIES: usize = 10_000_000;

/// Bytes of all traces in an expanded scenario: it must stay below
/// [`super::MAX_BYTES`].
const MAX_WRITTEN: usize = 3 << 20;

impl From<Rate> for LinkRate {
    fn from(rate: Rate) -> Self {
        Self::Fixed(rate)
    }
}

impl LinkRate {
    /// The rate that queues and bandwidth-delay products go by: the first of
    /// several steps, the mean of a trace.
    pub fn nominal(&self) -> Rate {
        match self {
            Self::Fixed(rate) => *rate,
            Self::Steps(steps) => steps.first().map_or(Rate::from_bits_per_sec(1), |s| s.rate.0),
            Self::Trace(file) => {
                let times = file.opportunities.as_deref().unwrap_or_default();
                let period = u64::from(times.last().copied().unwrap_or(1).max(1));
                let bits = times.len() as u64 * OPPORTUNITY.get() * 8;
                Rate::from_bits_per_sec((bits * 1000 / period).max(1))
            }
        }
    }

    pub(super) fn pace(&self) -> Pace {
        match self {
            Self::Fixed(_) => Pace::Fixed,
            Self::Steps(steps) => {
                let step = |s: &RateStep| Step { at: Time::ZERO + s.at.0, rate: s.rate.0 };
                Pace::Steps(steps.iter().map(step).collect())
            }
            Self::Trace(file) => Pace::Trace {
                name: file.trace.clone(),
                opportunities: file.opportunities.clone().expect("expansion has seen to it"),
            },
        }
    }
}

impl Loss {
    pub(super) fn resolved(&self) -> wire::Loss {
        match *self {
            Self::Bernoulli(loss) => wire::Loss::Bernoulli(loss),
            Self::Chain { p, r, loss_good, loss_bad } => {
                wire::Loss::GilbertElliott { p, r, loss_good, loss_bad }
            }
            Self::Bursts { mean, burst } => wire::Loss::bursts(mean, burst),
        }
    }
}

impl Jitter {
    /// Any delay up to this one, in order.
    pub fn uniform(max: Duration) -> Self {
        Self {
            distribution: Distribution::Uniform,
            mean: None,
            sd: None,
            max: Some(max),
            reorder: None,
        }
    }

    pub(super) fn resolved(&self) -> wire::Jitter {
        let (mean, sd) = (self.mean.unwrap_or_default(), self.sd.unwrap_or_default());
        let max = self.max.unwrap_or_default();
        let spread = match self.distribution {
            Distribution::Uniform => Spread::Uniform { max },
            Distribution::Normal => Spread::Normal { mean, sd, max },
            Distribution::Exponential => Spread::Exponential { mean, max },
        };
        wire::Jitter { spread, reorder: self.reorder.unwrap_or(false) }
    }
}

/// Fills in and checks how a link loses packets.
pub(super) fn loss(loss: Option<Loss>, path: &str) -> Result<Loss, Fault> {
    let loss = loss.unwrap_or(Loss::Bernoulli(0.0));
    let wrong = |message: String, help: &str, key: &str| {
        Err(Mistake::new(message, help).at(format!("{path}{key}")))
    };
    match loss {
        Loss::Bernoulli(p) if !(0.0..1.0).contains(&p) => {
            wrong(format!("{p} is no probability of loss"), "from 0 to below 1, as in 1e-6", "")
        }
        Loss::Bernoulli(_) => Ok(loss),
        Loss::Bursts { mean, .. } if !(0.0..1.0).contains(&mean) => {
            wrong(format!("{mean} is no share of losses"), "from 0 to below 1, as in 0.01", ".mean")
        }
        Loss::Bursts { burst, .. } if !(burst >= 1.0 && burst.is_finite()) => {
            wrong(format!("{burst} is no length of a burst"), "1 packet or more", ".burst")
        }
        Loss::Bursts { mean, burst } => match wire::Loss::bursts(mean, burst) {
            wire::Loss::GilbertElliott { p, r, loss_good, loss_bad } if p <= 1.0 => {
                Ok(Loss::Chain { p, r, loss_good, loss_bad })
            }
            _ => wrong(
                format!("bursts of {burst} packets are too short for a loss of {mean}"),
                "longer bursts: packets between two bursts get through, at least one",
                "",
            ),
        },
        Loss::Chain { p, r, loss_good, loss_bad } => {
            let all = [(p, ".p"), (r, ".r"), (loss_good, ".loss_good"), (loss_bad, ".loss_bad")];
            if let Some((value, key)) = all.iter().find(|(v, _)| !(0.0..=1.0).contains(v)) {
                return wrong(format!("{value} is no probability"), "from 0 to 1", key);
            }
            // what is in the bad state for good must not lose everything
            if loss.resolved().mean() >= 1.0 || (r == 0.0 && p > 0.0 && loss_bad == 1.0) {
                let help = "let the bad state end (r above 0), or lose less in it";
                return wrong("a link that loses every packet in the end".into(), help, "");
            }
            Ok(loss)
        }
    }
}

/// Fills in and checks how a link delays packets.
pub(super) fn jitter(jitter: Option<Jitter>, path: &str) -> Result<Option<Jitter>, Fault> {
    let Some(mut jitter) = jitter else { return Ok(None) };
    let wrong = |message: &str, help: &str| Err(Mistake::new(message, help).at(path));
    jitter.reorder.get_or_insert(false);
    let Jitter { distribution, mean, sd, .. } = jitter;
    match (distribution, mean, sd) {
        (Distribution::Uniform, None, None) => {
            if jitter.max.is_none() {
                return wrong("uniform jitter without `max`", "add max = \"2ms\"");
            }
        }
        (Distribution::Uniform, ..) => {
            return wrong("uniform jitter has `max` alone", "leave out `mean` and `sd`");
        }
        (Distribution::Normal, Some(mean), Some(sd)) => {
            // hardly anything of a normal distribution lies further off
            let far = mean + sd * 4;
            let max = *jitter.max.get_or_insert(far);
            if mean > max || sd > max {
                return wrong("a `mean` or `sd` above `max`", "raise `max`, or leave it out");
            }
        }
        (Distribution::Normal, ..) => {
            return wrong("normal jitter needs `mean` and `sd`", "add both");
        }
        (Distribution::Exponential, Some(mean), None) if mean > Duration::ZERO => {
            jitter.max.get_or_insert(mean * 10);
        }
        (Distribution::Exponential, ..) => {
            return wrong("exponential jitter needs a `mean` and no `sd`", "write mean = \"1ms\"");
        }
    }
    Ok(Some(jitter))
}

/// Checks a rate; a link of this delay has it.
pub(super) fn check_rate(rate: &LinkRate, delay: Duration, path: &str) -> Result<(), Fault> {
    let wrong = |message: String, help: &str, key: &str| {
        Err(Mistake::new(message, help).at(format!("{path}.{key}")))
    };
    match rate {
        LinkRate::Fixed(_) => Ok(()),
        LinkRate::Steps(steps) => {
            if steps.first().is_none_or(|step| step.at.0 > Duration::ZERO) {
                let help = "begin with { at = \"0s\", rate = \"1Gbit\" }";
                return wrong("a rate that is not said from the start".into(), help, "rate");
            }
            match steps.windows(2).position(|pair| pair[0].at.0 >= pair[1].at.0) {
                Some(i) => {
                    let (before, at) = (steps[i].at.0, steps[i + 1].at.0);
                    let message = format!("a step at {at} behind one at {before}");
                    wrong(message, "give the steps in the order of time", "rate")
                }
                None => Ok(()),
            }
        }
        LinkRate::Trace(file) if file.opportunities.is_none() => {
            let message = format!("the trace `{}` was not read", quote(&file.trace));
            wrong(message, "a scenario that is not a file cannot name one; expand it first", "rate")
        }
        LinkRate::Trace(_) if delay == Duration::ZERO => {
            let message = "a trace on a link without delay".into();
            wrong(message, "packets leave at once when it is time: write delay = \"1ms\"", "delay")
        }
        LinkRate::Trace(_) => Ok(()),
    }
}

/// The expanded scenario holds what the traces say: it must stay readable.
pub(super) fn check_length(links: &[Link]) -> Result<(), Fault> {
    let mut total = 0;
    for (i, link) in links.iter().enumerate() {
        let back = link.reverse.as_ref().and_then(|reverse| reverse.rate.as_ref());
        for rate in [Some(&link.rate), back].into_iter().flatten() {
            if let LinkRate::Trace(TraceFile { opportunities: Some(times), .. }) = rate {
                total += written(times).len();
            }
        }
        if total > MAX_WRITTEN {
            return Err(Mistake::new(
                format!("traces that take more than {} MiB when stored", MAX_WRITTEN >> 20),
                "shorter traces: they are repeated at their end",
            )
            .at(format!("links.{i}.rate")));
        }
    }
    Ok(())
}

/// Reads the traces that a scenario names.
pub(super) fn read_traces(s: &mut Scenario, folder: &Path) -> Result<(), Fault> {
    let mut rates: Vec<(String, &mut LinkRate)> = Vec::new();
    let mut add = |path: String, rate: Option<_>| rates.extend(rate.map(|rate| (path, rate)));
    if let Some(dumbbell) = &mut s.dumbbell {
        add("dumbbell.rate".into(), Some(&mut dumbbell.rate));
        let back = dumbbell.reverse.as_mut().and_then(|r| r.rate.as_mut());
        add("dumbbell.reverse.rate".into(), back);
    }
    if let Some(lot) = &mut s.parking_lot {
        add("parking-lot.rate".into(), Some(&mut lot.rate));
        let back = lot.reverse.as_mut().and_then(|r| r.rate.as_mut());
        add("parking-lot.reverse.rate".into(), back);
        if let super::forms::Hops::Each(hops) = &mut lot.hops {
            for (i, hop) in hops.iter_mut().enumerate() {
                add(format!("parking-lot.hops.{i}.rate"), hop.rate.as_mut());
            }
        }
    }
    for (i, link) in s.links.iter_mut().enumerate() {
        add(format!("links.{i}.rate"), Some(&mut link.rate));
        let back = link.reverse.as_mut().and_then(|r| r.rate.as_mut());
        add(format!("links.{i}.reverse.rate"), back);
    }
    for (path, rate) in rates {
        if let LinkRate::Trace(file) = rate
            && file.opportunities.is_none()
        {
            let times = read_trace(&folder.join(&file.trace));
            file.opportunities = Some(times.map_err(|m| m.at(format!("{path}.trace")))?.into());
        }
    }
    Ok(())
}

fn read_trace(path: &Path) -> Result<Vec<u32>, Mistake> {
    let name = path.display();
    let unreadable = |e: std::io::Error| {
        Mistake::new(
            format!("cannot read the trace `{name}`: {e}"),
            "its path is relative to the scenario file",
        )
    };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MAX_FILE {
        let message = format!("the trace `{name}` is longer than {} MiB", MAX_FILE >> 20);
        return Err(Mistake::new(message, "a shorter one: it is repeated at its end"));
    }
    parse_trace(&name.to_string(), &text)
}

/// Mahimahi's format: a whole number of milliseconds per line, ascending.
fn parse_trace(name: &str, text: &str) -> Result<Vec<u32>, Mistake> {
    let mut times: Vec<u32> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let wrong = |message: String, help: &str| {
            Err(Mistake::new(format!("`{name}`, line {}: {message}", i + 1), help))
        };
        let line = line.trim();
        let Ok(ms) = line.parse() else {
            let message =
                format!("expected a whole number of milliseconds, found `{}`", quote(line));
            return wrong(message, "a line for each packet that can leave, with the time in ms");
        };
        if times.last().is_some_and(|&before| before > ms) {
            let message = format!("{ms} ms after {} ms", times[times.len() - 1]);
            return wrong(message, "the times ascend; several packets have the same time");
        }
        if times.len() >= MAX_OPPORTUNITIES {
            return wrong(format!("more than {MAX_OPPORTUNITIES} lines"), "a shorter trace");
        }
        times.push(ms);
    }
    if times.last().is_none_or(|&last| last == 0) {
        let help = "a line for each packet that can leave, with the time in ms; the last above 0";
        return Err(Mistake::new(format!("`{name}` has no duration"), help));
    }
    Ok(times)
}

/// A trace as a text: opportunities in each millisecond from 0 on, `0x3` for
/// three times none.
fn written(times: &[u32]) -> String {
    let mut text = String::new();
    let mut put = |count: usize, repeat: u32| {
        let space = if text.is_empty() { "" } else { " " };
        match repeat {
            0 => {}
            1 => text.push_str(&format!("{space}{count}")),
            n => text.push_str(&format!("{space}{count}x{n}")),
        }
    };
    let (mut count, mut repeat, mut next) = (0, 0, 0);
    for group in times.chunk_by(|a, b| a == b) {
        let ms = group[0];
        for (here, times) in [(0, ms - next), (group.len(), 1)] {
            if here == count || times == 0 {
                repeat += times;
            } else {
                put(count, repeat);
                (count, repeat) = (here, times);
            }
        }
        next = ms + 1;
    }
    put(count, repeat);
    text
}

fn unwritten(text: &str) -> Result<Vec<u32>, Mistake> {
    let help = "numbers of opportunities in each ms from 0 on, such as \"0 1 2 0x3 1\"";
    let wrong =
        |token: &str| Mistake::new(format!("`{}` says no opportunities", quote(token)), help);
    let (mut times, mut ms) = (Vec::new(), 0_u32);
    for token in text.split_ascii_whitespace() {
        let (count, repeat) = token.split_once('x').unwrap_or((token, "1"));
        let (Ok(count), Ok(repeat)) = (count.parse::<usize>(), repeat.parse::<u32>()) else {
            return Err(wrong(token));
        };
        let end = ms.checked_add(repeat).ok_or_else(|| wrong(token))?;
        let more = count.checked_mul(repeat as usize).ok_or_else(|| wrong(token))?;
        if more.saturating_add(times.len()) > MAX_OPPORTUNITIES {
            let message = format!("a trace of more than {MAX_OPPORTUNITIES} opportunities");
            return Err(Mistake::new(message, "a shorter trace"));
        }
        if count > 0 {
            times.extend((ms..end).flat_map(|ms| std::iter::repeat_n(ms, count)));
        }
        ms = end;
    }
    match times.last() {
        None | Some(0) => Err(Mistake::new("a trace without duration", help)),
        Some(_) => Ok(times),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceTable {
    trace: String,
    opportunities: Option<String>,
}

const RATE: &str = "a rate such as \"1Gbit\", [{ at = \"0s\", rate = \"1Gbit\" }, ..] or \
                    { trace = \"file\" }";

impl<'de> Deserialize<'de> for LinkRate {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = LinkRate;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(RATE)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<LinkRate, E> {
                let rate = Rate::read(text).map(LinkRate::Fixed);
                rate.map_err(|(message, help)| Mistake::new(message, help).into_serde())
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<LinkRate, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(seq)).map(LinkRate::Steps)
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<LinkRate, A::Error> {
                let table = TraceTable::deserialize(MapAccessDeserializer::new(map))?;
                let opportunities = table.opportunities.map(|text| unwritten(&text)).transpose();
                let opportunities = opportunities.map_err(Mistake::into_serde)?.map(Into::into);
                Ok(LinkRate::Trace(TraceFile { trace: table.trace, opportunities }))
            }
        }
        d.deserialize_any(Visitor)
    }
}

impl Serialize for LinkRate {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(rate) => Text(*rate).serialize(s),
            Self::Steps(steps) => steps.serialize(s),
            Self::Trace(file) => TraceTable {
                trace: file.trace.clone(),
                opportunities: file.opportunities.as_deref().map(written),
            }
            .serialize(s),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LossTable {
    p: Option<f64>,
    r: Option<f64>,
    loss_good: Option<f64>,
    loss_bad: Option<f64>,
    mean: Option<f64>,
    burst: Option<f64>,
}

const LOSS: &str = "a probability such as 1e-6, { p = 0.001, r = 0.25 } or \
                    { mean = 0.01, burst = 4 }";

impl<'de> Deserialize<'de> for Loss {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Loss;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(LOSS)
            }
            fn visit_f64<E>(self, loss: f64) -> Result<Loss, E> {
                Ok(Loss::Bernoulli(loss))
            }
            fn visit_i64<E>(self, loss: i64) -> Result<Loss, E> {
                Ok(Loss::Bernoulli(loss as f64))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Loss, A::Error> {
                let t = LossTable::deserialize(MapAccessDeserializer::new(map))?;
                match (t.p, t.r, t.mean, t.burst, t.loss_good, t.loss_bad) {
                    (Some(p), Some(r), None, None, good, bad) => Ok(Loss::Chain {
                        p,
                        r,
                        loss_good: good.unwrap_or(0.0),
                        loss_bad: bad.unwrap_or(1.0),
                    }),
                    (None, None, Some(mean), Some(burst), None, None) => {
                        Ok(Loss::Bursts { mean, burst })
                    }
                    _ => {
                        let help = "choose one of these forms; loss_good and loss_bad go with \
                                    p and r";
                        Err(Mistake::new(format!("expected {LOSS}"), help).into_serde())
                    }
                }
            }
        }
        d.deserialize_any(Visitor)
    }
}

impl Serialize for Loss {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut table = LossTable {
            p: None,
            r: None,
            loss_good: None,
            loss_bad: None,
            mean: None,
            burst: None,
        };
        match *self {
            // as it was always written, so that stored scenarios stay the same
            Self::Bernoulli(loss) => return s.serialize_f64(loss),
            Self::Chain { p, r, loss_good, loss_bad } => {
                (table.p, table.r) = (Some(p), Some(r));
                (table.loss_good, table.loss_bad) = (Some(loss_good), Some(loss_bad));
            }
            Self::Bursts { mean, burst } => {
                (table.mean, table.burst) = (Some(mean), Some(burst));
            }
        }
        table.serialize(s)
    }
}

const DISTRIBUTIONS: [(&str, Distribution); 3] = [
    ("uniform", Distribution::Uniform),
    ("normal", Distribution::Normal),
    ("exponential", Distribution::Exponential),
];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JitterTable {
    distribution: String,
    mean: Option<Text<Duration>>,
    sd: Option<Text<Duration>>,
    max: Option<Text<Duration>>,
    reorder: Option<bool>,
}

const JITTER: &str = "\"2ms\", or { distribution = \"normal\", mean = \"2ms\", sd = \"500us\" }";

impl<'de> Deserialize<'de> for Jitter {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Jitter;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(JITTER)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Jitter, E> {
                let max = Duration::read(text).map(Jitter::uniform);
                max.map_err(|(message, help)| Mistake::new(message, help).into_serde())
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Jitter, A::Error> {
                let t = JitterTable::deserialize(MapAccessDeserializer::new(map))?;
                let found = DISTRIBUTIONS.iter().find(|(name, _)| *name == t.distribution);
                let distribution = found.map(|(_, d)| *d).ok_or_else(|| {
                    let message = format!("`{}` is not a distribution", quote(&t.distribution));
                    let names = DISTRIBUTIONS.map(|(name, _)| name);
                    Mistake::new(message, nearest(&t.distribution, &names)).into_serde::<A::Error>()
                })?;
                let time = |time: Option<Text<Duration>>| time.map(|t| t.0);
                let (mean, sd, max) = (time(t.mean), time(t.sd), time(t.max));
                Ok(Jitter { distribution, mean, sd, max, reorder: t.reorder })
            }
        }
        d.deserialize_any(Visitor)
    }
}

impl Serialize for Jitter {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if let Self { reorder: None, max: Some(max), .. } = *self
            && *self == Self::uniform(max)
        {
            return Text(max).serialize(s);
        }
        let name = DISTRIBUTIONS.iter().find(|(_, d)| *d == self.distribution);
        let text = |time: Option<Duration>| time.map(Text);
        JitterTable {
            distribution: name.map_or("uniform", |(name, _)| name).to_owned(),
            mean: text(self.mean),
            sd: text(self.sd),
            max: text(self.max),
            reorder: self.reorder,
        }
        .serialize(s)
    }
}

#[cfg(test)]
mod tests;
