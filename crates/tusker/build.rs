//! Gives the program the identity of its build, for the results that it stores.

mod identity;

use std::env;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use identity::Identity;

fn main() -> Result<(), Box<dyn Error>> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let crates = own.parent().unwrap_or(&own);
    let version = env::var("CARGO_PKG_VERSION")?;
    let identity = Identity::of(crates, &own.join("../../Cargo.lock"), &version)?;
    println!("cargo:rerun-if-changed=build.rs");
    // at a fixed address, the program needs no 15,000 addresses written at each start; its
    // libraries, stack and memory are at random addresses as before
    if env::var("CARGO_CFG_TARGET_OS")? == "linux" && env::var("CARGO_CFG_TARGET_ENV")? == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
    println!("cargo:rerun-if-changed=identity.rs");
    for path in identity.read.iter().filter(|path| path.exists()) {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    println!("cargo:rustc-env=TUSKER_BUILD={}", identity.simulated);
    println!("cargo:rustc-env=TUSKER_SHORT_BUILD={}", &identity.simulated[..8]);
    println!("cargo:rustc-env=TUSKER_TESTBED_BUILD={}", identity.measured);
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("page.rs"), page()?)?;
    Ok(())
}

/// The files of the live page as a list for `tusker serve`: those of the folder TUSKER_PAGE, if
/// it is set.
fn page() -> Result<String, Box<dyn Error>> {
    println!("cargo:rerun-if-env-changed=TUSKER_PAGE");
    let mut list = String::from("const WITHIN: &[(&str, &[u8])] = &[");
    if let Some(folder) = env::var_os("TUSKER_PAGE").map(PathBuf::from) {
        println!("cargo:rerun-if-changed={}", folder.display());
        for below in ["", "report"] {
            let mut files: Vec<PathBuf> = Vec::new();
            for entry in fs::read_dir(folder.join(below))? {
                files.push(entry?.path());
            }
            files.sort();
            for file in files.iter().filter(|file| file.is_file()) {
                let name = file.strip_prefix(&folder)?.to_string_lossy();
                let path = fs::canonicalize(file)?;
                write!(list, "({name:?}, include_bytes!({:?})),", path.to_string_lossy())?;
            }
        }
    }
    Ok(list + "];\n")
}
