//! Comparisons of a claim with their numbers.

use tusker_papers::Paper;
use tusker_papers::claims::Verdict;
use tusker_papers::expr::number;
use tusker_papers::judge::{Compared, Judgement};

use super::MOST;

/// The numbers: of one that holds if the claim does, else of those that do not, and of
/// those that chance decides.
pub fn of(judgement: &Judgement) -> String {
    if judgement.verdict == Verdict::Holds {
        let holds = judgement.comparisons.iter().find(|c| c.supports());
        return holds.map_or(String::new(), |c| format!("; as {}", worked(c)));
    }
    let some = |head: &str, such: fn(&Compared) -> bool| {
        let all: Vec<&Compared> = judgement.comparisons.iter().filter(|c| such(c)).collect();
        let shown: Vec<String> = all.iter().take(MOST).map(|c| worked(c)).collect();
        let more = match all.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        if all.is_empty() { String::new() } else { format!("; {head} {}{more}", shown.join("; ")) }
    };
    some("not", |c| !c.holds && !c.is_chance()) + &some("not settled:", Compared::is_chance)
}

/// How to read a measure of a row: `s2(3@25) is the measure s2 in case 3 at delay 25 ms`.
pub(super) fn notation(paper: &Paper) -> String {
    let (rows, variant) = (paper.rows(), &paper.cases.variant);
    let (Some(measure), Some(row)) = (paper.about.measures.first(), rows.first()) else {
        return String::new();
    };
    let (name, case, at) = (&measure.name, &row.case.id, &row.variant.name);
    let (of, unit) = (&variant.name, &variant.unit);
    let at = match at.parse::<f64>() {
        Ok(_) if of == unit => format!("{at} {unit}"),
        Ok(_) => format!("{of} {at} {unit}"),
        // a name, or several numbers: `0.1_100 (BDP, ms)`
        Err(_) if of == unit || unit.is_empty() => format!("{of} {at}"),
        Err(_) => format!("{of} {at} ({unit})"),
    };
    format!("{name}({}) is the measure {name} in case {case} at {at}", row.id())
}

/// Whether a difference is shown with its interval.
pub fn has_interval(judgement: &Judgement) -> bool {
    of(judgement).contains(" ± ")
}

/// `utilisation(5@50) > utilisation(2@50): 78.93 > 64.36`; what does not hold, or is not
/// settled, has no sign between its numbers.
fn worked(compared: &Compared) -> String {
    let mut terms: Vec<String> = match compared.terms.is_empty() {
        true => compared.values.iter().map(|&value| number(value)).collect(),
        false => compared.terms.clone(),
    };
    if let ([a, b], [x, y]) = (compared.values.as_slice(), terms.as_slice())
        && x == y
        && a != b
    {
        terms = apart(*a, *b);
    }
    let mut text = format!("{}: {}", compared.test, terms.first().map_or("", String::as_str));
    for (sign, term) in compared.signs.iter().zip(&terms[terms.len().min(1)..]) {
        let sign = if compared.supports() { sign } else { "against" };
        text += &format!(" {sign} {term}");
    }
    // of a chain each pair has its own
    if let ([a, b], [Some(half)]) = (compared.values.as_slice(), compared.halves.as_slice())
        && *half > 0.0
    {
        let (difference, half) = (a - b, number(*half));
        // beside a plain number it is how far the other side is from that number
        let right = compared.test.rsplit(['<', '>', '=']).next().unwrap_or_default();
        let size = number(difference.abs());
        let is_limit = right.trim().parse::<f64>().is_ok();
        text += &match (is_limit, difference < 0.0) {
            (true, true) => format!(", {size} ± {half} below the limit"),
            (true, false) => format!(", {size} ± {half} above the limit"),
            (false, true) => format!(", difference -{size} ± {half}"),
            (false, false) => format!(", difference +{size} ± {half}"),
        };
    }
    text
}

/// Two numbers that are alike in four digits, with as many as tell them apart.
fn apart(a: f64, b: f64) -> Vec<String> {
    let with = |decimals: usize| [a, b].map(|value| format!("{value:.decimals$}"));
    let told = (1..=12).map(with).find(|[x, y]| x != y);
    told.unwrap_or_else(|| with(12)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(values: [f64; 2], half: Option<f64>, holds: bool, clear: Option<bool>) -> Compared {
        Compared {
            test: "a > b".to_owned(),
            values: values.to_vec(),
            signs: vec![">".to_owned()],
            holds,
            clear,
            terms: Vec::new(),
            halves: vec![half],
        }
    }

    /// Half intervals of 0.3 and 0.4 make one of 0.5.
    #[test]
    fn only_what_holds_is_printed_as_true() {
        for (one, text) in [
            (compared([2.0, 1.0], None, true, None), "a > b: 2 > 1"),
            (
                compared([2.0, 1.0], Some(0.5), true, Some(true)),
                "a > b: 2 > 1, difference +1 ± 0.5",
            ),
            (compared([97.47, 97.53], None, false, None), "a > b: 97.47 against 97.53"),
            (compared([97.6712, 97.6743], None, false, None), "a > b: 97.671 against 97.674"),
            (
                compared([97.53, 97.47], Some(0.5), true, Some(false)),
                "a > b: 97.53 against 97.47, difference +0.06 ± 0.5",
            ),
        ] {
            assert_eq!(worked(&one), text);
        }
        let limit = Compared {
            test: "abs(a - b) < 1".to_owned(),
            signs: vec!["<".to_owned()],
            ..compared([0.25, 1.0], Some(0.5), true, Some(true))
        };
        assert_eq!(worked(&limit), "abs(a - b) < 1: 0.25 < 1, 0.75 ± 0.5 below the limit");
    }
}
