#!/bin/bash
# linker/c_api/abi.txt describes the binary interface: the symbols of both shared libraries with their
# versions, which are all that they export, and the declarations of the C headers. For an intended
# change, update it:
#   BPFLINK_SO=... BPFLINK_LIBBPF_SO=... tests/api/abi.sh --write
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# symbols LIBRARY: what it exports, NAME@VERSION, but for the names of the versions themselves
symbols() {
  nm -D --defined-only --with-symbol-versions "$1" | awk '$2 != "A" { print $3 }' | sort
}

# declarations HEADER: its declarations, one a line, without comments
declarations() {
  cc -E -x c -Iinclude "$1" |
    awk -v header="$1" '/^# / { ours = $3 == "\"" header "\""; next } ours' |
    sed '/^#pragma/d' | tr -s ' \n\t' ' ' |
    awk -v RS='' '{
      depth = 0
      for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        line = line c
        if (c == "{") depth++
        if (c == "}") depth--
        if (c == ";" && depth == 0) { sub(/^ +/, "", line); print line; line = "" }
      }
    }'
}

interface() {
  local header
  echo "== $(basename "$(readelf -d "$BPFLINK_SO" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')")"
  symbols "$BPFLINK_SO"
  echo "== $(basename "$(readelf -d "$BPFLINK_LIBBPF_SO" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')")"
  symbols "$BPFLINK_LIBBPF_SO"
  for header in include/bpflink/bpflink.h include/bpflink/bpf_linker.h; do
    echo "== $header"
    declarations "$header"
  done
}

if [[ ${1:-} == --write ]]; then
  interface >linker/c_api/abi.txt
  exit
fi
if ! diff <(interface) linker/c_api/abi.txt; then
  echo 'FAIL: the interface (<) is not what linker/c_api/abi.txt says (>)'
  exit 1
fi

# The libraries export every function that a C header declares, and no other C function.
declared=$(grep -oE '\b(bpflink|bpf_linker_)_[a-z_]+\(' linker/c_api/abi.txt | tr -d '(' | sort -u)
offered=$(grep -oE '^[a-z_]+@@' linker/c_api/abi.txt | tr -d '@' | sort -u)
diff <(echo "$declared") <(echo "$offered") || { echo 'FAIL: declared (<), offered (>)'; exit 1; }

# Each symbol is a function of C with a version.
if { symbols "$BPFLINK_SO" && symbols "$BPFLINK_LIBBPF_SO"; } | grep -vE '^(bpflink|bpf_linker_)_[a-z_]+@@[A-Z]+_[0-9.]+$'; then
  echo 'FAIL: offered, but no function of C with a version'
  exit 1
fi
