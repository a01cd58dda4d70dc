//! What is sent when: random draws that are the same whatever executes a plan.

mod background;
mod traffic;

pub use background::Background;
pub use traffic::{Begin, Traffic};
