#!/bin/bash
# Builds and runs the tests of a preset. First installs missing packages. The last line is the count:
# N passed, N failed, N skipped, N skipped in part.
#
#   tests/run.sh [PRESET...]
#
#   release     the tests; the default
#   packages    packages for distributions, in clean roots
#   sanitize    with AddressSanitizer and UndefinedBehaviorSanitizer, without cases whose time goes into
#               compilers and peers
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if (($# == 0)); then set -- release; fi
cmake/packages.sh build bpf test bench
if [[ " $* " == *' sanitize '* ]]; then cmake/packages.sh sanitize; fi
cmake/libbpf.sh || echo 'guests load with the libbpf of this machine'
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0 failed=0 skipped=0 in_part=0

# results PATTERN: the number of CTest results that match
results() {
  grep -cE "^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*$1" "$log" || true
}

# skip_reasons PRESET: prints "skipped kernel/guards: bpf() is not permitted ...", also for parts of cases
skip_reasons() {
  awk '/^[0-9]+\/[0-9]+ Testing: / { name = $3 }
       sub(/^SKIPPED: /, "") && !seen[name $0]++ { print "skipped " name ": " $0 }' \
    "build/${1/packages/release}/Testing/Temporary/LastTest.log"
}

for preset; do
  status=0
  cmake --workflow --preset "$preset" 2>&1 | tee "$log" || status=$?
  ran_well=$(results ' Passed ')
  not_run=$(results '\*\*\*Skipped')
  all=$(results '')
  passed=$((passed + ran_well))
  skipped=$((skipped + not_run))
  failed=$((failed + all - ran_well - not_run))
  if ((status != 0 && all == ran_well + not_run)); then
    echo "$preset: failed before its tests were done"
    failed=$((failed + 1))
  fi
  reasons=$(skip_reasons "$preset")
  if [[ $reasons ]]; then printf '%s\n' "$reasons"; fi
  in_part=$((in_part + $(awk -F: 'NF && !seen[$1]++ { ++n } END { print n + 0 }' <<<"$reasons") - not_run))
done

echo "$passed passed, $failed failed, $skipped skipped, $in_part skipped in part"
((failed == 0))
