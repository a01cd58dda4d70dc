//! Topologies as written in a scenario.

use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::{Deserialize, Serialize, Serializer, de};
use tusker_core::{Duration, Rate};

use super::draws::Spread;
use super::error::Mistake;
use super::forms::{Queue, forms};
use super::impair::{Changing, Down, Jitter, LinkDelay, LinkRate, Loss};
use super::text::Text;

/// One bottleneck link between the routers R1 and R2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dumbbell {
    /// Rate of the bottleneck.
    pub rate: LinkRate,
    /// One-way propagation delay of the bottleneck.
    pub delay: LinkDelay,
    /// Queue before the bottleneck.
    pub queue: Queue,
    /// Loss on the wire: a probability from 0 to below 1, or bursts.
    pub loss: Option<Changing<Loss>>,
    /// Random delay on the wire in addition to the propagation delay.
    pub jitter: Option<Changing<Jitter>>,
    /// When it is down.
    pub down: Option<Down>,
    /// What is different in the direction from R2 to R1.
    pub reverse: Option<Reverse>,
    /// Access links of all flows that do not set their own.
    pub access: Option<Access>,
}

/// Several bottlenecks in a row. By default flows run from the first router to the
/// last; `from` and `to` change that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkingLot {
    /// The number of bottlenecks, or a list with what is different at each.
    pub hops: Hops,
    /// Rate of each bottleneck.
    pub rate: LinkRate,
    /// One-way propagation delay of each bottleneck.
    pub delay: LinkDelay,
    /// Queue before each bottleneck.
    pub queue: Queue,
    /// Loss on each wire: a probability from 0 to below 1, or bursts.
    pub loss: Option<Changing<Loss>>,
    /// Random delay on each wire in addition to the propagation delay.
    pub jitter: Option<Changing<Jitter>>,
    /// When it is down.
    pub down: Option<Down>,
    /// What is different in the other direction.
    pub reverse: Option<Reverse>,
    /// Access links of all flows that do not set their own.
    pub access: Option<Access>,
}

/// What is different at one hop of a parking lot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hop {
    /// Rate.
    pub rate: Option<LinkRate>,
    /// One-way propagation delay.
    pub delay: Option<LinkDelay>,
    /// Queue.
    pub queue: Option<Queue>,
    /// Loss on the wire.
    pub loss: Option<Changing<Loss>>,
    /// Random delay in addition to the propagation delay.
    pub jitter: Option<Changing<Jitter>>,
    /// When it is down.
    pub down: Option<Down>,
}

/// A link of a general graph, in both directions unless `duplex = false`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Name. Default: `from->to`. The other direction is called `to->from`, or
    /// `name.reverse`.
    pub name: Option<String>,
    /// Node at one end.
    pub from: String,
    /// Node at the other end.
    pub to: String,
    /// Rate.
    pub rate: LinkRate,
    /// One-way propagation delay.
    pub delay: LinkDelay,
    /// Queue before the wire.
    pub queue: Queue,
    /// Loss on the wire: a probability from 0 to below 1, or bursts.
    pub loss: Option<Changing<Loss>>,
    /// Random delay on the wire in addition to the propagation delay.
    pub jitter: Option<Changing<Jitter>>,
    /// When it is down.
    pub down: Option<Down>,
    /// Whether the link has a reverse direction. Default: true.
    pub duplex: Option<bool>,
    /// What is different in the reverse direction.
    pub reverse: Option<Reverse>,
}

/// What is different in the other direction of a link. By default rate, delay and
/// queue are the same, and there is neither loss nor jitter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Rate.
    pub rate: Option<LinkRate>,
    /// One-way propagation delay.
    pub delay: Option<LinkDelay>,
    /// Queue.
    pub queue: Option<Queue>,
    /// Loss on the wire.
    pub loss: Option<Changing<Loss>>,
    /// Random delay in addition to the propagation delay.
    pub jitter: Option<Changing<Jitter>>,
    /// When it is down.
    pub down: Option<Down>,
}

/// The links between a flow's two hosts and the routers, both with this rate and
/// delay in both directions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Rate.
    pub rate: Option<Text<Rate>>,
    /// One-way propagation delay of each of the two. Default: 1 ms. If a range is
    /// given, the flows of the group are spread evenly over it, from the first end
    /// to the second.
    pub delay: Option<Spread<Text<Duration>>>,
    /// Queues of the access links, except the sending host's own (see
    /// `host_queue`). Default: 10,000 packets.
    pub queue: Option<Queue>,
}

/// The hops of a parking lot.
#[derive(Clone, Debug, PartialEq)]
pub enum Hops {
    /// This many identical ones.
    Equal(u32),
    /// What is different at each, compared with the parking lot's own values.
    Each(Vec<Hop>),
}

forms! { 'de Hops, "a number of hops, or a list such as [{}, { rate = \"1Gbit\" }]" =>
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Hops, E> {
        let n = u32::try_from(n).map_err(|_| {
            Mistake::new(format!("{n} hops"), "expected a number from 1").into_serde()
        })?;
        Ok(Hops::Equal(n))
    }
    fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<Hops, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(Hops::Each)
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
