#!/bin/bash
# bpflink2go: the example of bpflink2go(1), typed into an empty directory by someone who has README.md's files.
# Of one file, it writes what bpf2go writes, for all options; of several files, what bpf2go writes of one that has
# all their code. The modules are Debian's, or in the directory $GO_MODULES, with another cilium/ebpf.
. "$(dirname "$0")/common.sh"
needs go clang-19 llvm-strip-19 bpflink
export GOCACHE=$tmp/cache GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0
modules=${GO_MODULES:-/usr/share/gocode/src}
[[ -d $modules/github.com/cilium/ebpf/btf ]] || skip 'golang-github-cilium-ebpf-dev is not installed'
unformatted=$(gofmt -l "$tmp/linker/interfaces/go" "$tmp/samples/go")
[[ -z $unformatted ]] || fail "gofmt: $unformatted"
(cd "$tmp/linker/interfaces/go" && go vet . && go build -o "$tmp/bpflink2go" .)

# use_debian: has go.mod take directories in place of downloads
use_debian() {
  local module
  for module in github.com/cilium/ebpf golang.org/x/{sys,exp}; do
    if [[ -d $modules/$module ]]; then go mod edit -replace "$module=$modules/$module"; fi
  done
}

page=$PREFIX/share/man/man1/bpflink2go.1
read_snippets "$repository/README.md"
mkdir -p "$tmp/typed/bpf"
cd "$tmp/typed/bpf"
write_files
cd ..
example "$page" 1 >main.go
commands=$(example "$page" 2 | sed "s|/usr/local/|$PREFIX/|")
eval "$(head -n 1 <<<"$commands")"
use_debian
bash -euc "$(tail -n +2 <<<"$commands")" >log 2>&1 || fail "$commands"$'\n'"$(<log)"
contains log 'bpflink: removed 0 bytes of 0 unused definitions'
if ./count >log 2>&1; then
  [[ $(<log) == '1 packets' ]] || fail "the example prints: $(<log)"
else
  grep -q 'not permitted\|MEMLOCK' log || fail "the example: $(<log)"
  echo "not loaded: $(<log)"
fi
# README.md's commands are those of bpflink2go(1).
for command in 'go mod edit -replace bpflink.example/bpflink2go=/usr/local/share/bpflink/go' 'go get '; do
  contains "$repository/README.md" "\`$command"
  example "$page" 2 | has "^$command" || fail "bpflink2go(1): no $command"
done

