use super::super::made::{plan, row};
use super::super::{PlanRate, PlanWay};
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

fn names(plan: &PlanSummary) -> Vec<String> {
    plan.rows.iter().map(PlanRow::name).collect()
}

/// The least that is set is enough, 6 MiB = 6.29 MB. 161 h / 58.5 h = 2.752; ln(60.2/58.5) = 0.0287
/// and ln(161/139) = 0.1469 are 0.1497 together, and 2.752 exp(-0.1497) = 2.37; ln(58.5/57) =
/// 0.026 and ln(191/161) = 0.1709 are 0.1728, for 3.27. BBR is faster, but takes all; an estimate
/// of 50 h may be 62.5 h.
#[test]
fn the_fastest_that_is_simulated_and_leaves_enough_is_recommended() {
    let plan = asked(vec![
        beside("bbr1", 4, [47.7, 47.0, 48.0], (0.9998, 0.0001)),
        beside("cubic", 16, [58.5, 57.0, 60.2], (0.24, 0.14)),
        estimated("hstcp", 16, 50.0, 0.1),
    ]);
    assert_eq!(names(&plan), ["4 x bbr1", "16 x cubic", "16 x hstcp", "4 x cubic"]);
    assert_eq!(
        plan.verdict(),
        [
            "Recommended: 16 x cubic, 58.5 h (57.0 h to 60.2 h). That is 2.75 (2.37 to 3.27) times as fast as \
             today (4 x cubic, 161 h). The others lose 24 % ± 14 % of their rate (today: 0 % ± 28 %). 16 connections, \
             each with a socket buffer of up to 6.29 MB.",
            "No row had more than 16 connections; --streams 16,32 tries more.",
            "Faster, but not recommended, because the others lose more than the limit, 50 % of \
             their rate: 4 x bbr1 (47.7 h, 100 %). --for 4xbbr1 prints what to type for the first.",
            "Perhaps faster, but known from a first estimate alone: 16 x hstcp (~50.0 h). --cc \
             hstcp --streams 16 gives one of them all of the --budget.",
            "At the bottleneck's full rate, without other flows, the transfer would need 46.0 h.",
        ]
    );
    assert_eq!(plan.typed().map(PlanRow::name), Some("16 x cubic".to_owned()));
    let way = PlanWay { law: "bbr1".to_owned(), streams: 4, socket_buffer_bytes: 1_000 };
    let plan = PlanSummary { asked_for: Some(way), ..plan };
    assert_eq!(plan.typed().map(PlanRow::name), Some("4 x bbr1".to_owned()));
}

/// Even 47 h x 1.25 = 58.75 h are less than 65 h: it is first, and the sentence says what it is.
/// 161 / 47 = 3.426. Its ends: 0.65 x 47 h = 30.6 h are less than the path's 46 h, 1.4 x 47 h
/// are 65.8 h; 16 % - 10 % and 16 % + 30 %.
#[test]
fn a_recommended_estimate_says_so() {
    let plan = asked(vec![
        beside("cubic", 16, [65.0, 64.0, 66.0], (0.24, 0.14)),
        estimated("ghstcp", 16, 47.0, 0.16),
    ]);
    assert_eq!(
        plan.verdict()[0],
        "Recommended by a first estimate only, not by a simulation: 16 x ghstcp, about 47.0 h \
         (46.0 h to 65.8 h). That is about 3.43 times as fast as today (4 x cubic, 161 h). The \
         others lose about 16 % (0 % to 46 %) of their rate (today: 0 % ± 28 %). 16 connections, each with a socket \
         buffer of up to 6.29 MB."
    );
}

/// Today's takes 0.6 of the others' rate, more than half. 180 h are more than 161 h; 159 h
/// are within 5 % of 161 h, and 157 h to 161 h within 139 h to 191 h.
#[test]
fn what_runs_today_may_stay_if_the_recommended_row_is_not_faster() {
    let first = |hours, much| {
        let mut plan = asked(vec![beside("cubic", 2, hours, (0.2, 0.05))]);
        let today = plan.rows.iter_mut().find(|row| row.streams == 4).expect("today's");
        (today.harm, today.harm_ci95) = (Some(much), Some(0.05));
        plan.rank();
        assert_eq!(plan.chosen().map(PlanRow::name).as_deref(), Some("2 x cubic"));
        plan.verdict().swap_remove(0)
    };
    assert_eq!(
        first([180.0, 178.0, 182.0], 0.6),
        "Keep what you run today, 4 x cubic (161 h), unless it matters that the recommended row \
         does less harm: it is not faster."
    );
    let near = first([159.0, 157.0, 161.0], 0.4);
    assert!(near.ends_with("does less harm: it takes about as long."), "{near}");
    let faster = first([100.0, 98.0, 102.0], 0.4);
    assert!(faster.starts_with("Recommended: 2 x cubic, 100 h"), "{faster}");
}

