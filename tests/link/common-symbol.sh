#!/bin/bash
# clang -fcommon makes common symbols, which BPF objects cannot have. The error advises how to
# compile instead.
. "$(dirname "$0")/common.sh"

compile a -fcommon <<<'int shared; SEC("socket") int prog(void *ctx) { return ++shared; }'
link_fails a.o
expect_error "shared"
expect_error '-fno-common'
