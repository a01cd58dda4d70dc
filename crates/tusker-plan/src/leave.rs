//! What happens to a run's memory when the run is stopped.
//!
//! Freeing the many small allocations of 100,000 flows takes a second. A program
//! that ends anyway need not do this: the system frees them at once. One that
//! continues must.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};

static ENDS: AtomicBool = AtomicBool::new(false);

/// From now on this program ends when a run is stopped.
pub fn program_ends_when_stopped() {
    ENDS.store(true, Ordering::Relaxed);
}

/// Drops data of a stopped run, unless the program ends.
pub fn leave<T>(thing: T) {
    leave_if(ENDS.load(Ordering::Relaxed), thing);
}

fn leave_if<T>(ends: bool, thing: T) {
    if ends {
        mem::forget(thing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_is_left_is_freed_unless_the_program_ends() {
        let kept = Arc::new(());
        leave_if(false, kept.clone());
        assert_eq!(Arc::strong_count(&kept), 1);
        leave_if(true, kept.clone());
        assert_eq!(Arc::strong_count(&kept), 2);
    }
}
