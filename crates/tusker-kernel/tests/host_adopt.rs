//! What a law takes over from the kernel: `bpf/adopt.h`.

use tusker_kernel::host::adopt::{KernelWindow, adopt};

/// 24 binary places.
const ONE: u64 = 1 << 24;

/// `TCP_INFINITE_SSTHRESH` of Linux.
const NONE: u32 = 0x7fff_ffff;

const FX_NONE: u64 = u64::MAX;

/// `x` segments in fixed point.
fn fx(x: u32) -> u64 {
    u64::from(x) * ONE
}

#[track_caller]
fn adopts(law: [u64; 2], kernel: [u32; 3], after: [u64; 2]) {
    let [cwnd, ssthresh, prior_cwnd] = kernel;
    let mut k = KernelWindow { cwnd, ssthresh, prior_cwnd };
    let untouched = k;
    assert_eq!(adopt(law, &mut k), (after, false));
    assert_eq!(k, untouched);
}

#[track_caller]
fn mends(law: [u64; 2], kernel: [u32; 3], after: [u32; 2]) {
    let [cwnd, ssthresh, prior_cwnd] = kernel;
    let mut k = KernelWindow { cwnd, ssthresh, prior_cwnd };
    let (window, mended) = adopt(law, &mut k);
    assert!(mended);
    assert_eq!([k.cwnd, k.ssthresh], after);
    let none = |s| if s == NONE { FX_NONE } else { fx(s) };
    assert_eq!(window, [fx(after[0]), none(after[1])]);
}

#[test]
fn fractions_remain_and_changes_are_adopted() {
    let half = ONE / 2;
    adopts([fx(30) + half, FX_NONE], [30, NONE, 0], [fx(30) + half, FX_NONE]);
    adopts([fx(30) + half, fx(20) + half], [31, 20, 40], [fx(31), fx(20) + half]);
    // a connection starts to use the law, with whatever window it has
    adopts([0, 0], [10, NONE, 0], [fx(10), FX_NONE]);
    adopts([0, 0], [5_000_000, 4_000_000, 0], [fx(5_000_000), fx(4_000_000)]);
    // an undone reduction; and a window beyond the usual that is the law's own
    adopts([fx(1), fx(350)], [700, NONE, 700], [fx(700), FX_NONE]);
    adopts([fx(5_000_000), fx(350)], [5_000_000, 350, 700], [fx(5_000_000), fx(350)]);
}

/// Linux found a loss at 21 segments and skipped the program that returns the threshold. It
/// took the lower half of a return address for it, 0x822034e5, and PRR (RFC 9937) made
/// 0x822034e5 x 5/21 = 519,797,327 of it after 5 segments of 21, plus 148 in flight.
#[test]
fn a_threshold_that_no_program_returned_is_half_the_window() {
    mends([fx(21), FX_NONE], [519_797_475, 0x8220_34e5, 21], [10, 10]);
    // after a timeout, whose window is the kernel's
    mends([fx(21), FX_NONE], [1, 0xffff_ffff, 21], [1, 10]);
    // RFC 5681, equation 4: at least two segments
    mends([fx(2), FX_NONE], [2, 0x8000_0000, 2], [2, 2]);
}

#[test]
fn a_window_that_no_program_returned_is_the_one_before() {
    mends([fx(350), fx(350)], [0x8220_34e5, NONE, 700], [700, NONE]);
    mends([fx(800), fx(350)], [0x1efb_7ae3, 350, 700], [800, 350]);
}
