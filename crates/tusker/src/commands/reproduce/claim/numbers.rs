//! The numbers of an answer as cells of tables, for a terminal and a page.

use std::ops::Range;

use tusker_papers::Paper;
use tusker_papers::conclusions::{Answer, Compare, Found, InRuns, Outcome};
use tusker_papers::reproduction::Printed;
use tusker_record::table::NONE;

use super::super::text::number;
use super::known::{reading, runs, seeds};
use super::{rows, setup};

/// A table apart from where it is shown.
pub(super) struct Cells {
    /// What it shows: the test of its comparisons.
    pub title: String,
    /// Heads of the columns; nothing above the second side of a comparison.
    pub head: Vec<String>,
    /// What is compared, if it is the same in all lines: on a terminal, and on a page.
    pub sides: Option<Vec<(String, String)>>,
    /// How many columns say which comparison it is.
    pub keys: usize,
    /// The columns of differences, which follow from the values.
    pub differences: Range<usize>,
    /// The lines, each with how the comparison came out.
    pub lines: Vec<(Vec<String>, Outcome)>,
}

impl Cells {
    /// The same without differences.
    pub(super) fn without_differences(mut self) -> Self {
        let out = self.differences.clone();
        self.head.drain(out.clone());
        for (line, _) in &mut self.lines {
            line.drain(out.clone());
        }
        self.differences = 0..0;
        self
    }
}

/// A table for each test of a claim: a line per comparison. Without `halves` only differences
/// have their intervals, by which they are judged.
pub(super) fn comparisons(paper: &Paper, answer: &Answer, halves: bool) -> Vec<Cells> {
    let mut tests: Vec<&str> = Vec::new();
    for one in &answer.comparisons {
        if !tests.contains(&one.test.as_str()) {
            tests.push(&one.test);
        }
    }
    tests.into_iter().map(|test| of_test(paper, answer, test, halves)).collect()
}

fn of_test(paper: &Paper, answer: &Answer, test: &str, halves: bool) -> Cells {
    let own = || (0..answer.comparisons.len()).filter(|&i| answer.comparisons[i].test == test);
    let first = own().next().map(|i| &answer.comparisons[i]);
    let signs = first.map_or(1, |one| one.signs.len());
    let prints = own().any(|i| !answer.paper.found[i].terms.is_empty());
    let variant = &paper.cases.variant;
    let across = own().any(|i| answer.comparisons[i].at.is_none());
    let mut head = vec![if across { "rows" } else { "cases" }.to_owned()];
    head.extend((!across).then(|| variant.name.clone()));
    let keys = head.len();
    let sides = sides(paper, answer, test);
    // `paper: 7`, `4`
    let over = |name: &str, columns: usize| {
        let each = (0..columns).map(|i| match (i, &sides) {
            (0, Some(sides)) => format!("{name}: {}", sides[0].0),
            (i, Some(sides)) => sides[i].0.clone(),
            (0, None) => name.to_owned(),
            (_, None) => String::new(),
        });
        each.collect::<Vec<String>>()
    };
    if prints {
        head.extend(over("paper", signs + 1));
    }
    head.extend(over("ours", signs + 1));
    let differences = head.len()..head.len() + signs;
    match &sides {
        Some(sides) => {
            let pair =
                |two: &[(String, String)]| format!("{} - {}", term(&two[0].0), term(&two[1].0));
            head.extend(sides.windows(2).map(pair));
        }
        None => head.extend(over("difference", signs)),
    }
    let agrees = rows::any(&answer.all);
    head.extend(agrees.then(|| rows::HEAD.to_owned()));
    head.push(String::new());
    let line = |i: usize| {
        let (one, found) = (&answer.comparisons[i], &answer.all.found[i]);
        let mut cells = match across {
            true => vec![one.rows.join(", ")],
            false => vec![one.cases.join(", "), at(paper, one)],
        };
        let decimals = decimals(paper, one);
        if prints {
            let terms = &answer.paper.found[i].terms;
            cells.extend((0..=signs).map(|term| side(terms.get(term), decimals, false)));
        }
        let ours = |term: usize| {
            let own = found.terms.get(term).copied();
            own.map(|own| Printed { ci95: own.ci95.filter(|_| halves), ..own })
        };
        cells.extend((0..=signs).map(|term| side(ours(term).as_ref(), decimals, false)));
        cells.extend((0..signs).map(|pair| side(found.differences.get(pair), decimals, true)));
        cells.extend(agrees.then(|| rows::of_comparison(&answer.all, one)));
        cells.push(outcome(answer, i));
        (cells, found.outcome)
    };
    let lines = own().map(line).collect();
    Cells { title: test.to_owned(), head, sides, keys, differences, lines }
}

