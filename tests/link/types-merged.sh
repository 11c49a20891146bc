#!/bin/bash
# The output has one copy of a type that all files define alike. A definition replaces another
# file's forward declaration. Different structs of one name both stay.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
enum mode { OFF, ON = 5 };
struct node { struct node *next; enum mode mode; unsigned low : 3, high : 5; char name[8]; };
struct opaque;
struct differs { int a; };
typedef struct { long tv[2]; } stamp;
struct node *first;
struct opaque *hidden_from_a;
struct differs one;
stamp when;
EOF
compile b <<'EOF'
enum mode { OFF, ON = 5 };
struct node { struct node *next; enum mode mode; unsigned low : 3, high : 5; char name[8]; };
struct opaque { struct node node; union { int i; float f; } u; };
struct differs { long a; };
typedef struct { long tv[2]; } stamp;
struct node second;
struct opaque known_to_b;
struct differs two;
stamp then;
EOF
varies '- type struct opaque;' 'a peer before libbpf 1.5 leaves the forward declaration beside the definition'
link a.o b.o

named() { bpftool btf dump file out.o | sed -nE "s/^\[[0-9]+\] ([A-Z]+) '([a-z ]+)'.*/\1 \2/p" | grep -v VAR | sort; }
expect 'ENUM mode
FLOAT float
INT char
INT int
INT long
INT unsigned int
STRUCT differs
STRUCT differs
STRUCT node
STRUCT opaque
TYPEDEF stamp' named
contains 'var .bss global struct opaque *hidden_from_a;' declarations
contains 'struct opaque { struct node node; union {  int i;  float f; } u;};' types