/// 1,000 bit/s x 0.1 s are 12.5 bytes.
#[test]
fn a_buffer_that_nobody_named_is_told() {
    let mut plan = asked(vec![beside("cubic", 16, [58.5, 57.0, 60.2], (0.24, 0.14))]);
    let about = |plan: &PlanSummary| plan.verdict().join(" ").contains("buffer is not known");
    assert!(!about(&plan));
    plan.buffer_assumed = true;
    assert!(about(&plan));
    assert_eq!(
        plan.verdict().last().map(String::as_str),
        Some(
            "The bottleneck's buffer is not known. We assume 1bdp, the amount that the path \
             holds (12 B). Many buffers are smaller: --buffer 0.1bdp,1bdp makes a plan for both."
        )
    );
}

#[test]
fn what_runs_today_may_be_the_best_and_nothing_may_be_kind() {
    let fast = || beside("bbr1", 4, [47.7, 47.0, 48.0], (0.9998, 0.0001));
    let plan = asked(vec![fast()]);
    assert_eq!(
        plan.verdict()[0],
        "Recommended: keep what you run today, 4 x cubic, 161 h (139 h to 191 h). No clearly \
         faster row is known to leave the others enough. The others lose no measurable share \
         of their rate (-3 % ± 28 %). 4 connections, each with a socket buffer of up to 6.29 MB."
    );
    let mut plan = asked(vec![fast()]);
    plan.rows.retain(|row| row.law == "bbr1");
    plan.rank();
    assert_eq!(plan.chosen(), None);
    assert!(
        plan.verdict()[0].starts_with(
            "No row is recommended: none is known to take at most 50 % of their rate from the others"
        ),
        "{:?}",
        plan.verdict()
    );
    // nothing is typed unasked
    assert_eq!(plan.typed(), None);
}

/// 0.3 by a first estimate may be 0.6, which is more than half.
#[test]
fn an_estimate_of_harm_has_to_be_small_to_be_trusted() {
    let mut plan =
        asked(vec![estimated("htcp", 16, 40.0, 0.3), estimated("hstcp", 16, 50.0, 0.19)]);
    let chosen = |plan: &PlanSummary| plan.chosen().map(PlanRow::name);
    assert_eq!(chosen(&plan).as_deref(), Some("16 x hstcp"));
    plan.max_harm = Some(0.4);
    plan.rows.retain(|row| row.law == "htcp");
    plan.rank();
    assert_eq!(
        plan.verdict()[..2],
        [
            "No row is recommended: none is known to take at most 40 % of their rate from the \
             others, also at the upper end of what is likely: a simulated harm plus its ±, a first estimate (~) plus 0.3 (0.15 if all flows together fill at most half of the link; else 0.7 if the buffer is below 0.2 BDP).",
            "Perhaps within the limit, but not surely: 16 x htcp (~40.0 h, ~30 %). --cc htcp \
             --streams 16 gives one of them all of the --budget; --for 16xhtcp prints what to type \
             for it.",
        ]
    );
    plan.rows[0].needs_packets = Some(6.3e7);
    assert!(plan.verdict()[1].ends_with("~30 %). The first needs at least --row-packets 6.3e7; --for 16xhtcp prints what to type for it."));
    plan.max_harm = Some(0.6);
    plan.rank();
    assert_eq!(chosen(&plan).as_deref(), Some("16 x htcp"));
}

