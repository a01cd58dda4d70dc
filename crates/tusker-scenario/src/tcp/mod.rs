//! The settings of a TCP endpoint: the table of their keys, and the constraints
//! between them.
//!
//! What a group of flows does not set comes from the scenario, or else from the
//! profile. `ns2` is ns-2.35 as installed (`tcl/lib/ns-default.tcl`; each value was
//! printed by that ns). Differences from ns-2:
//! - ns-2 starts with a segment 0 of 40 bytes and uses its initial window
//!   (`windowInit_` 2) when that is acknowledged; here segment 0 is a full one.
//! - ns-2's advertised window (`window_` 20) would limit every long path; every
//!   script sets a large value, and here it is unlimited.
//! - The papers are older than ns-2.35: until October 2004 `minrto_` was 1 s.
//!
//! `linux` is the stack of a current kernel with its default sysctls, without buffer limits
//! (autotuning stops at 6 MB by default, too little for any long fat path). Laws that Linux has
//! as modules get the modules' parameters and counting (`tusker_core::congestion::linux`). Slow
//! start is the standard one: in Linux only CUBIC has HyStart. Pacing is off, as it is in Linux
//! without the fq queueing discipline.

mod forms;

pub use forms::{DelayedAck, Ecn, Gro, Segments, SlowStart};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::params::{Need, Sheet};
use tusker_core::{Bytes, Duration, congestion};
use tusker_plan::plan::{self, AfterIdle, Counting, Recovery};
use tusker_plan::stock;

use super::error::{Fault, Mistake};
use super::forms::Dscp;
use super::text::Hosts;
use super::text::Profile::{self, Linux, Ns2};
use super::text::Text;
use forms::Setting;

/// RFC 7323, section 3.2: the timestamps option is 10 bytes, padded to 12.
const TIMESTAMPS: u64 = 12;

/// IPv4 and TCP without options.
const HEADER: u64 = 40;

