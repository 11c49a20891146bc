//! Checks of bounds and of overflow, as debug builds have them.
// check: bounds()=4 overflow()=30 checked()=1
#![no_std]
#![no_main]
library::program!();
use library::unknown;

static VALUES: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
static INDEX: usize = 3;
static SMALL: u8 = 15;

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn bounds(_context: *mut u8) -> u32 {
    let index = unknown(&INDEX);
    if index < VALUES.len() {
        VALUES[index]
    } else {
        0
    }
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn overflow(_context: *mut u8) -> u32 {
    let small = unknown(&SMALL);
    if small < 100 {
        (small + small) as u32
    } else {
        0
    }
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn checked(_context: *mut u8) -> u32 {
    unknown(&SMALL).checked_mul(20).is_none() as u32
}
