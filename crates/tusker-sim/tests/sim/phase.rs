//! Phase effects: round numbers must not decide who wins if hosts have realistic delays.
//!
//! Two flows `a` and two flows `b` fill 2.5 Gbit/s, at which a packet takes 4.8 us. The time
//! from a departure at the bottleneck to the arrival of the packet that its ACK releases is one
//! round trip: 2 x 0.5 ms, two transmissions of a packet at 10 Gbit/s (1.2 us), one of an ACK
//! of 52 B at 2.5 Gbit/s (0.1664 us) and two at 10 Gbit/s (0.0416 us), and four times the
//! access delay. For `a` this is 2,005.6016 us, so its packet arrives 4.0016 us after another
//! departure; for `b` it is 2,003.2016 us, so 1.6016 us after one. So again and again `b` is
//! the first to take the room that a departure leaves. With 0.501 ms instead of 0.5 ms, the
//! packets arrive 1.2016 us (`a`) and 3.6016 us (`b`) after a departure, and `a` is the first.

use crate::support;
use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;

const SEEDS: u64 = 10;

/// The results for one delay, over the seeds.
#[derive(Debug)]
struct Told {
    /// Share of the flows `a`, and half of its 95 % interval.
    share: (f64, f64),
    /// Share of the drops at the bottleneck that came in step.
    in_step: f64,
}

fn plan(host_time: &str, delay: &str) -> Plan {
    let group = |name: &str, access: &str| {
        format!(
            "[[flows]]\nname = '{name}'\ncount = 2\ncc = 'reno'\n\
             access = {{ rate = '10Gbit', delay = '{access}' }}\n\
             start = {{ uniform = ['0s', '100ms'] }}\n"
        )
    };
    let text = format!(
        "profile = 'linux'\nduration = '2500ms'\nmeasure = {{ from = '1s' }}\n{host_time}\n\
         [tcp]\nsegmentation = false\ndelayed_ack = false\n\
         [dumbbell]\nrate = '2.5Gbit'\ndelay = '{delay}'\nqueue = '100pkt'\n{}{}",
        group("a", "250738ns"),
        group("b", "250138ns"),
    );
    Scenario::parse("phase.toml", &text, &[]).and_then(|s| s.plan()).expect("a plan")
}

fn told(host_time: &str, delay: &str) -> Told {
    let plan = plan(host_time, delay);
    let (mut shares, mut dropped, mut in_step) = (Vec::new(), 0, 0);
    for seed in 1..=SEEDS {
        let run = support::run(&plan, seed);
        let arrived: Vec<f64> = run.flows.iter().map(|flow| flow.arrived as f64).collect();
        shares.push((arrived[0] + arrived[1]) / arrived.iter().sum::<f64>());
        let link = plan.links.iter().position(|link| link.name == "R1->R2").expect("a dumbbell");
        dropped += run.links[link].overflowed;
        in_step += run.links[link].in_step;
    }
    let n = SEEDS as f64;
    let mean = shares.iter().sum::<f64>() / n;
    let squares: f64 = shares.iter().map(|share| (share - mean) * (share - mean)).sum();
    // Student's t for nine degrees of freedom
    let half = 2.262 * (squares / (n - 1.0) / n).sqrt();
    let told = Told { share: (mean, half), in_step: in_step as f64 / dropped as f64 };
    println!("{delay}, {host_time:?}: {told:?}, {dropped} drops");
    told
}

/// How far two shares are apart, and how far chance alone may separate them.
fn apart(one: &Told, other: &Told) -> (f64, f64) {
    let ((x, dx), (y, dy)) = (one.share, other.share);
    ((x - y).abs(), (dx * dx + dy * dy).sqrt())
}

/// Pairs a microsecond apart, at different points of the beat: in the profile `linux` their
/// shares differ by less than a tenth, chance included, where hosts that act at once are more
/// than two tenths apart. What is left is beyond chance (0.05).
#[test]
fn a_microsecond_more_of_delay_decides_little() {
    for pair in [["500us", "501us"], ["502us", "503us"]] {
        let [one, other] = pair.map(|delay| told("", delay));
        let (apart, chance) = apart(&one, &other);
        assert!(apart + chance < 0.1, "{pair:?}: {apart} apart, {chance} by chance");
        for told in [one, other] {
            assert!(told.in_step < 0.1, "{pair:?}: {told:?}");
        }
    }
}

/// If hosts act at once, the same pair differs by far more, and the count shows it.
#[test]
fn where_hosts_act_at_once_a_microsecond_decides_and_is_counted() {
    let [one, other] = ["500us", "501us"].map(|delay| told("host_time = '0s'", delay));
    let (apart, chance) = apart(&one, &other);
    assert!(apart > 0.2 && apart > 2.0 * chance, "{apart} apart, {chance} by chance");
    assert!(one.in_step > 0.25 && other.in_step > 0.25, "{one:?} {other:?}");
}
