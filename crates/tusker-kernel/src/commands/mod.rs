//! One file per command.

pub mod load;
pub mod prove;
pub mod status;
pub mod unload;
pub mod watch;
