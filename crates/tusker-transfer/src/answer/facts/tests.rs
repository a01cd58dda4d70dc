use super::super::made::{plan, row};
use super::super::{Basis, PlanRate, PlanWay};
use super::*;

const HOUR: f64 = 3_600.0;

/// A row beside others: hours with the ends of their interval, and harm with its half.
fn beside(law: &str, streams: u32, hours: [f64; 3], harm: (f64, f64)) -> PlanRow {
    let [took, low, high] = hours.map(|hours| Some(hours * HOUR));
    PlanRow {
        streams,
        took_s: took,
        took_low_s: low,
        took_high_s: high,
        harm: Some(harm.0),
        harm_ci95: Some(harm.1),
        ..row(law, Basis::Wide, 0.0, 1)
    }
}

/// The same from a first estimate.
fn estimated(law: &str, streams: u32, hours: f64, harm: f64) -> PlanRow {
    let row = beside(law, streams, [hours; 3], (harm, 0.0));
    let basis = Basis::Estimate;
    PlanRow { basis, took_low_s: None, took_high_s: None, harm_ci95: None, runs: 0, ..row }
}

/// 200 TB in 161 h today, as four flows of CUBIC beside four others.
fn asked(mut rows: Vec<PlanRow>) -> PlanSummary {
    rows.push(beside("cubic", 4, [161.0, 139.0, 191.0], (-0.03, 0.28)));
    let mut plan = plan(rows, false);
    plan.path.with = vec!["4xcubic".to_owned()];
    plan.today = Some(PlanWay { law: "cubic".to_owned(), streams: 4, socket_buffer_bytes: 1_000 });
    plan.least_s = 46.0 * HOUR;
    plan.rank();
    plan
}

fn chosen(plan: &PlanSummary) -> Option<String> {
    plan.chosen().map(PlanRow::name)
}

/// 161 h / 58.5 h = 2.752. BBR is faster, but takes all; an estimate of 50 h may be 62.5 h.
#[test]
fn the_fastest_that_is_simulated_and_leaves_enough_is_recommended() {
    let plan = asked(vec![
        beside("bbr1", 4, [47.7, 47.0, 48.0], (0.9998, 0.0001)),
        beside("cubic", 16, [58.5, 57.0, 60.2], (0.24, 0.14)),
        estimated("hstcp", 16, 50.0, 0.1),
    ]);
    let names: Vec<String> = plan.rows.iter().map(PlanRow::name).collect();
    assert_eq!(names, ["4 x bbr1", "16 x cubic", "16 x hstcp", "4 x cubic"]);
    assert_eq!(plan.recommended, Some(2));
    assert!((plan.rows[1].speedup.expect("a speed") - 2.752).abs() < 1e-3);
    assert_eq!(
        plan.facts,
        [
            Fact::PassedOver { because: PassedOver::Harms, rows: vec![1] },
            Fact::PerhapsFaster { rows: vec![3] },
            Fact::MoreStreams { most: 16 },
        ]
    );
    assert_eq!(plan.typed().map(PlanRow::name), Some("16 x cubic".to_owned()));
    let way = PlanWay { law: "bbr1".to_owned(), streams: 4, socket_buffer_bytes: 1_000 };
    let plan = PlanSummary { asked_for: Some(way), ..plan };
    assert_eq!(plan.typed().map(PlanRow::name), Some("4 x bbr1".to_owned()));
}

/// Even 47 h x 1.25 = 58.75 h are less than 65 h. 0.65 x 47 h = 30.6 h are less than the path's
/// 46 h, 1.4 x 47 h are 65.8 h; 16 % - 20 % and 16 % + 30 %.
#[test]
fn an_estimate_has_wide_ranges() {
    let plan = asked(vec![
        beside("cubic", 16, [65.0, 64.0, 66.0], (0.24, 0.14)),
        estimated("ghstcp", 16, 47.0, 0.16),
    ]);
    assert_eq!(chosen(&plan).as_deref(), Some("16 x ghstcp"));
    let row = &plan.rows[0];
    let (low, high) = plan.took_range(row).expect("a range");
    assert!((low / HOUR - 46.0).abs() < 0.05 && (high / HOUR - 65.8).abs() < 0.05);
    let (low, high) = row.harm_range().expect("a range");
    assert!((low, (high - 0.46).abs() < 1e-9) == (0.0, true), "{low} {high}");
    assert_eq!(plan.speedup_range(row), None);
}

