//! The C versions of the laws, compiled for the kernel, one object each.

use std::path::PathBuf;
use std::process::{Command, exit};
use std::{env, fs};

use crate::laws;

fn out() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"))
}

/// Compiles `NAME.o` into `OUT_DIR` for each law: its header with the code that connects a law
/// with the kernel. Writes `objects.rs`, which contains them all.
pub fn build() {
    println!("cargo::rerun-if-env-changed=CLANG");
    let headers = env::var_os("DEP_BPF_INCLUDE").expect("libbpf-sys says where its headers are");
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang".to_owned());
    let mut list = String::new();
    for name in laws::names() {
        let source = out().join(format!("{name}.bpf.c"));
        let text = format!("#include \"laws/{name}.h\"\n#include \"glue.bpf.h\"\n");
        fs::write(&source, text).expect("cargo made OUT_DIR");
        let done = Command::new(&clang)
            .args(["-target", "bpf", "-mcpu=v3", "-O2", "-g"])
            .args(["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"])
            // BPF_PROG looks at it; nothing else depends on the machine
            .arg("-D__TARGET_ARCH_x86")
            .arg("-I")
            .arg(&headers)
            .arg("-I")
            .arg(laws::bpf())
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
