//! Endpoints: congestion control, recovery, settings.

use tusker_core::congestion;
use tusker_core::params::{Need, Sheet};

use super::wires::{param, written};
use super::{Choices, Keys, ms, text};

/// Any congestion control.
pub fn law(choices: &mut Choices) -> &'static Sheet {
    &congestion::ALL[usize::from(choices.below(congestion::ALL.len() as u16))]
}

/// A congestion control that cannot do without this setting.
pub fn needs(cc: &str, key: &str) -> bool {
    let need = match key {
        "pacing" => Need::Pacing,
        "timestamps" => Need::Timestamps,
        "ecn" => Need::AccurateEcn,
        "l4s" => Need::L4s,
        "no ecn" => Need::NotEct,
        "one segment" => Need::RouterFeedback,
        _ => return false,
    };
    congestion::ALL.iter().any(|sheet| sheet.name == cc && sheet.needs.contains(&need))
}

const RECOVERY: [&str; 4] = ["reno", "newreno", "sack", "rack"];

/// Writes the settings of a group's connections.
pub fn connections(choices: &mut Choices, keys: &mut Keys) {
    let sheet = law(choices);
    let mut cc = Keys::default();
    cc.say("name", text(sheet.name));
    if let Some((param, value)) = param(choices, sheet) {
        cc.say(param.name, written(param, value));
        keys.say("cc", cc.inline());
    } else {
        keys.say("cc", if choices.flag() { cc.inline() } else { text(sheet.name) });
    }
    let recovery = choices.flag().then(|| choices.one(&RECOVERY));
    if let Some(recovery) = recovery {
        keys.say("recovery", text(recovery));
    }
    if matches!(recovery, Some("sack" | "rack")) {
        keys.maybe(choices, "tcp.prr", Choices::flag);
    }
    let own = |need: &str| needs(sheet.name, need);
    for key in ["timestamps", "pacing"] {
        keys.maybe(choices, &format!("tcp.{key}"), |choices| choices.flag() || own(key));
    }
    // it needs an echo that counts marks, or does not answer marks
    keys.maybe(choices, "tcp.ecn", |choices| {
        match choices.one(&["false", "true", "\"accurate\"", "\"l4s\""]) {
            _ if own("ecn") => "\"accurate\"",
            _ if own("l4s") => "\"l4s\"",
            _ if own("no ecn") => "false",
            any => any,
        }
    });
    let several = choices.flag() && !own("one segment");
    if several {
        keys.say("tcp.segments_per_packet", choices.range(1, 4));
    }
    settings(choices, keys, "tcp.", several);
}

/// `[tcp]`: only settings that no group has to override.
pub fn of_all(choices: &mut Choices) -> Keys {
    let mut keys = Keys::default();
    keys.maybe(choices, "recovery", |choices| text(choices.one(&RECOVERY)));
    keys.maybe(choices, "prr", |_| false);
    keys.maybe(choices, "timestamps", |_| true);
    keys.maybe(choices, "pacing", |_| true);
    keys.maybe(choices, "ecn", |_| text("accurate"));
    settings(choices, &mut keys, "", false);
    keys
}

/// Settings that work with any congestion control and recovery. A packet may have `several`
/// segments, whose headers would by default be larger than a packet that is given.
fn settings(choices: &mut Choices, keys: &mut Keys, at: &str, several: bool) {
    let at = |key: &str| format!("{at}{key}");
    for key in [
        "limited_transmit",
        "impatient",
        "ns2_details",
        "linux_details",
        "segmentation",
        "forget_sack_on_timeout",
        "sack_bytes",
        "undo",
        "frto",
    ] {
        keys.maybe(choices, &at(key), Choices::flag);
    }
    keys.maybe(choices, &at("after_idle"), |choices| {
        text(choices.one(&["keep", "restart", "halve"]))
    });
    keys.maybe(choices, &at("slow_start"), slow_start);
    keys.maybe(choices, &at("dscp"), |choices| match choices.below(2) {
        0 => text(choices.one(&["af11", "af12", "AF43", "cs1", "ef"])),
        _ => choices.below(64).to_string(),
    });
    keys.maybe(choices, &at("delayed_ack"), |choices| {
        choices.one(&["false", "\"40ms\"", "\"1ms\"", "\"200ms\""])
    });
    keys.maybe(choices, &at("gro"), |choices| {
        choices.one(&[
            "false",
            "true",
            "{ segments = 2, wait = \"1us\" }",
            "{ segments = 8, wait = \"2ms\" }",
        ])
    });
    keys.maybe(choices, &at("initial_window"), |choices| choices.range(1, 20));
    keys.maybe(choices, &at("counting"), |choices| {
        text(choices.one(&["acks", "segments", "segments:2", "segments-then-acks"]))
    });
    keys.maybe(choices, &at("initial_ssthresh"), |choices| match choices.below(4) {
        0 => text("unlimited"),
        _ => choices.range(2, 100).to_string(),
    });
    for key in ["scoreboard", "max_burst"] {
        keys.maybe(choices, &at(key), |choices| match choices.below(4) {
            0 => text("unlimited"),
            _ => choices.range(2, 100).to_string(),
        });
    }
    for key in ["receive_buffer", "send_buffer"] {
        keys.maybe(choices, &at(key), |choices| match choices.below(4) {
            0 => text("unlimited"),
            _ => format!("\"{}B\"", choices.range(9_000, 65_000)),
        });
    }
    keys.maybe(choices, &at("rmem"), |choices| match choices.below(3) {
        0 => text("unlimited"),
        _ => format!("\"{}KiB\"", choices.range(128, 600)),
    });
    // a header is smaller than a packet, wherever they are set; buffers and queues hold one packet
    for (key, low, high) in [("packet", 60, 9_000), ("header", 20, 59), ("ack", 1, 200)] {
        let size = |choices: &mut Choices| format!("\"{}B\"", choices.range(low, high));
        if several && key != "packet" {
            keys.say(&at(key), size(choices));
        } else {
            keys.maybe(choices, &at(key), size);
        }
    }
    keys.maybe(choices, &at("rto"), |choices| {
        let mut rto = Keys::default();
        let times = [
            ("initial", 1, 3_000),
            ("min", 0, 1_000),
            ("max", 3_000, 60_000),
            ("granularity", 0, 100),
        ];
        for (key, low, high) in times {
            rto.maybe(choices, key, |choices| ms(choices.range(low, high)));
        }
        rto.inline()
    });
}

fn slow_start(choices: &mut Choices) -> String {
    let name = choices.one(&["standard", "limited", "hystart++"]);
    if !choices.flag() {
        return text(name);
    }
    let mut slow_start = Keys::default();
    slow_start.say("name", text(name));
    if name == "limited" {
        slow_start.maybe(choices, "max_ssthresh", |choices| choices.range(2, 100));
    }
    slow_start.inline()
}
