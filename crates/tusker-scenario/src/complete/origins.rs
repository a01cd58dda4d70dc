//! Where a value of a complete scenario may have been written in its text.

use crate::error::Fault;
use crate::source::Source;

/// Prefixes of paths in the complete scenario, and where the value may have been
/// written instead, the most likely place first.
#[derive(Default)]
pub struct Origins(Vec<(String, String)>);

impl Origins {
    pub fn add(&mut self, here: impl Into<String>, there: impl Into<String>) {
        self.0.push((here.into(), there.into()));
    }

    /// Where a group's values may have been written; `short` is the topology's
    /// table, if it has access links for all flows.
    pub fn add_group(&mut self, path: &str, short: Option<&str>) {
        self.add(format!("{path}.tcp.recovery"), format!("{path}.recovery"));
        self.add(format!("{path}.tcp"), "tcp");
        if let Some(short) = short {
            self.add(format!("{path}.access"), format!("{short}.access"));
        }
    }

    /// Translates a fault of the complete scenario to the place where it was
    /// written.
    pub fn translate(&self, mut fault: Fault, source: &Source) -> Fault {
        let mut candidates = vec![fault.path.clone()];
        for (here, there) in &self.0 {
            if let Some(rest) = fault.path.strip_prefix(here.as_str())
                && (rest.is_empty() || rest.starts_with('.'))
            {
                candidates.push(format!("{there}{rest}").trim_matches('.').to_owned());
            }
        }
        let whole = candidates.iter().position(|path| source.has(path));
        let best = whole.unwrap_or_else(|| {
            let deep = |i: &usize| (source.depth(&candidates[*i]), std::cmp::Reverse(*i));
            (0..candidates.len()).max_by_key(deep).unwrap_or(0)
        });
        fault.path = candidates.swap_remove(best);
        fault
    }
}
