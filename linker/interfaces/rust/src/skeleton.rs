//! A Rust module with the names, types and bytes of an object.

use std::fs;
use std::os::raw::{c_char, c_void};
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
    module(object, name, ffi::bpflink_rust_module)
}

/// Such a module with a skeleton for the crate libbpf-rs, 0.26 or later, which the program must depend on.
/// For the name `counter`, `CounterSkelBuilder` opens the object, and its traits load and attach it, as with
/// libbpf-cargo:
///
/// ```no_run
/// # mod counter { pub struct CounterSkelBuilder; impl CounterSkelBuilder {
/// #   pub fn default() -> Self { todo!() } pub fn open(self, _: &mut std::mem::MaybeUninit<()>) -> Result<Open, ()> { todo!() } }
/// #   pub struct Data { pub sample_every: i32, pub total: u64 }
/// #   pub struct Maps { pub rodata_data: Option<Data>, pub bss_data: Option<Data> }
/// #   pub struct Open { pub maps: Maps } impl Open { pub fn load(self) -> Result<Skel, ()> { todo!() } }
/// #   pub struct Skel { pub maps: Maps } impl Skel { pub fn attach(&mut self) -> Result<(), ()> { todo!() } } }
/// // use libbpf_rs::skel::{OpenSkel, Skel, SkelBuilder};
/// let mut storage = std::mem::MaybeUninit::uninit();
/// let mut open = counter::CounterSkelBuilder::default().open(&mut storage)?;
/// open.maps.rodata_data.as_mut().unwrap().sample_every = 2;
/// let mut skel = open.load()?;
/// skel.attach()?;
/// println!("{}", skel.maps.bss_data.as_ref().unwrap().total);
/// # Ok::<(), ()>(())
/// ```
pub fn libbpf_rs_module(object: &Object, name: &str) -> Result<String, Error> {
    module(object, name, ffi::bpflink_libbpf_rs_module)
}

/// A function of the library that makes a module.
type Make = unsafe extern "C" fn(
    *const c_void,
    usize,
    *const c_char,
    *mut *mut c_char,
    *mut *mut c_char,
) -> ffi::bpflink_status;

fn module(object: &Object, name: &str, make: Make) -> Result<String, Error> {
    let name = text::to_c(name)?;
    let image = object.image();
    let mut module = ptr::null_mut();
    let mut error = ptr::null_mut();
    // SAFETY: take() frees the module and the reason, each once.
    unsafe {
        let status = make(image.as_ptr().cast(), image.len(), name.as_ptr(), &mut module, &mut error);
        match status {
            ffi::BPFLINK_OK => Ok(text::take(module)),
            _ => Err(Error::of(status, text::take(error))),
        }
    }
}

/// Writes the module that [`rust_module`] makes into the file `name.rs` in `directory`. Returns its
/// path. A `build.rs` calls this, or [`Builder`](crate::Builder) does, and its crate
/// includes the module:
///
/// ```no_run
/// # fn link() -> Result<bpflink::Object, bpflink::Error> { unimplemented!() }
/// let object = link()?;
/// bpflink::write_skeleton(&object, "counter", std::env::var_os("OUT_DIR").unwrap())?;
/// // and in main.rs: include!(concat!(env!("OUT_DIR"), "/counter.rs"));
/// # Ok::<(), bpflink::Error>(())
/// ```
pub fn write_skeleton(object: &Object, name: &str, directory: impl AsRef<Path>) -> Result<PathBuf, Error> {
    write_file(&directory.as_ref().join(format!("{}.rs", name)), rust_module(object, name)?.as_bytes())
}

pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<PathBuf, Error> {
    fs::write(path, bytes).map_err(|error| Error::Output(format!("{}: {}", path.display(), error)))?;
    Ok(path.into())
}
