//! The contents of an object as a loader sees them.

use std::mem::size_of;
use std::path::Path;
use std::ptr;

use crate::btf::Btf;
use crate::error::Error;
use crate::ffi;
use crate::text;

/// A program: a global function in a section of code other than `.text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The function's name.
    pub name: String,
    /// The name of its section, including a leading "?".
    pub section: String,
    /// `enum bpf_prog_type`, as libbpf derives it from the section's name.
    pub prog_type: u32,
    /// `enum bpf_attach_type` for loading it, or 0.
    pub attach_type: u32,
    /// The number of instructions, in units of 8 bytes.
    pub instructions: u64,
    /// The type id of its prototype, 0 without BTF.
    pub type_id: u32,
}

/// A map that is defined in `.maps`. Attributes that the definition omits are 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// The variable's name.
    pub name: String,
    /// `enum bpf_map_type`.
    pub map_type: u32,
    /// The size of a key in bytes.
    pub key_size: u32,
    /// The size of a value in bytes.
    pub value_size: u32,
    /// The maximum number of elements.
    pub max_entries: u32,
    /// `BPF_F_*`.
    pub flags: u32,
    /// The type of keys.
    pub key_type_id: u32,
    /// The type of values.
    pub value_type_id: u32,
}

/// A data section, for which the loader creates a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSection {
    /// Its name, such as ".rodata".
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its initial bytes; `None` if all are zero.
    pub contents: Option<Vec<u8>>,
    /// Its variables in order of their offsets.
    pub variables: Vec<Variable>,
}

/// A variable of a data section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Bytes into the section.
    pub offset: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its type, 0 without BTF.
    pub type_id: u32,
}

/// A function or variable that the object uses but does not define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extern {
    /// Its name.
    pub name: String,
    /// ".ksyms" or ".kconfig" if the loader provides it, otherwise "".
    pub section: String,
    /// Its type or prototype, 0 without BTF.
    pub type_id: u32,
    /// Whether it is a function.
    pub is_function: bool,
    /// Whether it may stay undefined.
    pub is_weak: bool,
}

/// A variable in a `.struct_ops*` section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructOps {
    /// Its name.
    pub name: String,
    /// The name of its struct.
    pub type_name: String,
    /// The type id of its struct.
    pub type_id: u32,
    /// Whether a link attaches it.
    pub is_link: bool,
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

/// The descriptions of `count` items; `fill` fills in one of them.
fn describe<T: Default>(count: usize, mut fill: impl FnMut(usize, *mut T) -> ffi::bpflink_status) -> Vec<T> {
    let mut items = Vec::with_capacity(count);
    for index in 0..count {
        let mut item = T::default();
        if fill(index, &mut item) == ffi::BPFLINK_OK {
            items.push(item);
        }
    }
    items
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

    /// The text of the section `license`; "" if there is none.
    pub fn license(&self) -> String {
        // SAFETY: the handle is valid, here and in the methods below.
        unsafe { text::from_c(ffi::bpflink_object_license(self.raw)) }
    }

    /// Its types, if it has BTF.
    pub fn btf(&self) -> Option<Btf<'_>> {
        let raw = unsafe { ffi::bpflink_object_btf(self.raw) };
        if raw.is_null() {
            return None;
        }
        Some(Btf::of_object(raw))
    }

    /// Its programs.
    pub fn programs(&self) -> Vec<Program> {
        let count = unsafe { ffi::bpflink_object_program_count(self.raw) };
        let raw = describe(count, |index, out| unsafe {
            ffi::bpflink_object_program(self.raw, index, out, size_of::<ffi::bpflink_program>())
        });
        raw.iter()
            .map(|program| Program {
                name: unsafe { text::from_c(program.name) },
                section: unsafe { text::from_c(program.section) },
                prog_type: program.type_,
                attach_type: program.attach_type,
                instructions: program.size / 8,
                type_id: program.type_id,
            })
            .collect()
    }

    /// Its maps.
    pub fn maps(&self) -> Vec<Map> {
        let count = unsafe { ffi::bpflink_object_map_count(self.raw) };
        let raw = describe(count, |index, out| unsafe {
            ffi::bpflink_object_map(self.raw, index, out, size_of::<ffi::bpflink_map>())
        });
        raw.iter()
            .map(|map| Map {
                name: unsafe { text::from_c(map.name) },
                map_type: map.type_,
                key_size: map.key_size,
                value_size: map.value_size,
                max_entries: map.max_entries,
                flags: map.flags,
                key_type_id: map.key_type_id,
                value_type_id: map.value_type_id,
            })
            .collect()
    }

    /// Its data sections, with their variables.
    pub fn data_sections(&self) -> Vec<DataSection> {
        let count = unsafe { ffi::bpflink_object_data_section_count(self.raw) };
        let raw = describe(count, |index, out| unsafe {
            ffi::bpflink_object_data_section(self.raw, index, out, size_of::<ffi::bpflink_data_section>())
        });
        raw.iter()
            .enumerate()
            .map(|(index, section)| DataSection {
                name: unsafe { text::from_c(section.name) },
                size: section.size,
                contents: unsafe { copy_contents(section) },
                variables: self.variables(index, section.variable_count as usize),
            })
            .collect()
    }

    fn variables(&self, section: usize, count: usize) -> Vec<Variable> {
        let raw = describe(count, |index, out| unsafe {
            ffi::bpflink_object_variable(self.raw, section, index, out, size_of::<ffi::bpflink_variable>())
        });
        raw.iter()
            .map(|variable| Variable {
                name: unsafe { text::from_c(variable.name) },
                offset: variable.offset,
                size: variable.size,
                type_id: variable.type_id,
            })
            .collect()
    }

    /// The functions and variables that it uses but does not define.
    pub fn externs(&self) -> Vec<Extern> {
        let count = unsafe { ffi::bpflink_object_extern_count(self.raw) };
        let raw = describe(count, |index, out| unsafe {
            ffi::bpflink_object_extern(self.raw, index, out, size_of::<ffi::bpflink_extern>())
        });
        raw.iter()
            .map(|symbol| Extern {
                name: unsafe { text::from_c(symbol.name) },
                section: unsafe { text::from_c(symbol.section) },
                type_id: symbol.type_id,
                is_function: symbol.is_function != 0,
                is_weak: symbol.is_weak != 0,
            })
            .collect()
    }

    /// Its struct_ops variables.
    pub fn struct_ops(&self) -> Vec<StructOps> {
        let count = unsafe { ffi::bpflink_object_struct_ops_count(self.raw) };
        let raw = describe(count, |index, out| unsafe {
            ffi::bpflink_object_struct_ops(self.raw, index, out, size_of::<ffi::bpflink_struct_ops>())
        });
        raw.iter()
            .map(|ops| StructOps {
                name: unsafe { text::from_c(ops.name) },
                type_name: unsafe { text::from_c(ops.type_name) },
                type_id: ops.type_id,
                is_link: ops.is_link != 0,
            })
            .collect()
    }
}

/// # Safety
/// The library filled in `section`, and its object still exists.
unsafe fn copy_contents(section: &ffi::bpflink_data_section) -> Option<Vec<u8>> {
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
