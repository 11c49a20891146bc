#!/bin/bash
# The Rust crates with the installed library: tests and documentation examples run. An outside project
# uses the crate as README.md says and needs no path to the library. Its build.rs compiles, links and
# checks two files and writes a module, whose types have the layout of the BPF programs.
. "$(dirname "$0")/common.sh"
needs cargo clang-19 pkg-config
unset LD_LIBRARY_PATH
cd "$tmp/linker/interfaces/rust"
export CARGO_TARGET_DIR=$tmp/target CARGO_NET_OFFLINE=true TMPDIR=$tmp

# offline COMMAND...: runs cargo
offline() { cargo "$@" >log 2>&1 || fail "cargo $*: $(<log)"; }

offline test
[[ $(grep -c '^test result: ok' log) == 3 ]] || fail "not all kinds of tests run: $(<log)"
(($(grep -c '^test src/.* ok$' log) > 8)) || fail "hardly any example is run: $(<log)"
offline doc --no-deps --workspace
if grep -q warning log; then fail "cargo doc: $(<log)"; fi
if cargo clippy --version >log 2>&1; then offline clippy --workspace --all-targets -- -D warnings; fi

# The example as an outside project with the installed crate, finding the library in both ways
cp -r "$tmp/samples/rust/counter" "$tmp/project"
cd "$tmp/project"
line=$(grep -o '`bpflink = {[^`]*`' "$repository/README.md" | tr -d '`' | sed "s|/usr/local/|$PREFIX/|")
sed -i "s|^bpflink = .*|$line|" Cargo.toml
contains Cargo.toml "$PREFIX/share/bpflink/rust"
if PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$tmp cargo build >log 2>&1; then fail 'built without the library'; fi
offline build
unset PKG_CONFIG_PATH
export BPFLINK_LIB_DIR=$PREFIX/lib
offline build
cargo run -q >report 2>log || fail "$(<log)"
sed -i 1d report
diff - report <<'END' || fail 'the example says something else'
program count
map packets, values of 32 bytes
bss: 48 bytes, total at 8
last at 16, 32 bytes
rodata: sample_every at 0
length of an event at 8
verdict 1
END

# Programs in Rust that the build script has cargo build are linked by bpflink.
cp build.rs build.rs.old
cat >build.rs <<'END'
fn main() -> Result<(), bpflink::Error> {
    bpflink::link_rust()?;
    for target in ["EL", "EB"] {
        let linker = std::env::var(format!("CARGO_TARGET_BPF{target}_UNKNOWN_NONE_LINKER")).unwrap();
        assert!(std::process::Command::new(linker).arg("--version").status().unwrap().success());
    }
    Ok(())
}
END
offline build
mv build.rs.old build.rs
touch build.rs # newer than what was built of the other

# If the link fails, cargo shows the reason from build.rs.
sed -i 's/^unsigned long long total/unsigned total/' bpf/state.bpf.c
if cargo build >log 2>&1; then fail 'types that conflict are not an error'; fi
contains log "conflicting types of 'total'"
contains log 'bpf/state.bpf.c:16: error: '
sed -i 's/^unsigned total/unsigned long long total/' bpf/state.bpf.c

# Warnings are cargo's, a header that changes is compiled again, and a kernel that the programs do not fit
# is an error.
echo '#define WARN _Pragma("GCC warning \"from the header\"") ' >>bpf/counter.h
echo 'static int (*const copy)(void *, int, void *) = (void *)113; WARN
SEC("kprobe") int probe(void *context) { int x; return copy(&x, 4, context); }' >>bpf/state.bpf.c
sed -i 's/"GPL"/"free"/' bpf/main.bpf.c
cargo build >log 2>&1 || fail "$(<log)"
contains log 'from the header'
contains log 'warning: a program without a GPL license calls '
sed -i 's/from the header/changed/' bpf/counter.h
cargo build >log 2>&1 || fail "$(<log)"
contains log 'changed'
sed -i '/WARN/d; /^SEC("kprobe")/d' bpf/counter.h bpf/state.bpf.c
echo 'struct sock { int mark; } sock;' | clang-19 -g --target=bpf -c -x c - -o kernel.o
btfdedup kernel.o -o kernel.btf
sed -i 's/\.build(/.kernel("kernel.btf")&/' build.rs
offline build
echo 'struct sock { int mark, absent; } __attribute__((preserve_access_index));
SEC("fentry/f") int enter(unsigned long *args) { return ((struct sock *)args[0])->absent; }' >>bpf/state.bpf.c
if cargo build >log 2>&1; then fail 'a member that the kernel lacks is not an error'; fi
contains log 'absent'
sed -i '/absent/d' bpf/state.bpf.c

# Layouts with padding, packing and bit-fields: the module asserts sizes, and this compares all member
# offsets with clang's.
cat >>bpf/state.bpf.c <<'END'
struct inner { char c; short s; } __attribute__((packed));
struct half { char c; int i; } __attribute__((packed, aligned(2)));
struct outer {
  char a;
  struct inner inner[3];
  _Bool flag;
  long l __attribute__((aligned(32)));
  int bits : 5, : 3, more : 9;
  struct half half;
  void *pointer;
  __int128 wide;
  enum { LOW = -1, HIGH = 1 } level;
  struct { char first; double second; } unnamed;
  unsigned char type, fn, self, u8;
  struct inner rows[2][3];
} outer;
typedef struct { int x; } alias_of_struct;
alias_of_struct aliased SEC(".data.custom");
struct inner odd SEC(".data.custom") __attribute__((aligned(1)));
int odd_int SEC(".data.custom") __attribute__((aligned(1)));
#define AT(member) __builtin_offsetof(struct outer, member)
unsigned long offsets[] SEC(".offsets") = {AT(a), AT(inner), AT(flag), AT(l), AT(half), AT(pointer), AT(wide), AT(level),
                                           AT(unnamed), AT(type), AT(fn), AT(self), AT(u8), AT(rows), sizeof(struct outer)};
END
cat >src/main.rs <<'END'
include!(concat!(env!("OUT_DIR"), "/skel.rs"));
use skel::types::outer;
use std::ptr::addr_of;

fn main() {
    let it: outer = unsafe { std::mem::zeroed() };
    macro_rules! at { ($($field:ident)*) => { $(println!("{}", addr_of!(it.$field) as usize - addr_of!(it) as usize);)* } }
    at!(a inner flag l half pointer wide level unnamed r#type r#fn self_ u8___2 rows);
    println!("{}", std::mem::size_of::<outer>());
    let custom: skel::types::data_custom = unsafe { std::mem::zeroed() };
    assert_eq!(addr_of!(custom.aliased.x) as usize, addr_of!(custom) as usize);
    let _: i32 = it.level;
}
END
cargo run -q >of_rust 2>log || fail "$(<log)"
llvm-objcopy-19 --dump-section=.offsets=offsets "$(find "$tmp/target" -name skel.1.o)" "$tmp/unused.o"
od -An -v -td8 -w8 offsets | tr -d ' ' | diff - of_rust || fail 'other offsets than those of clang (<)'