/// How a comparison came out; `within chance (2 of 5 seeds)` if it holds with some seeds only,
/// which decides even where the interval of the difference excludes zero.
pub(super) fn outcome(answer: &Answer, i: usize) -> String {
    let text = answer.all.found[i].outcome.text();
    match seeds_that_hold(answer, i) {
        Some((held, of)) => format!("{text} ({held} of {of} seeds)"),
        None => text.to_owned(),
    }
}

/// With how many of the seeds a comparison holds that is within chance, if they disagree.
fn seeds_that_hold(answer: &Answer, i: usize) -> Option<(usize, usize)> {
    let signs = &answer.comparisons[i].signs;
    let each: Vec<bool> = answer.seeds.iter().filter_map(|own| own.found[i].is_so(signs)).collect();
    let held = each.iter().filter(|is| **is).count();
    let disagree =
        answer.all.found[i].outcome == Outcome::Chance && (1..each.len()).contains(&held);
    disagree.then_some((held, each.len()))
}

/// The sides of a test, if they are the same at each variant: `7` and `Case 7 (gHSTCP)`, or
/// as they are written, such as `fairness(4) + 0.05`.
fn sides(paper: &Paper, answer: &Answer, test: &str) -> Option<Vec<(String, String)>> {
    const LONGEST: usize = 24;
    let own: Vec<&Compare> = answer.comparisons.iter().filter(|one| one.test == test).collect();
    let of = |one: &Compare| {
        let at = one.at.as_ref()?;
        let texts = one.text.split(['<', '>']).map(|side| side.trim_start_matches('=').trim());
        Some(texts.map(|side| side.replace(&format!("@{at})"), ")")).collect::<Vec<String>>())
    };
    let first = of(own.first()?)?;
    if own.iter().any(|one| of(one).as_ref() != Some(&first)) {
        return None;
    }
    if first.iter().any(|side| side.chars().count() > LONGEST) {
        return None;
    }
    let mut rows = paper.rows();
    rows.retain(|row| own[0].rows.contains(&row.id()));
    let names = setup::names(paper, &rows);
    let written = first.clone();
    let each = first.into_iter().map(|side| {
        let case = own[0].cases.iter().find(|case| {
            own[0].measures.iter().any(|measure| side == format!("{measure}({case})"))
        });
        let called = |case: &String| {
            let called = match case.parse::<u32>() {
                Ok(_) => format!("Case {case}"),
                Err(_) => case.clone(),
            };
            // `bic (bic)` says it twice
            let name = names.get(case).filter(|n| !n.is_empty() && !n.eq_ignore_ascii_case(case));
            called + &name.map_or(String::new(), |name| format!(" ({name})"))
        };
        let [measure] = own[0].measures.as_slice() else { return (side.clone(), side) };
        match case {
            Some(case) => (case.clone(), called(case)),
            // `1.3 * Case 4 (HSTCP)`
            None => {
                let named = own[0].cases.iter().fold(side.clone(), |text, case| {
                    text.replace(&format!("{measure}({case})"), &called(case))
                });
                (side, named)
            }
        }
    });
    let mut each: Vec<(String, String)> = each.collect();
    let plain = |text: &str| text.parse::<f64>().is_ok() || own[0].cases.iter().any(|c| c == text);
    // `fairness(7)` beside `fairness(4) + 0.05`
    if !each.iter().all(|(short, _)| plain(short)) {
        for (own, written) in each.iter_mut().zip(written) {
            own.0 = written;
        }
    }
    Some(each)
}

