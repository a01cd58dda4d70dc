//! Applications that do not always have data.

use tusker_core::Bytes;
use tusker_plan::plan::{self, Gap};

use crate::app::App;
use crate::draws::Draw;
use crate::error::{Fault, Mistake};
use crate::text::Text;

/// The shortest time allowed, in seconds.
const SHORTEST: f64 = 1e-6;

/// The highest rate that makes sense; anything faster is a greedy flow.
const FASTEST: f64 = 1e12;

/// The application of a group at `path` whose segments carry `payload`.
pub fn complete(app: &App, payload: Bytes, path: &str) -> Result<plan::App, Fault> {
    let wrong = |message: &str, help: &str, key: &str| {
        Err(Mistake::new(message, help).at(format!("{path}.app{key}")))
    };
    let at = |key: &str| format!("{path}.app.{key}");
    let write = match &app.write {
        Some(write) => write.distribution(1.0, &at("write"))?,
        None => plan::Distribution::Constant(payload.get() as f64),
    };
    let gap = match (app.rate, &app.every) {
        (Some(Text(rate)), None) => {
            let rate = rate.bits_per_sec() as f64;
            if !(1.0..=FASTEST).contains(&rate) {
                return wrong(
                    "the write rate is out of range",
                    "from 1bit to 1Tbit, as in rate = \"20Mbit\"",
                    ".rate",
                );
            }
            // a greedy flow may be as fast as its segments
            let gap = write.mean() * 8.0 / rate;
            if gap < SHORTEST && write.mean() < payload.get() as f64 {
                return wrong(
                    &format!("a write every {:.3} ns", gap * 1e9),
                    "writes of at least a segment, or at least 1us apart",
                    ".write",
                );
            }
            Gap::Rate(rate)
        }
        (None, Some(every)) if app.write.is_some() => {
            Gap::Every(every.distribution(SHORTEST, &at("every"))?)
        }
        (None, Some(_)) => {
            return wrong("the size of the writes is missing", "add write = \"100kB\"", ".every");
        }
        (Some(_), Some(_)) => {
            return wrong("`every` together with `rate`", "keep one of the two", ".every");
        }
        (None, None) => {
            let help = "rate = \"20Mbit\", or write = \"100kB\" and every = \"50ms\"";
            return wrong("the time between writes is missing", help, "");
        }
    };
    let pauses = match (&app.on, &app.off) {
        (None, None) => None,
        (Some(on), Some(off)) => {
            Some((on.distribution(SHORTEST, &at("on"))?, off.distribution(SHORTEST, &at("off"))?))
        }
        (Some(_), None) => return wrong("`on` without `off`", "add off = \"1s\"", ".on"),
        (None, Some(_)) => return wrong("`off` without `on`", "add on = \"1s\"", ".off"),
    };
    Ok(plan::App { write, gap, pauses })
}

/// As written in a scenario, with every value filled in.
pub fn written(app: &App, payload: Bytes) -> App {
    let write = app.write.clone().unwrap_or(Draw::Constant(Text(payload)));
    App { write: Some(write), ..app.clone() }
}