/// Today's takes 0.6 of the others' rate, more than half. 180 h are more than 161 h; 159 h
/// are within 5 % of 161 h, and 157 h to 161 h within 139 h to 191 h.
#[test]
fn what_runs_today_is_named_if_the_recommended_row_is_not_faster() {
    let as_fast = |hours, much| {
        let mut plan = asked(vec![beside("cubic", 2, hours, (0.2, 0.05))]);
        let today = plan.rows.iter_mut().find(|row| row.streams == 4).expect("today's");
        (today.harm, today.harm_ci95) = (Some(much), Some(0.05));
        plan.rank();
        assert_eq!(chosen(&plan).as_deref(), Some("2 x cubic"));
        let row = plan.rows.iter().position(|row| row.streams == 4).expect("today's") as u32 + 1;
        plan.facts.contains(&Fact::AsFast { row, better: Better::LessHarm })
    };
    assert!(as_fast([180.0, 178.0, 182.0], 0.6));
    assert!(as_fast([159.0, 157.0, 161.0], 0.4));
    assert!(!as_fast([100.0, 98.0, 102.0], 0.4));
}

#[test]
fn what_runs_today_may_be_the_best_and_nothing_may_be_kind() {
    let mut plan = asked(vec![beside("bbr1", 4, [47.7, 47.0, 48.0], (0.9998, 0.0001))]);
    assert_eq!(chosen(&plan).as_deref(), Some("4 x cubic"));
    plan.rows.retain(|row| row.law == "bbr1");
    plan.rank();
    assert_eq!(plan.chosen(), None);
    let harms = Fact::PassedOver { because: PassedOver::Harms, rows: vec![1] };
    assert_eq!(plan.facts, [harms]);
    // nothing is typed unasked
    assert_eq!(plan.typed(), None);
}

/// 0.3 by a first estimate may be 0.6, which is more than half.
#[test]
fn an_estimate_of_harm_has_to_be_small_to_be_trusted() {
    let mut plan =
        asked(vec![estimated("htcp", 16, 40.0, 0.3), estimated("hstcp", 16, 50.0, 0.19)]);
    assert_eq!(chosen(&plan).as_deref(), Some("16 x hstcp"));
    plan.max_harm = Some(0.4);
    plan.rows.retain(|row| row.law == "htcp");
    plan.rank();
    assert_eq!(plan.facts[0], Fact::PassedOver { because: PassedOver::MayHarm, rows: vec![1] });
    plan.max_harm = Some(0.6);
    plan.rank();
    assert_eq!(chosen(&plan).as_deref(), Some("16 x htcp"));
}

/// 0.4 by a first estimate is below the limit of 0.5, but 0.4 + 0.3 is not.
#[test]
fn every_reason_to_pass_over_a_row_has_its_own_rows() {
    let unknown = PlanRow {
        harm: None,
        harm_ci95: None,
        others: Some(PlanRate { mean_bps: 1e9, ci95_bps: None }),
        ..beside("reno", 16, [46.7, 46.6, 46.8], (0.0, 0.0))
    };
    let plan = asked(vec![
        estimated("bbr1", 64, 34.2, 0.99),
        estimated("bbr1", 32, 34.3, 0.98),
        estimated("hstcp", 32, 34.4, 0.4),
        unknown,
        beside("cubic", 16, [65.0, 64.0, 66.0], (0.24, 0.14)),
    ]);
    assert_eq!(
        plan.facts[..3],
        [
            Fact::PassedOver { because: PassedOver::MayHarm, rows: vec![3] },
            Fact::PassedOver { because: PassedOver::Harms, rows: vec![1, 2] },
            Fact::PassedOver { because: PassedOver::Unknown, rows: vec![4] },
        ]
    );
}

/// 0.4 + 0.11 is more than half, and so is 0.4 + 0.3; 0.4 + 0.09 is not, and 0.19 + 0.3 is not.
/// What is simulated is judged like an estimate.
#[test]
fn harm_counts_with_its_uncertainty_whether_simulated_or_estimated() {
    let simulated = |harm| chosen(&asked(vec![beside("htcp", 16, [58.5, 57.0, 60.2], harm)]));
    let guessed = |harm| chosen(&asked(vec![estimated("htcp", 16, 58.5, harm)]));
    let (htcp, today) = (Some("16 x htcp".to_owned()), Some("4 x cubic".to_owned()));
    assert_eq!((simulated((0.4, 0.09)), simulated((0.4, 0.11))), (htcp.clone(), today.clone()));
    assert_eq!((guessed(0.19), guessed(0.4)), (htcp, today));
}

/// 20 connections have 48 h, and the path needs 46 h: 1.043 times. 4 are tried as well, so 2 are
/// not the most; 2,048 are more than the option takes.
#[test]
fn more_connections_are_proposed_where_they_may_gain() {
    let says = |streams, hours: f64| {
        let row = beside("cubic", streams, [hours, hours - 0.5, hours + 0.5], (0.2, 0.01));
        asked(vec![row]).facts.contains(&Fact::MoreStreams { most: streams })
    };
    assert!(says(20, 60.0) && !says(20, 48.0) && !says(2, 60.0) && !says(512, 60.0));
}

