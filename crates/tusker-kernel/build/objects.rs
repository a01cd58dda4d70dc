//! The C versions of the laws, compiled for the kernel, one object each.

use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::{env, fs};

fn out() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"))
}

/// Compiles `NAME.o` into `OUT_DIR` for each `NAME.bpf.c`, and writes `objects.rs`, which
/// contains them all.
pub fn build() {
    let bpf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bpf");
    println!("cargo::rerun-if-env-changed=CLANG");
    let headers = env::var_os("DEP_BPF_INCLUDE").expect("libbpf-sys says where its headers are");
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let mut list = String::new();
    for (name, source) in sources(&bpf) {
        let done = Command::new(&clang)
            .args(["-target", "bpf", "-mcpu=v3", "-O2", "-g"])
            .args(["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"])
            // BPF_PROG looks at it; nothing else depends on the machine
            .arg("-D__TARGET_ARCH_x86")
            .arg("-I")
            .arg(&headers)
            .arg("-c")
            .arg(&source)
            .arg("-o")
            .arg(out().join(format!("{name}.o")))
            .status();
        match done {
            Ok(status) if status.success() => {}
            Ok(_) => exit(1),
            Err(error) => {
                println!("cargo::error=cannot run {clang}: {error}; `make kernel` installs it");
                exit(1);
            }
        }
        list +=
            &format!("({name:?}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.o\"))),\n");
    }
    let list = format!(
        "/// The objects by their laws' names.\npub const OBJECTS: &[(&str, &[u8])] = &[\n{list}];\n"
    );
    fs::write(out().join("objects.rs"), list).expect("cargo made OUT_DIR");
}

/// The laws' names and files, in order.
fn sources(bpf: &Path) -> Vec<(String, PathBuf)> {
    let files = fs::read_dir(bpf).expect("bpf/ is a part of the sources");
    let mut sources: Vec<_> = files
        .filter_map(|file| {
            let path = file.expect("a folder can be read").path();
            let name = path.file_name()?.to_str()?.strip_suffix(".bpf.c")?.to_owned();
            Some((name, path))
        })
        .collect();
    sources.sort();
    sources
}
