#!/bin/bash
# --print-sizes lists the largest items and possible savings, and --explain shows the chain that leads
# to a type.
. "$(dirname "$0")/common.sh"
. "$reports/../link/prune.inc"

three_objects
compile trace <<'END'
struct inner { long a, b, c, d; };
struct outer { int x; struct inner *inner; } __attribute__((preserve_access_index));
struct key { int port; } __attribute__((preserve_access_index));
struct conn { struct key *key; int hits; };
struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 8); __type(key, __u32); __type(value, struct conn); }
  flows SEC(".maps");
SEC("tp_btf/sched_switch") int on_exec(__u64 *ctx) {
  struct outer *outer = (void *)ctx[0];
  return outer->x;
}
char LICENSE[] SEC("license") = "GPL";
END
"$BPFLINK" trace.o -o out.o --json report.json
adds_up out.o

# Chains: a program, the access with its line, the type; a map, the members on the way.
explain() { "$BPFLINK" trace.o -o out.o --explain "$1"; }
line=$(grep -n 'return outer->x' trace.bpf.c | cut -d : -f 1)
read -r own brings < <(jq -r '.nodes[] | select(.name == "outer" and .kind == "struct") | "\(.bytes) \(.brings)"' report.json)
((own >= 24 + 12 && brings >= own + 12)) || fail "struct outer has $own bytes and brings $brings"
expect "struct outer
  kept by       program on_exec -> trace.bpf.c:$line -> struct outer
  from          trace.o
  bytes         $own, and $brings with what only it needs" explain 'struct outer'
contains "  kept by       program on_exec -> trace.bpf.c:$line -> struct outer -> inner -> struct inner" explain inner
contains '  kept by       map flows -> value -> struct conn -> key -> struct key' explain 'struct key'
contains '  kept by       map flows -> value -> struct conn' explain conn
cp out.o traced.o
refused '--explain struct outr: no input has a symbol or type of this name, did you mean struct outer?' trace.o --explain 'struct outr'
refused '--explain union outer: no input has a symbol or type of this name' trace.o --explain 'union outer'
mv traced.o out.o

# The same for BTF alone, where a chain begins at a type that nothing refers to
dedup() { "$BTFDEDUP" out.o --explain "$1"; }
contains '  kept by       flows -> value -> struct conn -> key -> struct key' dedup 'struct key'
contains "  bytes         $own, and $brings with what only it needs" dedup 'struct outer'
contains 'func on_exec is one type' dedup 'func on_exec'
contains '  kept by       itself: nothing refers to it' dedup 'func on_exec'
contains int dedup int
contains '  kept by       program on_exec' explain 'func on_exec'

# What only a type without a name leads to, to which nothing refers, and circles
python3 "$bpfobj" blob roots.btf 'add(INT, "int", 4, 32); add(STRUCT, "by_pointer", 4, "a", 1, 0); add(PTR, "", 2); add(INT, "index", 4, 32)
add(STRUCT, "in_array", 4, "a", 1, 0); add(CONST, "", 5); add(ARRAY, "", 0, 6, 4, 3); add(STRUCT, "x", 8, "y", 10, 0)
add(STRUCT, "y", 8, "x", 11, 0); add(PTR, "", 9); add(PTR, "", 8); add(STRUCT, "of_proto", 4, "a", 1, 0)
add(FUNC_PROTO, "", 0, "q", 12); add(STRUCT, "alone", 4, "a", 1, 0); add(STRUCT, "both", 4, "a", 1, 0); add(CONST, "", 15)
add(PTR, "", 15); add(STRUCT, "user", 8, "p", 17, 0)'
kept() { expect "  kept by       $2" sed -n '/^  kept by/p' <("$BTFDEDUP" roots.btf --explain "$1"); }
kept by_pointer 'a pointer that nothing refers to'
kept in_array 'an array that nothing refers to'
kept index 'an array that nothing refers to'
kept x 'a circle of references, to which nothing else refers'
kept y 'struct x -> y -> struct y'
kept of_proto '(prototype without a name) -> q -> struct of_proto'
kept alone 'itself: nothing refers to it'
kept both 'struct user -> p -> struct both'

