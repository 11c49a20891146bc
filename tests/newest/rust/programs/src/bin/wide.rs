//! Numbers of 128 bits.
// check: product()=6 shift()=5
#![no_std]
#![no_main]
library::program!();
use library::unknown;

static FACTOR: u64 = 0x6_0000_0000;
static WIDE: u128 = 5 << 70;

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn product(_context: *mut u8) -> u32 {
    let factor = unknown(&FACTOR) as u128;
    ((factor * (1 << 32)) >> 64) as u32
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn shift(_context: *mut u8) -> u32 {
    (unknown(&WIDE) >> 70) as u32
}
