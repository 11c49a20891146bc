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

# has GREP-ARGUMENTS...: grep -q that reads all of its input, so that the command before it can write it
has() { grep "$@" | cat >/dev/null; }

# skip REASON: ends the case; CTest counts it as skipped
skip() {
  printf 'SKIPPED: %s\n' "$*"
  exit 77
}

# another_user PROGRAM...: copies the programs into $programs, where $as_user, the start of a command, runs
# them as a user other than root; without root both stay as they are
another_user() {
  as_user=() programs=$(dirname "$1")
  ((EUID == 0)) || return 0
  mkdir "$tmp/programs"
  cp "$@" "$tmp/programs"
  programs=$tmp/programs
  chmod 755 "$tmp" "$programs" "$programs"/*
  as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  "${as_user[@]}" "$programs/$(basename "$1")" --version >/dev/null || skip 'another user may not run the program'
}

# needs COMMAND...: skips the case if a command is missing
needs() {
  local command
  for command; do command -v "$command" >/dev/null || skip "$command is not installed"; done
}
