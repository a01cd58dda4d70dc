//! The figures that a paper's `covers` promises can be drawn.

use tusker_papers::Paper;

/// The numbers in `Figures 1, 2 and 4 to 8`.
fn promised(covers: &str) -> Vec<u32> {
    let Some((_, rest)) = covers.split_once("Figures ") else { return Vec::new() };
    let mut all = Vec::new();
    let mut range = false;
    for word in rest.split([' ', ',']).filter(|word| !word.is_empty()) {
        match (word, word.parse::<u32>()) {
            (_, Ok(number)) => {
                let from = if range { all.last().map_or(number, |last| last + 1) } else { number };
                all.extend(from..=number);
                range = false;
            }
            ("to", _) => range = true,
            ("and", _) => {}
            _ => break,
        }
    }
    all
}

#[test]
fn every_figure_that_is_promised_is_there() {
    assert_eq!(promised("Tables 1 to 6, Figures 1, 2 and 4 to 6, more 9"), [1, 2, 4, 5, 6]);
    for key in Paper::keys() {
        let paper = Paper::find(key).unwrap();
        let all = promised(&paper.about.covers);
        assert!(!all.is_empty(), "{key}: {}", paper.about.covers);
        for number in all {
            let found = paper.figures(&number.to_string());
            assert!(
                found.is_ok(),
                "{key}: Figure {number} is promised, and {}",
                found.unwrap_err()
            );
        }
    }
}

#[test]
fn a_figure_of_parts_is_asked_for_by_its_number() {
    let hcc = Paper::find("hcc").unwrap();
    let ids = |id: &str| -> Vec<String> {
        hcc.figures(id).unwrap().iter().map(|figure| figure.id.clone()).collect()
    };
    assert_eq!(ids("8"), ["8a", "8b"]);
    assert_eq!(ids("8a"), ["8a"]);
    // 10 to 19 are no parts of 1; 2 is a drawing of an idea
    let error = hcc.figures("1").unwrap_err().to_string();
    assert!(error.contains("hcc has no such figure"), "{error}");
    assert!(hcc.figures("2").is_err());
}

#[test]
fn bars_are_rows_of_the_tables() {
    // three flows of seven congestion controls, at two buffers
    let hcc = Paper::find("hcc").unwrap();
    assert_eq!(hcc.figures("10").unwrap()[0].row_ids().len(), 7 * 2);
    // seven protocols, three numbers of flows, three windows of time
    let ngtcp = Paper::find("ngtcp").unwrap();
    assert_eq!(ngtcp.figures("13").unwrap()[0].row_ids().len(), 7 * 3 * 3);
}
