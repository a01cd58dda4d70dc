//! What is asked about a paper, answered by what is recorded, without a program and without a
//! run: `tests/small` is a paper of two cases at two delays.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use tusker_lab::{Experiment, Outcome, Ready, Trouble};
use tusker_papers::page::lists;
use tusker_papers::reproduce::{self, Answered, Host, HostError, Over, Request, What};
use tusker_papers::rows::Selection;
use tusker_papers::{Paper, Reproduction, recorded};
use tusker_plan::plan::Plan;
use tusker_plan::plane::Plane;
use tusker_report::figure::Plot;
use tusker_report::terminal::{self, Detail, Terminal};
use tusker_report::{Page, html};
use tusker_store::{Build, Format};

/// Runs nothing.
struct Nobody;

impl Host for Nobody {
    fn build(&self, plane: Plane) -> Build {
        Build { version: "0".to_owned(), hash: "0".repeat(64), plane }
    }

    fn check(&self, _: &Ready) -> Result<(), Trouble> {
        Ok(())
    }

    fn run(&self, _: Plane, _: &[Experiment]) -> Result<Outcome, Trouble> {
        Err(Trouble::Interrupted)
    }

    fn refuses(&self, _: &Plan) -> Option<String> {
        None
    }

    fn may(&self, _: &Plan) -> Result<(), HostError> {
        Ok(())
    }

    fn claim(&self, _: &Path) -> Result<(), HostError> {
        Ok(())
    }

    fn say(&self, _: &str, _: bool) {}
}

const CLAIMS: &str = include_str!("judged/claims.toml");

const CONCLUSIONS: &str = include_str!("judged/conclusions.toml");

/// With seed 1: 90 > 80 at 10 ms, and 70 < 75 at 20 ms.
const FULL: &str = include_str!("judged/full.csv");

/// With seed 2 it is the same; with a small queue 60 < 70 and 50 < 65.
const RUNS: &str = include_str!("judged/runs.csv");

/// The small paper with these claims and runs.
struct Small {
    temp: TempDir,
}

impl Small {
    fn new() -> Self {
        let temp = TempDir::new().unwrap();
        let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/small");
        for file in fs::read_dir(small).unwrap().map(|entry| entry.unwrap().path()) {
            fs::copy(&file, temp.path().join(file.file_name().unwrap())).unwrap();
        }
        let own = Self { temp };
        own.put("claims.toml", CLAIMS);
        own.put("conclusions.toml", CONCLUSIONS);
        own.put("full.csv", FULL);
        own.put("conclusions.csv", RUNS);
        own.put("reasons.toml", "[[claims]]\nids = [\"more\"]\nwhy = \"made up\"\n");
        own
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.temp.path().join(name), text).unwrap();
    }

    fn answer(&self, request: &Request) -> Result<Answered, String> {
        let paper = Paper::load(self.temp.path()).map_err(text)?;
        reproduce::answer(&paper, request, &Nobody).map_err(|error| match error {
            reproduce::Failure::Mistake(error) => text(error),
            error => error.to_string(),
        })
    }

    fn claims(&self, names: &[&str], change: impl FnOnce(&mut Request)) -> Result<Value, String> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let mut request = request(What::Claims { names, over: Over::One, title: None });
        request.recorded = Some(self.temp.path().join("full.csv"));
        change(&mut request);
        Ok(serde_json::to_value(self.answer(&request)?.value).unwrap())
    }
}

fn text(error: tusker_papers::Error) -> String {
    use miette::Diagnostic;
    let help = error.help().map(|help| help.to_string()).unwrap_or_default();
    format!("{error}; {help}")
}

/// Everything in the base, by what comes with the program.
fn request(what: What) -> Request {
    Request {
        what,
        selection: Selection::default(),
        readings: Vec::new(),
        sets: Vec::new(),
        quick: false,
        seed: None,
        replicates: None,
        as_recorded: false,
        recorded: Some("papers".into()),
        plane: Plane::Simulator,
        folder: "nowhere".into(),
        force: false,
        format: Format::default(),
        command: Vec::new(),
    }
}

/// Verdict, comparisons that hold, and all of them, of the first claim.
fn judged(all: &Value) -> (&str, u64, u64) {
    let own = &all["claims"][0]["ours"];
    (own["verdict"].as_str().unwrap(), own["held"].as_u64().unwrap(), own["of"].as_u64().unwrap())
}

/// Comparisons that hold in all runs, all of these, runs, and readings.
fn robust(own: &Value) -> [u64; 4] {
    ["held", "of", "runs", "readings"].map(|key| own["robust"][key].as_u64().unwrap())
}

