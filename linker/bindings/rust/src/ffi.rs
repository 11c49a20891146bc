//! The C interface. `bpflink/bpflink.h` documents it; the declarations are the same. A test
//! compares the names.
#![allow(non_camel_case_types, dead_code, missing_docs)]

use std::os::raw::{c_char, c_int, c_uint, c_void};

pub type bpflink_status = c_int;
pub const BPFLINK_OK: bpflink_status = 0;
pub const BPFLINK_ERROR_ARGUMENT: bpflink_status = -1;
pub const BPFLINK_ERROR_MEMORY: bpflink_status = -2;
pub const BPFLINK_ERROR_INPUT: bpflink_status = -3;
pub const BPFLINK_ERROR_LINK: bpflink_status = -4;
pub const BPFLINK_ERROR_NOT_FOUND: bpflink_status = -5;

pub type bpflink_severity = c_uint;
pub const BPFLINK_SEVERITY_ERROR: bpflink_severity = 0;
pub const BPFLINK_SEVERITY_WARNING: bpflink_severity = 1;
pub const BPFLINK_SEVERITY_NOTE: bpflink_severity = 2;

pub type bpflink_diagnostic_code = c_uint;
pub const BPFLINK_DIAGNOSTIC_GENERAL: bpflink_diagnostic_code = 0;
pub const BPFLINK_DIAGNOSTIC_INVALID_INPUT: bpflink_diagnostic_code = 1;
pub const BPFLINK_DIAGNOSTIC_INPUT_MISMATCH: bpflink_diagnostic_code = 2;
pub const BPFLINK_DIAGNOSTIC_UNDEFINED_SYMBOL: bpflink_diagnostic_code = 3;
pub const BPFLINK_DIAGNOSTIC_DUPLICATE_SYMBOL: bpflink_diagnostic_code = 4;
pub const BPFLINK_DIAGNOSTIC_CONFLICTING_TYPES: bpflink_diagnostic_code = 5;
pub const BPFLINK_DIAGNOSTIC_OUTPUT_FAILURE: bpflink_diagnostic_code = 6;
pub const BPFLINK_DIAGNOSTIC_TRACE: bpflink_diagnostic_code = 7;
pub const BPFLINK_DIAGNOSTIC_DROPPED: bpflink_diagnostic_code = 8;
pub const BPFLINK_DIAGNOSTIC_DIFFERENT_LAYOUTS: bpflink_diagnostic_code = 9;

#[repr(C)]
pub struct bpflink_location {
    pub object: *const c_char,
    pub section: *const c_char,
    pub offset: u64,
    pub source: *const c_char,
    pub line: u32,
    pub column: u32,
    pub text: *const c_char,
}

#[repr(C)]
pub struct bpflink_diagnostic {
    pub size: usize,
    pub severity: bpflink_severity,
    pub code: bpflink_diagnostic_code,
    pub message: *const c_char,
    pub details: *const *const c_char,
    pub detail_count: usize,
    pub file: *const c_char,
    pub symbol: *const c_char,
    pub location_count: usize,
}

pub type bpflink_diagnostic_fn = extern "C" fn(context: *mut c_void, diagnostic: *const bpflink_diagnostic);

pub const BPFLINK_LINK_PARTIAL: u64 = 1 << 0;
pub const BPFLINK_LINK_GC_SECTIONS: u64 = 1 << 1;
pub const BPFLINK_LINK_LOCALIZE_HIDDEN: u64 = 1 << 2;
pub const BPFLINK_LINK_KEEP_DEBUG: u64 = 1 << 3;
pub const BPFLINK_LINK_DISCARD_LOCALS: u64 = 1 << 4;
pub const BPFLINK_LINK_NO_CHECK_TYPES: u64 = 1 << 5;
pub const BPFLINK_LINK_FATAL_WARNINGS: u64 = 1 << 6;
pub const BPFLINK_LINK_VERIFY: u64 = 1 << 7;
pub const BPFLINK_LINK_STRIP_LINE_INFO: u64 = 1 << 9;
pub const BPFLINK_LINK_PRUNE_TYPES: u64 = 1 << 10;

#[repr(C)]
pub struct bpflink_link_options {
    pub size: usize,
    pub on_diagnostic: Option<bpflink_diagnostic_fn>,
    pub context: *mut c_void,
    pub flags: u64,
    pub license: *const c_char,
    pub undefined: *const *const c_char,
    pub undefined_count: usize,
    pub keep_sections: *const *const c_char,
    pub keep_section_count: usize,
    pub trace_symbols: *const *const c_char,
    pub trace_symbol_count: usize,
    pub threads: usize,
    pub library_paths: *const *const c_char,
    pub library_path_count: usize,
}

#[repr(C)]
pub struct bpflink_linker {
    _private: [u8; 0],
}

#[repr(C)]
pub struct bpflink_object {
    _private: [u8; 0],
}

#[repr(C)]
pub struct bpflink_btf {
    _private: [u8; 0],
}