/// From one line per key, `name: form = default;`, generates the table as written
/// in a scenario and its conversion to a plan and back. The default may refer to
/// the profile, the congestion control's sheet, and the keys above it. The keys of
/// `rto` have their names in a plan in brackets.
macro_rules! keys {
    (|$profile:ident, $law:ident|
     tcp { $($(#[$doc:meta])* $key:ident: $form:ty = $default:expr;)* }
     rto { $($(#[$part_doc:meta])* $part:ident($name:ident): $part_form:ty = $part_default:expr;)* }) => {
        /// TCP settings. Values that are not given come from the next level: flow,
        /// scenario, profile.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Tcp {
            $($(#[$doc])* pub $key: Option<$form>,)*
            /// The retransmission timer.
            pub rto: Option<Rto>,
        }

        /// The retransmission timer (RFC 6298).
        #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Rto {
            $($(#[$part_doc])* pub $part: Option<$part_form>,)*
        }

        impl Tcp {
            /// The values given here, else those of `under`.
            fn over(&self, under: &Self) -> Self {
                let (own, below) = (self.rto.unwrap_or_default(), under.rto.unwrap_or_default());
                Self {
                    $($key: self.$key.or(under.$key),)*
                    rto: Some(Rto { $($part: own.$part.or(below.$part),)* }),
                }
            }

            /// Every setting: the value given here, else the table's default.
            fn fill(&self, $profile: Profile, $law: &Sheet) -> plan::Tcp {
                let rto = self.rto.unwrap_or_default();
                $(let $key = self.$key.map_or_else(|| $default, Setting::value);)*
                $(let $name = rto.$part.map_or_else(|| $part_default, Setting::value);)*
                plan::Tcp { $($key,)* $($name,)* }
            }

            /// Every setting of a plan, as written in a scenario.
            pub(super) fn written(tcp: &plan::Tcp) -> Self {
                Self {
                    $($key: Some(Setting::of(tcp.$key)),)*
                    rto: Some(Rto { $($part: Some(Setting::of(tcp.$name)),)* }),
                }
            }
        }
    };
}

keys! { |profile, law|
    tcp {
        /// How losses are detected and repaired. In a group of flows this key is
        /// outside of `tcp`.
        recovery: Text<Recovery> = match profile {
            _ if law.needs.contains(&Need::RackTlp) => Recovery::RackTlp,
            Ns2 => Recovery::Reno,
            Linux => Recovery::RackTlp,
        };
        /// Proportional rate reduction (RFC 9937); needs SACK or RACK.
        prr: bool = profile == Linux && is_selective(recovery);
        /// Send new data on the first two duplicate ACKs (RFC 3042).
        // ns-2: `singledup_` 1
        limited_transmit: bool = true;
        /// Restart the retransmission timer at the first partial ACK only (RFC
        /// 6582, section 4).
        // ns-2: `newreno_changes1_` 1
        impatient: bool = true;
        /// Do as ns-2.35's agents do where they differ from the RFCs in recovery,
        /// growth and timers (docs/ns2-notes.md). No effect with `rack`.
        ns2_details: bool = profile == Ns2;
        /// Do as Linux does where it differs from the RFCs in RTT samples, timers, ACKs
        /// and the use of windows (docs/scenario.md). Only with `rack`.
        linux_details: bool = profile == Linux && recovery == Recovery::RackTlp;
        /// Forget SACK information after a timeout (RFC 2018, section 8).
        // Sack1 clears its scoreboard at a timeout; Linux forgets only what the
        // receiver reneged on
        forget_sack_on_timeout: bool = profile == Ns2;
        /// How many segments from SND.UNA on the sender's scoreboard covers. It ignores
        /// what SACK reports beyond them.
        scoreboard: Segments = None;
        /// The most segments that an ACK or a timer releases (`maxburst_` of ns-2).
        max_burst: Segments = None;
        /// Undo spurious loss recoveries detected by timestamps (RFC 3522) or by
        /// the receiver's reports of duplicates (RFC 3708).
        // ns-2's agents do neither; Linux always does
        undo: bool = profile == Linux;
        /// After a timeout send new data to find out whether it was spurious (RFC
        /// 5682).
        // `frto_enabled_` 0; tcp_frto 2
        frto: bool = profile == Linux;
        /// What happens to a window that the application does not use.
        // `QOption_` 0; tcp_slow_start_after_idle 1
        after_idle: Text<AfterIdle> = match profile {
            Ns2 => AfterIdle::Keep,
            Linux => AfterIdle::Halve,
        };
        /// Segments that a packet stands for. With more than 1, packets are larger and fewer, so
        /// that fast paths are simulated faster; congestion controls count segments as before.
        segments_per_packet: u32 = 1;
        /// Segments leave in bursts of the sizes that Linux's segmentation (TSO, GSO) gives
        /// them, and wait for larger bursts as there. Only with `linux_details`.
        segmentation: bool = linux_details && segments_per_packet == 1;
        /// `false`, or the longest time that an ACK waits for a second packet. Default with
        /// several segments per packet: `false`, because each packet is enough for an ACK.
        delayed_ack: DelayedAck = match profile {
            // Agent/TCPSink; the delayed kind is Agent/TCPSink/DelAck
            Ns2 => None,
            Linux if segments_per_packet > 1 => None,
            // TCP_DELACK_MIN
            Linux => Some(ms(40)),
        };
        /// Whether the receiver's host merges segments that arrive in order, so that they are
        /// acknowledged together: `{ segments = 45, wait = "50us" }`, or `true` for these values.
        gro: Gro = None;
        /// Segments before the first ACK.
        initial_window: u32 = match profile {
            // `delay_growth_`: one segment, then `windowInit_` 2
            Ns2 => 1,
            // RFC 6928
            Linux => 10,
        };
        /// Slow-start threshold at the start, in segments.
        initial_ssthresh: Segments = None;
        /// How the window grows below ssthresh.
        // ns-2: `max_ssthresh_` 0
        slow_start: SlowStart = congestion::SlowStart::Standard;
        /// What the window counts (RFC 3465).
        counting: Text<Counting> = profile.counting(law);
        /// RFC 7323 timestamps.
        timestamps: bool = profile == Linux || law.needs.contains(&Need::Timestamps);
        /// Explicit congestion notification: `false`, `true` (RFC 3168), `"accurate"`,
        /// with an echo that counts marks (AccECN, RFC 9768), or `"l4s"`, the same with ECT(1)
        /// packets (RFC 9331).
        // tcp_ecn 2: only if the peer asks
        ecn: Ecn = if law.needs.contains(&Need::L4s) {
            plan::Ecn::L4s
        } else if law.needs.contains(&Need::AccurateEcn) {
            plan::Ecn::Accurate
        } else {
            plan::Ecn::Off
        };
        /// Pace segments over the round trip.
        pacing: bool = law.needs.contains(&Need::Pacing);
        /// DSCP of data packets (RFC 2474): a number from 0 to 63, or a name such as `"af11"`,
        /// `"cs1"` or `"ef"`. That of ACKs is 0.
        dscp: Dscp = 0;
        /// A full data packet on the wire. Default: 1500 B for each of its segments.
        packet: Text<Bytes> = Bytes::new(1500 * u64::from(segments_per_packet));
        /// Its headers. Default: 40 B, plus 12 B with timestamps, for each of its segments.
        header: Text<Bytes> = Bytes::new(headers(timestamps) * u64::from(segments_per_packet));
        /// An ACK on the wire. Default: the size of a segment's header.
        ack: Text<Bytes> = Bytes::new(header.get() / u64::from(segments_per_packet.max(1)));
        /// Whether an ACK grows by its SACK blocks.
        // Agent/TCPSink/Sack1: 8 bytes per block
        sack_bytes: bool = true;
        /// Payload that the sender may have outstanding.
        send_buffer: Text<Option<Bytes>> = None;
        /// Payload that the receiver holds out of order.
        receive_buffer: Text<Option<Bytes>> = None;
        /// Memory up to which the receiver enlarges its buffer, as Linux does (the maximum of
        /// `tcp_rmem`; half of it is for payload), or `"unlimited"`: it does not.
        rmem: Text<Option<Bytes>> = None;
    }
    // ns-2: `rtxcur_init_`, `minrto_`, `maxrto_`, `tcpTick_`. Linux:
    // TCP_TIMEOUT_INIT, TCP_RTO_MIN, TCP_RTO_MAX; it keeps 4 RTTVAR at TCP_RTO_MIN
    // or above, which is the role of G in RFC 6298
    rto {
        /// Before the first sample.
        initial(initial_rto): Text<Duration> = match profile { Ns2 => ms(3000), Linux => ms(1000) };
        /// Lower bound.
        min(min_rto): Text<Duration> = ms(200);
        /// Upper bound.
        max(max_rto): Text<Duration> = match profile { Ns2 => ms(60_000), Linux => ms(120_000) };
        /// Clock granularity.
        granularity(granularity): Text<Duration> = match profile { Ns2 => ms(10), Linux => ms(200) };
    }
}

/// The headers of a segment.
const fn headers(timestamps: bool) -> u64 {
    HEADER + if timestamps { TIMESTAMPS } else { 0 }
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Whether it knows for each segment whether it arrived.
fn is_selective(recovery: Recovery) -> bool {
    matches!(recovery, Recovery::Sack | Recovery::RackTlp)
}

/// All settings of a group at `path` with this congestion control, checked.
pub(super) fn complete(
    profile: Profile,
    hosts: Option<Hosts>,
    law: &Sheet,
    scenario: Option<&Tcp>,
    group: &Tcp,
    path: &str,
) -> Result<plan::Tcp, Fault> {
    let mut said = scenario.map_or_else(|| group.clone(), |scenario| group.over(scenario));
    if let Some(Hosts::StockLinux) = hosts {
        said = stock_linux(said);
    }
    if law.needs.contains(&Need::NotEct) {
        // [tcp] is about all flows; here it applies to those that react to marks
        said.ecn = group.ecn;
    }
    if law.needs.contains(&Need::L4s) && group.ecn.is_none() {
        // if all flows have an echo that counts marks, that is enough; the rest is
        // up to the law
        said.ecn = said.ecn.filter(|ecn| ecn.0 != plan::Ecn::Accurate);
    }
    let tcp = said.fill(profile, law);
    check_needs(&tcp, law, path)?;
    if law.needs.contains(&Need::RouterFeedback) && tcp.segments_per_packet > 1 {
        let message = format!("{} works with routers, packet by packet", law.name);
        let help = "leave `segments_per_packet` out, or choose another congestion control";
        return Err(Mistake::new(message, help).at(format!("{path}.tcp.segments_per_packet")));
    }
    check(&tcp, path)?;
    Ok(tcp)
}

/// What is not given of the buffers is that of a Linux host that nobody has tuned.
fn stock_linux(said: Tcp) -> Tcp {
    let tuned = said.receive_buffer.is_none().then_some(Text(Some(stock::RMEM)));
    Tcp {
        send_buffer: said.send_buffer.or(Some(Text(Some(stock::SENT)))),
        rmem: said.rmem.or(tuned),
        ..said
    }
}

/// Checks that a group has what its congestion control needs.
fn check_needs(tcp: &plan::Tcp, law: &Sheet, path: &str) -> Result<(), Fault> {
    let settings = [
        (Need::Timestamps, tcp.timestamps, "timestamps"),
        (Need::Pacing, tcp.pacing, "pacing"),
        (Need::AccurateEcn, tcp.ecn.is_accurate(), "ecn"),
        (Need::L4s, tcp.ecn == plan::Ecn::L4s, "ecn"),
    ];
    for (need, given, key) in settings {
        if law.needs.contains(&need) && !given {
            let message = format!("{} needs {}", law.name, need.about());
            let help = format!("leave `{key}` out here, or choose another congestion control");
            return Err(Mistake::new(message, help).at(format!("{path}.tcp.{key}")));
        }
    }
    if law.needs.contains(&Need::NotEct) && tcp.ecn.is_on() {
        let message = format!("{} needs {}", law.name, Need::NotEct.about());
        let help = "leave `ecn` out here, or choose a congestion control that reacts to marks";
        return Err(Mistake::new(message, help).at(format!("{path}.tcp.ecn")));
    }
    Ok(())
}

/// `tcp_rmem[1]`.
const LEAST_RMEM: u64 = 128 << 10;

/// The largest IPv4 packet.
pub(super) const MAX_PACKET: u64 = 65_535;

/// As many segments of 1500 B as a packet can have.
const MAX_SEGMENTS: u32 = 43;

/// The least maximum of the RTO: a timer that is not backed off further expires so often while a
/// packet waits.
const SHORTEST_RTO: Duration = Duration::from_millis(1);

const MAX_INITIAL_WINDOW: u32 = 10_000;

/// Checks that the settings are consistent.
fn check(tcp: &plan::Tcp, path: &str) -> Result<(), Fault> {
    let wrong = |key: &str, message: String, help: &str| {
        Err(Mistake::new(message, help).at(format!("{path}.tcp.{key}")))
    };
    let plan::Tcp { packet, header, ack, segments_per_packet: each, .. } = *tcp;
    if each == 0 || each > MAX_SEGMENTS {
        let message = format!("{each} segments per packet are out of range");
        return wrong("segments_per_packet", message, "from 1 to 43: a packet has at most 65535B");
    }
    if let Some(plan::Gro { segments, wait }) = tcp.gro {
        if segments < 2 {
            return wrong("gro", format!("{segments} segments cannot be merged"), "at least 2");
        }
        if wait == Duration::ZERO || wait > ms(1_000) {
            let help = "up to 1s; network cards wait some 10us to 200us";
            return wrong("gro", format!("a wait of {wait} is out of range"), help);
        }
    }
    if packet <= header {
        let message = format!("a packet of {packet} leaves no payload after a header of {header}");
        let help = "a packet must carry at least one byte of payload after its header";
        return wrong("packet", message, help);
    }
    if packet.get() > MAX_PACKET {
        return wrong("packet", format!("a packet of {packet} is too large"), "at most 65535B");
    }
    if ack.get() == 0 || ack.get() > MAX_PACKET {
        let help = "from 1B to 65535B; 40B without options";
        return wrong("ack", format!("an ACK of {ack} is out of range"), help);
    }
    let window = tcp.initial_window;
    if window == 0 || window > MAX_INITIAL_WINDOW {
        let help = "from 1 to 10000 segments; RFC 6928 allows 10";
        return wrong(
            "initial_window",
            format!("an initial window of {window} is out of range"),
            help,
        );
    }
    let (initial, min, max) = (tcp.initial_rto, tcp.min_rto, tcp.max_rto);
    if max < min || max < initial || max < SHORTEST_RTO {
        let message = format!("an RTO of at most {max}, with min {min} and initial {initial}");
        let help = "rto.max must be at least rto.min, rto.initial and 1ms";
        return wrong("rto.max", message, help);
    }
    if initial == Duration::ZERO {
        return wrong("rto.initial", "an initial RTO of zero".into(), "RFC 6298 says 1s");
    }
    if tcp.prr && !is_selective(tcp.recovery) {
        let help = "set recovery = \"sack\" or \"rack\", or prr = false";
        return wrong("prr", "PRR needs SACK information".into(), help);
    }
    if let Some(memory) = tcp.rmem.filter(|memory| memory.get() < LEAST_RMEM) {
        let help = "at least 128KiB, with which Linux begins";
        return wrong("rmem", format!("a memory of {memory} for the receive buffer"), help);
    }
    for (key, buffer) in [("send_buffer", tcp.send_buffer), ("receive_buffer", tcp.receive_buffer)]
    {
        if let Some(size) = buffer.filter(|size| *size < tcp.payload()) {
            let help = format!("at least one segment's payload, {}", tcp.payload());
            return wrong(key, format!("a buffer of {size} holds no segment"), &help);
        }
    }
    Ok(())
}
