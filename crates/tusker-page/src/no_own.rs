//! The reader's own law in a build without it.

use serde_json::Value;

use crate::fault::Fault;

/// The name of the law in scenarios.
pub const NAME: &str = "own";

/// There is none.
#[derive(Debug)]
pub enum Own {}

impl Own {
    /// Refuses it.
    pub fn read(_: &Value) -> Result<Self, Fault> {
        let expected = "the engine of the page";
        let fault =
            Fault::new("a law of one's own runs only in the browser", expected, "open it there");
        Err(fault.at("own"))
    }

    /// Never called.
    pub fn within<T>(&self, _: impl FnOnce() -> T) -> T {
        match *self {}
    }
}
