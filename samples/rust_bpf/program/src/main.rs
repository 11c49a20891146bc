//! A program that computes areas, for BPF_PROG_TEST_RUN: area() returns 42.
#![no_std]
#![no_main]

use shapes::Shape;

extern "C" {
    fn scale(x: i32) -> i32;
}

#[no_mangle]
#[link_section = "license"]
pub static LICENSE: [u8; 4] = *b"GPL\0";

/// User space may set it.
#[no_mangle]
pub static mut SIDE: u32 = 3;

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn area(_context: *mut u8) -> i32 {
    let side = unsafe { core::ptr::read_volatile(&raw const SIDE) };
    let shapes = [Shape::Square(side), Shape::Rectangle { width: side, height: 4 }];
    unsafe { scale(shapes.iter().map(Shape::area).sum::<u32>() as i32) }
}

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo) -> ! {
    loop {}
}
