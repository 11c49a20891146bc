//! Structs that are copied, filled and compared, by code generation and by functions of the library.
// check: copy()=42 equal()=1
#![no_std]
#![no_main]
library::program!();
use library::unknown;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Block([u8; 96]);

static VALUE: u8 = 42;
static INDEX: usize = 17;

#[inline(never)]
fn fill(block: &mut Block, value: u8) {
    for byte in block.0.iter_mut() {
        *byte = value;
    }
}

#[inline(never)]
fn at(block: &Block, index: usize) -> u8 {
    block.0[index & 63]
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn copy(_context: *mut u8) -> u32 {
    let mut block = Block([0; 96]);
    fill(&mut block, unknown(&VALUE));
    let mut copy = block;
    fill(&mut block, 1);
    copy.0[0] = at(&block, 5);
    at(&copy, unknown(&INDEX)) as u32 + copy.0[0] as u32 - 1
}

#[no_mangle]
#[link_section = "syscall"]
pub extern "C" fn equal(_context: *mut u8) -> u32 {
    let mut blocks = [Block([0; 96]); 2];
    for block in blocks.iter_mut() {
        fill(block, unknown(&VALUE));
    }
    (blocks[0].0[..40] == blocks[1].0[..40]) as u32
}
