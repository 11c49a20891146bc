# Functions for the cases of skeletons, which run in a temporary directory: `fixtures` has the objects,
# `here` the sources.
set -euo pipefail
fixtures=$PWD here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
PATH=$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() {
  printf 'FAIL: %s\n' "$*" >&2
  exit 1
}
