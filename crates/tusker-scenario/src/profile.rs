//! The settings of a TCP endpoint: profile, scenario, group, in this order of
//! growing weight.
//!
//! `ns2` is ns-2.35 as installed (`tcl/lib/ns-default.tcl`; each value was
//! printed by that ns). Where it differs from ns-2:
//! - ns-2 opens with a segment 0 of 40 bytes and takes its initial window
//!   (`windowInit_` 2) when that is acknowledged; here segment 0 is a full one.
//! - ns-2's advertised window (`window_` 20) would throttle every long path;
//!   every script sets it large, and here it is unlimited.
//! - The papers are older than ns-2.35: up to October 2004 `minrto_` was 1 s.
//!
//! `linux` is the stack of a current kernel with its default sysctls, without
//! buffer limits (autotuning stops at 6 MB by default, which no long fat path
//! would forgive). Slow start is the standard one: Linux has HyStart inside of
//! CUBIC only. Pacing is off, as without the fq queueing discipline.

use tusker_core::congestion;
use tusker_core::params::{Need, Sheet};
use tusker_core::{Bytes, Duration};

use super::error::{Fault, Mistake};
use super::limit::Limit;
use super::tcp::{DelayedAck, Ecn, Rto, Segments, SlowStart, Tcp};
use super::text::{Profile, Text};
use tusker_plan::plan::{self, Counting, Recovery};

/// RFC 7323, section 3.2: the timestamps option is 10 bytes, padded to 12.
const TIMESTAMPS: u64 = 12;

/// IPv4 and TCP without options.
const HEADER: u64 = 40;

impl Profile {
    /// All settings of a profile; those that follow from others are left open.
    fn tcp(self) -> Tcp {
        let ms = |ms| Some(Text(Duration::from_millis(ms)));
        match self {
            Self::Ns2 => Tcp {
                recovery: Some(Recovery::Reno.into()),
                prr: Some(false),
                // `singledup_` 1
                limited_transmit: Some(true),
                // `newreno_changes1_` 1
                impatient: Some(true),
                ns2_details: Some(true),
                // Sack1 clears its scoreboard at a timeout
                forget_sack_on_timeout: Some(true),
                // Agent/TCPSink; the delayed kind is Agent/TCPSink/DelAck
                delayed_ack: Some(DelayedAck(None)),
                // `delay_growth_`: one segment, then `windowInit_` 2
                initial_window: Some(1),
                initial_ssthresh: Some(Segments(None)),
                // `max_ssthresh_` 0
                slow_start: Some(SlowStart::Standard),
                counting: Some(Counting::Acks.into()),
                timestamps: Some(false),
                ecn: Some(Ecn(plan::Ecn::Off)),
                pacing: Some(false),
                packet: Some(Bytes::new(1500).into()),
                header: None,
                ack: None,
                // Agent/TCPSink/Sack1: 8 bytes per block
                sack_bytes: Some(true),
                send_buffer: Some(Text(None)),
                receive_buffer: Some(Text(None)),
                // `rtxcur_init_`, `minrto_`, `maxrto_`, `tcpTick_`
                rto: Some(Rto {
                    initial: ms(3000),
                    min: ms(200),
                    max: ms(60_000),
                    granularity: ms(10),
                }),
            },
            Self::Linux => Tcp {
                recovery: Some(Recovery::RackTlp.into()),
                prr: None,
                limited_transmit: Some(true),
                impatient: Some(true),
                ns2_details: Some(false),
                // Linux forgets only what the receiver reneged on
                forget_sack_on_timeout: Some(false),
                // TCP_DELACK_MIN
                delayed_ack: Some(DelayedAck(ms(40).map(|t| t.0))),
                // RFC 6928
                initial_window: Some(10),
                initial_ssthresh: Some(Segments(None)),
                slow_start: Some(SlowStart::Standard),
                // tcp_slow_start() grows by all that an ACK acknowledges
                counting: Some(Counting::Segments(u32::MAX).into()),
                timestamps: Some(true),
                // tcp_ecn 2: only if the peer asks
                ecn: Some(Ecn(plan::Ecn::Off)),
                pacing: Some(false),
                packet: Some(Bytes::new(1500).into()),
                header: None,
                ack: None,
                sack_bytes: Some(true),
                send_buffer: Some(Text(None)),
                receive_buffer: Some(Text(None)),
                // TCP_TIMEOUT_INIT, TCP_RTO_MIN, TCP_RTO_MAX; Linux holds 4 RTTVAR
                // at TCP_RTO_MIN at least, which is what G does in RFC 6298
                rto: Some(Rto {
                    initial: ms(1000),
                    min: ms(200),
                    max: ms(120_000),
                    granularity: ms(200),
                }),
            },
        }
    }

