//! How figures name cases: by what the cases choose, where that is known.

use tusker_report::figure::Axis;
use tusker_report::style;

use crate::measure::Measure;
use crate::paper::{BarChart, CaseId};
use crate::reproduction::{Reproduction, RowResult};

/// Names of these cases by what tells them apart; the cases' own where nothing does, or
/// where a paper numbers them.
pub(super) fn of_cases(rows: &[RowResult], cases: &[&str]) -> Vec<String> {
    let row = |case: &str| rows.iter().find(|row| row.case == case);
    let chosen: Vec<_> = cases.iter().filter_map(|case| Some(&row(case)?.choose)).collect();
    let own = || cases.iter().map(|case| (*case).to_owned()).collect::<Vec<String>>();
    let numbered = cases.iter().any(|case| case.parse::<u32>().is_ok());
    let Some(first) = chosen.first().filter(|_| chosen.len() == cases.len() && !numbered) else {
        return own();
    };
    let differs = |key: &&String| chosen.iter().any(|other| other.get(*key) != first.get(*key));
    let keys: Vec<&String> = first.keys().filter(differs).collect();
    let name = |choose: &&std::collections::BTreeMap<String, String>| {
        let values = keys.iter().filter_map(|key| choose.get(*key));
        values.cloned().collect::<Vec<String>>().join(", ")
    };
    let names: Vec<String> = chosen.iter().map(name).collect();
    let alone = |name: &String| names.iter().filter(|other| *other == name).count() == 1;
    if names.iter().all(|name| !name.is_empty() && alone(name)) { names } else { own() }
}

/// The axis of a measure: its name in words, its unit, and the range of its values.
pub(super) fn axis(measure: &Measure) -> Axis {
    let axis = Axis::new(title(&measure.name, &measure.about), &measure.unit);
    bounded(axis, (measure.least, measure.greatest))
}

/// An axis of values that these bounds hold.
pub(super) fn bounded(axis: Axis, bounds: (Option<f64>, Option<f64>)) -> Axis {
    match bounds {
        (None, None) => axis,
        (least, greatest) => {
            axis.within(least.unwrap_or(f64::NEG_INFINITY), greatest.unwrap_or(f64::INFINITY))
        }
    }
}

/// A measure in words: its name if that is a word, else how its description begins, as
/// `fairness index` of `fi`.
pub(super) fn title(name: &str, about: &str) -> String {
    let is_word = name.len() > 3 && !name.contains(|c: char| c.is_ascii_digit());
    let begin = about.split([',', ';', '(']).next().unwrap_or_default().trim();
    if is_word || begin.is_empty() { name.replace('_', " ") } else { begin.to_owned() }
}

/// The names of the cases of bars.
pub(super) fn of_bars(chart: &BarChart, r: &Reproduction) -> Vec<String> {
    if !chart.names.is_empty() {
        return chart.names.clone();
    }
    let cases: Vec<&str> = chart.cases.iter().map(|CaseId(case)| case.as_str()).collect();
    of_cases(&r.rows, &cases)
}

/// What a row is called: `case 5`, or what it chooses.
pub(super) fn of_row(row: &RowResult) -> String {
    if row.case.parse::<u32>().is_ok() || row.choose.is_empty() {
        return format!("case {}", row.case);
    }
    row.choose.values().cloned().collect::<Vec<String>>().join(", ")
}

/// The look of each name: a law's own, as `gHSTCP` or `BBRv3`, or one by its place.
pub(super) fn looks(names: &[String]) -> Vec<usize> {
    let laws: Vec<Option<usize>> = names.iter().map(|name| style::known(name)).collect();
    let look = |(place, law): (usize, &Option<usize>)| match law {
        Some(law) if laws.iter().all(Option::is_some) => *law,
        _ => style::nth(place),
    };
    style::apart(&laws.iter().enumerate().map(look).collect::<Vec<usize>>())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tusker_lab::suite::claims::Verdict;

    use super::*;

    /// A row that was not run, of a case with these choices.
    fn row(case: &str, choose: &[(&str, &str)]) -> RowResult {
        let choose = choose.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        RowResult {
            id: format!("{case}@50"),
            table: "1".to_owned(),
            case: case.to_owned(),
            variant: "50".to_owned(),
            x: None,
            law: None,
            choose: choose.collect(),
            changes: Vec::new(),
            replicates: 0,
            asked: 0,
            invalid: 0,
            seeds: Vec::new(),
            in_step: None,
            window: None,
            values: BTreeMap::new(),
            verdict: Verdict::Open,
            reason: None,
            reason_source: None,
        }
    }

    #[test]
    fn cases_are_called_by_what_tells_them_apart() {
        let rows = [
            row("a", &[("cc", "HSTCP"), ("queue", "droptail")]),
            row("b", &[("cc", "gHSTCP"), ("queue", "droptail")]),
            row("c", &[("cc", "HSTCP"), ("queue", "red")]),
        ];
        // both have the same queue, which tells nothing
        assert_eq!(of_cases(&rows, &["a", "b"]), ["HSTCP", "gHSTCP"]);
        assert_eq!(of_cases(&rows, &["a", "c"]), ["droptail", "red"]);
        let all = ["HSTCP, droptail", "gHSTCP, droptail", "HSTCP, red"];
        assert_eq!(of_cases(&rows, &["a", "b", "c"]), all);
    }

    #[test]
    fn cases_keep_their_own_names_where_choices_do_not_tell_them_apart() {
        let hstcp = [("cc", "HSTCP")];
        let rows = [row("a", &hstcp), row("b", &hstcp), row("c", &[("cc", "gHSTCP")])];
        assert_eq!(of_cases(&rows, &["a", "b", "c"]), ["a", "b", "c"]);
        // of a case that has no row, nothing is known
        assert_eq!(of_cases(&rows, &["a", "x"]), ["a", "x"]);
        // alone, there is nothing to tell it from
        assert_eq!(of_cases(&rows, &["a"]), ["a"]);
        // a paper that numbers its cases is quoted by the numbers
        let rows = [row("4", &hstcp), row("7", &[("cc", "gHSTCP")])];
        assert_eq!(of_cases(&rows, &["4", "7"]), ["4", "7"]);
    }

    #[test]
    fn a_row_is_called_by_its_number_or_by_all_that_it_chooses() {
        assert_eq!(of_row(&row("5", &[("cc", "HSTCP")])), "case 5");
        assert_eq!(of_row(&row("alone", &[])), "case alone");
        // in the order of the keys
        assert_eq!(of_row(&row("a", &[("queue", "red"), ("cc", "HSTCP")])), "HSTCP, red");
    }

    #[test]
    fn laws_have_their_own_looks_and_other_names_those_of_their_places() {
        let names =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let laws = ["gHSTCP", "BBRv3", "reno"];
        let own = ["ghstcp", "bbr3", "reno"].map(style::of_law);
        assert_eq!(looks(&names(&laws)), own);
        assert_eq!(looks(&names(&["droptail", "red"])), [style::nth(0), style::nth(1)]);
        // one name that is no law is enough: a look stands for the same in all of them
        assert_eq!(looks(&names(&["reno", "red"])), [style::nth(0), style::nth(1)]);
        // the same law twice is still told apart
        let [first, second] = looks(&names(&["reno", "reno"]))[..] else { panic!("two looks") };
        assert!(first == style::of_law("reno") && second != first);
    }
}
