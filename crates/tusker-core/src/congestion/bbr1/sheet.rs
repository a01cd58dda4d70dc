//! The sheet of BBRv1, shown by `tusker explain bbr1`.

use super::{HIGH_GAIN, State};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Need, Sheet};
use crate::table::params;
use crate::units::Duration;

pub(in crate::congestion) const SHEET: Sheet = Sheet {
    name: "bbr1",
    title: "BBR (bottleneck bandwidth and round-trip propagation time), version 1",
    family: Family::Rate,
    source: "Cardwell, Cheng, Gunn, Yeganeh, Jacobson: BBR: Congestion-Based Congestion Control, \
             ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00",
    equations: "\
BtlBw  = max(delivery rate) over 10 round trips
RTprop = min(RTT) over rtprop_window
pacing = pacing_gain BtlBw
cwnd   = cwnd_gain BtlBw RTprop + 3;  it grows by at most what each ACK acknowledges
ProbeBW:   pacing_gain 1.25, 0.75, 1, 1, 1, 1, 1, 1 for RTprop each
ProbeRTT:  after rtprop_window without an RTT as low as RTprop:  cwnd = min_pipe_cwnd for at
           least probe_rtt and one round trip;  not right after idle time
after idle time in ProbeBW:  pacing_gain is 1 until the first ACK
recovery:  its first round trip sends only as much as is delivered;  at the end, cwnd is as
           before",
    differs: "\
The draft starts the gain cycle at a random phase other than 0.75; here the phase \
is derived from the nanosecond at which ProbeBW starts. Test: \
the_phase_follows_from_the_time.
The send quantum is one segment, so that 3 quanta are 3 segments; in the draft it is \
up to 64 kB, for hosts with segmentation offload. Script: bbr1.
Linux (net/ipv4/tcp_bbr.c) differs from the draft; linux_details = 1 does as Linux does: it paces \
1 % slower; a quantum is what the pacing rate gives in 1/1024 s (2 segments to 64 kB); cwnd also \
has what was acknowledged beyond BtlBw at once within 5 to 10 round trips (at most 100 ms of \
BtlBw), is even, and has 2 more in the phase of 1.25; a recovery that begins with the ACK \
that ends another one continues it; and what counts as in flight, when a phase \
or Drain may end, is what will be in flight when the next segments leave. Script: bbr1_linux. \
lt_bw = 1 recognises a policer as Linux does: two intervals of 4 to 16 round trips in which lost \
segments are at least 50/256 of those delivered, at nearly the same rate. That rate then takes \
the place of BtlBw, with a pacing_gain of 1, for 48 round trips. Test: \
the_rate_of_the_policer_is_paced. The profile linux has both.
Left out, with linux_details too: after a timeout, which Linux takes for the end of a round trip, \
cwnd is 1 plus what was sent too recently to count as lost, and a Startup counts again \
from the first of its three round trips.",
    needs: &[Need::Pacing, Need::RateSamples, Need::RackTlp, Need::NotEct],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux {
        module: Some(Module {
            params: &[("linux_details", 1.0), ("lt_bw", 1.0)],
            ..Module::of("bbr", Counts::Neither)
        }),
        today: "This is what Linux runs today as `bbr` (tcp_bbr), apart from the differences above. \
                Kernels that were built with BBRv3 run that instead.",
        ..Linux::NONE
    },
    losses: Losses::UNKNOWN,
    look: Look { hue: 5, dash: 1 },
    states: State::NAMES,
    params: Bbr1Params::LIST,
};

params! { pub(in crate::congestion) struct Bbr1Params {
    /// pacing and cwnd gain in Startup, 2/ln 2; Drain paces with its inverse
    high_gain: f64 = HIGH_GAIN in 1.1..=10.0,
    /// largest amount in flight in ProbeBW, in bandwidth-delay products
    cwnd_gain: f64 = 2.0 in 1.0..=10.0,
    /// age at which RTprop is measured again
    rtprop_window: Duration = 10.0 "s" in 0.1..=1e5,
    /// minimum time for which ProbeRTT holds its window
    probe_rtt: Duration = 0.2 "s" in 0.0..=100.0,
    /// window in ProbeRTT, and the smallest window otherwise
    min_pipe_cwnd: f64 = 4.0 "segments" in 1.0..=100.0,
    /// pacing and cwnd as in Linux's module
    linux_details: bool = false,
    /// pace at the rate of a policer, if losses show one, as Linux's module does
    lt_bw: bool = false,
} }
