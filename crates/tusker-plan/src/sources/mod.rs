//! What is sent when: random draws that are the same whatever executes a plan.

mod app;
mod background;
mod traffic;

pub use app::App;
pub use background::Background;
pub use traffic::{Begin, Traffic};
