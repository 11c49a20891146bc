#!/bin/bash
# The module for libbpf-rs compiles without warnings, with that crate's names as declarations, and where Debian
# has the crate, opens, sets variables, loads and runs.
. "$(dirname "$0")/common.sh"
command -v rustc >/dev/null || { echo 'SKIPPED: rustc is not installed'; exit 77; }

"$BPFSKEL" -q --libbpf-rs --name packet_counter "$fixtures/packets.linked.o" -o packets.rs
"$BPFSKEL" -q --libbpf-rs --name all "$fixtures/counters.o" "$fixtures/state.o" -o all.rs
"$BPFSKEL" -q --libbpf-rs --name open "$fixtures/arena.o" -o open.rs # of the name of a trait
cat >main.rs <<'END'
#![deny(warnings)]
include!("packets.rs");
include!("all.rs");
include!("open.rs");
use libbpf_rs::skel::{OpenSkel, Skel, SkelBuilder};
use std::mem::MaybeUninit;

#[allow(dead_code)]
fn names(all: &mut all::OpenAllSkel<'_>, skel: &mut packet_counter::PacketCounterSkel<'_>) -> libbpf_rs::Result<()> {
    all.struct_ops.my_ops_mut().name[0] = all.struct_ops.my_ops().name[1];
    let _: *mut libbpf_rs::libbpf_sys::bpf_program = all.struct_ops.my_ops().init;
    let _: &libbpf_rs::OpenMapMut<'_> = &all.maps.my_ops;
    let _: Option<libbpf_rs::Link> = skel.links.count_packet.take();
    skel.attach()
}

fn open_and_load<'obj>(
    storage: &'obj mut MaybeUninit<libbpf_rs::OpenObject>,
) -> libbpf_rs::Result<packet_counter::PacketCounterSkel<'obj>> {
    let mut open = packet_counter::PacketCounterSkelBuilder::default().open(storage)?;
    open.maps.rodata_data.as_deref_mut().unwrap().step += 4;
    open.maps.bss_data.as_deref_mut().unwrap().runs = 100;
    open.load()
}

fn main() {
    let mut storage = MaybeUninit::uninit();
    let skel = open_and_load(&mut storage);
    RUN
}
END
sed 's/RUN/let _ = skel;/' main.rs >stubbed.rs
rustc --edition 2021 --crate-name libbpf_rs --crate-type rlib --cap-lints allow "$here/libbpf_rs_stub.rs" 2>log || fail "$(<log)"
rustc --edition 2021 --emit metadata --extern libbpf_rs=liblibbpf_rs.rlib stubbed.rs 2>log || fail "$(<log)"

registry=/usr/share/cargo/registry
crate=$(find "$registry" -maxdepth 1 -name 'libbpf-rs-*' 2>log | tail -n 1 || true)
[[ $crate ]] || { echo "compiled only: $registry has no libbpf-rs"; exit 0; }
mkdir -p project/src project/.cargo
printf '[package]\nname = "user"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nlibbpf-rs = { version = "%s", default-features = false }\n' \
  "${crate##*-rs-}" >project/Cargo.toml
printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$registry" >project/.cargo/config.toml
cp ./*.rs project/src/
sed 's|RUN|let mut skel = skel.unwrap(); skel.progs.count_packet.test_run(libbpf_rs::ProgramInput { data_in: Some(\&[0; 64]), ..Default::default() }).unwrap(); println!("{}", skel.maps.bss_data.as_ref().unwrap().runs);|' \
  main.rs >project/src/main.rs
cd project
cargo build -q --offline 2>log || fail "$(<log)"
((EUID == 0)) || exit 0
[[ $(cargo run -q --offline 2>log) == 105 ]] || fail "$(<log)"
