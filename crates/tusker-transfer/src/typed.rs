//! The commands to type for a row: they change settings of the two hosts, test the path, run
//! the transfer, and restore the settings.

use crate::answer::{LEAST_BUFFER, PlanRate, Typed, kernel_buffer, size};
use tusker_core::Kind as _;
use tusker_core::congestion::Kind;
use tusker_core::congestion::linux::{self, Counts, Module};
use tusker_core::params::Need;

use super::Way;
use super::path::{Named, On};

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
    let ours = match law.kind {
        Kind::Ghstcp => Some("ghstcp"),
        Kind::GhstcpRefined => Some("ghstcp --refined"),
        Kind::Hcc => Some("hcc"),
        Kind::Fast => Some("fast"),
        Kind::Hstcp => Some("hstcp"),
        Kind::Htcp => Some("htcp"),
        Kind::Scalable => Some("scalable"),
        Kind::Illinois => Some("illinois"),
        Kind::Westwood => Some("westwood"),
        _ => None,
    };
    match (linux::module(law.kind.sheet().name), ours) {
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

/// Memory of all connections below which nobody needs to be told of it, bytes.
const LITTLE: u64 = 100_000_000;

/// The maximum of a socket buffer in the kernel.
fn most(way: &Way) -> u64 {
    kernel_buffer(way.socket.get(), way.enough)
}

/// Where the settings of a host are kept until they are restored.
fn saved(on: &str) -> String {
    format!("/etc/tusker-{on}.conf")
}

/// Where the lists of files lie, one for each connection.
const LISTS: &str = "/var/lib/tusker-files.";

/// Where each rsync writes what it did.
const LOGS: &str = "/var/log/tusker-rsync.";

/// Where the settings, the password and the process of the rsync server are.
const RSYNCD: &str = "/etc/tusker-rsyncd.conf";
const SECRETS: &str = "/etc/tusker-rsync.secret";
const RSYNCD_PID: &str = "/run/tusker-rsyncd.pid";
const IPERF_PID: &str = "/run/tusker-iperf3.pid";

/// Where the name of the sender's network device is.
const DEVICE: &str = "/run/tusker-sender.device";

/// Bytes of kernel memory that all connections of a way hold at most: together they have
/// in flight what path and buffer hold, the socket buffers allow twice that, so that there
/// is always something to send, and the kernel's bookkeeping doubles it.
fn memory(way: &Way, on: &On) -> u64 {
    let each = most(way);
    let path = (4.0 * (on.bdp() + on.buffer_bytes())).ceil() as u64;
    path.min(each.saturating_mul(u64::from(way.streams)))
}

/// Collects commands; a reason that is said already is not repeated.
#[derive(Default)]
struct List {
    all: Vec<Typed>,
    last: String,
}

impl List {
    fn add(&mut self, on: &str, step: &str, why: &str, line: impl Into<String>) {
        let key = format!("{on}: {step}: {why}");
        let why = if key == self.last { "" } else { why };
        self.last = key;
        let (on, step, why) = (on.to_owned(), step.to_owned(), why.to_owned());
        self.all.push(Typed { on, step, why, line: line.into() });
    }
}

/// The commands for it: what prepares the receiver; what prepares the sender, tests the
/// path and does the transfer; what undoes it on both. They can be pasted as they are, and
/// more than once, after the first line of each host is filled in.
pub(super) fn commands(way: &Way, on: &On, expected: Expected) -> Vec<Typed> {
    let mut list = List::default();
    let cc = where_to_find(way);
    prepare_receiver(&mut list, way, on);
    prepare_sender(&mut list, way, on, &cc);
    test(&mut list, way, on, &cc, expected);
    transfer(&mut list, way);
    undo(&mut list, way, on, &cc);
    list.all
}

/// The goodput of the row, which the test of the path should come near to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub goodput: Option<PlanRate>,
    /// By simulation, not by a first estimate.
    pub simulated: bool,
}

/// How the sender gets a law: the commands that load it, those that unload it, and its
/// name in the kernel.
struct Found {
    load: Option<String>,
    unload: Option<String>,
    name: Option<&'static str>,
    /// The parameters that were simulated, where Linux's own law does not get them.
    other: Option<String>,
}

