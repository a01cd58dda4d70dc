//! Conditions are read, judged and reported.

use super::*;

fn read(text: &str) -> Condition {
    Condition::read("--fail-on", text).expect("it is a condition")
}

fn value(name: &str, mean: f64, half: Option<f64>) -> Value {
    Value { name: name.to_owned(), mean, half }
}

fn met(text: &str, all: &[Value]) -> Option<String> {
    match read(text).judge(all) {
        Judged::Met(told) => Some(told),
        _ => None,
    }
}

#[test]
fn conditions_are_read_with_units_and_shares() {
    for (text, measure, operator, value) in [
        ("utilisation < 0.9", "utilisation", Operator::Below, 0.9),
        ("utilisation<=90 %", "utilisation", Operator::AtMost, 0.9),
        ("groups.a.rtt_p95_s > 150ms", "groups.a.rtt_p95_s", Operator::Above, 0.15),
        ("links.R1->R2.idle >= 1e-3", "links.R1->R2.idle", Operator::AtLeast, 1e-3),
        ("goodput_bps < 1Gbit", "goodput_bps", Operator::Below, 1e9),
    ] {
        let own = read(text);
        assert_eq!((own.measure.as_str(), own.operator), (measure, operator));
        assert_eq!(own.limit, [Term::Number(value)]);
        assert_eq!(own.word, Word::Plain);
    }
    for text in [
        "",
        "utilisation",
        "utilisation < ",
        "< 3",
        "jain < 2 * 3",
        "jain < a b",
        "jain < 1 +",
        "jain < + + 1",
        "jain < surely",
        "jain < possibly",
    ] {
        assert!(Condition::read("--fail-on", text).is_err(), "{text}");
    }
}

#[test]
fn a_limit_may_be_a_sum() {
    let own = read("rtt_p95_s > 2 * rtt_p50_s - 10ms + groups.a+b2.rtt_p50_s surely");
    let terms = [
        Term::Measure(2.0, "rtt_p50_s".to_owned()),
        Term::Number(-0.01),
        Term::Measure(1.0, "groups.a+b2.rtt_p50_s".to_owned()),
    ];
    assert_eq!((own.limit.as_slice(), own.word), (terms.as_slice(), Word::Surely));
    assert_eq!(own.measures().count(), 3);
    let all = [value("groups.a.harm", 0.5, None), value("groups.a.own", 0.375, None)];
    // 0.375 + 0.1 is less than 0.5, and 0.375 + 0.2 is not
    let told = met("harm > own + 0.1", &all).expect("it is met");
    assert_eq!(told, "groups.a.harm = 0.5000, limit 0.4750, own = 0.3750");
    assert_eq!(met("harm > own + 20%", &all), None);
    // 2 * 0.375 - 0.3 is 0.45
    assert!(met("harm > 2 * own - 30%", &all).is_some());
}

#[test]
fn a_measure_is_compared_with_another_of_the_same_group() {
    let all = [
        value("groups.a.harm", 0.5, None),
        value("groups.a.own", 0.48, None),
        value("groups.b.harm", 0.3, None),
        value("groups.b.own", 0.2, None),
        value("groups.c.harm", 0.9, None),
    ];
    let told = |text: &str| met(text, &all);
    assert_eq!(told("harm > own").unwrap(), "groups.a.harm = 0.5000, limit 0.4800");
    assert_eq!(
        told("harm > 1.2 * own").unwrap(),
        "groups.b.harm = 0.3000, limit 0.2400, own = 0.2000"
    );
    assert_eq!(told("harm > 2*own"), None);
    assert_eq!(
        told("groups.c.harm > 2 * groups.b.own").unwrap(),
        "groups.c.harm = 0.9000, limit 0.4000, groups.b.own = 0.2000"
    );
    // without a value to compare it with it is not met, and not passed either
    assert_eq!(read("groups.c.harm > own").judge(&all), Judged::NoValue);
    assert_eq!(read("harm > 1.2 * own").required(), "harm <= 1.2 * own");
    assert_eq!(read("jain<90 %").required(), "jain >= 90 %");
    assert_eq!(read("jain < 0.9 surely").required(), "not: jain < 0.9 surely");
}

