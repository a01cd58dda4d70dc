//! How long runs take: reads an input of `open` from each line of stdin, runs it in pieces as the
//! page does, and prints the seconds. `bench/wasm.py` compares them with those of the module.

use std::io::{BufRead as _, Write as _};
use std::time::Instant;

use serde_json::Value;
use tusker_page::Engine;

fn main() -> std::io::Result<()> {
    let mut engine = Engine::default();
    for input in std::io::stdin().lock().lines() {
        let begun = Instant::now();
        let opened: Value = serde_json::from_str(&engine.call("open", &input?))?;
        let id = opened["id"].as_u64().unwrap_or_else(|| panic!("{opened}")) as u32;
        let mut clock = || begun.elapsed().as_secs_f64() * 1e3;
        while !engine.advance(id, 1e9, 25.0, &mut clock).expect("it goes on").done {}
        engine.call("summary", &id.to_string());
        engine.call("close", &id.to_string());
        println!("{}", begun.elapsed().as_secs_f64());
        std::io::stdout().flush()?;
    }
    Ok(())
}
