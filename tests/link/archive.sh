#!/bin/bash
# The link takes an archive member if it defines a symbol that an object or another member lacks, in
# any order of the files. It leaves the other members. Thin archives work alike.
. "$(dirname "$0")/common.sh"

compile main <<<'int first(int x); SEC("socket") int prog(void *ctx) { return first(4); }'
compile one <<<'int second(int x); int first(int x) { return second(x) + 1; }'
compile two <<'EOF'
extern int base;
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } counts SEC(".maps");
int second(int x) {
  int key = 0, *value = bpf_map_lookup_elem(&counts, &key);
  return value ? *value += x + base : -1;
}
EOF
compile data <<<'int base = 5;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } counts SEC(".maps");'
compile unneeded <<'EOF'
int no_such_function(int x);
int unneeded(int x) { return no_such_function(x); }
SEC("no_such_program_type") int not_loaded(void *ctx) { return 0; }
EOF
llvm-ar-19 rc lib.a two.o unneeded.o one.o
llvm-ar-19 rc other.a data.o
llvm-ar-19 rc all.a data.o two.o unneeded.o one.o
llvm-ar-19 rcT thin.a two.o unneeded.o one.o data.o

# Link the same objects by name, to compare with.
link main.o one.o two.o data.o
expected=$(view out.o)
for inputs in "main.o lib.a other.a" "other.a lib.a main.o" "main.o all.a" "thin.a main.o"; do
  "$BPFLINK" $inputs -o out.o
  python3 "$bpfobj" check out.o
  expect "$expected" view out.o
  run 'prog()=10' 'prog()=19' 'counts[0]=18'
done

# A weak extern pulls in no member, and an object's definition comes before a member's.
compile weak <<<'int first(int x) __weak;
SEC("socket") int prog(struct __sk_buff *ctx) { return first ? first(ctx->len) : 0; }'
"$BPFLINK" weak.o lib.a -o out.o
expect 'NOTYPE WEAK DEFAULT UND 0 0' symbol first
compile own <<<'int first(int x) { return x; }'
"$BPFLINK" main.o lib.a own.o -o out.o
expect 'first prog' echo $(symbols | cut -d' ' -f1 | sort)

# Errors name the member.
refused 'undefined symbol: base' main.o lib.a
expect_error 'lib.a(two.o)'
head -c 300 one.o >cut.o
ar rc cut.a cut.o # llvm-ar would read its members
refused 'cut.a(cut.o)' main.o cut.a
head -c 500 lib.a >short.a
refused 'short.a' main.o short.a
