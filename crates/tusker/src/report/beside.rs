//! One scenario on both planes: the table of `tusker testbed --compare`.

use tusker_record::summary::{self, BESIDE_HEAD, Summary};
use tusker_record::table::Table;

use crate::screen::fit;

/// What was simulated beside what was measured, a row per measure.
pub fn beside(simulated: &Summary, measured: &Summary) -> String {
    let mut table = Table::new(BESIDE_HEAD).bold_head();
    summary::beside(simulated, measured).iter().for_each(|row| table.row(row.cells()));
    let invalid = match measured.invalid.is_empty() {
        true => String::new(),
        false => "the measured results are invalid, see above\n".to_owned(),
    };
    format!("\n{invalid}{}", fit(&table))
}
