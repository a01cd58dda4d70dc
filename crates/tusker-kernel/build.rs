//! Compiles the C versions of the laws, for this machine and for the kernel.

#[path = "build/host.rs"]
mod host;
#[path = "build/laws.rs"]
mod laws;
#[path = "build/objects.rs"]
mod objects;
#[path = "build/scripts.rs"]
mod scripts;

fn main() {
    host::build();
    objects::build();
    scripts::build();
}
