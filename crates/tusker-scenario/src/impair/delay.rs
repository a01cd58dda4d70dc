//! A propagation delay that may change.

use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use tusker_core::Duration;

use super::changing::{ChangeKeys, Changing, Quantity, Step};
use crate::recorded::{Columns, Wanted};
use crate::text::{Text, Written};

/// The delay of a link.
pub type LinkDelay = Changing<Duration>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DelayTable {
    steps: Option<Vec<Step<Duration>>>,
    every: Option<Text<Duration>>,
    trace: Option<String>,
    columns: Option<Columns>,
    reorder: Option<bool>,
}

impl Quantity for Duration {
    const KEY: &'static str = "delay";
    const STEP: &'static [&'static str] = &["at", "delay"];
    const RECORDED: Wanted = Wanted::Delay;
    const WHAT: &'static str = <Self as Written>::WHAT;
    type Table = DelayTable;

    fn text(text: &str) -> Option<Result<Self, (String, String)>> {
        Some(Written::read(text))
    }

    fn table(t: DelayTable) -> Result<Changing<Self>, (String, String)> {
        let told = ChangeKeys {
            steps: t.steps,
            every: t.every,
            trace: t.trace,
            columns: t.columns,
            reorder: t.reorder,
        };
        let help = "write steps or trace, or only a time";
        told.read(false)?.ok_or_else(|| ("a table without a delay".into(), help.into()))
    }

    fn of_column(ms: f64) -> Option<Self> {
        (0.0..1e9).contains(&ms).then(|| Self::from_secs(ms / 1000.0))
    }

    fn write<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Text(*self).serialize(s)
    }

    fn schema(g: &mut SchemaGenerator) -> Schema {
        g.subschema_for::<Text<Self>>()
    }
}
