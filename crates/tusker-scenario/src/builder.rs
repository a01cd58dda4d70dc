//! A dumbbell from the options of a command, which its errors name.

use serde::de::{DeserializeOwned, IntoDeserializer};
use toml_edit::{InlineTable, Value};
use tusker_core::{Duration, Rate};
use tusker_plan::plan;

use super::draws::Spread;
use super::error::{Error, Mistake};
use super::forms::{Cc, Queue, Start};
use super::impair::{Changing, LinkRate, Loss, TraceFile};
use super::limit::Limit;
use super::model::Scenario;
use super::source::{Options, Source};
use super::tcp::{Ecn, Tcp};
use super::text::{Profile, Written, Wrong};
use super::topology::{Access, Reverse};
use super::traffic::Flows;

/// The fastest link that a scenario can have: 100 Tbit/s.
const FASTEST: u64 = 100_000_000_000_000;

/// One bottleneck, hosts with faster links of their own, and flows over it.
#[derive(Clone, Debug)]
pub struct Builder {
    /// What it is about.
    pub title: String,
    /// Default TCP settings.
    pub profile: Profile,
    /// How long it runs.
    pub duration: Duration,
    /// Rate of the bottleneck.
    pub rate: Rate,
    /// Mahimahi traces of the bottleneck and of its reverse direction, instead of that rate.
    pub traces: Option<[String; 2]>,
    /// Round-trip time without queueing.
    pub rtt: Duration,
    /// Queue before the bottleneck.
    pub queue: Queue,
    /// Loss on the bottleneck's wire.
    pub loss: Option<Loss>,
    /// Whether packets are lost in the reverse direction, too.
    pub loses_both_ways: bool,
    /// Whether the queue marks packets, and TCP reacts to it.
    pub ecn: bool,
    /// The flows.
    pub flows: Vec<Group>,
}

/// Identical flows, and which options they come from.
#[derive(Clone, Debug)]
pub struct Group {
    /// The flows; [`Builder::scenario`] says when they start.
    pub flows: Flows,
    /// The option with their congestion control.
    pub cc: &'static str,
    /// The option with their number of connections.
    pub parallel: &'static str,
}

impl Builder {
    /// The scenario.
    ///
    /// # Errors
    /// If no time passes on the path, or the queue cannot mark.
    pub fn scenario(self) -> Result<Scenario, Error> {
        let Self { rate, rtt, mut queue, .. } = self;
        let of_rate = if self.traces.is_some() { "--trace" } else { "--rate" };
        if self.ecn && queue.policy.as_deref() == Some("droptail") {
            let help = "name one that can with --queue: codel, pie, red, fq_codel";
            let mistake = Mistake::new("the queue policy droptail cannot mark", help);
            return Err(Error::of_option(mistake, "--ecn"));
        }
        if self.ecn {
            queue.ecn.get_or_insert(true);
        }
        let mut scenario = Scenario::dumbbell(self.profile, rate, Self::delay(rtt)?, queue);
        scenario.title = Some(self.title);
        scenario.duration = self.duration.into();
        scenario.tcp =
            self.ecn.then(|| Tcp { ecn: Some(Ecn(plan::Ecn::Classic)), ..Tcp::default() });
        if let Some(dumbbell) = &mut scenario.dumbbell {
            dumbbell.access = Some(Access {
                rate: Some(Self::access(rate).into()),
                delay: Some(Spread(Duration::ZERO.into(), Duration::ZERO.into())),
                queue: None,
            });
            let mut reverse = Reverse::default();
            if self.loses_both_ways {
                reverse.loss = self.loss.map(Into::into);
            }
            dumbbell.loss = self.loss.map(Into::into);
            if let Some([there, back]) = self.traces {
                let of = |trace| LinkRate::Trace(TraceFile::named(trace));
                (dumbbell.rate, reverse.rate) = (of(there), Some(of(back)));
                // their links limit nothing
                dumbbell.access = None;
            }
            dumbbell.reverse = Some(reverse).filter(|reverse| *reverse != Reverse::default());
        }
        let mut names: Vec<(String, &'static str)> = [
            ("profile", "--profile"),
            ("duration", "--duration"),
            ("dumbbell.rate", of_rate),
            ("dumbbell.access", "--rate"),
            ("dumbbell.reverse.rate", of_rate),
            ("dumbbell.reverse.loss", "--loss"),
            ("dumbbell.delay", "--rtt"),
            ("dumbbell.queue", "--queue"),
            ("dumbbell.queue.limit", "--buffer"),
            ("dumbbell.loss", "--loss"),
            ("tcp", "--ecn"),
        ]
        .map(|(path, option)| (path.to_owned(), option))
        .into();
        // within the first second, or the first tenth of a short experiment
        let last = Duration::from_nanos(1_000_000_000.min(self.duration.nanos() / 10));
        for (nth, Group { mut flows, cc, parallel }) in self.flows.into_iter().enumerate() {
            flows.start = Some(Start::Uniform(Duration::ZERO, last));
            scenario.flows.push(flows);
            let own = [
                ("", cc),
                (".count", "--flows"),
                (".parallel", parallel),
                (".recovery", "--recovery"),
                (".start", "--duration"),
            ];
            names.extend(own.map(|(key, option)| (format!("flows.{nth}{key}"), option)));
        }
        scenario.source = Source::from(Options { names, sets: Vec::new() });
        Ok(scenario)
    }

