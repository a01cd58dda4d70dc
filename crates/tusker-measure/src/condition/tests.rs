//! Comparisons and conditions, with results worked out by hand.

use super::*;

fn plain(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// u(1) = 10 +- 3, u(2) = 6 +- 4, u(3) = 2 without an interval.
fn value(measure: &Written) -> Option<Value> {
    let (value, ci95) = match measure.case.as_deref() {
        Some("1") => (10.0, Some(3.0)),
        Some("2") => (6.0, Some(4.0)),
        Some("3") => (2.0, None),
        _ => return None,
    };
    (measure.measure == "u").then_some(Value { value, ci95 })
}

fn decide(text: &str) -> Option<Decision> {
    Comparison::read(text, &plain).unwrap().decide(&value)
}

#[test]
fn comparisons_worked_out_by_hand() {
    for (text, values, holds) in [
        ("u(1) > u(2)", vec![10.0, 6.0], true),
        ("u(1) < u(2)", vec![10.0, 6.0], false),
        ("u(1) > u(2) > u(3)", vec![10.0, 6.0, 2.0], true),
        ("u(1) > u(3) > u(2)", vec![10.0, 2.0, 6.0], false),
        // 10 - 6 / 2 * 3 = 1; -(6 - 10) = 4
        ("u(1) - u(2) / u(3) * 3 <= 1", vec![1.0, 1.0], true),
        ("-(u(2) - u(1)) >= 4.5", vec![4.0, 4.5], false),
        ("abs(u(2) - u(1)) < 5", vec![4.0, 5.0], true),
        ("max(u(1), u(2)) - min(u(2), u(3)) < 8", vec![8.0, 8.0], false),
    ] {
        let decision = decide(text).unwrap();
        let terms: Vec<f64> = decision.terms.iter().map(|term| term.value).collect();
        assert_eq!((terms, decision.by_values), (values, holds), "{text}");
    }
}

#[test]
fn intervals_of_independent_values_add_in_quadrature() {
    use Verdict::{DoesNotHold, Holds, Undecided};
    for (text, verdict, surely, possibly) in [
        // sqrt(3^2 + 4^2) = 5: 10 against 6 may be chance, 10 against 4.9 is not
        ("u(1) > u(2)", Undecided, Undecided, Holds),
        ("u(1) > u(2) - 1.1", Holds, Holds, Holds),
        ("u(1) < u(2) - 1.1", DoesNotHold, DoesNotHold, DoesNotHold),
        // 10 * 6 = 60 +- hypot(3 * 6, 4 * 10) = 43.9; 10 / 6 +- hypot(3/6, 4*10/36) = 1.22
        ("u(1) * u(2) > 16", Holds, Holds, Holds),
        ("u(1) * u(2) > 17", Undecided, Undecided, Holds),
        ("u(1) / u(2) > 0.4", Holds, Holds, Holds),
        ("u(1) / u(2) > 0.5", Undecided, Undecided, Holds),
        // without an interval the values decide, but not surely
        ("u(1) > u(3)", Holds, Undecided, Holds),
        ("u(1) < u(3)", DoesNotHold, Undecided, Holds),
        // values without spread are certain, equal ones too
        ("2 <= 2", Holds, Holds, Holds),
    ] {
        let own = decide(text).unwrap();
        assert_eq!(
            (own.verdict(), own.surely(), own.possibly()),
            (verdict, surely, possibly),
            "{text}"
        );
    }
}

#[test]
fn a_chain_fails_with_one_relation_and_holds_with_all() {
    for (text, holds, sure) in [
        // 10 +- 3 is certainly above 1, 10 against 6 +- 4 may be chance
        ("u(1) > 1 > 0", true, Some(true)),
        ("u(1) > u(2) > 1", true, Some(false)),
        ("u(2) > u(1) > 1", false, Some(false)),
        // one that certainly fails decides, whatever the other is
        ("u(1) > u(2) > 100", false, Some(true)),
        // one that fails without intervals decides at face value
        ("u(1) > u(2) > u(3) + 100", false, None),
        ("u(1) > u(2) > u(3)", true, Some(false)),
        ("u(1) > 1 > u(3) - 2", true, None),
    ] {
        let decision = decide(text).unwrap();
        assert_eq!((decision.by_values, decision.sure), (holds, sure), "{text}");
    }
}

#[test]
fn what_is_missing_decides_nothing() {
    assert_eq!(decide("u(1) > u(9)"), None);
    assert_eq!(decide("v(1) > u(2)"), None);
}

#[test]
fn what_is_written_reads_back_the_same() {
    let comparison = Comparison::read("2*(u(g)+1) > abs(-u(2@y)) >= 0.5", &plain).unwrap();
    assert_eq!(comparison.to_string(), "2 * (u(g) + 1) > abs(-u(2@y)) >= 0.5");
    assert_eq!(Comparison::read(&comparison.to_string(), &plain).unwrap(), comparison);
    let filled = comparison.try_map(|own| Ok::<_, ()>(format!("[{own}]"))).unwrap();
    assert_eq!(filled.sides(), ["2 * ([u(g)] + 1)", "abs(-[u(2@y)])", "0.5"]);
}

#[test]
fn mistakes_are_told() {
    for (text, told) in [
        ("u(1)", "a comparison"),
        ("u(1) >", "a number or a measure at the end"),
        ("u(1 > 2", "`)` before `>`"),
        ("abs(u(1), 2) > 1", "one value"),
        ("u(1) > 2 3", "before `3`"),
        ("u(1) > 1.3 u(2)", "before `u` in `u(1) > 1.3 u(2)`; to multiply, write 1.3 * u"),
        ("1.3 u(2) < u(1)", "; to multiply, write 1.3 * u"),
        ("u(1) ! 2", "`!` means nothing"),
        ("u(1) > 1.2.3", "not a number"),
    ] {
        let error = Comparison::read(text, &plain).unwrap_err();
        assert!(error.contains(told), "{text}: {error}");
    }
}

#[test]
fn numbers_have_four_digits_or_all_before_the_point() {
    for (value, text) in [
        (78.933, "78.93"),
        (0.9251, "0.9251"),
        (1234.5, "1234"),
        (450.0, "450"),
        (0.0, "0"),
        (-0.5, "-0.5"),
        (100_000.0, "100000"),
    ] {
        assert_eq!(number(value), text);
    }
}

fn read(text: &str) -> Condition {
    let units = |text: &str| match text.strip_suffix("ms") {
        Some(ms) => ms.parse::<f64>().ok().map(|ms| ms / 1000.0),
        None => text.parse().ok(),
    };
    Condition::read(text, &units).unwrap()
}

fn named(name: &str, value: f64, ci95: Option<f64>) -> Named {
    Named { name: name.to_owned(), value: Value { value, ci95 } }
}

#[test]
fn conditions_have_names_with_signs_units_and_shares() {
    for (text, measures, limit) in [
        ("utilisation < 0.9", &["utilisation"][..], 0.9),
        ("utilisation<=90 %", &["utilisation"], 0.9),
        ("groups.a.rtt_p95_s > 150ms", &["groups.a.rtt_p95_s"], 0.15),
        ("links.R1->R2.idle >= 1e-3", &["links.R1->R2.idle"], 1e-3),
        ("groups.a+b2.x <= 2 - 1.5", &["groups.a+b2.x"], 0.5),
    ] {
        let own = read(text);
        assert_eq!(own.measures().collect::<Vec<_>>(), measures, "{text}");
        let all = [named(measures[0], 0.0, None)];
        let with = own.judge(&all).with.unwrap();
        assert_eq!(with.decision.terms[1].value, limit, "{text}");
    }
    for text in [
        "",
        "jain",
        "jain < ",
        "< 3",
        "jain < a b",
        "jain < 1 +",
        "jain < + + 1",
        "jain < surely",
        "2 < 3",
        "jain(7) < 1",
    ] {
        assert!(Condition::read(text, &plain).is_err(), "{text}");
    }
}

#[test]
fn a_measure_is_compared_with_another_of_the_same_group() {
    let all = [
        named("groups.a.harm", 0.5, None),
        named("groups.a.own", 0.48, None),
        named("groups.b.harm", 0.3, None),
        named("groups.b.own", 0.2, None),
        named("groups.c.harm", 0.9, None),
    ];
    for (text, verdict, name) in [
        ("harm > own", Verdict::Holds, Some("groups.a.harm")),
        ("harm > 1.2 * own", Verdict::Holds, Some("groups.b.harm")),
        ("harm > 2*own", Verdict::DoesNotHold, Some("groups.a.harm")),
        ("groups.c.harm > 2 * groups.b.own", Verdict::Holds, Some("groups.c.harm")),
        // without a value to compare it with it is not met, and not passed either
        ("groups.c.harm > own", Verdict::Open, None),
        ("arm > 0", Verdict::Open, None),
    ] {
        let judged = read(text).judge(&all);
        let with = judged.with.map(|with| with.name);
        assert_eq!((judged.verdict, with.as_deref()), (verdict, name), "{text}");
    }
    // a bare name means every group, or the total if there is one
    let all = [named("jain", 0.9, None), named("groups.a.jain", 0.5, None)];
    assert_eq!(read("jain < 0.8").judge(&all).verdict, Verdict::DoesNotHold);
    assert_eq!(read("groups.a.jain < 0.8").judge(&all).verdict, Verdict::Holds);
}

/// 0.53 +- 0.07 beside 0.4 +- 0.05: both together are hypot(0.07, 0.05) = 0.086.
#[test]
fn surely_and_possibly_are_two_ways_to_take_what_is_undecided() {
    use Verdict::{DoesNotHold, Holds, Undecided};
    let all = [named("harm", 0.53, Some(0.07)), named("own", 0.4, Some(0.05))];
    for (text, verdict) in [
        ("harm > own surely", Holds),
        // by 0.03
        ("harm > own + 0.1", Holds),
        ("harm > own + 0.1 surely", Undecided),
        // below it by 0.07, and by 0.09
        ("harm > own + 0.2", DoesNotHold),
        ("harm > own + 0.2 surely", Undecided),
        ("harm > own + 0.2 possibly", Holds),
        ("harm > own + 0.22 surely", DoesNotHold),
        ("harm > own + 0.22 possibly", DoesNotHold),
        // twice the limit has twice the interval: 0.8 +- 0.1, and hypot(0.07, 0.1) = 0.122
        ("harm < 2 * own surely", Holds),
        ("harm < 1.5 * own surely", Undecided),
    ] {
        assert_eq!(read(text).judge(&all).verdict, verdict, "{text}");
    }
    // all runs gave the same, and one run knows no interval
    let some = [named("loss", 0.0, Some(0.0)), named("jain", 0.95, None)];
    for (text, verdict) in [
        ("loss > 0 surely", DoesNotHold),
        ("loss > 0 possibly", DoesNotHold),
        ("loss >= 0 surely", Holds),
        ("jain > 0.9 surely", Undecided),
        ("jain < 0.9 possibly", Holds),
    ] {
        assert_eq!(read(text).judge(&some).verdict, verdict, "{text}");
    }
}
