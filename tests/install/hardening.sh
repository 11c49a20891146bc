#!/bin/bash
# What is installed is built as distributions build what reads hostile files: position independent, stack
# protector, _FORTIFY_SOURCE, full RELRO, no executable stack; CET where the start files of the distribution
# have its notes: one file without them, and the loader turns it off.
. "$(dirname "$0")/common.sh"
needs readelf objdump
grep -q 'BPFLINK_HARDEN:BOOL=ON' "$BUILD/CMakeCache.txt" || skip 'built without BPFLINK_HARDEN'

matches() { grep -q -- "$2" "$1" || fail "$file: no '$2' in its $1"; }
checked=0
is_static() { [[ $(readelf -lW "$1") != *INTERP* && $1 != *.so.* ]]; }
# features FILE: those of CET that are in effect
features() { readelf -nW "$1" | { grep -oE 'IBT|SHSTK' || true; } | sort -u | xargs; }
flag=-fcf-protection
[[ $(uname -m) == x86_64 ]] || flag=-O1
declare -A wanted
for kind in -static-pie -pie -shared; do
  echo 'int main(void) { return 0; }' | cc $flag -fPIC -x c - $kind -o trivial
  wanted[$kind]=$(features trivial)
done
echo "CET is in effect for: ${wanted[-static-pie]:-nothing} (static), ${wanted[-pie]:-nothing} (others)"
for program in bpflink btfdedup bpfskel bpfcore; do files+=("$PREFIX/bin/$program"); done
libraries=("$PREFIX"/lib*/libbpflink.so.*.*.* "$PREFIX"/lib*/*/libbpflink.so.*.*.*)
for file in "${files[@]}" "$PREFIX"/libexec/bpflink/bpf{link-lto,core-init} "${libraries[@]}"; do
  [[ -e $file ]] || continue
  ((++checked))
  readelf -hW "$file" >header
  matches header 'Type: *DYN'
  readelf -lW "$file" >segments
  matches segments GNU_RELRO
  matches segments 'GNU_STACK .* RW '
  readelf -dW "$file" >dynamic
  # A static program relocates itself before it begins, and has no lazy binding.
  is_static "$file" || matches dynamic 'BIND_NOW\|FLAGS.*NOW'
  if [[ $(uname -m) == x86_64 ]]; then
    (set +o pipefail && objdump -d --no-show-raw-insn "$file" | head -n 200000 >code)
    matches code endbr64
    kind=-pie
    if is_static "$file"; then kind=-static-pie; elif [[ $file == *.so.* ]]; then kind=-shared; fi
    [[ $(features "$file") == "${wanted[$kind]}" ]] || fail "$file: notes say '$(features "$file")', not '${wanted[$kind]}'"
  fi
  readelf -sW "$file" >symbols
  is_static "$file" || matches symbols __stack_chk_fail
done
((checked >= 7)) || fail "only $checked files were there"
# In the archive, symbols show what was compiled in.
file=libbpflink.a
nm -u "$PREFIX"/lib*/libbpflink.a "$PREFIX"/lib*/*/libbpflink.a >symbols 2>/dev/null || true
matches symbols __stack_chk_fail
matches symbols '__memcpy_chk\|__memmove_chk\|__snprintf_chk\|__memset_chk\|__read_chk\|__pread_chk\|__readlink_chk'
