//! Registers the names of laws and queue policies written in Python, for as long as a call uses
//! them.

use std::sync::Arc;

use pyo3::prelude::*;
use tusker_core::Need;
use tusker_core::foreign::{AnyLaw, AnyPolicy, Registration, Scope, register_law, register_policy};

use crate::law::PyLaw;
use crate::queue::PyQueue;
use crate::raised::{Raised, input_error};

/// A law or policy written in Python: its name in scenarios, its factory, its title, and
/// what it needs from the transport.
type One = (String, Py<PyAny>, String, Vec<String>);

/// Laws and queue policies written in Python, and what distinguishes them from others with
/// the same names.
pub type Written = (Vec<One>, Vec<One>, String);

/// While this exists, scenarios can use what was written in Python.
#[derive(Debug, Default)]
pub struct Names {
    /// The threads that find them.
    pub scope: Scope,
    laws: Vec<Registration<AnyLaw>>,
    queues: Vec<Registration<AnyPolicy>>,
}

impl Names {
    /// Registers laws and queue policies.
    pub fn new(py: Python<'_>, written: Option<Written>, raised: &Arc<Raised>) -> PyResult<Self> {
        let mut names = Self::default();
        let scope = names.scope;
        scope.within(|| names.register(py, written, raised))?;
        Ok(names)
    }

    fn register(
        &mut self,
        py: Python<'_>,
        written: Option<Written>,
        raised: &Arc<Raised>,
    ) -> PyResult<()> {
        let Some((laws, queues, _)) = written else { return Ok(()) };
        for (name, make, title, needs) in laws {
            let raised = raised.clone();
            let make = move || PyLaw::new(&make, &raised);
            let made = register_law(&name, &title, &read(py, &needs)?, make);
            self.laws.push(made.map_err(|_| taken(py, "congestion control", &name))?);
        }
        for (name, make, title, needs) in queues {
            let raised = raised.clone();
            let make = move |link: &tusker_core::queue::Link| PyQueue::new(&make, link, &raised);
            let made = register_policy(&name, &title, &read(py, &needs)?, make);
            self.queues.push(made.map_err(|_| taken(py, "queue policy", &name))?);
        }
        Ok(())
    }
}

fn taken(py: Python<'_>, what: &str, name: &str) -> PyErr {
    let text = format!("the {what} `{name}` already exists; give yours another name");
    input_error(py, text)
}

const NEEDS: [(&str, Need); 9] = [
    ("timestamps", Need::Timestamps),
    ("pacing", Need::Pacing),
    ("accurate_ecn", Need::AccurateEcn),
    ("l4s", Need::L4s),
    ("rate_samples", Need::RateSamples),
    ("rack", Need::RackTlp),
    ("not_ect", Need::NotEct),
    ("marking", Need::Marking),
    ("departures", Need::Departures),
];

fn read(py: Python<'_>, needs: &[String]) -> PyResult<Vec<Need>> {
    let one = |name: &String| {
        let found = NEEDS.iter().find(|(own, _)| own == name);
        found.map(|(_, need)| *need).ok_or_else(|| {
            let names: Vec<&str> = NEEDS.iter().map(|(name, _)| *name).collect();
            input_error(py, format!("`{name}` is not a need; there are {}", names.join(", ")))
        })
    };
    needs.iter().map(one).collect()
}
