//! Which connection of a file with several.

use crate::Mistake;
use crate::mistake::quote;

/// The most connections that an error lists.
const MOST: usize = 8;

/// The place of the connection that `flow` names: by its number from 1, in the order of these
/// labels, or by a part of its label. The first, if nothing is named.
pub(crate) fn one(file: &str, labels: &[String], flow: Option<&str>) -> Result<usize, Mistake> {
    let Some(flow) = flow else { return Ok(0) };
    if let Some(exact) = labels.iter().position(|label| label == flow) {
        return Ok(exact);
    }
    let number = flow.parse().ok().filter(|n| (1..=labels.len()).contains(n));
    let mut found = (0..labels.len()).filter(|&n| labels[n].contains(flow));
    match (number, found.next(), found.next()) {
        (Some(n), ..) => Ok(n - 1),
        (None, Some(only), None) => Ok(only),
        (None, first, _) => {
            let what = if first.is_some() { "several connections" } else { "no connection" };
            let message = format!("{file} has {what} {}", quote(flow));
            Err(Mistake::new(message, help(labels)))
        }
    }
}

/// The same where none of several is the natural one: it must be named.
pub(crate) fn named(file: &str, labels: &[String], flow: Option<&str>) -> Result<usize, Mistake> {
    if flow.is_none() && labels.len() > 1 {
        let message = format!("{file} has {} connections", labels.len());
        return Err(Mistake::new(message, help(labels)));
    }
    one(file, labels, flow)
}

fn help(labels: &[String]) -> String {
    let list = labels.iter().take(MOST).enumerate();
    let list: Vec<String> = list.map(|(n, own)| format!("{} {own}", n + 1)).collect();
    let more = if labels.len() > MOST { ", .." } else { "" };
    format!("--flow NUMBER or a part of: {}{more}", list.join(", "))
}

/// The error of a file that has one transfer only.
pub(crate) fn none(file: &str, flow: Option<&str>) -> Result<(), Mistake> {
    flow.map_or(Ok(()), |flow| {
        let message = format!("{file} has one transfer, and no connection {}", quote(flow));
        Err(Mistake::new(message, "leave --flow out: captures and lines of ss have several"))
    })
}
