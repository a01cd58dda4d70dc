//! What a call is given: JSON with a scenario, and perhaps the reader's own law.

use serde_json::{Map, Value};
use tusker_scenario::Scenario;

use crate::fault::Fault;
use crate::own::Own;

/// The longest input of a call, in bytes: a scenario of a link is a thousandth of it.
const MAX_INPUT: usize = 1 << 20;

/// Reads the input of a call.
pub fn json(input: &str) -> Result<Value, Fault> {
    if input.len() > MAX_INPUT {
        return Err(Fault::new(
            format!("an input of {} bytes", input.len()),
            format!("at most {MAX_INPUT} bytes"),
            "run it with `tusker run` instead",
        ));
    }
    serde_json::from_str(input).map_err(|error| {
        Fault::new(format!("not JSON: {error}"), "a JSON object", "copy the link or text again")
    })
}

/// The same, as an object.
pub fn object(input: &str) -> Result<Map<String, Value>, Fault> {
    match json(input)? {
        Value::Object(object) => Ok(object),
        _ => Err(Fault::new("not a JSON object", "{\"scenario\": ..}", "pass an object")),
    }
}

/// A scenario and the law that is written beside it.
pub struct Given {
    /// The scenario.
    pub scenario: Scenario,
    /// The reader's law, for as long as this lives.
    pub own: Option<Own>,
}

impl Given {
    /// From the key `scenario`: TOML text, or an object that may have a law under `own`.
    pub fn read(input: &mut Map<String, Value>) -> Result<Self, Fault> {
        let own = |law: Option<Value>| law.filter(|law| !law.is_null()).map(|law| Own::read(&law));
        match input.remove("scenario") {
            Some(Value::String(text)) => {
                let own = own(input.remove("own")).transpose()?;
                let read = || Scenario::parse("scenario", &text, &[]);
                Ok(Self { scenario: within(own.as_ref(), read)?, own })
            }
            Some(Value::Object(mut scenario)) => {
                let law = scenario.remove("own").or_else(|| input.remove("own"));
                let own = own(law).transpose()?;
                let scenario = Value::Object(scenario);
                let scenario = within(own.as_ref(), || Scenario::from_json("scenario", &scenario))?;
                Ok(Self { scenario, own })
            }
            _ => Err(Fault::new("no scenario", "TOML text or an object", "add `scenario`")
                .at("scenario")),
        }
    }
}

/// Does something where scenarios find the reader's law.
pub fn within<T>(own: Option<&Own>, work: impl FnOnce() -> T) -> T {
    match own {
        Some(own) => own.within(work),
        None => work(),
    }
}