#[repr(C)]
pub struct bpflink_program {
    pub name: *const c_char,
    pub section: *const c_char,
    pub target: *const c_char,
    pub type_: u32,
    pub attach_type: u32,
    pub sleepable: u32,
    pub autoload: u32,
    pub offset: u64,
    pub size: u64,
    pub btf_id: u32,
    pub type_id: u32,
}

#[repr(C)]
pub struct bpflink_map {
    pub name: *const c_char,
    pub offset: u64,
    pub extra: u64,
    pub type_: u32,
    pub key_size: u32,
    pub value_size: u32,
    pub max_entries: u32,
    pub flags: u32,
    pub numa_node: u32,
    pub pinning: u32,
    pub key_type_id: u32,
    pub value_type_id: u32,
    pub var_id: u32,
    pub attribute_count: u32,
    pub slot_count: u32,
}

pub type bpflink_attribute_form = c_uint;
pub const BPFLINK_ATTRIBUTE_NUMBER: bpflink_attribute_form = 0;
pub const BPFLINK_ATTRIBUTE_TYPE: bpflink_attribute_form = 1;
pub const BPFLINK_ATTRIBUTE_VALUES: bpflink_attribute_form = 2;
pub const BPFLINK_ATTRIBUTE_OTHER: bpflink_attribute_form = 3;

#[repr(C)]
pub struct bpflink_map_attribute {
    pub name: *const c_char,
    pub number: u64,
    pub form: bpflink_attribute_form,
    pub type_id: u32,
}

#[repr(C)]
pub struct bpflink_data_section {
    pub name: *const c_char,
    pub size: u64,
    pub contents: *const c_void,
    pub variable_count: u32,
    pub datasec_id: u32,
}

#[repr(C)]
pub struct bpflink_variable {
    pub name: *const c_char,
    pub offset: u64,
    pub size: u64,
    pub var_id: u32,
    pub type_id: u32,
}

#[repr(C)]
pub struct bpflink_extern {
    pub name: *const c_char,
    pub section: *const c_char,
    pub btf_id: u32,
    pub type_id: u32,
    pub is_function: u32,
    pub is_weak: u32,
}

#[repr(C)]
pub struct bpflink_struct_ops {
    pub name: *const c_char,
    pub section: *const c_char,
    pub type_name: *const c_char,
    pub type_id: u32,
    pub is_link: u32,
}

#[repr(C)]
pub struct bpflink_type {
    pub name: *const c_char,
    pub size: u64,
    pub array_length: u64,
    pub kind: u32,
    pub kind_flag: u32,
    pub alignment: u32,
    pub type_id: u32,
    pub vlen: u32,
    pub encoding: u32,
}

#[repr(C)]
pub struct bpflink_member {
    pub name: *const c_char,
    pub type_id: u32,
    pub bit_offset: u32,
    pub bitfield_size: u32,
}

#[repr(C)]
pub struct bpflink_enumerator {
    pub name: *const c_char,
    pub value: u64,
}

#[repr(C)]
pub struct bpflink_dedup {
    _private: [u8; 0],
}

#[repr(C)]
pub struct bpflink_dedup_options {
    pub size: usize,
    pub base: *const bpflink_btf,
    pub threads: u32,
    pub byte_order: u32,
}

