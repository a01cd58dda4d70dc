//! One file per command.

pub mod load;
pub mod status;
pub mod unload;
pub mod watch;
