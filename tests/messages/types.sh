#!/bin/bash
# Type conflicts: the message shows both declarations and the first difference.
. "$(dirname "$0")/common.sh"

# conflict MESSAGE A B: linking the two files fails with MESSAGE
conflict() {
  compile a <<<"$2"
  compile b <<<"$3"
  expect_message "b.bpf.c:1: error: conflicting types of 'v'
$1
>>> declare it once, in a header that all include" "$BPFLINK" ${fatal:-} a.o b.o -o out.o
}
# milder CONFLICT ARGUMENT...: a conflict that libbpf's linker accepts is a warning
milder() {
  fatal=--fatal-warnings
  "$@"
  unset fatal
  "$BPFLINK" a.o b.o -o out.o 2>warnings
  diff <(sed '1s/error/warning/' errors) warnings || mistake "$*: the warning says something else"
}
use='SEC("socket") int prog(void *ctx) { return *(int *)&v; }'

conflict '>>> long v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern int v
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at v
>>>     b.o: long, 8 bytes
>>>     a.o: int, 4 bytes' "extern int v; $use" 'long v = 1;'
conflict '>>> signed char v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern int v
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at v
>>>     b.o: signed char, 1 byte
>>>     a.o: int, 4 bytes' "extern int v; $use" 'signed char v = 1;'
conflict '>>> int *v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern int v
>>>     declared in a.bpf.c:1 (a.o)' "extern int v; $use" 'int *v = (int *)1;'

# of_structs DIFFERENCE A B: `struct s` with members A and B
of_structs() {
  conflict ">>> struct s v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern struct s v
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at $1" "struct s { $2 }; extern struct s v; $use" "struct s { $3 }; struct s v = {1};"
}
of_structs 'v.b
>>>     b.o: int, at byte 8
>>>     a.o: int, at byte 4' 'int a; int b;' 'int a; int b __attribute__((aligned(8)));'
of_structs "v.b
>>>     b.o: int, named 'c', at byte 4
>>>     a.o: int, at byte 4" 'int a, b;' 'int a, c;'
of_structs 'v.b
>>>     b.o: no such member
>>>     a.o: int' 'int a, b;' 'int a;'
of_structs 'v.c
>>>     b.o: int
>>>     a.o: no such member' 'int a, b;' 'int a, b, c;'
of_structs 'v.a
>>>     b.o: int, 4 bits at bit 0
>>>     a.o: int, 3 bits at bit 0' 'int a:3;' 'int a:4;'
of_structs 'v.b
>>>     b.o: int, 4 bits at bit 4
>>>     a.o: int, 4 bits at bit 3' 'int a:3; int b:4;' 'int a:3; int :1; int b:4;'
milder of_structs 'v
>>>     b.o: struct s, 16 bytes
>>>     a.o: struct s, 4 bytes' 'int a;' 'int a; } __attribute__((aligned(16))); struct t {'

# of_enums DIFFERENCE A B
of_enums() {
  conflict ">>> enum e v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern enum e v
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at v
$1" "enum e { $2 }; extern enum e v; $use" "enum e { $3 }; enum e v = 1;"
}
milder of_enums '>>>     b.o: enum e, B = 2
>>>     a.o: enum e, B = 1' 'A, B' 'A, B = 2'
milder of_enums '>>>     b.o: enum e, 3 enumerators
>>>     a.o: enum e, 1 enumerator' 'A' 'A, B, C'
of_enums '>>>     b.o: enum e, 8 bytes
>>>     a.o: enum e, 4 bytes' 'A, B' 'A, B = 1ull << 40'
milder of_enums '>>>     b.o: enum e, A = -1
>>>     a.o: enum e, A = 1' 'A = 1' 'A = -1' 

# Functions
compile a <<<'long f(int x); SEC("socket") int prog(void *ctx) { return f(1); }'
compile b <<<'int f(int x) { return x; }'
expect_message "b.bpf.c:1:5: error: conflicting types of 'f'
    1 | int f(int x) { return x; }
      |     ^
>>> int f(int x)
>>>     defined in b.bpf.c:1 (b.o)
>>> extern long f(int)
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at f (return value)
>>>     b.o: int, 4 bytes
>>>     a.o: long, 8 bytes
>>> declare it once, in a header that all include" "$BPFLINK" a.o b.o -o out.o
compile a <<<'int f(int x, long y); SEC("socket") int prog(void *ctx) { return f(1, 2); }'
compile b <<<'int f(int x, int y) { return x; }'
expect_message "b.bpf.c:1:5: error: conflicting types of 'f'
    1 | int f(int x, int y) { return x; }
      |     ^
>>> int f(int x, int y)
>>>     defined in b.bpf.c:1 (b.o)
>>> extern int f(int, long)
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at f (parameter 2)
>>>     b.o: int, 4 bytes
>>>     a.o: long, 8 bytes
>>> declare it once, in a header that all include" "$BPFLINK" a.o b.o -o out.o

# Maps
# of_maps DIFFERENCE A B
of_maps() {
  conflict "$1" "extern struct { __uint(type, 99); $2 } v SEC(\".maps\");
SEC(\"socket\") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&v, &key) != 0; }" \
    "struct { __uint(type, 99); $3 } v SEC(\".maps\");"
}
of_maps '>>> struct {
>>> 	int (*type)[99];
>>> 	long *key;
>>> } v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern struct {
>>> 	int (*type)[99];
>>> 	int *key;
>>> } v
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at v.key
>>>     b.o: long, 8 bytes
>>>     a.o: int, 4 bytes' '__type(key, int);' '__type(key, long);'
of_maps '>>> struct {
>>> 	int (*type)[99];
>>> 	int (*max_entries)[2];
>>> } v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern struct {
>>> 	int (*type)[99];
>>> 	int (*max_entries)[1];
>>> } v
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at v.max_entries
>>>     b.o: int (*)[2], value 2
>>>     a.o: int (*)[1], value 1' '__uint(max_entries, 1);' '__uint(max_entries, 2);'
of_maps '>>> struct {
>>> 	int (*type)[99];
>>> 	int (*max_entries)[2];
>>> } v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern struct {
>>> 	int (*type)[99];
>>> 	int (*map_flags)[1];
>>> } v
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at v.map_flags
>>>     b.o: no such attribute
>>>     a.o: int (*)[1]' '__uint(map_flags, 1);' '__uint(max_entries, 2);'