/// A side of a difference; in parentheses if it is a sum.
pub(super) fn term(side: &str) -> String {
    if side.contains(['+', '-']) && side.contains(' ') {
        format!("({side})")
    } else {
        side.to_owned()
    }
}

/// A test in words: `Jain's index: Case 7 (gHSTCP+SACK) > Case 4 (HSTCP+SACK); queue
/// DropTail`. None if it has several parts, or sides that have no such names.
pub(super) fn in_words(paper: &Paper, answer: &Answer) -> Option<String> {
    let first = answer.comparisons.first()?;
    let [measure] = first.measures.as_slice() else { return None };
    let info = paper.about.measures.iter().find(|own| own.name == *measure)?;
    let mut text = format!("{}: {}", info.about, sides_in_words(paper, answer)?);
    let mut rows = paper.rows();
    rows.retain(|row| first.rows.contains(&row.id()));
    if let Some(same) = setup::chosen(paper, &rows).iter().find_map(|own| own.strip_prefix("all: "))
    {
        text += &format!("; {same}");
    }
    Some(text)
}

/// The same with the measure's name alone, for a title.
pub(super) fn in_few_words(paper: &Paper, answer: &Answer) -> Option<String> {
    let [measure] = answer.comparisons.first()?.measures.as_slice() else { return None };
    Some(format!("{measure}: {}", sides_in_words(paper, answer)?))
}

/// `Case 7 (gHSTCP+SACK) > Case 4 (HSTCP+SACK)`.
fn sides_in_words(paper: &Paper, answer: &Answer) -> Option<String> {
    let [test] = answer.tests.as_slice() else { return None };
    let sides = sides(paper, answer, test)?;
    let mut text = sides[0].1.clone();
    for (sign, (_, side)) in answer.comparisons.first()?.signs.iter().zip(&sides[1..]) {
        text += &format!(" {sign} {side}");
    }
    Some(text)
}

/// `50 ms`.
pub(super) fn at(paper: &Paper, one: &Compare) -> String {
    one.at.as_ref().map_or(NONE.to_owned(), |at| with_unit(paper, at))
}

/// A variant with its unit, if it is a number.
fn with_unit(paper: &Paper, at: &str) -> String {
    let unit = &paper.cases.variant.unit;
    match at.parse::<f64>() {
        Ok(_) => format!("{at} {unit}").trim().to_owned(),
        Err(_) => at.to_owned(),
    }
}

/// Decimals of what is compared; none if measures with and without them are.
pub(super) fn decimals(paper: &Paper, one: &Compare) -> Option<usize> {
    let [name] = one.measures.as_slice() else { return None };
    let measure = paper.about.measures.iter().find(|measure| measure.name == *name)?;
    // the mean of a count is no whole number
    Some(measure.decimals).filter(|&decimals| decimals > 0)
}

/// Decimals with which half of an interval has two digits, as has then its value.
fn two_digits(half: f64) -> usize {
    (1 - half.log10().floor() as i32).clamp(0, 4) as usize
}

/// A value with half of its interval; `+` before a difference that is not negative.
pub(super) fn side(own: Option<&Printed>, decimals: Option<usize>, signed: bool) -> String {
    let Some(Printed { value, ci95 }) = own else { return NONE.to_owned() };
    let half = ci95.filter(|half| *half > 0.0 && half.is_finite());
    let decimals = decimals.or_else(|| half.map(two_digits));
    let text = |value: f64| decimals.map_or_else(|| number(value), |d| format!("{value:.d$}"));
    let half = half.map_or(String::new(), |half| format!(" ± {}", text(half)));
    let value = text(*value);
    let sign = if signed && !value.starts_with('-') { "+" } else { "" };
    format!("{sign}{value}{half}")
}

