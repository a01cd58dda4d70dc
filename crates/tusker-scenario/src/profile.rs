//! Settings of a profile other than those of [`super::tcp`].

use tusker_core::Duration;
use tusker_core::congestion::linux::{self, Counts};
use tusker_core::params::Sheet;
use tusker_plan::plan::{Counting, HostTime};

use super::limit::Limit;
use super::text::Profile;

/// Measured: bench/wakeups.py; docs/findings/ties.md has the quantiles.
const HOST_TIME: HostTime = HostTime::Exponential(Duration::from_nanos(5_000));

impl Profile {
    /// The parameters of a law whose defaults depend on the profile. Linux: those of the
    /// kernel's module.
    pub(super) fn law_params(self, sheet: &Sheet) -> &'static [(&'static str, f64)] {
        const RESPONSE: (&str, f64) = ("ns2_response", 1.0);
        match self {
            Self::Ns2 if sheet.params.iter().any(|param| param.name == RESPONSE.0) => &[RESPONSE],
            Self::Ns2 => &[],
            Self::Linux => linux::module(sheet.name).map_or(&[], |module| module.params),
        }
    }

    /// What the window of a law counts. ns-2's agents count ACKs; of Linux's laws, the
    /// kernel's modules say it, and tcp_slow_start() grows by everything that an ACK
    /// acknowledges.
    pub(super) fn counting(self, sheet: &Sheet) -> Counting {
        let counts = linux::module(sheet.name).map_or(Counts::Segments, |module| module.counts);
        match (self, counts) {
            (Self::Ns2, _) | (Self::Linux, Counts::Acks) => Counting::Acks,
            (Self::Linux, Counts::AcksInAvoidance) => Counting::SegmentsThenAcks,
            (Self::Linux, Counts::Segments | Counts::Neither) => Counting::Segments(u32::MAX),
        }
    }

    /// How long hosts take before they act. Linux: [`HOST_TIME`].
    /// ns-2's agents act at once (`overhead_` 0).
    pub(super) fn host_time(self) -> HostTime {
        match self {
            Self::Ns2 => HostTime::ZERO,
            Self::Linux => HOST_TIME,
        }
    }

    /// The sending host's own queue. ns-2 would hold 50 packets there (`Queue
    /// set limit_ 50`), which would make the host the bottleneck of every long
    /// path; 10,000 is an assumption, and an expensive one for flows without SACK.
    pub(super) fn host_queue(self) -> Limit {
        match self {
            Self::Ns2 => Limit::Packets(10_000),
            Self::Linux => Limit::Backpressure(None),
        }
    }
}
