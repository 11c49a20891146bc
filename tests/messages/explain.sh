#!/bin/bash
# btfdedup --explain: why types of one name stay separate.
. "$(dirname "$0")/common.sh"

# explains TYPE TEXT A B: --explain TYPE prints TEXT for two inputs
explains() {
  blob a.btf "add(INT, 'int', 4, 0x1000020); add(INT, 'long', 8, 0x1000040); $3"
  blob b.btf "add(INT, 'int', 4, 0x1000020); add(INT, 'long', 8, 0x1000040); $4"
  "$BTFDEDUP" a.btf b.btf --explain "$1" | grep -E 'differs|stayed|one type' >text || true
  expect "$2" cat text
}
# struct_s TEXT A B: `struct s` with sizes and members A and B; they differ by TEXT
struct_s() { explains 'struct s' "struct s stayed 2 types
differs from [3]: s$1" "add(STRUCT, 's', $2)" "add(STRUCT, 's', $3)"; }

struct_s '.a: int in a.btf, long in b.btf' '8, "a", 1, 0' '8, "a", 2, 0'
struct_s ", member 1: 'int a' in a.btf, 'int b' in b.btf" '4, "a", 1, 0' '4, "b", 1, 0'
struct_s '.a: at byte 0 in a.btf, at byte 4 in b.btf' '8, "a", 1, 0' '8, "a", 1, 32'
struct_s '.a: 3 bits at bit 0 in a.btf, 4 bits at bit 0 in b.btf' '4, "a", 1, 3 << 24, kflag=1' '4, "a", 1, 4 << 24, kflag=1'
struct_s '.b: no such member in a.btf, int in b.btf' '8, "a", 1, 0' '8, "a", 1, 0, "b", 1, 32'
struct_s ': 4 bytes in a.btf, 8 bytes in b.btf' '4, "a", 1, 0' '8, "a", 1, 0'
explains 'struct s' 'struct s is one type' 'add(STRUCT, "s", 4, "a", 1, 0)' 'add(STRUCT, "s", 4, "a", 1, 0)'
enum_e() { explains 'enum e' "enum e stayed 2 types
differs from [3]: e$1" "add(ENUM, 'e', $2)" "add(ENUM, 'e', $3)"; }
enum_e ': A = 0 in a.btf, B = 0 in b.btf' '4, "A", 0' '4, "B", 0'
enum_e ': A = -1 in a.btf, A = 1 in b.btf' '4, "A", 0xffffffff, kflag=1' '4, "A", 1, kflag=1'
enum_e ': 1 enumerator in a.btf, 2 enumerators in b.btf' '4, "A", 0' '4, "A", 0, "B", 1'
enum_e ': 4 bytes in a.btf, 8 bytes in b.btf' '4, "A", 0' '8, "A", 0'
explains 'enum e' 'enum e stayed 2 types
differs from [3]: e: A = 1 in a.btf, A = 4294967297 in b.btf' 'add(ENUM64, "e", 8, "A", 1, 0)' 'add(ENUM64, "e", 8, "A", 1, 1)'
explains 'typedef t' 'typedef t stayed 2 types
differs from [3]: t: int[2] in a.btf, int[3] in b.btf' 'add(TYPEDEF, "t", 4); add(ARRAY, "", 0, 1, 1, 2)' 'add(TYPEDEF, "t", 4); add(ARRAY, "", 0, 1, 1, 3)'
func_f() { explains 'func f' "func f stayed 2 types
differs from [3]: f$1" "add(FUNC, 'f', 4, vlen=$2)" "add(FUNC, 'f', 4, vlen=$3)"; }
func_f ' (parameter 1): int in a.btf, long in b.btf' '1); add(FUNC_PROTO, "", 0, "x", 1' '1); add(FUNC_PROTO, "", 0, "x", 2'
func_f " (parameter 1): named 'x' in a.btf, named 'y' in b.btf" '1); add(FUNC_PROTO, "", 0, "x", 1' '1); add(FUNC_PROTO, "", 0, "y", 1'
func_f ' (return value): void in a.btf, int in b.btf' '1); add(FUNC_PROTO, "", 0' '1); add(FUNC_PROTO, "", 1'
func_f ': static in a.btf, global in b.btf' '0); add(FUNC_PROTO, "", 0' '1); add(FUNC_PROTO, "", 0'
# definitions ARGUMENT...: btfdedup's output without the chains of needs (tests/report/sizes.sh has these)
definitions() {
  "$BTFDEDUP" "$@" | awk '/^  (kept by|from|bytes) / { held = ""; next } held != "" { print substr(held, 2) } { held = "x" $0 }
    END { if (held != "") print substr(held, 2) }'
}

# The whole text; inputs and a base
blob base.btf 'add(INT, "int", 4, 0x1000020); add(STRUCT, "s", 4, "a", 1, 0)'
blob one.btf 'add(INT, "int", 4, 0x1000020); add(STRUCT, "s", 4, "b", 1, 0)'
for copy in two three four five six; do cp one.btf $copy.btf; done
expect 'struct s is one type

[2] from 2 inputs: one.btf, two.btf
struct s {
	int b;
};
struct s
  kept by       itself: nothing refers to it
  from          one.btf
  bytes         28, and 48 with what only it needs' "$BTFDEDUP" one.btf two.btf --explain 'struct s'
expect "struct s stayed 2 types

[2] from base.btf
struct s {
	int a;
};

[3] from 6 inputs: one.btf, two.btf, three.btf, four.btf, five.btf and 1 more
struct s {
	int b;
};
differs from [2]: s, member 1: 'int a' in base.btf, 'int b' in one.btf" \
  definitions base.btf one.btf two.btf three.btf four.btf five.btf six.btf --explain 'struct s'

# Split BTF. The names' offsets are in the base: int 1, s 5, p 7, t 9.
blob base.btf 'add(INT, "int", 4, 0x1000020); add(STRUCT, "s", 8, "p", 4, 0); add(FWD, "t"); add(PTR, "", 3)'
blob split.btf 'add(STRUCT, 9, 4, 7, 1, 0); add(PTR, 0, 5); add(STRUCT, 5, 8, 7, 6, 0); strings = b""'
blob same.btf 'add(STRUCT, 5, 8, 7, 4, 0); strings = b""'
expect 'struct s stayed 2 types

[2] from the base
struct s {
	struct t *p;
};

[7] from split.btf
struct s {
	struct t *p;
};
differs from [2]: s.p: struct t * (only declared, could be [5]) in the base, struct t * in split.btf' \
  definitions --base base.btf split.btf --explain 'struct s'
expect 'struct s is one type

[2] from the base and same.btf
struct s {
	struct t *p;
};' definitions --base base.btf same.btf --explain 'struct s'

# A declaration stays, and the types do not differ otherwise: it is unclear which `t` a.btf means.
prologue='add(INT, "int", 4, 0x1000020)'
blob a.btf "$prologue; add(STRUCT, 's', 8, 'p', 4, 0); add(FWD, 't'); add(PTR, '', 3)"
for bits in 0 32; do
  blob b$bits.btf "$prologue; add(STRUCT, 's', 8, 'p', 4, 0); add(STRUCT, 't', 8, 'x', 1, $bits); add(PTR, '', 3)"
done
expect 'struct s stayed 3 types

[2] from a.btf
struct s {
	struct t *p;
};

[5] from b0.btf
struct s {
	struct t *p;
};
differs from [2]: s.p: struct t * (only declared, could be [6] or [9]) in a.btf, struct t * in b0.btf

[8] from b32.btf
struct s {
	struct t *p;
};
differs from [2]: s.p: struct t * (only declared, could be [6] or [9]) in a.btf, struct t * in b32.btf' \
  definitions a.btf b0.btf b32.btf --explain 'struct s'
"$BTFDEDUP" a.btf b0.btf b32.btf --explain 'struct t' >text
expect '[3] from a.btf
struct t;
only declared: could be [6] or [9]' sed -n '/^\[3\]/,/^only/p' text
expect 'struct t is one type

[3] from a.btf
struct t;
only declared: no input defines it' definitions a.btf --explain 'struct t'

# Declarations alone
for tag in t u; do blob $tag.btf "$prologue; add(STRUCT, 's', 8, 'p', 4, 0); add(FWD, '$tag'); add(PTR, '', 3)"; done
"$BTFDEDUP" t.btf u.btf --explain 'struct s' | grep differs >text
expect 'differs from [2]: s.p: struct t * (only declared) in t.btf, struct u * (only declared) in u.btf' cat text

# A name without its kind, and a name that does not exist
blob both.btf "$prologue; add(STRUCT, 'event', 4, 'a', 1, 0); add(TYPEDEF, 'event', 2)"
expect 'struct event is one type

[2] from both.btf
struct event {
	int a;
};

typedef event is one type

[3] from both.btf
typedef struct event event;' definitions both.btf --explain event
! "$BTFDEDUP" both.btf --explain evnt 2>text
expect "btfdedup: error: no input has a type 'evnt', did you mean 'struct event'?" cat text

# Explanations end after some megabytes.
blob long.btf '
add(INT, "int", 4, 32)
for k in range(100): add(STRUCT, "x" * 50000, 8 + k, string("m"), 1, 0)'
"$BTFDEDUP" long.btf --explain "struct $(printf 'x%.0s' {1..50000})" -o out.btf >text
(($(stat -c %s text) < 5000000)) && grep -q '^and [0-9]* more$' text || mistake "$(tail -n 3 text | cut -c -100)"
