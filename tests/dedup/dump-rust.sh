#!/bin/bash
# --dump rust: the module compiles without warnings and without Rust's standard library, and has sizes, offsets and
# bits as clang's.
. "$(dirname "$0")/common.sh"
command -v rustc >/dev/null || { echo 'SKIPPED: rustc is not installed'; exit 77; }

cat >kernel.h <<'END'
typedef unsigned int u32;
typedef _Bool bool;
typedef struct { int counter; } atomic_t;
enum color { RED, GREEN = 7, value = 9 };
enum far { BACK = -1, FAR = 1L << 40 };
struct opaque;
typedef void (*callback_t)(struct opaque *opaque, int);
typedef int elsewhere;
struct elsewhere { short at; };
struct node { struct node *next; const char *name; callback_t call; const struct opaque *opaque; void *data; };
struct inner { char tag; long at; struct node node; } __attribute__((packed));
struct bits { int low: 3, high: 15; unsigned long wide: 40, over: 60; enum color color: 5; bool flag: 1; unsigned type: 2, set: 1; };
struct tight { char c; unsigned long bits: 61; unsigned long more: 62; short end; } __attribute__((packed));
union either { struct bits bits; int *pointer; struct { long first: 20, second: 21; }; };
struct task {
	u32 pid;
	atomic_t uses;
	struct inner inner;
	char comm[16];
	long grid[2][40];
	enum far far;
	union either either;
	struct { char c; } none, many[3];
	union { int type; long self; };
	struct tight tight;
	char end[];
} __attribute__((aligned(8)));
struct holder { char c; struct { struct task *task; int match; } of; } __attribute__((packed));
END
cat >kernel.c <<'END'
#include "kernel.h"
struct { struct task t; struct holder h; struct elsewhere s; elsewhere i; } all;
struct bits bits = {-3, 12345, 0x123456789a, 0xfedcba987654321, GREEN, 1, 2, 1};
struct tight tight = {1, 0x1234567890abcdef, 0x2bcdef1234567890, 5};
int acquire(struct task *t, elsewhere at) { return at; }
END
"$CC" -w -g -O2 --target=bpf -c kernel.c -o kernel.o
"$BTFDEDUP" kernel.o --dump rust --type 't*' --type holder --type elsewhere --type acquire --type BACK >types.rs

# compiles FILE: within another, and as a file of its own
compiles() {
  printf '#![no_std]\n#![deny(warnings)]\npub mod vmlinux { include!("%s"); }\n#[path = "%s"] pub mod again;\n' "$PWD/$1" "$PWD/$1" >lib.rs
  for edition in 2018 2021; do
    rustc --edition $edition --crate-type lib --emit metadata lib.rs 2>log || fail "$(<log)"
  done
}
# says TEXT: types.rs has it
says() { grep -qF -- "$1" types.rs || fail "no: $1"; }
compiles types.rs
says 'pub fn acquire(_: *mut task, _: i32, ) -> i32;'
says 'pub type elsewhere___2 = i32;'
says 'pub call: *mut core::ffi::c_void,'
says 'pub opaque: *const opaque,'

# ---- offsets and bits, by Rust and by C

