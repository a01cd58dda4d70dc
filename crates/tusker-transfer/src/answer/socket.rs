//! What has to be set in Linux for a socket buffer.

use super::{PlanRow, size};

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

impl PlanRow {
    /// The most that the socket buffer of one connection may grow to in the kernel, bytes.
    pub fn kernel_buffer(&self) -> u64 {
        kernel_buffer(self.socket_buffer_bytes, self.socket_buffer_enough)
    }

    /// `a socket buffer of up to 808 MB in Linux, for 404 MB of payload`.
    pub(super) fn buffer_text(&self) -> String {
        let (kernel, payload) = (self.kernel_buffer(), self.socket_buffer_bytes);
        let most = size(kernel);
        match kernel {
            LEAST_BUFFER if self.socket_buffer_enough => {
                format!("a socket buffer of up to {most}")
            }
            _ => format!(
                "a socket buffer of up to {most} in Linux, for {} of payload and as much \
                 bookkeeping",
                size(payload)
            ),
        }
    }
}
