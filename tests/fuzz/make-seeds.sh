#!/bin/bash
# Makes every target's seeds from the sources in seeds/.
#
#   make-seeds.sh DIRECTORY      writes DIRECTORY/TARGET/*
set -euo pipefail

source=$(realpath "$(dirname "${BASH_SOURCE[0]}")")/seeds
CC=${CC:-clang-19}
mkdir -p "$1"
cd "$1"
mkdir -p btf btf_ext elf object archive link core update dwarf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# word NUMBER: four bytes, little-endian
word() {
  printf "\\x$(printf %02x $(($1 & 255)))\\x$(printf %02x $(($1 >> 8 & 255)))"
  printf "\\x$(printf %02x $(($1 >> 16 & 255)))\\x$(printf %02x $(($1 >> 24 & 255)))"
}

# pair CHOICES FIRST SECOND: one file with both, in the format of pair.hpp
pair() {
  word "$1"
  word "$(stat -c %s "$2")"
  cat "$2" "$3"
}

for file in "$source"/*.bpf.c; do
  name=$(basename "$file" .bpf.c)
  for target in bpf bpfeb; do
    object=$work/$name.$target.o
    "$CC" -g -O2 --target=$target -mcpu=v3 -w -I"/usr/include/$(uname -m)-linux-gnu" \
      -include linux/bpf.h -include bpf/bpf_helpers.h -include bpf/bpf_core_read.h \
      -c "$file" -o "$object"
    llvm-objcopy-19 --dump-section=.BTF="$work/btf" --dump-section=.BTF.ext="$work/ext" \
      "$object" /dev/null
    cp "$work/btf" "btf/$name.$target.btf"
    pair 0 "$work/btf" "$work/ext" >"btf_ext/$name.$target"
    llvm-objcopy-19 -R .BTF -R .BTF.ext -R .rel.BTF -R .rel.BTF.ext "$object" "dwarf/$name.$target.o"
    llvm-strip-19 --strip-debug "$object"
    cp "$object" elf/
    cp "$object" object/
  done
done

# With DWARF, which a failing link reads for its messages, and the target elf reads in full
compile_with_dwarf() { # NAME FLAG... <<SOURCE
  local name=$1
  shift
  "$CC" -g -O2 -mcpu=v3 "$@" -c -x c - -o "$work/$name.o"
}
number=0
for flags in -gdwarf-{2,3,4,5} '-gdwarf-4 -gdwarf64' '-gdwarf-5 -gdwarf64'; do
  for target in bpf bpfeb; do
    ((++number))
    # shellcheck disable=SC2086 # words are meant
    compile_with_dwarf uses-$number --target=$target $flags <<<'extern int v; int f(void) { return v; }'
    # shellcheck disable=SC2086
    compile_with_dwarf has-$number --target=$target $flags <<<'long v = 1; static int w; int *g(void) { return &w; }'
    cp "$work"/{uses,has}-$number.o elf/
    cp "$work"/{uses,has}-$number.o dwarf/
    pair 0 "$work"/{uses,has}-$number.o >link/dwarf-$number
  done
done
for version in 4 5; do
  compile_with_dwarf split --target=bpf -gdwarf-$version -gsplit-dwarf=single <<<'int *f(long *v) { return (int *)*v; }'
  cp "$work/split.o" dwarf/split-$version.o
done
llvm-objcopy-19 --compress-debug-sections=zlib "$work/has-1.o" elf/dwarf-compressed.o
llvm-objcopy-19 --rename-section .rel.debug_info=.rela.debug_info "$work/has-1.o" elf/dwarf-with-addends.o

cd "$work"
for target in bpf bpfeb; do
  pair 0 main.$target.o library.$target.o >"$OLDPWD/link/main-library.$target"
done
pair 2 main.bpf.o library.bpf.o >"$OLDPWD/link/gc"
pair 1 main.bpf.o small.bpf.o >"$OLDPWD/link/partial"
pair 64 library.bpf.o main.bpf.o >"$OLDPWD/link/report"
pair 0 small.bpf.o /dev/null >"$OLDPWD/link/one"
pair 1 small.bpf.o struct_ops.bpf.o >"$OLDPWD/link/struct_ops"
pair 0 struct_ops.bpf.o /dev/null >"$OLDPWD/link/struct_ops-one"

for target in bpf bpfeb; do
  "$CC" -g -O0 --target=$target -c "$source/core_kernel.c" -o kernel.$target.o
  llvm-objcopy-19 --dump-section=.BTF=kernel.$target.btf kernel.$target.o /dev/null
  pair 0 core.$target.o kernel.$target.btf >"$OLDPWD/core/kernel.$target"
  pair 30 core.$target.o kernel.$target.btf >"$OLDPWD/core/with-facts.$target"
done
pair 1 core.bpf.o kernel.bpf.btf >"$OLDPWD/core/strict"
for name in core main small struct_ops; do # on their own types
  pair 0 $name.bpf.o /dev/null >"$OLDPWD/core/$name"
done

cp small.bpf.o a-name-of-more-than-sixteen-characters.o
llvm-ar-19 rcs "$OLDPWD/archive/two.a" main.bpf.o library.bpf.o
llvm-ar-19 rcs "$OLDPWD/archive/long-name.a" a-name-of-more-than-sixteen-characters.o
llvm-ar-19 --format=bsd rcs "$OLDPWD/archive/bsd.a" a-name-of-more-than-sixteen-characters.o
llvm-ar-19 rcs "$OLDPWD/archive/empty.a"

# blob ORDER STRINGS WORD...: BTF of types that are these words, in the byte order le or be
blob() {
  local order=$1 strings=$2 number
  shift 2
  magic() { if [[ $order == le ]]; then printf '\x9f\xeb'; else printf '\xeb\x9f'; fi; }
  swapped() { if [[ $order == le ]]; then word "$1"; else word $((($1 & 255) << 24 | ($1 >> 8 & 255) << 16 |
    ($1 >> 16 & 255) << 8 | $1 >> 24)); fi; }
  magic
  printf '\x01\x00'
  for number in 24 0 $((4 * $#)) $((4 * $#)) "$(printf %b "$strings" | wc -c)" "$@"; do swapped "$number"; done
  printf %b "$strings"
}

# With type ids in .BTF_ids, in .BTF.ext and in an instruction; and a module whose types are split
cat >update.c <<'END'
struct pair { int a, b; } __attribute__((preserve_access_index));
struct pair p;
__attribute__((section("socket"))) int prog(int first, struct pair *q) {
  return q->b + p.a + __builtin_btf_type_id(*(struct pair *)0, 0);
}
__asm__(".section .BTF_ids,\"a\",@progbits\n"
        "__BTF_ID__struct__pair__1: .long 1\n"
        "__BTF_ID__set__plain: .long 2\n"
        "__BTF_ID__struct__pair__2: .long 1\n"
        "__BTF_ID__struct__pair__3: .long 1\n"
        "__BTF_ID__set8__pairs: .long 1, 1\n"
        "__BTF_ID__func__prog__4: .long 1, 1\n");
END
# Ids of hundreds of types are valid at odd places, too; --sort changes them all.
for number in {199..100}; do echo "struct s$number { struct s$number *a; } v$number;"; done >>update.c
for target in bpf bpfeb; do
  "$CC" -g -O2 --target=$target -mcpu=v3 -w -c update.c -o update.$target.o
  for choices in 0 1; do pair $choices update.$target.o /dev/null >"$OLDPWD/update/$choices.$target"; done
  order=le
  if [[ $target == bpfeb ]]; then order=be; fi
  struct=$((4 << 24)) pointer=$((2 << 24)) typedef=$((8 << 24))
  blob $order '\0int\0pair\0a\0b\0' 1 $((1 << 24)) 4 $((1 << 24 | 32)) 5 $((struct | 2)) 8 10 1 0 12 1 32 >base.btf
  blob $order 'user\0alias\0' 0 $pointer 2 14 $((struct | 1)) 8 10 3 0 19 $typedef 4 0 $pointer 2 >split.btf
  llvm-objcopy-19 -R .BTF.ext -R .rel.BTF.ext -R .rel.BTF --update-section .BTF=split.btf update.$target.o module.o
  for choices in 2 3 6 7; do pair $choices module.o base.btf >"$OLDPWD/update/$choices.$target"; done
done
