//! Properties of links: rates, delays, queues, losses, jitter.

use tusker_core::params::{Need, Param, Sheet};
use tusker_core::queue::{self, Class, Spec};

use super::{Choices, Keys, text};

pub fn rate(choices: &mut Choices) -> String {
    // odd numbers as well as round ones that make everything happen at once
    if choices.flag() {
        format!("\"{}.{:03}Mbit\"", choices.range(1, 60), choices.below(1_000))
    } else {
        text(choices.one(&["10Mbit", "1Mbit", "50Mbit", "1Gbit"]))
    }
}

/// Steps of a quantity, once or over and over.
fn steps(choices: &mut Choices, key: &str, value: impl Fn(&mut Choices) -> String) -> Keys {
    let mut steps = Vec::new();
    let mut at = 0;
    for _ in 0..choices.range(2, 5) {
        let mut step = Keys::default();
        step.say("at", format!("\"{at}ms\""));
        step.say(key, value(choices));
        steps.push(step.inline());
        at += u32::from(choices.range(1, 500));
    }
    let mut all = Keys::default();
    all.say("steps", format!("[{}]", steps.join(", ")));
    all.maybe(choices, "every", |choices| format!("\"{}ms\"", at + u32::from(choices.below(500))));
    all
}

/// A rate that changes, possibly by orders of magnitude, or that is zero at the end of a
/// period.
fn rates(choices: &mut Choices) -> String {
    if choices.below(4) == 3 {
        let (at, every) = (choices.range(1, 400), choices.range(401, 500));
        let steps = format!("{{ at = \"0s\", rate = {} }}", rate(choices));
        let zero = format!("{{ at = \"{at}ms\", rate = \"0bit\" }}");
        return format!("{{ every = \"{every}ms\", steps = [{steps}, {zero}] }}");
    }
    let steps = steps(choices, "rate", |choices| {
        let slow = choices.below(3) == 2;
        let kbit = choices.range(64, 900);
        if slow { format!("\"{kbit}kbit\"") } else { rate(choices) }
    });
    steps.inline()
}

/// When a link is down, for a short time.
fn down(choices: &mut Choices) -> String {
    let mut down = Keys::default();
    let (at, lasts) = (choices.below(400), choices.range(1, 100));
    let mut outage = Keys::default();
    outage.say("at", format!("\"{at}ms\""));
    outage.say("for", format!("\"{lasts}ms\""));
    if choices.flag() {
        down.say("times", format!("[{}]", outage.inline()));
    } else {
        down = outage;
    }
    let least = at + lasts;
    down.maybe(choices, "every", |choices| format!("\"{}ms\"", least + 1 + choices.below(300)));
    down.maybe(choices, "waiting", |choices| text(choices.one(&["keep", "drop"])));
    down.inline()
}

/// A trace of opportunities to send, at most five in a millisecond.
fn opportunities(choices: &mut Choices) -> String {
    let mut ms = Vec::new();
    for _ in 0..choices.range(1, 30) {
        ms.push(format!("{}x{}", choices.below(6), choices.range(1, 9)));
    }
    format!("{{ trace = \"random\", opportunities = \"{} 0 1\" }}", ms.join(" "))
}

pub fn delay(choices: &mut Choices) -> String {
    if choices.flag() {
        format!("\"{}ns\"", u32::from(choices.below(60_000)) * 337)
    } else {
        text(choices.one(&["5ms", "1ms", "20ms", "0s"]))
    }
}

/// A delay above zero, which a trace needs.
fn some_delay(choices: &mut Choices) -> String {
    format!("\"{}ns\"", u32::from(choices.range(1, 60_000)) * 337)
}

/// A rate, and outages if it has none itself.
fn say_rate(choices: &mut Choices, keys: &mut Keys, rate: String) {
    if rate.contains("trace") || rate.contains("\"0bit") {
        keys.say("down", "[]");
    } else if choices.below(4) == 3 {
        keys.say("down", down(choices));
    }
    keys.say("rate", rate);
}

