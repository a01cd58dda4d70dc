//! How far a conclusion is from the opposite verdict, and in which rows it holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_record::stats::median;

use crate::claims::Verdict;
use crate::judge::Compared;

/// Comparisons that are listed by name; if there are more, they are only counted.
const NAMED: usize = 2;

/// Characters of a test that are shown.
const SHOWN: usize = 90;

/// What a margin is a share of, in words.
pub const MARGIN_OF: &str = "share of the larger side";

/// By how much the two sides of its comparisons differ, as a share of the larger side;
/// negative where a comparison fails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Margin {
    /// The median over all comparisons.
    pub median: f64,
    /// The smallest margin: of the comparison closest to failing or, if some fail, of the one
    /// that fails by most. For a conclusion that does not hold, of those that fail the one
    /// closest to holding.
    pub nearest: f64,
    /// That comparison: `fairness(7@25) > fairness(4@25)`.
    pub test: String,
}

impl Margin {
    /// Of a conclusion that holds or does not hold.
    pub(super) fn of(comparisons: &[&Compared], holds: bool) -> Option<Self> {
        let margin = |compared: &&Compared| Some((part(compared)?, compared.test.clone()));
        let mut margins: Vec<(f64, String)> = comparisons.iter().filter_map(margin).collect();
        margins.sort_by(|a, b| a.0.total_cmp(&b.0));
        let median = median(&margins.iter().map(|(part, _)| *part).collect::<Vec<_>>())?;
        let short = margins.iter().rev().find(|(part, _)| *part <= 0.0);
        let (nearest, test) = if holds { margins.first()? } else { short? }.clone();
        Some(Self { median, nearest, test })
    }

    /// `median 23 %, closest to failing 0.4 % (fairness(7@25) > fairness(4@25))`, for a
    /// conclusion with this verdict.
    pub fn text(&self, verdict: Verdict) -> String {
        let Self { median, nearest, test } = self;
        let which = match verdict {
            Verdict::DoesNotHold => "closest to holding",
            _ if *nearest > 0.0 => "closest to failing",
            _ => "worst",
        };
        let (median, nearest) = (percent(*median), percent(*nearest));
        let test = shortened(test);
        format!("median {median}, {which} {nearest} ({test})")
    }
}

/// A test, cut off if it does not fit on a line.
pub(super) fn shortened(test: &str) -> String {
    match test.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ...", test[..end].trim_end()),
        None => test.to_owned(),
    }
}

/// With two digits.
fn percent(part: f64) -> String {
    let hundredths = part * 100.0;
    let decimals = match hundredths.abs() {
        small if small < 0.1 => 2,
        small if small < 10.0 => 1,
        _ => 0,
    };
    format!("{hundredths:.decimals$} %")
}

/// The smallest difference between neighbours, as a share of the larger side; none if one
/// side is zero, as any value is then far from it.
fn part(compared: &Compared) -> Option<f64> {
    let pairs = compared.values.windows(2).zip(&compared.signs);
    let each = pairs.map(|(pair, sign)| {
        let larger = pair[0].abs().max(pair[1].abs());
        let ahead = if sign.starts_with('<') { pair[1] - pair[0] } else { pair[0] - pair[1] };
        let smaller = pair[0].abs().min(pair[1].abs());
        if smaller > 0.0 { ahead / larger } else { f64::NAN }
    });
    each.filter(|part| !part.is_nan()).min_by(f64::total_cmp)
}

/// Where something holds that does not hold everywhere: in which rows if these differ from
/// the others, or else in how many.
pub(super) fn where_it_holds(comparisons: &[&Compared]) -> Vec<String> {
    let at = |such: &dyn Fn(&Compared) -> bool| -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for compared in comparisons.iter().filter(|compared| such(compared)) {
            for name in variants(&compared.test) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    };
    let (yes, no) = (at(&Compared::supports), at(&|c| !c.supports()));
    let apart = !yes.is_empty() && !no.is_empty() && !yes.iter().any(|name| no.contains(name));
    let count = |such: fn(&Compared) -> bool| comparisons.iter().filter(|c| such(c)).count();
    let (held, chance) = (count(Compared::supports), count(Compared::is_chance));
    let of = comparisons.len();
    let (mut found, mut failed) = (Vec::new(), String::new());
    if apart {
        let (yes, no) = (yes.join(", "), no.join(", "));
        found.push(format!("the setting (it holds at {yes}, not at {no})"));
    } else if held + chance < of {
        let against = comparisons.iter().filter(|c| !c.supports() && !c.is_chance());
        let named: Vec<String> = against.map(|c| shortened(&c.test)).collect();
        let fail = match named.as_slice() {
            [one] => format!("{one} fails"),
            [one, two] => format!("{one} and {two} fail"),
            named => {
                let more = named.len().saturating_sub(NAMED);
                format!("{} and {more} more fail", named[..named.len().min(NAMED)].join(", "))
            }
        };
        match held {
            // it would fail but for those that chance decides
            0 => failed = format!("; {fail}"),
            _ => found.push(format!("the row ({held} of {of} comparisons hold; {fail})")),
        }
    }
    if chance > 0 {
        let lie = if chance == 1 { "lies" } else { "lie" };
        found.push(format!("the seed ({chance} of {of} comparisons {lie} within chance{failed})"));
    }
    found
}

