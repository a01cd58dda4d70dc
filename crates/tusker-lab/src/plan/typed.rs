//! The commands to type for a row: settings of the two hosts, a test of the path, and the
//! transfer.

use tusker_core::congestion::Kind;
use tusker_record::plan::{Typed, size};

use super::Way;
use super::path::Named;

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
    // a module has its own parameters; ours have those that were simulated
    let own = !law.cc.params.is_empty();
    match law.kind {
        Kind::Reno => Where::Linux("reno"),
        Kind::Cubic => Where::Linux("cubic"),
        Kind::Bbr1 => Where::Linux("bbr"),
        Kind::Hstcp if own => Where::Ours("hstcp"),
        Kind::Hstcp => Where::Linux("highspeed"),
        Kind::Htcp if own => Where::Ours("htcp"),
        Kind::Htcp => Where::Linux("htcp"),
        Kind::Scalable if own => Where::Ours("scalable"),
        Kind::Scalable => Where::Linux("scalable"),
        Kind::Illinois if own => Where::Ours("illinois"),
        Kind::Illinois => Where::Linux("illinois"),
        Kind::Westwood if own => Where::Ours("westwood"),
        Kind::Westwood => Where::Linux("westwood"),
        Kind::Bic => Where::Linux("bic"),
        Kind::Vegas => Where::Linux("vegas"),
        Kind::Lp => Where::Linux("lp"),
        Kind::Dctcp => Where::Linux("dctcp"),
        Kind::Ghstcp => Where::Ours("ghstcp"),
        Kind::GhstcpRefined => Where::Ours("ghstcp --refined"),
        Kind::Hcc => Where::Ours("hcc"),
        Kind::Fast => Where::Ours("fast"),
        Kind::Bbr3 => {
            Where::Patched("bbr", "a kernel with BBRv3: github.com/google/bbr, branch v3")
        }
        Kind::Prague => {
            Where::Patched("prague", "a kernel with TCP Prague: github.com/L4STeam/linux")
        }
        _ => Where::Nowhere,
    }
}

/// The largest buffer that can be set in the kernel, which uses 32 bits.
const MOST: u64 = 2_147_483_647;

/// The maximum of `tcp_rmem` and `tcp_wmem` for this much payload: Linux includes its own
/// bookkeeping, and uses about half of a buffer for payload (`tcp_adv_win_scale` of 1 in
/// ip-sysctl.rst, SO_SNDBUF in socket(7)).
pub(super) fn kernel_buffer(payload: u64) -> u64 {
    const MIB: u64 = 1 << 20;
    (payload.saturating_mul(2).div_ceil(MIB) * MIB).min(MOST)
}

/// The commands for it: first the receiver's, then the sender's.
pub(super) fn commands(way: &Way) -> Vec<Typed> {
    let mut all = Vec::new();
    let mut add = |on: &str, why: &str, line: String| {
        all.push(Typed { on: on.to_owned(), why: why.to_owned(), line });
    };
    let most = kernel_buffer(way.socket.get());
    let memory = format!(
        "socket buffers, twice the payload for the kernel's bookkeeping: up to {}",
        size(most.saturating_mul(u64::from(way.streams)))
    );
    let streams = way.streams;
    let keep = "save the settings; `sysctl -p before.conf` restores them";
    let save = |end: &str| format!("sysctl net.core.{end}_max net.ipv4.tcp_{end} > before.conf");
    add("receiver", keep, save("rmem"));
    add("receiver", &memory, format!("sysctl -w net.core.rmem_max={most}"));
    add("receiver", &memory, format!("sysctl -w net.ipv4.tcp_rmem='4096 131072 {most}'"));
    add("receiver", "a server to test the path", "iperf3 -s".to_owned());
    let daemon = "an rsync daemon with a MODULE to write to: ssh would limit the window";
    add("receiver", daemon, "rsync --daemon".to_owned());
    add("sender", keep, save("wmem"));
    add("sender", keep, "sysctl net.ipv4.tcp_congestion_control >> before.conf".to_owned());
    add("sender", &memory, format!("sysctl -w net.core.wmem_max={most}"));
    add("sender", &memory, format!("sysctl -w net.ipv4.tcp_wmem='4096 16384 {most}'"));
    let cc = "the congestion control, for all new connections of this host";
    let name = match place(&way.law) {
        Where::Linux(name) => {
            if !matches!(name, "reno" | "cubic") {
                add("sender", cc, format!("modprobe tcp_{name}"));
            }
            Some(name)
        }
        Where::Ours(name) => {
            let params = way.law.cc.params.iter();
            let params: String = params.map(|(key, value)| format!(" --{key} {value}")).collect();
            add("sender", cc, format!("tusker kernel load {name}{params} --persist"));
            name.split(' ').next()
        }
        Where::Patched(name, why) => {
            add("sender", cc, format!("# needs {why}"));
            Some(name)
        }
        Where::Nowhere => {
            add("sender", cc, "# not available in any Linux kernel".to_owned());
            None
        }
    };
    if let Some(name) = name {
        add("sender", cc, format!("sysctl -w net.ipv4.tcp_congestion_control={name}"));
    }
    let cc = name.map_or(String::new(), |name| format!(" -C {name}"));
    let window = match way.enough {
        true => String::new(),
        false => format!(" -w {}", way.socket.get()),
    };
    let line = format!("iperf3 -c RECEIVER -P {streams}{cc}{window} -O 30 -t 120");
    add("sender", "a test of the path; it loads the path as the transfer will", line);
    let rsync = "rsync -aWR --inplace";
    let (why, line) = match streams {
        1 => ("the transfer", format!("{rsync} . rsync://RECEIVER/MODULE/")),
        _ => (
            "the transfer, one rsync per stream; split files that are much larger than the others",
            format!(
                "find . -type f -print0 | xargs -0 -n 64 -P {streams} sh -c '{rsync} \"$@\" \
                 rsync://RECEIVER/MODULE/' sh"
            ),
        ),
    };
    add("sender", why, line);
    all
}
