#!/bin/bash
# Every option that names an output refuses what must not be written: every_output.py.
. "$(dirname "$0")/../link/common.sh"

compile a <<<'SEC("xdp") int a(void *ctx) { return 2; } char LICENSE[] SEC("license") = "GPL";'
compile b <<<'int more(void) { return 1; }'
llvm-objcopy-19 --dump-section .BTF=k.btf a.o /dev/null
python3 "$here/every_output.py" "$BPFLINK" "$BTFDEDUP" "$BPFSKEL" "$BPFCORE"