    /// The delay of the bottleneck: all of the round trip is there.
    ///
    /// # Errors
    /// If no time passes.
    pub fn delay(rtt: Duration) -> Result<Duration, Error> {
        if rtt == Duration::ZERO {
            let help = "expected a time such as \"50ms\"; a cable of 20 m has 200ns";
            return Err(Error::of_option(
                Mistake::new("the round-trip time is zero", help),
                "--rtt",
            ));
        }
        Ok(Duration::from_nanos(rtt.nanos() / 2))
    }

    /// The rate of the hosts' own links: ten times that of the bottleneck.
    pub fn access(rate: Rate) -> Rate {
        let rate = rate.bits_per_sec();
        Rate::from_bits_per_sec(rate.saturating_mul(10).min(FASTEST.max(rate)))
    }
}

impl Cc {
    /// Reads `ghstcp:z=2:w_low=30`; gives the message and the remedy if it is none.
    ///
    /// # Errors
    /// If a parameter is not one of the congestion control.
    pub fn read(text: &str) -> Result<Self, Wrong> {
        read(named("name", text, None))
    }
}

impl Queue {
    /// Reads `red:max_p=0.02`, a policy whose limit is given apart.
    ///
    /// # Errors
    /// If a parameter is not one of the policy, or is the limit.
    pub fn read(text: &str, limit: Limit) -> Result<Self, Wrong> {
        read(named("policy", text, Some(("limit", limit.write()))))
    }
}

impl Loss {
    /// Reads a probability.
    ///
    /// # Errors
    /// If it is no number.
    pub fn read(text: &str) -> Result<Self, Wrong> {
        match read(Ok(value(text)))? {
            Changing::Constant(loss) => Ok(loss),
            Changing::Steps(_) | Changing::Trace(_) => unreachable!("a number is constant"),
        }
    }
}

fn read<T: DeserializeOwned>(value: Result<Value, Mistake>) -> Result<T, Wrong> {
    let read = |value: Value| {
        T::deserialize(value.into_deserializer()).map_err(|e| Mistake::from_serde(e.message()))
    };
    value.and_then(read).map_err(|Mistake { message, help }| (message, help.unwrap_or_default()))
}

/// A name with parameters behind colons or commas, as the table that scenarios have.
fn named(key: &str, text: &str, more: Option<(&str, String)>) -> Result<Value, Mistake> {
    let mut parts = text.split([':', ',']);
    let mut table = InlineTable::new();
    table.insert(key, parts.next().unwrap_or_default().into());
    table.extend(more.map(|(key, value)| (key.to_owned(), Value::from(value))));
    for part in parts {
        let pair = part.split_once('=').filter(|(key, value)| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            key.chars().all(plain) && !key.is_empty() && !value.is_empty()
        });
        let Some((key, text)) = pair else {
            let (part, text) = (part.escape_debug(), text.escape_debug());
            return Err(Mistake::new(
                format!("`{part}` in `{text}` is not a parameter"),
                "write NAME:PARAM=VALUE, with a colon before each parameter; \
                 `tusker explain NAME` lists them",
            ));
        };
        if table.contains_key(key) {
            let help = "give it once; --buffer is the limit of the queue";
            return Err(Mistake::new(format!("`{key}` is given twice"), help));
        }
        table.insert(key, value(text));
    }
    Ok(table.into())
}

/// `0.02`, `true`; `500ms` and `5pkt` are texts.
fn value(text: &str) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match (text.parse::<f64>(), text.parse::<bool>()) {
        (Ok(number), _) if number.fract() == 0.0 && number.abs() < EXACT => (number as i64).into(),
        (Ok(number), _) if number.is_finite() => number.into(),
        (_, Ok(flag)) => flag.into(),
        _ => text.into(),
    }
}
