//! What each hypothesis that was recorded beside the papers explains.

use tusker_papers::Paper;
use tusker_papers::hypotheses::recorded;
use tusker_record::table::{NONE, Table};

use super::wrapped;
use crate::screen::{bold, fit};

/// A line for each reading and seed; the page names rows and claims.
pub fn hypotheses(papers: &[Paper]) -> String {
    let head = [
        "paper",
        "hypothesis",
        "rows",
        "within",
        "base within",
        "explains",
        "loses",
        "hold",
        "base hold",
    ];
    let mut table = Table::new(head).bold_head().keys(2).spare(["rows"]);
    let mut without: Vec<&str> = Vec::new();
    for paper in papers {
        let key = paper.about.key.as_str();
        let all = recorded(paper);
        if all.is_empty() {
            without.push(key);
        }
        for (i, one) in all.iter().enumerate() {
            let [within, base] = one.within;
            let printed = |cell: String| if one.printed > 0 { cell } else { NONE.to_owned() };
            let [hold, held] = one.hold;
            table.row([
                if i == 0 { key } else { "" }.to_owned(),
                one.name.clone(),
                one.rows.to_string(),
                printed(format!("{within} of {}", one.printed)),
                printed(base.to_string()),
                one.explains.len().to_string(),
                one.loses.len().to_string(),
                format!("{hold} of {}", one.claims),
                held.to_string(),
            ]);
        }
    }
    let about = "Each is another reading of the text, or another seed, compared with the base on \
                 the same rows, with one run of each. explains: rows that are outside the \
                 tolerance in the base and within it under this reading (if the paper prints no \
                 numbers, claims that hold only under it); loses: the reverse; hold: claims. \
                 docs/reproduction.md names them, and tusker reproduce PAPER --recorded papers \
                 --reading NAME shows one.";
    let none = match without.as_slice() {
        [] => String::new(),
        keys => wrapped("", &format!("none was recorded for {}", keys.join(", ")), ""),
    };
    format!(
        "\n{}\n\n{}{none}{}",
        bold("Hypotheses, recorded beside the papers"),
        fit(&table),
        wrapped("", about, "")
    )
}
