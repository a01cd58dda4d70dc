//! Plans against the truth: what a plan predicts for a transfer from a part of it, compared
//! with the whole transfer, simulated to its last byte.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tusker_lab::{Budget, Quiet};
use tusker_plan::plane::Plane;
use tusker_scenario::Scenario;
use tusker_sim::Simulator;
use tusker_store::Build;
use tusker_transfer::answer::{Basis, Doubt, PlanRow, PlanSummary, Spent};
use tusker_transfer::{Ask, COST, Onlooker, Planner, WHOLE, Words};

fn plan(words: &Words<'_>, whole: f64) -> PlanSummary {
    plan_for(words, whole, COST)
}

/// With so many packets for a row, and two runs at a time.
fn planner(build: &Build, cost: f64) -> Planner<'_> {
    Planner {
        executor: &Simulator,
        jobs: Some(2),
        memory: Budget::unasked(),
        build,
        journal: None,
        time: None,
        packets: None,
        cost,
        whole: WHOLE,
        command: Vec::new(),
    }
}

/// With so many packets for a row.
fn plan_for(words: &Words<'_>, whole: f64, cost: f64) -> PlanSummary {
    let build = Build { version: String::new(), hash: String::new(), plane: Plane::Simulator };
    let planner = Planner { whole, ..planner(&build, cost) };
    let ask = Ask::read(words).expect("a question");
    planner.run(&ask, &Quiet).expect("an answer")
}

/// How long the transfer really takes: a sized flow, written as a user would.
fn truth(flows: &str, path: &str, begin: f64) -> f64 {
    let text = format!("profile = 'linux'\nduration = '3000s'\n[dumbbell]\n{path}\n{flows}");
    let scenario = Scenario::parse("truth.toml", &text, &[]).expect("a scenario");
    let plan = scenario.plan().expect("a plan");
    let ours = plan.flows.iter().position(|flow| flow.size.is_some()).expect("sized");
    // nothing after the end of the transfer matters, and there is no more than this
    let run = tusker_sim::run(&plan, 7, &mut |_| ControlFlow::Continue(())).expect("it runs");
    let end = run.flows[ours..].iter().map(|flow| flow.finished.expect("complete"));
    end.max().expect("a flow").secs() - begin
}

#[track_caller]
fn near(planned: f64, truth: f64, share: f64, what: &str) {
    let off = planned / truth - 1.0;
    println!("{what}: {planned:.2} s planned, {truth:.2} s in truth, {:+.2} %", off * 100.0);
    assert!(off.abs() <= share, "{what}: {planned} s planned, {truth} s in truth");
}

/// 1.5 GB at 50 Mbit/s take four minutes; the plan may not see the end of them.
#[track_caller]
fn extrapolates(law: &str) {
    let words = Words {
        size: "1.5GB",
        rate: "50mbit",
        rtt: "40ms",
        buffer: "0.3bdp",
        laws: law,
        streams: "1",
        today: "none",
        ..Words::default()
    };
    let summary = plan(&words, 0.0);
    let row = &summary.rows[0];
    assert!(row.extrapolated && row.basis == Basis::Steady, "{row:?}");
    assert!(row.simulated_s < 150.0, "{} s were simulated", row.simulated_s);
    let path = "rate = '50Mbit'\ndelay = '20ms'\nqueue = '0.3bdp'\n\
                access = { rate = '500Mbit', delay = '0s' }";
    let flows = format!("[[flows]]\nname = 'f'\ncc = '{law}'\nsize = '1.5GB'\nstart = '0s'\n");
    near(row.took_s.expect("a time"), truth(&flows, path, 0.0), 0.03, law);
}

#[test]
fn reno_is_extrapolated_to_the_whole() {
    extrapolates("reno");
}

#[test]
fn cubic_is_extrapolated_to_the_whole() {
    extrapolates("cubic");
}

#[test]
fn hstcp_is_extrapolated_to_the_whole() {
    extrapolates("hstcp");
}

#[test]
fn bbr3_is_extrapolated_to_the_whole() {
    extrapolates("bbr3");
}

#[test]
fn ghstcp_is_extrapolated_to_the_whole() {
    extrapolates("ghstcp");
}