/// 0.4 by a first estimate is below the limit of 0.5, but 0.4 + 0.3 is not.
#[test]
fn every_reason_to_pass_over_a_row_has_its_own_rows() {
    let plan = asked(vec![
        estimated("bbr1", 64, 46.2, 0.99),
        estimated("bbr1", 32, 46.3, 0.98),
        estimated("hstcp", 32, 46.4, 0.4),
        estimated("htcp", 32, 46.5, 0.35),
        estimated("htcp", 16, 46.6, 0.21),
        beside("cubic", 16, [65.0, 64.0, 66.0], (0.24, 0.14)),
    ]);
    assert_eq!(
        plan.verdict()[1],
        "Faster, but not recommended, because the others may lose more than the limit, 50 % of \
         their rate, and a first estimate (~) may be 30 points too low: 32 x hstcp (~46.4 h, \
         ~40 %) and 2 more; because the others lose more than the \
         limit, 50 % of their rate: 64 x bbr1 (~46.2 h, ~99 %) and 1 more. --for 32xhstcp prints \
         what to type for the first."
    );
}

/// 0.4 + 0.11 is more than half, and so is 0.4 + 0.3; 0.4 + 0.09 is not, and 0.19 + 0.3 is not.
/// What is simulated is judged like an estimate.
#[test]
fn harm_counts_with_its_uncertainty_whether_simulated_or_estimated() {
    let chosen = |row: PlanRow| asked(vec![row]).chosen().map(PlanRow::name);
    let simulated = |harm| chosen(beside("htcp", 16, [58.5, 57.0, 60.2], harm));
    let guessed = |harm| chosen(estimated("htcp", 16, 58.5, harm));
    let (htcp, today) = (Some("16 x htcp".to_owned()), Some("4 x cubic".to_owned()));
    assert_eq!((simulated((0.4, 0.09)), simulated((0.4, 0.11))), (htcp.clone(), today.clone()));
    assert_eq!((guessed(0.19), guessed(0.4)), (htcp, today));
    let plan = asked(vec![beside("htcp", 16, [58.5, 57.0, 60.2], (0.4, 0.11))]);
    assert_eq!(
        plan.verdict()[1],
        "Faster, but not recommended, because the others may lose more than the limit, 50 % of \
         their rate: 16 x htcp (58.5 h, 40 % ± 11 %). --for 16xhtcp prints what to type for the \
         first."
    );
    let rule = "A row is recommended only if this is at most 0.5, also at the upper end of what is likely: a simulated harm plus its ±, a first estimate (~) plus 0.3 (0.15 if all flows together fill at most half of the link; else 0.7 if the buffer is below 0.2 BDP)";
    assert!(plan.legend().join("\n").contains(rule), "{:?}", plan.legend());
}

/// With no row to recommend, today's is named, with what prints its commands.
#[test]
fn where_nothing_is_recommended_todays_row_is_named() {
    let mut plan = asked(Vec::new());
    plan.max_harm = Some(0.2);
    plan.rank();
    assert_eq!(
        plan.verdict()[..2],
        [
            "No row is recommended: none is known to take at most 20 % of their rate from the \
             others, also at the upper end of what is likely: a simulated harm plus its ±, a first estimate (~) plus 0.3 (0.15 if all flows together fill at most half of the link; else 0.7 if the buffer is below 0.2 BDP). What \
             you run today, 4 x cubic: 161 h, -3 % ± 28 %. --for 4xcubic prints what to type for \
             it.",
            "Perhaps within the limit, but not surely: 4 x cubic (161 h, -3 % ± 28 %). --cc cubic \
             --streams 4 gives one of them all of the --budget.",
        ]
    );
}

/// Nobody knows what it does to the others: it is not recommended, and its `?` is explained.
#[test]
fn a_row_whose_harm_is_not_known_is_not_recommended() {
    let mut row = beside("htcp", 16, [58.5, 57.0, 60.2], (0.0, 0.0));
    (row.harm, row.harm_ci95) = (None, None);
    row.others = Some(PlanRate { mean_bps: 1e9, ci95_bps: None });
    let plan = asked(vec![row]);
    assert_eq!(plan.chosen().map(PlanRow::name).as_deref(), Some("4 x cubic"));
    assert_eq!(plan.rows[0].harm_text(), "?");
    let says =
        "because what the others lose is not known (`?`): 16 x htcp (58.5 h, harm not known)";
    assert!(plan.verdict()[1].contains(says), "{:?}", plan.verdict());
    let notes = plan.reading();
    assert_eq!(notes.iter().filter(|line| line.starts_with("?: harm is not known")).count(), 1);
}

