//! Measurements whose cause is known.

use tusker_field::diagnose::{Candidate, Cause, Diagnosis, Question, Verdict, Words};
use tusker_field::{Measured, read};
use tusker_sim::Simulator;

fn diagnosed(words: &Words<'_>, file: Option<Measured>) -> Diagnosis {
    let question = Question::read(words, file).expect("a question");
    question.diagnose(&Simulator, &|| false).expect("it can be simulated").expect("not stopped")
}

fn of(own: &Diagnosis, cause: Cause) -> &Candidate {
    own.causes.iter().find(|own| own.cause == cause).expect("every cause is judged")
}

fn near(got: Option<f64>, expected: f64, relative: f64) {
    let got = got.expect("a value");
    assert!((got / expected - 1.0).abs() <= relative, "{got} instead of {expected}");
}

/// The window without scaling that <https://serverfault.com/questions/608060> reports: 5.48
/// Mbit/s over 95.7 ms are 5.48e6 / 8 x 0.0957 = 65,555 bytes. Nothing was lost.
#[test]
fn a_window_of_64_kib() {
    let words = Words {
        rate: "1gbit",
        rtt: "95.7ms",
        measured: "5.48mbit",
        retransmits: "0",
        ..Words::default()
    };
    let own = diagnosed(&words, None);
    assert_eq!(own.causes[0].cause, Cause::ReceiveWindow);
    assert_eq!(own.causes[0].verdict, Verdict::Likely);
    near(of(&own, Cause::ReceiveWindow).needed, 65_555.0, 0.05);
    // a lossless flow was not limited by loss
    for cause in [Cause::RandomLoss, Cause::CompetingFlows, Cause::ShallowBuffer] {
        assert!(of(&own, cause).verdict > Verdict::Possible, "{cause:?}: {:?}", of(&own, cause));
    }
}

/// RFC 9438, table 2: CUBIC keeps a window of 187 segments at a loss of 1e-4 and 100 ms, which
/// are 187 x 1448 x 8 / 0.1 = 21.7 Mbit/s.
#[test]
fn random_loss_by_the_laws_own_response() {
    let words = Words {
        rate: "100mbit",
        rtt: "100ms",
        measured: "21.7mbit",
        cc: "cubic",
        buffer: "1bdp",
        ..Words::default()
    };
    let own = diagnosed(&words, None);
    let loss = of(&own, Cause::RandomLoss);
    // the response function holds for even losses; random ones give a slightly smaller window
    near(loss.needed, 1e-4, 0.4);
    assert!(loss.fits && loss.verdict == Verdict::Possible);
    // every limit on a host is told from random loss by what is to be measured
    for cause in [Cause::ReceiveWindow, Cause::SendBuffer, Cause::Application] {
        let differ = own.tests.iter().any(|test| {
            let value = |cause| test.expected.iter().find(|own| own.0 == cause).expect("all").1;
            test.differ(value(cause), value(Cause::RandomLoss))
        });
        assert!(differ, "{cause:?}: {:?}", own.tests);
    }
    // equal shares: 100 x 1448/1500 / 21.7 - 1 = 3.4 others
    let others = of(&own, Cause::CompetingFlows);
    assert!((2.0..=6.0).contains(&others.needed.unwrap()), "{others:?}");
}

/// Ten segments in the first round trip of 100 ms, 20 in the second, 40 in the third: after 0.35
/// s, 70 segments have arrived, 70 x 1448 x 8 / 0.4 = 2.0 Mbit/s over 0.4 s.
#[test]
fn a_short_transfer_ends_in_slow_start() {
    let words = Words {
        rate: "100mbit",
        rtt: "100ms",
        measured: "2mbit",
        duration: "400ms",
        retransmits: "0",
        ..Words::default()
    };
    let own = diagnosed(&words, None);
    assert_eq!(own.causes[0].cause, Cause::Start, "{:?}", own.causes);
    assert_eq!(own.causes[0].verdict, Verdict::Likely);
}

/// What iperf3 prints, shortened: one stream of 30 s, the window twice what is in flight,
/// nothing lost. 20 Mbit/s x 50 ms = 125 kB.
#[test]
fn a_file_of_iperf3_is_evidence() {
    let interval = |n: u32| {
        format!(
            r#"{{"streams": [{{"snd_cwnd": 300000, "rtt": 50500}}], "sum": {{"start": {n}.0,
            "end": {}.0, "seconds": 1, "bits_per_second": 2e7, "omitted": false}}}}"#,
            n + 1
        )
    };
    let intervals: Vec<String> = (0..30).map(interval).collect();
    let json = format!(
        r#"{{"start": {{"test_start": {{"protocol": "TCP", "num_streams": 1, "duration": 30}}}},
        "intervals": [{}], "end": {{"streams": [{{"sender": {{"min_rtt": 50000, "mean_rtt": 50500,
        "max_snd_cwnd": 300000}}}}], "sum_sent": {{"seconds": 30.0, "bits_per_second": 2e7,
        "retransmits": 0}}, "sum_received": {{"bits_per_second": 2e7}},
        "cpu_utilization_percent": {{"host_total": 3.5, "remote_total": 2.0}},
        "sender_tcp_congestion": "cubic"}}}}"#,
        intervals.join(",")
    );
    let file = read("iperf.json", json.as_bytes(), None).expect("a file of iperf3");
    assert_eq!((file.min_rtt_s, file.retransmits, file.intervals.len()), (Some(0.05), Some(0), 30));
    let own = diagnosed(&Words { rate: "100mbit", ..Words::default() }, Some(file));
    assert_eq!(own.cc, "cubic-linux");
    assert_eq!(own.causes[0].cause, Cause::ReceiveWindow);
    near(own.causes[0].needed, 125_000.0, 0.05);
    // 3.5 % of a core is not the limit
    assert_eq!(of(&own, Cause::Host).verdict, Verdict::Unlikely);
}

#[test]
fn a_stopped_diagnosis_has_no_result() {
    let words = Words { rate: "1gbit", rtt: "10ms", measured: "100mbit", ..Words::default() };
    let question = Question::read(&words, None).unwrap();
    assert!(question.diagnose(&Simulator, &|| true).unwrap().is_none());
}
