//! Embeds the laws' test scripts, so that `tusker kernel prove` can run them anywhere.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Writes `scripts.rs` into `OUT_DIR`: the scripts' names and texts.
pub fn build() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tusker-scripts/scripts");
    println!("cargo::rerun-if-changed={}", folder.display());
    let files = fs::read_dir(&folder).expect("the scripts are a part of the sources");
    let mut files: Vec<PathBuf> =
        files.map(|file| file.expect("a folder can be read").path()).collect();
    files.sort();
    let list: String = files
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap_or_default();
            format!("({name:?}, include_str!({path:?})),\n")
        })
        .collect();
    let list = format!(
        "/// The scripts' names and texts.\nconst SCRIPTS: &[(&str, &str)] = &[\n{list}];\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("scripts.rs"), list).expect("cargo made OUT_DIR");
}
