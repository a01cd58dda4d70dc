//! The sheet of C4, shown by `tusker explain c4`.

use super::State;
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::table::params;

pub(in crate::congestion) const SHEET: Sheet = Sheet {
    name: "c4",
    title: "C4 (Christian's Congestion Control Code)",
    family: Family::Rate,
    source: "draft-huitema-ccwg-c4-spec, sections 3 to 6 of the editors' copy that follows version -04 (July 2026)",
    equations: "\
pacing = alpha r,  w = max(alpha r (RTTmax + min(RTTmax/4, 15 ms)), 2),  r: nominal rate, RTTmax:
  nominal max RTT;  segments leave together for 4 ms of pacing, at most 64 KiB, at least two
alpha: recovery 15/16 or, if a queue is to be drained, 7/8;  cruising 1;  probing 17/16, or 33/32
  once marks were seen;  pushing 5/4
initial: alpha = 2 and at least 1,048,576 bit/s;  w = max(w0, alpha r RTTmax),
  w0 <- w0 + acknowledged/8^n per ACK,  n: eras in a row in which r grew by less than 1/4
  at its end:  RTTmax <- w/2 / r
r <- max(r, rate of delivery), unless congested in recovery
era: a round trip.  At its end, if the era before it had alpha <= 1:  m: largest RTT of the era,
  at most 250 ms above the smoothed smallest;  RTTmax <- m if that is more, else (7 RTTmax + m)/8
congested:  RTT > RTTmax + d,  d = min(25 ms, (1/16 + 3/16 (1 - s)) RTTmax),  or
            loss rate (moving average, weight 1/16 per packet) > 0.02 + 0.50 (1 - s),  or
            mark rate a > e = (2 - s) 3/32;  f: the share of an ACK's segments that was marked,
            a <- f if f >= 1/2, else a + (f - a)/16
            s: rises from 0 at r = 50 kB/s to 0.92 at 1 MB/s, and to 1 at 10 MB/s
congested in cruising:  r <- (1 - b) r,  b = beta for losses, min(beta, (RTT - RTTmax - d)/d) for
  delay, min(beta, (a - e)/e) for marks
end of recovery, R: largest rate of delivery since the end of the last one:
  r <- min(r, R) after two congested recoveries in a row
  r <- (r + R)/2 if r did not grow since then, without congestion
  pushing if a probe without congestion raised r, initial the first time that the smallest
  RTT < 2/5 RTTmax, else cruising
end of an era of pushing, from the second on:  recovery if r grew to less than 19/16 of its value
  at the era's beginning,  initial after three",
    differs: "\
The draft prints `nominal_rate > rate_estimate` as the condition for raising the \
rate; here higher estimates raise r, as its text says. It adds the margin, a time, to the \
pacing rate; here it is added to the nominal max RTT. Script: c4.
It leaves the initial state after three eras in which the rate did not increase. Here an \
increase is at least a quarter of what alpha = 2 asks for, as in the author's code: if any \
increase counted, rounding would keep the flow in this state until the buffer is full. Script: c4.
Where its overview and its sections disagree, the sections count: two eras of \
cruising (overview: four). For draining, its table has 3/4, its section 7/8, which is in the \
author's notes and code, too. Script: c4.
A path whose RTT is reduced is one whose nominal max RTT is less at the beginning of \
recovery than at the end of the last, as in the author's notes. Script: c4.
The nominal max RTT is not reduced at congestion: the draft says that it may be, and gives \
no rule. The state for remembered values (careful resume) is left out, and the advice on \
paths of less than 1 ms. Script: c4.
The draft resets the rate to the recent maximum rate at persistent congestion; here, as in \
the author's code, this only lowers it. High jitter leads to the initial state once per \
connection, as in version -01 and the author's code; the draft no longer says how often, and \
without a limit the window with which that state ends would count as jitter. Script: c4.
In three other points the author's code (picoquic) differs from the draft, which we follow: \
it lengthens a recovery in which congestion is seen, forgets the loss rate at its end, and adds \
up to a segment to the window of probes. Script: c4.
The mark rate changes with each ACK, as the draft says, so with delayed ACKs one mark is \
half of an ACK (docs/law-checks.md: a third of the link at DualPI2). Script: c4.
Losses found only by a timer change nothing, as the draft requires. TCP detects \
losses with RACK, and a timeout leaves the window unchanged. Script: c4.
Rates come from the sampler of draft-ietf-ccwg-bbr, never over less than a round trip. \
Test: c4_probes_a_sixteenth_and_takes_it_back.",
    needs: &[Need::Pacing, Need::RateSamples, Need::RackTlp, Need::L4s],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 2, dash: 1 },
    states: State::NAMES,
    params: C4Params::LIST,
};

params! { pub(in crate::congestion) struct C4Params {
    /// pacing rate in recovery, as a fraction of the nominal rate
    recovery: f64 = 0.9375 in 0.1..=1.0,
    /// pacing rate in recovery if a queue is to be drained, as a fraction of the nominal rate
    drain: f64 = 0.875 in 0.1..=1.0,
    /// pacing rate of a probe, as a fraction of the nominal rate
    probe: f64 = 1.0625 in 1.01..=2.0,
    /// pacing rate of a probe once marks were seen, as a fraction of the nominal rate
    marked_probe: f64 = 1.03125 in 1.01..=2.0,
    /// pacing rate of a push, as a fraction of the nominal rate
    push: f64 = 1.25 in 1.01..=2.0,
    /// eras of cruising before a probe
    cruise: u32 = 2.0 in 1.0..=1_000.0,
    /// largest fraction of the rate that one congestion signal removes
    beta: f64 = 0.25 in 0.01..=0.9,
} }
