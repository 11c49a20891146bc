#!/bin/bash
# clang -fcommon makes common symbols, which BPF objects cannot have. The error advises how to
# compile instead.
. "$(dirname "$0")/common.sh"

compile a -fcommon <<<'int shared; SEC("socket") int prog(void *ctx) { return ++shared; }'
refused "shared" a.o
expect_error '-fno-common'