/// A delay, sometimes a changing one.
fn delays(choices: &mut Choices) -> String {
    if choices.below(4) != 3 {
        return delay(choices);
    }
    let mut delays = steps(choices, "delay", delay);
    delays.maybe(choices, "reorder", Choices::flag);
    delays.inline()
}

/// A rate, often a changing one, and a delay.
fn pace(choices: &mut Choices, keys: &mut Keys) {
    let (rate, delay) = match choices.below(5) {
        3 => (rates(choices), delay(choices)),
        4 => (opportunities(choices), some_delay(choices)),
        _ => (rate(choices), delays(choices)),
    };
    say_rate(choices, keys, rate);
    keys.say("delay", delay);
}

/// A limit; in BDPs only if a flow is known to pass.
fn limit(choices: &mut Choices, passed: bool) -> String {
    match choices.below(5) {
        1 => format!("\"{}pkt\"", choices.range(1, 150)),
        2 => format!("\"{}B\"", choices.range(9_000, 60_000)),
        3 => text("unlimited"),
        4 if passed => format!("\"{}.{}bdp\"", choices.below(3), choices.range(1, 9)),
        _ => text("200pkt"),
    }
}

/// A queue; with a limit in BDPs only if a flow is known to pass.
pub fn queue(choices: &mut Choices, passed: bool) -> String {
    let limit = limit(choices, passed);
    if choices.below(4) == 0 {
        return limit;
    }
    let sheet = &queue::ALL[usize::from(choices.below(queue::ALL.len() as u16))];
    let mut queue = Keys::default();
    queue.say("policy", text(sheet.name));
    queue.say("limit", limit);
    let marks = sheet.needs.contains(&Need::TwoQueues);
    queue.maybe(choices, "ecn", |choices| choices.flag() || marks);
    queue.maybe(choices, "mean_packet", |choices| format!("\"{}B\"", choices.range(40, 3_000)));
    match param(choices, sheet) {
        Some((param, value)) if Spec::named(sheet.name, [(param.name, value)]).is_ok() => {
            queue.say(param.name, written(param, value));
        }
        _ => {}
    }
    if Spec::named(sheet.name, []).is_ok_and(|spec| Class::of(&spec, 0).is_some()) {
        queue.maybe(choices, "classes", |choices| {
            let first = choices.below(64);
            let second = if first < 32 { "\"cs4..63\"" } else { "[0, \"af11\", \"8..9\"]" };
            let mut class = Keys::default();
            class.say("dscp", first);
            class.maybe(choices, "min_th", |choices| choices.range(1, 15));
            class.maybe(choices, "max_th", |choices| choices.range(40, 50));
            class.maybe(choices, "max_p", |choices| format!("0.{:02}", choices.below(100)));
            if first < 32 || choices.flag() {
                format!("[{}, {{ dscp = {second}, min_th = 2, max_th = 0 }}]", class.inline())
            } else {
                format!("[{}]", class.inline())
            }
        });
    }
    queue.inline()
}

/// One parameter of an algorithm, and a value other than its default.
pub fn param(choices: &mut Choices, sheet: &Sheet) -> Option<(&'static Param, f64)> {
    if sheet.params.is_empty() || !choices.flag() {
        return None;
    }
    let param = &sheet.params[usize::from(choices.below(sheet.params.len() as u16))];
    let &Param { default, min, max, unit, .. } = param;
    let value = match (unit, choices.below(5)) {
        ("flag", n) => f64::from(n % 2),
        // none, and some that are below and above the rates of links here
        ("bit/s", n) => f64::from(n) * 2e6,
        (_, 0) => min,
        (_, 1) => default * 0.5,
        (_, 2) => default * 2.0,
        (_, 3) => default * 0.9,
        _ => default * 1.1,
    };
    // a whole number stays one
    let whole = default.fract() == 0.0 && min.fract() == 0.0;
    let value = if whole { value.round() } else { value }.clamp(min, max);
    Some((param, value))
}

