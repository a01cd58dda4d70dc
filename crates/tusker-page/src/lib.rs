//! The simulator as the live page uses it: calls that take JSON and return JSON, or columns of
//! numbers. A browser loads them as a WebAssembly module (`module.rs`), `tusker serve` calls
//! them natively ([`Engine`]).
//!
//! - `catalogue`: laws, queue policies and measures, from their sheets.
//! - `law_curves`: response function, increase and decrease of a law.
//! - `open`, `advance`, `summary`, `close`: a run, piece by piece.
//! - `convert`: a scenario as TOML, as JSON, and as a command.
//!
//! No input ends the program: whatever is wrong is an [`Fault`], and the limits of a run are
//! checked before it begins.

mod catalogue;
mod convert;
mod curves;
mod fault;
mod given;
mod limits;
mod live;
// natively, its `free` and `open` would take the place of the C library's
#[cfg(target_arch = "wasm32")]
pub mod module;
#[cfg_attr(not(feature = "own"), path = "no_own.rs")]
mod own;

use std::collections::BTreeMap;

use serde_json::Value;

pub use fault::Fault;
use live::Live;
pub use live::Rows;

/// The runs that are open.
#[derive(Default)]
pub struct Engine {
    runs: BTreeMap<u32, Live>,
    last: u32,
}

/// The most runs that may be open at a time.
const MAX_RUNS: usize = 64;

impl Engine {
    /// Answers a call of this name that takes and returns JSON.
    pub fn call(&mut self, name: &str, input: &str) -> String {
        let answer = match name {
            "catalogue" => Ok(catalogue::catalogue()),
            "law_curves" => curves::law_curves(input),
            "convert" => convert::convert(input),
            "open" => self.open(input),
            "summary" => number(input).and_then(|id| self.summary(id)),
            "close" => number(input).map(|id| {
                self.runs.remove(&id);
                "{\"ok\":true}".to_owned()
            }),
            _ => Err(Fault::new(
                format!("no call is named `{name}`"),
                "catalogue, law_curves, open, advance, summary, close or convert",
                "look at page/README.md",
            )),
        };
        answer.unwrap_or_else(|fault| fault.to_json())
    }

    /// Reads a scenario, checks it and the limits, and sets a run up.
    fn open(&mut self, input: &str) -> Result<String, Fault> {
        if self.runs.len() >= MAX_RUNS {
            return Err(Fault::new(
                format!("{MAX_RUNS} runs are open"),
                "fewer",
                "close one that is no longer shown",
            ));
        }
        let (live, mut answer) = Live::open(input)?;
        self.last = self.last.wrapping_add(1);
        answer["id"] = self.last.into();
        self.runs.insert(self.last, live);
        Ok(answer.to_string())
    }

    /// Continues a run for so many simulated seconds, or until `clock` (milliseconds) has
    /// advanced by `wall_ms`.
    ///
    /// # Errors
    /// If there is no such run, or it would exceed its memory; it is closed then.
    pub fn advance(
        &mut self,
        id: u32,
        sim_seconds: f64,
        wall_ms: f64,
        clock: &mut dyn FnMut() -> f64,
    ) -> Result<Rows, Fault> {
        let live = self.runs.get_mut(&id).ok_or_else(|| no_run(id))?;
        let rows = live.advance(sim_seconds, wall_ms, clock);
        if rows.is_err() {
            self.runs.remove(&id);
        }
        rows
    }

    fn summary(&mut self, id: u32) -> Result<String, Fault> {
        self.runs.get_mut(&id).ok_or_else(|| no_run(id))?.summary()
    }
}

fn no_run(id: u32) -> Fault {
    Fault::new(format!("no run {id} is open"), "the `id` that open returned", "open it again")
}

/// `{"id": 3}`, or the number alone.
fn number(input: &str) -> Result<u32, Fault> {
    let value: Value = given::json(input)?;
    let id = value.get("id").unwrap_or(&value).as_u64().and_then(|id| u32::try_from(id).ok());
    id.ok_or_else(|| Fault::new("no id of a run", "{\"id\": NUMBER}", "pass the `id` of open"))
}

#[cfg(test)]
mod tests;
