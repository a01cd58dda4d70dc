//! TCP endpoints without a network: scripts worked out by hand from the RFCs,
//! and any path that a random generator can think of.

mod any_path;
mod bench;
mod path;
mod scripts;
mod timeouts;
