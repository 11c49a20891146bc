//! Types.

use std::marker::PhantomData;
use std::mem::size_of;
use std::ptr;

use crate::error::Error;
use crate::ffi;
use crate::text;

/// The kinds of types, as linux/btf.h numbers them.
#[allow(missing_docs)]
pub mod kind {
    pub const INT: u32 = 1;
    pub const PTR: u32 = 2;
    pub const ARRAY: u32 = 3;
    pub const STRUCT: u32 = 4;
    pub const UNION: u32 = 5;
    pub const ENUM: u32 = 6;
    pub const FWD: u32 = 7;
    pub const TYPEDEF: u32 = 8;
    pub const VOLATILE: u32 = 9;
    pub const CONST: u32 = 10;
    pub const RESTRICT: u32 = 11;
    pub const FUNC: u32 = 12;
    pub const FUNC_PROTO: u32 = 13;
    pub const VAR: u32 = 14;
    pub const DATASEC: u32 = 15;
    pub const FLOAT: u32 = 16;
    pub const DECL_TAG: u32 = 17;
    pub const TYPE_TAG: u32 = 18;
    pub const ENUM64: u32 = 19;
}

/// A type. Fields that its kind does not have are 0 or empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// Its name, or "".
    pub name: String,
    /// A constant of [`kind`].
    pub kind: u32,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes, as in C for BPF; 1 for a packed struct.
    pub alignment: u32,
    /// The type that it refers to: pointee, aliased type, element type, return type.
    pub type_id: u32,
    /// The number of elements of an array.
    pub array_length: u64,
    /// Whether an integer or enum is signed.
    pub is_signed: bool,
    /// The members of a struct or union.
    pub members: Vec<Member>,
    /// The enumerators of an enum.
    pub enumerators: Vec<Enumerator>,
}

/// A member of a struct or union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name, or "".
    pub name: String,
    /// Its type.
    pub type_id: u32,
    /// Bits from the beginning of the struct.
    pub bit_offset: u32,
    /// The size of a bit-field in bits; otherwise 0.
    pub bitfield_size: u32,
}

/// An enumerator of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enumerator {
    /// Its name.
    pub name: String,
    /// Its value in two's complement, sign-extended to 64 bits if the enum is signed.
    pub value: u64,
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
        let mut raw = ffi::bpflink_type::default();
        let status = unsafe { ffi::bpflink_btf_type(self.raw, id, &mut raw, size_of::<ffi::bpflink_type>()) };
        if status != ffi::BPFLINK_OK {
            return None;
        }
        let (members, enumerators) = match raw.kind {
            kind::STRUCT | kind::UNION => (self.members(id, raw.vlen), Vec::new()),
            _ => (Vec::new(), self.enumerators(id, raw.vlen)),
        };
        let is_enum = raw.kind == kind::ENUM || raw.kind == kind::ENUM64;
        Some(Type {
            name: unsafe { text::from_c(raw.name) },
            kind: raw.kind,
            size: raw.size,
            alignment: raw.alignment,
            type_id: raw.type_id,
            array_length: raw.array_length,
            is_signed: raw.encoding & 1 != 0 || (is_enum && raw.kind_flag != 0),
            members,
            enumerators,
        })
    }

    fn members(&self, id: u32, count: u32) -> Vec<Member> {
        let member = |index| {
            let mut raw = ffi::bpflink_member::default();
            unsafe {
                ffi::bpflink_btf_member(self.raw, id, index, &mut raw, size_of::<ffi::bpflink_member>());
                let name = text::from_c(raw.name);
                Member { name, type_id: raw.type_id, bit_offset: raw.bit_offset, bitfield_size: raw.bitfield_size }
            }
        };
        (0..count).map(member).collect()
    }

    fn enumerators(&self, id: u32, count: u32) -> Vec<Enumerator> {
        let enumerator = |index| {
            let mut raw = ffi::bpflink_enumerator::default();
            unsafe {
                ffi::bpflink_btf_enumerator(self.raw, id, index, &mut raw, size_of::<ffi::bpflink_enumerator>());
                Enumerator { name: text::from_c(raw.name), value: raw.value }
            }
        };
        (0..count).map(enumerator).collect()
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
