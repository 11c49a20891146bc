#!/bin/bash
# The Rust module compiles without warnings, contains the object's bytes, and has each member at the
# same offset as C.
. "$(dirname "$0")/common.sh"
command -v rustc >/dev/null || { echo 'SKIPPED: rustc is not installed'; exit 77; }

cat >types.h <<'END'
enum mode { OFF, ON = 7 };
enum wide { HUGE = 0x123456789aULL, NEGATIVE = -1LL };
typedef struct { short low; long high; } range;
struct packed { char tag; int value; range inner; } __attribute__((packed));
struct aligned { char tag; } __attribute__((aligned(16)));
struct bits { int first : 3, second : 30; char last; };
union number { float real; unsigned char bytes[5]; };
struct all {
  _Bool set; enum mode mode; enum wide wide; range ranges[2][3]; struct packed packed;
  struct aligned aligned; struct bits bits; union number number; char *pointer; double real;
  struct { int type; union { int self; long fn; }; } inner; int (*loop)(int); struct all *next; char end;
} all = {.mode = ON};
struct same { int a; } same = {1};
END
printf '#include "types.h"\nchar first = 1; long wide_one = 2; static char hidden; %s' \
  'char at_the_end[3] = "ab"; __attribute__((section("socket"))) int match(void *ctx) { return hidden++; }' >a.c
echo 'struct same { char *a; } other = {"x"}; __attribute__((section(".data.own"))) int own = 3;' >b.c
"$CLANG" -g -O2 --target=bpf -w -c a.c b.c
"$BPFSKEL" --rust --name both a.o b.o -o both.rs
"$BPFLINK" a.o b.o -o both.o

cat >main.rs <<'END'
#![deny(warnings)]
include!("both.rs");
use both::{types::*, *};
macro_rules! show {
    ($type:ty, $($field:ident)+) => {{
        let it = std::mem::MaybeUninit::<$type>::uninit();
        let base = it.as_ptr();
        $(let field = unsafe { std::ptr::addr_of!((*base).$field) };
        println!("{}.{} {}", stringify!($type), stringify!($field), field as usize - base as usize);)+
        println!("{} {}", stringify!($type), std::mem::size_of::<$type>());
    }};
}
fn main() {
    show!(all, set mode wide ranges packed aligned bits number pointer real inner r#loop next end);
    show!(range, low high);
    show!(packed, tag value inner);
    show!(aligned, tag);
    show!(bits, last);
    show!(number, real bytes);
    show!(same, a);
    println!("{} {} {}", ON, HUGE, NEGATIVE);
    println!("{} {} {}", maps::data_own, progs::r#match, std::mem::size_of::<same___2>());
    std::fs::write("rust.o", ELF_BYTES).unwrap();
}
END
rustc --edition 2021 main.rs 2>log || fail "$(<log)"
./main >rust

cat >main.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include "types.h"
#define FIELD(type, field) printf("%s.%s %zu\n", #type, #field, offsetof(type_##type, field));
#define SIZE(type) printf("%s %zu\n", #type, sizeof(type_##type));
typedef struct all type_all; typedef range type_range; typedef struct packed type_packed; typedef struct same type_same;
typedef struct aligned type_aligned; typedef struct bits type_bits; typedef union number type_number;
int main(void) {
END
sed -nE 's/^ +show!\(([a-z]+), (.*)\);$/\1 \2/p' main.rs | while read -r type fields; do
  for field in $fields; do echo "FIELD($type, $field)"; done
  echo "SIZE($type)"
done | sed 's/r#loop/loop/' >>main.c
echo 'puts("7 78187493530 -1"); puts(".data.own match 8"); }' >>main.c
"$CC" -w main.c -o main.of_c
./main.of_c | sed 's/\.loop /.r#loop /' | diff - rust || fail "C (<) and Rust (>) differ"
cmp rust.o both.o || fail 'other bytes than those of bpflink'

# Variables are at the offsets in the DATASEC.
cat >>main.rs <<'END'
#[test]
fn offsets() {
    show!(data, first wide_one at_the_end all same other);
}
END
bpftool btf dump file both.o | awk '
  /DATASEC/ { is_data = /\.data'"'"'/ } is_data && /VAR/ { gsub(/[()'"'"']/, ""); sub("offset=", "", $2); print "data." $5, $2 }' |
  grep -v hidden | sort >wanted
[[ -s wanted ]] || fail 'no variables'
rustc --edition 2021 --test -A dead_code main.rs -o offsets 2>log || fail "$(<log)"
./offsets --nocapture | grep -o 'data\..*' | sort | diff wanted - || fail 'the DATASEC (<) and Rust (>) differ'

# Many zeros are no text: the bytes are the same.
printf '.section .data,"aw"\n.byte 1\n.zero 5000\n.byte 0x22\n.zero 9000\n' >zeros.s
"$CLANG" --target=bpf -c zeros.s -o zeros.o
"$BPFLINK" -q zeros.o -o linked.o
"$BPFSKEL" -q --rust --name zeros linked.o -o zeros.rs
(($(wc -c <zeros.rs) < 6000)) || fail "zeros take $(wc -c <zeros.rs) bytes of text"
echo '#![deny(warnings)] include!("zeros.rs"); fn main() { std::fs::write("zeros.o", zeros::ELF_BYTES).unwrap(); }' >zeros_main.rs
rustc --edition 2021 zeros_main.rs -o write_zeros 2>log || fail "$(<log)"
./write_zeros && cmp zeros.o linked.o || fail 'other bytes than those of bpflink'
