//! Experiments run by a made-up executor: no packet is simulated here.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tempfile::TempDir;
use tusker_core::{Bytes, Time};
use tusker_lab::{Budget, Experiment, Lab, News, Quiet, Ready, Trouble, Watch};
use tusker_plan::budget::{Memory, Stopped};
use tusker_plan::executor::{Executor, Job};
use tusker_plan::plane::Plane;
use tusker_plan::run::{self, Run};
use tusker_scenario::Scenario;
use tusker_store::{Build, Existing, Format, Store};

/// Delivers as many segments per second as the seed says, and remembers what it
/// was asked for.
#[derive(Default)]
struct MadeUp {
    seeds: Mutex<Vec<u64>>,
    /// Its memory in bytes.
    takes: u64,
    /// It never ends by itself.
    endless: bool,
}

impl Executor for MadeUp {
    fn execute(&self, job: Job<'_, '_>) -> Result<Run, Stopped> {
        let Job { plan, seed, memory, progress, .. } = job;
        self.seeds.lock().unwrap().push(seed);
        if self.takes > memory.get() {
            let needed = Memory { packets: self.takes, ..Memory::default() };
            return Err(Stopped::OverBudget { budget: memory, needed, at: Time::ZERO });
        }
        let mut looks = 0_u64;
        loop {
            looks += 1;
            if progress(plan.measure_from).is_break() {
                return Err(Stopped::Interrupted);
            }
            if !self.endless {
                break;
            }
            assert!(looks < 1_000_000, "it is never interrupted");
        }
        let delivered = seed * 4;
        let flow = run::Flow {
            delivered,
            arrived: delivered,
            sent: delivered,
            total: run::Totals {
                sent: delivered,
                arrived: delivered,
                delivered,
                ..run::Totals::default()
            },
            ..run::Flow::default()
        };
        let flows = vec![flow; plan.flows.len()];
        let sent =
            |link| plan.flows.iter().filter(|flow| flow.route.contains(&link)).count() as u64;
        let link = |link| run::Link {
            offered: sent(link) * delivered,
            sent: sent(link) * delivered,
            sent_bytes: sent(link) * delivered * 1500,
            ..run::Link::default()
        };
        let links = (0..plan.links.len()).map(link).collect();
        Ok(Run { seed, flows, links, ..Run::default() })
    }
}

/// 10 s, of which the latter 5 are measured: `4 seed` segments of 1,460 bytes are
/// `4 seed x 11,680 / 5` bit/s of goodput.
fn ready(name: &str, replicates: u32) -> Ready {
    let text = format!(
        "profile = 'ns2'\nduration = '10s'\nseed = 5\nreplicates = {replicates}\n\
         dumbbell = {{ rate = '10Mbit', delay = '10ms', queue = '20pkt', access = {{ rate = '1Gbit' }} }}\n\
         [[flows]]\nname = 'a'\ncc = 'reno'\n"
    );
    let scenario = Scenario::parse("x.toml", &text, &[]).unwrap();
    Ready::of(name.to_owned(), &scenario, &build()).unwrap()
}

fn build() -> Build {
    Build { version: "1.2.3".to_owned(), hash: "made up".to_owned(), plane: Plane::Simulator }
}

fn lab(executor: &MadeUp) -> Lab<'_> {
    Lab {
        executor,
        elsewhere: None,
        jobs: Some(2),
        budget: Budget::asked(Bytes::new(1_000_000_000)),
        command: vec!["test".to_owned()],
        bands: true,
    }
}

fn stored(ready: Ready, dir: &TempDir, existing: Existing) -> Experiment {
    let store = Store::open(dir.path(), &ready.identity, existing, Format::Csv, 0).unwrap();
    Experiment { ready, store: Some(store) }
}

#[test]
fn every_replicate_runs_once_with_a_seed_of_its_own() {
    let executor = MadeUp::default();
    let experiments = [("one", 3), ("two", 1)]
        .map(|(name, replicates)| Experiment { ready: ready(name, replicates), store: None });
    let outcome = lab(&executor).run(&experiments, &Quiet).unwrap();
    assert!(outcome.ended.is_none() && outcome.has_results());
    let mut seeds = executor.seeds.into_inner().unwrap();
    seeds.sort_unstable();
    assert_eq!(seeds, [5, 5, 6, 7]);
    let [one, two] = outcome.summaries.as_slice() else { panic!("two experiments") };
    assert_eq!((one.seeds.as_slice(), two.seeds.as_slice()), (&[5, 6, 7][..], &[5][..]));
    assert_eq!(one.execution.command, ["test"]);
    // the mean of 5, 6, 7 is 6: 24 segments of 11,680 bits in 5 s
    let goodput = one.total.goodput_bps.unwrap().mean;
    assert!((goodput - 24.0 * 11_680.0 / 5.0).abs() < 1e-6, "{goodput}");
}

