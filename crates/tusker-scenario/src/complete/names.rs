//! Which names are allowed.

use std::collections::HashSet;

use tusker_plan::plan::Plan;

use crate::error::{Fault, Mistake, quote};

const LONGEST_NAME: usize = 64;

/// Names appear in files, in tables and on the command line.
pub fn check_name(name: &str, path: &str) -> Result<(), Fault> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    if !name.is_empty() && name.chars().count() <= LONGEST_NAME && name.chars().all(fits) {
        return Ok(());
    }
    Err(Mistake::new(
        format!("`{}` is not a valid name", quote(name)),
        format!("1 to {LONGEST_NAME} letters, digits, `_`, `-`, `.`, `+`"),
    )
    .at(path))
}

/// Checks that each of these names, given with its path, is unique.
pub fn check_unique<'a>(
    what: &str,
    names: impl Iterator<Item = (&'a str, String)>,
) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    for (name, path) in names {
        if !seen.insert(name) {
            let message = format!("a second {what} called `{name}`");
            return Err(Mistake::new(message, "names must be unique").at(path));
        }
    }
    Ok(())
}

/// Names derived from others may still collide. A derived name continues with a
/// dot, and there are many more of them than given names: they are compared only if
/// one given name starts with another. `sources` are the names of UDP sources.
pub fn check_made(plan: &Plan, nodes: &[String], sources: &[&str]) -> Result<(), Fault> {
    let mut roots: HashSet<&str> = plan.groups.iter().map(String::as_str).collect();
    let twice = sources.iter().any(|name| !roots.insert(name));
    let goes_on = |name: &str| name.match_indices('.').any(|(end, _)| roots.contains(&name[..end]));
    let given = nodes.iter().chain(&plan.groups).map(String::as_str).chain(sources.iter().copied());
    if !twice && !given.into_iter().any(goes_on) {
        return Ok(());
    }
    let nodes = plan.nodes.iter().map(String::as_str);
    let flows = plan.flows.iter().map(|f| f.name.as_str());
    let traffic = flows.chain(plan.background.iter().map(|b| b.name.as_str()));
    match twice_in(nodes).or_else(|| twice_in(traffic)) {
        None => Ok(()),
        Some(name) => {
            let help = "flows are called `group.0`, their hosts `group.0.src` and `group.0.dst`; \
                        rename whatever you gave such a name";
            Err(Mistake::new(format!("two things called `{name}`"), help).at(""))
        }
    }
}

fn twice_in<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.find(|&name| !seen.insert(name))
}