# ---- As bpf2go, in one module: a directory of Go files for each way
export GOPACKAGE=main
mkdir ../as
cp go.mod ../as
cd ../as
go mod edit -module as
use_debian
go get github.com/cilium/ebpf bpflink.example/bpflink2go 2>/dev/null
cp "$tmp/samples/rust/counter/bpf"/* .
{
  cat state.bpf.c
  sed '/^#include/d; /^extern/d; /^int note/d' main.bpf.c
} >whole.bpf.c
go run github.com/cilium/ebpf/cmd/bpf2go -h >help 2>&1 || true
include=-I/usr/include/$(uname -m)-linux-gnu

# takes OPTION: this version of bpf2go has it
takes() { grep -qE -- "^  -$1( |\$)" help; }

# generate DIRECTORY PROGRAM ARGUMENT...: what the program writes, without the directory's name in it
generate() {
  local directory=$1
  mkdir "$directory"
  cp ./*.[ch] go.mod "$directory"
  (cd "$directory" && "${@:2}") >log 2>&1 || fail "${*:2}: $(<log)"
  find "$directory" -name '*.d' -exec sed -i "s|$directory/||g" {} +
}
real=(go run github.com/cilium/ebpf/cmd/bpf2go -strip llvm-strip-19 -cc clang-19)
ours=(go run bpflink.example/bpflink2go -cc clang-19)

# same NAME ARGUMENT...: both programs write the same Go files and make rules
same() {
  generate "$1.real" "${real[@]}" "${@:2}" -- "$include"
  generate "$1.ours" "${ours[@]}" "${@:2}" -- "$include"
  diff -r --exclude='*.o' "$1.real" "$1.ours" || fail "${*:2}: another file than bpf2go's (<)"
}
same plain counter whole.bpf.c
same targets -target amd64,arm64 -tags linux,go1.18 -makebase "$tmp/as" Counter whole.bpf.c
same types -type verdict -no-global-types -cflags '-DNAME="a b" -DX' counter whole.bpf.c
if takes output-suffix; then
  mkdir out
  same output -output-stem stem -output-suffix _x -go-package other -output-dir . counter whole.bpf.c
fi
if takes verbose; then contains help 'BPF2GO_CC'; fi

# Several files, and the defaults of the environment
generate several env BPF2GO_CC=clang-19 BPF2GO_CFLAGS="$include" BPF2GO_MAKEBASE="$tmp/as" \
  "$tmp/bpflink2go" counter main.bpf.c state.bpf.c
for order in bpfel bpfeb; do
  cmp several/counter_$order.go plain.real/counter_$order.go
  tr -d '\\\n' <several/counter_$order.go.d >rule
  for file in main.bpf.c state.bpf.c counter.h; do contains rule " $file"; done
  bpflink several/counter_$order.o -o again.o # it is a valid object
done
cp "$tmp/samples/go/counter/main.go" several
[[ $(cd several && go run .) == $'program count in section xdp\nmap packets values of 32 bytes\nlength 7' ]] ||
  fail "the sample says: $(cd several && go run . 2>&1)"
if readelf -SW several/counter_bpfel.o | has '\.debug_'; then fail 'DWARF is left'; fi
if LC_ALL=C grep -q "$tmp" several/counter_bpfel.o; then fail 'a path is in the object'; fi
GOARCH=arm64 generate foreign "$tmp/bpflink2go" -no-strip -target bpfel counter main.bpf.c state.bpf.c
readelf -SW foreign/counter_bpfel.o | has '\.debug_' || fail '-no-strip strips'
generate verbose "$tmp/bpflink2go" -verbose -cflags -DX=1 -target bpfel counter whole.bpf.c -- -DY=2
grep -q 'clang.* -DX=1 -DY=2 ' log || fail "other flags: $(<log)"

# ---- -gc, of one file that includes a header with maps
cat >one.bpf.c <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#define MAP(name, ...) struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1000); \
  __type(key, __u32); __type(value, struct name##_value); __VA_ARGS__ } name SEC(".maps")
struct used_value { __u64 a; }; struct unused_value { __u64 a[3]; }; struct pinned_value { __u64 c; };
struct wanted_value { __u64 d; }; struct event { __u32 pid; __u64 time; };
const struct event *unused_event __attribute__((unused));
MAP(used); MAP(unused); MAP(wanted); MAP(pinned, __uint(pinning, LIBBPF_PIN_BY_NAME););
SEC("xdp") int count(struct xdp_md *ctx) { __u32 key = 0; return bpf_map_lookup_elem(&used, &key) ? 1 : 2; }
char LICENSE[] SEC("license") = "GPL";
END
generate gc "$tmp/bpflink2go" -gc -type event -ldflags '-u wanted' -target bpfel one one.bpf.c -- "$include"
contains log 'bpflink: keeping map pinned: pinned map'
contains log 'bpflink: keeping map wanted: -u'
grep -q 'bpflink: removing unused .*:(\.maps+0x20) unused: up to 32000 bytes of memory$' log || fail "$(<log)"
contains log 'bpflink: removed 32 bytes of 1 unused definition, with maps of up to 32000 bytes of memory'
[[ $(grep -o 'ebpf:"[a-z]*"' gc/one_bpfel.go | sort -u | tr -d '"' | xargs) == 'ebpf:count ebpf:pinned ebpf:used ebpf:wanted' ]] ||
  fail "-gc: $(<gc/one_bpfel.go)"
contains gc/one_bpfel.go 'type oneEvent struct'
if grep -q 'oneUnusedValue' gc/one_bpfel.go; then fail 'the type of a dropped map is left'; fi

# ---- Messages, and old files that stay after an error
cp -r several broken
cd broken
echo 'int missing(void); int user(void) { return missing(); }' >>state.bpf.c
if "$tmp/bpflink2go" -target bpfel counter main.bpf.c state.bpf.c >log 2>&1; then fail 'an undefined symbol is not an error'; fi
grep -qE '^(\./)?state.bpf.c:[0-9]+:[0-9]+: error: undefined symbol: missing$' log || fail "no place before the message: $(<log)"
cmp ../several/counter_bpfel.o counter_bpfel.o
if "$tmp/bpflink2go" counter >log 2>&1; then fail 'no file is not an error'; fi
contains log 'bpflink2go: an identifier and at least one file are needed'
"$tmp/bpflink2go" -h 2>log
contains log 'drop what no program needs'
cd ..

# ---- Bitcode: of a flag, and as an input
cp -r ../typed bitcode
cd bitcode
clang-19 -g -O2 -mcpu=v1 --target=bpfel -flto "$include" -c bpf/queue.bpf.c -o queue.bc
rm count_bpfel.*
if "$tmp/bpflink2go" -cflags -flto -target bpfel count bpf/main.bpf.c bpf/maps.bpf.c queue.bc >log 2>&1; then
  cmp count_bpfel.go ../../typed/count_bpfel.go
  llvm-objdump-19 -d count_bpfel.o >code
  contains code '<count>:'
  if grep -q queue_of code; then fail "queue_of() is no part of the program: $(<code)"; fi
else
  contains log 'there is no library of LLVM'
fi
cd ..

# An object without source lines opens, too: cilium/ebpf reads the size of records in any case.
generate lineless "$tmp/bpflink2go" -ldflags --strip-line-info counter main.bpf.c state.bpf.c
cp "$tmp/samples/go/counter/main.go" lineless
(cd lineless && go run . >/dev/null) || fail 'cilium/ebpf does not open an object without source lines'