/// What our values and their differences are, and what is behind ±.
pub(super) fn legend(answer: &Answer) -> String {
    let InRuns { seeds, means_of, .. } = &answer.all;
    let named: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let ours = match (named.as_slice(), means_of) {
        _ if answer.all.of == 0 => "none of these comparisons was run yet".to_owned(),
        (_, 2..) => format!("means of {means_of} seeds"),
        ([], _) => "none".to_owned(),
        ([one], _) => format!("seed {one}"),
        (many, _) => format!("means of seeds {}", many.join(", ")),
    };
    let half = interval(answer).map_or(String::new(), |what| format!("; ±: {what}"));
    let disagree = (0..answer.comparisons.len()).find_map(|i| seeds_that_hold(answer, i));
    let disagree = disagree.map_or(String::new(), |(held, of)| {
        format!(
            "; within chance ({held} of {of} seeds): it holds with {held} of the {of} seeds, and \
             not with the others"
        )
    });
    let printed = answer.paper.found.iter().flat_map(|found| &found.terms);
    let printed = match printed.clone().any(|own| own.ci95.is_some_and(|half| half > 0.0)) {
        true => "; ± of the paper: from the intervals that it prints",
        false => "",
    };
    format!(
        "ours: {ours}; difference: left side minus right side, of ours{half}{printed}{disagree}"
    )
}

/// What ± is behind our values; nothing if there is none.
fn interval(answer: &Answer) -> Option<&'static str> {
    let has = |own: &Printed| own.ci95.is_some_and(|half| half > 0.0);
    let found = || answer.all.found.iter();
    let ours = found().flat_map(|found: &Found| found.terms.iter().chain(&found.differences));
    ours.clone().any(has).then_some(())?;
    Some(match (answer.all.seeds.len(), answer.all.means_of) {
        (2.., _) => "95 % confidence over the seeds (Student's t)",
        (_, 2..) => "95 % confidence over replicates",
        _ => "95 % confidence over batches of the run, which says nothing about other seeds",
    })
}

/// The other measures of the rows: heads with units, and a line for each row.
pub(super) fn beside(paper: &Paper, answer: &Answer) -> (Vec<String>, Vec<Vec<String>>) {
    let names: Vec<&String> = paper.about.beside.iter().collect();
    let names: Vec<&String> =
        names.into_iter().filter(|n| answer.beside.iter().any(|b| b.measure == **n)).collect();
    let info = |name: &String| paper.about.measures.iter().find(|own| own.name == *name);
    let mut head = vec!["case".to_owned(), paper.cases.variant.name.clone()];
    for name in &names {
        let unit = info(name).map_or(String::new(), |own| own.unit.clone());
        let unit = if unit.is_empty() { unit } else { format!(", {unit}") };
        head.extend([format!("{name}: paper{unit}"), format!("{name}: ours{unit}")]);
    }
    let mut rows: Vec<&String> = answer.beside.iter().map(|one| &one.row).collect();
    rows.dedup();
    let line = |row: &String| {
        let (case, at) = row.split_once('@').unwrap_or((row, ""));
        let mut cells = vec![case.to_owned(), with_unit(paper, at)];
        for name in &names {
            let own = answer.beside.iter().find(|b| b.row == *row && b.measure == **name);
            let decimals = info(name).map(|own| own.decimals).filter(|&d| d > 0);
            let printed = own.and_then(|own| own.paper);
            let printed = printed.map(|value| Printed { value, ci95: None });
            cells.push(side(printed.as_ref(), decimals, false));
            cells.push(side(own.and_then(|own| own.ours.as_ref()), decimals, false));
        }
        cells
    };
    (head, rows.into_iter().map(line).collect())
}

/// Whether each comparison has a column of its own in [`known`].
pub(super) fn one_each(answer: &Answer) -> bool {
    let several = |one: &Compare| answer.comparisons.iter().filter(|o| o.at == one.at).count() > 1;
    !answer.comparisons.iter().any(several)
}

