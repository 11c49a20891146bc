//! A Rust module with the names, types and bytes of an object.

use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;

use crate::error::Error;
use crate::ffi;
use crate::object::Object;
use crate::text;

/// A module `name` for user space, the one of `bpfskel`, with the names of libbpf-cargo. It contains
///
/// - `ELF_BYTES`, the bytes of `object`;
/// - `maps` and `progs`, modules with the names of maps and programs;
/// - `types`, a module with a struct for each data section, `bss`, `data`, `rodata`, whose fields are its
///   variables, and with their types and those of keys and values of maps.
///
/// `bpfskel(1)` has the details.
///
/// ```
/// # let compile = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/compile.rs"));
/// # let path = compile("module", "char flag; struct pair { int a; long b; } pair;");
/// # let object = bpflink::Object::open(path)?;
/// let module = bpflink::rust_module(&object, "pairs")?;
/// assert!(module.contains("pub mod pairs {"));
/// assert!(module.contains("pub pair: pair,"));
/// assert!(module.contains("pub __pad_4: [u8; 4],"));
/// # Ok::<(), bpflink::Error>(())
/// ```
pub fn rust_module(object: &Object, name: &str) -> Result<String, Error> {
    let name = text::to_c(name)?;
    let image = object.image();
    let mut module = ptr::null_mut();
    let mut error = ptr::null_mut();
    // SAFETY: take() frees the module and the reason, each once.
    unsafe {
        let status =
            ffi::bpflink_rust_module(image.as_ptr().cast(), image.len(), name.as_ptr(), &mut module, &mut error);
        match status {
            ffi::BPFLINK_OK => Ok(text::take(module)),
            _ => Err(Error::of(status, text::take(error))),
        }
    }
}

/// Writes the module that [`rust_module`] makes into the file `name.rs` in `directory`. Returns its
/// path. A `build.rs` calls this, and its crate includes the module:
///
/// ```no_run
/// # fn link() -> Result<bpflink::Object, bpflink::Error> { unimplemented!() }
/// let object = link()?;
/// bpflink::write_skeleton(&object, "counter", std::env::var_os("OUT_DIR").unwrap())?;
/// // and in main.rs: include!(concat!(env!("OUT_DIR"), "/counter.rs"));
/// # Ok::<(), bpflink::Error>(())
/// ```
pub fn write_skeleton(object: &Object, name: &str, directory: impl AsRef<Path>) -> Result<PathBuf, Error> {
    let file = directory.as_ref().join(format!("{}.rs", name));
    fs::write(&file, rust_module(object, name)?)
        .map_err(|error| Error::Output(format!("{}: {}", file.display(), error)))?;
    Ok(file)
}
