//! Settings of a profile other than those of [`super::tcp`].

use tusker_core::Duration;
use tusker_core::params::Sheet;

use super::limit::Limit;
use super::text::Profile;

/// A datagram and its reply between two network namespaces of one Linux took 10.4
/// us longer in the median than at the fastest: two hosts, with a mean of 5 us each
/// (docs/findings/ties.md).
const HOST_TIME: Duration = Duration::from_nanos(10_000);

impl Profile {
    /// A parameter of a law whose default depends on the profile.
    pub(super) fn law_param(self, sheet: &Sheet) -> Option<(&'static str, f64)> {
        const RESPONSE: &str = "ns2_response";
        let known = sheet.params.iter().any(|param| param.name == RESPONSE);
        (self == Self::Ns2 && known).then_some((RESPONSE, 1.0))
    }

    /// The longest time that hosts take before they act. Linux: [`HOST_TIME`].
    /// ns-2's agents act at once (`overhead_` 0).
    pub(super) fn host_time(self) -> Duration {
        match self {
            Self::Ns2 => Duration::ZERO,
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
