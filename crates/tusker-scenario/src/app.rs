//! Applications that do not always have data, as they are written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::{Bytes, Duration, Rate};

use super::draws::Draw;
use super::text::Text;

/// An application that writes into its connection now and then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct App {
    /// Payload that it writes per second, while it is on.
    pub rate: Option<Text<Rate>>,
    /// Instead of `rate`: the time from one write to the next.
    pub every: Option<Draw<Text<Duration>>>,
    /// Payload of a write; a segment's unless said otherwise, with `rate`.
    pub write: Option<Draw<Text<Bytes>>>,
    /// For how long it writes, from a write on; always unless said otherwise.
    pub on: Option<Draw<Text<Duration>>>,
    /// For how long it then pauses.
    pub off: Option<Draw<Text<Duration>>>,
}
