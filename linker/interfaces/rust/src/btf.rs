//! Types.

use std::marker::PhantomData;
use std::ptr;

use crate::error::Error;
use crate::ffi;
use crate::text::{self, items};

/// The kinds of types, as linux/btf.h numbers them.
#[allow(missing_docs)]
pub mod kind {
    pub use crate::ffi::{
        BPFLINK_BTF_ARRAY as ARRAY, BPFLINK_BTF_CONST as CONST, BPFLINK_BTF_DATASEC as DATASEC,
        BPFLINK_BTF_DECL_TAG as DECL_TAG, BPFLINK_BTF_ENUM as ENUM, BPFLINK_BTF_ENUM64 as ENUM64,
        BPFLINK_BTF_FLOAT as FLOAT, BPFLINK_BTF_FUNC as FUNC, BPFLINK_BTF_FUNC_PROTO as FUNC_PROTO,
        BPFLINK_BTF_FWD as FWD, BPFLINK_BTF_INT as INT, BPFLINK_BTF_PTR as PTR, BPFLINK_BTF_RESTRICT as RESTRICT,
        BPFLINK_BTF_STRUCT as STRUCT, BPFLINK_BTF_TYPEDEF as TYPEDEF, BPFLINK_BTF_TYPE_TAG as TYPE_TAG,
        BPFLINK_BTF_UNION as UNION, BPFLINK_BTF_VAR as VAR, BPFLINK_BTF_VOLATILE as VOLATILE,
    };
}

copied! {
    /// A type. Fields that its kind does not have are 0 or empty.
    Type from raw, &ffi::bpflink_type {
        /// Its name, or "".
        name: String = text::from_c(raw.name),
        /// A constant of [`kind`].
        kind: u32 = raw.kind,
        /// Its size in bytes.
        size: u64 = raw.size,
        /// Its alignment in bytes, as in C for BPF; 1 for a packed struct.
        alignment: u32 = raw.alignment,
        /// The type that it refers to: pointee, aliased type, element type, return type.
        type_id: u32 = raw.type_id,
        /// The number of elements of an array.
        array_length: u64 = raw.array_length,
        /// Whether an integer or enum is signed.
        is_signed: bool = raw.encoding & ffi::BPFLINK_INT_SIGNED != 0
            || (matches!(raw.kind, kind::ENUM | kind::ENUM64) && raw.kind_flag != 0),
        /// The members of a struct or union.
        members: Vec<Member> = items(raw.members).map(|raw| Member::copy(raw)).collect(),
        /// The enumerators of an enum.
        enumerators: Vec<Enumerator> = items(raw.enumerators).map(|raw| Enumerator::copy(raw)).collect(),
    }
}

copied! {
    /// A member of a struct or union.
    Member from raw, &ffi::bpflink_member {
        /// Its name, or "".
        name: String = text::from_c(raw.name),
        /// Its type.
        type_id: u32 = raw.type_id,
        /// Bits from the beginning of the struct.
        bit_offset: u32 = raw.bit_offset,
        /// The size of a bit-field in bits; otherwise 0.
        bitfield_size: u32 = raw.bitfield_size,
    }
}

copied! {
    /// An enumerator of an enum.
    Enumerator from raw, &ffi::bpflink_enumerator {
        /// Its name.
        name: String = text::from_c(raw.name),
        /// Its value in two's complement, sign-extended to 64 bits if the enum is signed.
        value: u64 = raw.value,
    }
}

/// The types of an object, or of a blob of BTF.
///
/// ```
/// # let compile = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/compile.rs"));
/// # let path = compile("btf", "struct pair { int a; long b; } pair;");
/// # let object = bpflink::Object::open(path)?;
/// use bpflink::kind;
///
/// let btf = object.btf().unwrap();
/// let id = btf.find(kind::STRUCT, "pair").unwrap();
/// let pair = btf.type_by_id(id).unwrap();
/// assert_eq!((pair.size, pair.alignment), (16, 8));
/// assert_eq!((pair.members[1].name.as_str(), pair.members[1].bit_offset), ("b", 64));
/// assert!(btf.definition(id)?.starts_with("struct pair {"));
/// # Ok::<(), bpflink::Error>(())
/// ```
#[derive(Debug)]
pub struct Btf<'a> {
    raw: *const ffi::bpflink_btf,
    owned: *mut ffi::bpflink_btf,
    source: PhantomData<&'a [u8]>,
}

