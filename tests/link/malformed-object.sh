#!/bin/bash
# Every number in an input is checked before it is used: section headers, symbols, relocations,
# .BTF and .BTF.ext. One damaged at a time is an error that names the file and the part.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct data { int a, b; } __attribute__((preserve_access_index));
int v = 3;
SEC("tp_btf/x") int prog(struct data **ctx) { return (*ctx)->b + v; }
EOF
llvm-objcopy-19 --strip-debug a.o
llvm-objcopy-19 --remove-section=.rel.BTF --remove-section=.rel.BTF.ext a.o
link a.o

cat >damage.py <<'EOF'
# damage.py PLACE OFFSET VALUE: writes 32 bits into a.o at an offset from the start of a section
# (".BTF"), of its header ("header of .BTF") or of the ELF header ("ELF"); the result is bad.o.
import importlib.util, struct, sys
spec = importlib.util.spec_from_file_location("bpfobj", sys.argv[1])
bpfobj = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bpfobj)
place, offset, value = sys.argv[2], int(sys.argv[3], 0), int(sys.argv[4], 0)
o, data = bpfobj.Object("a.o"), bytearray(open("a.o", "rb").read())
shoff = struct.unpack_from("<Q", data, 40)[0]
if place == "ELF":
    start = 0
elif place.startswith("header of "):
    start = shoff + 64 * o.index(place[len("header of "):])
else:
    start = o.section(place).offset
struct.pack_into("<I", data, start + offset, value)
open("bad.o", "wb").write(data)
EOF

# bad TEXT PLACE OFFSET VALUE
bad() {
  python3 damage.py "$bpfobj" "$2" "$3" "$4"
  link_fails bad.o
  expect_error 'bad.o'
  grep -qiE -- "$1" errors || fail "damaged $2+$3: no '$1' in the message:"$'\n'"$(<errors)"
}

bad 'section' ELF 40 0x7fffffff             # e_shoff
bad 'section' ELF 60 0xffff                 # e_shnum
bad 'section' 'header of tp_btf/x' 24 0x7fffffff # sh_offset
bad 'section' 'header of .data' 32 0x7fffffff    # sh_size
bad 'symbol table' 'header of .symtab' 40 0x7777  # sh_link
bad 'symbol table' 'header of .symtab' 56 7       # sh_entsize
bad 'rel' 'header of .reltp_btf/x' 44 0x7777 # sh_info
bad 'symbol' .symtab $((24 * 1)) 0x7fffffff # st_name
bad 'symbol|section' .symtab $((24 * 2 + 6)) 0x7777 # st_shndx of one section
bad 'relocation' .reltp_btf/x 0 0x10000     # r_offset out of the section
bad 'relocation' .reltp_btf/x 0 4           # r_offset within an instruction
bad 'relocation' .reltp_btf/x 8 77          # r_info: type
bad 'relocation' .reltp_btf/x 12 0x7777     # r_info: symbol
bad '\.BTF' .BTF 0 0x01001234               # magic
bad '\.BTF' .BTF 4 0x7fffffff               # hdr_len
bad '\.BTF' .BTF 8 0x7fffffff               # type_off
bad '\.BTF' .BTF 12 0x7fffffff              # type_len
bad '\.BTF' .BTF 16 0x7fffffff              # str_off
bad '\.BTF' .BTF 20 0x7fffffff              # str_len
bad '\.BTF|type' .BTF 24 0x7fffffff         # the first type's name
bad '\.BTF|type|kind' .BTF 28 0x1f000000    # its kind
bad '\.BTF|type' .BTF 32 0x7fffff           # its reference to another type
bad '\.BTF\.ext' .BTF.ext 0 0x01001234      # magic
bad '\.BTF\.ext' .BTF.ext 4 0x7fffffff      # hdr_len
bad '\.BTF\.ext' .BTF.ext 12 0x7fffffff     # func_info_len
bad '\.BTF\.ext' .BTF.ext 32 3              # func_info's record size
bad '\.BTF\.ext' .BTF.ext 36 0x7fffffff     # its first section's name
bad '\.BTF\.ext' .BTF.ext 40 0x7fffffff     # its number of records
bad '\.BTF\.ext' .BTF.ext 44 0x7ffffff8     # the first insn_off
bad '\.BTF\.ext' .BTF.ext 48 0x7fffff       # its type id
