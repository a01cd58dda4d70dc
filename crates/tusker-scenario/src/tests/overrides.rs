//! Changes from the command line.

use tusker_plan::plan;

use super::{SMALL, parse, planned};
use crate::model::Scenario;

#[test]
fn overrides_reach_by_name_and_by_index() {
    let plan =
        planned(SMALL, &["flows.a.count=3", "flows.1.count=4", "dumbbell.queue.limit=77pkt"]);
    assert_eq!(plan.flows.len(), 7);
    assert_eq!(plan.links[0].queue.limit, plan::Limit::Packets(77));
    // a whole element is replaced, not lost
    let plan = planned(SMALL, &["flows.a={name='c', cc='reno'}"]);
    assert_eq!(plan.groups, ["c", "b"]);
    // a short form is expanded when an override reaches inside
    let plan =
        planned(SMALL, &["dumbbell.queue=5pkt", "dumbbell.queue.ecn=true", "flows.a.cc.name=reno"]);
    assert!(plan.links[0].queue.ecn);
    assert_eq!(plan.links[0].queue.limit, plan::Limit::Packets(5));
}

/// Also where an element is called like the place of another.
#[test]
fn an_asterisk_reaches_every_element() {
    let text = SMALL.replacen("name = \"a\"", "name = \"1\"", 1);
    let plan = planned(&text, &["flows.*.count=3"]);
    let of = |group| plan.flows.iter().filter(|flow| flow.group == group).count();
    assert_eq!([of(0), of(1)], [3, 3]);
}

#[test]
fn mistakes_in_overrides_name_the_override() {
    let wrong = |set: &str| format!("{:?}", parse(SMALL, &[set]).unwrap_err());
    assert_eq!(
        wrong("dumbbell.rat=1Gbit"),
        "--set:1:1: unknown key `rat` [dumbbell.rat] (did you mean `rate`? valid: `rate`, `delay`, \
         `queue`, `loss`, `jitter`, `down`, `reverse`, `access`)"
    );
    assert_eq!(
        wrong("flows.c.count=1"),
        "--set:1:1: `flows` has no element `c` [flows.c.count] (did you mean `a`? valid: `a`, `b`; \
         or an index below 2)"
    );
    assert_eq!(
        wrong("flows.a.count=many"),
        "--set:1:15: expected a whole number from 0 to 9223372036854775807, found string \"many\" \
         [many] (write a whole number from 0 to 9223372036854775807)"
    );
    assert_eq!(
        wrong("dumbbell.rate=0Mbit"),
        "--set:1:15: a rate of zero sends nothing [0Mbit] \
         (for an outage of a link write down = { at = \"5s\", for = \"200ms\" })"
    );
    assert_eq!(
        wrong("profile"),
        "--set:1:1: an override without `=` [profile] (write `--set path=value`, as in `--set \
         flows.S1.count=3`)"
    );
    assert_eq!(
        wrong("profile.x=1"),
        "--set:1:1: `profile` is a single value [profile.x] (nothing called `x` can be set inside it)"
    );
    // tables that overrides made
    assert_eq!(
        wrong("tcp.slow_start.max_ssthresh=100"),
        "--set:1:29: `name` is missing here [100] (add `name = ...`)"
    );
    assert_eq!(
        wrong("flows.b.start.uniform=[\"5s\", \"1s\"]"),
        "--set:1:23: the range from 5s to 1s runs backwards [[\"5s\", \"1s\"]] (give the earlier \
         time first)"
    );
    let unknown = wrong("x.y=3");
    assert!(unknown.starts_with("--set:1:1: unknown key `x` [x.y]"), "{unknown}");
    assert_eq!(
        wrong("flows.a=5"),
        "--set:1:9: `flows.0` is a table [5] (write path={ key = value, ... })"
    );
    // each alone would be wrong, both together are right
    parse(SMALL, &["trace.links=all", "trace.interval=1s"]).unwrap();
    // a mistake in the file is reported in the file
    let broken = SMALL.replace("\"20ms\"", "20");
    let error = parse(&broken, &["flows.a.count=3"]).unwrap_err();
    assert_eq!(error.place(), Some("s.toml:6:9"));
}

#[test]
fn a_star_stands_for_every_element() {
    let plan = planned(SMALL, &["flows.*.count=3", "flows.*.cc=hstcp"]);
    assert!(plan.flows.iter().all(|flow| flow.cc.name() == "hstcp"));
    assert_eq!(plan.flows.len(), 3 * plan.groups.len());
    // the error names the element that it made
    let error = Scenario::parse("s.toml", SMALL, &["flows.*.count=x".into()]).unwrap_err();
    assert!(error.place().is_some_and(|place| place.starts_with("--set")), "{error:?}");
    assert_eq!(error.offending(), Some("x"), "{error:?}");
    // and where there is no list, `*` is not a key
    assert!(Scenario::parse("s.toml", SMALL, &["duration.*=1s".into()]).is_err());
}
