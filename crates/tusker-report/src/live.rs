//! Links to the live page.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::io::Write as _;

use tusker_scenario::Scenario;

/// The part of an address after which the live page has this scenario (TOML):
/// `#v1.` and the deflated JSON of `{"scenario": ..}`, in base64url.
///
/// # Panics
/// Never: memory takes what is written to it.
pub fn fragment(scenario: &str) -> String {
    let json = serde_json::json!({ "scenario": scenario }).to_string();
    let mut deflated = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    deflated.write_all(json.as_bytes()).expect("memory takes all");
    let deflated = deflated.finish().expect("memory takes all");
    format!("#v1.{}", URL_SAFE_NO_PAD.encode(deflated))
}

/// A scenario as the text of a link: as it was written, or with every value filled in if it is
/// not complete without other files (traces).
pub fn text(scenario: &Scenario) -> String {
    let text = scenario.to_toml();
    match Scenario::parse("link", &text, &[]).and_then(|own| own.plan()) {
        Ok(_) => text,
        Err(_) => scenario.complete().map_or(text, |whole| whole.to_scenario().to_toml()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    /// Inflated by the other half of the codec, which browsers have as `deflate-raw`.
    #[test]
    fn a_link_holds_the_scenario() {
        let text = "profile = 'linux'\n# \u{e9}\n";
        let link = fragment(text);
        let packed = link.strip_prefix("#v1.").expect("version 1");
        assert!(packed.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)), "{link}");
        let bytes = URL_SAFE_NO_PAD.decode(packed).expect("base64url");
        let mut json = String::new();
        flate2::read::DeflateDecoder::new(&*bytes).read_to_string(&mut json).expect("deflated");
        let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(value, serde_json::json!({ "scenario": text }));
    }
}
