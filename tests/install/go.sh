#!/bin/bash
# bpflink2go: several C files through go generate, without cgo, in an outside project whose go.mod has
# README.md's lines, with Debian's modules. Its types have clang's layout, its messages begin with the
# place, and it replaces bpf2go: the same program builds with either's output.
. "$(dirname "$0")/common.sh"
needs go clang-19 bpflink
export GOCACHE=$tmp/cache GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local CGO_ENABLED=0
modules=/usr/share/gocode/src
[[ -d $modules/github.com/cilium/ebpf/btf ]] || skip 'golang-github-cilium-ebpf-dev is not installed'
# debian_modules: what a go.mod needs in place of downloads
debian_modules() {
  local module
  for module in github.com/cilium/ebpf golang.org/x/sys golang.org/x/exp; do
    if [[ -d $modules/$module ]]; then echo "replace $module => $modules/$module"; fi
  done
}
cd "$tmp/linker/bindings/go"
debian_modules >>go.mod
unformatted=$(gofmt -l . "$tmp/samples/go")
[[ -z $unformatted ]] || fail "gofmt: $unformatted"
go vet .

mkdir "$tmp/project"
cp -r "$tmp/samples/go/counter" "$tmp/samples/rust" "$tmp/project"
cd "$tmp/project"
sed -i 's|\.\./\.\./rust/|../rust/|g' counter/main.go
{
  printf 'module project\n\ngo 1.19\n'
  sed -n '/^require/p' "$tmp/linker/bindings/go/go.mod" # as a user of cilium/ebpf has them
  debian_modules
  grep -oE '`(require|replace) bpflink.example/[^`]*`' "$repository/README.md" | tr -d '`' | sed "s|/usr/local/|$PREFIX/|"
} >go.mod
contains go.mod "$PREFIX/share/bpflink/go"
cd counter
go generate
go run . >report
diff - report <<'END' || fail 'the example says something else'
object: true
program count
map packets values of 32 bytes
bss: 48 bytes
verdict 1
END
for order in bpfel bpfeb; do
  bpflink counter_$order.o -o again.o # it is a valid object
  contains counter_$order.go "//go:embed counter_$order.o"
done

# ---- Layout: encoding/binary's offsets are clang's, in both byte orders.
mkdir ../layout && cd ../layout
cat >layout.bpf.c <<'END'
struct inner { char c; short s; } __attribute__((packed));
typedef struct { int x; } alias_of_struct;
struct outer {
  char a;
  struct inner inner[3];
  _Bool flag;
  long l __attribute__((aligned(32)));
  int bits : 5, : 3, more : 9;
  void *pointer;
  __int128 wide;
  enum { LOW = -1, HIGH = 1 } level;
  struct { char first; double second; } unnamed;
  unsigned char type, map;
  alias_of_struct alias;
  union { short first; long second; } either;
  struct { char inner_one; int inner_two; };
  int rows[2][3];
} outer;
static int hidden;
volatile long odd __attribute__((section(".data.custom")));
int use(void) { return ++hidden; }
unsigned long offsets[] __attribute__((section(".offsets"))) = {
#define AT(member) __builtin_offsetof(struct outer, member)
    AT(a), AT(inner), AT(flag), AT(l), AT(pointer), AT(wide), AT(level), AT(unnamed), AT(type), AT(map), AT(alias),
    AT(either), AT(inner_one), AT(inner_two), AT(rows), sizeof(struct outer)};
END
cat >main.go <<'END'
package main

import (
	"encoding/binary"
	"fmt"
	"reflect"
)