/// At 10 ms 89 > 81 with two seeds, at 20 ms 71 < 74.5. The single run under the other reading has
/// 60 < 70 and 50 < 65.
#[test]
fn the_verdict_is_that_of_the_base_with_its_robustness_beside_it() {
    let all = Small::new().claims(&["more"], |_| ()).unwrap();
    assert_eq!(judged(&all), ("partly", 1, 2));
    let own = &all["claims"][0];
    assert_eq!(robust(own), [2, 6, 3, 2]);
    let worst = &own["robust"]["worst"];
    assert_eq!((&worst["reading"], &worst["held"]), (&"tiny-queue".into(), &0.into()));
    let reversed = &own["reversed_by"][0];
    assert_eq!(reversed["reading"], "tiny-queue");
    assert_eq!(reversed["comparisons"], Value::from(vec!["utilisation(2@10) > utilisation(1@10)"]));
    assert_eq!(own["untried"], Value::from(vec!["link"]));
    // half of the distance of two seeds
    let first = &own["ours"]["comparisons"][0]["terms"][0];
    assert_eq!((&first["value"], &first["ci95"]), (&89.0.into(), &1.0.into()));
    // the paper's own are 97.3 and 97.3, 10 and 97.3
    assert_eq!(
        (&own["paper"]["verdict"], &own["paper"]["held"]),
        (&"does_not_hold".into(), &0.into())
    );
    assert_eq!(own["reason"], "made up");
    // 71 in place of 10
    let miss = |row: &Value| row["row"] == "2@20" && row["misses"][0]["ours"] == 71.0;
    assert!(own["rows"].as_array().unwrap().iter().any(miss), "{own}");
}

#[test]
fn only_comparisons_between_chosen_rows_count() {
    let small = Small::new();
    let at_10 = small.claims(&["more"], |own| own.selection.at = vec!["10".to_owned()]).unwrap();
    assert_eq!(judged(&at_10), ("holds", 1, 1));
    assert_eq!(at_10["claims"][0]["left_out"], 1);
    let none = small.claims(&["more"], |own| own.selection.cases = vec!["1".to_owned()]);
    assert!(none.unwrap_err().contains("none of its comparisons has all its rows"));
}

#[test]
fn a_test_of_ones_own_is_judged_like_a_claim() {
    let small = Small::new();
    let own = |test: &str| small.claims(&[test], |_| ());
    // 81 and 74.5; one that fails decides
    assert_eq!(judged(&own("utilisation(1) > 76").unwrap()), ("does_not_hold", 1, 2));
    // 81 ± 1 at 10 ms; the signs are those of print
    let chance = own("utilisation(1@10) ≥ 2 × 40.5 − 0.5").unwrap();
    assert_eq!(judged(&chance), ("undecided", 0, 1));
    let chain = own("utilisation(1@10) > utilisation(1@20) > utilisation(2@20)").unwrap();
    assert_eq!(chain["claims"][0]["ours"]["held"], 1);
    for (test, wanted) in [
        ("utilisation(3) > 1", "there is no case `3`"),
        ("mor", "did you mean `more`"),
        ("utilisation > 1", "`utilisation` is of no case"),
    ] {
        let error = own(test).unwrap_err();
        assert!(error.contains(wanted), "{error}");
    }
}

/// Of both claims together: 2 of 6 and 11 of 12.
#[test]
fn a_conclusion_stands_for_its_claims() {
    let small = Small::new();
    let all = small.claims(&["better"], |_| ()).unwrap();
    let own = &all["conclusions"][0];
    assert_eq!((&own["verdict"], robust(own)), (&"partly".into(), [13, 18, 3, 2]));
    assert_eq!(own["reversed_by"][0]["comparisons"].as_array().unwrap().len(), 2);
    assert_eq!(all["claims"].as_array().unwrap().len(), 2);
    // an id of both: the conclusion, unless the claim is asked for
    small.put("conclusions.toml", &CONCLUSIONS.replace("\"better\"", "\"more\""));
    assert_eq!(small.claims(&["more"], |_| ()).unwrap()["conclusions"][0]["id"], "more");
    let alone = small.claims(&["claim:more"], |_| ()).unwrap();
    assert_eq!(alone["conclusions"].as_array().unwrap().len(), 0);
    assert_eq!(judged(&alone), ("partly", 1, 2));
}

