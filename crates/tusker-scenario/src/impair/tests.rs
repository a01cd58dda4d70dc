use tusker_core::wire::{self, Spread};
use tusker_core::{Duration, Rate, Time};

use super::trace::{unwritten, written};
use crate::error::Error;
use crate::model::Scenario;

fn dumbbell(keys: &str) -> String {
    format!(
        "profile = \"ns2\"\nduration = \"10s\"\n[dumbbell]\ndelay = \"10ms\"\nqueue = \"1bdp\"\n\
         access = {{ rate = \"1Gbit\" }}\n{keys}\n[[flows]]\nname = \"a\"\ncc = \"reno\"\n"
    )
}

fn parse(keys: &str) -> Result<Scenario, Error> {
    Scenario::parse("test.toml", &dumbbell(keys), &[])
}

/// The first link of the plan; the expanded scenario must give the same.
fn link(keys: &str) -> tusker_plan::plan::Link {
    let scenario = parse(keys).unwrap_or_else(|e| panic!("{e:?}"));
    let complete = scenario.complete().unwrap_or_else(|e| panic!("{e:?}"));
    let (text, plan) = (complete.to_toml(), complete.into_plan());
    let again = Scenario::parse("again.toml", &text, &[]).and_then(|s| s.plan());
    assert_eq!(again.unwrap_or_else(|e| panic!("{e:?} in\n{text}")), plan, "{text}");
    plan.links[0].clone()
}

/// Message and place of the mistake.
fn wrong(keys: &str) -> (String, String) {
    let error = parse(keys).and_then(|s| s.plan()).expect_err(keys);
    (error.to_string(), error.offending().unwrap_or_default().to_owned())
}

#[test]
fn losses_in_every_form() {
    let loss = |text: &str| link(&format!("rate = \"1Gbit\"\nloss = {text}")).loss;
    assert_eq!(loss("1e-3"), wire::Loss::Bernoulli(1e-3));
    assert_eq!(loss("0"), wire::Loss::NONE);
    let chain =
        |p, r, loss_good, loss_bad| wire::Loss::GilbertElliott { p, r, loss_good, loss_bad };
    assert_eq!(loss("{ p = 0.1, r = 0.2 }"), chain(0.1, 0.2, 0.0, 1.0));
    let text = "{ p = 0.1, r = 0.2, loss_good = 0.01, loss_bad = 0.5 }";
    assert_eq!(loss(text), chain(0.1, 0.2, 0.01, 0.5));
    // r = 1/4, p = 1/4 x 0.2 / 0.8
    assert_eq!(loss("{ mean = 0.2, burst = 4 }"), chain(0.0625, 0.25, 0.0, 1.0));
}

#[test]
fn impossible_losses_are_refused() {
    let loss = |text: &str| wrong(&format!("rate = \"1Gbit\"\nloss = {text}"));
    assert_eq!(loss("1"), ("1 is not a valid loss probability".into(), "1".into()));
    assert_eq!(loss("{ p = 2, r = 0.2 }"), ("2 is not a probability".into(), "2".into()));
    assert_eq!(loss("{ p = 0.1, r = 0 }").0, "a link that eventually loses every packet");
    assert_eq!(loss("{ mean = 0.1, burst = 0.5 }").0, "0.5 is not a valid burst length");
    let short = loss("{ mean = 0.9, burst = 2 }");
    assert_eq!(short.0, "bursts of 2 packets are too short for a loss of 0.9");
    assert!(loss("{ p = 0.1 }").0.starts_with("expected a probability such as 1e-6"));
}

#[test]
fn jitter_in_every_form() {
    let jitter = |text: &str| link(&format!("rate = \"1Gbit\"\njitter = {text}")).jitter;
    let ms = Duration::from_millis;
    let some = |spread, reorder| Some(wire::Jitter { spread, reorder });
    assert_eq!(jitter("\"2ms\""), some(Spread::Uniform { max: ms(2) }, false));
    assert_eq!(
        jitter("{ distribution = \"normal\", mean = \"3ms\", sd = \"1ms\", reorder = true }"),
        some(Spread::Normal { mean: ms(3), sd: ms(1), max: ms(7) }, true)
    );
    assert_eq!(
        jitter("{ distribution = \"exponential\", mean = \"1ms\" }"),
        some(Spread::Exponential { mean: ms(1), max: ms(10) }, false)
    );
    let wrong = |text: &str| wrong(&format!("rate = \"1Gbit\"\njitter = {text}")).0;
    assert_eq!(wrong("{ distribution = \"pareto\" }"), "`pareto` is not a distribution");
    assert_eq!(
        wrong("{ distribution = \"normal\", sd = \"1ms\" }"),
        "normal jitter needs `mean` and `sd`"
    );
    assert_eq!(wrong("{ distribution = \"uniform\" }"), "uniform jitter without `max`");
}

