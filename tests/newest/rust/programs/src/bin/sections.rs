//! Programs and variables in several sections.
// check: first()=7 second()=8 COUNT=2
#![no_std]
#![no_main]
library::program!();

#[no_mangle]
pub static mut COUNT: u32 = 0;
#[no_mangle]
pub static STEP: u32 = 1;
static TABLE: [u32; 4] = [3, 5, 7, 9];

fn next() -> u32 {
    unsafe {
        COUNT += library::unknown(&STEP);
        COUNT
    }
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn first(_context: *mut u8) -> u32 {
    6 + next()
}

#[no_mangle]
#[link_section = "tc"]
pub extern "C" fn second(_context: *mut u8) -> u32 {
    TABLE[next() as usize & 3] + 1
}