func main() {
	outer, offset := reflect.TypeOf(layoutOuter{}), 0
	for i := 0; i < outer.NumField(); i++ {
		if field := outer.Field(i); field.Name != "_" {
			fmt.Println(offset)
		}
		offset += binary.Size(reflect.Zero(outer.Field(i).Type).Interface())
	}
	fmt.Println(offset)
	var custom layoutDataCustom
	custom.Odd = 1
}
END
cat >other.bpf.c <<'END'
struct outer { long other; } other;
END
export GOPACKAGE=main
go run bpflink.example/bpflink2go -no-loader layout layout.bpf.c other.bpf.c
contains layout_bpfel.go 'type layoutOuter2 struct'
go run . >of_go
llvm-objcopy-19 --dump-section=.offsets=offsets layout_bpfel.o unused.o
od -An -v -td8 -w8 offsets | tr -d ' ' | diff - of_go || fail 'other offsets than those of clang (<)'
diff <(sed '/go:/d' layout_bpfel.go) <(sed '/go:/d' layout_bpfeb.go) || fail 'another layout in the other byte order'

# ---- Messages, and old files that stay after an error
cp layout_bpfel.o before
sed -i 's/char a;/char a; int nowhere;/' layout.bpf.c
cat >>other.bpf.c <<'END'
int missing(void);
int user(void) { return missing(); }
END
if go run bpflink.example/bpflink2go -no-loader -target bpfel layout layout.bpf.c other.bpf.c 2>log; then fail 'an undefined symbol is no error'; fi
grep -qE '^(\./)?other.bpf.c:3:[0-9]+: error: undefined symbol: missing$' log || fail "no place before the message: $(<log)"
cmp before layout_bpfel.o
if go run bpflink.example/bpflink2go -no-loader -type no_such layout other.bpf.c -- -Dmissing=user 2>log; then fail 'a type that is not there'; fi
contains log '-type no_such: the object has no type of that name'
if env -u GOPACKAGE go run bpflink.example/bpflink2go layout other.bpf.c 2>log; then fail 'no package'; fi
contains log 'give -go-package'
go run bpflink.example/bpflink2go -v -no-loader -cflags -DX=1 -target bpfel layout layout.bpf.c -- -DY=2 2>log
grep -q 'clang.* -DX=1 -DY=2 ' log || fail "other flags: $(<log)"
contains log 'layout_bpfel.o: 1 objects linked, '

# ---- In place of bpf2go
mkdir ../bpf2go && cd ../bpf2go
cp "$tmp/samples/rust/counter/bpf"/* .
{
  cat state.bpf.c
  sed '/^#include/d; /^extern/d; /^int note/d' main.bpf.c
} >whole.bpf.c
cat >main.go <<'END'
package main

import (
	"fmt"
	"github.com/cilium/ebpf"
)

func main() {
	spec, err := loadCounter()
	if err != nil {
		panic(err)
	}
	var specs counterSpecs
	if err := spec.Assign(&specs); err != nil {
		panic(err)
	}
	fmt.Println(specs.Count.Name, specs.Packets.ValueSize, counterEvent{Length: 7, Address4: 1}.Length)
	load := func() error {
		var objects counterObjects
		defer objects.Close()
		var program *ebpf.Program = objects.Count
		_, _ = program, objects.Packets
		return loadCounterObjects(&objects, nil)
	}
	_ = load
}
END
generators=("go run github.com/cilium/ebpf/cmd/bpf2go -no-strip -cc clang-19 counter whole.bpf.c"
  "go run bpflink.example/bpflink2go -cc clang-19 counter main.bpf.c state.bpf.c")
for generator in "${generators[@]}"; do
  rm -f counter_*
  $generator -- -I"/usr/include/$(uname -m)-linux-gnu" >log 2>&1 || fail "$generator: $(<log)"
  go run . >report || fail "$generator: $(<counter_bpfel.go)"
  [[ $(<report) == 'count 32 7' ]] || fail "$generator: $(<report)"
done

# An object without source lines opens, too: cilium/ebpf reads the size of records in any case.
mkdir ../opens
cat >../opens/main.go <<'END'
package main

import (
	"fmt"
	"os"

	"github.com/cilium/ebpf"
)

func main() {
	spec, err := ebpf.LoadCollectionSpec(os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Println(len(spec.Programs))
}
END
clang-19 -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c main.bpf.c -o main.o
clang-19 -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c state.bpf.c -o state.o
bpflink --strip-line-info main.o state.o -o lineless.o
[[ $(go run ../opens lineless.o) == 1 ]] || fail 'cilium/ebpf does not open an object without source lines'
