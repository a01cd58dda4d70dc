//! Applications that do not always have data, as written in a scenario.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::{Bytes, Duration, Rate};

use super::draws::Draw;
use super::text::Text;

/// An application that writes to its connection from time to time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct App {
    /// Payload that it writes per second, while it is on.
    pub rate: Option<Text<Rate>>,
    /// Instead of `rate`: the time from one write to the next.
    pub every: Option<Draw<Text<Duration>>>,
    /// Payload of a write. Default with `rate`: one segment.
    pub write: Option<Draw<Text<Bytes>>>,
    /// Length of a writing period, which begins with a write. Default: it always
    /// writes.
    pub on: Option<Draw<Text<Duration>>>,
    /// Length of the pause that follows.
    pub off: Option<Draw<Text<Duration>>>,
}