/// What `--for` asks for is named beside the recommended row.
#[test]
fn what_was_asked_for_is_named() {
    let mut plan = asked(vec![
        beside("bbr1", 4, [47.7, 47.0, 48.0], (0.9998, 0.0001)),
        beside("cubic", 16, [58.5, 57.0, 60.2], (0.24, 0.14)),
    ]);
    assert_eq!(plan.asked_in_a_sentence(), None);
    let way =
        |law: &str, streams| PlanWay { law: law.to_owned(), streams, socket_buffer_bytes: 1_000 };
    plan.asked_for = Some(way("bbr1", 4));
    assert_eq!(
        plan.asked_in_a_sentence().as_deref(),
        Some("The commands are for 4 x bbr1 (47.7 h, 100 %), which --for asked for.")
    );
    plan.asked_for = Some(way("cubic", 16));
    assert_eq!(plan.asked_in_a_sentence(), None);
}

/// 20 connections have 48 h, and the path needs 46 h: 1.043 times.
#[test]
fn more_connections_are_proposed_where_they_may_gain() {
    let says = |streams, hours: f64| {
        let row = beside("cubic", streams, [hours, hours - 0.5, hours + 0.5], (0.2, 0.01));
        asked(vec![row]).verdict().iter().any(|line| line.contains("No row had more than"))
    };
    assert!(says(20, 60.0) && !says(20, 48.0));
    // 4 are tried as well, so 2 are not the most; 2,048 are more than the option takes
    assert!(!says(2, 60.0) && !says(512, 60.0));
}

#[test]
fn the_recommended_row_is_marked() {
    let plan = asked(vec![
        beside("bbr1", 4, [47.7, 47.0, 48.0], (0.9998, 0.0001)),
        beside("cubic", 16, [58.5, 57.0, 60.2], (0.24, 0.14)),
    ]);
    let table = plan.table().to_string();
    let lines: Vec<&str> = table.lines().skip(1).collect();
    let starts = ["  1  ", "> 2  ", "  3  "];
    assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{table}");
    let csv = plan.to_csv();
    let ends: Vec<&str> = csv.lines().filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(ends, ["recommended", "false", "true", "false"]);
}