#[test]
fn readings_and_seeds_go_with_a_claim() {
    let small = Small::new();
    let under = |name: &str| small.claims(&["more"], |own| own.readings = vec![name.to_owned()]);
    let tiny = under("tiny-queue").unwrap();
    assert_eq!((judged(&tiny), &tiny["reading"]), (("does_not_hold", 0, 2), &"tiny-queue".into()));
    assert_eq!(tiny["claims"][0]["reversed_by"][0]["reading"], "base");
    assert!(under("link").unwrap_err().contains("it has them under base, tiny-queue"));
    let second = small.claims(&["more"], |own| own.seed = Some(2)).unwrap();
    assert_eq!((judged(&second), robust(&second["claims"][0])), (("partly", 1, 2), [1, 4, 2, 2]));
}

/// Nine comparisons of fairness and three of S1, with five seeds and under four readings.
#[test]
fn a_conclusion_of_a_paper_is_judged_in_all_its_runs() {
    let names = vec!["ghstcp-is-fairer".to_owned()];
    let request = request(What::Claims { names, over: Over::One, title: None });
    let answered = reproduce::answer(&Paper::find("ghstcp").unwrap(), &request, &Nobody).unwrap();
    let all = serde_json::to_value(&answered.value).unwrap();
    let own = &all["conclusions"][0];
    assert_eq!((&own["verdict"], robust(own)), (&"holds".into(), [107, 108, 9, 5]));
    // by 0.002, while single seeds lie within 0.12 of their mean
    assert_eq!(own["robust"]["worst"]["reading"], "background-1500");
    assert_eq!(own["reversed_by"], Value::Array(Vec::new()));
    let text = terminal::text(&answered.pages[0], &Terminal::default());
    assert!(text.lines().count() <= 25, "{text}");
}

#[test]
fn what_conclusions_name_must_be_there() {
    let small = Small::new();
    for (file, text, wanted) in [
        ("conclusions.toml", CONCLUSIONS.replace("\"more\"", "\"mor\""), "no claim `mor`"),
        (
            "conclusions.toml",
            CONCLUSIONS.replace("tiny-queue", "no-queue"),
            "no reading `no-queue`",
        ),
        ("conclusions.csv", "a,b,c,d\n".to_owned(), "reading,seed,case,delay"),
    ] {
        small.put("conclusions.toml", CONCLUSIONS);
        small.put(file, &text);
        let error = small.answer(&request(What::Conclusions)).err().unwrap();
        assert!(error.contains(wanted) && error.contains(file), "{error}");
    }
    fs::remove_file(small.temp.path().join("conclusions.csv")).unwrap();
    fs::remove_file(small.temp.path().join("conclusions.toml")).unwrap();
    let mut request = request(What::Conclusions);
    request.recorded = None;
    let error = small.answer(&request).err().unwrap();
    assert!(error.contains("small has no conclusions.toml"), "{error}");
}

#[test]
fn lists_name_what_can_be_asked() {
    let paper = Paper::load(Small::new().temp.path()).unwrap();
    let flat = |page: &Page| {
        let text = terminal::text(page, &Terminal { detail: Detail::All, ..Terminal::default() });
        let text: String = text.replace(tusker_measure::table::CODE, "");
        ["[1m", "[2m", "[0m"].iter().fold(text, |text, code| text.replace(code, ""))
    };
    let flat = |page: &Page| flat(page).split_whitespace().collect::<Vec<_>>().join(" ");
    let claims = flat(&lists::claims(&paper));
    for wanted in [
        "better HSTCP is better. claims: more, half",
        "half Both use half. [2] utilisation(c) > 50",
        "utilisation goodput as a share of the rate %",
    ] {
        assert!(claims.contains(wanted), "{wanted}: {claims}");
    }
    let readings = flat(&lists::readings(&paper));
    for wanted in [
        "tiny-queue nothing says how large the queue is sets dumbbell.queue=5pkt",
        "link headers may count sets utilisation = utilisation",
    ] {
        assert!(readings.contains(wanted), "{wanted}: {readings}");
    }
}

/// What is judged in the recorded sets, row by row, is what is judged today.
#[test]
fn recorded_rows_are_judged_as_today() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    for key in Paper::keys() {
        let paper = Paper::find(key).unwrap();
        for (file, quick) in [("full.csv", false), ("quick.csv", true)] {
            let text = fs::read_to_string(root.join(key).join(file)).unwrap();
            let rows = recorded::read(&text, &paper.cases.variant.name).unwrap();
            let judged = Reproduction::recorded(&paper, &rows, quick).to_csv();
            assert!(judged == text, "papers/{key}/{file} is judged otherwise");
        }
    }
}

