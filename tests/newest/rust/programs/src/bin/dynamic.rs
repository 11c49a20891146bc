//! Trait objects, closures, function pointers, iterators, text, and panics with messages.
// check: objects()=55 closures()=21 pointers()=8 iterators()=161 text()=101 panics()=8
#![no_std]
#![no_main]
library::program!();
use core::fmt::Write;
use library::unknown;

static SEED: u32 = 7;

trait Area {
    fn area(&self) -> u32;
}

struct Square(u32);
impl Area for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}

struct Rectangle(u32, u32);
impl Area for Rectangle {
    fn area(&self) -> u32 {
        self.0 * self.1
    }
}

fn total(shapes: &[&dyn Area; 2]) -> u32 {
    shapes[0].area() + shapes[1].area()
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn objects(_context: *mut u8) -> u32 {
    total(&[&Square(unknown(&SEED)), &Rectangle(2, 3)])
}

fn both(f: &dyn Fn(u32) -> u32) -> u32 {
    f(1) + f(2)
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn closures(_context: *mut u8) -> u32 {
    let factor = unknown(&SEED);
    both(&|x| x * factor)
}

fn apply(f: fn(u32) -> u32, x: u32) -> u32 {
    f(x)
}

fn next(x: u32) -> u32 {
    x + 1
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn pointers(_context: *mut u8) -> u32 {
    apply(next, unknown(&SEED))
}

#[inline(never)]
fn products(values: &[u32; 8]) -> u32 {
    values.iter().zip(values.iter().skip(1)).map(|(a, b)| a * b).sum()
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn iterators(_context: *mut u8) -> u32 {
    products(&[1, 2, 3, 4, 5, 6, 7, unknown(&SEED)])
}

struct Text {
    size: usize,
    bytes: [u8; 32],
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for byte in text.bytes().take(16) {
            if self.size < 32 {
                self.bytes[self.size & 31] = byte;
                self.size += 1;
            }
        }
        Ok(())
    }
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn text(_context: *mut u8) -> u32 {
    let mut text = Text { size: 0, bytes: [0; 32] };
    let _ = text.write_str("abc");
    text.size as u32 + text.bytes[1] as u32
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn panics(_context: *mut u8) -> u32 {
    let seed = unknown(&SEED);
    if seed == 0 {
        panic!("no seed: {}", seed);
    }
    assert!(seed < 1000, "a seed of {seed}");
    seed + 1
}