    /// Parameters of a law that differ with the profile, unless they are given.
    pub(super) fn choose_params(self, sheet: &Sheet, given: &mut Vec<(String, f64)>) {
        const RESPONSE: &str = "ns2_response";
        let known = sheet.params.iter().any(|param| param.name == RESPONSE);
        if self == Self::Ns2 && known && given.iter().all(|(name, _)| name != RESPONSE) {
            given.push((RESPONSE.into(), 1.0));
        }
    }

    /// The sending host's own queue. ns-2 would hold 50 packets there (`Queue
    /// set limit_ 50`), which would make the host the bottleneck of every long
    /// path; 10,000 is an assumption, and no cheap one for flows without SACK.
    pub(super) fn host_queue(self) -> Limit {
        match self {
            Self::Ns2 => Limit::Packets(10_000),
            Self::Linux => Limit::Backpressure(None),
        }
    }
}

macro_rules! layer {
    ($over:ident, $under:ident, { $($field:ident),* $(,)? }) => {
        Tcp { $($field: $over.$field.or($under.$field),)* rto: layer_rto($over.rto, $under.rto) }
    };
}

fn layer_rto(over: Option<Rto>, under: Option<Rto>) -> Option<Rto> {
    let (Some(o), Some(u)) = (over, under) else { return over.or(under) };
    Some(Rto {
        initial: o.initial.or(u.initial),
        min: o.min.or(u.min),
        max: o.max.or(u.max),
        granularity: o.granularity.or(u.granularity),
    })
}

/// What `over` says, else what `under` says.
fn layer(over: &Tcp, under: &Tcp) -> Tcp {
    layer!(over, under, {
        recovery, prr, limited_transmit, impatient, ns2_details, forget_sack_on_timeout, delayed_ack,
        initial_window, initial_ssthresh, slow_start, counting, timestamps, ecn, pacing, packet,
        header, ack, sack_bytes, send_buffer, receive_buffer,
    })
}

/// What a congestion control needs, as settings.
fn needed(needs: &[Need]) -> Tcp {
    let need = |need| needs.contains(&need).then_some(true);
    Tcp {
        recovery: need(Need::RackTlp).map(|_| Recovery::RackTlp.into()),
        timestamps: need(Need::Timestamps),
        pacing: need(Need::Pacing),
        ecn: need(Need::AccurateEcn).map(|_| Ecn(plan::Ecn::Accurate)),
        ..Tcp::default()
    }
}

/// Whether a group has what its congestion control needs.
pub(super) fn check_needs(tcp: &Tcp, sheet: &Sheet, path: &str) -> Result<(), Fault> {
    let accurate = tcp.ecn.map(|ecn| ecn.0.is_accurate());
    let settings = [
        (Need::Timestamps, tcp.timestamps, "timestamps"),
        (Need::Pacing, tcp.pacing, "pacing"),
        (Need::AccurateEcn, accurate, "ecn"),
    ];
    for (need, setting, key) in settings {
        if sheet.needs.contains(&need) && setting == Some(false) {
            let message = format!("{} needs {}", sheet.name, need.about());
            let help = format!("leave `{key}` out here, or choose another congestion control");
            return Err(Mistake::new(message, help).at(format!("{path}.tcp.{key}")));
        }
    }
    if sheet.needs.contains(&Need::NotEct) && tcp.ecn.is_some_and(|ecn| ecn.0.is_on()) {
        let message = format!("{} needs {}", sheet.name, Need::NotEct.about());
        let help = "leave `ecn` out here, or choose a congestion control that answers marks";
        return Err(Mistake::new(message, help).at(format!("{path}.tcp.ecn")));
    }
    Ok(())
}

/// All settings of a group, with what follows from others filled in.
pub(super) fn resolve(
    profile: Profile,
    needs: &[Need],
    scenario: Option<&Tcp>,
    group: &Tcp,
) -> Tcp {
    let nothing = Tcp::default();
    let under = layer(&needed(needs), &profile.tcp());
    let mut tcp = layer(group, &layer(scenario.unwrap_or(&nothing), &under));
    if needs.contains(&Need::NotEct) && group.ecn.is_none() {
        // [tcp] speaks of all flows: of those that answer marks
        tcp.ecn = Some(Ecn(plan::Ecn::Off));
    }
    let selective = matches!(tcp.recovery, Some(Text(Recovery::Sack | Recovery::RackTlp)));
    tcp.prr = tcp.prr.or(Some(selective));
    let options = if tcp.timestamps == Some(true) { TIMESTAMPS } else { 0 };
    tcp.header = tcp.header.or(Some(Bytes::new(HEADER + options).into()));
    tcp.ack = tcp.ack.or(tcp.header);
    tcp
}

