//! What only [`Choices::whole`] asks for: the rest of the scenario language.

use tusker_core::params::{Param, Sheet};
use tusker_core::queue::Spec;

use super::{Choices, write_line};

/// One parameter of an algorithm, and a value besides its default.
fn param(choices: &mut Choices, sheet: &Sheet) -> Option<(&'static str, f64)> {
    if !choices.whole || sheet.params.is_empty() || !choices.flag() {
        return None;
    }
    let number = choices.below(sheet.params.len() as u16);
    let &Param { name, default, min, max, unit, .. } = &sheet.params[usize::from(number)];
    let value = match (unit, choices.below(5)) {
        ("flag", n) => f64::from(n % 2),
        (_, 0) => min,
        (_, 1) => default * 0.5,
        (_, 2) => default * 2.0,
        (_, 3) => default * 0.9,
        _ => default * 1.1,
    };
    // a whole number stays one
    let whole = default.fract() == 0.0 && min.fract() == 0.0;
    let value = if whole { value.round() } else { value }.clamp(min, max);
    Some((name, value))
}

/// The same of a queue policy.
pub fn policy_param(choices: &mut Choices, sheet: &Sheet) -> String {
    match param(choices, sheet) {
        Some((name, value)) if Spec::named(sheet.name, [(name, value)]).is_ok() => {
            format!(", {name} = {value}")
        }
        _ => String::new(),
    }
}

/// A congestion control, perhaps with a parameter.
pub fn cc(choices: &mut Choices, sheet: &Sheet) -> String {
    match param(choices, sheet) {
        Some((name, value)) => format!("{{ name = \"{}\", {name} = {value} }}", sheet.name),
        None => format!("\"{}\"", sheet.name),
    }
}

/// A measuring window as short as a packet, or one that is said by its begin.
pub fn window(choices: &mut Choices, text: &mut String, duration: u16) -> bool {
    if !choices.whole {
        return false;
    }
    let from = choices.below(duration - 60);
    let us = u32::from(from) * 1_000;
    match choices.below(4) {
        1 => {
            let to = us + u32::from(choices.range(1, 50_000));
            write_line(text, format_args!("measure = {{ from = \"{us}us\", to = \"{to}us\" }}"));
        }
        2 => {
            let ns = u64::from(us) * 1_000;
            let to = ns + u64::from(choices.range(100, 60_000));
            write_line(text, format_args!("measure = {{ from = \"{ns}ns\", to = \"{to}ns\" }}"));
        }
        3 => write_line(text, format_args!("measure = {{ from = \"{from}ms\" }}")),
        _ => return false,
    }
    true
}

/// What groups of flows can say besides.
pub fn group(choices: &mut Choices, text: &mut String) {
    if choices.whole && choices.flag() {
        write_line(text, format_args!("parallel = {}", choices.range(1, 3)));
    }
}

/// What endpoints can say besides, in `[flows.tcp]`.
pub fn tcp(choices: &mut Choices, text: &mut String) {
    if !choices.whole {
        return;
    }
    if choices.flag() {
        write_line(text, format_args!("send_buffer = \"{}B\"", choices.range(1_500, 65_000)));
    }
    if choices.flag() {
        write_line(text, format_args!("ack = \"{}B\"", choices.range(40, 200)));
    }
    if choices.flag() {
        let (initial, min) = (choices.range(100, 3_000), choices.range(1, 1_000));
        let (max, tick) = (choices.range(3_000, 60_000), choices.range(1, 100));
        write_line(
            text,
            format_args!(
                "rto = {{ initial = \"{initial}ms\", min = \"{min}ms\", max = \"{max}ms\", \
                 granularity = \"{tick}ms\" }}"
            ),
        );
    }
}

/// A background source that is on for a share of the time, or steady.
pub fn share(choices: &mut Choices, text: &mut String) -> bool {
    if !choices.whole || !choices.flag() {
        return false;
    }
    let share = match choices.below(4) {
        0 => "0".to_owned(),
        1 => "1".to_owned(),
        _ => format!("0.{:02}", choices.range(1, 99)),
    };
    let period = choices.range(1, 400);
    write_line(text, format_args!("share = {share}\nperiod = \"{period}ms\""));
    true
}

/// Weights of any size.
pub fn weights(choices: &mut Choices) -> &'static str {
    if !choices.whole {
        return "[1, 3]";
    }
    choices.one(&["[1, 3]", "[0, 1]", "[1e308, 1e308]", "[5e-324, 1]", "[0.1, 0.7]"])
}

/// Extra delays of access links.
pub fn delays(choices: &mut Choices, delay: String) -> String {
    if choices.whole && choices.flag() { format!("[\"0s\", {delay}]") } else { delay }
}
