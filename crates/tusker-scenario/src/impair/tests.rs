use tusker_core::wire::{self, Spread};
use tusker_core::{Duration, Rate, Time};

use super::steps::parse_steps;
use super::trace::{unwritten, written};
use crate::error::Error;
use crate::model::Scenario;
use tusker_plan::plan;

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
fn link(keys: &str) -> plan::Link {
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
    let loss = |text: &str| link(&format!("rate = \"1Gbit\"\nloss = {text}")).loss.first();
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
    let jitter = |text: &str| {
        let link = link(&format!("rate = \"1Gbit\"\njitter = {text}"));
        (link.jitter.first(), link.reorder)
    };
    let ms = Duration::from_millis;
    let some = |spread, reorder| (Some(spread), reorder);
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

/// The steps of a value: seconds and value, and the period in seconds.
fn steps<T: Copy>(varying: &plan::Varying<T>) -> (Vec<(u64, T)>, Option<u64>) {
    let (list, every) = varying.changes().expect("it changes");
    let step = |step: &plan::Step<T>| (step.at.nanos() / 1_000_000_000, step.value);
    (list.iter().map(step).collect(), every.map(|every| every.nanos() / 1_000_000_000))
}

#[test]
fn every_quantity_may_change_once_or_over_and_over() {
    let link = link(
        "rate = { every = '15s', steps = [{ at = '0s', rate = '9Mbit' }, { at = '5s', rate = '0Mbit' }] }\n\
         loss = [{ at = '0s', loss = 0 }, { at = '2s', loss = { mean = 0.2, burst = 4 } }, { at = '3s', loss = 1 }, { at = '4s', loss = 0.1 }]\n\
         jitter = { steps = [{ at = '0s', jitter = '0s' }, { at = '1s', jitter = '5ms' }], reorder = true }",
    );
    let rates = link.rates().expect("not a trace");
    let mbit = |mbit: u64| Rate::from_bits_per_sec(mbit * 1_000_000);
    assert_eq!(steps(&rates), (vec![(0, mbit(9)), (5, mbit(0))], Some(15)));
    // 9 Mbit/s for 5 of every 15 s: 60 Mbit in 20 s
    assert_eq!(link.capacity(Time::ZERO, Time::from_nanos(20_000_000_000)), 90e6);
    let chain = wire::Loss::GilbertElliott { p: 0.0625, r: 0.25, loss_good: 0.0, loss_bad: 1.0 };
    let (losses, _) = steps(&link.loss);
    let bernoulli = wire::Loss::Bernoulli;
    let expected = [(0, bernoulli(0.0)), (2, chain), (3, bernoulli(1.0)), (4, bernoulli(0.1))];
    assert_eq!(losses, expected);
    // (0.2 + 1 + 0.1) of 5 s
    let second = |s: u64| Time::from_nanos(s * 1_000_000_000);
    assert!((link.mean_loss(Time::ZERO, second(5)) - 0.26).abs() < 1e-12);
    assert_eq!(steps(&link.jitter).0[1].1, Some(Spread::Uniform { max: Duration::from_millis(5) }));
    assert!(link.reorders());
}

#[test]
fn a_delay_may_change_and_packets_may_overtake_each_other() {
    let keys = |delay: &str| {
        let text = dumbbell("rate = '9Mbit'").replace("delay = \"10ms\"", delay);
        let plan = Scenario::parse("test.toml", &text, &[]).and_then(|s| s.plan());
        plan.unwrap_or_else(|e| panic!("{e:?}")).links.remove(0)
    };
    let link = keys("delay = [{ at = '0s', delay = '30ms' }, { at = '2s', delay = '20ms' }]");
    assert_eq!(steps(&link.delay).0[1], (2, Duration::from_millis(20)));
    assert!(!link.reorders());
    assert_eq!(link.propagation(), Duration::from_millis(20));
    // the BDP is that of the first delay: 9 Mbit/s x 64 ms, with access links of 1 ms each
    assert_eq!(link.queue.limit, plan::Limit::Packets(48));
    let link = keys(
        "delay = { every = '4s', steps = [{ at = '0s', delay = '30ms' }, { at = '2s', delay = '20ms' }], reorder = true }",
    );
    assert!(link.reorders());
    assert_eq!(steps(&link.delay).1, Some(4));
}

#[test]
fn outages_in_every_form() {
    let down = |text: &str| {
        let link = link(&format!("rate = '8Mbit'\ndown = {text}"));
        let outages = link.outages.clone().expect("outages");
        (
            steps(&outages.down),
            outages.drop,
            link.capacity(Time::ZERO, Time::from_nanos(10_000_000_000)).round(),
        )
    };
    let once = (vec![(0, false), (5, true), (7, false)], None);
    // 8 Mbit/s for 8 of 10 s
    assert_eq!(down("{ at = '5s', for = '2s' }"), (once.clone(), false, 64e6));
    assert_eq!(down("{ at = '5s', for = '2s', waiting = 'drop' }"), (once, true, 64e6));
    let twice = vec![(0, true), (1, false), (5, true), (7, false)];
    assert_eq!(
        down("[{ at = '0s', for = '1s' }, { at = '5s', for = '1s' }, { at = '6s', for = '1s' }]"),
        ((twice, None), false, 56e6)
    );
    let every = (vec![(0, false), (4, true)], Some(5));
    assert_eq!(down("{ at = '4s', for = '1s', every = '5s' }"), (every, false, 64e6));
    // the way back has the same, unless it says otherwise
    let back = |reverse: &str| {
        let text =
            dumbbell(&format!("rate = '8Mbit'\ndown = {{ at = '5s', for = '2s' }}\n{reverse}"));
        let scenario = Scenario::parse("test.toml", &text, &[]).expect("it is right");
        let complete = scenario.complete().expect("it is right");
        let again = Scenario::parse("again.toml", &complete.to_toml(), &[]).and_then(|s| s.plan());
        assert_eq!(again.expect("a plan"), *complete.plan());
        complete.plan().links[1].outages.is_some()
    };
    assert!(back("") && !back("reverse = { down = [] }"));
}

#[test]
fn changes_that_make_no_sense_are_refused() {
    let wrong = |keys: &str| wrong(keys).0;
    let rate = |text: &str| wrong(&format!("rate = {text}"));
    let step = |at: &str, rate: &str| format!("{{ at = '{at}', rate = '{rate}' }}");
    let one = step("0s", "1Mbit");
    assert_eq!(
        rate(&format!("[{one}, {}]", step("2s", "0bit"))),
        "the last rate is zero, so nothing is ever sent again"
    );
    assert_eq!(
        rate(&format!("[{}, {}]", step("0s", "0bit"), step("2s", "1Mbit"))),
        "a rate of zero at the start"
    );
    assert_eq!(
        rate(&format!("{{ every = '2s', steps = [{one}, {}] }}", step("2s", "2Mbit"))),
        "a period of 2s with a step at 2s"
    );
    assert_eq!(rate(&format!("{{ every = '1us', steps = [{one}] }}")), "a period of 1us");
    assert_eq!(rate("{ every = '2s' }"), "`every` without steps");
    assert_eq!(rate("{ at = '2s' }"), "unknown key `at`");
    let down = |text: &str| wrong(&format!("rate = '1Mbit'\ndown = {text}"));
    assert_eq!(
        down("[{ at = '1s', for = '2s' }, { at = '2s', for = '1s' }]"),
        "an outage at 2s within the one that ends at 3s"
    );
    assert_eq!(down("{ at = '1s', for = '0s' }"), "an outage of zero");
    assert_eq!(down("{ at = '0s', for = '2s', every = '2s' }"), "a link that is always down");
    assert_eq!(
        down("{ at = '1s', for = '2s', every = '2s' }"),
        "an outage until 3s in a period of 2s"
    );
    assert_eq!(
        down("{ at = '1s', for = '2s', waiting = 'burn' }"),
        "packets that wait are kept or dropped"
    );
    let trace = "rate = { trace = 'a', opportunities = '0 1' }\ndown = { at = '1s', for = '1s' }";
    assert_eq!(wrong(trace), "`down` together with a trace, which has its own outages");
    let loss = |text: &str| wrong(&format!("rate = '1Mbit'\nloss = {text}"));
    assert_eq!(
        loss("[{ at = '0s', loss = 0 }, { at = '1s', loss = 1 }]"),
        "a link that eventually loses every packet"
    );
    assert_eq!(
        loss("[{ at = '0s', loss = 0 }, { at = '1s', loss = 2 }]"),
        "2 is not a valid loss probability"
    );
    assert_eq!(loss("[{ at = '1s', loss = 0 }]"), "the loss at the start is missing");
    assert_eq!(
        loss("{ p = 0.1, r = 0.2, every = '1s', steps = [{ at = '0s', loss = 0 }] }")
            .split(',')
            .next(),
        Some("expected a probability such as 1e-6")
    );
}

#[test]
fn a_file_of_steps_is_read() {
    let read = |text: &str| parse_steps::<Duration>("d.txt", text);
    let ms = Duration::from_millis;
    let steps = read("# time s, delay ms\n\n3.5,20\n4 21.5\n").expect("it is right");
    let expected = [(Duration::ZERO, ms(20)), (ms(4_000), Duration::from_nanos(21_500_000))];
    assert_eq!(steps.iter().map(|step| (step.at, step.value)).collect::<Vec<_>>(), expected);
    let wrong = |text: &str| read(text).unwrap_err().message;
    assert_eq!(wrong("0 1\n0 2"), "`d.txt`, line 2: 0s after 0s");
    assert_eq!(
        wrong("0 x"),
        "`d.txt`, line 1: expected a time in seconds and milliseconds, found `0 x`"
    );
    assert_eq!(wrong("# nothing"), "`d.txt` has no steps");
    assert!(parse_steps::<crate::Loss>("l.txt", "0 1.5").is_err());
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

/// 1,250 bytes in 10 ms are 1 Mbit/s; of the run that is asked for.
#[test]
fn columns_of_a_trace_are_chosen() {
    let folder = std::env::temp_dir().join(format!("tusker-columns-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(
        folder.join("a.csv"),
        "run,t,n,dt,d,l\n1,0,9,9,9,9\n2,0,1250,10,30,1\n\
                   2,4,2500,10,40,2\n",
    )
    .expect("written");
    let table = |key: &str, columns: &str| {
        format!("{key} = {{ trace = \"a.csv\", columns = {{ {columns}, rows = \"run=2\" }} }}\n")
    };
    let file = folder.join("scenario.toml");
    let of = |keys: &str| {
        std::fs::write(&file, dumbbell(keys)).expect("written");
        Scenario::load(&file, &[])
    };
    let rate = table("rate", "time = \"t\", value = \"n bytes\", over = \"dt ms\"");
    let loss = table("loss", "time = \"t\", value = \"l %\"");
    let own = of(&format!("{rate}{loss}")).unwrap_or_else(|e| panic!("{e:?}"));
    let wrong = of(&format!("rate = \"1Mbit\"\n{}", table("loss", "time = \"t\", value = \"x\"")))
        .unwrap_err();
    let alone = of("rate = \"1Mbit\"\nloss = { columns = { time = \"t\" } }").unwrap_err();
    std::fs::remove_dir_all(&folder).expect("removed");
    let dumbbell = own.dumbbell.as_ref().expect("a dumbbell");
    let crate::Changing::Steps(rates) = &dumbbell.rate else { panic!("steps") };
    let rates: Vec<u64> = rates.list.iter().map(|step| step.value.bits_per_sec()).collect();
    assert_eq!(rates, [1_000_000, 2_000_000]);
    let Some(crate::Changing::Steps(losses)) = &dumbbell.loss else { panic!("steps") };
    let losses: Vec<_> = losses.list.iter().map(|step| step.value).collect();
    assert_eq!(losses, [0.01, 0.02].map(crate::Loss::Bernoulli));
    assert!(wrong.to_string().contains("has no column `x`"), "{wrong}");
    assert!(alone.to_string().contains("`columns` without `trace`"), "{alone}");
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
