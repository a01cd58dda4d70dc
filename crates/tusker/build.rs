//! Identifies this build by a hash of the sources of everything that affects results, so that
//! results of two builds are never mixed. Pages, papers and the command line affect none. The
//! testbed affects what is measured, but nothing that is simulated, so it has a hash of its
//! own.
//!
//! Where the sources are not beside this crate, the version must do.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Crates that decide no number of a simulated result.
const OUTSIDE: [&str; 5] = ["tusker", "tusker-papers", "tusker-python", "tusker-report", TESTBED];

/// What decides measured ones as well.
const TESTBED: &str = "tusker-testbed";

/// What the simulator and the laws take from others.
const PACKAGES: [&str; 4] = ["libm", "rand_core", "rand_pcg", "statrs"];

fn main() -> Result<(), Box<dyn Error>> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut hasher = blake3::Hasher::new();
    hasher.update(env::var("CARGO_PKG_VERSION")?.as_bytes());
    let all = own.parent().unwrap_or(&own);
    for folder in crates(all) {
        add(&mut hasher, &folder)?;
    }
    for text in versions(&own.join("../../Cargo.lock")) {
        hasher.update(text.as_bytes());
    }
    println!("cargo:rerun-if-changed=build.rs");
    let build = hasher.finalize().to_hex();
    println!("cargo:rustc-env=TUSKER_BUILD={build}");
    println!("cargo:rustc-env=TUSKER_SHORT_BUILD={}", &build[..8]);
    let testbed = all.join(TESTBED).join("src");
    if testbed.is_dir() {
        add(&mut hasher, &testbed)?;
    }
    println!("cargo:rustc-env=TUSKER_TESTBED_BUILD={}", hasher.finalize().to_hex());
    Ok(())
}

/// Adds every file of a crate's sources.
fn add(hasher: &mut blake3::Hasher, folder: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let name = folder.parent().and_then(Path::file_name).unwrap_or_default();
    for file in files(folder)? {
        let within = file.strip_prefix(folder)?;
        let content = fs::read(&file)?;
        let head = format!("{}/{} {}\n", name.display(), within.display(), content.len());
        hasher.update(head.replace('\\', "/").as_bytes());
        hasher.update(&content);
    }
    Ok(())
}

/// The source folders of the crates that decide results, in order.
fn crates(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("tusker") && !OUTSIDE.contains(&&*name)
    };
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(ours).collect();
    all.sort();
    all.into_iter().map(|path| path.join("src")).filter(|path| path.is_dir()).collect()
}

/// All files in a folder and below, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// What the lock file says of those packages.
fn versions(lock: &Path) -> Vec<String> {
    let Ok(text) = fs::read_to_string(lock) else { return Vec::new() };
    println!("cargo:rerun-if-changed={}", lock.display());
    let named =
        |part: &&str| PACKAGES.iter().any(|name| part.starts_with(&format!("name = \"{name}\"\n")));
    let parts = text.split("[[package]]\n").filter(named);
    // `name`, `version`
    parts.map(|part| part.lines().take(2).collect()).collect()
}
