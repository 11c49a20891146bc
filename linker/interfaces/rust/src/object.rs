//! The contents of an object as a loader sees them.

use std::path::Path;
use std::ptr;

use crate::btf::Btf;
use crate::error::Error;
use crate::ffi;
use crate::text::{self, items};

copied! {
    /// A program: a global function in a section of code other than `.text`.
    Program from raw, &ffi::bpflink_program {
        /// The function's name.
        name: String = text::from_c(raw.name),
        /// The name of its section, including a leading "?".
        section: String = text::from_c(raw.section),
        /// `enum bpf_prog_type`, as libbpf derives it from the section's name.
        prog_type: u32 = raw.type_,
        /// `enum bpf_attach_type` for loading it, or 0.
        attach_type: u32 = raw.attach_type,
        /// The number of instructions, in units of 8 bytes.
        instructions: u64 = raw.size / 8,
        /// The type id of its prototype, 0 without BTF.
        type_id: u32 = raw.type_id,
    }
}

copied! {
    /// A map that is defined in `.maps`. Attributes that the definition omits are 0.
    Map from raw, &ffi::bpflink_map {
        /// The variable's name.
        name: String = text::from_c(raw.name),
        /// `enum bpf_map_type`.
        map_type: u32 = raw.type_,
        /// The size of a key in bytes.
        key_size: u32 = raw.key_size,
        /// The size of a value in bytes.
        value_size: u32 = raw.value_size,
        /// The maximum number of elements.
        max_entries: u32 = raw.max_entries,
        /// `BPF_F_*`.
        flags: u32 = raw.flags,
        /// The type of keys.
        key_type_id: u32 = raw.key_type_id,
        /// The type of values.
        value_type_id: u32 = raw.value_type_id,
    }
}

copied! {
    /// A data section, for which the loader creates a map.
    DataSection from raw, &ffi::bpflink_data_section {
        /// Its name, such as ".rodata".
        name: String = text::from_c(raw.name),
        /// Its size in bytes.
        size: u64 = raw.size,
        /// Its initial bytes; `None` if all are zero.
        contents: Option<Vec<u8>> = contents(raw),
        /// Its variables in order of their offsets.
        variables: Vec<Variable> = items(raw.variables).map(|raw| Variable::copy(raw)).collect(),
    }
}

copied! {
    /// A variable of a data section.
    Variable from raw, &ffi::bpflink_variable {
        /// Its name.
        name: String = text::from_c(raw.name),
        /// Bytes into the section.
        offset: u64 = raw.offset,
        /// Its size in bytes.
        size: u64 = raw.size,
        /// Its type, 0 without BTF.
        type_id: u32 = raw.type_id,
    }
}

copied! {
    /// A function or variable that the object uses but does not define.
    Extern from raw, &ffi::bpflink_extern {
        /// Its name.
        name: String = text::from_c(raw.name),
        /// ".ksyms" or ".kconfig" if the loader provides it, otherwise "".
        section: String = text::from_c(raw.section),
        /// Its type or prototype, 0 without BTF.
        type_id: u32 = raw.type_id,
        /// Whether it is a function.
        is_function: bool = raw.is_function != 0,
        /// Whether it may stay undefined.
        is_weak: bool = raw.is_weak != 0,
    }
}

copied! {
    /// A variable in a `.struct_ops*` section.
    StructOps from raw, &ffi::bpflink_struct_ops {
        /// Its name.
        name: String = text::from_c(raw.name),
        /// The name of its struct.
        type_name: String = text::from_c(raw.type_name),
        /// The type id of its struct.
        type_id: u32 = raw.type_id,
        /// Whether a link attaches it.
        is_link: bool = raw.is_link != 0,
    }
}

/// A BPF object in memory.
///
/// ```
/// # let compile = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/compile.rs"));
/// # let path = compile("object", "volatile const int limit = 7; struct pair { int a; long b; } pair;");
/// use bpflink::Object;
///
/// let object = Object::open(&path)?;
/// let sections = object.data_sections();
/// let rodata = sections.iter().find(|section| section.name == ".rodata").unwrap();
/// assert_eq!(rodata.contents.as_deref(), Some(&7i32.to_le_bytes()[..]));
/// let btf = object.btf().unwrap();
/// let limit = &rodata.variables[0];
/// assert_eq!(btf.declaration(limit.type_id, &limit.name)?, "volatile const int limit");
/// # Ok::<(), bpflink::Error>(())
/// ```
#[derive(Debug)]
pub struct Object {
    raw: *mut ffi::bpflink_object,
    /// The bytes that `raw` refers to.
    image: Vec<u8>,
}

impl Object {
    /// Reads the object in the file `path`.
    pub fn open(path: impl AsRef<Path>) -> Result<Object, Error> {
        let path = path.as_ref();
        let image = std::fs::read(path).map_err(|error| Error::Input(format!("{}: {}", path.display(), error)))?;
        Object::parse(image)
    }

    /// Reads the object in `image`.
    pub fn parse(image: Vec<u8>) -> Result<Object, Error> {
        let mut raw = ptr::null_mut();
        let mut error = ptr::null_mut();
        // SAFETY: the bytes do not move while the handle lives; take() frees the reason, once.
        unsafe {
            let status = ffi::bpflink_object_parse(image.as_ptr().cast(), image.len(), &mut raw, &mut error);
            if status != ffi::BPFLINK_OK {
                return Err(Error::of(status, text::take(error)));
            }
        }
        Ok(Object { raw, image })
    }

    /// Its bytes.
    pub fn image(&self) -> &[u8] {
        &self.image
    }

    fn contents(&self) -> &ffi::bpflink_contents {
        // SAFETY: the handle is valid, here and in the methods below.
        unsafe { &*ffi::bpflink_object_contents(self.raw) }
    }

    /// The text of the section `license`; "" if there is none.
    pub fn license(&self) -> String {
        unsafe { text::from_c(self.contents().license) }
    }

    /// Its types, if it has BTF.
    pub fn btf(&self) -> Option<Btf<'_>> {
        let raw = self.contents().btf;
        (!raw.is_null()).then(|| Btf::of_object(raw))
    }

    /// Its programs.
    pub fn programs(&self) -> Vec<Program> {
        unsafe { items(self.contents().programs).map(|raw| Program::copy(raw)).collect() }
    }

    /// Its maps.
    pub fn maps(&self) -> Vec<Map> {
        unsafe { items(self.contents().maps).map(|raw| Map::copy(raw)).collect() }
    }

    /// Its data sections, with their variables.
    pub fn data_sections(&self) -> Vec<DataSection> {
        unsafe { items(self.contents().data_sections).map(|raw| DataSection::copy(raw)).collect() }
    }

    /// The functions and variables that it uses but does not define.
    pub fn externs(&self) -> Vec<Extern> {
        unsafe { items(self.contents().externs).map(|raw| Extern::copy(raw)).collect() }
    }

    /// Its struct_ops variables.
    pub fn struct_ops(&self) -> Vec<StructOps> {
        unsafe { items(self.contents().struct_ops).map(|raw| StructOps::copy(raw)).collect() }
    }
}

/// # Safety
/// The library filled in `section`, and its object still exists.
unsafe fn contents(section: &ffi::bpflink_data_section) -> Option<Vec<u8>> {
    if section.contents.is_null() {
        return None;
    }
    Some(std::slice::from_raw_parts(section.contents.cast(), section.size as usize).to_vec())
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: this Object owns the handle; each Btf of it borrows the Object.
        unsafe { ffi::bpflink_object_free(self.raw) }
    }
}

// SAFETY: any thread may use an object, but only one at a time.
unsafe impl Send for Object {}