/// Random loss, and others on the path: four streams beside two of CUBIC. The plan's
/// connections take from one pool, those of a scenario have equal parts, so that the
/// slowest of them ends a little later.
#[test]
fn streams_beside_others_on_a_lossy_path_are_extrapolated_to_the_whole() {
    let words = Words {
        size: "1GB",
        rate: "50mbit",
        rtt: "20ms",
        loss: "4e-4",
        buffer: "0.5bdp",
        with: "2xcubic",
        laws: "reno",
        streams: "4",
        today: "none",
        ..Words::default()
    };
    let summary = plan(&words, 0.0);
    let row = &summary.rows[0];
    assert!(row.extrapolated && row.basis == Basis::Steady, "{row:?}");
    // the two have the path to themselves without us, nearly; four of six equal flows
    // leave them a third, if all are as strong
    let harm = row.harm.expect("there are others");
    assert!((0.4..0.8).contains(&harm), "{harm}");
    assert!(summary.alone.is_some() && summary.alone_start_s.is_none());
    let path = "rate = '50Mbit'\ndelay = '10ms'\nqueue = '0.5bdp'\nloss = 4e-4\n\
                access = { rate = '500Mbit', delay = '0s' }";
    let flows = "[[flows]]\nname = 'o'\ncount = 2\ncc = 'cubic'\n\
                 [[flows]]\nname = 'f'\nparallel = 4\ncc = 'reno'\nsize = '1GB'\nstart = '1s'\n";
    near(row.took_s.expect("a time"), truth(flows, path, 1.0), 0.05, "4 x reno");
}

#[test]
fn a_short_transfer_is_simulated_to_its_end() {
    let words = Words {
        size: "20MB",
        rate: "20mbit",
        rtt: "50ms",
        laws: "cubic",
        streams: "1",
        today: "none",
        ..Words::default()
    };
    let summary = plan(&words, WHOLE);
    let row = &summary.rows[0];
    assert!(!row.extrapolated && row.basis == Basis::Whole, "{row:?}");
    let path = "rate = '20Mbit'\ndelay = '25ms'\nqueue = '1bdp'\n\
                access = { rate = '200Mbit', delay = '0s' }";
    let flows = "[[flows]]\nname = 'f'\ncc = 'cubic'\nsize = '20MB'\nstart = '0s'\n";
    near(row.took_s.expect("a time"), truth(flows, path, 0.0), 0.01, "whole");
}

/// 1 MB of 1,448-byte segments under way per round trip of 100 ms: 80 Mbit/s of
/// payload a stream, whatever the law; 2,500 MB in 125 s over two of them.
#[test]
fn a_small_socket_buffer_decides() {
    let words = Words {
        size: "2.5GB",
        rate: "1gbit",
        rtt: "100ms",
        laws: "cubic,reno",
        streams: "2",
        socket_buffer: "1MB",
        today: "none",
        ..Words::default()
    };
    for row in plan(&words, 0.0).rows {
        let took = row.took_s.expect("a time");
        assert!((took / 125.0 - 1.0).abs() < 0.03, "{}: {took} s, {row:?}", row.law);
    }
}

/// Without loss on the wire Reno's window climbs from (BDP + B)/2 to BDP + B, 20,000
/// segments, by one per round trip of 160 ms at least: 10,000 round trips are half an
/// hour. What may be spent here does not reach that. It is said, and nothing is made
/// up from the start.
#[test]
fn what_cannot_settle_is_told() {
    let words = Words {
        size: "200TB",
        rate: "1gbit",
        rtt: "160ms",
        buffer: "0.5bdp",
        laws: "reno",
        streams: "1",
        today: "none",
        ..Words::default()
    };
    let summary = plan_for(&words, 0.0, 4e6);
    let row = &summary.rows[0];
    assert_eq!(row.basis, Basis::Unsettled, "{row:?}");
    assert_eq!(row.took_high_s, None);
    assert!(row.note.is_some());
    // what ended it, and that it takes more
    assert_eq!(row.spent, Some(Spent::RowPackets));
    assert!(row.packets < 5e6 && row.needs_packets.is_some_and(|needs| needs > 4e6), "{row:?}");
    // D is the path's product, the buffer D/2: from 3/4 D to 3/2 D. Below D the wire has
    // D/4 rounds of 7/8 D segments, each of a round trip T; above it is busy: D/2 rounds of
    // 5/4 D segments, in 5/8 D T. Together 27/32 D^2 in 7/8 D T: 27/28 of the rate, and
    // of each packet 1448 of 1500 bytes are payload
    let expected = 1e9 * 27.0 / 28.0 * 1448.0 / 1500.0;
    let estimate = row.estimate_bps.expect("an estimate");
    assert!((estimate / expected - 1.0).abs() < 0.03, "{estimate} instead of {expected}");
}

/// The same for what the others have without the transfer: Reno needs half an hour from
/// one loss to the next, and 1e6 packets of 1,500 bytes are 12 s of 1 Gbit/s.
#[test]
fn a_baseline_that_cannot_settle_is_told() {
    let words = Words {
        size: "200TB",
        rate: "1gbit",
        rtt: "160ms",
        buffer: "0.5bdp",
        with: "reno",
        laws: "bbr1",
        streams: "1",
        today: "none",
        ..Words::default()
    };
    let summary = plan_for(&words, 0.0, 1e6);
    let start = summary.alone_start_s.expect("it is from the start alone");
    assert!(summary.alone.is_some() && start < 60.0, "{start} s");
}