#[test]
fn what_is_stored_is_not_run_again() {
    let dir = TempDir::new().unwrap();
    let first = MadeUp::default();
    let outcome = lab(&first).run(&[stored(ready("x", 2), &dir, Existing::Refuse)], &Quiet);
    assert!(outcome.unwrap().ended.is_none());
    let more = MadeUp::default();
    let outcome = lab(&more).run(&[stored(ready("x", 4), &dir, Existing::Resume)], &Quiet).unwrap();
    let mut seeds = more.seeds.into_inner().unwrap();
    seeds.sort_unstable();
    assert_eq!(seeds, [7, 8], "the first two are there");
    assert_eq!(outcome.summaries[0].seeds, [5, 6, 7, 8]);
}

/// Stops everything when the first run has started, and counts the reported steps.
#[derive(Default)]
struct Impatient {
    stop: AtomicBool,
    steps: AtomicU64,
}

impl Watch for Impatient {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn tell(&self, news: News<'_>) {
        match news {
            News::Run { .. } => self.stop.store(true, Ordering::Relaxed),
            News::Steps(steps) => _ = self.steps.fetch_add(steps, Ordering::Relaxed),
            _ => {}
        }
    }
}

#[test]
fn a_watcher_ends_even_what_never_ends() {
    let executor = MadeUp { endless: true, ..MadeUp::default() };
    let experiments = [Experiment { ready: ready("x", 100), store: None }];
    let outcome = lab(&executor).run(&experiments, &Impatient::default()).unwrap();
    assert!(matches!(outcome.ended, Some(Trouble::Interrupted)));
    assert!(!outcome.has_results());
    let begun = executor.seeds.into_inner().unwrap().len();
    assert!(begun <= 2, "{begun} runs were begun by two threads");
}

/// Only counts.
#[derive(Default)]
struct Counting(AtomicU64);

impl Watch for Counting {
    fn tell(&self, news: News<'_>) {
        if let News::Steps(steps) = news {
            self.0.fetch_add(steps, Ordering::Relaxed);
        }
    }
}

#[test]
fn every_run_is_worth_the_same_steps() {
    let (executor, counting) = (MadeUp::default(), Counting::default());
    lab(&executor).run(&[Experiment { ready: ready("x", 5), store: None }], &counting).unwrap();
    assert_eq!(counting.0.into_inner(), 5 * News::STEPS);
}

#[test]
fn a_run_beyond_its_budget_ends_all_and_says_whose() {
    let dir = TempDir::new().unwrap();
    let outcome = lab(&MadeUp::default())
        .run(&[stored(ready("x", 1), &dir, Existing::Refuse)], &Quiet)
        .unwrap();
    assert!(outcome.ended.is_none());
    let large = MadeUp { takes: 2_000_000_000, ..MadeUp::default() };
    let outcome = lab(&large).run(&[stored(ready("x", 2), &dir, Existing::Resume)], &Quiet);
    let outcome = outcome.unwrap();
    let told = outcome.ended.expect("it ended early").to_string();
    assert!(told.contains("x, replicate 2") && told.contains("2.0 GB"), "{told}");
    // what was finished is kept
    assert_eq!(outcome.summaries[0].seeds, [5]);
}

#[test]
fn what_cannot_fit_is_refused_before_it_begins() {
    let executor = MadeUp::default();
    let small = Lab { budget: Budget::asked(Bytes::new(1_000)), ..lab(&executor) };
    assert!(matches!(small.check(&ready("x", 1)), Err(Trouble::TooLarge { .. })));
    assert!(lab(&executor).check(&ready("x", 1)).is_ok());
}

#[test]
fn more_replicates_than_can_be_meant_are_refused() {
    let text = "profile = 'ns2'\nduration = '10s'\nreplicates = 100001\n\
        dumbbell = { rate = '10Mbit', delay = '10ms', queue = '20pkt', access = { rate = '1Gbit' } }\n\
        [[flows]]\nname = 'a'\ncc = 'reno'\n";
    let scenario = Scenario::parse("x.toml", text, &[]).unwrap();
    let refused = Ready::of("x".to_owned(), &scenario, &build()).unwrap_err();
    assert_eq!(refused.to_string(), "100001 replicates are too many");
}

/// A machine that does not do what it should.
struct Broken;

impl Executor for Broken {
    fn execute(&self, _: Job<'_, '_>) -> Result<Run, Stopped> {
        let (why, remedy) = ("the cable is out".to_owned(), "put it in".to_owned());
        Err(Stopped::Failed { why, remedy })
    }
}

#[test]
fn what_the_machine_does_not_do_is_told_with_a_remedy() {
    let made_up = MadeUp::default();
    // one after the other: of two at once, either may be the first to fail
    let lab = Lab { executor: &Broken, jobs: Some(1), ..lab(&made_up) };
    let experiment = Experiment { ready: ready("cable", 2), store: None };
    let outcome = lab.run(&[experiment], &Quiet).unwrap();
    assert!(!outcome.has_results());
    let trouble = outcome.ended.expect("it ended early");
    assert_eq!(trouble.to_string(), "cable, replicate 1: the cable is out");
    let help = miette::Diagnostic::help(&trouble).expect("there is a remedy").to_string();
    assert_eq!(help, "put it in");
}
