//! What congestion controls are called where a name is needed.

/// A name for a group, and for a folder: `ghstcp:z=2` is `ghstcp+z2`.
pub fn group_name(cc: &str) -> String {
    let kept = cc.replace([':', ','], "+").replace('=', "");
    kept.chars().map(|c| if c.is_alphanumeric() || "+-_.".contains(c) { c } else { '-' }).collect()
}
