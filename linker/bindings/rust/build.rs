//! Finds libbpflink: in `BPFLINK_LIB_DIR` where that is set, else by pkg-config.

use std::env;
use std::process::{self, Command};

fn main() {
    println!("cargo:rerun-if-env-changed=BPFLINK_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Ok(directory) = env::var("BPFLINK_LIB_DIR") {
        println!("cargo:rustc-link-search=native={}", directory);
        println!("cargo:rustc-link-lib=bpflink");
        return;
    }
    let found = Command::new("pkg-config").args(["--libs", "bpflink"]).output();
    match found {
        Ok(output) if output.status.success() => {
            let flags = String::from_utf8_lossy(&output.stdout).into_owned();
            for flag in flags.split_whitespace() {
                if let Some(directory) = flag.strip_prefix("-L") {
                    println!("cargo:rustc-link-search=native={}", directory);
                } else if let Some(library) = flag.strip_prefix("-l") {
                    println!("cargo:rustc-link-lib={}", library);
                }
            }
        }
        _ => {
            eprintln!("libbpflink is not found: pkg-config does not know bpflink, and BPFLINK_LIB_DIR is not set");
            process::exit(1);
        }
    }
}
