//! How much memory all runs together, and each of them, may use.
//!
//! By default, all runs together may use three quarters of the free memory. On Linux the free
//! memory is `MemAvailable`, or less if the limit of a control group or of the address space
//! (`ulimit -v`) leaves less. Elsewhere 4 GB are assumed to be free.

use std::path::Path;
use std::sync::OnceLock;

use tusker_core::Bytes;
use tusker_measure::summary::View;
use tusker_plan::budget::{Memory, size};
use tusker_plan::plan::Plan;

/// What counts as free if the system does not say.
const FALLBACK: u64 = 4_000_000_000;

/// The memory that all runs together may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    bytes: u64,
    /// The user's limit, if given.
    asked: Option<u64>,
}

impl Budget {
    /// This much, or what a system limit leaves if that is less: exceeding such a limit
    /// would end the program, whatever the user allowed.
    pub fn asked(memory: Bytes) -> Self {
        let most = [address_space(), control_group()].into_iter().flatten().min();
        let asked = memory.get();
        Self { bytes: asked.min(most.unwrap_or(u64::MAX)), asked: Some(asked) }
    }

    /// Three quarters of the free memory.
    pub fn unasked() -> Self {
        // the free memory changes as soon as something runs
        static FREE: OnceLock<u64> = OnceLock::new();
        Self { bytes: *FREE.get_or_init(free) / 4 * 3, asked: None }
    }

    /// Bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }

    /// A note for users who allowed more than there is.
    pub fn note(self) -> Option<String> {
        let asked = self.asked?;
        if self.is_limited() {
            let left = size(self.bytes);
            return Some(format!(
                "--memory allows {}, but a limit of the system leaves {left}, which applies",
                size(asked)
            ));
        }
        let machine = kilobytes(&text("/proc/meminfo")?, "MemTotal:")?;
        (asked > machine).then(|| {
            format!(
                "--memory allows {}, but this machine has {}: the system may kill a process that takes more",
                size(asked),
                size(machine)
            )
        })
    }

    fn is_limited(self) -> bool {
        self.asked.is_some_and(|asked| asked > self.bytes)
    }

    pub(crate) fn whose(self) -> &'static str {
        match self.asked {
            Some(_) if self.is_limited() => "that a limit of the system leaves",
            Some(_) => "that --memory allows",
            None => "that are three quarters of what is free",
        }
    }

    pub(crate) fn how_to_have_more(self) -> &'static str {
        match self.is_limited() {
            true => "raise the limit of the address space (ulimit -v) or of the control group",
            false => "allow more with --memory",
        }
    }
}

/// The expected memory of a run and of storing its results, including the trace that the
/// first replicate has for the report.
pub fn expected(plan: &Plan) -> Memory {
    let traced = View::new(plan).traced_for_report();
    traced.memory() + tusker_store::memory(&traced)
}

/// How many of these jobs fit into the budget at once, if each takes this much: at least
/// one.
pub(crate) fn jobs(wanted: usize, largest: u64, budget: u64) -> usize {
    let fit = usize::try_from(budget / largest.max(1)).unwrap_or(usize::MAX);
    wanted.min(fit.max(1))
}

/// Bytes that this program may still use.
fn free() -> u64 {
    let meminfo = text("/proc/meminfo");
    let Some(available) = meminfo.as_deref().and_then(available) else { return FALLBACK };
    let free = [Some(available), address_space(), control_group()];
    free.into_iter().flatten().min().unwrap_or(FALLBACK)
}

fn text(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

fn available(meminfo: &str) -> Option<u64> {
    kilobytes(meminfo, "MemAvailable:")
}

/// The bytes in a line such as `MemAvailable:   24000000 kB`.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// How large the stack of the program's first thread may become, where Linux says so and it is
/// limited.
pub fn main_stack() -> Option<u64> {
    soft_limit(&text("/proc/self/limits")?, "Max stack size")
}

/// What the limit of the address space leaves.
fn address_space() -> Option<u64> {
    let most = soft_limit(&text("/proc/self/limits")?, "Max address space")?;
    let taken = kilobytes(&text("/proc/self/status")?, "VmSize:")?;
    Some(most.saturating_sub(taken))
}

/// The soft limit of a line such as `Max address space   unlimited   unlimited   bytes`.
fn soft_limit(limits: &str, name: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What the control groups of the program leave: the minimum over all.
fn control_group() -> Option<u64> {
    let groups = text("/proc/self/cgroup")?;
    let mut least = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        // the second version has one tree for all controllers
        let (root, most, taken) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
            "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
            _ => continue,
        };
        for folder in Path::new(path.trim_start_matches('/')).ancestors() {
            let folder = Path::new(root).join(folder);
            let number = |file: &str| text(folder.join(file))?.trim().parse::<u64>().ok();
            // no limit is written as a word or an impossibly large number
            if let Some(most) = number(most).filter(|most| *most < 1 << 62) {
                let left = most.saturating_sub(number(taken).unwrap_or(0));
                least = Some(least.map_or(left, |least: u64| least.min(left)));
            }
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_says_is_read() {
        let meminfo = "MemTotal:       24650000 kB\nMemFree:  1 kB\nMemAvailable:   23500000 kB\n";
        assert_eq!(available(meminfo), Some(24_064_000_000));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
        let limits = "Max stack size            8388608              unlimited            bytes\n\
                      Max address space         3072000000           unlimited            bytes\n";
        assert_eq!(soft_limit(limits, "Max address space"), Some(3_072_000_000));
        assert_eq!(soft_limit(limits, "Max stack size"), Some(8_388_608));
        let unlimited = "Max address space  unlimited  unlimited  bytes\n";
        assert_eq!(soft_limit(unlimited, "Max address space"), None);
    }

    #[test]
    fn a_limit_of_the_system_is_told_as_one() {
        let clipped = Budget { bytes: 3_000_000_000, asked: Some(2_500_000_000_000) };
        assert_eq!(clipped.whose(), "that a limit of the system leaves");
        let note = clipped.note().expect("there is something to know");
        assert!(note.contains("2.5 TB") && note.contains("3.0 GB"), "{note}");
        let plain = Budget { bytes: 1_000, asked: Some(1_000) };
        assert_eq!((plain.whose(), plain.note()), ("that --memory allows", None));
        assert_eq!(Budget::unasked().note(), None);
    }

    #[test]
    fn fewer_jobs_where_all_do_not_fit() {
        assert_eq!(jobs(8, 1_000, 8_000), 8);
        assert_eq!(jobs(8, 1_001, 8_000), 7);
        assert_eq!(jobs(8, 9_000, 8_000), 1);
        assert_eq!(jobs(8, 0, 8_000), 8);
    }
}
