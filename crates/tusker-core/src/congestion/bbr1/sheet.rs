//! BBRv1 as `tusker explain bbr1` shows it.

use crate::params::{Need, Param, Sheet};

pub(in crate::congestion) const SHEET: Sheet = Sheet {
    name: "bbr1",
    title: "BBR (bottleneck bandwidth and round-trip propagation time), version 1",
    source: "Cardwell, Cheng, Gunn, Yeganeh, Jacobson 2016; \
             draft-cardwell-iccrg-bbr-congestion-control-00",
    equations: "\
BtlBw  = max(delivery rate) over 10 round trips
RTprop = min(RTT) over rtprop_window
pacing = pacing_gain BtlBw
cwnd   = cwnd_gain BtlBw RTprop + 3, approached by what each ACK delivers
ProbeBW:   pacing_gain 1.25, 0.75, 1, 1, 1, 1, 1, 1 for RTprop each
ProbeRTT:  cwnd = min_pipe_cwnd for probe_rtt and one round trip, every rtprop_window
recovery:  its first round trip sends what is delivered; at its end cwnd is as before",
    differs: "\
The draft begins the gain cycle at a random phase other than 0.75; here the phase \
follows from the nanosecond at which ProbeBW begins. Test: \
the_phase_follows_from_the_time.
A send quantum is one segment, so that 3 quanta are 3 segments; the draft has up \
to 64 kB for hosts that offload. Script: bbr1.
A flow that was idle keeps its pacing gain; the draft restarts with 1. Our sources \
do not pause.
Linux adds to cwnd what ACKs aggregate, and paces 1 % slower; this is the draft.",
    needs: &[Need::Pacing, Need::RateSamples, Need::RackTlp, Need::NotEct],
    params: &[
        Param {
            name: "high_gain",
            unit: "",
            default: super::HIGH_GAIN,
            min: 1.1,
            max: 10.0,
            about: "pacing and cwnd gain in Startup, 2/ln 2; Drain paces with its inverse",
        },
        Param {
            name: "cwnd_gain",
            unit: "",
            default: 2.0,
            min: 1.0,
            max: 10.0,
            about: "bandwidth-delay products in flight in ProbeBW",
        },
        Param {
            name: "rtprop_window",
            unit: "s",
            default: 10.0,
            min: 0.1,
            max: 1e5,
            about: "age at which RTprop is measured anew",
        },
        Param {
            name: "probe_rtt",
            unit: "s",
            default: 0.2,
            min: 0.0,
            max: 100.0,
            about: "how long ProbeRTT holds its window at least",
        },
        Param {
            name: "min_pipe_cwnd",
            unit: "segments",
            default: 4.0,
            min: 1.0,
            max: 100.0,
            about: "window in ProbeRTT, and the least window otherwise",
        },
    ],
};
