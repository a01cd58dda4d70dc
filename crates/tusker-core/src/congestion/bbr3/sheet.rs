//! The sheet of BBRv3, shown by `tusker explain bbr3`.

use super::State;
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Need, Sheet};
use crate::table::params;
use crate::units::Duration;

pub(in crate::congestion) const SHEET: Sheet = Sheet {
    name: "bbr3",
    title: "BBR, version 3",
    family: Family::Rate,
    source: "draft-ietf-ccwg-bbr-06, section 5",
    equations: "\
bw     = min(max_bw, bw_shortterm),  max_bw over the last two ProbeBW cycles
pacing = 0.99 pacing_gain bw
cwnd   = cwnd_gain bw min_rtt + extra_acked, within inflight_shortterm and
         inflight_longterm (0.85 of it in CRUISE and ProbeRTT)
UP, and one round trip after it:  more than loss_thresh lost:
            inflight_longterm = max(in flight at the loss, beta min(BDP, cwnd))
Drain, DOWN, CRUISE, ProbeRTT:  a round trip with a loss:
            bw_shortterm       = max(bw_latest, beta bw_shortterm)
            inflight_shortterm = max(inflight_latest, beta inflight_shortterm)
UP:         inflight_longterm + 1, 2, 4, 8 .. per round trip; an UP after one that
            lost too much ends when inflight_longterm is in flight;  if it does not
            lose too much again, REFILL and UP follow at once",
    differs: "\
Between probes for bandwidth, the draft waits for a random time or a random number of \
round trips; here both are derived from the nanosecond at which the wait begins. Test: \
waits_are_between_two_and_three_seconds.
The draft contradicts itself on the end of Drain: we end it in the fourth round \
trip after the one in which it began (the pseudo-code), not after three (the \
text). Script: bbr3_drain.
The short probe after a probe with too much loss ends when an ACK arrives while at \
least inflight_longterm, in whole segments, is in flight. The draft compares with \
C.inflight, the amount after the ACK, which is always smaller. Script: \
bbr3_precaution.
Startup ends because of losses only if at least six ACKs of a round trip report \
losses, as in Linux; the draft counts ranges of lost segments.
The send quantum is one segment, and 3 quanta are 3 segments. Script: bbr3. In the draft a quantum is \
1 ms of the pacing rate, at most 64 KB, and cwnd is at least 3 quanta. This is more than 2 BDP \
if min_rtt is below 1.5 ms (at 1 Gbit/s 0.8 ms), so that on such paths less is in flight here.
Google's kernel branch (google/bbr, v3, net/ipv4/tcp_bbr.c) differs from the draft: it paces \
at 0.347 in Drain (draft 0.5) and 0.91 in DOWN (0.90); extra_acked covers 5 to 10 round trips \
(10); a quantum has 64 KB more, halved for every 0.5 ms of min_rtt. The draft has no response to \
ECN. The branch has one where the route allows it and min_rtt is at most 5 ms: as in DCTCP \
(gain 1/16), a round trip with marks lowers inflight_shortterm, by up to 1/3, and more than half \
marked ends a probe or, after two round trips, Startup.",
    needs: &[Need::Pacing, Need::RateSamples, Need::RackTlp, Need::NotEct],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux {
        module: Some(Module {
            patched: Some("a kernel with BBRv3: github.com/google/bbr, branch v3"),
            ..Module::of("bbr", Counts::Neither)
        }),
        today: "For what Linux runs today as `bbr` (tcp_bbr), use bbr1. This is BBRv3 as in the IETF's \
                draft; only kernels that were built with it have it.",
        ..Linux::NONE
    },
    losses: Losses::UNKNOWN,
    look: Look { hue: 5, dash: 0 },
    states: State::NAMES,
    params: Bbr3Params::LIST,
};

params! { pub(in crate::congestion) struct Bbr3Params {
    /// loss rate over a round trip above which the flow has too much in flight
    loss_thresh: f64 = 0.02 in 0.0..=0.5,
    /// smallest fraction of a rate or of an amount in flight that remains after a cut
    beta: f64 = 0.7 in 0.1..=1.0,
    /// fraction of inflight_longterm that is left to other flows
    headroom: f64 = 0.15 in 0.0..=0.9,
    /// age of the smallest RTT at which ProbeRTT starts
    probe_rtt_interval: Duration = 5.0 "s" in 0.1..=1e5,
    /// age at which min_rtt is forgotten
    min_rtt_window: Duration = 10.0 "s" in 0.1..=1e5,
    /// minimum time for which ProbeRTT holds its window
    probe_rtt: Duration = 0.2 "s" in 0.0..=100.0,
    /// bandwidth-delay products in flight in ProbeRTT
    probe_rtt_gain: f64 = 0.5 in 0.0..=1.0,
} }
