//! libbpflink for Rust: links BPF objects, inspects the result, writes a skeleton of it for Rust,
//! and deduplicates BTF.
//!
//! [`Builder`] compiles and links the BPF programs of a crate in its build script, checks them, and writes
//! the skeleton. [`Linker`] has the methods of libbpf-rs's linker: `new`, `add_file`, `add_buf`, `link`.
//! Errors in the inputs are returned as values, with their places in the sources:
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
//! A project refers to the crate by the path where bpflink is installed:
//!
//! ```toml
//! [build-dependencies]
//! bpflink = { path = "/usr/local/share/bpflink/rust" }
//! ```
//!
//! pkg-config finds the library, unless the environment variable `BPFLINK_LIB_DIR` names its
//! directory. `libbpflink.a` is preferred, so that programs do not need the shared library; they
//! need the C++ library and libelf.
#![warn(missing_docs)]

/// Defines a struct, and its copy of one of C: each field with its documentation, type and value.
macro_rules! copied {
    ($(#[$about:meta])* $name:ident from $raw:pat, $from:ty { $($(#[$doc:meta])* $field:ident: $type:ty = $value:expr,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name { $($(#[$doc])* pub $field: $type,)* }

        impl $name {
            /// # Safety
            /// The library filled in what is copied, and what it points to still exists.
            #[allow(clippy::redundant_field_names)] // a macro has no shorthand
            pub(crate) unsafe fn copy($raw: $from) -> $name {
                $name { $($field: $value,)* }
            }
        }
    };
}

mod btf;
mod builder;
mod cargo;
mod dedup;
mod error;
mod linker;
mod object;
mod skeleton;
mod text;

use bpflink_sys as ffi;

pub use btf::{kind, Btf, Enumerator, Member, Type};
pub use builder::Builder;
pub use cargo::link_rust;
pub use dedup::Dedup;
pub use error::{Code, Diagnostic, Error, Location, Severity};
pub use linker::{Linker, Options};
pub use object::{DataSection, Extern, Map, Object, Program, StructOps, Variable};
pub use skeleton::{libbpf_rs_module, rust_module, write_skeleton};

/// The version of the library.
///
/// ```
/// assert!(bpflink::version().split('.').count() == 3);
/// ```
pub fn version() -> String {
    // SAFETY: the string is static.
    unsafe { text::from_c(ffi::bpflink_version()) }
}
