//! The C versions of the laws, compiled for this machine, where they run beside those in
//! Rust.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::laws;

/// Compiles `host/law.c` once for each law, and `host/fixed.c`; writes `tables.rs` into
/// `OUT_DIR`, which names the laws' symbols.
pub fn build() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bpf = laws::bpf();
    for path in [root.join("host"), bpf.clone()] {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let compiler = || {
        let mut build = cc::Build::new();
        build.include(&bpf).include(root.join("host")).std("c11").opt_level(2);
        build.warnings(true).extra_warnings(true).warnings_into_errors(true);
        build
    };
    compiler().file(root.join("host/fixed.c")).compile("tusker_fixed");
    let mut symbols = Vec::new();
    for law in laws::names() {
        let header = format!("\"laws/{law}.h\"");
        let table = format!("tusker_law_{law}");
        let mut build = compiler();
        build.define("LAW_HEADER", &*header).define("LAW_TABLE", &*table);
        build.file(root.join("host/law.c")).compile(&table);
        symbols.push(table);
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let tables = format!("tables!({});\n", symbols.join(", "));
    fs::write(out.join("tables.rs"), tables).expect("cargo made OUT_DIR");
}
