#!/bin/bash
# A call reaches a function that another file defines.
. "$(dirname "$0")/common.sh"

compile a <<<'int twice(int x); SEC("socket") int prog(struct __sk_buff *ctx) { return twice(ctx->len); }'
compile b <<<'int twice(int x) { return 2 * x; }'
link a.o b.o

expect 'FUNC GLOBAL DEFAULT .text 0 24' symbol twice
expect 'prog+0x8 call twice' references
contains 'func global int twice(int x);' declarations
lacks 'extern' declarations
