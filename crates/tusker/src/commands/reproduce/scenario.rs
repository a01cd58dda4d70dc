//! `--print-scenario`: prints what rows set in the scenario, without running them.

use tusker_papers::rows::{Row, Taken};

use super::{Job, readings};
use crate::failure::Failure;
use crate::output::print;
use crate::scenarios;

impl Job<'_> {
    pub(super) fn print_scenario(&self) -> Result<(), Failure> {
        let taken = self.paper.take(&readings::combined(self.args)?, &self.args.sets)?;
        let selection = self.selection();
        let none = selection.tables.is_empty() && selection.cases.is_empty();
        if none && selection.at.is_empty() && taken.changes().is_empty() && !self.args.quick {
            return print(&self.paper.scenario);
        }
        let rows = self.paper.select(&selection)?;
        let [row] = rows.as_slice() else {
            return print(&self.settings(&rows, &taken));
        };
        let mut scenario = self.scenario(row, &taken, &[])?;
        scenarios::apply(&mut scenario, &self.args.how);
        print(&scenario.to_toml())
    }

    /// What each of several rows sets in the base, so that they can be compared.
    fn settings(&self, rows: &[Row<'_>], taken: &Taken<'_>) -> String {
        let key = &self.paper.about.key;
        let mut text = format!(
            "# What these rows of {key} set in the base; one row alone, as in --case 7 --at 50,\n\
             # gives a whole scenario, and --print-scenario without rows gives the base\n"
        );
        for row in rows {
            let quick: &[String] = if self.args.quick { self.paper.quick(row) } else { &[] };
            text += &format!("\n# {}\n", row.id());
            for change in self.paper.changes(row, taken, quick) {
                text += &format!("{change}\n");
            }
        }
        text
    }
}
