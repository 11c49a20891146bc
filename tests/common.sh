# What all cases share. A case works in a temporary directory, removed at its end unless KEEP=1 is set,
# and stops at the first command that fails.
set -Eeuo pipefail

here=$(realpath "$(dirname "$0")") # the directory of the case
PATH=$PATH:/usr/sbin:/sbin
export LC_ALL=C
tmp=$(mktemp -d)
trap 'finish $?' EXIT
trap 'printf "FAIL: line %s: %s\n" "$LINENO" "$BASH_COMMAND" >&2' ERR

# finish STATUS: ends the case
finish() {
  if [[ ${KEEP:-} && $1 != 0 ]]; then echo "kept: $tmp"; else rm -rf "$tmp"; fi
  exit "$1"
}

fail() {
  printf 'FAIL: %s\n' "$*" >&2
  exit 1
}

# skip REASON: ends the case; CTest counts it as skipped
skip() {
  printf 'SKIPPED: %s\n' "$*"
  exit 77
}

# needs COMMAND...: skips the case if a command is missing
needs() {
  local command
  for command; do command -v "$command" >/dev/null || skip "$command is not installed"; done
}
