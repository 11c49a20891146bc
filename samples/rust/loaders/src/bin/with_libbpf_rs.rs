//! Loads the program with libbpf-rs, gives its map a first value, runs it, and asks the kernel what it is.

use libbpf_rs::{libbpf_sys, MapCore, MapFlags, ObjectBuilder, ProgramInput};
use std::mem::size_of;
use std::os::fd::{AsFd, AsRawFd};

mod counter {
    include!(concat!(env!("OUT_DIR"), "/counter.rs"));
}
mod types {
    include!(concat!(env!("OUT_DIR"), "/kernel.rs"));
}
use counter::event;

fn main() -> libbpf_rs::Result<()> {
    let image = include_bytes!(concat!(env!("OUT_DIR"), "/counter.o"));
    let object = ObjectBuilder::default().open_memory(image)?.load()?;
    let packets = object.maps().find(|map| map.name() == "packets").unwrap();
    let program = object.progs_mut().find(|program| program.name() == "count").unwrap();

    let first = event { length: 1000, ..Default::default() };
    // SAFETY: it is numbers.
    let bytes = unsafe { std::slice::from_raw_parts((&first as *const event).cast(), size_of::<event>()) };
    packets.update(&[0; 4], bytes, MapFlags::ANY)?;
    program.test_run(ProgramInput { data_in: Some(&[0; 64]), repeat: 3, ..Default::default() })?;
    let last = packets.lookup(&[0; 4], MapFlags::ANY)?.unwrap();
    // SAFETY: the map has values of this type.
    let last = unsafe { last.as_ptr().cast::<event>().read_unaligned() };

    let (mut info, mut size) = (types::bpf_prog_info::default(), size_of::<types::bpf_prog_info>() as u32);
    // SAFETY: the kernel fills in no more than `size` bytes.
    unsafe { libbpf_sys::bpf_obj_get_info_by_fd(program.as_fd().as_raw_fd(), (&raw mut info).cast(), &mut size) };
    println!("{} bytes, queue {}, GPL {}", last.length, last.queue(), info.gpl_compatible());
    Ok(())
}
