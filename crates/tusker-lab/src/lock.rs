//! A lock that stays usable after a panic elsewhere.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic of another thread does not invalidate what was finished before.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
