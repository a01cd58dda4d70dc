//! What a row needs on the two hosts, and the commands for it: they change settings, test the
//! path, run the transfer, and restore the settings. Their text is `commands/commands.sh`.

use tusker_core::Kind as _;
use tusker_core::congestion::linux::{self, Counts, Module};
use tusker_core::params::Need;
use tusker_measure::table::{Unit, size};

use super::Way;
use super::path::{Named, On};
use crate::answer::{Command, Host, PlanRate, Settings, Step, kernel_buffer};

/// Where a law is available in Linux.
enum Where {
    /// In the kernel or one of its modules, by this name.
    Linux(&'static str),
    /// `tusker kernel load` with this name loads ours.
    Ours(&'static str),
    /// In a kernel that has to be built.
    Patched(&'static str, &'static str),
    /// Nowhere.
    Nowhere,
}

fn place(law: &Named) -> Where {
    let linux = law.kind.sheet().linux;
    match (linux.module, linux.load) {
        // a module has its own parameters; ours have those that were simulated
        (Some(_), Some(ours)) if !other_than_linux(law).is_empty() => Where::Ours(ours),
        (Some(Module { patched: Some(why), name, .. }), _) => Where::Patched(name, why),
        (Some(Module { name, .. }), _) => Where::Linux(name),
        (None, Some(ours)) => Where::Ours(ours),
        (None, None) => Where::Nowhere,
    }
}

/// The parameters that the user gave, where Linux's module has other values.
fn other_than_linux(law: &Named) -> Vec<&(String, f64)> {
    let sheet = law.kind.sheet();
    let other = |(name, value): &&(String, f64)| {
        let param = sheet.params.iter().find(|param| param.name == name);
        param.is_none_or(|param| linux::default(sheet.name, param) != *value)
    };
    law.cc.params.iter().filter(other).collect()
}

/// All parameters that were simulated with other values than the law's defaults: the profile
/// `linux` has those of Linux's module.
fn simulated(law: &Named) -> Vec<(&str, f64)> {
    let module = linux::module(law.kind.sheet().name).map_or(&[][..], |module| module.params);
    let given = |name: &str| law.cc.params.iter().any(|(own, _)| own == name);
    let kept = module.iter().copied().filter(|(name, _)| !given(name));
    kept.chain(law.cc.params.iter().map(|(name, value)| (name.as_str(), *value))).collect()
}

/// How the sender gets a law: the commands that load and unload it, its name in the kernel, and
/// what was simulated that it does not get there.
fn where_to_find(way: &Way) -> Settings {
    let module = linux::module(way.law.kind.sheet().name);
    let params = other_than_linux(&way.law).into_iter();
    let mut differs: Vec<String> = params.map(|(key, value)| format!("{key}={value}")).collect();
    if module.is_some_and(|module| module.nearer.is_some()) {
        differs.push("standard slow start".to_owned());
    }
    let differs = (!differs.is_empty()).then(|| differs.join(", "));
    // ours count segments
    let counts = module.map_or(Counts::Segments, |module| module.counts);
    let counted = matches!(counts, Counts::Acks | Counts::AcksInAvoidance)
        .then(|| "ACKs counted in congestion avoidance".to_owned());
    match place(&way.law) {
        Where::Linux(name @ ("reno" | "cubic")) => {
            Settings { congestion_control: Some(name.to_owned()), differs, ..Settings::default() }
        }
        Where::Linux(name) => Settings {
            congestion_control: Some(name.to_owned()),
            load: Some(format!("modprobe tcp_{name}")),
            unload: Some(format!("modprobe -r tcp_{name}")),
            differs,
            ..Settings::default()
        },
        Where::Ours(kernel) => {
            let params = simulated(&way.law).into_iter();
            let option =
                |(key, value): (&str, f64)| format!(" --{} {value}", key.replace('_', "-"));
            let params: String = params.map(option).collect();
            let name = kernel.split(' ').next().unwrap_or(kernel);
            Settings {
                congestion_control: Some(name.to_owned()),
                load: Some(format!("tusker kernel load {kernel}{params} --persist")),
                unload: Some(format!("tusker kernel unload {name}")),
                differs: counted,
                ..Settings::default()
            }
        }
        Where::Patched(name, why) => Settings {
            congestion_control: Some(name.to_owned()),
            needs: Some(why.to_owned()),
            differs,
            ..Settings::default()
        },
        Where::Nowhere => Settings {
            needs: Some("a congestion control that no Linux kernel has".to_owned()),
            ..Settings::default()
        },
    }
}

/// The commands with names to fill in.
const TEMPLATE: &str = include_str!("commands/commands.sh");

/// Memory of all connections below which nobody needs to be told of it, bytes.
const LITTLE: u64 = 100_000_000;

/// Bytes of kernel memory that all connections of a way hold at most: together they have
/// in flight what path and buffer hold, the socket buffers allow twice that, so that there
/// is always something to send, and the kernel's bookkeeping doubles it.
fn memory(way: &Way, on: &On) -> u64 {
    let path = (4.0 * (on.bdp() + on.buffer_bytes())).ceil() as u64;
    path.min(buffer(way).saturating_mul(u64::from(way.streams)))
}

/// The maximum of a socket buffer in the kernel.
fn buffer(way: &Way) -> u64 {
    kernel_buffer(way.socket.get(), way.enough)
}

/// What has to be set on the hosts.
pub(super) fn settings(way: &Way, on: &On) -> Settings {
    let paces_itself = way.law.kind.sheet().needs.contains(&Need::Pacing);
    // what one connection lacks another may send
    let most = match way.streams {
        1 => on.rate.bits_per_sec(),
        many => on.rate.bits_per_sec() / u64::from(many) * 2,
    };
    Settings {
        buffer_bytes: buffer(way),
        fq: paces_itself || on.has_short_buffer(),
        // in front of a short buffer, at the rate that the kernel computes
        maxrate_bps: (on.has_short_buffer() && !paces_itself).then_some(most),
        ..where_to_find(way)
    }
}

/// The commands for it, which can be pasted as they are, and more than once, after the first
/// line of each host is filled in. The test of the path should show `goodput`.
pub(super) fn commands(
    way: &Way,
    on: &On,
    settings: &Settings,
    goodput: Option<PlanRate>,
) -> Vec<Command> {
    let memory = memory(way, on);
    let cc = settings.congestion_control.as_deref();
    let pages = memory.div_ceil(4_096);
    let holds = [
        ("memory", memory >= LITTLE),
        ("load", settings.load.is_some() || settings.needs.is_some()),
        ("same", cc.is_some() && settings.differs.is_none()),
        ("differs", cc.is_some() && settings.differs.is_some()),
        ("fq", settings.fq && settings.maxrate_bps.is_none()),
        ("maxrate", settings.maxrate_bps.is_some()),
        ("one", way.streams == 1),
        ("many", way.streams > 1),
        ("device", settings.fq),
        ("unload", settings.unload.is_some()),
    ];
    let mut test = cc.map_or(String::new(), |name| format!(" -C {name}"));
    if !way.enough {
        test += &format!(" -w {}", way.socket.get());
    }
    let payload = if way.enough { settings.buffer_bytes / 2 } else { way.socket.get() };
    let load = settings.load.clone();
    let needs = settings.needs.as_ref().map(|what| format!("# needs {what}"));
    let goodput = goodput.map(|rate| Unit::Rate.text(rate.mean_bps));
    let values = [
        ("PAYLOAD", size(payload)),
        ("BUFFER", settings.buffer_bytes.to_string()),
        ("MEMORY", size(memory)),
        ("LOW", (pages / 2).to_string()),
        ("MIDDLE", (pages / 4 * 3).to_string()),
        ("PAGES", pages.to_string()),
        ("LOAD", load.or(needs).unwrap_or_default()),
        ("UNLOAD", settings.unload.clone().unwrap_or_default()),
        ("CC", cc.unwrap_or_default().to_owned()),
        ("DIFFERS", settings.differs.clone().unwrap_or_default()),
        ("MAXRATE", settings.maxrate_bps.unwrap_or_default().to_string()),
        ("GOODPUT", goodput.unwrap_or_else(|| "the goodput of the plan".to_owned())),
        ("ROUTER", size(on.buffer_bytes() as u64)),
        ("STREAMS", way.streams.to_string()),
        ("TEST", test),
    ];
    filled(&holds, &values)
}

/// The parts of the template whose conditions hold, with these values.
fn filled(holds: &[(&str, bool)], values: &[(&str, String)]) -> Vec<Command> {
    let fill = |text: String| {
        let put = |text: String, (name, value): &(&str, String)| {
            text.replace(&format!("@{name}@"), value)
        };
        values.iter().fold(text, put)
    };
    let mut commands = Vec::new();
    for part in TEMPLATE.split("\n## ").skip(1) {
        let (head, body) = part.split_once('\n').expect("a part has a head");
        let mut words = head.split(' ');
        let on_host = words.next().and_then(Host::read).expect("a part names a host");
        let step = words.next().and_then(Step::read).expect("a part names a step");
        let holds = |word: &str| {
            let own = holds.iter().find(|(name, _)| *name == word);
            own.unwrap_or_else(|| panic!("unknown condition {word}")).1
        };
        if !words.skip(1).all(holds) {
            continue;
        }
        for paragraph in body.trim().split("\n\n") {
            let (why, line): (Vec<&str>, Vec<&str>) =
                paragraph.lines().partition(|line| line.starts_with("# "));
            let why: Vec<&str> = why.iter().map(|line| &line[2..]).collect();
            commands.push(Command {
                on: on_host,
                step,
                why: fill(why.join(" ")),
                line: fill(line.join("\n")),
            });
        }
    }
    commands
}

#[cfg(test)]
mod tests;
