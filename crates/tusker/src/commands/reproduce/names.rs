//! What figures call cases: by what they choose, where that is known.

use tusker_papers::reproduction::RowResult;
use tusker_report::look;

/// Names of these cases by what tells them apart; the cases' own where nothing does, or
/// where a paper numbers them.
pub fn of_cases(rows: &[RowResult], cases: &[&str]) -> Vec<String> {
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

/// What a row is called: `case 5`, or what it chooses.
pub fn of_row(row: &RowResult) -> String {
    if row.case.parse::<u32>().is_ok() || row.choose.is_empty() {
        return format!("case {}", row.case);
    }
    row.choose.values().cloned().collect::<Vec<String>>().join(", ")
}

/// The look of each name: a law's own, as `gHSTCP` or `BBRv3`, or one by its place.
pub fn looks(names: &[String]) -> Vec<usize> {
    let laws: Vec<Option<usize>> = names.iter().map(|name| look::known(name)).collect();
    let look = |(place, law): (usize, &Option<usize>)| match law {
        Some(law) if laws.iter().all(Option::is_some) => *law,
        _ => look::nth(place),
    };
    look::apart(&laws.iter().enumerate().map(look).collect::<Vec<usize>>())
}