#[test]
fn a_rate_that_steps_is_known_by_its_first() {
    let link =
        link("rate = [{ at = \"0s\", rate = \"1Gbit\" }, { at = \"5s\", rate = \"500Mbit\" }]");
    assert_eq!(link.rate, Rate::from_bits_per_sec(1_000_000_000));
    // 5 s at 1 Gbit/s, 5 s at half of that
    let second = |s: u64| Time::from_nanos(s * 1_000_000_000);
    assert_eq!(link.capacity(Time::ZERO, second(10)), 7.5e9);
    let wrong = |text: &str| wrong(&format!("rate = {text}")).0;
    assert_eq!(wrong("[]"), "the rate at the start is missing");
    assert_eq!(
        wrong("[{ at = \"0s\", rate = \"1Gbit\" }, { at = \"0s\", rate = \"2Gbit\" }]"),
        "a step at 0s after one at 0s"
    );
}

#[test]
fn a_trace_is_read_beside_its_scenario_and_kept() {
    let folder = std::env::temp_dir().join(format!("tusker-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("scenario.toml");
    std::fs::write(&file, dumbbell("rate = { trace = \"up.trace\" }")).expect("written");
    let load = |trace: &str| {
        std::fs::write(folder.join("up.trace"), trace).expect("written");
        Scenario::load(&file, &[])
    };
    let scenario = load("1\n3\n3\n7\n").unwrap_or_else(|e| panic!("{e:?}"));
    let wrong = load("1\n3\nx\n").unwrap_err();
    let backwards = load("1\n3\n2\n").unwrap_err();
    let empty = load("").unwrap_err();
    std::fs::remove_dir_all(&folder).expect("removed");
    let missing = Scenario::load(&file, &[]).unwrap_err();

    // without the file: four packets of 1504 bytes in 7 ms
    let text = scenario.complete().unwrap_or_else(|e| panic!("{e:?}")).to_toml();
    assert!(text.contains("opportunities = \"0 1 0 2 0x3 1\""), "{text}");
    let plan = Scenario::parse("again.toml", &text, &[]).and_then(|s| s.plan());
    let plan = plan.unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(plan, scenario.plan().expect("a plan"));
    assert_eq!(plan.links[0].rate, Rate::from_bits_per_sec(4 * 1504 * 8 * 1000 / 7));
    // and it can be read relative to any folder, without looking for the file
    assert!(
        wrong.to_string().ends_with("line 3: expected a whole number of milliseconds, found `x`")
    );
    assert_eq!(wrong.offending(), Some("\"up.trace\""));
    assert!(backwards.to_string().ends_with("line 3: 2 ms after 3 ms"), "{backwards}");
    assert!(empty.to_string().ends_with("has no duration"), "{empty}");
    assert!(missing.to_string().contains("cannot read"), "{missing}");
}

#[test]
fn a_text_that_names_a_trace_says_that_it_was_not_read() {
    let (message, place) = wrong("rate = { trace = \"lte.down\" }");
    assert_eq!(message, "the trace `lte.down` has not been read");
    assert!(place.contains("lte.down"), "{place}");
}

#[test]
fn traces_are_written_in_runs() {
    for times in [vec![5], vec![0, 0, 3], vec![1, 2, 3, 4], vec![1, 3, 3, 7], vec![0, 1, 1, 90, 90]]
    {
        assert_eq!(unwritten(&written(&times)), Ok(times.clone()), "{}", written(&times));
    }
    assert_eq!(written(&[1, 2, 3, 4]), "0 1x4");
    assert!(unwritten("").is_err() && unwritten("3").is_err() && unwritten("1y2").is_err());
    assert!(unwritten("0 99999999999").is_err() && unwritten("9999999x9999999").is_err());
}

#[test]
fn back_pressure_needs_a_queue_that_drops_nothing() {
    let text = "profile = \"linux\"\nduration = \"1s\"\nnodes = [\"A\", \"B\"]\n[[links]]\n\
                from = \"A\"\nto = \"B\"\nrate = \"10Mbit\"\ndelay = \"1ms\"\n\
                queue = { policy = \"codel\", limit = \"backpressure\" }\n\
                reverse = { queue = \"10pkt\" }\n[[flows]]\nname = \"a\"\nfrom = \"A\"\n\
                to = \"B\"\ncc = \"reno\"\n";
    let error = Scenario::parse("test.toml", text, &[]).and_then(|s| s.plan()).unwrap_err();
    assert_eq!(error.to_string(), "`codel` drops packets instead of making senders wait");
}