cat >main.rs <<'END'
#![deny(warnings)]
include!("types.rs");
macro_rules! offsets {
    ($type:ident: $($field:ident)+) => {{
        let base: $type = Default::default();
        $(println!("{}.{} {}", stringify!($type), stringify!($field),
            std::ptr::addr_of!(base.$field) as usize - &base as *const _ as usize);)+
        println!("{} {}", stringify!($type), std::mem::size_of::<$type>());
    }};
}
fn main() {
    offsets!(node: next name call opaque data);
    offsets!(inner: tag at node);
    offsets!(task: pid uses inner comm grid far either none many tight end);
    offsets!(holder: c of);
    offsets!(tight: c end);
    println!("{}", std::mem::size_of::<bits>());
    let mut bytes = std::fs::read("bytes").unwrap();
    let task = unsafe { &mut *bytes.as_mut_ptr().cast::<task>() };
    let bits = unsafe { &mut task.either.bits };
    println!("{} {} {} {} {}", bits.low(), bits.high(), bits.wide(), bits.over(), bits.color());
    println!("{} {} {} {}", bits.flag(), bits.r#type(), bits.set(), bits.color() == GREEN);
    println!("{} {} {:?}", task.tight.bits(), task.tight.more(), task.inner.node().data);
    bits.set_low(3);
    bits.set_high(-16384);
    bits.set_wide(1 << 39 | 5);
    bits.set_over(u64::MAX);
    bits.set_set(0);
    task.tight.set_bits(1 << 60);
    task.tight.set_more(3 << 60);
    let mut node = task.inner.node();
    node.name = 0x99 as _;
    task.inner.set_node(node);
    std::fs::write("changed", bytes).unwrap();
}
END
cat >main.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include "kernel.h"
#define AT(type, field) printf(#type "." #field " %zu\n", offsetof(struct type, field));
#define SIZE(type) printf(#type " %zu\n", sizeof(struct type));
_Alignas(8) char bytes[sizeof(struct task)];
int main(void) {
	struct task *t = (void *)bytes;
	struct bits *b = &t->either.bits;
	AT(node, next) AT(node, name) AT(node, call) AT(node, opaque) AT(node, data) SIZE(node)
	AT(inner, tag) AT(inner, at) AT(inner, node) SIZE(inner)
	AT(task, pid) AT(task, uses) AT(task, inner) AT(task, comm) AT(task, grid) AT(task, far) AT(task, either)
	AT(task, none) AT(task, many) AT(task, tight) AT(task, end) SIZE(task)
	AT(holder, c) AT(holder, of) SIZE(holder)
	AT(tight, c) AT(tight, end) SIZE(tight)
	printf("%zu\n", sizeof(struct bits));
	for (int i = 0; i < (int)sizeof(bytes); ++i) bytes[i] = i * 37;
	b->low = -3, b->color = GREEN;
	fwrite(bytes, sizeof(bytes), 1, fopen("bytes", "w"));
	printf("%d %d %lu %lu %d\n%d %d %d true\n", b->low, b->high, (long)b->wide, (long)b->over, b->color, b->flag, b->type, b->set);
	printf("%lu %lu %p\n", (long)t->tight.bits, (long)t->tight.more, t->inner.node.data);
	b->low = 3, b->high = -16384, b->wide = 1L << 39 | 5, b->over = -1, b->set = 0;
	t->tight.bits = 1L << 60, t->tight.more = 3L << 60, t->inner.node.name = (void *)0x99;
	fwrite(bytes, sizeof(bytes), 1, fopen("wanted", "w"));
}
END
"$CC" -w main.c -o of_c
rustc --edition 2021 main.rs -o of_rust 2>log || fail "$(<log)"
./of_c >wanted.txt
./of_rust >found.txt
diff wanted.txt found.txt || fail 'C (<) and Rust (>) differ'
cmp wanted changed || fail 'C and Rust write other bits'

# What clang lays out for either byte order
cat >order.rs <<'END'
include!("types.rs");
fn read<T: Copy>(name: &str) -> T { unsafe { std::fs::read(name).unwrap().as_ptr().cast::<T>().read_unaligned() } }
fn main() {
    let (bits, tight) = (read::<bits>("data.bits"), read::<tight>("data.tight"));
    print!("{} {} {:x} {:x} ", bits.low(), bits.high(), bits.wide(), bits.over());
    println!("{} {} {} {} {:x} {:x}", bits.color(), bits.flag(), bits.r#type(), bits.set(), tight.bits(), tight.more());
}
END
for order in el eb; do
  "$CC" -g -w -O2 -fdata-sections --target=bpf$order -c kernel.c -o order.o
  for name in bits tight; do llvm-objcopy-19 --dump-section=.data.$name=data.$name order.o; done
  "$BTFDEDUP" order.o --dump rust >types.rs
  rustc --edition 2021 order.rs -A warnings 2>log || fail "$(<log)"
  expect '-3 12345 123456789a fedcba987654321 7 1 2 1 1234567890abcdef 2bcdef1234567890' ./order
done

# ---- the compiler itself checks sizes and offsets

"$BTFDEDUP" kernel.o --dump rust >types.rs
compiles types.rs
for change in 's/(assert_layout!\(node, .*call: )16/\124/' 's/(assert_layout!\(node, .*call: )16/\18/' 's/(assert_layout!\(atomic_t, )4/\18/'; do
  sed -E "$change" types.rs >wrong.rs
  if cmp -s types.rs wrong.rs || rustc --crate-type lib --emit metadata -A warnings wrong.rs 2>log; then fail "compiles: $change"; fi
done

# Members of which only some are taken stay where they are.
"$BTFDEDUP" kernel.o --dump rust --members 'task: comm' >types.rs
compiles types.rs
says "assert_layout!(task, $(sed -n 's/^task //p' wanted.txt), comm: $(sed -n 's/^task.comm //p' wanted.txt));"

if "$BTFDEDUP" kernel.o --dump rust --type task --except far 2>errors; then fail 'accepted: --except'; fi
expect_error 'btfdedup: error: --except is for --dump c: a module of Rust includes no header'

# What no language can say, and names that Rust does not allow
blob odd.btf 'add(INT, "int", 4, 0x01000020); add(STRUCT, "Self", 8, "a", 1, 0, "a", 1, 8, "fn", 1, 16, "out", 1, 64, vlen=4)
add(STRUCT, "u8", 4, "x", 1, 3 << 24 | 2, "", 1, 5 << 24 | 5, vlen=2, kflag=1); add(TYPEDEF, "crate", 2)
add(ENUM, "", 4, "to", 5, vlen=1); add(UNION, "odd", 8, "x", 1, 8, vlen=1); add(STRUCT, "__place", 32, "big", 1, 70 << 24, vlen=1, kflag=1)'
"$BTFDEDUP" odd.btf --dump rust >types.rs
compiles types.rs
says '// big: 70 bits from bit 0, for which Rust has no type'
says '/// At byte 1, where Rust allows no such field.'

# ---- programs with aya and libbpf-rs, where Debian has these crates

registry=/usr/share/cargo/registry
if ! compgen -G "$registry/aya-0*" >log || ! compgen -G "$registry/libbpf-rs-*" >log || [[ ! -r /sys/kernel/btf/vmlinux ]]; then
  echo "no programs: $registry has no aya or no libbpf-rs, or the kernel no BTF"
  exit 0
fi
cp -r "$here/../../samples/rust" .
cd rust/loaders
for program in aya libbpf-rs; do
  CLANG=$CC PATH="${BTFDEDUP%/*}:$PATH" cargo --offline --config 'source.crates-io.replace-with="debian"' \
    --config "source.debian.directory=\"$registry\"" build -q --features $program 2>log || fail "$(<log)"
done
((EUID == 0)) || exit 0
expect '192 bytes, queue 0' target/debug/with_aya
expect '1192 bytes, queue 0, GPL 1' target/debug/with_libbpf_rs
