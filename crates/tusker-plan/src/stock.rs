//! The socket buffers of a Linux host on which nobody has changed them, in one place: for
//! scenarios that simulate such hosts, and for advice to change them.

use tusker_core::Bytes;

/// The most that a receive buffer grows to (the maximum of `tcp_rmem`), from Linux 3.4 to 6.15.
/// Since 6.16 it is 32 MiB (commit 572be9bf9d0d).
pub const RMEM: Bytes = Bytes::new(6 << 20);

/// The most that a send buffer grows to (the maximum of `tcp_wmem`). Below that,
/// `tcp_sndbuf_expand` makes it as large as two windows of 4352 bytes per segment, so that only
/// the maximum limits a flow.
pub const WMEM: Bytes = Bytes::new(4 << 20);

/// What a flow has in flight with that send buffer: a socket is writable while at least a third
/// of the buffer is free (`sk_stream_min_wspace`), so an application that waits for that keeps
/// two thirds of it full. On Linux 6.1, in virtual time (bench/linux, `gso=45`), 2,752,512 bytes
/// were in flight, 1.6 % less: the rest is the kernel's bookkeeping.
pub const SENT: Bytes = Bytes::new(2 * WMEM.get() / 3);

/// The most that a flow between two such hosts gets with this round-trip time, in bit/s of data.
pub fn at_most(rtt_s: f64) -> f64 {
    SENT.get().min(RMEM.get() / 2) as f64 * 8.0 / rtt_s
}
