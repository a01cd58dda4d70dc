//! Conclusions as a page: the verdict of each, and how robust it is.

use tusker_report::Page;
use tusker_report::page::{Meaning, Span, Table};

use super::BETWEEN;
use crate::Paper;
use crate::conclusions::ConclusionResult;
use crate::reproduction::QUICK_LOOK;
use crate::rows::Row;

/// The page; of `chosen` rows only some comparisons are judged.
pub fn page(paper: &Paper, all: &[ConclusionResult], quick: bool, chosen: bool) -> Page {
    let mut page = Page {
        title: format!("Conclusions of {}", paper.about.title),
        table: Some(table(&all.iter().collect::<Vec<_>>())),
        ..Page::default()
    };
    let shorter = |row: &Row<'_>| !paper.quick(row).is_empty();
    if quick && paper.rows_of_conclusions().iter().any(shorter) {
        page.doubt(QUICK_LOOK);
    }
    if chosen {
        page.note(BETWEEN);
    }
    page.note("the verdict is that of the base; --claim ID shows every comparison");
    page
}

/// Each with its verdict, and how robust that is.
pub(super) fn table(all: &[&ConclusionResult]) -> Table {
    let head = [
        "conclusion",
        "verdict",
        "hold in all runs",
        "readings",
        "fewest hold under",
        "reversed by",
        "id",
    ];
    let mut table = Table::new("Conclusions, judged by the recorded results", head);
    table.words = true;
    for one in all {
        let robust = &one.robust;
        let worst = robust.worst.as_ref();
        let worst =
            worst.map_or(String::new(), |w| format!("{} ({} of {} hold)", w.reading, w.held, w.of));
        let reversed = one.reversed_by.iter();
        let reversed = reversed.map(|own| format!("{} ({})", own.reading, own.comparisons.len()));
        let cells = [
            Span::from(one.says.clone()),
            Span::new(one.verdict.text(), Meaning::from(one.verdict)),
            Span::from(format!("{} of {}", robust.held, robust.of)),
            Span::from(format!("{} of {}", robust.readings, robust.readings + one.untried.len())),
            Span::from(worst),
            Span::from(reversed.collect::<Vec<_>>().join(", ")),
            Span::from(one.id.clone()),
        ];
        table.row(None, cells);
    }
    table
}
