//! The C versions of the laws, compiled for this machine, where they run beside those in
//! Rust.

use std::path::Path;

/// Headers in `bpf/laws`.
const LAWS: &[&str] =
    &["fast", "ghstcp", "hcc", "hstcp", "htcp", "illinois", "scalable", "westwood"];

/// Compiles `host/law.c` once for each law, and `host/fixed.c`.
pub fn build() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bpf = root.join("../../bpf");
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
    for law in LAWS {
        let header = format!("\"laws/{law}.h\"");
        let table = format!("tusker_law_{law}");
        let mut build = compiler();
        build.define("LAW_HEADER", &*header).define("LAW_TABLE", &*table);
        build.file(root.join("host/law.c")).compile(&table);
    }
}
