//! A map in BTF form, which needs debug information.
// check: count()=1 count()=2 COUNTS[0]=2
// needs: debug
#![no_std]
#![no_main]
library::program!();

/// As libbpf's macros define one: numbers are lengths of arrays.
#[repr(C)]
pub struct Array {
    r#type: *const [i32; 2],
    key: *const u32,
    value: *const u32,
    max_entries: *const [i32; 4],
}
unsafe impl Sync for Array {}

#[no_mangle]
#[link_section = ".maps"]
pub static COUNTS: Array = Array {
    r#type: core::ptr::null(),
    key: core::ptr::null(),
    value: core::ptr::null(),
    max_entries: core::ptr::null(),
};

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn count(_context: *mut u8) -> u32 {
    let lookup: extern "C" fn(*const Array, *const u32) -> *mut u32 = unsafe { core::mem::transmute(1usize) };
    match unsafe { lookup(&raw const COUNTS, &0).as_mut() } {
        Some(value) => {
            *value += 1;
            *value
        }
        None => 0,
    }
}
