//! The event engine, topology, TCP endpoints and traffic.
