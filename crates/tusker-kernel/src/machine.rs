//! What this machine needs before a law can be loaded, and what to do if it is missing.

use std::fs;
use std::path::Path;

use libbpf_rs::btf::Btf;
use libbpf_rs::btf::types::Struct;

use crate::failure::Failure;

const BTF: &str = "/sys/kernel/btf/vmlinux";
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";

/// Loading needs CAP_NET_ADMIN, CAP_PERFMON and CAP_BPF, or CAP_SYS_ADMIN instead of the
/// last two (capabilities(7)). Finding what is loaded needs CAP_SYS_ADMIN (bpf(2):
/// BPF_MAP_GET_NEXT_ID, BPF_MAP_GET_FD_BY_ID).
const NET_ADMIN: u64 = 1 << 12;
const SYS_ADMIN: u64 = 1 << 21;
const PERFMON: u64 = 1 << 38;
const BPF: u64 = 1 << 39;

/// What a command does, which decides what it needs.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// It loads a law.
    Load,
    /// It lists the loaded laws.
    Status,
    /// It watches one of them.
    Watch,
    /// It unloads one of them.
    Unload,
}

/// The capabilities of this kernel.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// A law is removed when the process that loaded it ends (since Linux 6.4).
    pub links: bool,
}

impl Machine {
    /// Checks whether this machine allows the task.
    ///
    /// # Errors
    /// What is missing.
    pub fn look(task: Task) -> Result<Self, Failure> {
        rights(task)?;
        if !Path::new(BTF).exists() {
            return Err(Failure::other(
                format!(
                    "this kernel ({}) has no type information (BTF): there is no {BTF}",
                    release()
                ),
                "use a kernel with CONFIG_DEBUG_INFO_BTF; those of the large distributions have it",
            ));
        }
        let btf = Btf::from_vmlinux().map_err(|error| Failure::kernel("read the BTF", &error))?;
        let has = |name: &str| btf.type_by_name::<Struct<'_>>(name).is_some();
        if !has("bpf_struct_ops_tcp_congestion_ops") {
            return Err(Failure::other(
                format!("this kernel ({}) does not support congestion control in BPF", release()),
                "use Linux 6.1 or later with CONFIG_BPF_JIT; 5.6 was the first with any support",
            ));
        }
        Ok(Self { links: has("bpf_struct_ops_link") })
    }
}

/// Whether this process has the rights for a task.
pub fn may(task: Task) -> bool {
    rights(task).is_ok()
}

fn rights(task: Task) -> Result<(), Failure> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|caps| u64::from_str_radix(caps.trim(), 16).ok())
        .unwrap_or(0);
    let has = |cap: u64| effective & cap != 0;
    let may_load = has(NET_ADMIN) && (has(SYS_ADMIN) || has(BPF) && has(PERFMON));
    let (allowed, needs) = match task {
        Task::Load => {
            (may_load, "loading a law into the kernel needs CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN")
        }
        Task::Status => (has(SYS_ADMIN), "listing the laws in the kernel needs CAP_SYS_ADMIN"),
        Task::Watch => (has(SYS_ADMIN), "watching a law in the kernel needs CAP_SYS_ADMIN"),
        Task::Unload => (has(SYS_ADMIN), "unloading a law from the kernel needs CAP_SYS_ADMIN"),
    };
    if allowed {
        return Ok(());
    }
    Err(Failure::other(needs, "run it as root: sudo tusker kernel ..."))
}

/// The kernel's release, such as `6.1.0-31-amd64`.
pub fn release() -> String {
    fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().trim().to_owned()
}

/// The congestion controls that programs can choose now.
pub fn available() -> Vec<String> {
    let list = fs::read_to_string(AVAILABLE).unwrap_or_default();
    list.split_whitespace().map(str::to_owned).collect()
}
