//! The only place that calls C: a [`Table`] for each law, and [`State`], the memory of a
//! law for one connection. The layouts are those of `bpf/law.h` and `host/law_table.h`;
//! [`Table::check`] checks their sizes.

#![expect(unsafe_code, reason = "calls the laws in C")]

use std::ffi::{CStr, c_char};
use std::slice;

/// `struct window`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct FxWindow {
    pub cwnd: u64,
    pub ssthresh: u64,
}

/// `struct ack`.
#[repr(C)]
pub(super) struct FxAck {
    pub now: u64,
    pub departed: u64,
    pub forward: i64,
    pub credit: u64,
    pub acked: u32,
    pub in_flight: u32,
    pub rtt: u32,
    pub srtt: u32,
    pub rtt_min: u32,
    pub has_forward: u8,
    pub round_start: u8,
    pub cwnd_limited: u8,
}

/// `struct named`.
#[repr(C)]
pub(super) struct Named {
    name: *const c_char,
    pub one: u64,
    pub value: u64,
}

impl Named {
    pub fn name(&self) -> &'static str {
        // SAFETY: a string literal of the C side
        text(unsafe { CStr::from_ptr(self.name) })
    }
}

fn text(name: &'static CStr) -> &'static str {
    name.to_str().expect("names are ASCII")
}

/// `struct table`.
#[repr(C)]
pub(super) struct Table {
    name: *const c_char,
    params: *const Named,
    shows: *const Named,
    params_count: u32,
    shows_count: u32,
    own_slow_start: u32,
    law: u32,
    window: u32,
    ack: u32,
    init: extern "C" fn(*mut u64, *const u64),
    observe: extern "C" fn(*mut u64, *const u64, *const FxWindow, *const FxAck),
    grow: extern "C" fn(*mut u64, *const u64, *mut FxWindow, *const FxAck),
    shrink: extern "C" fn(*mut u64, *const u64, u64) -> u64,
    shrink_outside: extern "C" fn(*mut u64, *const u64, u64) -> u64,
    shrunk: extern "C" fn(*mut u64, u64),
    reset: extern "C" fn(*mut u64, *const u64, u64),
    show: extern "C" fn(*const u64, *mut i64),
}

// SAFETY: tables are constants of the C side, with pointers to constants.
unsafe impl Sync for Table {}

macro_rules! tables {
    ($($symbol:ident),* $(,)?) => {
        unsafe extern "C" {
            $(static $symbol: Table;)*
        }

        /// The tables of all laws.
        pub(super) fn tables() -> Vec<&'static Table> {
            // SAFETY: host/law.c defines each of them as such a struct.
            vec![$(unsafe { &$symbol }.check()),*]
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

impl Table {
    fn check(&self) -> &Self {
        assert_eq!(self.window as usize, size_of::<FxWindow>(), "struct window");
        assert_eq!(self.ack as usize, size_of::<FxAck>(), "struct ack");
        assert!(self.state_size() <= size_of::<Memory>(), "struct law");
        self
    }

    pub fn name(&self) -> &'static str {
        // SAFETY: a string literal of the C side
        text(unsafe { CStr::from_ptr(self.name) })
    }

    pub fn own_slow_start(&self) -> bool {
        self.own_slow_start != 0
    }

    pub fn params(&self) -> &'static [Named] {
        // SAFETY: the count is that of the array
        unsafe { slice::from_raw_parts(self.params, self.params_count as usize) }
    }

    pub fn shows(&self) -> &'static [Named] {
        // SAFETY: the count is that of the array
        unsafe { slice::from_raw_parts(self.shows, self.shows_count as usize) }
    }

    /// Bytes of `struct law`.
    pub fn state_size(&self) -> usize {
        self.law as usize
    }
}

/// Large enough for any `struct law`.
type Memory = [u64; 64];

/// A connection's state and its law's parameters.
#[derive(Clone)]
pub(super) struct State {
    table: &'static Table,
    /// As many as in the table.
    params: Vec<u64>,
    law: Memory,
}

impl State {
    /// # Panics
    /// If the number of parameters differs from the law's.
    pub fn new(table: &'static Table, params: Vec<u64>) -> Self {
        assert_eq!(params.len(), table.params().len(), "as many values as parameters");
        let mut state = Self { table, params, law: [0; 64] };
        (table.init)(state.law.as_mut_ptr(), state.params.as_ptr());
        state
    }

    pub fn observe(&mut self, w: &FxWindow, a: &FxAck) {
        (self.table.observe)(self.law.as_mut_ptr(), self.params.as_ptr(), w, a);
    }

    pub fn grow(&mut self, w: &mut FxWindow, a: &FxAck) {
        (self.table.grow)(self.law.as_mut_ptr(), self.params.as_ptr(), w, a);
    }

