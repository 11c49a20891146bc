//! Compiles two C files for BPF, links them, and writes the module that main.rs includes.

fn main() -> Result<(), bpflink::Error> {
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-19".into());
    let mut builder = bpflink::Builder::new();
    builder.clang(clang).source("bpf/main.bpf.c").source("bpf/state.bpf.c").build("skel")?;
    Ok(())
}