#[test]
fn nothing_is_wider_than_it_must_be() {
    for key in Paper::keys() {
        let request = request(What::Rows);
        let answered = reproduce::answer(&Paper::find(key).unwrap(), &request, &Nobody).unwrap();
        let narrow = Terminal { columns: Some(80), ..Terminal::default() };
        let text = terminal::text(&answered.pages[0], &narrow);
        let seen = |line: &str| {
            let codes = line.split(tusker_measure::table::CODE);
            let plain = codes.enumerate().map(|(i, part)| match i {
                0 => part.chars().count(),
                _ => part.split_once('m').map_or(0, |(_, rest)| rest.chars().count()),
            });
            plain.sum::<usize>()
        };
        let wide = text.lines().find(|line| seen(line) > 80);
        assert_eq!(wide, None, "{key}");
    }
}

/// Table 2 of hcc has seven congestion controls at three ratios of round trips: by what they
/// choose the rows are of 21 kinds, more than colours tell apart.
#[test]
fn rows_of_many_choices_have_the_colours_of_their_laws() {
    let mut request = request(What::Rows);
    request.selection.tables = vec!["2".to_owned()];
    let answered = reproduce::answer(&Paper::find("hcc").unwrap(), &request, &Nobody).unwrap();
    let figure = answered.pages[0].figure("paper-t1").unwrap();
    let Plot::Scatter(points) = &figure.plot else { panic!("it has points") };
    let laws: BTreeSet<&str> = points.points.iter().map(|own| own.group.name.as_str()).collect();
    let looks: BTreeSet<usize> = points.points.iter().map(|own| own.group.colour).collect();
    assert_eq!((laws.len(), looks.len()), (7, 7), "{laws:?}");
}

#[test]
fn rows_are_scenarios() {
    let paper = Paper::find("ghstcp").unwrap();
    let mut request = request(What::Rows);
    let scenario = |request: &Request| reproduce::scenario(&paper, request, &Nobody).unwrap();
    assert!(scenario(&request).contains("# All base assumptions"));
    request.selection.at = vec!["100".to_owned()];
    request.selection.cases = vec!["4".to_owned(), "7".to_owned()];
    let both = scenario(&request);
    let (four, seven) = both.split_once("# 4@100\n").unwrap().1.split_once("\n# 7@100\n").unwrap();
    assert!(four.contains("dumbbell.delay=100ms") && seven.contains("dumbbell.delay=100ms"));
    assert!(four.contains("hstcp") && !four.contains("ghstcp") && seven.contains("ghstcp"));
    request.selection.cases.remove(0);
    let one = scenario(&request);
    assert!(one.contains("ghstcp") && one.contains("100ms") && one.contains("sack"), "{one}");
    tusker_scenario::Scenario::parse("case7.toml", &one, &[]).unwrap().plan().unwrap();
}

#[test]
fn mistakes_are_told_with_a_remedy() {
    let paper = Paper::find("ghstcp").unwrap();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let with = |change: &dyn Fn(&mut Request)| {
        let mut request = request(What::Rows);
        request.recorded = None;
        change(&mut request);
        match reproduce::answer(&paper, &request, &Nobody).err().unwrap() {
            reproduce::Failure::Mistake(error) => text(error),
            error => panic!("{error}"),
        }
    };
    assert!(with(&|own| own.selection.cases = names(&["32"])).contains("there are 1, 2,"));
    assert!(with(&|own| own.selection.at = names(&["30"])).contains("there are 25, 50, 100"));
    let none = with(&|own| {
        own.selection.tables = names(&["2"]);
        own.selection.cases = names(&["1"]);
    });
    assert!(none.contains("ghstcp has no row that is in all"), "{none}");
    let figure = with(&|own| own.what = What::Figures(names(&["3"])));
    assert!(figure.contains("there are 1, 2, 4, 5, 6, 7, 8"), "{figure}");
    assert!(with(&|own| own.readings = names(&["none"])).contains("count-link"));
    let file = with(&|own| own.recorded = Some("none.csv".into()));
    assert!(file.contains("--format csv"), "{file}");
    assert!(Paper::find("gstcp").unwrap_err().to_string().contains("gstcp"));
}

