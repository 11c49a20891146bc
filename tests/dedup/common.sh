# Functions for the btfdedup cases, besides those of tests/messages.
layout=$(realpath "$(dirname "${BASH_SOURCE[0]}")/layout.py")
. "${layout%/*}/../messages/common.sh"

# two_objects: makes a.o and b.o with .BTF that have types in common
two_objects() {
  compile a <<'END'
struct node { struct node *next; int value; };
struct node first;
SEC("socket") int prog(struct __sk_buff *ctx) { return first.value + ctx->len; }
END
  compile b <<'END'
struct node { struct node *next; int value; };
struct other { struct node *node; long count; } second;
SEC("xdp") int other(struct xdp_md *ctx) { return second.count + ctx->data; }
END
  for object in a b; do
    llvm-objcopy-19 --strip-debug $object.o
    llvm-objcopy-19 --remove-section=.rel.BTF --remove-section=.rel.BTF.ext $object.o
    llvm-objcopy-19 --dump-section=.BTF=$object.btf $object.o
  done
}

# structs FILE: the number of structs of each name
structs() { bpftool btf dump file "$1" | sed -n "s/^\[[0-9]*\] STRUCT '\(.*\)' size.*/\1/p" | sort | uniq -c | sed 's/^ *//'; }

# compiles FILE: gcc and clang compile FILE for this machine, and clang for BPF, without warnings
compiles() {
  gcc -std=gnu11 -Wall -Werror -fsyntax-only -x c "$1"
  "$CC" -std=gnu11 -Wall -Werror -fsyntax-only -x c "$1"
  "$CC" -std=gnu11 -Wall -Werror --target=bpf -fsyntax-only -x c "$1"
}

# dump FILE [OPTION...]: writes types.h of FILE's BTF, which must compile and have the right layouts
dump() {
  "$BTFDEDUP" "$@" -o types.btf --dump c >types.h
  { cat types.h; "$python" "$layout" asserts types.btf; } >asserts.c
  compiles asserts.c
  { cat types.h; "$python" "$layout" bits types.btf; } >bits.c
  for compiler in gcc "$CC"; do
    "$compiler" -std=gnu11 -w bits.c -o bits
    ./bits >bits.wrong || fail "$1, $compiler: $(head -n 5 bits.wrong)"
  done
}
