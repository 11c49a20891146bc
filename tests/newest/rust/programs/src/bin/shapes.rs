//! An enum with data, a trait, a generic function, functions of one name in two modules.
// check: area()=50 other()=9
#![no_std]
#![no_main]
library::program!();
use library::{twice, unknown, Area, Shape};

static SIDE: u32 = 3;

mod one {
    #[inline(never)]
    pub fn other(x: u32) -> u32 {
        x * x
    }
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn other(_context: *mut u8) -> u32 {
    one::other(unknown(&SIDE))
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn area(_context: *mut u8) -> u32 {
    let side = unknown(&SIDE);
    let shapes = [Shape::Square(side), Shape::None, Shape::Rectangle { width: side, height: 4 }];
    let mut sum = 0;
    for shape in &shapes {
        sum += twice(shape);
    }
    sum + side.area() + twice(&2) + 1
}