    pub fn shrink(&mut self, w: u64) -> u64 {
        (self.table.shrink)(self.law.as_mut_ptr(), self.params.as_ptr(), w)
    }

    pub fn shrink_outside(&mut self, w: u64) -> u64 {
        (self.table.shrink_outside)(self.law.as_mut_ptr(), self.params.as_ptr(), w)
    }

    pub fn shrunk(&mut self, now: u64) {
        (self.table.shrunk)(self.law.as_mut_ptr(), now);
    }

    pub fn reset(&mut self, now: u64) {
        (self.table.reset)(self.law.as_mut_ptr(), self.params.as_ptr(), now);
    }

    /// Internal values, as many as in the table, in its units.
    pub fn show(&self) -> [i64; 16] {
        let mut values = [0; 16];
        assert!(self.table.shows().len() <= values.len(), "inner values");
        (self.table.show)(self.law.as_ptr(), values.as_mut_ptr());
        values
    }
}

/// The functions of `bpf/fixed.h`, for tests.
pub mod fixed {
    unsafe extern "C" {
        fn tusker_muldiv(a: u64, b: u64, c: u64) -> u64;
        fn tusker_mul_shift(a: u64, b: u64, n: u32) -> u64;
        fn tusker_wide_div(hi: u64, lo: u64, d: u64) -> u64;
        fn tusker_wide_shift(hi: u64, lo: u64, left: u32, right: u32, low: *mut u64) -> u64;
        fn tusker_log2_floor(x: u64) -> u32;
        fn tusker_ln(x: u64) -> i64;
        fn tusker_exp(x: i64) -> u64;
        fn tusker_root(hi: u64, lo: u64, half: *mut u32) -> u64;
    }

    /// `a b / c` rounded to the nearest; `u64::MAX` if it does not fit.
    pub fn muldiv(a: u64, b: u64, c: u64) -> u64 {
        // SAFETY: computes with its arguments alone, as all of these
        unsafe { tusker_muldiv(a, b, c) }
    }

    /// `a b / 2^n` rounded to the nearest, `n` from 1 to 63; `u64::MAX` if it does not fit.
    pub fn mul_shift(a: u64, b: u64, n: u32) -> u64 {
        // SAFETY: as above
        unsafe { tusker_mul_shift(a, b, n) }
    }

    /// `a / d` rounded down; `u64::MAX` if it does not fit.
    pub fn wide_div(a: u128, d: u64) -> u64 {
        // SAFETY: as above
        unsafe { tusker_wide_div((a >> 64) as u64, a as u64, d) }
    }

    /// `(a << left) >> right`, each below 128.
    pub fn wide_shift(a: u128, left: u32, right: u32) -> u128 {
        let mut low = 0;
        // SAFETY: writes one value
        let high =
            unsafe { tusker_wide_shift((a >> 64) as u64, a as u64, left, right, &raw mut low) };
        u128::from(high) << 64 | u128::from(low)
    }

    /// The position of the highest set bit; 0 for 0.
    pub fn log2_floor(x: u64) -> u32 {
        // SAFETY: as above
        unsafe { tusker_log2_floor(x) }
    }

    /// `ln x` with 32 binary places.
    pub fn ln(x: u64) -> i64 {
        // SAFETY: as above
        unsafe { tusker_ln(x) }
    }

    /// `e^x` with 32 binary places.
    pub fn exp(x: i64) -> u64 {
        // SAFETY: as above
        unsafe { tusker_exp(x) }
    }

    /// The square root of `a` below 2^126: `root 2^-half`.
    pub fn root(a: u128) -> (u64, u32) {
        let mut half = 0;
        // SAFETY: writes one value
        let root = unsafe { tusker_root((a >> 64) as u64, a as u64, &raw mut half) };
        (root, half)
    }
}

/// What a law takes over from the kernel: `bpf/adopt.h`, for tests.
pub mod adopt {
    use super::FxWindow;

    /// `struct kernel_window`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct KernelWindow {
        /// Segments.
        pub cwnd: u32,
        /// Segments; `0x7fffffff`: none.
        pub ssthresh: u32,
        /// The window before the last reduction, segments.
        pub prior_cwnd: u32,
    }

    unsafe extern "C" {
        fn tusker_adopt(w: *mut FxWindow, k: *mut KernelWindow) -> u8;
    }

    /// What a law with this window and threshold has after taking over `kernel`, which is
    /// mended first; true if it had to be.
    pub fn adopt([cwnd, ssthresh]: [u64; 2], kernel: &mut KernelWindow) -> ([u64; 2], bool) {
        let mut window = FxWindow { cwnd, ssthresh };
        // SAFETY: reads and writes these two
        let mended = unsafe { tusker_adopt(&raw mut window, kernel) };
        ([window.cwnd, window.ssthresh], mended != 0)
    }
}
