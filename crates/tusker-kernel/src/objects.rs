//! The compiled objects of `bpf/`, and how one is prepared for loading.

use libbpf_rs::{MapType, Object, ObjectBuilder, OpenObject};

use crate::control::{Control, MAP, NAME_BYTES, PARAMS_MAP};
use crate::failure::Failure;
use crate::machine::Machine;

include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// Longest name of a congestion control: TCP_CA_NAME_MAX minus the terminating byte.
pub const LONGEST_NAME: usize = NAME_BYTES - 1;

/// Offset of `name` in `struct tcp_congestion_ops` of `bpf/core.h`: after seven functions
/// and the flags.
const NAME_AT: usize = 7 * 8 + 4;

/// `BPF_F_LINK` of linux/bpf.h: the map is registered by a link.
const BY_LINK: u32 = 1 << 13;

/// The object of a law; `None` if there is none.
fn bytes(law: &str) -> Option<&'static [u8]> {
    OBJECTS.iter().find(|(name, _)| *name == law).map(|(_, bytes)| *bytes)
}

/// A law to be loaded.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Of [`OBJECTS`].
    pub law: &'static str,
    /// The name by which programs choose it.
    pub name: String,
    /// `struct params`; if empty, the compiled-in values.
    pub params: Vec<u8>,
}

impl Wanted {
    /// Opens its object, sets name and parameters, and loads it. It is not registered yet.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn load(&self, machine: Machine) -> Result<Object, Failure> {
        let open =
            self.open(machine).map_err(|error| Failure::kernel("prepare the law", &error))?;
        open.load()
            .map_err(|error| Failure::kernel(&format!("load {} into the kernel", self.law), &error))
    }

    fn open(&self, machine: Machine) -> libbpf_rs::Result<OpenObject> {
        let bytes = bytes(self.law).expect("only laws of OBJECTS are loaded");
        let mut open = ObjectBuilder::default().name(self.law)?.open_memory(bytes)?;
        for mut map in open.maps_mut() {
            if map.map_type() == MapType::StructOps {
                let value = map.initial_value_mut().expect("a struct_ops map has a value");
                let name = &mut value[NAME_AT..NAME_AT + NAME_BYTES];
                name.fill(0);
                name[..self.name.len()].copy_from_slice(self.name.as_bytes());
                if !machine.links {
                    map.set_map_flags(map.map_flags() & !BY_LINK)?;
                }
            } else if map.name() == MAP {
                let control = Control {
                    name: self.name.clone(),
                    law: self.law.to_owned(),
                    ..Control::default()
                };
                map.set_initial_value(&control.bytes())?;
            } else if map.name() == PARAMS_MAP && !self.params.is_empty() {
                map.set_initial_value(&self.params)?;
            }
        }
        Ok(open)
    }
}
