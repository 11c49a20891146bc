//! Links BPF objects, looks into the result, writes a skeleton of it for Rust, and deduplicates
//! BTF: libbpflink for Rust.
//!
//! [`Linker`] has the shape of libbpf-rs's: `new`, `add_file`, `add_buf`, `link`. What is wrong
//! with the inputs comes back as values, with the places in the sources:
//!
//! ```
//! # let compile = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/compile.rs"));
//! # let user = compile("user", "int helper(int); int user(int x) { return helper(x); }");
//! use bpflink::{Error, Linker, Options};
//!
//! let mut linker = Linker::in_memory(&Options::default())?;
//! linker.add_file(&user)?; // calls helper()
//! match linker.link_to_memory() {
//!     Err(Error::Link(diagnostics)) => {
//!         assert_eq!(diagnostics[0].message, "undefined symbol: helper");
//!         assert_eq!(diagnostics[0].symbol, "helper");
//!         assert_eq!(diagnostics[0].locations[0].line, 1);
//!     }
//!     other => panic!("{:?}", other),
//! }
//! # Ok::<(), Error>(())
//! ```
//!
//! A project names the crate by the path where bpflink was installed:
//!
//! ```toml
//! [build-dependencies]
//! bpflink = { path = "/usr/local/share/bpflink/rust" }
//! ```
//!
//! The library is found by pkg-config, or in the directory that the environment variable
//! `BPFLINK_LIB_DIR` names. `libbpflink.a` is preferred, so that programs run wherever the shared
//! library lies; they need the C++ library and libelf.
#![warn(missing_docs)]

mod btf;
mod dedup;
mod error;
mod ffi;
mod linker;
mod object;
mod skeleton;
mod text;

pub use btf::{kind, Btf, Enumerator, Member, Type};
pub use dedup::Dedup;
pub use error::{Code, Diagnostic, Error, Location, Severity};
pub use linker::{Linker, Options};
pub use object::{DataSection, Extern, Map, Object, Program, StructOps, Variable};
pub use skeleton::{rust_module, write_skeleton};

/// The version of the library that is linked in.
///
/// ```
/// assert!(bpflink::version().split('.').count() == 3);
/// ```
pub fn version() -> String {
    // SAFETY: a static string
    unsafe { text::from_c(ffi::bpflink_version()) }
}
