//! What is sent when: random draws that are the same for all executors.

mod app;
mod background;
mod traffic;

pub use app::App;
pub use background::Background;
pub use traffic::{Begin, Traffic};
