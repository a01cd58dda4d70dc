//! Topologies as they are written.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tusker_core::{Duration, Rate};

use super::draws::Spread;
use super::error::Mistake;
use super::forms::Queue;
use super::impair::{Jitter, LinkRate, Loss};
use super::text::Text;

/// One bottleneck link between the routers R1 and R2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dumbbell {
    /// Rate of the bottleneck.
    pub rate: LinkRate,
    /// One-way propagation delay of the bottleneck.
    pub delay: Text<Duration>,
    /// Queue before the bottleneck.
    pub queue: Queue,
    /// How packets are lost on the wire: a probability from 0 to below 1, or in
    /// bursts.
    pub loss: Option<Loss>,
    /// Random delay on the wire beyond the propagation delay.
    pub jitter: Option<Jitter>,
    /// What is different from R2 to R1.
    pub reverse: Option<Reverse>,
    /// Access links of all flows that do not say otherwise.
    pub access: Option<Access>,
}

/// Several bottlenecks in a row. Flows run from the first router to the last
/// unless they say otherwise with `from` and `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkingLot {
    /// How many bottlenecks, or what each has different.
    pub hops: Hops,
    /// Rate of each bottleneck.
    pub rate: LinkRate,
    /// One-way propagation delay of each bottleneck.
    pub delay: Text<Duration>,
    /// Queue before each bottleneck.
    pub queue: Queue,
    /// How packets are lost on each wire: a probability from 0 to below 1, or in
    /// bursts.
    pub loss: Option<Loss>,
    /// Random delay on each wire beyond the propagation delay.
    pub jitter: Option<Jitter>,
    /// What is different in the other direction.
    pub reverse: Option<Reverse>,
    /// Access links of all flows that do not say otherwise.
    pub access: Option<Access>,
}

/// What one hop of a parking lot has different from the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hop {
    /// Rate.
    pub rate: Option<LinkRate>,
    /// One-way propagation delay.
    pub delay: Option<Text<Duration>>,
    /// Queue.
    pub queue: Option<Queue>,
    /// How packets are lost on the wire.
    pub loss: Option<Loss>,
    /// Random delay beyond the propagation delay.
    pub jitter: Option<Jitter>,
}

/// A link of a general graph, in both directions unless `duplex = false`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Name; `from->to` unless said otherwise. The other direction is called
    /// `to->from`, or `name.reverse`.
    pub name: Option<String>,
    /// Node at its one end.
    pub from: String,
    /// Node at its other end.
    pub to: String,
    /// Rate.
    pub rate: LinkRate,
    /// One-way propagation delay.
    pub delay: Text<Duration>,
    /// Queue before the wire.
    pub queue: Queue,
    /// How packets are lost on the wire: a probability from 0 to below 1, or in
    /// bursts.
    pub loss: Option<Loss>,
    /// Random delay on the wire beyond the propagation delay.
    pub jitter: Option<Jitter>,
    /// Whether there is a way back; yes unless said otherwise.
    pub duplex: Option<bool>,
    /// What is different on the way back.
    pub reverse: Option<Reverse>,
}

/// What is different in the other direction of a link: rate, delay and queue
/// are the same, and there is neither loss nor jitter unless said here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Rate.
    pub rate: Option<LinkRate>,
    /// One-way propagation delay.
    pub delay: Option<Text<Duration>>,
    /// Queue.
    pub queue: Option<Queue>,
    /// How packets are lost on the wire.
    pub loss: Option<Loss>,
    /// Random delay beyond the propagation delay.
    pub jitter: Option<Jitter>,
}

/// The links between a flow's own two hosts and the routers, both of this
/// rate and delay in both directions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Rate.
    pub rate: Option<Text<Rate>>,
    /// One-way propagation delay of each of the two; 1 ms unless said
    /// otherwise. From a range the flows of the group take delays at even
    /// distances, the first one the first end and the last one the other.
    pub delay: Option<Spread<Text<Duration>>>,
    /// Queues of the access links, all but the sending host's own (see
    /// `host_queue`); 10,000 packets unless said otherwise.
    pub queue: Option<Queue>,
}

/// The hops of a parking lot.
#[derive(Clone, Debug, PartialEq)]
pub enum Hops {
    /// So many equal ones.
    Equal(u32),
    /// What each has different from the parking lot's own values.
    Each(Vec<Hop>),
}

impl<'de> Deserialize<'de> for Hops {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Hops;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of hops, or a list such as [{}, { rate = \"1Gbit\" }]")
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Hops, E> {
                let n = u32::try_from(n).map_err(|_| {
                    Mistake::new(format!("{n} hops"), "expected a number from 1").into_serde()
                })?;
                Ok(Hops::Equal(n))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Hops, A::Error> {
                let mut hops = Vec::new();
                while let Some(hop) = seq.next_element()? {
                    hops.push(hop);
                }
                Ok(Hops::Each(hops))
            }
        }
        d.deserialize_any(Visitor)
    }
}

impl Serialize for Hops {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Equal(n) => s.serialize_u32(*n),
            Self::Each(hops) => hops.serialize(s),
        }
    }
}
