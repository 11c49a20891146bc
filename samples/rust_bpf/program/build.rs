//! Compiles the file in C, and gives the object to the linker.
use std::env;
use std::process::Command;

fn main() {
    let object = format!("{}/scale.o", env::var("OUT_DIR").unwrap());
    let clang = env::var("CLANG").unwrap_or("clang".into());
    let arguments = ["--target=bpf", "-g", "-O2", "-c", "src/scale.bpf.c", "-o", &object];
    let status = Command::new(clang).args(arguments).status().expect("no clang");
    assert!(status.success(), "clang fails");
    println!("cargo:rerun-if-changed=src/scale.bpf.c");
    println!("cargo:rustc-link-arg={object}");
}
