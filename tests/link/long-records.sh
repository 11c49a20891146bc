#!/bin/bash
# .BTF.ext states the size of its records. Records longer than today's keep the bytes after the
# known fields, and link with a file whose records are short.
. "$(dirname "$0")/common.sh"

compile a <<<'struct data { int a, b; } __attribute__((preserve_access_index));
SEC("tp_btf/x") int one(struct data **ctx) { return (*ctx)->b; }'
compile b <<<'struct data { int a, b; } __attribute__((preserve_access_index));
SEC("tp_btf/x") int two(struct data **ctx) { return (*ctx)->a; }'

# lengthen INPUT OUTPUT: appends 8 bytes to each record of each kind
cat >lengthen.py <<'EOF'
import struct, sys
data = open(sys.argv[1], "rb").read()
fields = list(struct.unpack_from("<6I", data, 8))
out = b""
for i in 0, 2, 4:
    at, end = 32 + fields[i], 32 + fields[i] + fields[i + 1]
    size = struct.unpack_from("<I", data, at)[0]
    at, part = at + 4, struct.pack("<I", size + 8)
    while at < end:
        part += data[at:at + 8]
        count = struct.unpack_from("<I", data, at + 4)[0]
        at += 8
        for _ in range(count):
            part += data[at:at + size] + b"\xaa\xbb\xcc\xdd" + bytes([i, 0, 0, 0])
            at += size
    fields[i], fields[i + 1] = len(out), len(part)
    out += part
open(sys.argv[2], "wb").write(data[:8] + struct.pack("<6I", *fields) + out)
EOF
llvm-objcopy-19 --remove-section=.rel.BTF.ext --dump-section=.BTF.ext=short a.o
python3 lengthen.py short long
llvm-objcopy-19 --update-section=.BTF.ext=long a.o
differs '- refused: *' 'the peer wants records of one size in all files'
extras() {
  python3 - <<'EOF'
import bpfobj
o = bpfobj.Object("out.o")
for part, records in sorted(o.ext.items()):
    print(part, o.ext_record_size[part], *sorted({r[-1].hex() for r in records}))
EOF
}

link a.o
expect 'core_relo 24 aabbccdd04000000
func_info 16 aabbccdd00000000
line_info 24 aabbccdd02000000' extras

link a.o b.o
expect 'core_relo 24 0000000000000000 aabbccdd04000000
func_info 16 0000000000000000 aabbccdd00000000
line_info 24 0000000000000000 aabbccdd02000000' extras
contains 'one+0x8 byte_off struct data 0:1' core_relo
contains 'two+0x8 byte_off struct data 0:0' core_relo
