//! Compiles the laws in C.

#[path = "build/host.rs"]
mod host;

fn main() {
    host::build();
}
