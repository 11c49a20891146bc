//! Arithmetic that the programs in C call.
#![no_std]

/// A step of FNV-1a.
#[no_mangle]
pub extern "C" fn mix(hash: u32, value: u32) -> u32 {
    (hash ^ value).wrapping_mul(16777619)
}
