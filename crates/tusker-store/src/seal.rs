//! Files that say what is in them and end with a hash of that: `"check"`, of the text with an
//! empty one. So a change is seen, whoever makes it.

use serde::Serialize;

use crate::files::hash;

/// How a check begins.
const CHECK: &str = "\"check\": \"";

/// As JSON with the check of a value, whose own field of this name is empty, and the last.
///
/// # Panics
/// Never: all of it is plain data.
pub(super) fn sealed(bare: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(bare).expect("it is plain data") + "\n";
    let at = text.rfind(CHECK).expect("it has a check") + CHECK.len();
    format!("{}{}{}", &text[..at], hash(text.as_bytes()), &text[at..])
}

/// Whether the text is as it was sealed.
pub(super) fn holds(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let Some((begin, rest)) = text.rsplit_once(CHECK) else { return false };
    let Some((check, end)) = rest.split_once('"') else { return false };
    hash(format!("{begin}{CHECK}\"{end}").as_bytes()) == check
}
