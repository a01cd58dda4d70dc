//! The measures of one replicate as one row of a table.

use super::{Background, Group, Link, Replicate, Total, Transfers, View};
use crate::stats::Sample;

/// Name of every measure of a run. Measures of the total have plain names, others
/// are prefixed with their owner: `goodput_bps`, `groups.S1.goodput_bps`,
/// `links.R1->R2.utilisation`, `transfers.short.time_mean_s`,
/// `background.udp.loss_rate`.
pub fn flat_names(view: &View<'_>) -> Vec<String> {
    let mut names = Vec::new();
    each_name(view, &mut |of, name| {
        names.push(match of {
            None => name.to_owned(),
            Some((kind, own)) => format!("{kind}.{own}.{name}"),
        });
    });
    names
}

/// Whether these are its [`flat_names`]; faster than building them.
pub fn has_flat_names(view: &View<'_>, names: &[String]) -> bool {
    let (mut known, mut same) = (names.iter(), true);
    each_name(view, &mut |of, name| {
        let rest = known.next().map(String::as_str);
        let rest = match of {
            None => rest,
            Some((kind, own)) => [kind, ".", own, "."]
                .into_iter()
                .fold(rest, |rest, part| rest.and_then(|rest| rest.strip_prefix(part))),
        };
        same &= rest == Some(name);
    });
    same && known.next().is_none()
}

/// The owner of a measure: kind and name; `None` for the total.
type Owner<'a> = Option<(&'a str, &'a str)>;

/// Each measure: its owner and its name.
fn each_name(view: &View<'_>, tell: &mut dyn FnMut(Owner<'_>, &'static str)) {
    let plan = view.plan;
    Total::<()>::default().iter().for_each(|(name, ())| tell(None, name));
    for group in &plan.groups {
        Group::<()>::default().iter().for_each(|own| tell(Some(("groups", group)), own.0));
    }
    for traffic in &plan.traffic {
        let of = Some(("transfers", plan.groups[traffic.group].as_str()));
        Transfers::<()>::default().iter().for_each(|own| tell(of, own.0));
    }
    for &link in &view.shown {
        let of = Some(("links", plan.links[link].name.as_str()));
        Link::<()>::default().iter().for_each(|own| tell(of, own.0));
    }
    for source in &plan.background {
        let of = Some(("background", source.name.as_str()));
        Background::<()>::default().iter().for_each(|own| tell(of, own.0));
    }
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
