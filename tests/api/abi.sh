#!/bin/bash
# The shared libraries export the functions that their C headers declare, each with a version, and
# nothing else.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# exports LIBRARY: NAME@@VERSION, but for the names of the versions themselves
exports() { nm -D --defined-only --with-symbol-versions "$1" | awk '$2 != "A" { print $3 }' | sort; }

# declarations HEADER: the names of its functions
declarations() { cc -fpreprocessed -E -P "$1" | grep -oE '\b(bpflink|bpf_linker_)_[a-z_]+\(' | tr -d '(' | sort; }

check() {
  diff <(declarations "$1") <(exports "$2" | sed -E 's/@@[A-Z]+_[0-9.]+$//') ||
    { echo "FAIL: $1 declares (<), $2 exports (>)"; exit 1; }
}
check include/bpflink/bpflink.h "$BPFLINK_SO"
check include/bpflink/bpf_linker.h "$BPFLINK_LIBBPF_SO"