/// A group's settings as an executor takes them.
///
/// `path` is the group's; `tcp` has been through [`resolve`].
pub(super) fn endpoint(tcp: &Tcp, path: &str) -> Result<plan::Tcp, Fault> {
    const FULL: &str = "a profile says every setting";
    let rto = tcp.rto.expect(FULL);
    let time = |t: Option<Text<Duration>>| t.expect(FULL).0;
    let size = |t: Option<Text<Bytes>>| t.expect(FULL).0;
    let at = |key: &str, message: String, help: &str| {
        Err(Mistake::new(message, help).at(format!("{path}.tcp.{key}")))
    };
    let (packet, header, ack) = (size(tcp.packet), size(tcp.header), size(tcp.ack));
    if packet <= header {
        let help = "a packet carries at least one byte of payload besides its header";
        return at(
            "packet",
            format!("a packet of {packet} has no room after a header of {header}"),
            help,
        );
    }
    if packet.get() > MAX_PACKET {
        return at("packet", format!("a packet of {packet} is too large"), "at most 65535B");
    }
    if ack.get() == 0 || ack.get() > MAX_PACKET {
        return at("ack", format!("an ACK of {ack}"), "from 1B to 65535B; 40B without options");
    }
    let window = tcp.initial_window.expect(FULL);
    if window == 0 || window > MAX_INITIAL_WINDOW {
        let help = "from 1 to 10000 segments; RFC 6928 allows 10";
        return at("initial_window", format!("an initial window of {window}"), help);
    }
    let (initial, min, max) = (time(rto.initial), time(rto.min), time(rto.max));
    if max < min || max < initial || max == Duration::ZERO {
        let help = "rto.max is at least rto.min and rto.initial, and above zero";
        return at(
            "rto.max",
            format!("an RTO of at most {max}, with min {min} and initial {initial}"),
            help,
        );
    }
    if initial == Duration::ZERO {
        return at("rto.initial", "an initial RTO of zero".into(), "RFC 6298 says 1s");
    }
    let recovery = tcp.recovery.expect(FULL).0;
    let prr = tcp.prr.expect(FULL);
    if prr && !matches!(recovery, Recovery::Sack | Recovery::RackTlp) {
        let help = "set recovery = \"sack\" or \"rack\", or prr = false";
        return at("prr", "PRR needs to know what SACK tells".into(), help);
    }
    for (key, buffer) in [("send_buffer", tcp.send_buffer), ("receive_buffer", tcp.receive_buffer)]
    {
        if let Some(size) = buffer.expect(FULL).0
            && size < packet - header
        {
            let help = format!("at least one segment's payload, {}", packet - header);
            return at(key, format!("a buffer of {size} holds no segment"), &help);
        }
    }
    Ok(plan::Tcp {
        recovery,
        prr,
        limited_transmit: tcp.limited_transmit.expect(FULL),
        impatient: tcp.impatient.expect(FULL),
        ns2_details: tcp.ns2_details.expect(FULL),
        forget_sack_on_timeout: tcp.forget_sack_on_timeout.expect(FULL),
        delayed_ack: tcp.delayed_ack.expect(FULL).0,
        initial_window: window,
        initial_ssthresh: tcp.initial_ssthresh.expect(FULL).0,
        slow_start: slow_start(tcp.slow_start.expect(FULL)),
        counting: tcp.counting.expect(FULL).0,
        timestamps: tcp.timestamps.expect(FULL),
        ecn: tcp.ecn.expect(FULL).0,
        pacing: tcp.pacing.expect(FULL),
        initial_rto: initial,
        min_rto: min,
        max_rto: max,
        granularity: time(rto.granularity),
        packet,
        header,
        ack,
        sack_bytes: tcp.sack_bytes.expect(FULL),
        send_buffer: tcp.send_buffer.expect(FULL).0,
        receive_buffer: tcp.receive_buffer.expect(FULL).0,
    })
}

/// The largest IPv4 packet.
pub(super) const MAX_PACKET: u64 = 65_535;

const MAX_INITIAL_WINDOW: u32 = 10_000;

fn slow_start(kind: SlowStart) -> congestion::SlowStart {
    match kind {
        SlowStart::Standard => congestion::SlowStart::Standard,
        SlowStart::Limited { max_ssthresh } => {
            congestion::SlowStart::Limited { max_ssthresh: f64::from(max_ssthresh) }
        }
        SlowStart::HyStartPlusPlus => congestion::SlowStart::HyStartPlusPlus,
    }
}