/// 0.53 +- 0.07 beside a limit of 0.4 +- 0.05 has 0.46 to 0.60 beside 0.35 to 0.45.
#[test]
fn surely_is_decided_where_the_intervals_do_not_overlap() {
    let all = [value("harm", 0.53, Some(0.07)), value("own", 0.4, Some(0.05))];
    assert!(met("harm > own surely", &all).is_some());
    // 0.45 to 0.55 holds what 0.46 to 0.60 holds
    let judged = read("harm > own + 0.1 surely").judge(&all);
    let Judged::Undecided(told) = judged else { panic!("{judged:?}") };
    assert_eq!(
        told,
        "harm = 0.530 \u{b1} 0.070, limit 0.500 \u{b1} 0.050, own = 0.400 \u{b1} 0.050"
    );
    assert!(met("harm > own + 0.1", &all).is_some(), "by the means alone it is met");
    assert!(matches!(read("harm > own + 0.2 surely").judge(&all), Judged::Undecided(_)));
    // 0.65 to 0.75 is above all of 0.46 to 0.60
    assert_eq!(read("harm > own + 0.3 surely").judge(&all), Judged::NotMet);
    // twice the limit has twice the interval: 0.7 to 0.9
    assert_eq!(read("harm < 2 * own surely").judge(&all).rank(), 3);
    assert_eq!(read("harm < 1.5 * own surely").judge(&all).rank(), 2);
    // all runs gave the same
    let same = [value("loss", 0.0, Some(0.0))];
    assert_eq!(read("loss > 0 surely").judge(&same), Judged::NotMet);
    assert!(met("loss >= 0 surely", &same).is_some());
    // one run knows no interval
    let one = [value("jain", 0.2, None)];
    let Judged::Undecided(told) = read("jain < 0.9 surely").judge(&one) else { panic!() };
    assert!(told.contains("without an interval"), "{told}");
}

#[test]
fn two_values_that_would_look_the_same_have_more_digits() {
    let all = [value("harm_rtt", 0.014312, None), value("harm_rtt_own", 0.013, None)];
    let told = met("harm_rtt > 1.1 * harm_rtt_own", &all).expect("0.014312 > 0.0143");
    assert_eq!(told, "harm_rtt = 0.014312, limit 0.0143, harm_rtt_own = 0.013");
}

#[test]
fn a_bare_name_means_every_group_or_the_total_if_there_is_one() {
    let all = [("jain", 0.9), ("groups.a.jain", 0.5), ("groups.a.rtt_p95_s", 0.2)];
    let all = all.map(|(name, mean)| value(name, mean, None));
    assert_eq!(met("jain < 0.8", &all), None);
    assert_eq!(met("groups.a.jain < 0.8", &all).unwrap(), "groups.a.jain = 0.500");
    let told = met("rtt_p95_s > 150ms", &all).unwrap();
    assert_eq!(told, "groups.a.rtt_p95_s = 200.0 ms");
    assert_eq!(read("ain < 1").judge(&all), Judged::NoValue);
}

/// 0.53 +- 0.07 has 0.46 to 0.60, and 0.4 +- 0.05 has 0.35 to 0.45.
#[test]
fn possibly_is_met_unless_it_is_surely_not() {
    let all = [value("harm", 0.53, Some(0.07)), value("own", 0.4, Some(0.05))];
    assert!(met("harm > own possibly", &all).is_some(), "it is surely met");
    // the mean is below the limit of 0.6, and the intervals have 0.55 to 0.60 in common
    assert_eq!(met("harm > own + 0.2", &all), None);
    let told = met("harm > own + 0.2 possibly", &all).expect("they overlap");
    assert!(told.ends_with(", undecided"), "{told}");
    assert_eq!(read("harm > own + 0.3 possibly").judge(&all), Judged::NotMet);
    // one run knows no interval, so nothing is sure
    let told = met("jain < 0.9 possibly", &[value("jain", 0.95, None)]).expect("not sure");
    assert!(told.contains("without an interval"), "{told}");
    let same = [value("loss", 0.0, Some(0.0))];
    assert_eq!(read("loss > 0 possibly").judge(&same), Judged::NotMet);
    assert_eq!(read("jain < 1 possibly").judge(&same), Judged::NoValue);
}
