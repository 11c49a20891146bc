//! What a build script says to cargo.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use crate::error::{Diagnostic, Error};

/// Prints each line of `text` as a warning about cargo if this is a build script.
pub fn warn(text: &str) {
    if env::var_os("CARGO_CFG_TARGET_ARCH").is_some() {
        for line in text.lines() {
            println!("cargo:warning={}", line);
        }
    }
}

/// The same for a diagnostic.
pub fn warn_of(diagnostic: &Diagnostic) {
    warn(&diagnostic.to_string());
}

/// Makes bpflink the linker of the programs in Rust for BPF that this build script has cargo build, as
/// aya-build does, unless the environment names another one:
///
/// ```no_run
/// fn main() -> Result<(), bpflink::Error> {
///     bpflink::link_rust()?;
///     // aya_build::build_ebpf(...)
///     Ok(())
/// }
/// ```
///
/// # Errors
/// [`Error::Program`]: neither pkg-config nor `BPFLINK_LIB_DIR` leads to the installed linker.
pub fn link_rust() -> Result<(), Error> {
    let linker = find_linker()?;
    for target in ["BPFEL", "BPFEB"] {
        let variable = format!("CARGO_TARGET_{}_UNKNOWN_NONE_LINKER", target);
        println!("cargo:rerun-if-env-changed={}", variable);
        if env::var_os(&variable).is_none() {
            env::set_var(variable, &linker);
        }
    }
    Ok(())
}

fn find_linker() -> Result<PathBuf, Error> {
    let beside = env::var_os("BPFLINK_LIB_DIR")
        .map(|directory| PathBuf::from(directory).join("../libexec/bpflink/rust/bpf-linker"));
    let known = Command::new("pkg-config").args(["--variable=rust_linker", "bpflink"]).output().ok();
    let known = known.and_then(|output| String::from_utf8(output.stdout).ok()).map(|path| path.trim().into());
    let mut paths = beside.into_iter().chain(known);
    paths
        .find(|path: &PathBuf| path.is_file())
        .ok_or_else(|| Error::Program("bpf-linker of bpflink is not found: pkg-config does not know bpflink".into()))
}
