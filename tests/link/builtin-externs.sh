#!/bin/bash
# gcc 16 writes an extern FUNC for a built-in function such as memcpy, but no symbol. Kernels reject
# BTF with such a FUNC, and libbpf then loads the object without any. A final link omits it, with
# the types that only it leads to; a partial link keeps it.
. "$(dirname "$0")/common.sh"

compile main <<'END_C'
struct pair { int a, b; };
struct pair pair = {1, 2};
SEC("socket") int prog(void *ctx) { return pair.a + pair.b; }
END_C
llvm-objcopy-19 --dump-section .BTF=main.btf main.o
python3 - <<'END_PY'
import bpfobj
blob = bpfobj.Blob()
blob.read("main.btf")
with open("main.btf", "rb") as file:
    last = len(bpfobj.Btf(file.read()).starts) - 1  # `starts` has one for void
blob.write("extended.btf", f"""
add(FWD, "only_memcmp_uses")
add(PTR, "", {last + 1})
add(FUNC_PROTO, "", 0, "a", {last + 2}, "b", {last + 2})
add(FUNC, "memcmp", {last + 3}, vlen=2)
add(DECL_TAG, "tagged", {last + 4}, -1)
""")
END_PY
llvm-objcopy-19 --remove-section .rel.BTF main.o bare.o
llvm-objcopy-19 --update-section .BTF=extended.btf bare.o gcc.o
object=gcc.o contains 'func extern void memcmp(struct only_memcmp_uses *a, struct only_memcmp_uses *b);' declarations

differs '- refused: failed to find new ID mapping*' 'the peer fails on its own types'
link gcc.o
lacks 'memcmp|tagged' declarations
lacks 'only_memcmp_uses' types
run 'prog()=3'
link -r gcc.o
contains 'func extern void memcmp(struct only_memcmp_uses *a, struct only_memcmp_uses *b);' declarations
