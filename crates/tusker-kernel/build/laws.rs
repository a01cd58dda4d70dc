//! The laws in C: one for each header in `bpf/laws`.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder `bpf`.
pub fn bpf() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bpf")
}

/// The laws' names, in order.
pub fn names() -> Vec<String> {
    let files = fs::read_dir(bpf().join("laws")).expect("bpf/laws is a part of the sources");
    let mut names: Vec<String> = files
        .filter_map(|file| {
            let path = file.expect("a folder can be read").path();
            Some(path.file_name()?.to_str()?.strip_suffix(".h")?.to_owned())
        })
        .collect();
    names.sort();
    names
}
