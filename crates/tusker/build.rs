//! Gives the program the identity of its build, for the results that it stores.

mod identity;

use std::env;
use std::error::Error;
use std::path::PathBuf;

use identity::Identity;

fn main() -> Result<(), Box<dyn Error>> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let crates = own.parent().unwrap_or(&own);
    let version = env::var("CARGO_PKG_VERSION")?;
    let identity = Identity::of(crates, &own.join("../../Cargo.lock"), &version)?;
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=identity.rs");
    for path in identity.read.iter().filter(|path| path.exists()) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    println!("cargo:rustc-env=TUSKER_BUILD={}", identity.simulated);
    println!("cargo:rustc-env=TUSKER_SHORT_BUILD={}", &identity.simulated[..8]);
    println!("cargo:rustc-env=TUSKER_TESTBED_BUILD={}", identity.measured);
    Ok(())
}
