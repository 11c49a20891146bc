#!/bin/bash
# Errors in the header, the tables and the records of .BTF.ext
. "$(dirname "$0")/common.sh"

compile good <<'END'
struct data { int a, b; } __attribute__((preserve_access_index));
int v = 3;
SEC("tp_btf/x") int prog(struct data **ctx) { return (*ctx)->b + v; }
END
llvm-objcopy-19 --strip-debug good.o
llvm-objcopy-19 --remove-section=.rel.BTF --remove-section=.rel.BTF.ext good.o
"$BPFLINK" good.o -o linked.o || fail 'good.o is not good'
size() { llvm-readelf-19 -SW good.o | sed 's/\[ *//' | awk -v name="$1" '$2 == name { print $6 }' | sed 's/^0*/0x/'; }
ext=$(($(size .BTF.ext)))
types=$(bpftool btf dump file good.o | grep -c '^\[')
int=$(bpftool btf dump file good.o | sed -n "s/^\[\(.*\)\] INT 'int'.*/\1/p")
word() { od -An -tu4 -j "$2" -N 4 <(llvm-objcopy-19 --dump-section="$1=/dev/stdout" good.o /dev/null) | tr -d ' '; }
strings=$(word .BTF 20)
line_info=$((32 + $(word .BTF.ext 16)))
core_relo=$((32 + $(word .BTF.ext 24)))
code=$(size tp_btf/x)

bad '.BTF.ext: 20 bytes are too few for the header of 24' header:.BTF.ext:sh_size=20
bad '.BTF.ext: magic is 0x1234, expected 0xeb9f' ext:magic=0x1234
bad '.BTF.ext: version is 2, expected 1' ext:version=2
bad ".BTF.ext: header claims 20 bytes of $ext" ext:hdr_len=20
bad ".BTF.ext: header claims 26 bytes of $ext" ext:hdr_len=26
bad ".BTF.ext: header claims $((ext + 4)) bytes of $ext" ext:hdr_len=$((ext + 4))
bad ".BTF.ext: func_info of 20 bytes at offset 0x21 does not fit the section of $ext bytes" ext:func_info_off=1
bad ".BTF.ext: line_info of 4096 bytes at offset $(printf %#x $line_info) does not fit the section of $ext bytes" \
  ext:line_info_len=4096
bad ".BTF.ext: core_relo of 4 bytes at offset 0x10000001f does not fit the section of $ext bytes" \
  ext:core_relo_len=4 ext:core_relo_off=0xffffffff
bad ".BTF.ext: line_info at offset 0x20 overlaps func_info at offset 0x20" ext:line_info_off=0
bad '.BTF.ext: func_info is cut off at offset 0x20' ext:func_info_len=2
bad '.BTF.ext: func_info is cut off at offset 0x24' ext:func_info_len=8
bad '.BTF.ext: func_info has records of 4 bytes, expected 8 to 252 and a multiple of 4' ext:func_info:rec_size=4
bad '.BTF.ext: line_info has records of 18 bytes, expected 16 to 252 and a multiple of 4' ext:line_info:rec_size=18
bad '.BTF.ext: line_info has records of 256 bytes, expected 16 to 252 and a multiple of 4' ext:line_info:rec_size=256
bad ".BTF.ext: func_info at offset 0x24 names a section by string offset $((strings + 9)), past the last" \
  ext:func_info:0:sec_name_off=$((strings + 9))
bad ".BTF.ext: func_info for section 'tp_btf/x' at offset 0x24 claims 2 records of 8 bytes, 8 bytes are left" \
  ext:func_info:0:num_info=2
bad ".BTF.ext: func_info for section 'tp_btf/x' at offset 0x24 claims 0 records of 8 bytes, 8 bytes are left" \
  ext:func_info:0:num_info=0
bad ".BTF.ext: func_info at offset 0x24 is for section 'data', which is not there" "ext:func_info:0:sec_name_off=string('data')"
bad ".BTF.ext: func_info at offset 0x2c is for an instruction at offset 0x4 of section 'tp_btf/x' of $code bytes" \
  ext:func_info:0:0:insn_off=4
bad ".BTF.ext: line_info at offset $(printf %#x $((line_info + 12))) is for an instruction at offset 0x1000 of section 'tp_btf/x' of $code bytes" \
  ext:line_info:0:0:insn_off=0x1000
bad ".BTF.ext: func_info at offset 0x2c is for 'tp_btf/x'+0x8, where no function begins" ext:func_info:0:0:insn_off=8
bad ".BTF.ext: func_info at offset 0x2c refers to type id 0, the last is $types" ext:func_info:0:0:type_id=0
bad ".BTF.ext: func_info at offset 0x2c refers to type id 99, the last is $types" ext:func_info:0:0:type_id=99
bad ".BTF.ext: func_info at offset 0x2c refers to type [$int] INT, expected a FUNC" ext:func_info:0:0:type_id=$int
bad ".BTF.ext: core_relo at offset $(printf %#x $((core_relo + 12))) refers to type id 99, the last is $types" \
  ext:core_relo:0:0:type_id=99
bad ".BTF.ext: core_relo at offset $(printf %#x $((core_relo + 12))) refers to string offset 99999, the end is $strings" \
  ext:core_relo:0:0:access_str_off=99999
bad ".BTF.ext: line_info at offset $(printf %#x $((line_info + 12))) refers to string offset 99999, the end is $strings" \
  ext:line_info:0:0:file_name_off=99999
bad ".BTF.ext: line_info at offset $(printf %#x $((line_info + 12))) refers to string offset 99999, the end is $strings" \
  ext:line_info:0:0:line_off=99999

llvm-objcopy-19 --remove-section=.BTF good.o without.o
expect_message 'bpflink: error: without.o: has .BTF.ext but no .BTF' "$BPFLINK" without.o -o out.o

# References from .BTF to other sections
bad ".BTF: type [$(bpftool btf dump file good.o | sed -n "s/^\[\(.*\)\] FUNC 'prog'.*/\1/p")] FUNC 'prog' is global, but there is no such symbol" \
  ext:func_info_len=0 "symbol:prog:st_name=old + 1"
compile big --target=bpfeb <<<'SEC("socket") int prog(void *ctx) { return 1; }'
llvm-objcopy-19 --dump-section=.BTF=big.btf big.o
llvm-objcopy-19 --update-section=.BTF=big.btf --remove-section=.BTF.ext good.o mixed.o
expect_message 'bpflink: error: mixed.o: .BTF has the other byte order than the object' "$BPFLINK" mixed.o -o out.o

# Relocations of .BTF and .BTF.ext add the values of local symbols.
"$CC" -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -include linux/bpf.h -include bpf/bpf_helpers.h \
  -c good.bpf.c -o good.o
entries=header:.rel.BTF.ext
bad "relocation section '.rel.BTF.ext' has addends, but those of .BTF.ext are in its bytes" $entries:sh_type=4 $entries:sh_entsize=24 \
  $entries:sh_size=24
bad "symbol 'good.bpf.c' is the name of a file, and in section 2" symbol:good.bpf.c:st_shndx=2
bad 'relocation at .BTF.ext+0x2c does not fit 32 bits' rel:.rel.BTF.ext:0:r_sym=1 symbol:1:st_value=0xffffffffff
first=$(llvm-readelf-19 -r good.o | sed -n "/'.rel.BTF'/,/^$/s/^0*\([0-9a-f][0-9a-f]*\) .*/0x\1/p" | head -n 1)
bad "relocation at .BTF+$first does not fit 32 bits" \
  rel:.rel.BTF:0:r_sym=1 symbol:1:st_value=0xffffffffff
