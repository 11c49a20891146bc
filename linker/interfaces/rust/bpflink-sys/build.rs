//! Finds libbpflink in `BPFLINK_LIB_DIR` if that is set, otherwise by pkg-config. Links it statically
//! if possible: programs that depend on the crate would not find a shared library in other places.

use std::env;
use std::path::PathBuf;
use std::process::{self, Command};

fn library_directory() -> Option<PathBuf> {
    if let Some(directory) = env::var_os("BPFLINK_LIB_DIR") {
        return Some(directory.into());
    }
    let output = Command::new("pkg-config").args(["--variable=libdir", "bpflink"]).output().ok()?;
    let directory = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| directory.trim().into())
}

fn main() {
    println!("cargo:rerun-if-env-changed=BPFLINK_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let directory = library_directory().unwrap_or_else(|| {
        eprintln!("libbpflink is not found: pkg-config does not know bpflink, and BPFLINK_LIB_DIR is not set");
        process::exit(1);
    });
    println!("cargo:rustc-link-search=native={}", directory.display());
    if directory.join("libbpflink.a").exists() {
        println!("cargo:rustc-link-lib=static=bpflink");
        println!("cargo:rustc-link-lib=elf");
        println!("cargo:rustc-link-lib=stdc++");
    } else {
        println!("cargo:rustc-link-lib=bpflink");
    }
}