fn where_to_find(way: &Way) -> Found {
    let module = linux::module(way.law.kind.sheet().name);
    let params = other_than_linux(&way.law).into_iter();
    let mut other: Vec<String> = params.map(|(key, value)| format!("{key}={value}")).collect();
    if module.is_some_and(|module| module.nearer.is_some()) {
        other.push("standard slow start".to_owned());
    }
    let other = (!other.is_empty()).then(|| other.join(", "));
    // ours count segments
    let counts = module.map_or(Counts::Segments, |module| module.counts);
    let counted = matches!(counts, Counts::Acks | Counts::AcksInAvoidance)
        .then(|| "ACKs counted in congestion avoidance".to_owned());
    match place(&way.law) {
        Where::Linux(name @ ("reno" | "cubic")) => {
            Found { load: None, unload: None, name: Some(name), other }
        }
        Where::Linux(name) => Found {
            load: Some(format!("modprobe tcp_{name}")),
            unload: Some(format!("modprobe -r tcp_{name}")),
            name: Some(name),
            other,
        },
        Where::Ours(kernel) => {
            let params = simulated(&way.law).into_iter();
            let option =
                |(key, value): (&str, f64)| format!(" --{} {value}", key.replace('_', "-"));
            let params: String = params.map(option).collect();
            let name = kernel.split(' ').next().unwrap_or(kernel);
            Found {
                load: Some(format!("tusker kernel load {kernel}{params} --persist")),
                unload: Some(format!("tusker kernel unload {name}")),
                name: Some(name),
                other: counted,
            }
        }
        Where::Patched(name, why) => {
            Found { load: Some(format!("# needs {why}")), unload: None, name: Some(name), other }
        }
        Where::Nowhere => Found {
            load: Some("# not available in any Linux kernel".to_owned()),
            unload: None,
            name: None,
            other: None,
        },
    }
}

/// Saves and sets the socket buffers; `end` is `rmem` or `wmem`.
fn buffers(list: &mut List, host: &str, end: &str, more: &str, way: &Way, on: &On) {
    let file = saved(host);
    list.add(
        host,
        "prepare",
        "save the settings, the first time only. Those below hold for all new connections of this \
         host, until they are undone or the host is started again",
        format!(
            "test -e {file} || \\\n  sysctl net.core.{end}_max net.ipv4.tcp_{end} \
             net.ipv4.tcp_mem \\\n  {more}> {file}"
        ),
    );
    let most = most(way);
    let share = (on.bdp() + on.buffer_bytes()) / f64::from(way.streams);
    let why = match (way.enough, way.streams) {
        (true, _) if most == LEAST_BUFFER => {
            "large enough for this transfer; newer kernels have more by default".to_owned()
        }
        (true, 1) => "the most that a socket buffer may grow to: four times what path and buffer \
                      hold, half of it for the kernel's bookkeeping"
            .to_owned(),
        (true, _) => format!(
            "{} is the limit of one connection, not what it uses: a connection has {} in flight \
             on average, and up to all that path and buffer hold while your other connections \
             are slow. All connections together are likely to need {} of memory at most: a quarter \
             of it is what path and buffer hold, and the rest is data to send next and the kernel's \
             bookkeeping",
            size(most),
            size(share as u64),
            size(memory(way, on))
        ),
        (false, _) => format!(
            "socket buffers for {} of payload; the rest is for the kernel's bookkeeping",
            size(way.socket.get())
        ),
    };
    let first = if end == "rmem" { "4096 131072" } else { "4096 16384" };
    list.add(host, "prepare", &why, format!("sysctl -w net.core.{end}_max={most}"));
    list.add(host, "prepare", &why, format!("sysctl -w net.ipv4.tcp_{end}='{first} {most}'"));
    let bytes = memory(way, on);
    if bytes < LITTLE {
        return;
    }
    let pages = bytes.div_ceil(4_096);
    let why = format!(
        "all connections together may use {} of RAM: be sure that it is free (`free -h`); tcp_mem \
         counts pages of 4096 bytes, and is raised if it is too small",
        size(bytes)
    );
    let (low, middle) = (pages / 2, pages / 4 * 3);
    list.add(
        host,
        "prepare",
        &why,
        format!(
            "test \"$(cut -f 3 /proc/sys/net/ipv4/tcp_mem)\" -ge {pages} || \\\n  \
             sysctl -w net.ipv4.tcp_mem='{low} {middle} {pages}'"
        ),
    );
}

