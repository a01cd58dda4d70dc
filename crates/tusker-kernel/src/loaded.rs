//! Which of our laws the kernel has now. No separate list is kept: the kernel is asked.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use libbpf_rs::query::{
    LinkInfoIter, LinkTypeInfo, MapInfo, MapInfoIter, ProgInfoIter, ProgInfoQueryOptions,
};
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType};

use crate::control::{Control, MAP, PARAMS_MAP, WATCH_MAP};
use crate::failure::Failure;

/// Where laws that outlive their loader are pinned.
pub const PINS: &str = "/sys/fs/bpf/tusker";

/// The name of the ring of events, as in bpf/glue.bpf.h.
const EVENTS_MAP: &str = "tusker_events";

/// A law that is in the kernel.
#[derive(Debug)]
pub struct Loaded {
    /// The names and counters that it reports.
    pub control: Control,
    /// Its parameters in the order of LAW_PARAMS.
    pub params: Vec<u64>,
    /// The map of its events.
    pub events_id: u32,
    /// The map that requests events.
    pub watch_id: u32,
    /// The map that is registered.
    pub ops_id: u32,
    /// Programs can choose it.
    pub registered: bool,
    /// Where it is pinned.
    pub pin: Option<PathBuf>,
    /// The process that holds it.
    pub holder: Option<u32>,
}

impl Loaded {
    /// All loaded laws, by name.
    ///
    /// # Errors
    /// The kernel's error.
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
            // the other maps of the programs that use it
            let siblings: Vec<u32> =
                used.iter().filter(|ids| ids.contains(&of_control.id)).flatten().copied().collect();
            let sibling =
                |name: &str| maps.iter().find(|map| map.name == name && siblings.contains(&map.id));
            // programs do not use the map that registers them; it shares their type
            // description
            let ops = maps
                .iter()
                .find(|map| map.btf_id == of_control.btf_id && map.ty == MapType::StructOps);
            let (Some(events), Some(watch), Some(ops)) =
                (sibling(EVENTS_MAP), sibling(WATCH_MAP), ops)
            else {
                continue;
            };
            // it may disappear meanwhile
            let Some(control) = value(of_control.id).and_then(|bytes| Control::read(&bytes)) else {
                continue;
            };
            let params = sibling(PARAMS_MAP).and_then(|map| value(map.id)).unwrap_or_default();
            let link = links.iter().find(|(_, map)| *map == ops.id).map(|(id, _)| *id);
            let registered = link.is_some() || in_use(ops.id);
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
                registered,
                pin: pin.exists().then_some(pin),
                holder: match link {
                    Some(link) => holder("link_id:", link),
                    None if registered => holder("map_id:", ops.id),
                    None => None,
                },
            });
        }
        all.sort_by(|a, b| a.control.name.cmp(&b.control.name));
        Ok(all)
    }

    /// All except those that the kernel is about to release, which takes a moment.
    /// # Errors
    /// The kernel's error.
    pub fn settled() -> Result<Vec<Self>, Failure> {
        let mut all = Self::all()?;
        for _ in 0..50 {
            if all.iter().all(Self::matters) {
                break;
            }
            sleep(Duration::from_millis(20));
            all = Self::all()?;
        }
        Ok(all)
    }

    /// It can be chosen, or is in use.
    pub fn matters(&self) -> bool {
        self.registered || self.control.open() > 0
    }

    /// How long it will stay, in words.
    pub fn how_long(&self) -> String {
        match (&self.pin, self.holder) {
            (Some(_), _) => "until it is unloaded".to_owned(),
            (None, Some(process)) => format!("as long as process {process} runs"),
            (None, None) if self.registered => {
                "as long as some process runs that we cannot see".to_owned()
            }
            (None, None) if self.control.open() > 0 => "until its connections end".to_owned(),
            // nothing else can hold a law that is neither registered nor used
            (None, None) => {
                "as long as it is the default of a namespace, or a socket listens with it"
                    .to_owned()
            }
        }
    }

    /// It was in the kernel when this was read, and no longer is; no connection uses it
    /// either.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn is_gone(&self) -> Result<bool, Failure> {
        let all = Self::all()?;
        Ok(!all.iter().any(|other| other.events_id == self.events_id && other.matters()))
    }
}

/// The contents of an array with one value.
fn value(map: u32) -> Option<Vec<u8>> {
    let map = MapHandle::from_map_id(map).ok()?;
    map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok()?
}

/// Whether a map is registered by itself, without a link: Linux before 6.4. The value of a
/// struct_ops map starts with a reference count and its state.
fn in_use(ops: u32) -> bool {
    /// BPF_STRUCT_OPS_STATE_INUSE
    const IN_USE: u32 = 1;
    let state =
        value(ops).and_then(|bytes| Some(u32::from_ne_bytes(bytes.get(4..8)?.try_into().ok()?)));
    state == Some(IN_USE)
}

/// The process that holds an object open, found by the line that names it in /proc.
fn holder(key: &str, id: u32) -> Option<u32> {
    let holds = |fdinfo: &Path| {
        let entries = fs::read_dir(fdinfo).ok()?;
        entries.flatten().find(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            text.lines().any(|line| {
                line.strip_prefix(key).is_some_and(|number| number.trim().parse() == Ok(id))
            })
        })
    };
    fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
        let pid: u32 = process.file_name().to_str()?.parse().ok()?;
        (pid != std::process::id()).then_some(())?;
        holds(&process.path().join("fdinfo")).map(|_| pid)
    })
}
