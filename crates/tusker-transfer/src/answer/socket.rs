//! What has to be set in Linux for a socket buffer.

/// The largest buffer that can be set in the kernel, which uses 32 bits.
const MOST: u64 = 2_147_483_647;

/// The most that Linux let a receive buffer grow to by default, until 6.16 (then 32 MiB):
/// nothing smaller is set.
pub const LEAST_BUFFER: u64 = 6_291_456;

/// The most that Linux lets a send buffer grow to by default.
pub const SEND_BUFFER: u64 = 4_194_304;

/// The maximum of `tcp_rmem` and `tcp_wmem` for this much payload: Linux includes its own
/// bookkeeping, and uses about half of a buffer for payload (`tcp_adv_win_scale` of 1 in
/// ip-sysctl.rst, SO_SNDBUF in socket(7)). What is `enough` is at least [`LEAST_BUFFER`].
pub fn kernel_buffer(payload: u64, enough: bool) -> u64 {
    const MIB: u64 = 1 << 20;
    let wanted = (payload.saturating_mul(2).div_ceil(MIB) * MIB).min(MOST);
    if enough { wanted.max(LEAST_BUFFER) } else { wanted }
}
