#!/bin/bash
# --target: BTF for an older kernel or reader. Types keep their ids and strings their offsets, and
# Debian's bpftool, which knows no layout section, reads the result.
. "$(dirname "$0")/common.sh"

# header FILE: the sizes of the header and of the strings
header() { od -An -tu4 -w20 -j 4 -N 20 "$1" | awk '{ print $1, $5 }'; }
# types FILE [BASE]: a line for each type, as bpftool reads it
types() { bpftool ${2:+-B "$2"} btf dump file "$1" | grep '^\['; }

# A kernel's BTF, with and without a layout section
kernel="add(INT, 'int', 4, 32); add(INT, 'char', 1, 8); add(ENUM64, 'wide', 8, 'A', 1, 2, 'B', 3, 4, kflag=1)
add(FLOAT, 'double', 8); add(TYPE_TAG, 'user', 1); add(PTR, '', 5)
add(STRUCT, 's', 24, 'd', 4, 0, 'w', 3, 64, 'p', 6, 128); add(DECL_TAG, 'bpf_kfunc', 9, -1)
add(FUNC, 'f', 10, vlen=1); add(FUNC_PROTO, '', 1, 'x', 6); add(ENUM, 'e', 4, 'C', -1, kflag=1)
add(VAR, 'v', 1, 1); add(DATASEC, '?.data', 4, 12, 0, 4); add(STRUCT, 'bpf_ctx_convert', 0)"
layout="elements = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
layout = [(12 if k == 3 else 4 * (k in (1, 14, 17)), elements.get(k, 0), 0) for k in range(20)]"
blob plain.btf "$kernel"
blob layout.btf "$kernel; $layout"
"$BTFDEDUP" plain.btf -o plain.btf.out && mv plain.btf.out plain.btf
"$BTFDEDUP" layout.btf -o new.btf # with the sections in libbpf's order
read -r _ strings < <(header new.btf)
expect "32 $strings" header new.btf

"$BTFDEDUP" --target linux-5.4 new.btf -o old.btf
expect "24 $strings" header old.btf
expect "[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=(none)
[2] INT 'char' size=1 bits_offset=0 nr_bits=8 encoding=(none)
[3] UNION 'wide' size=8 vlen=2
[4] STRUCT '(anon)' size=8 vlen=0
[5] CONST '(anon)' type_id=1
[6] PTR '(anon)' type_id=5
[7] STRUCT 's' size=24 vlen=3
[8] INT 'bpf_kfunc' size=1 bits_offset=0 nr_bits=8 encoding=(none)
[9] FUNC 'f' type_id=10 linkage=static
[10] FUNC_PROTO '(anon)' ret_type_id=1 vlen=1
[11] ENUM 'e' encoding=UNSIGNED size=4 vlen=1
[12] VAR 'v' type_id=1, linkage=global
[13] DATASEC '_.data' size=4 vlen=1
[14] STRUCT 'bpf_ctx_convert' size=0 vlen=0" types old.btf
expect 'old.btf: needs Linux 5.2, for VAR' "$BTFDEDUP" --check old.btf

# Each release accepts what is converted for it, sorted or not.
"$BTFDEDUP" --sort new.btf -o sorted.btf
for input in new sorted; do
  for release in 4.18 4.20 5.0 5.2 5.5 5.10 5.15 5.19 6.1 6.6 6.12 7.0; do
    "$BTFDEDUP" --target "linux-$release" $input.btf -o old.btf
    needs=$("$BTFDEDUP" --check old.btf | grep -oE 'needs Linux [0-9.]+')
    printf '%s\n' "${needs#needs Linux }" "$release" | sort -VC || fail "$input for linux-$release $needs"
    types old.btf >old.types
    [[ $(wc -l <old.types) == 14 ]] || fail "$input for linux-$release: $(wc -l <old.types) types"
  done
done

# The header alone
"$BTFDEDUP" --target classic-header new.btf -o classic.btf
cmp plain.btf classic.btf
"$BTFDEDUP" --target linux-7.1 new.btf -o same.btf
cmp new.btf same.btf
"$BTFDEDUP" --target classic-header - -o - <new.btf >piped.btf
cmp plain.btf piped.btf

# A module's types continue the converted kernel's, whichever form of it they are read with.
blob module.btf "add(ENUM64, $strings, 8, $strings + 5, 1, 2); add(PTR, 0, 15); strings = b'more\0MANY\0'"
"$BTFDEDUP" --target linux-5.4 new.btf -o old.btf
for base in new old; do
  "$BTFDEDUP" --target linux-5.4 --base $base.btf module.btf -o old-module.btf
  expect "[15] UNION 'more' size=8 vlen=1
