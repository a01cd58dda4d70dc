//! The kernel's BPF objects, queried with bpftool, not with our code.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::command::{command, done};
use super::until;

/// Kinds of objects: their names in bpftool, and the line that identifies one in
/// /proc/PID/fdinfo.
const KINDS: [(&str, &str); 4] =
    [("map", "map_id:"), ("prog", "prog_id:"), ("link", "link_id:"), ("btf", "btf_id:")];

/// Numbers of objects. The kernel reuses a number only after 2^31 others.
#[derive(Clone, Debug, Default)]
pub struct Objects([BTreeSet<u64>; 4]);

impl Objects {
    /// All objects that a process holds open.
    ///
    /// # Panics
    /// If the process has ended.
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

    /// Waits until the kernel has released all of them, which takes a moment.
    ///
    /// # Panics
    /// If it does not.
    pub fn are_gone(&self) {
        until(&format!("objects are gone: {:?}", self.left()), || {
            self.left().is_empty().then_some(())
        });
    }
}
