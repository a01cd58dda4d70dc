//! What else a profile says, besides the settings of [`super::tcp`].

use tusker_core::params::Sheet;

use super::limit::Limit;
use super::text::Profile;

impl Profile {
    /// A parameter of a law that differs with the profile, unless it is given.
    pub(super) fn law_param(self, sheet: &Sheet) -> Option<(&'static str, f64)> {
        const RESPONSE: &str = "ns2_response";
        let known = sheet.params.iter().any(|param| param.name == RESPONSE);
        (self == Self::Ns2 && known).then_some((RESPONSE, 1.0))
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