# Two definitions of a map: neither may have an attribute that the other lacks.
compile a <<<'struct { __uint(type, 99); __uint(map_flags, 1); } v SEC(".maps") __weak;'
compile b <<<'struct { __uint(type, 99); } v SEC(".maps");'
expect_message "b.bpf.c:1: error: conflicting types of 'v'
>>> struct {
>>> 	int (*type)[99];
>>> } v
>>>     defined in b.bpf.c:1 (b.o)
>>> struct {
>>> 	int (*type)[99];
>>> 	int (*map_flags)[1];
>>> } v
>>>     defined in a.bpf.c:1 (a.o)
>>> they differ at v.map_flags
>>>     b.o: no such attribute
>>>     a.o: int (*)[1]
>>> declare it once, in a header that all include" "$BPFLINK" a.o b.o -o out.o
compile a <<<'struct { __uint(type, 99); } v SEC(".maps") __weak;'
compile b <<<'struct { __uint(type, 99); __uint(map_flags, 1); } v SEC(".maps");'
expect_message "b.bpf.c:1: error: conflicting types of 'v'
>>> struct {
>>> 	int (*type)[99];
>>> 	int (*map_flags)[1];
>>> } v
>>>     defined in b.bpf.c:1 (b.o)
>>> struct {
>>> 	int (*type)[99];
>>> } v
>>>     defined in a.bpf.c:1 (a.o)
>>> they differ at v.map_flags
>>>     b.o: int (*)[1]
>>>     a.o: no such attribute
>>> declare it once, in a header that all include" "$BPFLINK" a.o b.o -o out.o

# As warnings
compile a <<<"extern int v; $use"
compile b <<<'long v = 1;'
"$BPFLINK" --no-check-types a.o b.o -o out.o 2>errors
expect "b.bpf.c:1: warning: conflicting types of 'v'
>>> long v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern int v
>>>     declared in a.bpf.c:1 (a.o)
>>> they differ at v
>>>     b.o: long, 8 bytes
>>>     a.o: int, 4 bytes
>>> declare it once, in a header that all include" cat errors
