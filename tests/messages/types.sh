#!/bin/bash
# Type conflicts: the message shows both declarations and the first difference.
. "$(dirname "$0")/common.sh"

# conflict MESSAGE A B [OPTION]: linking the two files fails with MESSAGE
conflict() {
  compile a <<<"$2"
  compile b <<<"$3"
  expect_message "b.bpf.c:1: error: conflicting types of 'v'
$1
>>> declare it once, in a header that all include" "$BPFLINK" ${4:-} a.o b.o -o out.o
}
# differ PATH OF_B OF_A A B [OPTION]: the message says that the two differ at PATH, and what there is
differ() {
  compile a <<<"$4"
  compile b <<<"$5"
  link_fails ${6:-} a.o b.o
  [[ $(<errors) == *": error: conflicting types of 'v'"*"
>>> they differ at $1
>>>     b.o: $2
>>>     a.o: $3
>>> declare it once, in a header that all include" ]] || mistake "$4, $5: $(<errors)"
}
# milder COMMAND...: what libbpf's linker accepts is a warning
milder() {
  "$@" --fatal-warnings
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
"$BPFLINK" --no-check-types a.o b.o -o out.o 2>warnings
diff <(sed '1s/error/warning/' errors) warnings || mistake "--no-check-types: $(<warnings)"
contains 'var .data global long v;' declarations
refused "error: conflicting types of 'v'" --no-check-types --fatal-warnings a.o b.o
conflict '>>> int *v
>>>     defined in b.bpf.c:1 (b.o)
>>> extern int v
>>>     declared in a.bpf.c:1 (a.o)' "extern int v; $use" 'int *v = (int *)1;'
differ v 'signed char, 1 byte' 'int, 4 bytes' "extern int v; $use" 'signed char v = 1;'

# structs PATH OF_B OF_A A B [OPTION]: `struct s` with members A and B
structs() { differ "${@:1:3}" "struct s { $4 }; extern struct s v; $use" "struct s { $5 }; struct s v = {1};" ${6:-}; }
structs v.b 'int, at byte 8' 'int, at byte 4' 'int a; int b;' 'int a; int b __attribute__((aligned(8)));'
structs v.b "int, named 'c', at byte 4" 'int, at byte 4' 'int a, b;' 'int a, c;'
structs v.b 'no such member' int 'int a, b;' 'int a;'
structs v.c int 'no such member' 'int a, b;' 'int a, b, c;'
structs v.a 'int, 4 bits at bit 0' 'int, 3 bits at bit 0' 'int a:3;' 'int a:4;'
structs v.b 'int, 4 bits at bit 4' 'int, 4 bits at bit 3' 'int a:3; int b:4;' 'int a:3; int :1; int b:4;'
milder structs v 'struct s, 16 bytes' 'struct s, 4 bytes' 'int a;' 'int a; } __attribute__((aligned(16))); struct t {'

enums() { differ v "${@:1:2}" "enum e { $3 }; extern enum e v; $use" "enum e { $4 }; enum e v = 1;" ${5:-}; }
milder enums 'enum e, B = 2' 'enum e, B = 1' 'A, B' 'A, B = 2'
milder enums 'enum e, 3 enumerators' 'enum e, 1 enumerator' 'A' 'A, B, C'
milder enums 'enum e, A = -1' 'enum e, A = 1' 'A = 1' 'A = -1'
enums 'enum e, 8 bytes' 'enum e, 4 bytes' 'A, B' 'A, B = 1ull << 40'

# Functions
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
differ 'v (return value)' 'int, 4 bytes' 'long, 8 bytes' 'long v(int x); SEC("socket") int prog(void *ctx) { return v(1); }' \
  'int v(int x) { return x; }'

# Maps, and two definitions of one: neither may have an attribute that the other lacks.
conflict '>>> struct {
>>> 	int (*type)[99];
>>> 	int (*max_entries)[2];
>>> } v
>>>     defined in b.bpf.c:1 (b.o)
>>> struct {
>>> 	int (*type)[99];
>>> 	int (*map_flags)[1];
>>> } v
>>>     defined in a.bpf.c:1 (a.o)
>>> they differ at v.map_flags
>>>     b.o: no such attribute
>>>     a.o: int (*)[1]' 'struct { __uint(type, 99); __uint(map_flags, 1); } v SEC(".maps") __weak;' \
  'struct { __uint(type, 99); __uint(max_entries, 2); } v SEC(".maps");'
differ v.map_flags 'int (*)[1]' 'no such attribute' 'struct { __uint(type, 99); } v SEC(".maps") __weak;' \
  'struct { __uint(type, 99); __uint(map_flags, 1); } v SEC(".maps");'
maps() { # PATH OF_B OF_A A B
  differ "${@:1:3}" "extern struct { __uint(type, 99); $4 } v SEC(\".maps\");
SEC(\"socket\") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&v, &key) != 0; }" \
    "struct { __uint(type, 99); $5 } v SEC(\".maps\");"
}
maps v.key 'long, 8 bytes' 'int, 4 bytes' '__type(key, int);' '__type(key, long);'
maps v.max_entries 'int (*)[2], value 2' 'int (*)[1], value 1' '__uint(max_entries, 1);' '__uint(max_entries, 2);'
maps v.map_flags 'no such attribute' 'int (*)[1]' '__uint(map_flags, 1);' '__uint(max_entries, 2);'
