//! The papers, for `tusker list` and `tusker explain`.

use tusker_report::names::Entry;

use crate::{Error, Paper};

/// All papers.
///
/// # Errors
/// If the files of one cannot be read.
pub fn papers() -> Result<Vec<Entry>, Error> {
    Paper::keys().map(|key| Ok(of_paper(&Paper::find(key)?))).collect()
}

fn of_paper(paper: &Paper) -> Entry {
    let about = &paper.about;
    let key = &about.key;
    let counts = format!(
        "{} rows, {} claims, {} conclusions, {} readings besides the base.",
        paper.rows().len(),
        paper.claims.len(),
        paper.conclusions.conclusions.len(),
        paper.readings.len()
    );
    let commands = format!(
        "tusker reproduce {key} --quick\ntusker reproduce {key} --claims\n\
         tusker reproduce {key} --conclusions --recorded papers"
    );
    Entry::new("paper", key, "a paper that `tusker reproduce` compares with")
        .value("title", about.title.as_str())
        .value("about", about.title.as_str())
        .value("authors", about.authors.as_str())
        .text("", &format!("{}. {}.", about.authors, about.title))
        .value("covers", about.covers.as_str())
        .text("Here", &about.covers)
        .text("", about.row_names.as_deref().unwrap_or_default())
        .text("", &counts)
        .lines("A quick look, its claims, and its recorded results", &commands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paper_says_what_it_covers() {
        let all = papers().expect("all can be read");
        let own = all.iter().find(|own| own.name == "ngtcp").expect("it comes along").json();
        assert!(own["covers"].to_string().contains("Section III"), "{own}");
        assert!(own["title"].to_string().contains("Issues in Performance Evaluation"), "{own}");
    }
}
