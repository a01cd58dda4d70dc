//! What is said of names.

use tusker_core::{congestion, queue};
use tusker_measure::table::CODE;

use super::{Entry, explained, listed, named, nearest, of_measures, of_scenarios};
use crate::page::Page;
use crate::terminal::{self, Detail, Terminal};

/// As it is printed, without colours, in one line.
fn flat(page: &Page) -> String {
    let shown = Terminal { detail: Detail::All, wide: true, ..Terminal::default() };
    let text = terminal::text(page, &shown).replace(&format!("{CODE}[1m"), "");
    let text = text.replace(&format!("{CODE}[0m"), "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn explain(name: &str) -> String {
    flat(&explained(&named(name)))
}

#[test]
fn everything_that_a_scenario_names_is_listed_and_explained_with_its_parameters() {
    let all = flat(&listed(&of_scenarios()));
    for sheet in congestion::ALL.iter().chain(queue::ALL) {
        let page = explain(sheet.name);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains(&words(sheet.title)) && page.contains(&words(sheet.source)));
        for param in sheet.params {
            assert!(page.contains(param.name) && page.contains(&words(param.about)), "{page}");
        }
        assert!(all.contains(sheet.name), "no {} in {all}", sheet.name);
    }
    for (name, word) in [
        ("onoff", "[[background]]"),
        ("parallel", "GridFTP"),
        ("hystart++", "RFC 9406"),
        ("limited", "max_ssthresh"),
        ("standard", "RFC 5681"),
        ("ns2", "profile = \"ns2\""),
        ("linux", "back-pressure"),
        ("rack", "RFC 8985"),
        // a congestion control and a loss recovery
        ("reno", "recovery = \"reno\""),
        ("ghstcp:z=2", "Gentle HighSpeed TCP"),
    ] {
        let page = explain(name);
        assert!(page.contains(word), "{name}: no {word} in {page}");
    }
    let measures = of_measures();
    assert!(measures.len() > 80, "{}", measures.len());
    assert_eq!(listed(&measures).sections.len(), 2, "a table, and what full names are");
}

/// Linux calls CUBIC `cubic` and BBRv1 `bbr`; here these are cubic-linux and bbr1.
#[test]
fn a_law_says_what_linux_runs_today() {
    assert!(explain("cubic").contains("For what Linux runs today by default, use cubic-linux"));
    assert!(explain("bbr3").contains("use bbr1"));
    for law in ["cubic-linux", "bbr1"] {
        assert!(explain(law).contains("This is what Linux runs today"), "{}", explain(law));
    }
    assert!(explain("hstcp").contains("`highspeed`") && !explain("copa").contains("In Linux"));
}

#[test]
fn measures_are_found_by_their_names_beginnings_and_columns() {
    for (name, word) in [
        ("marked", "Full name: mark_rate"),
        ("mean queue", "queue_mean_pkt"),
        ("harm", "harm_goodput, a measure of"),
        ("harm", "Unit: share"),
        ("rtt_exponent", "a measure of the whole experiment"),
        ("surely", "undecided 0 with a note"),
        ("possibly", "undecided 0 with a note"),
        ("--fail-on", "ends the command with exit code 3"),
    ] {
        assert!(explain(name).contains(word), "{name}: {}", explain(name));
    }
}

#[test]
fn a_name_that_nothing_has_is_told_the_nearest() {
    for (name, help) in [
        ("ghtcp", "did you mean `ghstcp`?"),
        ("H-TCP", "did you mean `htcp`?"),
        ("htcp-linux", "did you mean `htcp`?"),
        ("TCP-Reno", "did you mean `reno`?"),
        ("slowdwn_mean", "did you mean `slowdown_mean`"),
        ("phase", "did you mean one of these? phase-effects"),
        ("xxxxxxxxxx", "these names exist: reno, "),
    ] {
        assert!(named(&name.to_lowercase()).is_empty());
        let told = nearest(name);
        assert!(told.contains(help), "{name}: {told}");
    }
}

/// RFC 3649, Table 3: HighSpeed TCP has 83,981 segments at a loss of 1e-7; 0.12 and 0.835
/// are rounded. Parameters and rules are Kelly's (2003): a = 0.01, b = 1/8.
#[test]
fn programs_get_parameters_and_response_functions() {
    let one = |name: &str| named(name)[0].json();
    let scalable = one("scalable");
    let param = |nth: usize| {
        let own = &scalable["parameters"][nth];
        (own["name"].as_str().unwrap(), own["default"].as_f64().unwrap())
    };
    assert_eq!((param(0), param(1)), (("a", 0.01), ("b", 0.125)));
    // what is a congestion control and a queue policy
    let kinds: Vec<&str> = named("xcp").iter().map(|own: &Entry| own.kind).collect();
    assert_eq!(kinds, ["cc", "queue"]);
    let hstcp = one("hstcp");
    let points = hstcp["response"]["points"].as_array().expect("a closed form");
    let at = points.iter().find(|point| point["loss"] == 1e-7).expect("a point at 1e-7");
    let window = at["window_segments"].as_f64().expect("a number");
    assert!((window / 83_981.0 - 1.0).abs() < 0.005, "{window}");
    assert!(one("bbr3")["response"].is_null());
    assert_eq!(one("jain")["unit"], "index, 1/n to 1");
}
