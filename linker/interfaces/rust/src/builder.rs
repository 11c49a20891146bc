//! What a build script does with the BPF programs of a crate.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo;
use crate::error::Error;
use crate::linker::{Linker, Options};
use crate::object::Object;
use crate::skeleton::{libbpf_rs_module, rust_module, write_file};

/// Compiles, links and checks the BPF programs of a crate, and writes their skeleton. This is a whole
/// `build.rs`:
///
/// ```no_run
/// fn main() -> Result<(), bpflink::Error> {
///     let mut builder = bpflink::Builder::new();
///     builder.source("bpf/main.bpf.c").source("bpf/state.bpf.c").libbpf_rs(true).build("counter")?;
///     Ok(())
/// }
/// ```
///
/// and the crate has, for the name `counter`:
///
/// ```ignore
/// include!(concat!(env!("OUT_DIR"), "/counter.rs"));
/// ```
///
/// Warnings of the compiler, the linker and the check become warnings of cargo, and cargo runs the script
/// again if a source or a header changes.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    sources: Vec<PathBuf>,
    objects: Vec<PathBuf>,
    clang: Option<OsString>,
    clang_args: Vec<OsString>,
    options: Options,
    libbpf_rs: bool,
    kernels: Vec<PathBuf>,
    check_args: Vec<OsString>,
}

impl Builder {
    /// A builder without sources.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Adds a source in C.
    pub fn source(&mut self, path: impl AsRef<Path>) -> &mut Builder {
        self.sources.push(path.as_ref().into());
        self
    }

    /// Adds an object, archive or file of bitcode, to be linked after the sources.
    pub fn object(&mut self, path: impl AsRef<Path>) -> &mut Builder {
        self.objects.push(path.as_ref().into());
        self
    }

    /// The compiler. By default, that of the environment variable `CLANG`, or `clang`, or `clang-19`.
    pub fn clang(&mut self, program: impl AsRef<OsStr>) -> &mut Builder {
        self.clang = Some(program.as_ref().into());
        self
    }

    /// Adds arguments of the compiler, after those for debug information, optimization, warnings, the processor `v3`
    /// and the macro `__TARGET_ARCH_...`.
    pub fn clang_args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Builder {
        self.clang_args.extend(arguments.into_iter().map(|argument| argument.as_ref().into()));
        self
    }

    /// How to link.
    pub fn options(&mut self, options: Options) -> &mut Builder {
        self.options = options;
        self
    }

    /// Whether the skeleton is one for libbpf-rs, see [`libbpf_rs_module`].
    pub fn libbpf_rs(&mut self, enable: bool) -> &mut Builder {
        self.libbpf_rs = enable;
        self
    }

    /// Adds a kernel that the programs must fit: an image, a file of BTF, or a directory of these. The program
    /// `bpfcore` checks CO-RE relocations, kfuncs, helpers and instructions, and its errors are those of the
    /// build.
    pub fn kernel(&mut self, path: impl AsRef<Path>) -> &mut Builder {
        self.kernels.push(path.as_ref().into());
        self
    }

    /// Adds arguments of `bpfcore check`, such as `--strict`.
    pub fn check_args(&mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> &mut Builder {
        self.check_args.extend(arguments.into_iter().map(|argument| argument.as_ref().into()));
        self
    }

    /// Writes the skeleton `name.rs` and the object `name.bpf.o` into `OUT_DIR`, and returns the object.
    pub fn build(&self, name: &str) -> Result<Object, Error> {
        let directory: PathBuf = match env::var_os("OUT_DIR") {
            Some(directory) => directory.into(),
            None => return Err(Error::Argument("OUT_DIR is not set: this is no build script".into())),
        };
        println!("cargo:rerun-if-env-changed=CLANG");
        let mut linker = Linker::in_memory(&self.options)?;
        for (index, source) in self.sources.iter().enumerate() {
            let object = directory.join(format!("{}.{}.o", name, index));
            self.compile(source, &object)?;
            linker.add_file(object)?;
        }
        for object in &self.objects {
            rerun_if_changed(object);
            linker.add_file(object)?;
        }
        let object = Object::parse(linker.link_to_memory()?)?;
        let file = write_file(&directory.join(format!("{}.bpf.o", name)), object.image())?;
        self.check(&file)?;
        let module = if self.libbpf_rs { libbpf_rs_module } else { rust_module }(&object, name)?;
        write_file(&directory.join(format!("{}.rs", name)), module.as_bytes())?;
        Ok(object)
    }

    fn compile(&self, source: &Path, object: &Path) -> Result<(), Error> {
        let dependencies = object.with_extension("d");
        let cfg = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.into());
        let arch = cfg("CARGO_CFG_TARGET_ARCH", env::consts::ARCH);
        let is_big = cfg("CARGO_CFG_TARGET_ENDIAN", "little") == "big";
        let mut command = Command::new(self.compiler());
        command
            .arg(if is_big { "--target=bpfeb" } else { "--target=bpfel" })
            .args(["-g", "-O2", "-mcpu=v3", "-Wall"])
            .arg(format!("-D__TARGET_ARCH_{}", kernel_arch(&arch)))
            .arg(format!("-idirafter/usr/include/{}-linux-gnu", arch)) // Debian's asm/types.h
            .args(&self.clang_args)
            .args(["-MMD", "-MF"])
            .arg(&dependencies)
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(object);
        run(&mut command)?;
        rerun_if_changed(source);
        let rule = fs::read_to_string(&dependencies).unwrap_or_default().replace("\\\n", " ");
        for file in rule.split_whitespace().skip(2) {
            rerun_if_changed(Path::new(file));
        }
        Ok(())
    }

    fn compiler(&self) -> OsString {
        let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
        let given = self.clang.clone().or_else(|| env::var_os("CLANG"));
        given.unwrap_or_else(|| if is_there("clang") { "clang" } else { "clang-19" }.into())
    }

    fn check(&self, object: &Path) -> Result<(), Error> {
        if self.kernels.is_empty() {
            return Ok(());
        }
        self.kernels.iter().for_each(|kernel| rerun_if_changed(kernel));
        let kernels = self.kernels.iter().flat_map(|kernel| [OsStr::new("--kernel"), kernel.as_os_str()]);
        run(Command::new("bpfcore").arg("check").args(&self.check_args).arg(object).args(kernels))
    }
}

/// Runs a command. What it prints becomes warnings of cargo, or the error if it fails.
fn run(command: &mut Command) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| Error::Program(format!("{}: {}", program, error)))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(Error::Program(format!("{} failed:\n{}", program, text.trim_end())));
    }
    cargo::warn(&text);
    Ok(())
}

fn rerun_if_changed(path: &Path) {
    println!("cargo:rerun-if-changed={}", path.display());
}

/// The name of an architecture in the kernel, for the macros of bpf_tracing.h.
fn kernel_arch(arch: &str) -> &str {
    match arch {
        "x86_64" => "x86",
        "aarch64" => "arm64",
        "powerpc64" => "powerpc",
        "s390x" => "s390",
        "riscv64" => "riscv",
        "loongarch64" => "loongarch",
        other => other,
    }
}
