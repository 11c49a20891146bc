//! Loads the program with aya, which runs none without attaching it: the kernel's own types do.

use aya::{include_bytes_aligned, maps::Array, programs::Xdp, EbpfLoader};
use std::os::fd::{AsFd, AsRawFd};

mod counter {
    include!(concat!(env!("OUT_DIR"), "/counter.rs"));
}
mod types {
    include!(concat!(env!("OUT_DIR"), "/kernel.rs"));
}
use types::{bpf_attr, bpf_attr_test, BPF_PROG_TEST_RUN};

// SAFETY: it is numbers.
unsafe impl aya::Pod for counter::event {}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let object = include_bytes_aligned!(concat!(env!("OUT_DIR"), "/counter.o"));
    let mut bpf = EbpfLoader::new().set_global("sample_every", &2, true).load(object)?;
    let program: &mut Xdp = bpf.program_mut("count").unwrap().try_into()?;
    program.load()?;
    let (packet, fd) = ([0u8; 64], program.fd()?.as_fd().as_raw_fd());
    let (data_in, data_size_in) = (packet.as_ptr() as u64, packet.len() as u32);
    let mut attr = bpf_attr::default();
    attr.test = bpf_attr_test { prog_fd: fd as u32, data_in, data_size_in, repeat: 6, ..Default::default() };
    // SAFETY: the kernel knows the sizes of `attr` and of the packet.
    if unsafe { libc::syscall(libc::SYS_bpf, BPF_PROG_TEST_RUN, &mut attr, std::mem::size_of::<bpf_attr>()) } != 0 {
        return Err(std::io::Error::last_os_error().into());
    }
    let event = Array::<_, counter::event>::try_from(bpf.map("packets").unwrap())?.get(&0, 0)?;
    println!("{} bytes, queue {}", event.length, event.queue());
    Ok(())
}