/// 4 connections with 4 MiB each, 2.796 MB of it payload, in flight for 160 ms: 559.2 Mbit/s,
/// in which 200 TB take 2.861e6 s.
#[test]
fn what_default_socket_buffers_allow_is_told() {
    let mut plan = asked(vec![beside("htcp", 16, [58.5, 57.0, 60.2], (0.24, 0.14))]);
    (plan.size_bytes, plan.path.rtt_s) = (200_000_000_000_000, 0.16);
    plan.rank();
    let told = plan.facts.iter().find_map(|fact| match fact {
        Fact::DefaultBuffers { at_most_bps, at_least_s } => Some((*at_most_bps, *at_least_s)),
        _ => None,
    });
    let (bps, seconds) = told.expect("the fact");
    assert!((bps / 559.2e6 - 1.0).abs() < 1e-3 && (seconds / 2.861e6 - 1.0).abs() < 1e-3);
    // a short path does not need more
    plan.path.rtt_s = 0.01;
    plan.rank();
    assert!(!plan.facts.iter().any(|fact| matches!(fact, Fact::DefaultBuffers { .. })));
}

/// One row is finished after 1e8 packets, one lacks half of the 4e8 that it says it needs, and
/// another one, which was not begun, is taken to cost as much as the finished one; so are the
/// others without the transfer: 1e8 + 2e8 + 1e8 + 1e8, if no row may cost more than 2e8.
#[test]
fn every_limit_has_its_rows_and_what_may_be_enough() {
    let spent = |law: &str, spent, runs| PlanRow {
        spent,
        packets: 1e8 * f64::from(runs),
        ..row(law, Basis::Wide, 10.0 + f64::from(runs), runs)
    };
    let mut rows = vec![
        spent("cubic", None, 1),
        spent("hstcp", Some(Spent::Budget), 2),
        spent("htcp", Some(Spent::Budget), 0),
    ];
    rows[1].needs_packets = Some(4e8);
    let mut own = plan(rows.clone(), false);
    own.path.with = vec!["reno".to_owned()];
    own.rank();
    let stopped = |plan: &PlanSummary| -> Vec<Fact> {
        let all = plan.facts.iter().filter(|fact| matches!(fact, Fact::Stopped { .. }));
        all.cloned().collect()
    };
    let by = Spent::Budget;
    let needs_packets = Some(5e8);
    assert_eq!(
        stopped(&own),
        [Fact::Stopped { by, begun: vec![3], not_begun: vec![1], needs_packets }]
    );
    rows[1].spent = Some(Spent::RowPackets);
    rows[2].spent = Some(Spent::Interrupted);
    let mut own = plan(rows, false);
    own.rank();
    let fact =
        |by, begun, not_begun, needs_packets| Fact::Stopped { by, begun, not_begun, needs_packets };
    assert_eq!(
        stopped(&own),
        [
            fact(Spent::Interrupted, vec![], vec![1], None),
            fact(Spent::RowPackets, vec![3], vec![], Some(4e8)),
        ]
    );
}

/// The others lose more than the limit of 50 % with both, and less with H-TCP.
#[test]
fn a_gentler_row_is_named_if_it_takes_about_as_long_as_todays() {
    let gentler = |hours: f64, harm: (f64, f64)| {
        let htcp = beside("htcp", 4, [hours, hours - 5.0, hours + 5.0], harm);
        let mut plan = plan(vec![estimated("cubic", 4, 161.0, 0.73), htcp], false);
        plan.path.with = vec!["3xcubic".to_owned()];
        let today = PlanWay { law: "cubic".to_owned(), streams: 4, socket_buffer_bytes: 1_000 };
        plan.today = Some(today);
        plan.rank();
        let row = plan.rows.iter().position(|row| row.law == "htcp").expect("a row") as u32 + 1;
        plan.facts.contains(&Fact::Gentler { row })
    };
    assert!(gentler(165.0, (0.6, 0.01)));
    assert!(!gentler(200.0, (0.6, 0.01)), "slower");
    assert!(!gentler(165.0, (0.7, 0.01)), "as hard on the others");
    assert!(!gentler(165.0, (0.6, 0.1)), "perhaps as hard on the others");
}

/// 100 h are met by one of two rows.
#[test]
fn a_deadline_counts_the_rows_that_meet_it() {
    let mut plan = asked(vec![beside("htcp", 16, [58.5, 57.0, 60.2], (0.24, 0.14))]);
    plan.deadline_s = Some(100.0 * HOUR);
    plan.rank();
    assert!(plan.facts.contains(&Fact::Deadline { met: 1, fastest: Some(1) }));
}

#[test]
fn rows_whose_intervals_overlap_with_the_first_are_tied() {
    let rows = [[50.0, 48.0, 52.0], [51.0, 49.0, 53.0], [56.0, 54.0, 58.0]];
    let rows = rows.map(|hours| beside("htcp", 16, hours, (0.1, 0.01)));
    assert!(asked(rows.into()).facts.contains(&Fact::Tied { rows: 2 }));
}
