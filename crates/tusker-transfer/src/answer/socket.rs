//! What has to be set in Linux for a socket buffer.

/// The largest buffer that can be set in the kernel, which uses 32 bits.
const MOST: u64 = 2_147_483_647;

use tusker_plan::stock;

/// The most that Linux lets a receive buffer grow to by default: nothing smaller is set.
pub const LEAST_BUFFER: u64 = stock::RMEM.get();

/// The maximum of `tcp_rmem` and `tcp_wmem` for this much payload: Linux includes its own
/// bookkeeping, and uses about half of a buffer for payload (`tcp_adv_win_scale` of 1 in
/// ip-sysctl.rst, SO_SNDBUF in socket(7)). What is `enough` is at least [`LEAST_BUFFER`].
pub fn kernel_buffer(payload: u64, enough: bool) -> u64 {
    const MIB: u64 = 1 << 20;
    let wanted = (payload.saturating_mul(2).div_ceil(MIB) * MIB).min(MOST);
    if enough { wanted.max(LEAST_BUFFER) } else { wanted }
}
