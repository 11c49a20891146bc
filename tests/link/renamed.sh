#!/bin/bash
# --redefine-sym, --prefix-symbols and --prefix-symbols-of rename symbols and the VARs, FUNCs and
# DATASEC entries that declare them. Symbols that the loader provides keep their names.
. "$(dirname "$0")/common.sh"

compile lib <<'END'
extern int CONFIG_HZ __kconfig;
extern void bpf_rcu_read_lock(void) __ksym;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, long); } hits SEC(".maps");
static volatile int calls = 3;
int total = 4;
int elsewhere(int x);
static __noinline int twice(int x) { return 2 * x + calls; }
int count(int x) {
  int key = 0;
  long *hit = bpf_map_lookup_elem(&hits, &key);
  bpf_rcu_read_lock();
  return twice(x) + CONFIG_HZ + (hit ? *hit : 0) + elsewhere(total);
}
END
compile main <<'END'
int count(int x);
int elsewhere(int x) { return x + 1; }
SEC("socket") int prog(struct __sk_buff *ctx) { return count(ctx->len); }
END
names() { { entities; declared; } | sort -u; } # an old name in either shows
entities() { symbols | awk '$2 == "FUNC" || $2 == "OBJECT" || $4 == "UND" || $5 == "UND" { print $1 }'; }
declared() { bpftool btf dump file "${object:-out.o}" | sed -nE "s/^\[[0-9]+\] (VAR|FUNC) '([^']*)'.*/\2/p"; }
renamed() { "$BPFLINK" --verify "$@" -o out.o && python3 "$bpfobj" check out.o && changes_nothing; }

# All symbols of one object get objcopy's names, except those that the loader provides.
renamed -r --prefix-symbols p_ lib.o
expect $'CONFIG_HZ\nbpf_rcu_read_lock\np_calls\np_count\np_elsewhere\np_hits\np_total\np_twice' names
expect 'p_calls 4 4
p_total 0 4' eval 'datasec .data | sort'
expect 'p_hits 0 32' datasec .maps
expect 'CONFIG_HZ 0 4' datasec .kconfig
contains 'func global int p_count(int x);' declarations
contains 'func static int p_twice(int x);' declarations
contains 'func extern int p_elsewhere(int);' declarations
contains 'func extern void bpf_rcu_read_lock(void);' declarations
cp out.o prefixed.o
"$BPFLINK" -r lib.o -o plain.o
llvm-objcopy-19 --prefix-symbols=p_ plain.o objcopied.o
object=objcopied.o symbols | awk '$2 == "FUNC" || $2 == "OBJECT" || $2 == "NOTYPE"' |
  sed -E 's/^p_(CONFIG_HZ|bpf_)/\1/' | sort >want
symbols | awk '$2 == "FUNC" || $2 == "OBJECT" || $2 == "NOTYPE"' | sort >got
diff want got

# The definitions of one input, in any file of the library; not its undefined symbols.
compile caller <<<'int count(int x); int twofold(int x) { return count(x) + count(x); }'
compile main2 <<'END'
int a_twofold(int x);
int elsewhere(int x) { return x + 1; }
SEC("socket") int prog(struct __sk_buff *ctx) { return a_twofold(ctx->len); }
END
llvm-ar-19 rcs library.a lib.o caller.o
for files in 'main2.o caller.o lib.o' 'lib.o caller.o main2.o'; do
  renamed $files --prefix-symbols-of lib.o=a_ --prefix-symbols-of caller.o=a_
  expect $'CONFIG_HZ\na_calls\na_count\na_hits\na_total\na_twice\na_twofold\nbpf_rcu_read_lock\nelsewhere\nprog' names
  expect socket eval 'sections | grep -o ^socket'
done
cp out.o of-files.o
renamed library.a main2.o --prefix-symbols-of library.a=a_
expect "$(object=of-files.o names)" names

# By name, in all inputs, before any prefix
renamed main.o lib.o --redefine-sym count=tally --redefine-sym hits=h --redefine-sym prog=p
expect $'CONFIG_HZ\nbpf_rcu_read_lock\ncalls\nelsewhere\nh\np\ntally\ntotal\ntwice' names
renamed main.o lib.o --redefine-sym count=tally --prefix-symbols p_
contains 'func global int p_tally(int x);' declarations

# Big-endian, and an object that libbpf's linker made
compile_big() { "$CC" -g -O2 --target=bpfeb -c -x c - -o "$1"; }
compile_big big.o <<<'int number = 1; static volatile int hidden = 2; int get(void) { return number + hidden; }'
renamed -r big.o --prefix-symbols x_
contains 'func global int x_get(void);' declarations
contains 'var .data static volatile int x_hidden;' declarations
bpftool gen object joined.o lib.o caller.o
renamed joined.o main2.o --prefix-symbols-of joined.o=a_
contains 'func global int a_twofold(int x);' declarations

# Errors and warnings
refused "duplicate symbol: elsewhere" main.o lib.o --redefine-sym count=elsewhere
refused 'bpflink: error: --prefix-symbols-of other.o=a_: no input is called other.o' main.o lib.o --prefix-symbols-of other.o=a_
link_fails main.o lib.o --prefix-symbols-of lib.o=a_ --prefix-symbols-of lib.o=b_
expect_error '--prefix-symbols-of lib.o=b_: lib.o has more prefixes than it is given: give it once for each'
refused 'undefined symbol: count' main.o lib.o --prefix-symbols-of lib.o=a_
"$BPFLINK" --license GPL main.o lib.o --redefine-sym nowhere=x --redefine-sym CONFIG_HZ=y -o out.o 2>errors
diff - errors <<'END'
bpflink: warning: --redefine-sym nowhere=x: no input has a symbol 'nowhere'
bpflink: warning: --redefine-sym CONFIG_HZ=y: the loader provides 'CONFIG_HZ', under this name only
END
refused '--redefine-sym count: is not OLD=NEW' main.o --redefine-sym count
refused '--prefix-symbols-of main.o=: is not FILE=PREFIX' main.o --prefix-symbols-of main.o=
