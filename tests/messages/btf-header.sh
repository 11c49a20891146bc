#!/bin/bash
# Errors in the header and the sections of .BTF
. "$(dirname "$0")/common.sh"

int='add(INT, "int", 4, 32)'
blob good.btf "$int"
"$BTFDEDUP" good.btf -o out.btf || fail 'good.btf is not good'

# A header may be longer, with or without a layout section, if its unknown fields are zero.
"$BTFDEDUP" good.btf -o want.btf
for size in 28 32 36 100; do
  blob long.btf "$int; hdr_len = $size; extra = bytes($size - 24)"
  "$BTFDEDUP" long.btf -o got.btf || mistake "a header of $size bytes is refused"
  cmp want.btf got.btf || mistake "a header of $size bytes gives other types"
done
blob layout.btf "$int; layout = [(0, 0, 0), (4, 0, 0)]"
blob long.btf "$int; layout = [(0, 0, 0), (4, 0, 0)]; hdr_len = 40; extra = bytes(8)"
"$BTFDEDUP" layout.btf -o want.btf
"$BTFDEDUP" long.btf -o got.btf
cmp want.btf got.btf || mistake 'a header of 40 bytes gives other types'

bad_blob '0 bytes are too few for a header of 24' 'size = 0'
bad_blob '23 bytes are too few for a header of 24' "$int; size = 23"
bad_blob 'not BTF: magic number is 0x1234, not 0xeb9f' "$int; magic = 0x1234"
bad_blob 'BTF version 2 is not 1' "$int; version = 2"
bad_blob 'header length 23 is less than 24' "$int; hdr_len = 23"
bad_blob "header length 45 is more than the blob's 44 bytes" "$int; strings = b'\\0int'; hdr_len = 45"
bad_blob 'unknown header field at offset 32 is not zero' "$int; hdr_len = 36; extra = bytes(8) + b'\1\0\0\0'"
bad_blob 'unknown header field at offset 35 is not zero' \
  "$int; hdr_len = 36; extra = b'\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\1'"
bad_blob "type section at offset 24 with 64 bytes exceeds the blob's 45 bytes" "$int; type_len = 64"
bad_blob "type section at offset 4294967319 with 16 bytes exceeds the blob's 45 bytes" \
  "$int; type_off = 0xffffffff"
bad_blob "string section at offset 40 with 100 bytes exceeds the blob's 45 bytes" "$int; str_len = 100"
bad_blob "layout section at offset 56 with 8 bytes exceeds the blob's 60 bytes" \
  "$int; layout = [(0, 0, 0)]; layout_last = 1; layout_len = 8"
bad_blob 'type section at offset 26 with 18 bytes is not aligned to 4' "$int; type_off = 2; str_off = 18; tail = b'\\0\\0'"
bad_blob 'type section at offset 24 with 15 bytes is not aligned to 4' "$int; type_len = 15"
bad_blob 'layout section at offset 57 with 4 bytes is not aligned to 4' \
  "$int; layout = [(0, 0, 0), (0, 0, 0)]; layout_off = 25; layout_len = 4"
bad_blob 'type section at offset 24 overlaps the string section at offset 36' "$int; str_off = 12"
bad_blob 'string section is empty' "$int; strings = b''"
bad_blob 'string section does not end with NUL' "$int; strings = b'\\0int'"

# Split BTF without its base: its string section does not begin with NUL.
bad_blob 'string section does not begin with NUL (is it split BTF, which needs --base?)' \
  "$int; strings = b'int\\0'"

# The same in an object
compile good <<<'SEC("socket") int prog(void *ctx) { return 1; }'
bad '.BTF: not BTF: magic number is 0x1234, not 0xeb9f' btf:magic=0x1234
bad '.BTF: string section does not begin with NUL' string:0=1