fn prepare_receiver(list: &mut List, way: &Way, on: &On) {
    let host = "receiver";
    let fill = "needs iperf3 and rsync (on Debian: apt-get install iperf3 rsync). Fill in the \
                sender's address and the folder to write to, which must exist. A firewall has to \
                let the sender in on TCP ports 873 and 5201";
    list.add(host, "prepare", fill, "SENDER=192.0.2.1 TO=/data/in");
    buffers(list, host, "rmem", "", way, on);
    let test = "a server for one test of the path (TCP port 5201), in the background. Before another \
                test, paste this command again";
    list.add(host, "prepare", test, format!("iperf3 -s -1 -D -I {IPERF_PID}"));
    let daemon = "an rsync server for the folder (TCP port 873), in the background: only the \
                  sender's address with the password may write. It does not use ssh, whose own \
                  window of 2 MB would limit a connection, so the files are not encrypted on the \
                  way. It runs as root to keep the files' owners";
    let secret = format!(
        "test -e {SECRETS} || (umask 077\n  od -An -N 16 -tx1 /dev/urandom | tr -d ' ' | \\\n  \
         sed s/^/tusker:/ > {SECRETS})"
    );
    list.add(host, "prepare", daemon, secret);
    list.add(
        host,
        "prepare",
        daemon,
        format!(
            "printf '%s\\n' 'pid file = {RSYNCD_PID}' '[tusker]' \"path = $TO\" \\\n  \
             'read only = no' 'uid = root' 'gid = root' \"hosts allow = $SENDER\" \\\n  \
             'auth users = tusker' 'secrets file = {SECRETS}' \\\n  \
             > {RSYNCD}"
        ),
    );
    let line = format!("test -e {RSYNCD_PID} || \\\n  rsync --daemon --config={RSYNCD}");
    list.add(host, "prepare", daemon, line);
    let shown = "the password, which was made here at random: copy it into the first line of the \
                 sender";
    list.add(host, "prepare", shown, format!("cut -d : -f 2 {SECRETS}"));
}

fn prepare_sender(list: &mut List, way: &Way, on: &On, cc: &Found) {
    let host = "sender";
    let fill = "needs iperf3, rsync and tmux. Paste this and the next block in tmux, or the transfer \
                ends when you log out: `tmux new -s tusker` begins a session, and `tmux attach -t \
                tusker` returns to it. Fill in the receiver's address, the folder to send, and the \
                password that the receiver shows";
    let line = "RECEIVER=192.0.2.2 FROM=/data/out; export RSYNC_PASSWORD=fill-in";
    list.add(host, "prepare", fill, line);
    buffers(list, host, "wmem", "net.ipv4.tcp_congestion_control ", way, on);
    let why = match &cc.other {
        None => "the congestion control, for all new connections of this host".to_owned(),
        Some(params) => format!(
            "the congestion control, for all new connections of this host. The plan simulated it \
             with {params}; these commands do not set that in Linux, so its rate and harm may \
             differ"
        ),
    };
    if let Some(load) = &cc.load {
        list.add(host, "prepare", &why, load);
    }
    if let Some(name) = cc.name {
        let line = format!("sysctl -w net.ipv4.tcp_congestion_control={name}");
        list.add(host, "prepare", &why, line);
    }
    pace(list, way, on);
}

/// The packets of a law that paces itself are sent at its rate by `fq`; those of the others in
/// front of a short buffer at the rate that the kernel computes for them, and at most at
/// `maxrate`.
fn pace(list: &mut List, way: &Way, on: &On) {
    if !is_paced(way, on) {
        return;
    }
    let host = "sender";
    let (why, limit) = if paces_itself(way) {
        (
            "this congestion control sends at a rate of its own, which `fq` keeps to best",
            String::new(),
        )
    } else {
        // what one connection lacks another may send
        let most = match way.streams {
            1 => on.rate.bits_per_sec(),
            many => on.rate.bits_per_sec() / u64::from(many) * 2,
        };
        let why = "the buffer of the bottleneck is short, so packets are spread over the round trip, \
                   and no connection sends at more than the path's rate, or twice its share of it. \
                   The plan simulated it without";
        (why, format!(" maxrate {most}bit"))
    };
    let device =
        format!("ip -o route get \"$RECEIVER\" | \\\n  sed 's/.* dev //; s/ .*//' > {DEVICE}");
    list.add(host, "prepare", why, device);
    let fq = format!("tc qdisc replace dev \"$(cat {DEVICE})\" \\\n  root fq{limit}");
    list.add(host, "prepare", why, fq);
}

/// Whether the commands set up pacing.
fn is_paced(way: &Way, on: &On) -> bool {
    paces_itself(way) || on.has_short_buffer()
}

