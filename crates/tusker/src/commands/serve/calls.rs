//! The engine's calls (page/README.md), answered natively.

use std::io::Read;
use std::time::Instant;

use serde_json::{Value, json};
use tusker_page::Engine;

use super::answer::Answer;

/// The longest input.
const MAX_INPUT: u64 = 1 << 20;

/// The longest that a call simulates before it answers, milliseconds: nothing else is answered
/// meanwhile.
const MAX_WALL_MS: f64 = 200.0;

/// The engine.
#[derive(Default)]
pub struct Calls(Engine);

impl Calls {
    /// Answers a call of this name.
    pub fn answer(&mut self, name: &str, input: &mut dyn Read) -> Answer {
        let mut text = String::new();
        if input.take(MAX_INPUT + 1).read_to_string(&mut text).is_err() {
            text.clear();
        }
        Answer::json(match name {
            "advance" => self.advance(&text),
            _ => self.0.call(name, &text),
        })
    }

    /// `{id, seconds, wall_ms}` as `{t, done, values}`, a list for each column.
    fn advance(&mut self, text: &str) -> String {
        let input: Value = serde_json::from_str(text).unwrap_or_default();
        let number = |key: &str| input[key].as_f64().unwrap_or_default();
        let wall_ms = number("wall_ms").min(MAX_WALL_MS);
        let begun = Instant::now();
        let mut clock = || begun.elapsed().as_secs_f64() * 1e3;
        // an id that is no number is none of ours
        let id = input["id"].as_u64().and_then(|id| u32::try_from(id).ok()).unwrap_or_default();
        match self.0.advance(id, number("seconds"), wall_ms, &mut clock) {
            Ok(part) => {
                let columns: Vec<&[f64]> = match part.rows {
                    0 => Vec::new(),
                    rows => part.values.chunks(rows).collect(),
                };
                json!({ "t": part.t, "done": part.done, "values": columns }).to_string()
            }
            Err(fault) => fault.to_json(),
        }
    }
}
