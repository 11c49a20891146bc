//! Links the program of ../counter, and writes the types that its loaders use: its own, and the kernel's.

use std::{env, fs, process::Command};

/// What a program prints.
fn run(program: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(program).args(arguments).output().expect(program);
    assert!(output.status.success(), "{}: {}", program, String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn main() {
    env::set_current_dir(env::var("OUT_DIR").unwrap()).unwrap();
    let clang = env::var("CLANG").unwrap_or_else(|_| "clang-19".into());
    let include = format!("-I/usr/include/{}-linux-gnu", env::consts::ARCH);
    for name in ["main", "state"] {
        let source = format!("{}/../counter/bpf/{}.bpf.c", env::var("CARGO_MANIFEST_DIR").unwrap(), name);
        run(&clang, &["-g", "-O2", "--target=bpf", &include, "-c", &source, "-o", &format!("{name}.o")]);
        println!("cargo:rerun-if-changed={source}");
    }
    run("bpflink", &["main.o", "state.o", "-o", "counter.o"]);
    fs::write("counter.rs", run("btfdedup", &["counter.o", "--dump", "rust", "--type", "event"])).unwrap();
    let mut arguments = vec!["/sys/kernel/btf/vmlinux", "--dump", "rust"];
    arguments.extend(["bpf_attr", "bpf_prog_info", "BPF_PROG_TEST_RUN"].iter().flat_map(|name| ["--type", name]));
    fs::write("kernel.rs", run("btfdedup", &arguments)).unwrap();
}
