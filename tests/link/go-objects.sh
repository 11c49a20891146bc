#!/bin/bash
# Objects as TinyGo-like compilers make them: symbols and types with packages, dots, parentheses
# and stars in their names, a runtime without types, no license.
. "$(dirname "$0")/common.sh"

names='s/name: "event"/name: "main.event"/; s/name: "string_"/name: "string"/; s/name: "bytes"/name: "[]uint8"/
  s/name: "filter"/name: "main.filter"/; s/name: "last"/name: "main.last"/
  s/name: "add"/name: "(*main.event).add"/; s/name: "unsigned int"/name: "uint32"/'
shared='struct string_ { char *ptr; unsigned long len; };
struct bytes { unsigned char *ptr; unsigned long len, cap; };
struct event { struct string_ name; struct bytes data; unsigned total; };
extern struct event last __asm__("main.last");
__attribute__((noinline)) unsigned add(struct event *, unsigned) __asm__("(*main.event).add");'

compile_renamed main "$names" <<EOF
$shared
struct event last = {{0, 3}, {0, 0, 0}, 1};
__attribute__((noinline)) unsigned add(struct event *e, unsigned n) { return e->total += n; }
EOF
compile_renamed prog "$names" <<EOF
$shared
__attribute__((section("socket"))) int filter(void *ctx) __asm__("main.filter");
int filter(void *ctx) { return add(&last, 1); }
EOF
compile runtime -g0 <<'EOF'
__noinline void *alloc(unsigned long n) __asm__("runtime.alloc");
void *alloc(unsigned long n) { return 0; }
EOF
differs '- refused: *' 'the peer refuses an object without BTF'
link prog.o main.o runtime.o 2>warnings
expect "bpflink: warning: kernels refuse types of such names
>>> STRUCT '[]uint8'
>>> FUNC '(*main.event).add'" head -n 3 warnings
expect 'main.filter+0x18 call (*main.event).add' grep call <(references)
contains 'main.last 0 48' datasec .data

# What nobody defines is called by its name.
link_fails prog.o
expect_error 'undefined symbol: (*main.event).add'
