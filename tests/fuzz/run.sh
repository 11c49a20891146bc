#!/bin/bash
# Builds the fuzzers and runs each for a time, all at once, on seeds made from seeds/. What
# they find is in build/sanitize/fuzz/found/TARGET/; the last lines are the figures.
#
#   tests/fuzz/run.sh SECONDS [TARGET...]
#
# The corpus stays in build/sanitize/fuzz/corpus, so that a later run goes on where this one ended.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:?for how many seconds to run each target}
shift
if (($# == 0)); then set -- btf btf_ext elf object archive link core; fi

cmake --preset sanitize >/dev/null
cmake --build --preset sanitize --target "${@/#/fuzz_}"
bin=build/sanitize/bin build=build/sanitize/fuzz
tests/fuzz/make-seeds.sh $build/seeds

# fuzz TARGET: runs it, and says how that went
fuzz() {
  local target=$1 status=0 start
  local corpus=$build/corpus/$target found=$build/found/$target log=$build/$target.log
  mkdir -p "$corpus" "$found"
  start=$(date +%s)
  # Freed memory that AddressSanitizer keeps counts for the limit. The limit of time is one of
  # the clock, while all targets share the processors.
  ASAN_OPTIONS=quarantine_size_mb=32 "$bin/fuzz_$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=1024 \
    -malloc_limit_mb=256 -max_len=65536 -print_final_stats=1 -artifact_prefix="$found/" \
    "$corpus" $build/seeds/"$target" tests/fuzz/regressions/"$target" >"$log" 2>&1 || status=$?
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