extern "C" {
    pub fn bpflink_version() -> *const c_char;
    pub fn bpflink_status_text(status: bpflink_status) -> *const c_char;
    pub fn bpflink_free(memory: *mut c_void);
    pub fn bpflink_diagnostic_location(
        diagnostic: *const bpflink_diagnostic,
        index: usize,
        out: *mut bpflink_location,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_linker_new(options: *const bpflink_link_options, linker: *mut *mut bpflink_linker)
        -> bpflink_status;
    pub fn bpflink_linker_free(linker: *mut bpflink_linker);
    pub fn bpflink_linker_add_file(linker: *mut bpflink_linker, path: *const c_char) -> bpflink_status;
    pub fn bpflink_linker_add_whole_archive(linker: *mut bpflink_linker, path: *const c_char) -> bpflink_status;
    pub fn bpflink_linker_add_library(linker: *mut bpflink_linker, name: *const c_char) -> bpflink_status;
    pub fn bpflink_linker_add_fd(linker: *mut bpflink_linker, fd: c_int, name: *const c_char) -> bpflink_status;
    pub fn bpflink_linker_add_memory(
        linker: *mut bpflink_linker,
        name: *const c_char,
        image: *const c_void,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_linker_link_to_file(linker: *mut bpflink_linker, path: *const c_char) -> bpflink_status;
    pub fn bpflink_linker_link_to_fd(linker: *mut bpflink_linker, fd: c_int) -> bpflink_status;
    pub fn bpflink_linker_link_to_memory(
        linker: *mut bpflink_linker,
        image: *mut *mut c_void,
        size: *mut usize,
    ) -> bpflink_status;
    pub fn bpflink_object_open(
        path: *const c_char,
        object: *mut *mut bpflink_object,
        error: *mut *mut c_char,
    ) -> bpflink_status;
    pub fn bpflink_object_parse(
        image: *const c_void,
        size: usize,
        object: *mut *mut bpflink_object,
        error: *mut *mut c_char,
    ) -> bpflink_status;
    pub fn bpflink_object_free(object: *mut bpflink_object);
    pub fn bpflink_object_license(object: *const bpflink_object) -> *const c_char;
    pub fn bpflink_object_btf(object: *const bpflink_object) -> *const bpflink_btf;
    pub fn bpflink_object_program_count(object: *const bpflink_object) -> usize;
    pub fn bpflink_object_map_count(object: *const bpflink_object) -> usize;
    pub fn bpflink_object_data_section_count(object: *const bpflink_object) -> usize;
    pub fn bpflink_object_extern_count(object: *const bpflink_object) -> usize;
    pub fn bpflink_object_struct_ops_count(object: *const bpflink_object) -> usize;
    pub fn bpflink_object_program(
        object: *const bpflink_object,
        index: usize,
        out: *mut bpflink_program,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_object_map(
        object: *const bpflink_object,
        index: usize,
        out: *mut bpflink_map,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_object_map_attribute(
        object: *const bpflink_object,
        map: usize,
        attribute: usize,
        out: *mut bpflink_map_attribute,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_object_map_slot(
        object: *const bpflink_object,
        map: usize,
        slot: usize,
        index: *mut u32,
        symbol: *mut *const c_char,
    ) -> bpflink_status;
    pub fn bpflink_object_data_section(
        object: *const bpflink_object,
        index: usize,
        out: *mut bpflink_data_section,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_object_variable(
        object: *const bpflink_object,
        section: usize,
        variable: usize,
        out: *mut bpflink_variable,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_object_extern(
        object: *const bpflink_object,
        index: usize,
        out: *mut bpflink_extern,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_object_struct_ops(
        object: *const bpflink_object,
        index: usize,
        out: *mut bpflink_struct_ops,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_btf_parse(
        blob: *const c_void,
        size: usize,
        btf: *mut *mut bpflink_btf,
        error: *mut *mut c_char,
    ) -> bpflink_status;
    pub fn bpflink_btf_parse_split(
        blob: *const c_void,
        size: usize,
        base: *const bpflink_btf,
        btf: *mut *mut bpflink_btf,
        error: *mut *mut c_char,
    ) -> bpflink_status;
    pub fn bpflink_btf_free(btf: *mut bpflink_btf);
    pub fn bpflink_btf_end_id(btf: *const bpflink_btf) -> u32;
    pub fn bpflink_btf_kind(btf: *const bpflink_btf, id: u32) -> u32;
    pub fn bpflink_btf_name(btf: *const bpflink_btf, id: u32) -> *const c_char;
    pub fn bpflink_btf_find(btf: *const bpflink_btf, kind: u32, name: *const c_char, id: *mut u32) -> bpflink_status;
    pub fn bpflink_btf_size(btf: *const bpflink_btf, id: u32, size: *mut u64) -> bpflink_status;
    pub fn bpflink_btf_type(btf: *const bpflink_btf, id: u32, out: *mut bpflink_type, size: usize) -> bpflink_status;
    pub fn bpflink_btf_member(
        btf: *const bpflink_btf,
        id: u32,
        index: u32,
        out: *mut bpflink_member,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_btf_enumerator(
        btf: *const bpflink_btf,
        id: u32,
        index: u32,
        out: *mut bpflink_enumerator,
        size: usize,
    ) -> bpflink_status;
    pub fn bpflink_btf_declaration(btf: *const bpflink_btf, id: u32, name: *const c_char) -> *mut c_char;
    pub fn bpflink_btf_definition(btf: *const bpflink_btf, id: u32) -> *mut c_char;
    pub fn bpflink_dedup_new(options: *const bpflink_dedup_options, dedup: *mut *mut bpflink_dedup) -> bpflink_status;
    pub fn bpflink_dedup_free(dedup: *mut bpflink_dedup);
    pub fn bpflink_dedup_add(dedup: *mut bpflink_dedup, name: *const c_char, btf: *const bpflink_btf)
        -> bpflink_status;
    pub fn bpflink_dedup_run(
        dedup: *mut bpflink_dedup,
        blob: *mut *mut c_void,
        size: *mut usize,
        error: *mut *mut c_char,
    ) -> bpflink_status;
}

/// Structs that are all zero by default: the library fills them in.
macro_rules! zeroed {
    ($($name:ident)*) => { $(
        impl Default for $name {
            fn default() -> Self {
                // SAFETY: zero is a valid value of all fields, which are numbers and pointers.
                unsafe { std::mem::zeroed() }
            }
        }
    )* };
}
zeroed!(bpflink_location bpflink_program bpflink_map bpflink_map_attribute bpflink_data_section bpflink_variable
        bpflink_extern bpflink_struct_ops bpflink_type bpflink_member bpflink_enumerator);

macro_rules! sized {
    ($($name:ident)*) => { $(
        impl Default for $name {
            fn default() -> Self {
                // SAFETY: as above.
                let mut options: Self = unsafe { std::mem::zeroed() };
                options.size = std::mem::size_of::<Self>();
                options
            }
        }
    )* };
}
sized!(bpflink_link_options bpflink_dedup_options);