/// On 80 columns, with the longest of the usual words.
#[test]
fn what_a_row_stands_on_is_always_seen() {
    let mut plan = asked(vec![
        beside("ghstcp-refined", 16, [58.5, 57.0, 60.2], (0.24, 0.14)),
        estimated("bbr1", 16, 40.0, 0.31),
    ]);
    plan.rows[0].note = Some("its rate had not levelled off yet".to_owned());
    let text = plan.table().fit(Some(80)).text;
    assert!(
        text.lines().all(|line| line.replace("\u{fdd0}[1m", "").chars().count() <= 84),
        "{text}"
    );
    for part in
        ["simulated", "speed", "not simulated", "10.0 s, one run", "~40.0 h", "~4.03 x", "today"]
    {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let all = plan.table().to_string();
    for part in ["0.24 ± 0.14", "~0.3", "-0.03 ± 0.28"] {
        assert!(all.contains(part), "{part} is not in\n{all}");
    }
    // one buffer for all rows is nothing to choose
    assert!(!all.contains("socket buffer"), "{all}");
}

/// 4 connections with 4 MiB each, 2.097 MB of it payload, in flight for 160 ms: 419.4 Mbit/s,
/// in which 200 TB take 3.815e6 s = 1060 h.
#[test]
fn what_default_socket_buffers_allow_is_told() {
    let mut plan = asked(vec![beside("htcp", 16, [58.5, 57.0, 60.2], (0.24, 0.14))]);
    (plan.size_bytes, plan.path.rtt_s) = (200_000_000_000_000, 0.16);
    let told = plan.verdict().join("\n");
    let line = "Today's row, 4 x cubic, has socket buffers that do not limit it. With Linux's \
                default limit of a send buffer, 4 MiB, about half of it for payload, it would have at \
                most about 419.4 Mbit/s, and take 1060 h at least (the third number of `sysctl \
                net.ipv4.tcp_wmem` is this limit); --socket-buffer 2MB,enough simulates both.";
    assert!(told.contains(line), "{told}");
    // a short path does not need more
    plan.path.rtt_s = 0.01;
    assert!(!plan.verdict().join("\n").contains("4 MiB"));
}

#[test]
fn the_limit_that_was_hit_is_named() {
    let mut plan = asked(vec![
        beside("htcp", 16, [58.5, 57.0, 60.2], (0.24, 0.14)),
        estimated("bbr1", 16, 100.0, 0.31),
    ]);
    plan.rows[0].spent = Some(Spent::RowPackets);
    // of an earlier plan, with a lower limit than the 2e8 of this one
    plan.rows[0].packets = 1.1e7;
    plan.rows[0].needs_packets = Some(8.12e8);
    plan.rows[0].note = Some("too few losses yet for a mean".to_owned());
    plan.rows[1].spent = Some(Spent::Budget);
    plan.rows[2].spent = Some(Spent::Budget);
    let text = plan.reading().join("\n");
    for line in [
        "16 x htcp: too few losses yet for a mean; the longest run has 10.0 s, and a longer one would \
         exceed --row-packets (1.1e7 packets in all its runs). It needs at least --row-packets \
         8.2e8\n",
        "The --budget ended before row 3 was known as well as asked\n",
        "The --budget ended before row 2 was simulated at all",
        "one run: the interval comes from a single run",
        "harm below 0: the others had more beside the transfer than without it",
        "speed: how many times as fast as today's 4 x cubic",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    plan.alone = Some(PlanRate { mean_bps: 2.559e9, ci95_bps: Some(3.99e8) });
    let text = plan.reading().join("\n");
    assert!(text.contains("of --with have 2.559 Gbit/s ± 399.0 Mbit/s"), "{text}");
    plan.alone_unsure = true;
    let text = plan.reading().join("\n");
    let rough = "--with have ~2.559 Gbit/s ± 399.0 Mbit/s: less exact than asked for";
    assert!(text.contains(rough), "{text}");
    plan.alone_start_s = Some(10.0);
    let text = plan.reading().join("\n");
    let start = "--with have ~2.559 Gbit/s: first 10.0 s only, not their long-term rate";
    assert!(text.contains(start), "{text}");
}

/// 404 MB of payload, doubled: 808 MB, which are 770.6 MiB, so 771: 808.45 MB.
#[test]
fn the_socket_buffer_is_that_of_the_kernel() {
    let mut row = beside("cubic", 1, [58.5, 57.0, 60.2], (0.2, 0.01));
    row.socket_buffer_bytes = 404_000_000;
    assert!(asked(vec![row]).verdict()[0].ends_with(
        " 1 connection, with a socket buffer of up to 808 MB in Linux, for 404 MB of \
                 payload and as much bookkeeping."
    ));
}

#[test]
fn an_interruption_is_not_called_a_budget() {
    let spent = |law: &str, spent, runs| PlanRow {
        spent: Some(spent),
        ..row(law, if runs > 0 { Basis::Wide } else { Basis::Estimate }, 10.0, runs)
    };
    let rows = vec![
        spent("cubic", Spent::Interrupted, 1),
        spent("hstcp", Spent::Interrupted, 0),
        spent("htcp", Spent::Budget, 0),
    ];
    let mut plan = plan(rows, false);
    plan.path.segments_per_packet = 4;
    let notes = plan.notes().join("\n");
    for line in [
        "You interrupted the simulation before row 1 was known as well as asked",
        "You interrupted the simulation before row 2 was simulated at all",
        "The --budget ended before row 3 was simulated at all",
        "treats 4 packets of 1500 B as one",
    ] {
        assert!(notes.contains(line), "{line}: {notes}");
    }
}

#[test]
fn what_unsettled_rows_carried_is_told() {
    let unsettled = row("cubic", Basis::Unsettled, 10.0, 1);
    let unsettled = PlanRow { seen_bps: Some(5e9), ..unsettled };
    let rows = vec![row("reno", Basis::Steady, 5.0, 3), unsettled];
    let notes = plan(rows, false).notes().join("\n");
    let told = "in the second half of what was simulated (row 2, 1 x cubic: 5.000 Gbit/s)";
    assert!(notes.contains(told), "{notes}");
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
        plan.least_s = 46.0 * HOUR;
        plan.rank();
        plan.verdict().into_iter().find(|line| line.contains("gentler to the others"))
    };
    let told = gentler(165.0, (0.6, 0.01)).expect("it takes as long, and less from the others");
    assert!(told.contains("gentler to the others: 4 x htcp ("), "{told}");
    assert!(told.contains(", 60 %; today ~") && told.contains(", ~73 %)"), "{told}");
    assert_eq!(gentler(200.0, (0.6, 0.01)), None, "slower");
    assert_eq!(gentler(165.0, (0.7, 0.01)), None, "as hard on the others");
    assert_eq!(gentler(165.0, (0.6, 0.1)), None, "perhaps as hard on the others");
}
