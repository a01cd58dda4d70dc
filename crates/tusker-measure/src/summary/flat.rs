//! The measures of one replicate as one row of a table.

use super::{Background, Group, Link, MeasureRef, Owner, Replicate, Total, Transfers, View};
use crate::stats::Sample;

/// The address of every measure of a run ([`MeasureRef`]).
pub fn flat_names(view: &View<'_>) -> Vec<String> {
    let mut names = Vec::new();
    each_name(view, &mut |of, name| {
        names.push(MeasureRef { of, name }.to_string());
    });
    names
}

/// Whether these are its [`flat_names`]; faster than building them.
pub fn has_flat_names(view: &View<'_>, names: &[String]) -> bool {
    let (mut known, mut same) = (names.iter(), true);
    each_name(view, &mut |of, name| {
        let rest = known.next().map(String::as_str);
        let rest = match of.parts() {
            ("", _) => rest,
            (kind, own) => [kind, ".", own, "."]
                .into_iter()
                .fold(rest, |rest, part| rest.and_then(|rest| rest.strip_prefix(part))),
        };
        same &= rest == Some(name);
    });
    same && known.next().is_none()
}

/// Each measure: its owner and its name.
fn each_name(view: &View<'_>, tell: &mut dyn FnMut(Owner<'_>, &'static str)) {
    let plan = view.plan;
    Total::<()>::default().iter().for_each(|(name, ())| tell(Owner::Total, name));
    for group in &plan.groups {
        Group::<()>::default().iter().for_each(|own| tell(Owner::Group(group), own.0));
    }
    for traffic in &plan.traffic {
        let of = Owner::Transfers(&plan.groups[traffic.group]);
        Transfers::<()>::default().iter().for_each(|own| tell(of, own.0));
    }
    for &link in &view.shown {
        let of = Owner::Link(&plan.links[link].name);
        Link::<()>::default().iter().for_each(|own| tell(of, own.0));
    }
    for source in &plan.background {
        let of = Owner::Background(&source.name);
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