[16] PTR '(anon)' type_id=15" types old-module.btf old.btf
done
"$BTFDEDUP" --check --base old.btf old-module.btf >checked
expect 'old-module.btf: needs Linux 4.18, for BTF' cat checked

# ELF files
gcc -x c -c - -o plain.o <<<'int number;'
objcopy --add-section=.BTF=new.btf plain.o vmlinux.o
"$BTFDEDUP" --target linux-5.4 vmlinux.o -o from-elf.btf
cmp old.btf from-elf.btf

# Mistakes
fails() {
  expect_message "btfdedup: error: $1" "$BTFDEDUP" "${@:2}" -o out.o
}
for text in linux-5 linux-5. linux- linux-5.4. 5.4 linux-x.y linux-99999.1 classic; do
  fails "--target $text: is neither linux-N.N, such as linux-5.4, nor classic-header (see btfdedup --help)" --target $text new.btf
done
fails 'new.btf: there is no BTF before Linux 4.18' --target linux-4.17 new.btf
fails '--target has one input: merge first, without it (see btfdedup --help)' --target linux-5.4 new.btf plain.btf
cat plain.btf plain.btf >two.btf
fails 'two.btf: has several blobs of BTF; merge them first, without --target' --target linux-5.4 two.btf
fails 'plain.o: has no section .BTF: compile with -g, with gcc -gbtf' --target linux-5.4 plain.o
"$BTFDEDUP" --target linux-5.4 new.btf -o new.btf 2>errors && fail 'the output replaces the input'
objcopy --add-section=.BTF=module.btf --add-section=.BTF.base=new.btf plain.o module.ko
fails 'module.ko: is split from its section .BTF.base, not from the base given' --target linux-5.4 --base new.btf module.ko
"$BTFDEDUP" --target linux-5.4 module.ko -o from-ko.btf
cmp old-module.btf from-ko.btf
blob wide.btf "add(INT, 'long', 8, 64); add(ENUM64, 'flags', 4, 'A', 1, 0)"
fails "wide.btf: type [2] ENUM64 'flags' becomes a union, for whose members there is no INT of its size or less" --target linux-5.4 wide.btf

# This machine's kernel, as Debian's bpftool and cilium/ebpf 0.9 read it
kernel=/sys/kernel/btf/vmlinux
if [[ -r $kernel ]]; then
  bpftool btf dump file $kernel 2>/dev/null | grep -c '^\[' >count || true
  for release in 5.4 5.15; do
    "$BTFDEDUP" --target linux-$release $kernel -o "kernel-$release.btf"
    "$BTFDEDUP" --check --target linux-$release "kernel-$release.btf" >checked || fail "linux-$release: $(<checked)"
    types "kernel-$release.btf" >kernel.types
    [[ $(wc -l <kernel.types) == $(<count) ]] || fail "linux-$release: $(wc -l <kernel.types) types, not $(<count)"
  done
  for module in /sys/kernel/btf/*; do
    if [[ $module == "$kernel" ]]; then continue; fi
    "$BTFDEDUP" --target linux-5.4 --base $kernel "$module" -o module.btf
    types module.btf kernel-5.4.btf >module.types || fail "$module: bpftool does not read it"
  done
fi
modules=/usr/share/gocode/src
if command -v go >/dev/null && [[ -d $modules/github.com/cilium/ebpf/btf ]]; then
  mkdir go && cd go
  cat >main.go <<'END'
package main

import (
	"fmt"
	"os"

	"github.com/cilium/ebpf/btf"
)

func main() {
	for _, path := range os.Args[1:] {
		file, err := os.Open(path)
		if err != nil {
			panic(err)
		}
		if _, err := btf.LoadSpecFromReader(file); err != nil {
			fmt.Println(path, err)
		}
	}
}
END
  printf 'module reader\n\ngo 1.19\n\nrequire github.com/cilium/ebpf v0.9.1\n' >go.mod
  for module in github.com/cilium/ebpf golang.org/x/sys golang.org/x/exp; do
    if [[ -d $modules/$module ]]; then echo "replace $module => $modules/$module"; fi
  done >>go.mod
  GOCACHE=$PWD/cache GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local CGO_ENABLED=0 go build -o reader .
  expect '' ./reader ../old.btf ../kernel-*.btf
  ./reader ../new.btf | has . || fail 'cilium/ebpf reads what is not converted: this test shows nothing'
fi
