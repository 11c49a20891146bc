//! What the programs share.
#![no_std]

use core::panic::PanicInfo;

/// The license, and a panic handler that no run reaches.
#[macro_export]
macro_rules! program {
    () => {
        #[no_mangle]
        #[link_section = "license"]
        pub static LICENSE: [u8; 4] = *b"GPL\0";
    };
}

#[panic_handler]
fn panic(_info: &PanicInfo) -> ! {
    loop {}
}

/// A value that the compiler does not know.
#[inline(never)]
pub fn unknown<T: Copy>(value: &T) -> T {
    unsafe { core::ptr::read_volatile(value) }
}

pub enum Shape {
    None,
    Square(u32),
    Rectangle { width: u32, height: u32 },
}

pub trait Area {
    fn area(&self) -> u32;
}

impl Area for Shape {
    #[inline(never)]
    fn area(&self) -> u32 {
        match self {
            Shape::None => 0,
            Shape::Square(side) => side * side,
            Shape::Rectangle { width, height } => width * height,
        }
    }
}

impl Area for u32 {
    fn area(&self) -> u32 {
        *self
    }
}

pub fn twice<A: Area>(of: &A) -> u32 {
    2 * of.area()
}

/// The functions that code generation calls, byte by byte and without a result as in aya-ebpf:
/// verifiers do not follow how those of compiler_builtins align a pointer, nor take its return.
/// Since 1.98, rustc calls that invalid.
#[allow(unknown_lints, invalid_runtime_symbol_definitions, suspicious_runtime_symbol_definitions)]
mod mem {
    #[no_mangle]
    unsafe extern "C" fn memset(to: *mut u8, value: i32, size: usize) {
        for i in 0..size {
            *to.add(i) = value as u8;
        }
    }

    #[no_mangle]
    unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, size: usize) {
        for i in 0..size {
            *to.add(i) = *from.add(i);
        }
    }

    #[no_mangle]
    unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, size: usize) -> i32 {
        for i in 0..size {
            let difference = *a.add(i) as i32 - *b.add(i) as i32;
            if difference != 0 {
                return difference;
            }
        }
        0
    }
}
