#!/bin/bash
# Two layouts of one struct or enum: the warning shows both definitions, marks the first difference,
# and names the path that shares them.
. "$(dirname "$0")/common.sh"

# two_layouts MESSAGE A B: linking the two files with --fatal-warnings gives MESSAGE
two_layouts() {
  compile a <<<"$2"
  compile b <<<"$3"
  expect_message "$1
>>> define it once, in a header that all include" "$BPFLINK" --fatal-warnings a.o b.o -o out.o
}
# of_pointers DIFFERENCE A B: `struct ev` with members A and B, behind pointers
of_pointers() {
  two_layouts "b.bpf.c:2:5: error: 'struct ev' has two layouts, in b.o and a.o
    2 | int f(struct ev *e) { return e != 0; }
      |     ^
$1
>>> both are reached through f (parameter 1)
>>>     defined in b.bpf.c:2 (b.o)
>>>     declared in a.bpf.c:1 (a.o)" \
    "struct ev { $2 }; int f(struct ev *e); SEC(\"socket\") int prog(void *ctx) { return f(ctx); }" \
    "struct ev { $3 };"$'\n''int f(struct ev *e) { return e != 0; }'
}
# differ AT IN_B IN_A MARKS A B: the same, with the lines that MARKS shows at the two definitions' members
differ() {
  compile a <<<"struct ev { $5 }; int f(struct ev *e); SEC(\"socket\") int prog(void *ctx) { return f(ctx); }"
  compile b <<<"struct ev { $6 }; int f(struct ev *e) { return e != 0; }"
  link_fails --fatal-warnings a.o b.o
  [[ $(<errors) == *": error: 'struct ev' has two layouts, in b.o and a.o"*"
>>> they differ at $1
>>>     b.o: $2
>>>     a.o: $3
"* ]] || mistake "$5, $6: $(<errors)"
  [[ $(sed -n 's/^>>> \t*\(.*;\|}.*;\)  <-- /\1 @ /p' errors | paste -sd '|') == "$4" ]] || mistake "$5, $6: marks of $(<errors)"
}
differ cpu 'int, at byte 4' 'no such member' 'int cpu; @ at byte 4' 'int pid; long when;' 'int pid; int cpu; long when;'
differ at.y 'long, at byte 0' 'long, at byte 8' '} at; @ at byte 0|} at; @ at byte 8' \
  'struct { long x, y; } at;' 'struct { long y, x; } at;'
differ b 'int, 4 bytes' 'short, 2 bytes' 'int b; @ 4 bytes|short b; @ 2 bytes' 'int a; short b;' 'int a; int b;'
differ a 'int, 4 bits at bit 0' 'int, 3 bits at bit 0' 'int a: 4; @ 4 bits at bit 0|int a: 3; @ 3 bits at bit 0' 'int a:3;' 'int a:4;'
differ 'struct ev' 'struct ev, 16 bytes' 'struct ev, 4 bytes' '' 'int a;' 'int a; } __attribute__((aligned(16))); struct other {'
# Of a long definition, only the lines around the difference
many=$(printf 'long m%d; ' {1..30})
of_pointers '>>> struct ev {
>>> 	...
>>> 	long m12;
>>> 	long m13;
>>> 	long m14;
>>> 	long m15;
>>> 	int a;  <-- at byte 120
>>> 	long m16;
>>> 	long m17;
>>> 	long m18;
>>> 	long m19;
>>> 	...
>>> };
>>>     in b.o
>>> struct ev {
>>> 	long m1;
>>> 	long m2;
>>> 	long m3;
>>> 	long m4;
>>> 	...
>>> };
>>>     in a.o
>>> they differ at a
>>>     b.o: int, at byte 120
>>>     a.o: no such member' "$many" "${many/long m16/int a; long m16}"

two_layouts "b.bpf.c:1:64: error: 'enum e' has two layouts, in b.o and a.o
    1 | enum e { NONE, CREATE, OPEN }; struct ev { enum e kind; }; int f(struct ev *e) { return e->kind; }
      |                                                                ^
>>> enum e {
>>> 	NONE = 0,
>>> 	CREATE = 1,
>>> 	OPEN = 2,  <--
>>> };
>>>     in b.o
>>> enum e {
>>> 	NONE = 0,
>>> 	OPEN = 1,  <--
>>> };
>>>     in a.o
>>> they differ at enum e
>>>     b.o: enum e, OPEN = 2
>>>     a.o: enum e, OPEN = 1
>>> both are reached through f (parameter 1)->kind
>>>     defined in b.bpf.c:1 (b.o)
>>>     declared in a.bpf.c:1 (a.o)" \
  'enum e { NONE, OPEN }; struct ev { enum e kind; }; int f(struct ev *e);
SEC("socket") int prog(void *ctx) { struct ev e = {OPEN}; return f(&e); }' \
  'enum e { NONE, CREATE, OPEN }; struct ev { enum e kind; }; int f(struct ev *e) { return e->kind; }'
"$BPFLINK" a.o b.o -o out.o 2>warnings
expect "b.bpf.c:1:64: warning: 'enum e' has two layouts, in b.o and a.o" head -n 1 warnings
