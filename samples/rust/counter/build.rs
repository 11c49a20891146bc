//! Compiles two C files for BPF, links them in memory, and writes the module that main.rs includes.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use bpflink::{Linker, Object, Options};

/// Compiles `source` into `directory`, and returns the path of the object.
fn compile(source: &str, directory: &Path) -> Result<PathBuf, Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", source);
    let object = directory.join(Path::new(source).with_extension("o").file_name().unwrap());
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang-19".into());
    let status = Command::new(clang)
        .args(["-g", "-O2", "--target=bpf", "-mcpu=v3"])
        .arg(format!("-idirafter/usr/include/{}-linux-gnu", env::consts::ARCH)) // Debian's asm/types.h
        .args(["-c", source, "-o"])
        .arg(&object)
        .status()?;
    if !status.success() {
        return Err(format!("{} is not compiled", source).into());
    }
    Ok(object)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=bpf/counter.h");
    println!("cargo:rerun-if-env-changed=CLANG");
    let directory = PathBuf::from(env::var("OUT_DIR")?);
    let mut linker = Linker::in_memory(&Options::default())?;
    for source in ["bpf/main.bpf.c", "bpf/state.bpf.c"] {
        linker.add_file(compile(source, &directory)?)?;
    }
    let linked = linker.link_to_memory().map_err(|error| {
        eprintln!("{}", error); // in full; Debug would print one long line
        "the link failed"
    })?;
    bpflink::write_skeleton(&Object::parse(linked)?, "skel", directory)?;
    Ok(())
}
