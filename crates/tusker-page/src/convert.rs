//! A scenario as TOML, as JSON and as a command.

use serde_json::json;

use crate::fault::Fault;
use crate::given::{Given, object, within};
use crate::own::NAME;

/// `{scenario}` as `{toml, scenario, command}`.
pub fn convert(input: &str) -> Result<String, Fault> {
    let mut input = object(input)?;
    let Given { scenario, own } = Given::read(&mut input)?;
    // what cannot run is not handed on
    within(own.as_ref(), || scenario.plan())?;
    if own.is_some() && scenario.flows.iter().any(|flow| flow.cc.name == NAME) {
        return Err(Fault::new(
            "the law `own` exists only on this page",
            "a law of the registry",
            "write it in Python: docs/python.md#a-law-of-your-own",
        ));
    }
    let toml = scenario.to_toml();
    let command = format!("tusker run - <<'END'\n{toml}END\n");
    Ok(json!({ "toml": toml, "scenario": scenario.to_json(), "command": command }).to_string())
}