impl<'a> Btf<'a> {
    /// The BTF of an object, which owns it.
    pub(crate) fn of_object(raw: *const ffi::bpflink_btf) -> Btf<'a> {
        Btf { raw, owned: ptr::null_mut(), source: PhantomData }
    }

    /// Reads and checks a blob, the contents of a section `.BTF`.
    ///
    /// ```
    /// use bpflink::{Btf, Error};
    /// assert!(matches!(Btf::parse(b"no BTF"), Err(Error::Input(_))));
    /// ```
    pub fn parse(blob: &'a [u8]) -> Result<Btf<'a>, Error> {
        let mut owned = ptr::null_mut();
        let mut error = ptr::null_mut();
        // SAFETY: the blob outlives the handle; take() frees the reason, once.
        unsafe {
            let status = ffi::bpflink_btf_parse(blob.as_ptr().cast(), blob.len(), &mut owned, &mut error);
            if status != ffi::BPFLINK_OK {
                return Err(Error::of(status, text::take(error)));
            }
        }
        Ok(Btf { raw: owned, owned, source: PhantomData })
    }

    pub(crate) fn raw(&self) -> *const ffi::bpflink_btf {
        self.raw
    }

    /// One past the last id; ids begin with 1.
    pub fn end_id(&self) -> u32 {
        // SAFETY: the handle is valid, here and in the methods below.
        unsafe { ffi::bpflink_btf_end_id(self.raw) }
    }

    /// The type with this id, if there is one; void, 0, is none.
    pub fn type_by_id(&self, id: u32) -> Option<Type> {
        let mut raw = ptr::null();
        match unsafe { ffi::bpflink_btf_type(self.raw, id, &mut raw) } {
            ffi::BPFLINK_OK => Some(unsafe { Type::copy(&*raw) }),
            _ => None,
        }
    }

    /// The type behind typedefs, qualifiers and type tags.
    pub fn resolve(&self, mut id: u32) -> Option<(u32, Type)> {
        loop {
            let found = self.type_by_id(id)?;
            match found.kind {
                kind::TYPEDEF | kind::VOLATILE | kind::CONST | kind::RESTRICT | kind::TYPE_TAG => id = found.type_id,
                _ => return Some((id, found)),
            }
        }
    }

    /// The id of the first type of this kind and name.
    pub fn find(&self, kind: u32, name: &str) -> Option<u32> {
        let name = text::to_c(name).ok()?;
        let mut id = 0;
        let status = unsafe { ffi::bpflink_btf_find(self.raw, kind, name.as_ptr(), &mut id) };
        if status == ffi::BPFLINK_OK {
            Some(id)
        } else {
            None
        }
    }

    /// The declaration in C of `name` with this type, without a semicolon.
    pub fn declaration(&self, id: u32, name: &str) -> Result<String, Error> {
        let name = text::to_c(name)?;
        self.printed(id, unsafe { ffi::bpflink_btf_declaration(self.raw, id, name.as_ptr()) })
    }

    /// The definition of the type in C.
    pub fn definition(&self, id: u32) -> Result<String, Error> {
        self.printed(id, unsafe { ffi::bpflink_btf_definition(self.raw, id) })
    }

    fn printed(&self, id: u32, text: *mut std::os::raw::c_char) -> Result<String, Error> {
        if text.is_null() {
            return Err(Error::Argument(format!("no type has the id {}", id)));
        }
        Ok(unsafe { text::take(text) })
    }
}

impl Drop for Btf<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle is null, or owned by this Btf.
        unsafe { ffi::bpflink_btf_free(self.owned) }
    }
}
