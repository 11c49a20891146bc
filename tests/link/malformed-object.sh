#!/bin/bash
# The link checks every number of an input before it uses it: section headers, symbols, relocations,
# .BTF and .BTF.ext. One bad number is an error that names the file and the part.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct data { int a, b; } __attribute__((preserve_access_index));
int v = 3;
SEC("tp_btf/x") int prog(struct data **ctx) { return (*ctx)->b + v; }
EOF
llvm-objcopy-19 --strip-debug a.o
llvm-objcopy-19 --remove-section=.rel.BTF --remove-section=.rel.BTF.ext a.o
link a.o

# bad TEXT SECTION OFFSET VALUE: changes 32 bits of a section; or TEXT PLACE=VALUE, see Editor in bpfobj.py
bad() {
  local damage=$2
  if (($# == 4)); then damage=bytes:$2:$3:4=$4; fi
  python3 "$bpfobj" set a.o bad.o "$damage"
  refused 'bad.o' bad.o
  grep -qiE -- "$1" errors || fail "$damage: no '$1' in the message:"$'\n'"$(<errors)"
}

bad 'section' file:40:4=0x7fffffff # e_shoff
bad 'section' file:60:4=0xffff     # e_shnum
bad 'section' header:tp_btf/x:sh_offset=0x7fffffff
bad 'section' header:.data:sh_size=0x7fffffff
bad 'symbol table' header:.symtab:sh_link=0x7777
bad 'symbol table' header:.symtab:sh_entsize=7
bad 'rel' header:.reltp_btf/x:sh_info=0x7777
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

# Addends of .BTF.ext that are not in its bytes
compile whole <<<'SEC("tc") int prog(void *ctx) { return 0; }'
entries=header:.rel.BTF.ext
python3 "$bpfobj" set whole.o bad.o $entries:sh_type=4 $entries:sh_entsize=24 $entries:sh_size=24
refused "bad.o: relocation section '.rel.BTF.ext' has addends, but those of .BTF.ext are in its bytes" bad.o

# The name of a source file that is in a section
python3 "$bpfobj" set whole.o bad.o symbol:whole.bpf.c:st_shndx=2
refused "bad.o: symbol 'whole.bpf.c' is the name of a file, and in section 2" bad.o
