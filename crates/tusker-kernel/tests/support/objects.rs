//! What the kernel holds of BPF: asked of the kernel by bpftool, not by us.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::command::{command, done};
use super::until;

/// Kinds of objects: as bpftool calls them, and the line that tells of one in
/// /proc/PID/fdinfo.
const KINDS: [(&str, &str); 4] =
    [("map", "map_id:"), ("prog", "prog_id:"), ("link", "link_id:"), ("btf", "btf_id:")];

/// Numbers of objects. The kernel gives a number again only after 2^31 others.
#[derive(Clone, Debug, Default)]
pub struct Objects([BTreeSet<u64>; 4]);

impl Objects {
    /// All those that a process holds open.
    ///
    /// # Panics
    /// If the process is gone.
    pub fn of(process: u32) -> Self {
        let mut objects = Self::default();
        let open = fs::read_dir(format!("/proc/{process}/fdinfo")).expect("it runs");
        for file in open.flatten() {
            let text = fs::read_to_string(file.path()).unwrap_or_default();
            for (numbers, (_, key)) in objects.0.iter_mut().zip(KINDS) {
                let ids = text.lines().filter_map(|line| line.strip_prefix(key));
                numbers.extend(ids.map(|id| id.trim().parse::<u64>().expect("a number")));
            }
        }
        objects
    }

    /// How many there are of each kind: maps, programs, links, descriptions of types.
    pub fn count(&self) -> [usize; 4] {
        self.0.each_ref().map(BTreeSet::len)
    }

    /// These as well.
    pub fn add(&mut self, others: Self) {
        for (numbers, more) in self.0.iter_mut().zip(others.0) {
            numbers.extend(more);
        }
    }

    /// Those of them that bpftool finds.
    fn left(&self) -> Vec<(&'static str, u64)> {
        let mut left = Vec::new();
        for (numbers, (kind, _)) in self.0.iter().zip(KINDS) {
            let list: Value =
                serde_json::from_str(&done(&mut command("bpftool", &["-j", kind]))).expect("JSON");
            let there = list.as_array().expect("a list").iter();
            let ids = there.map(|object| object["id"].as_u64().expect("a number"));
            left.extend(ids.filter(|id| numbers.contains(id)).map(|id| (kind, id)));
        }
        left
    }

    /// Waits until the kernel, which takes a moment, has let go of all of them.
    ///
    /// # Panics
    /// If it does not.
    pub fn are_gone(&self) {
        until(&format!("objects are gone: {:?}", self.left()), || {
            self.left().is_empty().then_some(())
        });
    }
}