/// The variants of the rows in a test: `25` of `fairness(7@25) > fairness(4@25)`.
fn variants(test: &str) -> Vec<String> {
    let name = |rest: &str| {
        let end = rest.find([')', ',', ' ']).unwrap_or(rest.len());
        rest[..end].to_owned()
    };
    test.split('@').skip(1).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(test: &str, values: &[f64], sign: &str, holds: bool) -> Compared {
        let signs = vec![sign.to_owned(); values.len() - 1];
        Compared {
            test: test.to_owned(),
            values: values.to_vec(),
            signs,
            holds,
            clear: None,
            terms: Vec::new(),
            halves: Vec::new(),
        }
    }

    #[test]
    fn a_margin_is_a_part_of_the_larger_side() {
        // 0.99 > 0.90: 0.09/0.99 = 9.1 %; 50 < 100: a half; of a chain the smallest counts
        let near = compared("f(7@25) > f(4@25)", &[0.99, 0.90], ">", true);
        let half = compared("u(1@25) < u(2@25)", &[50.0, 100.0], "<", true);
        let chain = compared("a(1@25) > a(1@50) > a(1@100)", &[10.0, 5.0, 4.0], ">", true);
        assert!((part(&near).unwrap() - 0.0909).abs() < 1e-4);
        assert_eq!((part(&half), part(&chain)), (Some(0.5), Some(0.2)));
        let margin = Margin::of(&[&near, &half, &chain], true).unwrap();
        assert_eq!((margin.median, margin.test.as_str()), (0.2, "f(7@25) > f(4@25)"));
        let told = "median 20 %, closest to failing 9.1 % (f(7@25) > f(4@25))";
        assert_eq!(margin.text(Verdict::Holds), told);
        // of those that fail, the one closest to holding
        let fails = compared("f(1@25) > f(2@25)", &[1.0, 2.0], ">", false);
        let nearly = compared("f(1@50) > f(2@50)", &[1.0, 1.25], ">", false);
        let margin = Margin::of(&[&fails, &nearly], false).unwrap();
        assert_eq!((margin.nearest, margin.test.as_str()), (-0.2, "f(1@50) > f(2@50)"));
        // of two, the median is their mean: -50 % and -20 %
        let told = "median -35 %, closest to holding -20 % (f(1@50) > f(2@50))";
        assert_eq!(margin.text(Verdict::DoesNotHold), told);
        // where some hold and some fail, the one that fails by most
        let margin = Margin::of(&[&near, &fails, &nearly], true).unwrap();
        let told = "median -20 %, worst -50 % (f(1@25) > f(2@25))";
        assert_eq!(margin.text(Verdict::Partly), told);
        assert_eq!(Margin::of(&[], true), None);
        // there is no share of zero
        let zero = compared("t(1@50) > 0", &[5.0, 0.0], ">", true);
        assert_eq!(Margin::of(&[&zero], true), None);
    }

    #[test]
    fn rows_that_tell_it_apart_are_named() {
        let yes = compared("f(7@50) > f(4@50)", &[2.0, 1.0], ">", true);
        let no = compared("f(7@25) > f(4@25)", &[1.0, 2.0], ">", false);
        let none = compared("f(8@25) > f(4@25)", &[1.0, 2.0], ">", false);
        let told = where_it_holds(&[&yes, &no]);
        assert_eq!(told, ["the setting (it holds at 50, not at 25)"]);
        let mixed = compared("f(8@25) > f(4@25)", &[2.0, 1.0], ">", true);
        let told = where_it_holds(&[&yes, &no, &mixed]);
        assert_eq!(told, ["the row (2 of 3 comparisons hold; f(7@25) > f(4@25) fails)"]);
        let chance = Compared { clear: Some(false), ..no };
        let told = where_it_holds(&[&yes, &mixed, &chance]);
        assert_eq!(told, ["the seed (1 of 3 comparisons lies within chance)"]);
        // the rows are alike if none holds
        let told = where_it_holds(&[&none, &chance]);
        let seed = "the seed (1 of 2 comparisons lies within chance; f(8@25) > f(4@25) fails)";
        assert_eq!(told, [seed]);
    }
}
