#!/bin/bash
# Makes the fuzzers' seeds and replays each target's own.
#
#   replay-seeds.sh REPLAY_TARGET...
set -euo pipefail

seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
"$(dirname "${BASH_SOURCE[0]}")/make-seeds.sh" "$seeds"
for replay; do "$replay" "$seeds/${replay##*/replay_}"; done
