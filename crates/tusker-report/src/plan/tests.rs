use tusker_transfer::answer::{
    Basis, Command, PlanPath, PlanWay, PlansSummary, Spent, kernel_buffer,
};

use super::*;
use crate::html::html;
use crate::terminal::{self, Terminal};
use tusker_measure::table::CODE;

/// A row of 4 connections that was simulated: hours with the ends of their interval, and harm.
fn row(law: &str, hours: [f64; 3], harm: f64) -> PlanRow {
    let [took_s, low, high] = hours.map(|hours| Some(hours * 3_600.0));
    PlanRow {
        law: law.to_owned(),
        streams: 4,
        socket_buffer_bytes: 64_000_000,
        basis: Basis::Steady,
        took_s,
        took_low_s: low,
        took_high_s: high,
        // 8 Tbit in so many hours
        goodput: Some(PlanRate { mean_bps: 8e12 / hours[0] / 3_600.0, ci95_bps: Some(4e6) }),
        harm: Some(harm),
        harm_ci95: Some(0.02),
        simulated_s: 20.0,
        runs: 2,
        estimate_bps: Some(1e8),
        packets: 1e6,
        settings: Settings {
            congestion_control: Some(law.to_owned()),
            buffer_bytes: kernel_buffer(64_000_000, false),
            ..Settings::default()
        },
        ..PlanRow::default()
    }
}

fn plan() -> PlanSummary {
    let command = |on, step, why: &str, line: &str| Command {
        on,
        step,
        why: why.to_owned(),
        line: line.to_owned(),
    };
    let commands = vec![
        command(Host::Receiver, Step::Prepare, "buffers", "one"),
        command(Host::Receiver, Step::Prepare, "", "two \\\n  three"),
        command(Host::Sender, Step::Test, "a test", "four"),
        command(Host::Receiver, Step::Undo, "end it", "five"),
    ];
    let estimate = PlanRow {
        basis: Basis::Estimate,
        took_low_s: None,
        took_high_s: None,
        harm_ci95: None,
        spent: Some(Spent::Budget),
        runs: 0,
        packets: 0.0,
        ..row("bbr1", [9.0; 3], 0.8)
    };
    let mut plan = PlanSummary {
        command: vec!["tusker".to_owned(), "plan".to_owned()],
        size_bytes: 1_000_000_000_000,
        path: PlanPath {
            rate_bps: 1_000_000_000,
            rtt_s: 0.1,
            loss: 1e-6,
            buffer: "1bdp".to_owned(),
            packet_bytes: 1_500,
            segments_per_packet: 1,
            with: vec!["2xcubic".to_owned()],
        },
        buffer_assumed: true,
        least_s: 8_288.0,
        today: Some(PlanWay {
            law: "cubic".to_owned(),
            streams: 4,
            socket_buffer_bytes: 64_000_000,
        }),
        row_packets: 2e8,
        alone: Some(PlanRate { mean_bps: 9e8, ci95_bps: Some(1e7) }),
        earlier: vec![vec!["tusker".to_owned(), "earlier".to_owned()]],
        rows: vec![
            PlanRow { commands, ..row("<reno>", [10.0, 9.0, 11.0], 0.25) },
            row("cubic", [20.0, 18.0, 22.0], 0.4),
            estimate,
        ],
        ..PlanSummary::default()
    };
    plan.rank();
    plan
}

fn plain(text: &str) -> String {
    let codes = ["[0m", "[1m", "[2m", "[31m", "[32m", "[33m"];
    codes.iter().fold(text.to_owned(), |text, code| text.replace(&format!("{CODE}{code}"), ""))
}

/// 72,000 s / 36,000 s are 2; ln(1.1) = 0.0953 and ln(1/0.9) = 0.1054 are 0.1421 together, and 2
/// exp(0.1421) = 2.31. 8 Tbit in 10 h are 222.2 Mbit/s, in 8,288 s 965.3 Mbit/s. 9 h by an estimate
/// count as 11.25 h, so that row is the second. 128 MB are 123 MiB. The row that was not simulated
/// is taken to cost 1e6 packets as the others do, and so are the flows of --with alone.
#[test]
fn a_plan_is_an_answer_of_few_lines_one_table_and_notes() {
    let page = page(&plan());
    let expected = "\
Use 4 x <reno>, 64 MB
takes: 10.0 h (9.00 h to 11.0 h) for 1 TB; 2.30 h at the path's full rate
speed: 2.00 x (1.74 to 2.31) today's 4 x cubic (20.0 h)
rate: 222.2 ± 4.0 Mbit/s of 965.3 Mbit/s
harm: the other flows lose 25 % ± 2 % of 900.0 Mbit/s (today 40 % ± 2 %; limit 50 %)
set: tcp_congestion_control=<reno>, tcp_rmem and tcp_wmem up to 128974848
1 TB over 1.000 Gbit/s, 100.0 ms, loss 1e-6, buffer 1bdp, beside 2xcubic (buffer assumed)

         cc  streams    takes     ±    speed       goodput         harm      simulated
> 1  <reno>        4   10.0 h  10 %   2.00 x  222.2 Mbit/s  0.25 ± 0.02     2 x 20.0 s
  2    bbr1        4  ~9.00 h        ~2.22 x  246.9 Mbit/s         ~0.8  not simulated
  3   cubic        4   20.0 h  10 %    today  111.1 Mbit/s  0.40 ± 0.02     2 x 20.0 s
";
    assert_eq!(plain(&terminal::text(&page, &Terminal::default())), expected);
    let notes: Vec<&str> = page.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        notes,
        [
            "--budget ended before 1 row was simulated; --budget 4e6 is likely to be enough",
            "no row has more than 4 connections; --streams 4,8 tries more",
            "the bottleneck's buffer is assumed to be 1bdp; many are smaller: --buffer \
             0.1bdp,1bdp plans for both",
        ]
    );
}

#[test]
fn a_page_has_what_to_type_for_every_row() {
    let page = whole_page(&plan());
    let html = html(&page);
    assert!(!html.contains("<reno>"));
    // a block that can be pasted for each host and time
    for text in [
        "Use <strong>4 x &lt;reno&gt;, 64 MB</strong>",
        "4 x &lt;reno&gt;, 64 MB (recommended)",
        "  # buffers\n  one\n  two \\\n    three\n</pre>",
        "  # a test\n  four\n</pre>",
        "to undo this",
        "tusker earlier",
    ] {
        assert!(html.contains(text), "{text} is not in\n{html}");
    }
}

/// With the larger buffer CUBIC is twice as fast; Reno takes 10 h at most, CUBIC 20 h.
#[test]
fn plans_for_several_buffers_have_one_answer() {
    let (small, mut large) = (plan(), plan());
    large.path.buffer = "2bdp".to_owned();
    for row in large.rows.iter_mut().filter(|row| row.law == "cubic") {
        (row.took_s, row.took_low_s, row.took_high_s) =
            (Some(36_000.0), Some(32_400.0), Some(39_600.0));
    }
    large.rank();
    let buffers = vec!["1bdp".to_owned(), "2bdp".to_owned()];
    let page = of_buffers(&PlansSummary::new(buffers, vec![small, large]));
    let text = plain(&terminal::text(&page, &Terminal::default()));
    assert!(text.starts_with("Use 4 x <reno> if the buffer is not known\n"), "{text}");
    assert!(text.contains("takes: 9.00 h to 11.0 h for 1 TB\n"), "{text}");
    // the row to choose and today's, for each
    assert_eq!(text.lines().filter(|line| line.starts_with('>')).count(), 2, "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("today")).count(), 3, "{text}");
}
