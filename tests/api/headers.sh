#!/bin/bash
# Each public header compiles alone and includes no header of a dependency.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../include"

for header in bpflink/*.hpp; do
  included=$("$CXX" -std=c++23 -Wall -Wextra -Werror -I. -fsyntax-only -MD -MF /dev/stdout -MT x \
    -include "$header" -x c++ /dev/null)
  if grep -oE '[^ ]*(libelf|gelf|elf\.h|boost|tbb|fmt|xxh)[^ ]*' <<<"$included"; then
    echo "FAIL: $header includes the above"
    exit 1
  fi
done
for header in bpflink/*.h; do
  "$CC" -std=c99 -Wall -Wextra -Wpedantic -Werror -I. -fsyntax-only -include "$header" -x c /dev/null
  "$CXX" -std=c++98 -Wall -Wextra -Werror -I. -fsyntax-only -include "$header" -x c++ /dev/null
done

# A compiler without C++23 reports that first.
for header in btf btf_file btf_query dedup distill explain linker object print; do
  errors=$("$CXX" -std=c++17 -I. -fsyntax-only -include "bpflink/$header.hpp" -x c++ /dev/null 2>&1) && exit 1
  grep -m 1 'error:' <<<"$errors" |
    grep -F 'the headers of bpflink need C++23 with std::expected: compile with -std=c++23'
done
