//! A table of a page.

use std::fmt::Write;

use crate::page::{Meaning, Row, Span, Table};
use crate::svg::{self, escaped};

/// A cell that is longer holds words, not a value.
const SENTENCE: usize = 40;

/// A span in the class of its meaning.
pub(crate) fn written(span: &Span) -> String {
    let text = escaped(&span.text);
    let class = match span.meaning {
        Meaning::Plain | Meaning::Vague => return text,
        Meaning::Strong => return format!("<strong>{text}</strong>"),
        Meaning::Good => "good",
        Meaning::Mixed => "mixed",
        Meaning::Bad => "bad",
        Meaning::Muted => "muted",
    };
    format!("<span class=\"{class}\">{text}</span>")
}

pub(super) fn write_table(body: &mut String, table: &Table) {
    let caption = escaped(&table.caption);
    let _ = write!(
        body,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\"><table>\
         <caption>{caption}</caption><thead><tr>"
    );
    // sentences are set to the left and broken into lines
    let words = |column: usize| {
        let long = |row: &Row| row.cells.get(column).is_some_and(|cell| cell.text.len() > SENTENCE);
        if column > 0 && table.rows.iter().any(long) { " class=\"words\"" } else { "" }
    };
    let classes: Vec<&str> = (0..table.columns.len()).map(words).collect();
    for (column, class) in table.columns.iter().zip(&classes) {
        let _ = write!(body, "<th scope=\"col\"{class}>{}</th>", escaped(&column.head));
    }
    *body += "</tr></thead><tbody>";
    let mut vague = false;
    for row in &table.rows {
        *body += "<tr>";
        for (column, class) in classes.iter().enumerate() {
            let cell = row.cells.get(column).map_or_else(String::new, written);
            let _ = match (column, row.colour) {
                (0, Some(colour)) => {
                    write!(body, "<th scope=\"row\">{}{cell}</th>", svg::swatch(colour))
                }
                (0, None) => write!(body, "<th scope=\"row\">{cell}</th>"),
                _ if row.cells.get(column).is_some_and(|cell| cell.meaning == Meaning::Vague) => {
                    vague = true;
                    write!(body, "<td class=\"vague\">{cell}</td>")
                }
                _ => write!(body, "<td{class}>{cell}</td>"),
            };
        }
        *body += "</tr>";
    }
    *body += "</tbody></table></div>\n";
    if vague {
        *body += "<p class=\"text note\">Grey: the interval reaches zero, so that no value, or no \
                  difference, is seen. More or longer runs make it narrower.</p>\n";
    }
}