# Lists, in 80 columns
compile_defined pruned 'struct far' -- <<'END'
struct far { long first, second, third, fourth; };
struct near { struct far *far; } near;
END
objects=({main,lib,table,pruned}.o)
"$BPFLINK" "${objects[@]}" -o out.o --json report.json --print-sizes=2 >sizes
while IFS= read -r text; do ((${#text} <= 80)) || fail "more than 80 columns: $text"; done <sizes
prog=$(jq '.programs[] | select(.name == "prog") | .all_instructions' report.json)
stack=$(jq '.programs[] | select(.name == "prog") | .deepest_stack' report.json)
grep -qE "^ +[0-9]+ +$prog +$stack  prog$" sizes || fail "no line of prog in $(<sizes)"
grep -qE '^ +4,096 +4,096  ring, ringbuf, of no program$' sizes || fail "no line of ring in $(<sizes)"
grep -qE '^ +3,200 +100  events, percpu_hash, for each CPU$' sizes || fail "no line of events in $(<sizes)"
grep -qE '^ +7,296 +in all maps, at most; 4,096 of no program$' sizes || fail "no total of maps in $(<sizes)"
grep -qE "^ +$(stat -c %s out.o | sed 's/...$/,&/')  in all, [0-9,]+ of them made by the linker" sizes || fail "no total of files in $(<sizes)"
for heading in Programs '  instructions  with calls  stack of 512' Maps '  bytes of memory  entries' Types '  bytes  all it brings' \
  'Source lines' '  bytes  instructions' Files 'What can be saved' '      what no program or map reaches' \
  '      source lines and their text' '      structs that nothing looks into' '      symbols that loaders do not need'; do
  grep -qxF -- "$heading" sizes || fail "no heading '$heading' in $(<sizes)"
done
grep -qE '^ +[0-9,]+ +in all programs$' sizes || fail "no total of programs in $(<sizes)"
[[ $(grep -E '^ +[0-9,]+ +in all types' sizes) == *'in all types ('*' not shown)' ]] || fail "no total of types in $(<sizes)"
bytes=$(jq '.savings[] | select(.option == "--gc-sections") | .bytes' report.json)
percent=$(jq -n "100 * $bytes / $(stat -c %s out.o) | round")
expect "  about $bytes bytes ($percent %) with --gc-sections, which takes out
      what no program or map reaches" grep -A 1 -- '--gc-sections' sizes
grep -qE '^ +[0-9]+ +in all lines \([0-9]+ not shown\)$|^ +[0-9,]+ +[0-9]+  in all lines' sizes || fail "no total of lines in $(<sizes)"
"$BPFLINK" "${objects[@]}" -o out.o --print-sizes >all
(($(wc -l <all) > $(wc -l <sizes))) || fail 'without a number there are no more lines'
"$BTFDEDUP" out.o --print-sizes=3 | has '^Types$' || fail 'btfdedup lists no types'

# The loader makes a map of each section of per-CPU variables.
compile percpu <<'END'
int seen SEC(".percpu"), hits SEC(".percpu"), idle SEC(".percpu");
char spare[100] SEC(".percpu.spare") = {1};
SEC("xdp") int prog(struct xdp_md *ctx) { return hits += seen++; }
SEC("tc") int other(struct __sk_buff *skb) { return seen; }
SEC("tc") int none(struct __sk_buff *skb) { return 0; }
END
"$BPFLINK" percpu.o -o percpu.out.o --license=GPL --json percpu.json --print-sizes >percpu.sizes
grep -qE '^ +16 +1  \.percpu, percpu_array, for each CPU$' percpu.sizes || fail "no line of .percpu in $(<percpu.sizes)"
grep -qE '^ +104 +1  \.percpu\.spare, percpu_array, for each CPU, of no \.\.\.$' percpu.sizes ||
  fail "no line of .percpu.spare in $(<percpu.sizes)"
expect '.percpu.spare percpu_array 4 100 1 104 true none 
.percpu percpu_array 4 12 1 16 true none other,prog' jq -r \
  '.maps[] | [.name, .type, .key_size, .value_size, .entries, .bytes, .per_cpu, .pinning, (.programs | sort | join(","))] | join(" ")' percpu.json
expect 'hits idle seen spare' jq -r '[.variables[] | select(.section | startswith(".percpu")) | .name] | sort | join(" ")' percpu.json

# The heading names the result, not one of several inputs.
heading() { "$BTFDEDUP" "$@" --print-sizes=3 | sed -n '1s/: .*//p'; }
expect out.o heading out.o
expect 'the output' heading main.o lib.o
expect both.btf heading main.o lib.o -o both.btf
cp out.o linked.o
refused '--print-sizes=0: must be a number from 1 to 1000000' main.o --print-sizes=0
cp linked.o out.o

# Each option saves about as much as the list says.
expect '--discard-all
--gc-sections
--prune-types
--strip-line-info' jq -r '[.savings[].option] | sort[]' report.json
offers=$(jq -r '.savings[] | "\(.option) \(.bytes)"' report.json)
[[ $offers ]] || fail 'nothing is offered'
while read -r option bytes; do
  "$BPFLINK" "${objects[@]}" -o smaller.o "$option"
  saved=$(($(stat -c %s out.o) - $(stat -c %s smaller.o)))
  ((saved - bytes < 24 && bytes - saved < 24)) || fail "$option saves $saved, not $bytes"
  grep -qF -- "$option" sizes || fail "$option is not offered in $(<sizes)"
  "$BPFLINK" "${objects[@]}" -o smaller.o "$option" --json smaller.json
  expect 0 jq "[.savings[] | select(.option == \"$option\")] | length" smaller.json
done <<<"$offers"
grep -qx '  --shrink does all of that' sizes || fail "--shrink is not offered in $(<sizes)"
"$BPFLINK" "${objects[@]}" -o smaller.o --shrink --json smaller.json --print-sizes >smaller
"$BPFLINK" "${objects[@]}" -o all.o --gc-sections --strip-line-info -x --prune-types
cmp smaller.o all.o || fail '--shrink is not all of them'
expect 0 jq '.savings | length' smaller.json
if grep -E '(^| )(by )?:0(,|$)' smaller; then fail 'places without a line'; fi
"$BPFLINK" -r "${objects[@]}" -o smaller.o --shrink
"$BPFLINK" -r "${objects[@]}" -o all.o --strip-line-info -x --prune-types
cmp smaller.o all.o || fail '--shrink drops code of a library'

# What can be saved is shown for renamed members of archives, too.
llvm-ar-19 rc objects.a "${objects[@]}"
"$BPFLINK" --whole-archive objects.a --prefix-symbols-of objects.a=x_ -o out.o --print-sizes >sizes
grep -q 'with --gc-sections' sizes || fail "no saving in $(<sizes)"
# The page of many types has the small ones in groups.
python3 "$bpfobj" blob many.btf 'add(INT, "int", 4, 32); [add(TYPEDEF, "tcp_%d" % k, 1) for k in range(16000)]; add(PTR, "", 1)
add(STRUCT, "a", 8, "p", 16002, 0); add(STRUCT, "b", 8, "p", 16002, 0)'
"$BTFDEDUP" many.btf --size-map many.html
for name in 'tcp* (10,003 smaller)' '(arrays and pointers of numbers)'; do
  grep -qF "\"name\":\"$name\"" many.html || fail "the page lacks $name"
done
