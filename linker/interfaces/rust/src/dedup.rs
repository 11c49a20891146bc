//! Deduplication.

use std::ptr;

use crate::btf::Btf;
use crate::error::Error;
use crate::ffi;
use crate::text;

/// Merges equal types of several inputs.
///
/// ```
/// # let compile = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/compile.rs"));
/// # let path = compile("dedup", "struct pair { int a; long b; } pair;");
/// # let object = bpflink::Object::open(path)?;
/// use bpflink::{Btf, Dedup};
///
/// let btf = object.btf().unwrap();
/// let mut dedup = Dedup::new()?;
/// dedup.add("first", &btf)?;
/// dedup.add("second", &btf)?;
/// let once = dedup.run()?;
/// assert!(Btf::parse(&once)?.end_id() < 2 * btf.end_id() - 1); // not all of them twice
/// # Ok::<(), bpflink::Error>(())
/// ```
#[derive(Debug)]
pub struct Dedup {
    raw: *mut ffi::bpflink_dedup,
}

impl Dedup {
    /// Creates a deduplicator whose output has the byte order of the host.
    pub fn new() -> Result<Dedup, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: the handle is this Dedup's.
        let status = unsafe { ffi::bpflink_dedup_new(cfg!(target_endian = "big") as u32, &mut raw) };
        if status != ffi::BPFLINK_OK {
            return Err(Error::of(status, String::new()));
        }
        Ok(Dedup { raw })
    }

    /// Adds an input, called `name` in messages. `btf` may be dropped afterwards.
    pub fn add(&mut self, name: &str, btf: &Btf<'_>) -> Result<(), Error> {
        let name = text::to_c(name)?;
        // SAFETY: name and types are valid during the call, which copies them.
        match unsafe { ffi::bpflink_dedup_add(self.raw, name.as_ptr(), btf.raw()) } {
            ffi::BPFLINK_OK => Ok(()),
            status => Err(Error::of(status, String::new())),
        }
    }

    /// Deduplicates the inputs, and returns a blob of BTF.
    pub fn run(self) -> Result<Vec<u8>, Error> {
        let mut blob = ptr::null_mut();
        let mut size = 0;
        let mut error = ptr::null_mut();
        // SAFETY: the blob and the reason are each freed once.
        unsafe {
            let status = ffi::bpflink_dedup_run(self.raw, &mut blob, &mut size, &mut error);
            if status != ffi::BPFLINK_OK {
                return Err(Error::of(status, text::take(error)));
            }
            Ok(text::take_bytes(blob, size))
        }
    }
}

impl Drop for Dedup {
    fn drop(&mut self) {
        // SAFETY: this Dedup owns the handle.
        unsafe { ffi::bpflink_dedup_free(self.raw) }
    }
}

// SAFETY: any thread may use a deduplicator, but only one at a time.
unsafe impl Send for Dedup {}
