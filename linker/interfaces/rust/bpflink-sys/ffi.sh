#!/bin/bash
# Prints src/ffi.rs: the declarations of bpflink/bpflink.h in Rust, by bindgen 0.60 (Debian 12) and
# rustfmt, in one block of functions. tests/install/rust-ffi.sh checks that it is up to date.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
bindgen "${1:-../../../../include/bpflink/bpflink.h}" --allowlist-function 'bpflink_.*' --allowlist-type 'bpflink_.*' \
  --allowlist-var 'BPFLINK_.*' --blocklist-type '__.*' --no-prepend-enum-name --no-doc-comments --no-layout-tests \
  --size_t-is-usize --rust-target 1.47 --raw-line 'use std::os::raw as c;' --ctypes-prefix c |
  awk '/^extern "C" \{$/ { inside = 1; next } inside && /^}$/ { inside = 0; next }
    inside { functions = functions $0 "\n"; next } { print }
    END { printf "extern \"C\" {\n%s}\n", functions }'
