#!/bin/bash
# The module for libbpf-rs compiles without warnings, with that crate's names as declarations, and where Debian
# has the crate, opens, sets variables, loads and runs.
. "$(dirname "$0")/common.sh"
command -v rustc >/dev/null || { echo 'SKIPPED: rustc is not installed'; exit 77; }

"$BPFSKEL" -q --libbpf-rs --name packet_counter "$fixtures/packets.linked.o" -o packets.rs
"$BPFSKEL" -q --libbpf-rs --name all "$fixtures/counters.o" "$fixtures/state.o" -o all.rs
"$BPFSKEL" -q --libbpf-rs --name open "$fixtures/arena.o" -o open.rs # of the name of a trait
"$CLANG" -g -O2 --target=bpf -c -x c -o types.o - <<'END'
enum mode { MODE_A = 1, MODE_B, SELF };
struct event { unsigned pid; enum mode type; short self, many[40][2]; union { long number; char text[5]; } either; struct { char c; } __attribute__((packed)) last[3]; };
volatile struct event ev; enum mode mode;
__attribute__((section("socket"))) int use(void *ctx) { return ev.type; }
END
"$BPFSKEL" -q --libbpf-rs --name match types.o -o match.rs
cat >main.rs <<'END'
#![deny(warnings)]
include!("packets.rs");
include!("all.rs");
include!("open.rs");
include!("match.rs");
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

impl From<r#match::types::mode> for u32 {
    fn from(from: r#match::types::mode) -> u32 { from.0 }
}
fn types_of_libbpf_cargo() {
    use r#match::types::{bss, event, mode};
    let ev = event { pid: 3, r#type: mode::MODE_B, ..event::default() };
    let bss = bss { ev, ..Default::default() };
    assert!(bss.mode == mode::MODE_A && u32::from(bss.ev.r#type) == 2 && ev.many[39][1] == 0 && ev.self_ == 0);
    assert!(format!("{:?}", ev).starts_with("event { pid: 3, type: mode(2), self_: 0, many: [[0, 0], "));
    let _ = r#match::MatchSkelBuilder::default();
}

fn main() {
    types_of_libbpf_cargo();
    let mut storage = MaybeUninit::uninit();
    let skel = open_and_load(&mut storage);
    RUN
}
END
{ echo "#![deny(missing_docs)] //! A program whose module needs no documents"; sed "s/RUN/let _ = skel;/" main.rs; } >stubbed.rs
rustc --edition 2021 --crate-name libbpf_rs --crate-type rlib --cap-lints allow "$here/libbpf_rs_stub.rs" 2>log || fail "$(<log)"
rustc --edition 2021 --emit obj --extern libbpf_rs=liblibbpf_rs.rlib stubbed.rs -o stubbed.o 2>log || fail "$(<log)"
[[ $(readelf -SW stubbed.o) == *.bpf.objs* ]] || fail 'the object is in no section .bpf.objs'

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
