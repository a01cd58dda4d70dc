//! `tusker reproduce PAPER --claim`: results that are incomplete or come from several places,
//! and what the page is called.

use std::fs;

use super::claim::{CONCLUSIONS, FULL, RECORDED, ask, flat, folder};
use super::{err, run};

/// Of two comparisons one was not run: 80 < 90 at 10 ms, and nothing at 20.
#[test]
fn what_was_run_in_part_is_incomplete_and_no_success() {
    let temp = folder();
    let some: Vec<&str> = FULL.lines().filter(|line| !line.contains(",20,")).collect();
    fs::write(temp.path().join("part.csv"), some.join("\n") + "\n").unwrap();
    let file = temp.path().join("claims.xml");
    let asked = ["--claim", "more", "--recorded", "part.csv", "--out", "page"];
    let script = ["--fail-on", "fails", "--junit", file.to_str().unwrap()];
    let output = run(temp.path(), &[&["reproduce", "small"], &asked[..], &script].concat());
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    let text = flat(&String::from_utf8_lossy(&output.stdout));
    assert!(text.starts_with("more incomplete, 1 of 2 comparisons were run "), "{text}");
    let told = "incomplete, holds in the one comparison that was run; 1 was not run; one seed";
    assert!(text.contains(told), "{text}");
    assert!(text.contains("base 1 incomplete +10.00"), "{text}");
    let cause = "small, claim more: incomplete: 1 of its comparisons were not run";
    assert!(flat(&err(&output)).contains(cause), "{}", err(&output));
    let suites = fs::read_to_string(&file).unwrap();
    assert!(suites.contains(r#"tests="1" failures="1""#), "{suites}");
    let page = fs::read_to_string(temp.path().join("page/claim-more.html")).unwrap();
    assert!(page.contains(": incomplete, 1 of 2 comparisons were run</title>"), "{page}");
}

/// Both places are judged together; each reading of the second one counts, also a combined one.
#[test]
fn several_places_are_judged_together() {
    let temp = folder();
    let claim = ["--claim", "utilisation(1) > 50", "--at", "10"];
    let one = |more: &[&str]| ask(temp.path(), &[&claim[..], more].concat());
    one(&["--reading", "link+tiny-queue", "--out", "mine", "--quiet"]);
    one(&["--reading", "link", "--out", "mine", "--quiet"]);
    let mine = flat(&one(&["--recorded", "mine"]));
    // the two by themselves, which need no other runs, and both together
    assert!(mine.contains("all 3 other readings that could change it were tried"), "{mine}");
    assert!(mine.contains("link+tiny-queue 1 holds"), "{mine}");
    // seeds 1 and 2 of the files beside the paper, and the tiny queue with both
    let both = flat(&one(&["--recorded", "small,mine"]));
    assert!(both.contains("two seeds, no interval readings: "), "{both}");
    assert!(both.contains("link+tiny-queue 1 holds"), "{both}");
    assert!(both.contains("without own runs: holds: 1 of 1 comparison"), "{both}");
    // it says which place has which runs
    assert!(both.contains("Where the runs are from small: base with seeds 1 and 2;"), "{both}");
    assert!(both.contains(" mine (own runs): "), "{both}");
    // and the page, how others make these runs
    let page = one(&["--recorded", "small,mine", "--out", "sent"]);
    assert!(flat(&page).contains(" mine (own runs): "), "{page}");
    let pages = fs::read_dir(temp.path().join("sent")).unwrap().flatten();
    let html: Vec<_> =
        pages.filter(|f| f.path().extension().is_some_and(|e| e == "html")).collect();
    let html = fs::read_to_string(html[0].path()).unwrap();
    assert!(html.contains("--seed 1 --out mine"), "the command that makes them");
    // the reading that is judged is not that of every run
    one(&["--recorded", "small,mine", "--reading", "link", "--out", "under-link"]);
    let pages = fs::read_dir(temp.path().join("under-link")).unwrap().flatten();
    let html: Vec<_> =
        pages.filter(|f| f.path().extension().is_some_and(|e| e == "html")).collect();
    let html = fs::read_to_string(html[0].path()).unwrap();
    assert!(html.contains("--reading link --seed 1 --out mine"), "the command that makes them");
    assert!(!html.contains("--reading link --reading"), "one reading for each run");
    assert!(!mine.contains("Where the runs are from"), "{mine}");
    let rows = run(temp.path(), &["reproduce", "small", "--recorded", "small,mine"]);
    let told = flat(&err(&rows));
    assert_eq!(rows.status.code(), Some(2));
    assert!(told.contains("only --claim judges several together"), "{told}");
}

/// A seed that has only some of the rows does not count; the command that completes it is told.
#[test]
fn a_seed_that_was_run_in_part_is_named_with_the_command_for_the_rest() {
    let temp = folder();
    let claim = ["--claim", "utilisation(1) > 50"];
    let one = |more: &[&str]| ask(temp.path(), &[&claim[..], more].concat());
    let own = one(&["--at", "10", "--seed", "6", "--out", "mine", "--quiet"]);
    let steps: Vec<&str> = own.lines().filter(|line| line.starts_with("  tusker ")).collect();
    assert!(steps.iter().any(|step| step.ends_with(" --out page")), "{own}");
    assert!(steps.iter().all(|step| step.matches("--out ").count() == 1), "{own}");
    let both = flat(&one(&["--recorded", "small,mine"]));
    assert!(both.contains("are left out: base with seed 6"), "{both}");
    assert!(both.contains(" base 6 incomplete "), "it is shown: {both}");
    // in the same folder, so that no row is run again
    let step = "--claim 'utilisation(1) > 50' --out mine --seed 6 the other rows of seed 6, so that it counts";
    assert!(both.contains(step), "{both}");
}

#[test]
fn a_title_is_that_of_several_claims_too() {
    let temp = folder();
    let asked =
        ["--claim", "more,half", "--recorded", "small", "--title", "Both?", "--out", "page"];
    ask(temp.path(), &asked);
    let page = fs::read_to_string(temp.path().join("page/claim-more-half.html")).unwrap();
    assert!(page.contains("<title>Both?</title>"), "{page}");
    // how to repeat it is below; what each verdict rests on is below its comparisons
    let parts: Vec<&str> = page.split("<h2 ").collect();
    let part = |name: &str| {
        let own = parts.iter().find(|part| part.contains(&format!(">{name}</h2>")));
        *own.unwrap_or_else(|| panic!("no section {name} in\n{page}"))
    };
    assert!(part("Verdict").contains("<dt>base</dt>"));
    assert!(part("How to repeat it").contains("--claim more,half --recorded small"));
    for name in ["more", "half"] {
        for told in ["<dt>seeds</dt>", "<dt>rows</dt>", "<dt>not tried</dt>"] {
            assert!(part(name).contains(told), "{name}: {told}");
        }
    }
}

#[test]
fn an_id_of_a_claim_and_a_conclusion_says_which_is_shown() {
    let temp = folder();
    let both = CONCLUSIONS.replace("\"better\"", "\"more\"");
    fs::write(temp.path().join("small/conclusions.toml"), both).unwrap();
    let text = flat(&ask(temp.path(), &RECORDED));
    let told = "Conclusion: HSTCP is better. more is the id of a conclusion and of a claim; these are \
        all claims of the conclusion, and --claim claim:more asks for the claim alone";
    assert!(text.starts_with(told), "{text}");
    let alone = flat(&ask(temp.path(), &["--claim", "claim:more", "--recorded", "small"]));
    assert!(alone.starts_with("more partly, 1 of 2"), "{alone}");
}
