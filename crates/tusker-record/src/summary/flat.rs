//! The measures of one replicate as one row of a table.

use super::{Background, Group, Link, Replicate, Total, Transfers, View};
use crate::stats::Sample;

/// Name of every measure of a run. Measures of everything together have their own
/// names, others the name of what they are of before it: `goodput_bps`,
/// `groups.S1.goodput_bps`, `links.R1->R2.utilisation`,
/// `transfers.short.time_mean_s`, `background.udp.loss_rate`.
pub fn flat_names(view: &View<'_>) -> Vec<String> {
    let plan = view.plan;
    let total = Total::<()>::default();
    let mut names: Vec<String> = total.iter().map(|(name, ())| name.to_owned()).collect();
    let mut add = |kind: &str, own: &str, of: Vec<&'static str>| {
        names.extend(of.into_iter().map(|name| format!("{kind}.{own}.{name}")));
    };
    let of = || Group::<()>::default().iter().map(|own| own.0).collect();
    plan.groups.iter().for_each(|group| add("groups", group, of()));
    let of = || Transfers::<()>::default().iter().map(|own| own.0).collect();
    plan.traffic.iter().for_each(|t| add("transfers", &plan.groups[t.group], of()));
    let of = || Link::<()>::default().iter().map(|own| own.0).collect();
    view.shown.iter().for_each(|&link| add("links", &plan.links[link].name, of()));
    let of = || Background::<()>::default().iter().map(|own| own.0).collect();
    plan.background.iter().for_each(|source| add("background", &source.name, of()));
    names
}

/// Value of every measure, in the order of [`flat_names`]; NaN where there is none.
pub fn flat_values(replicate: &Replicate) -> Vec<f64> {
    let value = |(_, sample): (&'static str, &Sample)| sample.value.unwrap_or(f64::NAN);
    let mut values: Vec<f64> = replicate.total.iter().map(value).collect();
    replicate.groups.iter().for_each(|group| values.extend(group.iter().map(value)));
    replicate.transfers.iter().for_each(|own| values.extend(own.all.iter().map(value)));
    replicate.links.iter().for_each(|link| values.extend(link.iter().map(value)));
    replicate.background.iter().for_each(|own| values.extend(own.iter().map(value)));
    values
}