/// Claims about other rows than those that were run are not on the page of these.
#[test]
fn a_page_of_some_rows_has_what_is_about_them() {
    let small = Small::new();
    let claim = |id: &str, says: &str, test: &str| {
        format!(
            "[[claims]]\nid = \"{id}\"\nplace = \"1\"\nsays = \"{says}\"\ntests = [\"{test}\"]\n\n"
        )
    };
    let claims = claim("two", "Case 2 alone is busy.", "utilisation(2@10) > 1")
        + &claim("both", "Both are alike.", "utilisation(1@10) < 2 * utilisation(2@10)");
    small.put("claims.toml", &claims);
    small.put(
        "conclusions.toml",
        "[[conclusions]]\nid = \"a\"\nsays = \"Case 2 is very busy.\"\nclaims = [\"two\"]\n",
    );
    small.put("reasons.toml", "");
    let page = |cases: &[&str]| {
        let mut request = request(What::Rows);
        request.recorded = Some(small.temp.path().join("full.csv"));
        request.selection.cases = cases.iter().map(|name| (*name).to_owned()).collect();
        html::html(&small.answer(&request).unwrap().pages[0])
    };
    let some = page(&["1"]);
    assert!(some.contains("Both are alike.") && some.contains("these are 2 of the 4 rows"));
    assert!(!some.contains("Case 2 alone is busy.") && !some.contains("Case 2 is very busy."));
    // two rows say nothing of constants
    assert!(!some.contains("best constants") && page(&[]).contains("the best constants reach"));
    let all = page(&[]);
    assert!(all.contains("Case 2 alone is busy.") && all.contains("Case 2 is very busy."));
    // heads are those of the terminal
    assert!(all.contains("utilisation: goodput as a share of the rate."), "heads");
}

/// The second claim holds in five of the six runs at either delay: 11 of 12, and the first in
/// 2 of 6.
#[test]
fn conclusions_are_judged_on_what_is_recorded() {
    let small = Small::new();
    let ask = |cases: &[&str], at: &[&str]| {
        let mut request = request(What::Conclusions);
        request.recorded = Some(small.temp.path().join("full.csv"));
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        (request.selection.cases, request.selection.at) = (names(cases), names(at));
        small.answer(&request).map(|own| serde_json::to_value(own.value).unwrap())
    };
    let all = ask(&[], &[]).unwrap();
    assert_eq!((&all[0]["verdict"], robust(&all[0])), (&"partly".into(), [13, 18, 3, 2]));
    // 90 > 80, 88 > 82 and 60 < 70; and 6 of 6 above 50
    let at_10 = ask(&[], &["10"]).unwrap();
    assert_eq!((&at_10[0]["verdict"], robust(&at_10[0])), (&"holds".into(), [8, 9, 3, 2]));
    // Case 1 alone is compared with nothing but 50
    let one = ask(&["1"], &["10"]).unwrap();
    assert_eq!(robust(&one[0]), [3, 3, 3, 2]);
    small.put(
        "claims.toml",
        &CLAIMS
            .replace("utilisation(c) > 50", "utilisation(1) < utilisation(2)")
            .replace("where = { c = [1, 2] }\n", ""),
    );
    let none = ask(&["1"], &[]).unwrap_err();
    assert!(none.contains("none compares these rows with each other"), "{none}");
}

#[test]
fn readings_of_chosen_rows_judge_comparisons_between_them() {
    let small = Small::new();
    let paper = Paper::load(small.temp.path()).unwrap();
    let runs = paper.recorded_runs();
    let under = |name: &str| {
        let taken = paper.take(&[name.to_owned()], &[]).unwrap();
        let rows = &runs.of(name)[0].rows;
        Reproduction::recorded_with(&paper, &taken, Some(1), rows, false)
    };
    let all = reproduce::Value::Several(vec![under("base"), under("tiny-queue")]);
    small.put("compared.json", &all.json());
    let ask = |at: &[&str]| {
        let mut request = request(What::Readings);
        request.recorded = Some(small.temp.path().join("compared.json"));
        request.selection.at = at.iter().map(|name| (*name).to_owned()).collect();
        let answered = small.answer(&request).unwrap();
        let rows = answered.csv.lines().skip(1);
        // rows, and claims that hold, partly, undecided and not
        let cells = rows.map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{} {} {}", cells[0], cells[1], cells[7..11].join(" "))
        });
        let text = answered.pages[0].table.clone().unwrap().caption;
        (cells.collect::<Vec<_>>(), text)
    };
    // "more" holds at 10 ms alone in the base, and nowhere with a small queue; of "half", "most"
    // of four values are above 50 in both
    let (all, text) = ask(&[]);
    assert_eq!(all, ["base 4 1 1 0 0", "tiny-queue 4 1 0 0 1"]);
    assert!(!text.contains("between the chosen rows"), "{text}");
    let (at_10, text) = ask(&["10"]);
    assert_eq!(at_10, ["base 2 2 0 0 0", "tiny-queue 2 1 0 0 1"]);
    assert!(text.contains("between the chosen rows"), "{text}");
}
