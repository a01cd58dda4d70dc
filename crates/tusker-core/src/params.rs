//! The named parameters of a law or a queue policy.
//!
//! Each algorithm lists its parameters once; the command line, scenario files,
//! `tusker explain` and the checks are all generated from that list.

pub use crate::congestion::linux::{Counts, Linux, Module};
pub use crate::congestion::{Bound, Losses, Period, Scale};

/// One parameter: its name, meaning and range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Name from the paper or RFC, as spelled in scenario files: `max_p`.
    pub name: &'static str,
    /// Unit of the number: `"segments"`, `"pkt"`, `"s"`, `"flag"` (0 or 1), `""`.
    pub unit: &'static str,
    /// Value if a scenario does not give one.
    pub default: f64,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
    /// What it does, in one sentence.
    pub about: &'static str,
}

/// The text of `tusker explain NAME`. Without the feature `texts`, `source`, `equations` and
/// `differs` are empty in the lists of all laws and policies.
#[derive(Clone, Copy, Debug)]
pub struct Sheet {
    /// Name on the command line, in scenario files and in legends: `ghstcp`.
    pub name: &'static str,
    /// Full name: `Gentle HighSpeed TCP`.
    pub title: &'static str,
    /// The group of similar algorithms under which lists show it.
    pub family: Family,
    /// Paper and section, or RFC and section.
    pub source: &'static str,
    /// The equations and rules, as plain text.
    pub equations: &'static str,
    /// Where this implementation differs from the source or from ns-2 and Linux,
    /// each with the test that shows it; may be empty.
    pub differs: &'static str,
    /// What it needs from the transport, or from the code that holds the packets,
    /// in addition to what these always provide.
    pub needs: &'static [Need],
    /// A flow alone on a path grows until a loss, so that it reaches its long-term mean only
    /// after several losses.
    pub grows_until_loss: bool,
    /// An ACK may make the window smaller.
    pub shrinks_on_acks: bool,
    /// Below 38 segments it is Reno, with the standard slow start, as long as delays stay the
    /// same.
    pub like_reno: bool,
    /// How Linux has it.
    pub linux: Linux,
    /// What is known in closed form of its windows under losses.
    pub losses: Losses,
    /// How its curves look in figures.
    pub look: Look,
    /// The names of its states, for what it shows of itself as a number `state` or `mode`:
    /// the first is that of 0. Empty if it shows no such number.
    pub states: &'static [&'static str],
    /// All parameters, at most [`Params::CAPACITY`].
    pub params: &'static [Param],
}

impl Sheet {
    /// As lists hold it: a build without the feature `texts` leaves the longest texts out.
    pub(crate) const fn listed(self) -> Self {
        match cfg!(feature = "texts") {
            true => self,
            false => Self { source: "", equations: "", differs: "", ..self },
        }
    }

    /// What only congestion controls have, for the sheets of anything else.
    pub const NO_LAW: Self = Self {
        name: "",
        title: "",
        family: Family::Other,
        source: "",
        equations: "",
        differs: "",
        needs: &[],
        grows_until_loss: false,
        shrinks_on_acks: false,
        like_reno: false,
        linux: Linux::NONE,
        losses: Losses::UNKNOWN,
        look: Look { hue: 0, dash: 0 },
        states: &[],
        params: &[],
    };
}

/// The look of curves in figures. No two laws have the same. Laws that are often compared
/// have a hue and a mark each; of the others a family has one hue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Number of the colour.
    pub hue: usize,
    /// Number of the dashes. The mark follows from both.
    pub dash: usize,
}

macro_rules! families {
    ($($name:ident $title:literal,)*) => {
        /// A group of similar algorithms; lists show the families in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Family {
            $(#[doc = $title] $name,)*
        }

        impl Family {
            /// All families, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Heading for the user.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$name => $title,)*
                }
            }
        }
    };
}

families! {
    Loss "The window grows until a packet is lost",
    LossAndDelay "Losses, and the trend of delays before them",
    Delay "Delay only",
    Rate "A rate that is measured or probed",
    Background "For transfers that can wait",
    Marks "Marks instead of losses (ECN, L4S)",
    Limit "Only a limit",
    AverageQueue "The average queue length decides",
    WaitingTime "The waiting time decides",
    FlowQueues "A queue for each flow",
    TokenBucket "So many bytes per second",
    ScalableMarks "Many marks, for DCTCP and L4S",
    Routers "Routers tell senders how much to send",
    Other "Others",
}

