//! Tests of the language of claims, with results worked out by hand.

use super::*;

/// u(1@x) = 10 +- 3, u(2@x) = 6 +- 4, u(3@x) = 2 without an interval.
fn value(operand: &Operand) -> Option<Value> {
    let (value, ci95) = match operand.row.as_str() {
        "1@x" => (10.0, Some(3.0)),
        "2@x" => (6.0, Some(4.0)),
        "3@x" => (2.0, None),
        _ => return None,
    };
    (operand.measure == "u").then_some(Value { value, ci95 })
}

fn scope() -> Scope {
    Scope {
        letters: BTreeMap::from([("g".to_owned(), "1".to_owned())]),
        variant: Some("x".to_owned()),
    }
}

fn decide(text: &str) -> Option<Decision> {
    Comparison::read(text).unwrap().decide(&scope(), &value)
}

#[test]
fn comparisons_worked_out_by_hand() {
    for (text, values, holds) in [
        ("u(1) > u(2)", vec![10.0, 6.0], true),
        ("u(g) < u(2)", vec![10.0, 6.0], false),
        ("u(1@x) > u(2) > u(3)", vec![10.0, 6.0, 2.0], true),
        ("u(1) > u(3) > u(2)", vec![10.0, 2.0, 6.0], false),
        // 10 - 6 / 2 * 3 = 1; -(6 - 10) = 4
        ("u(1) - u(2) / u(3) * 3 <= 1", vec![1.0, 1.0], true),
        ("-(u(2) - u(1)) >= 4.5", vec![4.0, 4.5], false),
        ("abs(u(2) - u(1)) < 5", vec![4.0, 5.0], true),
        ("max(u(1), u(2)) - min(u(2), u(3)) < 8", vec![8.0, 8.0], false),
    ] {
        let decision = decide(text).unwrap();
        assert_eq!((decision.values, decision.holds), (values, holds), "{text}");
    }
}

#[test]
fn intervals_of_independent_values_add_in_quadrature() {
    // sqrt(3^2 + 4^2) = 5: 10 against 6 may be chance, 10 against 4.9 is not
    assert_eq!(decide("u(1) > u(2)").unwrap().clear, Some(false));
    assert_eq!(decide("u(1) > u(2) - 1.1").unwrap().clear, Some(true));
    // 10 * 6 = 60 +- hypot(3 * 6, 4 * 10) = 43.9; 10 / 6 +- hypot(3/6, 4*10/36) = 1.22
    assert_eq!(decide("u(1) * u(2) > 16").unwrap().clear, Some(true));
    assert_eq!(decide("u(1) * u(2) > 17").unwrap().clear, Some(false));
    assert_eq!(decide("u(1) / u(2) > 0.4").unwrap().clear, Some(true));
    assert_eq!(decide("u(1) / u(2) > 0.5").unwrap().clear, Some(false));
    // without an interval chance is unknown
    assert_eq!(decide("u(1) > u(3)").unwrap().clear, None);
    // values without spread are certain, equal ones too
    assert_eq!(decide("2 <= 2").unwrap().clear, Some(true));
}

#[test]
fn a_chain_fails_with_one_relation_and_holds_with_all() {
    for (text, holds, clear) in [
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
        assert_eq!((decision.holds, decision.clear), (holds, clear), "{text}");
    }
}

#[test]
fn what_is_missing_decides_nothing() {
    assert_eq!(decide("u(1) > u(9)"), None);
    assert_eq!(decide("v(1) > u(2)"), None);
}

#[test]
fn filled_in_it_reads_back_the_same() {
    let comparison = Comparison::read("2*(u(g)+1) > abs(-u(2@y)) >= 0.5").unwrap();
    assert!(comparison.is_open());
    let filled = comparison.filled(&scope());
    assert_eq!(filled, "2 * (u(1@x) + 1) > abs(-u(2@y)) >= 0.5");
    let again = Comparison::read(&filled).unwrap();
    assert!(!again.is_open());
    assert_eq!(again.operands(&Scope::default()), comparison.operands(&scope()));
}

#[test]
fn mistakes_are_told() {
    for (text, told) in [
        ("u(1)", "a comparison"),
        ("u(1) >", "a number or a measure at the end"),
        ("u > 1", "`(` before `>`"),
        ("u(1 > 2", "`)` before `>`"),
        ("abs(u(1), 2) > 1", "one value"),
        ("u(1) > 2 3", "before `3`"),
        ("u(1) > 1.3 u(2)", "before `u` in `u(1) > 1.3 u(2)`; to multiply, write 1.3 * u"),
        ("1.3 u(2) < u(1)", "; to multiply, write 1.3 * u"),
        ("u(1) ! 2", "`!` means nothing"),
        ("u(1) > 1.2.3", "not a number"),
    ] {
        let error = Comparison::read(text).unwrap_err();
        assert!(error.contains(told), "{text}: {error}");
    }
}
