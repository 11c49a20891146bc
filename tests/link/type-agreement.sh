#!/bin/bash
# Differences between an extern and its definition that are no conflict: parameter names,
# qualifiers, typedefs of one type, an omitted array length, a struct that the extern's file only
# declares.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct state;
typedef unsigned int u32;
extern struct state current;
extern const volatile u32 config;
extern int table[];
int helper(u32 first, struct state *s);
SEC("socket") int prog(void *ctx) { return helper(config, &current) + table[1]; }
EOF
compile b <<'EOF'
struct state { int n; };
struct state current = {1};
const volatile unsigned int config = 2;
int table[4] = {1, 2, 3, 4};
int helper(unsigned int count, struct state *where) { return count + where->n; }
EOF
differs '- refused: *' 'the peer takes no extern of an incomplete type'
for order in "a.o b.o" "b.o a.o"; do
  link $order
  contains 'var .rodata global const volatile unsigned int config;' declarations
  contains 'var .data global int table[4];' declarations
  contains 'var .data global struct state current;' declarations
  contains 'func global int helper(unsigned int count, struct state *where);' declarations
  contains 'struct state { int n;};' types
done

# Names of bit-fields and of padding mean nothing for the layout: a warning, no error.
compile a <<'EOF'
struct flags { int kind; int _pad0; unsigned on : 1, ready : 3; };
extern struct flags flags;
SEC("socket") int prog(void *ctx) { return flags.kind; }
EOF
compile b <<<'struct flags { int kind; int __reserved; unsigned enabled : 1, level : 3; }; struct flags flags = {2};'
for order in "a.o b.o" "b.o a.o"; do
  # shellcheck disable=SC2086 # two words
  "$BPFLINK" --verify $order -o out.o 2>errors || fail "$(<errors)"
  [[ $(grep -c "warning: conflicting types of 'flags'" errors) == 1 ]] || fail "$(<errors)"
done
compile b <<<'struct flags { int kind; int other; unsigned on : 1, ready : 3; } flags;'
refused "conflicting types of 'flags'" a.o b.o
compile b <<<'struct flags { int kind; int _pad0; unsigned on : 2, ready : 2; } flags;'
link_fails a.o b.o