/// A parameter's value as written in scenarios.
pub fn written(param: &Param, value: f64) -> String {
    if param.unit == "flag" { (value != 0.0).to_string() } else { value.to_string() }
}

fn loss(choices: &mut Choices) -> String {
    let mut loss = Keys::default();
    match choices.below(4) {
        2 => {
            loss.say("p", format!("0.{:04}", choices.range(1, 500)));
            loss.say("r", format!("0.{:04}", choices.range(500, 9_999)));
            loss.maybe(choices, "loss_good", |choices| format!("0.{:03}", choices.below(100)));
            loss.maybe(choices, "loss_bad", |choices| format!("0.{:03}", choices.below(1_000)));
        }
        3 => {
            loss.say("mean", format!("0.0{:02}", choices.below(50)));
            loss.say("burst", choices.range(1, 9));
        }
        some => return format!("0.{:04}", some * choices.below(800)),
    }
    loss.inline()
}

fn jitter(choices: &mut Choices) -> String {
    let us = u32::from(choices.range(1, 9_000));
    let time = |us: u32| format!("\"{us}us\"");
    let mut jitter = Keys::default();
    match choices.below(4) {
        0 => return time(us),
        1 => {
            jitter.say("distribution", text("uniform"));
            jitter.say("max", time(us));
        }
        2 => {
            jitter.say("distribution", text("normal"));
            jitter.say("mean", time(us));
            jitter.say("sd", time(us / 3));
            jitter.maybe(choices, "max", |_| time(us * 2));
        }
        _ => {
            jitter.say("distribution", text("exponential"));
            jitter.say("mean", time(us));
            jitter.maybe(choices, "max", |_| time(us * 2));
        }
    }
    jitter.maybe(choices, "reorder", Choices::flag);
    jitter.inline()
}

/// A jitter, sometimes a changing one.
fn jitters(choices: &mut Choices) -> String {
    match choices.below(4) {
        3 => steps(choices, "jitter", jitter).inline(),
        _ => jitter(choices),
    }
}

/// A loss, sometimes a changing one; the last is never 1.
fn losses(choices: &mut Choices) -> String {
    match choices.below(4) {
        3 => steps(choices, "loss", loss).inline(),
        _ => loss(choices),
    }
}

/// A link in full.
pub fn wire(choices: &mut Choices, passed: bool) -> Keys {
    let mut wire = Keys::default();
    pace(choices, &mut wire);
    wire.say("queue", queue(choices, passed));
    wire.maybe(choices, "jitter", jitters);
    wire.maybe(choices, "loss", losses);
    wire
}

/// The differences on one hop or on the way back. What is left out is taken from another
/// link: a delay alone may meet a trace, which has its own delay.
pub fn different(choices: &mut Choices, passed: bool) -> Keys {
    let mut wire = Keys::default();
    match choices.below(5) {
        0 => {}
        1 => wire.say("rate", rate(choices)),
        2 => {
            let rates = rates(choices);
            say_rate(choices, &mut wire, rates);
        }
        3 => wire.say("delay", some_delay(choices)),
        _ => pace(choices, &mut wire),
    }
    wire.maybe(choices, "queue", |choices| queue(choices, passed));
    wire.maybe(choices, "jitter", jitters);
    wire.maybe(choices, "loss", losses);
    wire
}

/// Access links; the rate is left out only if it is defined elsewhere.
pub fn access(choices: &mut Choices, said: bool) -> String {
    let mut access = Keys::default();
    if !said || choices.flag() {
        access.say("rate", rate(choices));
    }
    access.maybe(choices, "delay", |choices| {
        let last = delay(choices);
        if choices.flag() { format!("[\"0s\", {last}]") } else { last }
    });
    access.maybe(choices, "queue", |choices| queue(choices, true));
    access.inline()
}

/// The queue of a sending host.
pub fn host_queue(choices: &mut Choices) -> String {
    match choices.below(3) {
        0 => text(choices.one(&["unlimited", "backpressure"])),
        1 => format!("\"backpressure:{}pkt\"", choices.range(1, 20)),
        _ => limit(choices, true),
    }
}
