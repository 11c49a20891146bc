// A function for tests and examples in the documentation. It compiles `source` for BPF into `name.o`
// and returns the path.
{
    fn compile(name: &str, source: &str) -> std::path::PathBuf {
        let directory = std::env::temp_dir().join(format!("bpflink-rust-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let object = directory.join(format!("{}.o", name));
        let input = directory.join(format!("{}.bpf.c", name));
        std::fs::write(&input, source).unwrap();
        let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-19".into());
        let mut command = std::process::Command::new(clang);
        command.args(["-g", "-O2", "--target=bpf", "-c"]).arg(&input).arg("-o").arg(&object);
        assert!(command.status().unwrap().success());
        object
    }
    compile
}
