//! TCP endpoints without a network: scripts worked out by hand from the RFCs, and randomly
//! generated paths.

mod any_path;
mod bench;
mod path;
mod scripts;
mod timeouts;