/// What is in the cells of [`known`].
pub fn known_cells(answer: &Answer) -> &'static str {
    match one_each(answer) {
        false => {
            "how many comparisons hold, and the smallest difference between the two sides of a \
             comparison (negative: this comparison does not hold); rows as paper: how many rows \
             are within the tolerances of the paper's numbers (ok), outside (off) or undecided \
             (?), and how many of these phase effects decide (*)"
        }
        true => {
            "the difference between the two sides of the comparison (negative: it does not hold); \
             rows as paper: how many rows are within the tolerances of the paper's numbers (ok), \
             outside (off) or undecided (?), and how many of these phase effects decide (*)"
        }
    }
}

/// Heads and lines: by how much the comparisons hold in each, at each variant, and how many if
/// there is more than one.
pub(super) fn known(paper: &Paper, answer: &Answer) -> (Vec<String>, Vec<Vec<String>>) {
    let runs = runs(answer);
    let variant = &paper.cases.variant;
    let held = |runs: &InRuns, at: Option<&str>| {
        let all = answer.comparisons.iter().zip(&runs.found);
        let own: Vec<(&Compare, &Found)> = all
            .filter(|(one, found)| one.at.as_deref() == at && found.outcome != Outcome::Missing)
            .collect();
        let (held, of) = answer.held_at(runs, at);
        let least = least(paper, &own);
        match (own.as_slice(), least) {
            ([], _) => NONE.to_owned(),
            ([(_, found)], Some(least)) if found.outcome == Outcome::Chance => {
                format!("{least} (chance)")
            }
            ([_], Some(least)) => least,
            (_, Some(least)) => format!("{held} of {of}, least {least}"),
            (_, None) => format!("{held} of {of}"),
        }
    };
    let own = |at: Option<&str>| answer.comparisons.iter().any(|one| one.at.as_deref() == at);
    let at: Vec<&str> = variant.values.iter().map(|value| value.name.as_str()).collect();
    let at: Vec<&str> = at.into_iter().filter(|at| own(Some(at))).collect();
    let mut head = vec!["reading".to_owned(), "seed".to_owned(), "verdict".to_owned()];
    head.extend(at.iter().map(|at| with_unit(paper, at)));
    let across = own(None);
    head.extend(across.then(|| format!("across {}s", variant.name)));
    let agrees = runs.iter().any(|runs| rows::any(runs));
    head.extend(agrees.then(|| format!("rows {}", rows::HEAD)));
    let line = |runs: &&InRuns| {
        let mut cells = vec![reading(answer, runs), seeds(runs), runs.word().to_owned()];
        cells.extend(at.iter().map(|at| held(runs, Some(at))));
        cells.extend(across.then(|| held(runs, None)));
        cells.extend(agrees.then(|| rows::of_runs(runs)));
        cells
    };
    (head, runs.iter().map(line).collect())
}

/// A text as the name of a figure.
pub(super) fn plain(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    text.chars().map(plain).collect()
}

/// The smallest margin; none if these compare different measures, which have no least one.
fn least(paper: &Paper, own: &[(&Compare, &Found)]) -> Option<String> {
    let (first, _) = own.first()?;
    if own.iter().any(|(one, _)| one.measures != first.measures) {
        return None;
    }
    let margins = own.iter().filter_map(|(one, found)| found.margin(&one.signs));
    let value = margins.min_by(f64::total_cmp)?;
    Some(side(Some(&Printed { value, ci95: None }), decimals(paper, first), true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_digits_of_its_interval() {
        let side = |value, ci95, decimals| side(Some(&Printed { value, ci95 }), decimals, false);
        assert_eq!(side(397.04, Some(20.04), None), "397 ± 20");
        assert_eq!(side(488.8, Some(6.764), None), "488.8 ± 6.8");
        assert_eq!(side(2017.3, Some(122.2), None), "2017 ± 122");
        assert_eq!(side(0.93812, Some(0.012), Some(3)), "0.938 ± 0.012");
        assert_eq!(side(345.5, None, None), "345.5");
        assert_eq!(side(345.5, Some(0.0), None), "345.5");
    }
}
