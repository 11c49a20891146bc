#!/bin/bash
# What is installed is built as distributions build what reads hostile files: position independent, stack
# protector, _FORTIFY_SOURCE, full RELRO, no executable stack, CET.
. "$(dirname "$0")/common.sh"
needs readelf objdump
grep -q 'BPFLINK_HARDEN:BOOL=ON' "$BUILD/CMakeCache.txt" || skip 'built without BPFLINK_HARDEN'

matches() { grep -q -- "$2" "$1" || fail "$file: no '$2' in its $1"; }
checked=0
is_static() { [[ $(readelf -lW "$1") != *INTERP* && $1 != *.so.* ]]; }
for program in bpflink btfdedup bpfskel bpfcore; do files+=("$PREFIX/bin/$program"); done
libraries=("$PREFIX"/lib*/libbpflink.so.*.*.* "$PREFIX"/lib*/*/libbpflink.so.*.*.*)
for file in "${files[@]}" "$PREFIX/libexec/bpflink/bpflink-lto" "${libraries[@]}"; do
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
  fi
  readelf -sW "$file" >symbols
  is_static "$file" || matches symbols __stack_chk_fail
done
((checked >= 6)) || fail "only $checked files were there"
# In the archive, symbols show what was compiled in.
file=libbpflink.a
nm -u "$PREFIX"/lib*/libbpflink.a "$PREFIX"/lib*/*/libbpflink.a >symbols 2>/dev/null || true
matches symbols __stack_chk_fail
matches symbols '__memcpy_chk\|__memmove_chk\|__snprintf_chk\|__memset_chk\|__read_chk\|__pread_chk\|__readlink_chk'
