//! What tests/run.mjs does in the module, natively: reads an input of `open` from each line of
//! stdin, and prints its summary as a line of JSON. `bench/wasm.py` compares both.

use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use serde_json::Value;
use tusker_page::Engine;

fn main() -> std::io::Result<()> {
    let mut engine = Engine::default();
    let begun = Instant::now();
    let mut clock = || begun.elapsed().as_secs_f64() * 1e3;
    for input in std::io::stdin().lock().lines() {
        let opened: Value = serde_json::from_str(&engine.call("open", &input?))?;
        let id = opened["id"].as_u64().unwrap_or_else(|| panic!("{opened}")) as u32;
        let seconds = opened["duration_s"].as_f64().unwrap_or_default() / 3.0;
        while !engine.advance(id, seconds, 5.0, &mut clock).expect("it goes on").done {}
        let summary = engine.call("summary", &id.to_string());
        engine.call("close", &id.to_string());
        println!("{}", Value::from(summary));
        std::io::stdout().flush()?;
    }
    Ok(())
}
