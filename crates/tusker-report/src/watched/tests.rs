use std::path::Path;

use tusker_measure::watched::Watching;
use tusker_store::Format;
use tusker_store::watched::Store;

use super::*;
use crate::figure::Plot;
use crate::html;

/// What `tusker kernel watch` saw of a real connection: see the tests of tusker-measure.
const LINES: &str = include_str!("../../../tusker-measure/src/watched/fixture.jsonl");

/// Written and read back.
fn stored(dir: &Path, lines: impl Iterator<Item = String>) -> Stored {
    let mut watching = Watching::new(vec!["tusker".into(), "kernel".into(), "watch".into()]);
    lines.for_each(|line| watching.hear(&line).unwrap());
    let (watched, moments) = watching.finish();
    Store::open(dir, Format::Csv, true).unwrap().save(watched, &moments).unwrap();
    Stored::read(dir).unwrap()
}

fn real(dir: &Path) -> Stored {
    stored(dir, LINES.lines().map(str::to_owned))
}

#[test]
fn the_page_has_every_curve_and_connection() {
    let temp = tempfile::tempdir().unwrap();
    let page = of_watched(&[real(&temp.path().join("w"))]);
    assert_eq!(page.title, "ghwo (ghstcp) in the kernel");
    assert_eq!(page.commands, ["tusker kernel watch"]);
    let titles: Vec<&str> = page.sections.iter().map(|section| &*section.title).collect();
    assert_eq!(titles, ["Connections", "Over time", "What was watched"]);

    let Some(Block::Table(table)) = page.sections[0].blocks.first() else { panic!("a table") };
    // 1763 segments of 1448 bytes in 2.00996 s are 2552824 bytes and 10.16 Mbit/s
    assert_eq!(
        table.rows[0].cells,
        [
            "1",
            "10.9.0.1:46218",
            "10.9.1.1:5201",
            "0.694 s",
            "2.704 s",
            "2.553 MB",
            "10.16 Mbit/s",
            "97 segments",
            "6",
            "0",
            "0",
            "4.000 ms"
        ]
    );
    // the one back has no curve, and no colour of one
    let colours: Vec<_> = table.rows.iter().map(|row| row.colour).collect();
    assert_eq!(colours, [Some(0), None]);

    let figure = page.figure("time").expect("there is a figure");
    let Plot::Panels(panels) = &figure.plot else { panic!("curves") };
    let names: Vec<&str> = panels.panels.iter().map(|panel| &*panel.name).collect();
    let own = ["rate", "cwnd", "ssthresh", "srtt", "in_flight", "lost", "state"];
    // the refined law alone knows rtt_ms, low_ms and high_ms, and the mode was 0 as long
    // as the fixture goes
    let shows = ["r", "z"];
    let silent = "0 throughout: mode, rtt_ms, low_ms, high_ms.";
    assert!(figure.caption.to_string().contains(silent), "{}", figure.caption);
    assert_eq!(names, [&own[..], &shows].concat());
    let curve = |panel: &str, number: usize| {
        let panel = panels.panels.iter().find(|p| p.name == panel).unwrap();
        &panel.curves[number].values
    };
    let at = |time: f64| panels.xs.iter().position(|x| *x >= time).unwrap();
    // from line 8 (0.730047 s) on it is 7 segments, until line 10 (0.743975 s)
    assert_eq!((curve("cwnd", 0)[at(0.735)], curve("ssthresh", 0)[at(0.735)]), (7.0, 7.0));
    assert_eq!((curve("srtt", 0)[at(0.735)], curve("lost", 0)[at(0.735)]), (7.056, 7.0));
    // line 7, recovery; and line 8, open
    assert_eq!((curve("state", 0)[at(0.72)], curve("state", 0)[at(0.735)]), (3.0, 0.0));
    assert_eq!(panels.panels[0].curves.len(), 1);
    // between line 32, 224 segments at 1.126727 s, and line 35, 1765 at 2.704394 s, there
    // is nothing: 1541 segments in 1.577667 s
    let rate = 1541.0 * 1448.0 * 8e-6 / 1.577667;
    assert!((curve("rate", 0)[at(2.0)] - rate).abs() < 1e-6, "{}", curve("rate", 0)[at(2.0)]);

    let html = html::html(&page);
    for text in ["10.9.0.1:46218", "w_low = 38", "b_high = 0.1", "Linux 6.18.44-fc-v657"] {
        assert!(html.contains(text), "{text}");
    }
    assert!(page.figure("time.z").is_some());
    assert!(!html.contains("utilisation"), "nothing is known of the path");
}

#[test]
fn folders_on_one_page_keep_their_figures_apart() {
    let temp = tempfile::tempdir().unwrap();
    let page = of_watched(&[real(&temp.path().join("a")), real(&temp.path().join("b"))]);
    assert!(page.figure("time-1.cwnd").is_some() && page.figure("time-2.cwnd").is_some());
    assert_eq!(page.sections.len(), 6);
}

#[test]
fn a_watch_without_connections_is_a_page_too() {
    let temp = tempfile::tempdir().unwrap();
    let lines: Vec<&str> = LINES.lines().collect();
    let few = [lines[0], lines[35]].map(str::to_owned);
    let page = of_watched(&[stored(&temp.path().join("w"), few.into_iter())]);
    assert!(html::html(&page).contains("No connection of ghwo sent anything"));
    assert!(page.names().is_empty());
}

/// Ten connections: one group, and the bands of the page.
#[test]
fn many_connections_are_one_group() {
    let temp = tempfile::tempdir().unwrap();
    let lines: Vec<&str> = LINES.lines().collect();
    let mut all = vec![lines[0].to_owned()];
    for flow in 0..10 {
        let named = |line: &&str| line.replace("ffff8881088b9280", &format!("flow{flow}"));
        all.extend(lines[1..32].iter().filter(|line| line.contains("b9280")).map(named));
    }
    let page = of_watched(&[stored(&temp.path().join("w"), all.into_iter())]);
    let figure = page.figure("time.cwnd").expect("there is a figure");
    let Plot::Panels(panels) = &figure.plot else { panic!("curves") };
    assert_eq!((panels.groups.len(), panels.panels[0].curves.len()), (1, 10));
}