/// What an algorithm needs from the transport, or a queue policy from the code that
/// holds the packets. By default a scenario gets it; a scenario that says the
/// opposite is refused, except where noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// RFC 7323 timestamps, for the forward one-way delay.
    Timestamps,
    /// Segments paced at
    /// [`pacing_rate`](crate::congestion::Controller::pacing_rate).
    Pacing,
    /// ECN whose echo counts the marked segments (AccECN, RFC 9768).
    AccurateEcn,
    /// The same with ECT(1) packets, whose sender reacts to every mark, as L4S
    /// requires (RFC 9331).
    L4s,
    /// Delivery-rate samples.
    RateSamples,
    /// Every 16th segment is followed at once by another one, and rate samples tell
    /// how far apart they arrived.
    PacketPairs,
    /// What routers write into packets.
    RouterFeedback,
    /// Loss detection by time (RACK-TLP, RFC 8985), including lost retransmissions:
    /// for an algorithm that keeps sending through losses. A scenario may choose
    /// another recovery, and gets a warning.
    RackTlp,
    /// Packets that are not ECN-capable (Not-ECT of RFC 3168), because the
    /// algorithm does not react to marks; also if a scenario turns ECN on for all
    /// flows.
    NotEct,
    /// For a queue policy: ECN-capable packets are marked, not dropped. A scenario
    /// may set `ecn = false`.
    Marking,
    /// Packets are stored until they leave: the policy also decides then.
    Departures,
    /// Two queues, one of them for L4S packets. These are always marked: a scenario
    /// cannot set `ecn = false`.
    TwoQueues,
    /// What packets carry for routers to read and write.
    Headers,
}

impl Need {
    /// Description for the user.
    pub fn about(self) -> &'static str {
        match self {
            Self::Timestamps => "timestamps (RFC 7323), to measure delays",
            Self::Pacing => "pacing",
            Self::AccurateEcn => "ECN with an echo that counts marks (AccECN, RFC 9768)",
            Self::L4s => "ECN as in L4S: ECT(1), with an echo that counts marks (RFC 9331)",
            Self::RateSamples => "delivery-rate samples",
            Self::PacketPairs => "pairs of segments sent back to back",
            Self::RouterFeedback => {
                "routers that write into packets: a bottleneck with the queue policy of the same name"
            }
            Self::RackTlp => {
                "loss detection by time (RACK-TLP, RFC 8985), including lost \
                retransmissions; a scenario may set another recovery"
            }
            Self::NotEct => {
                "packets that are not ECN-capable, because this law does not react to marks"
            }
            Self::Marking => "marks instead of drops; so ecn = true is the default",
            Self::Departures => "a queue that stores its packets until they leave",
            Self::TwoQueues => "a second queue for L4S packets (ECT(1) and CE), which are marked",
            Self::Headers => {
                "packets with a header for routers, from the congestion control of the same name"
            }
        }
    }
}

/// Values for one algorithm's parameters, checked against its [`Sheet`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    list: &'static [Param],
    values: [f64; Self::CAPACITY],
}

/// Why a parameter was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamError {
    /// No parameter has this name; these are the ones that exist.
    Unknown(&'static [Param]),
    /// Not a number within the parameter's range.
    OutOfRange(Param),
}

impl Params {
    /// The most parameters that one algorithm can have.
    pub const CAPACITY: usize = 16;

    /// All parameters at their defaults.
    ///
    /// # Panics
    /// If the list is longer than [`Self::CAPACITY`].
    pub fn defaults(list: &'static [Param]) -> Self {
        assert!(list.len() <= Self::CAPACITY, "too many parameters for one algorithm");
        let mut values = [0.0; Self::CAPACITY];
        for (value, param) in values.iter_mut().zip(list) {
            *value = param.default;
        }
        Self { list, values }
    }

    /// Sets one value.
    ///
    /// # Errors
    /// If the name is unknown or the value out of range.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), ParamError> {
        let Some(i) = self.list.iter().position(|p| p.name == name) else {
            return Err(ParamError::Unknown(self.list));
        };
        let param = self.list[i];
        if !(param.min..=param.max).contains(&value) {
            return Err(ParamError::OutOfRange(param));
        }
        self.values[i] = value;
        Ok(())
    }

    /// The list that the values belong to.
    pub(crate) fn list(&self) -> &'static [Param] {
        self.list
    }

    /// All parameters with their values, in the sheet's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Param, f64)> {
        self.list.iter().zip(self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &[Param] = &[Param {
        name: "max_p",
        unit: "",
        default: 0.1,
        min: 0.0,
        max: 1.0,
        about: "largest drop probability",
    }];

    #[test]
    fn values_are_checked() {
        let mut p = Params::defaults(LIST);
        let value = |p: &Params| p.iter().next().map(|(param, value)| (param.name, value));
        assert_eq!(value(&p), Some(("max_p", 0.1)));
        assert_eq!(p.set("max_p", 0.5), Ok(()));
        assert_eq!(value(&p), Some(("max_p", 0.5)));
        assert_eq!(p.set("max_p", 1.5), Err(ParamError::OutOfRange(LIST[0])));
        assert_eq!(p.set("max_p", f64::NAN), Err(ParamError::OutOfRange(LIST[0])));
        assert_eq!(p.set("maxp", 0.5), Err(ParamError::Unknown(LIST)));
        assert_eq!(value(&p), Some(("max_p", 0.5)));
    }
}
