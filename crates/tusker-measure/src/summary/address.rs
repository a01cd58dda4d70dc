//! Addresses of measures: `jain`, `groups.S1.goodput_bps`, `links.R1->R2.utilisation`,
//! `transfers.short.time_mean_s`, `background.udp.loss_rate`, and `bottleneck.utilisation`, which
//! is of the first bottleneck.

use std::fmt;

use super::measures::Entry;
use super::{Background, Group, Harm, Link, Summary, Total, Transfers};
use crate::stats::Estimate;

/// What a measure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner<'a> {
    /// The whole experiment.
    Total,
    /// The group of flows of this name.
    Group(&'a str),
    /// The connections that come and go, of this name.
    Transfers(&'a str),
    /// The link of this name.
    Link(&'a str),
    /// The first bottleneck.
    Bottleneck,
    /// The background source of this name.
    Background(&'a str),
}

impl<'a> Owner<'a> {
    /// What stands before the name of the measure: the kind, and the name of the owner.
    pub(super) fn parts(self) -> (&'static str, &'a str) {
        match self {
            Self::Total => ("", ""),
            Self::Group(name) => ("groups", name),
            Self::Transfers(name) => ("transfers", name),
            Self::Link(name) => ("links", name),
            Self::Bottleneck => ("bottleneck", ""),
            Self::Background(name) => ("background", name),
        }
    }

    /// All measures that it has.
    fn entries(self) -> impl Iterator<Item = &'static Entry> {
        let (own, more): (&[Entry], &[Entry]) = match self {
            Self::Total => (Total::ENTRIES, &[]),
            Self::Group(_) => (Group::ENTRIES, Harm::ENTRIES),
            Self::Transfers(_) => (Transfers::ENTRIES, &[]),
            Self::Link(_) | Self::Bottleneck => (Link::ENTRIES, &[]),
            Self::Background(_) => (Background::ENTRIES, &[]),
        };
        own.iter().chain(more)
    }
}

/// The address of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasureRef<'a> {
    /// What it is of.
    pub of: Owner<'a>,
    /// Its name.
    pub name: &'a str,
}

impl<'a> MeasureRef<'a> {
    /// Reads an address; `None` if there is no such measure.
    pub fn parse(text: &'a str) -> Option<Self> {
        let (of, name) = match text.rsplit_once('.') {
            None => (Owner::Total, text),
            Some(("bottleneck", name)) => (Owner::Bottleneck, name),
            Some((owner, name)) => match owner.split_once('.')? {
                (_, "") => return None,
                ("groups", own) => (Owner::Group(own), name),
                ("transfers", own) => (Owner::Transfers(own), name),
                ("links", own) => (Owner::Link(own), name),
                ("background", own) => (Owner::Background(own), name),
                _ => return None,
            },
        };
        let known = of.entries().any(|entry| entry.name == name);
        known.then_some(Self { of, name })
    }
}

impl fmt::Display for MeasureRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, own) = self.of.parts();
        for part in [kind, own].into_iter().filter(|part| !part.is_empty()) {
            write!(f, "{part}.")?;
        }
        f.write_str(self.name)
    }
}

impl Summary {
    /// All measures with their addresses.
    pub fn measures(&self) -> impl Iterator<Item = (MeasureRef<'_>, Option<Estimate>)> {
        let groups = self.groups.iter().flat_map(|group| {
            let harm = group.harm.iter().flat_map(Harm::iter);
            group.measured.iter().chain(harm).map(at(Owner::Group(&group.name)))
        });
        let transfers = self.transfers.iter();
        let transfers =
            transfers.flat_map(|own| own.measured.iter().map(at(Owner::Transfers(&own.name))));
        let links = self.links.iter();
        let links = links.flat_map(|own| own.measured.iter().map(at(Owner::Link(&own.name))));
        let background = self.background.iter();
        let background =
            background.flat_map(|own| own.measured.iter().map(at(Owner::Background(&own.name))));
        let total = self.total.iter().map(at(Owner::Total));
        total.chain(groups).chain(transfers).chain(links).chain(background)
    }

    /// The estimate at an address.
    pub fn find(&self, address: MeasureRef<'_>) -> Option<Estimate> {
        let of = match address.of {
            Owner::Bottleneck => Owner::Link(&self.links.iter().find(|link| link.bottleneck)?.name),
            of => of,
        };
        let wanted = MeasureRef { of, ..address };
        self.measures().find(|(own, _)| *own == wanted)?.1
    }
}

/// A measure of this owner with its address.
fn at<'a>(
    of: Owner<'a>,
) -> impl Fn((&'static str, &Option<Estimate>)) -> (MeasureRef<'a>, Option<Estimate>) {
    move |(name, value)| (MeasureRef { of, name }, *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_written_as_it_is_read() {
        for (text, of) in [
            ("jain", Owner::Total),
            ("groups.S1.goodput_bps", Owner::Group("S1")),
            ("groups.S1.harm_rtt", Owner::Group("S1")),
            ("transfers.short.time_mean_s", Owner::Transfers("short")),
            ("links.L.reverse.utilisation", Owner::Link("L.reverse")),
            ("bottleneck.utilisation", Owner::Bottleneck),
            ("background.udp.loss_rate", Owner::Background("udp")),
        ] {
            let read = MeasureRef::parse(text).expect(text);
            assert_eq!((read.of, read.to_string().as_str()), (of, text));
        }
        let wrong = ["", "total", "total.jain", "group.S1.jain", "groups.jain", "groups..jain"];
        for text in wrong.into_iter().chain(["links.L.jain", "queue.x", "jain / 2"]) {
            assert_eq!(MeasureRef::parse(text), None, "{text}");
        }
    }
}
