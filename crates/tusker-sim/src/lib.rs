//! The event engine, topology, TCP endpoints and traffic.

pub mod packet;
pub mod tcp;
