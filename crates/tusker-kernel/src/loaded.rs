//! Which of our laws the kernel has now. Nothing is kept beside it: the kernel is
//! asked.

use std::fs;
use std::path::{Path, PathBuf};

use libbpf_rs::query::{
    LinkInfoIter, LinkTypeInfo, MapInfo, MapInfoIter, ProgInfoIter, ProgInfoQueryOptions,
};
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType};

use crate::control::{Control, MAP, PARAMS_MAP, WATCH_MAP};
use crate::failure::Failure;

/// Where laws are pinned that outlive their loader.
pub const PINS: &str = "/sys/fs/bpf/tusker";

/// The name of the ring of events, as bpf/glue.bpf.h has it.
const EVENTS_MAP: &str = "tusker_events";

/// A law that is in the kernel.
#[derive(Debug)]
pub struct Loaded {
    /// What it says of itself.
    pub control: Control,
    /// Its parameters in the order of LAW_PARAMS.
    pub params: Vec<u64>,
    /// The map of its events.
    pub events_id: u32,
    /// The map that asks for them.
    pub watch_id: u32,
    /// The map that is registered.
    pub ops_id: u32,
    /// The link that registers it; `None` if it is not registered any more, or by an
    /// older kernel's means.
    pub link: Option<u32>,
    /// Where it is pinned.
    pub pin: Option<PathBuf>,
    /// The process that holds it.
    pub holder: Option<u32>,
}

impl Loaded {
    /// All of them, by name.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn all() -> Result<Vec<Self>, Failure> {
        let maps: Vec<MapInfo> = MapInfoIter::default().collect();
        let links: Vec<(u32, u32)> = LinkInfoIter::default()
            .filter_map(|link| match link.info {
                LinkTypeInfo::StructOps(ops) => Some((link.id, ops.map_id)),
                _ => None,
            })
            .collect();
        let asked = ProgInfoQueryOptions::default().include_map_ids(true);
        let used: Vec<Vec<u32>> =
            ProgInfoIter::with_query_opts(asked).map(|program| program.map_ids).collect();
        let mut all = Vec::new();
        for of_control in maps.iter().filter(|map| map.name == MAP) {
            // what the programs that use it use besides
            let siblings: Vec<u32> =
                used.iter().filter(|ids| ids.contains(&of_control.id)).flatten().copied().collect();
            let sibling =
                |name: &str| maps.iter().find(|map| map.name == name && siblings.contains(&map.id));
            // programs do not use the map that registers them; it shares the
            // description of their types
            let ops = maps
                .iter()
                .find(|map| map.btf_id == of_control.btf_id && map.ty == MapType::StructOps);
            let (Some(events), Some(watch), Some(ops)) =
                (sibling(EVENTS_MAP), sibling(WATCH_MAP), ops)
            else {
                continue;
            };
            // it may go away while we look
            let Some(control) = value(of_control.id).and_then(|bytes| Control::read(&bytes)) else {
                continue;
            };
            let params = sibling(PARAMS_MAP).and_then(|map| value(map.id)).unwrap_or_default();
            let link = links.iter().find(|(_, map)| *map == ops.id).map(|(id, _)| *id);
            let pin = Path::new(PINS).join(&control.name);
            all.push(Self {
                params: params
                    .chunks_exact(8)
                    .map(|bytes| u64::from_ne_bytes(bytes.try_into().expect("eight bytes")))
                    .collect(),
                control,
                events_id: events.id,
                watch_id: watch.id,
                ops_id: ops.id,
                link,
                pin: pin.exists().then_some(pin),
                holder: link.and_then(holder),
            });
        }
        all.sort_by(|a, b| a.control.name.cmp(&b.control.name));
        Ok(all)
    }

    /// There is something to say about it: the kernel takes a moment to forget what is
    /// over.
    pub fn matters(&self) -> bool {
        self.registered() || self.control.open() > 0
    }

    /// It was in the kernel when this was read, and is not any more; neither has any
    /// connection it.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn is_gone(&self) -> Result<bool, Failure> {
        let link = self.link.is_some_and(|link| LinkInfoIter::default().any(|l| l.id == link));
        if link || self.pin.as_ref().is_some_and(|pin| pin.exists()) {
            return Ok(false);
        }
        let all = Self::all()?;
        Ok(!all.iter().any(|other| other.events_id == self.events_id && other.matters()))
    }

    /// Programs can choose it.
    pub fn registered(&self) -> bool {
        self.link.is_some() || self.pin.is_some()
    }
}

/// What an array of one value holds.
fn value(map: u32) -> Option<Vec<u8>> {
    let map = MapHandle::from_map_id(map).ok()?;
    map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok()?
}

/// The process that holds this link open.
fn holder(link: u32) -> Option<u32> {
    let holds = |fdinfo: &Path| {
        let entries = fs::read_dir(fdinfo).ok()?;
        entries.flatten().find(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            text.lines().any(|line| {
                line.strip_prefix("link_id:").is_some_and(|id| id.trim().parse() == Ok(link))
            })
        })
    };
    fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
        let pid: u32 = process.file_name().to_str()?.parse().ok()?;
        (pid != std::process::id()).then_some(())?;
        holds(&process.path().join("fdinfo")).map(|_| pid)
    })
}