fn paces_itself(way: &Way) -> bool {
    way.law.kind.sheet().needs.contains(&Need::Pacing)
}

fn test(list: &mut List, way: &Way, on: &On, cc: &Found, expected: Expected) {
    let name = cc.name.map_or(String::new(), |name| format!(" -C {name}"));
    let window = match way.enough {
        true => String::new(),
        false => format!(" -w {}", way.socket.get()),
    };
    let mut why = "a test of the path for 150 s, from memory to memory: it tests no disk. It loads \
                   the path as the transfer will, so this is the time to see what others on the path \
                   lose"
        .to_owned();
    if let Some(goodput) = expected.goodput {
        let by = if expected.simulated { "the simulation" } else { "a first estimate" };
        let by = format!("{by} with a bottleneck buffer of {}", size(on.buffer_bytes() as u64));
        why += &format!(
            ". Its line `receiver` ([SUM] of several connections) should have about {}, by {by}. \
             With half of that, the transfer takes twice as long: then the path loses more, has a smaller buffer or \
             carries more than the plan assumes, a host is too slow, or two minutes are too \
             short for a long path",
            goodput.text()
        );
    }
    let line = format!("iperf3 -c \"$RECEIVER\" -P {}{name}{window} -O 30 -t 120", way.streams);
    list.add("sender", "test", &why, line);
}

/// How an interrupted transfer is continued.
const RESUME: &str = "the transfer. If it is interrupted, paste the command below again, in a new \
                      shell after the first line of this host: rsync skips files that \
                      are finished, and begins an unfinished one anew. With `-a --append-verify` \
                      instead of `-aW --inplace` it continues an unfinished file where it \
                      stopped; use this only if no file has changed since";

fn transfer(list: &mut List, way: &Way) {
    let (host, streams) = ("sender", way.streams);
    if streams == 1 {
        let line = "rsync -aW --inplace \"$FROM/\" \"rsync://tusker@$RECEIVER/tusker/\"";
        list.add(host, "transfer", RESUME, line);
        return;
    }
    let deal = format!(
        "divide the files into {streams} lists of about the same size: one rsync for each, with \
         a connection that lasts. Split files that are much larger than the rest; empty folders \
         stay behind"
    );
    list.add(host, "transfer", &deal, format!("rm -f {LISTS}*"));
    list.add(
        host,
        "transfer",
        &deal,
        format!(
            "(cd \"$FROM\" && find . ! -type d -printf '%s %p\\0') | sort -znr | \\\n  \
             cut -zd ' ' -f 2- | split -t '\\0' -n r/{streams} - {LISTS}"
        ),
    );
    let why = format!(
        "{RESUME}. What each rsync did is in {LOGS}*; a list that was not sent to its end is named"
    );
    list.add(
        host,
        "transfer",
        &why,
        format!(
            "(for list in {LISTS}*; do\n  \
             rsync -aW --inplace --from0 --files-from=\"$list\" \\\n    \
             --log-file=\"{LOGS}${{list##*.}}\" \"$FROM/\" \\\n    \
             \"rsync://tusker@$RECEIVER/tusker/\" || echo \"not sent: $list\" >&2 &\n\
             done; wait)"
        ),
    );
}

fn undo(list: &mut List, way: &Way, on: &On, cc: &Found) {
    let (host, step) = ("receiver", "undo");
    let file = saved(host);
    let stop = "end the servers; that of the test has ended if there was a test";
    list.add(host, step, stop, format!("pkill -F {IPERF_PID} 2>/dev/null; pkill -F {RSYNCD_PID}"));
    let restore = "restore the settings";
    list.add(
        host,
        step,
        restore,
        format!("sysctl -p {file} && \\\n  rm -f {file} {RSYNCD} \\\n  {SECRETS}"),
    );
    let (host, file) = ("sender", saved("sender"));
    let lists = if way.streams == 1 { String::new() } else { format!(" \\\n  {LISTS}*") };
    list.add(host, step, restore, format!("sysctl -p {file} && \\\n  rm -f {file}{lists}"));
    if is_paced(way, on) {
        let why = "give the device its default queue again";
        let line = format!("tc qdisc del dev \"$(cat {DEVICE})\" root\nrm -f {DEVICE}");
        list.add(host, step, why, line);
    }
    if let Some(unload) = &cc.unload {
        let why = "unload the congestion control; not if it was in use before, or still is";
        list.add(host, step, why, unload);
    }
}

#[cfg(test)]
mod tests;
