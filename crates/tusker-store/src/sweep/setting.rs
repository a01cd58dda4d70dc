//! What the points of a sweep have in common, and how far they differ.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

/// The least and the most of all points.
pub type Range = [f64; 2];

/// What the points of a sweep have in common, and how far they differ. What is absent differs,
/// or is not known of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The measuring window, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_s: Option<Range>,
    /// The seed of the first replicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Rates of the slowest link of each flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<Range>,
    /// Round trips without queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_s: Option<Range>,
    /// Share of packets that the wires of a path lose at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Range>,
    /// Largest random delay of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter_s: Option<Range>,
    /// Number of flows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<Range>,
    /// Bandwidth-delay product of every flow, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bdp_bytes: Option<u64>,
    /// Size of a packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet_bytes: Option<u64>,
    /// Queue policy of the slowest links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Loss recovery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
    /// Profile of the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The congestion controls, and where each is described.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub laws: BTreeMap<String, String>,
    /// Version of Tusker.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tusker: String,
}

/// Earlier versions stored a sentence, of which nothing is known.
pub(super) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Setting>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Setting(Box<Setting>),
        Sentence(#[expect(dead_code, reason = "read and forgotten")] String),
    }
    Ok(match Option::<Stored>::deserialize(from)? {
        Some(Stored::Setting(setting)) => Some(*setting),
        Some(Stored::Sentence(_)) | None => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_an_earlier_version_is_forgotten() {
        #[derive(Deserialize)]
        struct Of {
            #[serde(default, deserialize_with = "read")]
            setting: Option<Setting>,
        }
        let of = |text: &str| serde_json::from_str::<Of>(text).map(|of| of.setting);
        assert_eq!(of("{}").unwrap(), None);
        assert_eq!(of(r#"{"setting":"measured from 2 s to 4 s"}"#).unwrap(), None);
        let setting = Setting { seed: Some(3), ..Setting::default() };
        assert_eq!(of(r#"{"setting":{"seed":3}}"#).unwrap(), Some(setting));
        assert!(of(r#"{"setting":{"sead":3}}"#).is_err());
    }
}
