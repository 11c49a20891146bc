#!/bin/bash
# Skeletons of arenas, struct_ops, kernel configuration and custom sections: they
# have the members that they should, compile as C and as C++, and sections at
# other places than the BPF object's do not.
set -euo pipefail
fixtures=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() {
  printf 'FAIL: %s\n' "$*" >&2
  exit 1
}

has() { # FILE LINE...: in that order, with nothing between
  local file=$1 text
  shift
  text=$(printf '%s\n' "$@")
  [[ $(tr -s '\t ' ' ' <"$file") == *"$text"* ]] || fail "$file lacks"$'\n'"$text"
}

compiles() { # HEADER: as programs include it
  echo "#include \"$1\"" >user.c
  "$CC" -Wall -Wextra -Werror -fsyntax-only -include linux/types.h -x c user.c
  "$CXX" -Wall -Wextra -Werror -fsyntax-only -include linux/types.h -x c++ user.c
}

"$BPFSKEL" --cpp "$fixtures/arena.o" >arena.skel.h
has arena.skel.h ' struct arena__arena {' ' int first;' ' char __pad0[4];' ' long table[4];' ' } *arena;'
has arena.skel.h ' s->maps[0].name = "pages";' ' s->maps[0].map = &obj->maps.pages;' \
  ' s->maps[0].mmaped = (void **)&obj->arena;'
compiles arena.skel.h

"$BPFSKEL" --cpp --name all "$fixtures/counters.o" "$fixtures/state.o" >all.skel.h
has all.skel.h ' struct {' ' char tag[3];' ' long scale;' ' } settings;'
has all.skel.h ' struct all__kconfig {' ' unsigned long CONFIG_HZ;' ' } *kconfig;'
has all.skel.h ' struct all__bss_ports {' ' __u64 per_port[8];' ' } *bss_ports;'
has all.skel.h ' struct bpf_link *my_ops;'
has all.skel.h ' struct {' ' struct all__my_ops__tcp_congestion_ops {' ' struct bpf_program *init;' \
  ' struct bpf_program *ssthresh;' ' char name[16];' ' } *my_ops;' ' } struct_ops;'
compiles all.skel.h

# A type that differs in user space is found by the compiler.
sed 's/unsigned long CONFIG_HZ/int CONFIG_HZ/' all.skel.h >wrong.h
if compiles wrong.h 2>errors; then fail 'a variable of another size compiles'; fi
grep -q "unexpected size of 'CONFIG_HZ'" errors || fail "$(<errors)"

# What C would lay out otherwise is bytes; the kernel's configuration is laid out by the loader, and
# constant; members that are shown are at their places.
"$CLANG" -g -O2 --target=bpf -c -x c -o layout.o - <<'END'
struct { char bytes[3]; } __attribute__((aligned(32))) wide = {{7, 8, 9}};
struct { char tag; int value; } __attribute__((packed)) pairs[2] = {{1, 2}};
struct { int bits : 3, more : 30; char last; } plain = {1, 2, 3};
extern _Bool CONFIG_BPF __attribute__((section(".kconfig")));
extern const unsigned CONFIG_B __attribute__((section(".kconfig")));
extern unsigned CONFIG_A __attribute__((section(".kconfig")));
__attribute__((section("socket"))) int use(void *ctx) { return CONFIG_BPF + CONFIG_B + CONFIG_A; }
END
"$BPFSKEL" layout.o -o layout.skel.h
has layout.skel.h ' struct layout__data {' ' char wide[32];' ' char pairs[10];' ' struct {' \
  ' int bits: 3;' ' int more: 30;' ' char last;' ' } plain;' ' } *data;'
has layout.skel.h ' struct layout__kconfig {' ' unsigned int CONFIG_A;' ' const unsigned int CONFIG_B;' ' _Bool CONFIG_BPF;' ' } *kconfig;'
compiles layout.skel.h

# What does not link gives no skeleton.
if "$BPFSKEL" "$fixtures/counters.o" >out.h 2>errors; then fail 'an undefined symbol is no error'; fi
[[ ! -s out.h ]] || fail 'a header in spite of an error'
grep -q 'undefined symbol: helper' errors || fail "$(<errors)"
