#!/bin/bash
# Builds the fuzzers and runs them in parallel for SECONDS, on seeds made from seeds/. Findings are in
# build/sanitize/fuzz/found/TARGET/; the last lines are statistics.
#
#   tests/fuzz/run.sh SECONDS [TARGET...]
#
# The corpus stays in build/sanitize/fuzz/corpus; a later run continues with it.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:?for how many seconds to run each target}
shift
if (($# == 0)); then set -- btf btf_ext elf object archive link core update dwarf interface; fi

cmake --preset sanitize >/dev/null
cmake --build --preset sanitize --target "${@/#/fuzz_}"
bin=build/sanitize/bin build=build/sanitize/fuzz
tests/fuzz/make-seeds.sh $build/seeds

# fuzz TARGET: runs it and prints the result
fuzz() {
  local target=$1 status=0 start
  local corpus=$build/corpus/$target found=$build/found/$target log=$build/$target.log
  mkdir -p "$corpus" "$found" "$build/seeds/$target"
  local inputs=("$corpus" "$build/seeds/$target")
  if [[ -d tests/fuzz/regressions/$target ]]; then inputs+=("tests/fuzz/regressions/$target"); fi
  start=$(date +%s)
  local mask=0
  if [[ $target == update ]]; then mask=3; fi # a program, which prints
  # The memory limit includes freed memory that AddressSanitizer keeps. The time limit is wall time,
  # although the targets share the processors.
  ASAN_OPTIONS=quarantine_size_mb=32 "$bin/fuzz_$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=1024 \
    -malloc_limit_mb=256 -max_len=65536 -close_fd_mask=$mask -print_final_stats=1 -artifact_prefix="$found/" \
    "${inputs[@]}" >"$log" 2>&1 || status=$?
  if ((status != 0)); then tail -n 60 "$log"; fi
  figure() { sed -n "s/^stat::$1: *//p" "$log"; }
  echo "$target: $(figure number_of_executed_units) executions in \
$(($(date +%s) - start)) s, $(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) edges covered, \
peak $(figure peak_rss_mb) MB"
  return "$status"
}
export -f fuzz
export bin build seconds

printf '%s\n' "$@" | xargs -P $# -I{} bash -euc 'fuzz {}'
