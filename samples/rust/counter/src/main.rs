//! Prints the contents of the skeleton: names, types with their layout in the kernel, and the size of
//! the object, whose bytes are for a loader.

use std::mem::size_of;
use std::ptr::addr_of;

include!(concat!(env!("OUT_DIR"), "/skel.rs"));
use skel::{maps, progs, types};
use types::{bss, event, rodata};

/// The bytes from the beginning of `whole` to `field`.
fn offset<W, F>(whole: &W, field: *const F) -> usize {
    field as usize - whole as *const W as usize
}

fn main() {
    println!("object: {} bytes", skel::ELF_BYTES.len());
    println!("program {}", progs::count);
    println!("map {}, values of {} bytes", maps::packets, size_of::<event>());

    // SAFETY: zero is a valid value of numbers, and of arrays and structs of numbers.
    let (bss, rodata): (bss, rodata) = unsafe { std::mem::zeroed() };
    println!("bss: {} bytes, total at {}", size_of::<bss>(), offset(&bss, addr_of!(bss.total)));
    println!("last at {}, {} bytes", offset(&bss, addr_of!(bss.last)), size_of::<event>());
    println!("rodata: sample_every at {}", offset(&rodata, addr_of!(rodata.sample_every)));

    let event = event { verdict: types::DROP, ..bss.last };
    println!("length of an event at {}", offset(&event, addr_of!(event.length)));
    println!("verdict {}", event.verdict);
}
