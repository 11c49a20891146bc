#!/bin/bash
# Errors in an input's ELF header and section headers
. "$(dirname "$0")/common.sh"

compile good <<'END'
int v = 3;
static volatile char zeros[64];
const char text[] = "text";
SEC("socket") int prog(struct __sk_buff *ctx) { return v + zeros[ctx->len & 63]; }
END
"$BPFLINK" good.o -o linked.o || fail 'good.o is not good'
size=$(printf '%#x' "$(stat -c %s good.o)")
sections=$(llvm-readelf-19 -h good.o | sed -n "s/.*Number of section headers: *//p")
headers=$(printf '%#x' "$(llvm-readelf-19 -h good.o | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p')")
names=$(llvm-readelf-19 -h good.o | sed -n 's/.*string table index: *//p')

bad 'has no section headers' elf:e_shoff=0
bad "section headers at offset 0x7fffffff are outside the file of $size bytes" elf:e_shoff=0x7fffffff
bad "section headers at offset $headers are outside the file of $size bytes" elf:e_shnum=$((sections + 5))
bad 'section headers have 60 bytes each, expected 64' elf:e_shentsize=60
bad "section name table index $sections is out of range, the last is $((sections - 1))" elf:e_shstrndx=$sections
bad "section name table index 2 is not a string table's" elf:e_shstrndx=2
bad "name of section 2 is outside the section name table" header:2:sh_name=0x7fffffff
bad "section '(section names)' at offset 0x7fffffff with 0x10 bytes is outside the file of $size bytes" \
  header:$names:sh_offset=0x7fffffff header:$names:sh_size=0x10
# Sections share no bytes, so that what was checked in one is not changed through another.
bad "section '.data' at offset 0x20 overlaps the ELF header, which ends at 0x40" header:.data:sh_offset=0x20
bad "the section header table at offset $headers overlaps section '.data', which ends at $(printf %#x $((headers + 4)))" \
  header:.data:sh_offset=$headers
place() { llvm-readelf-19 -SW good.o | sed 's/\[ *//' | awk -v name="$1" '$2 == name { print $5 }' | sed 's/^0*/0x/'; }
code=$(place socket)
bad "section '.data' at offset $(printf %#x $((code + 8))) overlaps section 'socket', which ends at $(
  printf %#x $((code + $(llvm-readelf-19 -SW good.o | sed 's/\[ *//' | awk '$2 == "socket" { print "0x" $6 }'))))" \
  header:.data:sh_offset=$((code + 8))
bad "section 'socket' has alignment 0x3, expected a power of two up to 0x10000" header:socket:sh_addralign=3
bad "section 'socket' has alignment 0x20000, expected a power of two up to 0x10000" header:socket:sh_addralign=0x20000
bad "section '.data' is compressed
>>> llvm-objcopy --compress-sections=.data=none undoes that" 'header:.data:sh_flags=old | 0x800'
compressed="section '.BTF' is compressed
>>> llvm-objcopy --compress-sections=.BTF=none undoes that"
bad "$compressed" 'header:.BTF:sh_flags=old | 0x800'
expect_message "btfdedup: error: bad.o: $compressed" "$BTFDEDUP" bad.o -o out.o
none="section '.BTF' has no contents, as in files of objcopy --only-keep-debug"
bad "$none" header:.BTF:sh_type=8 header:.rel.BTF:sh_type=1
expect_message "btfdedup: error: bad.o: $none" "$BTFDEDUP" bad.o -o out.o
bad "section '.bss' has 0x100000000 bytes, but BPF can address only 4 GiB" header:.bss:sh_size=1\<\<32
bad "code section 'socket' has 0xc bytes, expected whole instructions of 8" header:socket:sh_size=12
bad "section 'socket' has no contents, as in files of objcopy --only-keep-debug" header:socket:sh_type=8 header:socket:sh_size=8 header:.relsocket:sh_type=3