/// Eight of twelve equal flows have two thirds of 20 Mbit/s x 1448/1500 = 12.9 Mbit/s and
/// leave a third: 40 GB take 24,862 s. Packets for 13 s have fewer than ten losses of each,
/// but more than three: a rough mean, from one run, which says what it lacks.
#[test]
fn few_losses_of_each_give_a_rough_mean_from_one_run() {
    let words = Words {
        size: "40GB",
        rate: "20mbit",
        rtt: "40ms",
        with: "4xcubic-linux",
        laws: "cubic-linux",
        streams: "8",
        today: "none",
        ..Words::default()
    };
    let summary = plan_for(&words, WHOLE, 4e4);
    let row = &summary.rows[0];
    assert_eq!((row.basis, row.runs), (Basis::Wide, 1), "{row:?}");
    assert!(row.note == Some(Doubt::FewLosses), "{row:?}");
    assert_eq!(row.spent, Some(Spent::RowPackets));
    near(row.took_s.expect("a time"), 24_862.0, 0.1, "8 x cubic-linux");
    assert!((row.harm.expect("there are others") - 2.0 / 3.0).abs() < 0.1, "{row:?}");
}

/// Stops as soon as so many rows are simulated; at none, as soon as all are estimated.
struct Early(usize, AtomicBool);

impl Early {
    /// What is known then, from one simulation at a time.
    fn plan(rows: usize, words: &Words<'_>) -> PlanSummary {
        Self::plan_for(rows, words, COST)
    }

    /// With so many packets for a row.
    fn plan_for(rows: usize, words: &Words<'_>, cost: f64) -> PlanSummary {
        let build = Build { version: String::new(), hash: String::new(), plane: Plane::Simulator };
        let planner = Planner { jobs: Some(1), ..planner(&build, cost) };
        let ask = Ask::read(words).expect("a question");
        planner.run(&ask, &Self(rows, AtomicBool::new(false))).expect("an answer")
    }
}

fn simulated(summary: &PlanSummary) -> Vec<String> {
    summary.rows.iter().filter(|row| row.is_simulated()).map(PlanRow::name).collect()
}

impl Onlooker for Early {
    fn stopped(&self) -> bool {
        self.1.load(Ordering::Relaxed)
    }

    fn ranking(&self, summary: &PlanSummary, _: usize) {
        let known = summary.rows.iter().all(|row| row.took_s.is_some());
        if known && simulated(summary).len() >= self.0 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
}

/// Stops when it was asked so often since all first estimates are known.
struct Asked(usize, AtomicBool, AtomicUsize);

impl Onlooker for Asked {
    fn stopped(&self) -> bool {
        let asked = || self.2.fetch_add(1, Ordering::Relaxed);
        self.1.load(Ordering::Relaxed) && asked() >= self.0
    }

