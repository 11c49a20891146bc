#!/bin/bash
# Text from inputs must not control the terminal: messages and reports show '?' for control characters
# in names. JSON escapes them.
. "$(dirname "$0")/common.sh"

escape=$'\033[2J' newline=$'\n' next_line=$'\302\205' csi=$'\302\233'
odd="a${escape}b${newline}c${next_line}d${csi}e" shown='a?[2Jb?c??d??e'

# no_controls FILE: FILE has only lines of text, tabs and valid UTF-8
no_controls() {
  python3 -X utf8 -c '
import sys, unicodedata
text = open(sys.argv[1], newline="").read()
sys.exit(any(unicodedata.category(c) == "Cc" and c not in "\n\t" for c in text))' "$1" ||
    mistake "$1 has control characters: $(cat -v "$1")"
}

# renamed NAME=NEW OBJECT: renames a symbol of OBJECT
renamed() { llvm-objcopy-19 --redefine-sym "$1" "$2"; }

compile user <<<'int helper(int x); SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len); }'
compile one -g0 <<<'__u64 twice = 1;'
llvm-objcopy-19 --strip-debug --remove-section .BTF --remove-section .BTF.ext user.o
renamed "helper=$odd" user.o
renamed "twice=$odd" one.o
cp one.o two.o

undefined=">>> referenced by user.o:(socket+0x8)"
expect_message "bpflink: error: undefined symbol: $shown
$undefined
>>> -r leaves it to a later link" "$BPFLINK" -q user.o -o out.o
expect_message "bpflink: error: duplicate symbol: $shown
>>> defined at one.o:(.data+0x0)
>>> defined at two.o:(.data+0x0)
>>> if a header defines it, only declare it there (extern), and define it in one file" "$BPFLINK" one.o two.o -o out.o
expect_message "bpfskel: error: duplicate symbol: $shown
>>> defined at one.o:(.data+0x0)
>>> defined at two.o:(.data+0x0)
>>> if a header defines it, only declare it there (extern), and define it in one file" "$BPFSKEL" one.o two.o -o out.o

# Names of files, on the command line and of archive members
expect_message "bpflink: error: $shown: cannot open: No such file or directory" "$BPFLINK" "$odd" -o out.o
expect_message "btfdedup: error: $shown: cannot open: No such file or directory" "$BTFDEDUP" "$odd" -o out.o
expect_message "bpfskel: error: $shown: cannot open: No such file or directory" "$BPFSKEL" "$odd" -o out.h
echo text >"$odd"
expect_message "bpflink: error: $shown: is not a BPF object but: text file (compile it first)" \
  "$BPFLINK" "$odd" -o out.o

# Reports
cp one.o "x$odd.o"
"$BPFLINK" -q -r -v "x$odd.o" user.o --gc-sections -u "$odd" -y "$odd" --print-gc-sections \
  -Map map --cref --explain "$odd" -o out.o >reports 2>notes || mistake 'does not link'
for file in notes map reports; do
  grep -qF "$shown" "$file" || mistake "$file does not name the symbol: $(cat -v "$file")"
  no_controls "$file"
done
expect "$(printf '%-40s %s' "$shown" "x$shown.o (defined)")" sed -n 3p reports
expect_message "bpflink: error: --explain y$shown: no input has a symbol or type of this name, did you mean $shown?" \
  "$BPFLINK" -q -r "x$odd.o" --explain "y$odd" -o out.o
if "$BPFLINK" --json-diagnostics one.o two.o -o out.o 2>json; then mistake 'a duplicate is linked'; fi
no_controls json
expect "a${escape}b${newline}c${next_line}d${csi}e" python3 -X utf8 -c '
import json
print(json.load(open("json"))["symbol"])'

# Types
blob odd.btf 'add(STRUCT, "s\033[2J\x9b\x85", 4, "m\033", 2, 0); add(INT, "i\x9b", 4, 0x20)'
for option in '--dump raw' '--dump c' "--explain s$escape$csi$next_line"; do
  "$BTFDEDUP" odd.btf $option >types 2>&1
  no_controls types
done
"$BTFDEDUP" odd.btf --dump raw >types
expect "[1] STRUCT 's?[2J????' size=4 vlen=1
	'm?' type_id=2 bits_offset=0
[2] INT 'i??' size=4 bits_offset=0 nr_bits=32 encoding=(none)" cat types
# A name with line breaks is in one line.
blob rows.btf 'add(STRUCT, "s\n[9]INT", 4, "m\n\t\x27x\x27", 3, 0); add(STRUCT, "s\n[9]INT", 8, "m\n", 3, 0); add(INT, "i", 4, 0x20)'
"$BTFDEDUP" rows.btf --dump raw >types
expect 5 wc -l <types
"$BTFDEDUP" rows.btf --explain $'struct s\n[9]INT' >types
lacks '^\[9\]' cat types
"$BTFDEDUP" --check rows.btf >types || true
lacks '^\[9\]' cat types
# A note is one line, too.
compile rows <<<'SEC("socket") int lineprog(void *ctx) { return 1; }'
python3 -c 'data = open("rows.o", "rb").read(); open("rows.o", "wb").write(data.replace(b"lineprog", b"p\n>>> xy"))'
"$BPFLINK" rows.o -o out.o 2>errors
expect "bpflink: warning: kernels reject types with these names
>>> FUNC 'p?>>> xy'
>>> give --kernel-names to rename them" cat errors
