//! A wire: one packet after the other.

mod fixed;

pub use fixed::Wire;