    fn ranking(&self, summary: &PlanSummary, _: usize) {
        let known = summary.rows.iter().all(|row| row.took_s.is_some());
        self.1.fetch_or(known, Ordering::Relaxed);
    }
}

/// One that is stopped in three quarters of its first run, which has 400 parts, has what it
/// carried until then: with a buffer of 1 BDP, Reno fills the link. With less than half of
/// the run it has nothing.
#[test]
fn a_run_that_is_stopped_shows_what_it_has() {
    let words = Words {
        size: "100GB",
        rate: "20mbit",
        rtt: "40ms",
        buffer: "1bdp",
        laws: "reno",
        streams: "4",
        today: "none",
        ..Words::default()
    };
    let plan = |asked| {
        let build = Build { version: String::new(), hash: String::new(), plane: Plane::Simulator };
        let planner = Planner { jobs: Some(1), ..planner(&build, COST) };
        let watch = Asked(asked, AtomicBool::new(false), AtomicUsize::new(0));
        planner.run(&Ask::read(&words).expect("a question"), &watch).expect("an answer")
    };
    let row = plan(300).rows.remove(0);
    // 1448 of 1500 B are payload
    let most = 20e6 * 1_448.0 / 1_500.0;
    let carried = row.seen_bps.or(row.goodput.map(|goodput| goodput.mean_bps)).expect("a rate");
    assert!(row.simulated_s > 0.0 && row.basis != Basis::Estimate, "{row:?}");
    assert!((carried / most - 1.0).abs() < 0.03, "{carried} of {most}");
    let row = plan(150).rows.remove(0);
    assert_eq!((row.basis, row.simulated_s), (Basis::Estimate, 0.0), "{row:?}");
}

/// Beside four flows, 8 streams have two thirds of the path and 2 a third. With the 0.3 that
/// an estimate may be too small, a single stream's harm of 0.2 is the only one that is sure
/// to be below the limit of 0.55: it is recommended. But by its estimate, 2 would be faster and
/// within the limit: it is simulated first, or right after today's. 8 are not within it.
#[test]
fn the_rows_that_the_answer_hangs_on_are_simulated_first() {
    let words = Words {
        size: "40GB",
        rate: "20mbit",
        rtt: "40ms",
        with: "4xcubic-linux",
        laws: "cubic-linux",
        streams: "1,2,8",
        max_harm: "0.55",
        today: "none",
        ..Words::default()
    };
    let estimates = Early::plan(0, &words);
    assert!(simulated(&estimates).is_empty());
    let chosen = estimates.chosen().expect("one is recommended").name();
    assert_eq!(chosen, "1 x cubic-linux");
    assert_eq!(simulated(&Early::plan(1, &words)), ["2 x cubic-linux"]);
    let words = Words { today: "8xcubic-linux", ..words };
    let mut both = simulated(&Early::plan(2, &words));
    both.sort_unstable();
    assert_eq!(both, ["2 x cubic-linux", "8 x cubic-linux"]);
}

/// The packets of the budget end the plan between rounds, so the answer is the same with one run
/// at a time and with three. Five rows and the others alone make two rounds, and the first spends
/// more than the budget.
#[test]
fn a_budget_of_packets_gives_the_same_answer_on_every_machine() {
    let words = Words {
        size: "40GB",
        rate: "20mbit",
        rtt: "40ms",
        with: "2xreno",
        laws: "reno",
        streams: "1,2,3,4,5",
        today: "none",
        ..Words::default()
    };
    let plan = |jobs| {
        let build = Build { version: String::new(), hash: String::new(), plane: Plane::Simulator };
        let planner = Planner { jobs: Some(jobs), packets: Some(1e5), ..planner(&build, COST) };
        planner.run(&Ask::read(&words).expect("a question"), &Quiet).expect("an answer")
    };
    let one = plan(1);
    assert!(!one.complete && (1..5).contains(&simulated(&one).len()), "{:?}", simulated(&one));
    assert_eq!(one, plan(3));
}

/// At a loss rate of 1e-3, Reno has a window of sqrt(1.5e3) = 38.7 segments, 968 in a second:
/// two have 23 % of 100 Mbit/s. Ten losses of each take 10.3 s, and half as many more and as
/// long a start 31 s. These losses are random, for which Mathis et al. (1997) give 1.31 in place
/// of sqrt(1.5): 41.4 segments, 1,036 in a second, 64,000 packets. That is not the 260,000 of a
/// full link, and one run of it is enough, though a row may cost only 160,000, and its first run
/// half of that.
#[test]
fn a_run_on_a_link_that_loss_keeps_empty_is_as_long_as_its_losses_need() {
    let words = Words {
        size: "40GB",
        rate: "100mbit",
        rtt: "40ms",
        loss: "1e-3",
        with: "reno",
        laws: "reno",
        streams: "1",
        today: "none",
        ..Words::default()
    };
    let summary = Early::plan_for(1, &words, 1.6e5);
    let row = &summary.rows[0];
    assert!(row.is_simulated() && (30.0..33.0).contains(&row.simulated_s), "{row:?}");
    assert!(row.packets < 1.15 * 2.0 * 1036.0 * row.simulated_s, "{row:?}");
}

/// At a loss rate of 1e-5, two Reno flows have 13 % of a path of 1 Gbit/s and 80 ms. 16 HSTCP
/// flows may have more than the path, so that the queue drops packets as well: simulated,
/// `tusker plan` has 0.69 ± 0.04 of harm with 0.1 BDP of buffer and 0.70 ± 0.04 with 1 BDP.
/// Two HSTCP flows leave room: 0.07 ± 0.07, -0.16 ± 0.19.
#[test]
fn an_estimate_knows_what_flows_lose_whom_random_loss_keeps_slow() {
    for (buffer, simulated) in [("0.1bdp", [0.69, 0.07]), ("1bdp", [0.70, -0.16])] {
        let words = Words {
            size: "50TB",
            rate: "1gbit",
            rtt: "80ms",
            loss: "1e-5",
            buffer,
            with: "2xreno",
            laws: "hstcp",
            streams: "16,2",
            today: "none",
            ..Words::default()
        };
        let estimates = Early::plan(0, &words);
        for (streams, simulated) in [16, 2].into_iter().zip(simulated) {
            let row = estimates.rows.iter().find(|row| row.streams == streams).expect("a row");
            let harm = row.estimate_harm.expect("beside others");
            let off = simulated - harm;
            assert!((-0.3..0.3).contains(&off), "{buffer}, {streams} streams: {harm}");
        }
    }
}
