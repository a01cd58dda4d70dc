//! What rivals lose: the second table of `tusker compare --against`.

use tusker_record::summary::Summary;
use tusker_record::table::{Table, Unit, fold};

use crate::screen::{fit, paragraph};

/// What is left out first where there is not enough room.
const SPARE: [&str; 6] =
    ["loss by its own", "loss harm", "RTT by its own", "RTT harm", "beside its own", "by its own"];

/// A row for each experiment with a rival. `paths` says what their paths differ in, and
/// `values` those values of each. Nothing if there are no rivals.
pub fn harm(summaries: &[Summary], paths: &[&str], values: &[Vec<String>]) -> String {
    let mut head = vec!["cc"];
    head.extend(paths);
    head.extend(["against", "its goodput alone", "beside its own", "beside cc"]);
    head.extend(["harm", "by its own"]);
    head.extend(["RTT harm", "RTT by its own", "loss harm", "loss by its own"]);
    let mut table = Table::new(head).bold_head().keys(1 + paths.len()).spare(SPARE);
    let mut rows = 0;
    for (summary, values) in summaries.iter().zip(values) {
        let Some(rival) = summary.groups.last() else { continue };
        let Some(harm) = &rival.harm else { continue };
        let mut row = vec![summary.groups[0].name.clone()];
        row.extend(values.clone());
        row.push(rival.name.clone());
        row.push(Unit::Rate.estimate(harm.goodput_alone_bps));
        row.push(Unit::Rate.estimate(harm.goodput_own_bps));
        // a law against itself: the mean over both groups, as in its harm
        let itself = harm.harm_goodput.is_some() && harm.harm_goodput == harm.harm_goodput_own;
        let beside = if itself { harm.goodput_own_bps } else { rival.measured.goodput_bps };
        row.push(Unit::Rate.estimate(beside));
        row.extend(
            [
                harm.harm_goodput,
                harm.harm_goodput_own,
                harm.harm_rtt,
                harm.harm_rtt_own,
                harm.harm_loss,
                harm.harm_loss_own,
            ]
            .map(|value| Unit::Index.estimate(value)),
        );
        table.row(row);
        rows += 1;
    }
    if rows == 0 {
        return String::new();
    }
    let table = fit(&table);
    // only of columns that are there
    let mut about =
        "harm: how much goodput the flows of `against` lose by sharing the path with those \
                     of `cc` (0: nothing, 1: all); RTT harm and loss harm: the same for RTT and loss"
            .to_owned();
    if table.lines().next().is_some_and(|head| head.contains("by its own")) {
        about += "; by its own: the harm by as many flows of their own congestion control, mean over \
             both groups";
    }
    if shows_less_than_none(&table) {
        about += "; below 0: they are better off than alone (by chance if ± is larger)";
    }
    let about = fold(&about, paragraph()).join("\n");
    format!("\n{table}\n{about}\n")
}

/// Whether a number in the table is below 0; only harm can be.
fn shows_less_than_none(table: &str) -> bool {
    table.split_whitespace().any(|cell| cell.parse::<f64>().is_ok_and(|value| value < 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harm_below_zero_is_seen_and_a_missing_one_is_not() {
        assert!(shows_less_than_none("reno  9.1 Mbit/s  -0.021 \u{b1} 0.043  0.5"));
        assert!(!shows_less_than_none("reno  -  0.021 \u{b1} 0.043  0"));
    }
}
