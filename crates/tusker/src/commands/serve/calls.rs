//! The engine's calls (page/README.md), answered natively.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tusker_page::{Engine, Fault};

use super::answer::{Answer, Lines};
use super::http::Request;

/// The most that a run may ask for.
const LIMITS: [(&str, f64); 4] =
    [("duration_s", 3_600.0), ("segments", 1e9), ("bytes", 1e9), ("flows", 1_000.0)];

/// The longest that a run may take.
const MAX_WALL: Duration = Duration::from_secs(120);

/// The most runs at a time.
const MAX_RUNS: usize = 8;

/// Values are sent that often.
const PIECE_MS: f64 = 25.0;

/// Answers a call of this name that takes and returns JSON.
pub fn answer(name: &str, input: &str) -> Answer {
    Answer::json(Engine::default().call(name, input))
}

/// The runs that are under way: a clone for each.
#[derive(Default)]
pub struct Runs(Arc<()>);

impl Runs {
    /// Runs a scenario, and sends what the worker of the page posts, a message a line. The run
    /// ends when the client goes.
    ///
    /// # Errors
    /// If the client has gone.
    pub fn run(&self, request: Request) -> io::Result<()> {
        let slot = Arc::clone(&self.0);
        let input = limited(&request.body);
        let mut lines = Lines::begin(request)?;
        let last = match Arc::strong_count(&slot) > MAX_RUNS + 1 {
            true => error(&too_many().to_json()),
            false => run(&input, &mut lines)?,
        };
        lines.send(&last)
    }
}

/// Sends all messages but the last one.
fn run(input: &str, lines: &mut Lines) -> io::Result<String> {
    let mut engine = Engine::default();
    let opened = engine.call("open", input);
    let answer: Value = serde_json::from_str(&opened).unwrap_or_default();
    // an id that is no number is none of ours
    let Some(id) = answer["id"].as_u64().and_then(|id| u32::try_from(id).ok()) else {
        return Ok(error(&opened));
    };
    lines.send(&format!("{{\"type\":\"opened\",\"opened\":{opened}}}"))?;
    let begun = Instant::now();
    let mut clock = || begun.elapsed().as_secs_f64() * 1e3;
    loop {
        let part = match engine.advance(id, f64::INFINITY, PIECE_MS, &mut clock) {
            Ok(part) => part,
            Err(fault) => return Ok(error(&fault.to_json())),
        };
        let columns: Vec<&[f64]> = part.values.chunks(part.rows.max(1)).collect();
        let (t, done) = (part.t, part.done);
        let part = json!({ "type": "series", "t": t, "done": done, "values": columns });
        lines.send(&part.to_string())?;
        if done {
            let summary = engine.call("summary", &json!({ "id": id }).to_string());
            return Ok(format!("{{\"type\":\"done\",\"summary\":{summary}}}"));
        }
        if begun.elapsed() > MAX_WALL {
            return Ok(error(&too_long().to_json()));
        }
    }
}

/// `{"error": ..}` as a message.
fn error(answer: &str) -> String {
    answer.replacen('{', "{\"type\":\"error\",", 1)
}

fn too_many() -> Fault {
    let remedy = "stop one that is no longer shown, or close its tab";
    Fault::new(format!("{MAX_RUNS} runs are under way"), "fewer", remedy)
}

fn too_long() -> Fault {
    let (message, most) = ("the run takes too long", MAX_WALL.as_secs());
    let remedy = "a lower rate, or a shorter `duration`; or run it with `tusker run`";
    Fault::new(message, format!("at most {most} s of computing"), remedy)
}

/// The same call with limits of at most [`LIMITS`].
fn limited(input: &str) -> String {
    let Ok(Value::Object(mut call)) = serde_json::from_str(input) else { return input.to_owned() };
    let limits = call.entry("limits").or_insert(Value::Null);
    if limits.is_null() || limits.is_object() {
        for (key, most) in LIMITS {
            let given = limits.get(key).and_then(Value::as_f64);
            limits[key] = given.unwrap_or(most).min(most).into();
        }
    }
    Value::Object(call).to_string()
}
